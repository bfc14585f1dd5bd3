"""Tests of what is ours around the authors' scripts. AUTHORS names a clone; without it no script is run.

    python -m pytest scripts/authors
"""

import argparse
import hashlib
import json
import logging
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))

import plan  # noqa: E402
import reading  # noqa: E402
import stubs  # noqa: E402

GOLDEN = ROOT.parent / "shared/golden/knn_kl"


def test_golden():
    """The estimate of KL is that of the golden vectors."""
    if not GOLDEN.is_dir():
        pytest.skip("the golden vectors are not there")
    v = {name: np.load(GOLDEN / f"{name}.npy") for name in ("samples", "reference", "k", "kl")}
    got = stubs.NearestNeighbourKL(int(v["k"][0])).estimation(v["samples"], v["reference"])
    assert abs(got - v["kl"][0]) < 1e-12


def test_estimate():
    """The estimate by its definition, all distances sorted; and its default of three neighbours."""
    r = np.random.default_rng(1)
    x, y = r.normal(size=(50, 2)), r.normal(size=(40, 2))
    own = np.sort(np.linalg.norm(x[:, None] - x[None], axis=2), axis=1)[:, 3]
    other = np.sort(np.linalg.norm(x[:, None] - y[None], axis=2), axis=1)[:, 2]
    want = 2 * np.log(other / own).mean() + np.log(40 / 49)
    assert abs(stubs.NearestNeighbourKL().estimation(x, y) - want) < 1e-12


def test_drawing():
    """What draws can be imported, called, unpacked and indexed."""
    stubs.install()
    import matplotlib.pyplot as plt
    import seaborn

    figure, axes = plt.subplots(2)
    axes[0].plot([1], label="x").legend()
    figure.savefig("nowhere.png")
    assert seaborn.color_palette() is not None and not Path("nowhere.png").exists()


def test_plan():
    """Names are unique, and the script of every run is of a known kind."""
    names = [r.name for r in plan.runs()]
    assert len(names) == len(set(names)) > 100
    assert {r.kind for r in plan.runs()} == {"toy", "network", "network-0", "network-1", "network-2", "ica", "hmc"}


def test_seeds():
    pytest.importorskip("pyarrow")
    import authors

    assert list(authors.span("3")) == [3] and list(authors.span("2-4")) == [2, 3, 4]
    for text in ("2,3", "", "-3", "a"):
        with pytest.raises(argparse.ArgumentTypeError, match="such as 1-10"):
            authors.span(text)


def test_changed():
    """A literal of an assignment is changed, nothing else is, and a name that is not assigned is an error."""
    text = "s = 0.1\n# s = 1\n  s=torch.tensor(2.0)  # note\ns = s + 1\nss = 3\n"
    assert reading.changed(text, "s", "7") == "s = 7\n# s = 1\n  s=7  # note\ns = s + 1\nss = 3\n"
    with pytest.raises(ValueError, match="no assignment of a literal to t"):
        reading.changed(text, "t", "7")


def test_messages():
    """Numbers are read from log messages of both forms, and what comes after model selection is told from the rest."""
    steps = reading.Steps()
    for text in ("iter:[10]/[20]  pnorm: 2.0, rmse: 3.5, llk: -2.25", "config",
                 "t: 20, after model selection: rmse: 3.0, test_llk:-2.5"):
        steps.emit(logging.LogRecord("", 20, "", 0, text, (), None))
    assert steps.rows == [(10, "rmse", 0, 3.5), (20, "test-rmse", 0, 3.0), (20, "test-nll", 0, 2.5)]


def test_same_bytes(tmp_path):
    """The same rows in another order give the same file, and reading gives them back."""
    pytest.importorskip("pyarrow")
    import authors

    rows = [dict(figure="f", problem="p", method="m", seed=s, iteration=i, metric="kl", index=0, value=s + i / 7,
                 seconds=1.5, processor="c") for s in (2, 1) for i in (10, 0)]
    authors.write(tmp_path / "a", rows)
    authors.write(tmp_path / "b", rows[::-1])
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert authors.read(tmp_path / "a") == sorted(rows, key=authors.order)


def test_gather(tmp_path):
    """A finished run becomes rows once, and is known afterwards; a run that was cut off is not."""
    pytest.importorskip("pyarrow")
    import authors

    run, other = plan.runs()[:2]
    result = {"rows": [[0, "knn-kl", 0, 2.5], [10, "knn-kl", 0, 1.5]], "seconds": 2.0, "processor": "c"}
    (tmp_path / f"{run.name}.json").write_text(json.dumps(result))
    (tmp_path / f"{other.name}.part").write_text("{")
    file = tmp_path / "numbers.parquet"
    for _ in range(2):
        have = authors.gather(tmp_path, file)
        assert authors.done(run, have) and not authors.done(other, have)
        assert [(r["iteration"], r["value"]) for r in authors.read(file)] == [(0, 2.5), (10, 1.5)]
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    assert file.with_suffix(".sha256").read_text() == f"{digest}  numbers.parquet\n"


# Ten names of functions, classes and variables of the authors' code, as SHA-256.
NAMES = {
    "47df33574e1fa62f51961ad73e72c29fbeac7bd294d9326107a6dcab744db226",
    "cc0c2ced59a71d197b1d04053f20d67b82a4d6c3e4725c12a251e50250132d30",
    "61629c963aee9117709386d03a58b10edfeffa2ba5b508433a60bf9632d0fe79",
    "47135de444dacbb98275a2265c273629d8c9ef6caf803a1a03eb334a59dbb16d",
    "a4253fcf9cefeb10556e04c902513784cc143cf1a467d4e2fd10c04c6d9e4308",
    "049b28508826257572a5925fa68eeb9197722e3cdc1db75c254a83ab4d107ab0",
    "926e04d9bcd1c85975255c600a9006861f812ab45e8c2c50cd10aee042673495",
    "31a8735b5c780966608d47f319a2704b707eff89954ad29011cb8178813eeb77",
    "a884cd36db62d12e44759c349054f725664cf56a4695a95a74b20a7a08364bd2",
    "b9922d669842975411cb919b261383428a10fd4f0f669500a2875ef2dbc9feba",
}


def test_no_line_of_theirs():
    """No tracked file has one of ten names of their code."""
    files = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], capture_output=True, check=True).stdout.split(b"\0")
    words = set()
    for name in files:
        path = ROOT / os.fsdecode(name)
        if path.is_file() and path.suffix not in (".parquet", ".npy", ".svg", ".html"):
            words.update(re.findall(rb"[A-Za-z_][A-Za-z_0-9]{7,}", path.read_bytes()))
    assert len(words) > 1000
    assert not NAMES & {hashlib.sha256(w).hexdigest() for w in words}


AUTHORS = os.environ.get("AUTHORS")


@pytest.mark.skipif(not AUTHORS, reason="AUTHORS names no clone of the authors' repository")
@pytest.mark.parametrize("which, metric", [("gmm-2d sgld", "knn-kl"), ("wine svgd", "test-nll")])
def test_scripts(tmp_path, which, metric):
    """A toy script and a network script run from the command, with one seed, and leave finite numbers."""
    import authors

    command = [sys.executable, HERE / "authors.py", "--clone", AUTHORS, "--work", tmp_path,
               "--out", tmp_path / "numbers.parquet", "--only", which, "--seeds", "1", "--jobs", "1"]
    said = subprocess.run(command, capture_output=True, text=True)
    assert said.returncode == 0 and "1 of 1 runs are in" in said.stdout, said.stdout + said.stderr
    values = [r["value"] for r in authors.read(tmp_path / "numbers.parquet") if r["metric"] == metric]
    assert values and np.isfinite(values).all()
