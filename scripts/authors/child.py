"""Runs one of the authors' scripts once, in a process of its own, and writes what it found as JSON.

    python child.py CLONE NAME OUT MEG W0

CLONE is their repository, NAME that of a run of plan.py, OUT a file, MEG and W0 what ICA reads (see authors.py). The
script runs as it is but for its seed, the assignments that the plan changes, and packages that stubs.py replaces. What
is read is what it leaves: variables, printed lines, log messages.
"""

import contextlib
import json
import logging
import os
import random
import re
import sys
import tempfile
import time
import traceback
from pathlib import Path

import numpy as np
import torch
import torch._dynamo  # which optimizers import, so that it is not counted

import plan
import reading
import stubs


def execute(text, path, run):
    """Runs a script's text and returns its variables. Networks have no seed of their own."""
    if run.kind.startswith("network"):
        random.seed(run.seed)
        np.random.seed(run.seed)
        torch.manual_seed(run.seed)
    found = {"__name__": "__main__", "__file__": str(path), "__doc__": None}
    exec(compile(text, path, "exec"), found)
    return found


def toy(path, run):
    """KL by checkpoint, and the last σ and p."""
    text = reading.source_of(path, run)
    keep = contextlib.nullcontext()
    if run.method == "svgd":
        start = np.random.default_rng(run.seed).normal(size=(1000, 2)) + [1, 0]
        np.loadtxt = lambda *args, **keys: start  # the file is not released: a start of the other scripts' law
        # The script never cuts its graph, which no derivative needs, and would fill the memory. What has n² entries
        # is not kept for it.
        keep = torch.autograd.graph.saved_tensors_hooks(lambda x: x if x.numel() < 10**6 else None, lambda x: x)
    with keep:
        found = execute(text, path, run)
    values = found["kl_list"]
    rows = [(run.every * k, run.metric, 0, float(values[k])) for k in range(run.entries)]
    last = int(found["Epoch"])
    if "sifg" in run.method:
        rows.append((last, "sigma", 0, float(found["semi_sigma"])))
    if run.method == "ada-gwg":
        rows.append((last, "p", 0, float(found["p"])))
    return rows


def network(path, run):
    """RMSE by checkpoint, RMSE and NLL after model selection, and the last σ."""
    for name in ("data", "permutation", "configs"):
        os.symlink(path.parent / name, name)
    load = torch.load
    torch.load = lambda *args, **keys: load(*args, **{**keys, "weights_only": False})  # was the default
    steps, out = reading.Steps(), reading.LastSigma()
    logging.getLogger().addHandler(steps)
    logging.getLogger().setLevel(logging.INFO)
    sys.argv = [path.name, *run.options]
    with contextlib.redirect_stdout(out):
        if run.kind == "network":
            execute(reading.source_of(path, run), path, run)
        else:  # one runner of three, which the file has in order, and one try instead of its loop
            found = execute(re.sub(r"(?m)^main\(\)", "", reading.source_of(path, run)), path, run)
            runners = [v for v in found.values() if hasattr(v, "train") and v.__module__ == "__main__"]
            runners[int(run.kind[-1])](found["parse_config"](run.data)).train()
    rows = steps.rows
    last = 1 + max(at for at, metric, _, _ in rows if metric == "rmse")
    rows = [(at if at < last - 1 else last, metric, i, v) for at, metric, i, v in rows]
    if out.value is not None:
        rows.append((last, "sigma", 0, out.value))
    return rows


# The lists of Amari distances that a try of ICA leaves, by method.
AMARI = {"semigwg": "sifg", "adasemigwg": "ada-sifg", "gwg": "l2-gf", "adapgwg": "ada-gwg", "svgd": "svgd"}


def meg(file):
    """Writes the recordings in the form that the scripts read: channels in rows."""
    with open(file) as f:
        csv = f.readline().startswith('"')
    np.savetxt("MEG_art.txt", np.loadtxt(file, delimiter="," if csv else None, skiprows=int(csv)))


def ica(path, run, recordings, w0):
    """Amari distances of the particles of each method. SGLD, the last, always fails: see plan.LEFT_OUT."""
    meg(recordings)
    chain = torch.tensor(json.loads(Path(w0).read_text())["mean"]).repeat(100_000, 1)
    text = reading.source_of(path, run)
    torch.save(chain, re.search(r"torch\.load\('(.*?)'\)", text)[1])
    try:
        execute(text, path, run)
    except FileNotFoundError as e:
        frames = [f.f_locals for f, _ in traceback.walk_tb(e.__traceback__)]
    local = next(f for f in frames if "amari_adapgwg" in f)
    rows = []
    for name, method in AMARI.items():
        values = [float(v) for v in local[f"amari_{name}"]]
        rows += [(2000, f"{method}/amari", i, v) for i, v in enumerate(values)]
        rows.append((2000, f"{method}/amari-median", 0, float(np.median(values))))
    return rows


def hmc(path, run, recordings):
    """The acceptance of the reference chain and the root mean square of the mean of its second half."""
    meg(recordings)
    found = execute(reading.source_of(path, run), path, run)
    chain = found["hmc_result"]
    moved = (chain[1:] != chain[:-1]).any(dim=1).double().mean()
    mean = chain[len(chain) // 2:].double().mean(dim=0)
    return [(len(chain), "acceptance", 0, float(moved)), (len(chain), "w0-rms", 0, float(mean.square().mean().sqrt()))]


def main():
    clone, name, out, recordings, w0 = sys.argv[1:]
    run = next(r for r in plan.runs() if r.name == name)
    path, out = (Path(clone) / run.script).resolve(), Path(out).resolve()
    recordings, w0 = Path(recordings).resolve(), Path(w0).resolve()
    torch.set_num_threads(1)
    stubs.install()
    sys.path.insert(0, str(path.parent))
    sys.dont_write_bytecode = True
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        before = time.process_time()  # user and system seconds of this process, without those of importing PyTorch
        if run.kind == "toy":
            rows = toy(path, run)
        elif run.kind == "ica":
            rows = ica(path, run, recordings, w0)
        elif run.kind == "hmc":
            rows = hmc(path, run, recordings)
        else:
            rows = network(path, run)
        seconds = time.process_time() - before
        os.chdir("/")
    with open("/proc/cpuinfo") as f:
        processor = next((line.split(": ")[1].strip() for line in f if line.startswith("model name")), "unknown")
    part = out.with_suffix(".part")
    part.write_text(json.dumps({"rows": rows, "seconds": seconds, "processor": processor}))
    part.rename(out)


if __name__ == "__main__":
    main()
