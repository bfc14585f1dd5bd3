"""Runs the authors' released scripts and gathers their numbers.

    python authors.py --clone FOLDER [--jobs 2] [--only TEXT] [--seeds 1-10] [--list]

FOLDER is a clone of their repository at the commit of plan.py. Each script and seed is a process, with one thread. A
finished run is a file in --work, absent or whole, and then rows of --out: what has been run is not run again.
"""

import argparse
import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as parquet

import plan

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
COLUMNS = [("figure", pa.string()), ("problem", pa.string()), ("method", pa.string()), ("seed", pa.uint64()),
           ("iteration", pa.uint64()), ("metric", pa.string()), ("index", pa.uint64()), ("value", pa.float64()),
           ("seconds", pa.float64()), ("processor", pa.string())]
SCHEMA = pa.schema([pa.field(name, kind, nullable=False) for name, kind in COLUMNS])
READ_BY = {"sifg.schema": "2", "sifg.table": "numbers"}  # as the program's own tables say what they are


def lacking(clone):
    """What keeps the scripts from running, or None."""
    if clone is None or not (clone / plan.MIXTURE_2D.format("base")).is_file():
        return (f"want a clone of the authors' repository at commit {plan.COMMIT}: make authors AUTHORS=FOLDER, "
                "with a folder that has \"Toy Experiments\" in it")
    head = subprocess.run(["git", "-C", clone, "rev-parse", "HEAD"], capture_output=True, text=True).stdout.strip()
    if head and head != plan.COMMIT:
        return f"{clone} is at {head}, want {plan.COMMIT}"
    for run in plan.runs():
        if not (clone / run.script).is_file():
            return f"{clone} has no {run.script}"
    return None


def recordings(given):
    """The file with MEG's recordings: as given, of a mirror of the data sets, or of their cache."""
    name = Path("meg-ica", "MEG_data_reduced.csv")
    mirror = os.environ.get("SIFG_DATASETS_MIRROR")
    found = [given] if given else [p / name for p in (Path(mirror) if mirror else None, ROOT / "datasets/cache") if p]
    return next((p for p in found if p.is_file()), None)


def read(file):
    return parquet.read_table(file).to_pylist() if file.is_file() else []


def order(row):
    return tuple(row[k] for k in ("figure", "problem", "method", "seed", "metric", "iteration", "index"))


def write(file, rows):
    """Writes rows in a fixed order: equal rows give equal bytes."""
    table = pa.Table.from_pylist(sorted(rows, key=order), schema=SCHEMA)
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_name(f".{file.name}.{os.getpid()}.part")  # two commands may run side by side
    with parquet.ParquetWriter(part, SCHEMA, compression="zstd", compression_level=19, store_schema=False,
                               use_dictionary=["figure", "problem", "method", "metric", "processor"]) as w:
        w.write_table(table)
        w.add_key_value_metadata(READ_BY)
    digest = hashlib.sha256(part.read_bytes()).hexdigest()
    part.rename(file)
    file.with_suffix(".sha256").write_text(f"{digest}  {file.name}\n")


def rows_of(run, result):
    """The rows of a result. A try of ICA has those of several methods, and the seconds of all of them together."""
    out = []
    for iteration, metric, index, value in result["rows"]:
        method, _, metric = metric.rpartition("/")
        out.append(dict(figure=run.figure, problem=run.problem, method=method or run.method, seed=run.seed,
                        iteration=iteration, metric=metric, index=index, value=value, seconds=result["seconds"],
                        processor=result["processor"]))
    return out


def gather(work, file):
    """Puts finished runs into the Parquet file, and returns which runs it has."""
    rows, new = read(file), []
    for run in plan.runs():
        result = work / f"{run.name}.json"
        if result.is_file():
            new += rows_of(run, json.loads(result.read_text()))
    known = {order(r) for r in new}
    rows = [r for r in rows if order(r) not in known] + new
    if new:
        write(file, rows)
    return {(r["problem"], r["method"], r["seed"]) for r in rows}


def done(run, have):
    method = "sifg" if run.kind == "ica" else run.method
    return (run.problem, method, run.seed) in have


# By default glibc returns each large tensor to the system and faults its pages in again: of SVGD on ICA with 100
# particles that is half of the seconds.
KEEP_MEMORY = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": "8000000000"}


class Child:
    """One run under way."""

    def __init__(self, run, args, meg):
        self.run, self.started = run, time.time()
        self.log = args.work / f"{run.name}.log"
        command = [sys.executable, HERE / "child.py", args.clone, run.name, args.work / f"{run.name}.json",
                   meg or "-", ROOT / "experiments/meg-ica/reference/released.json"]
        set_to_1 = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "TQDM_DISABLE")
        env = {**os.environ, **dict.fromkeys(set_to_1, "1")}
        if (run.problem, run.method) == ("gmm-2d", "svgd"):  # its graph would sit in the freed places of n² arrays
            env["MALLOC_MMAP_THRESHOLD_"] = "1000000"
        else:
            env |= KEEP_MEMORY
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(command, env=env, stdout=log, stderr=log)

    def ended(self):
        if self.process.poll() is None:
            return False
        took = time.time() - self.started
        if self.process.returncode == 0:
            print(f"{self.run.name}: {took:.0f} s", flush=True)
            self.log.unlink()
        else:
            print(f"{self.run.name}: failed after {took:.0f} s: {self.log}", flush=True)
        return True


def run_all(todo, args, meg):
    """Runs a list of runs, --jobs at once, and gathers after each."""
    todo, under_way = list(todo), []
    try:
        while todo or under_way:
            while todo and len(under_way) < args.jobs:
                under_way.append(Child(todo.pop(0), args, meg))
            left = [c for c in under_way if not c.ended()]
            if len(left) < len(under_way):
                gather(args.work, args.out)
            else:
                time.sleep(0.2)
            under_way = left
    finally:
        for c in under_way:
            c.process.kill()
            c.process.wait()


def span(text):
    """The seeds of "3" or of "1-10"."""
    first, _, last = text.partition("-")
    if not (first.isdecimal() and (last or first).isdecimal()):
        raise argparse.ArgumentTypeError(f"want a seed, or the first and the last, such as 1-10, got {text}")
    return range(int(first), int(last or first) + 1)


def chosen(args):
    return [r for r in plan.runs() if args.only in f"{r.problem} {r.method}" and r.seed in args.seeds]


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--clone", type=Path, help="the authors' repository")
    p.add_argument("--work", type=Path, default=ROOT / "bin/authors", help="where finished runs lie")
    p.add_argument("--out", type=Path, default=ROOT / "results/authors/numbers.parquet", help="the file of numbers")
    p.add_argument("--meg", type=Path, help="MEG's recordings, channels in rows: other ones than the data set meg")
    p.add_argument("--jobs", type=int, default=2, help="runs at once")
    p.add_argument("--only", default="", help="runs with this text in problem and method: 'boston ada-sifg'")
    p.add_argument("--seeds", type=span, default="1-1000", help="a seed, or the first and the last")
    p.add_argument("--list", action="store_true", help="only say what is left")
    args = p.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))  # so that no run stays behind
    args.work.mkdir(parents=True, exist_ok=True)
    meg = recordings(args.meg)
    have = gather(args.work, args.out)
    todo = [r for r in chosen(args) if not done(r, have)]
    if not args.list and todo:
        if why := lacking(args.clone):
            sys.exit(why)
        if meg is None and any(r.kind in ("ica", "hmc") for r in todo):
            print("the data set meg is not there, so ICA is left out: sifg data fetch meg, or --meg FILE")
            todo = [r for r in todo if r.kind not in ("ica", "hmc")]
        run_all(todo, args, meg)
    have = gather(args.work, args.out)
    left = [r for r in chosen(args) if not done(r, have)]
    print(f"{len(chosen(args)) - len(left)} of {len(chosen(args))} runs are in {args.out}")
    groups = {}
    for r in left:
        groups.setdefault((r.problem, r.method), []).append(str(r.seed))
    for (problem, method), seeds in groups.items():
        print(f"  left: {problem} {method}, seeds {', '.join(seeds)}")
    for what, why in plan.LEFT_OUT.items():
        print(f"  cannot be run: {what}: {why}")


if __name__ == "__main__":
    main()
