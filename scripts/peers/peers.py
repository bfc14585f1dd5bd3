"""Times an outer iteration of this library, of JAX and of PyTorch, repeat by repeat in turn, and prints the table of
docs/performance.md.

    python peers.py --ours PROGRAM [--repeats 7] [--cases sifg-toy,…]

PROGRAM is the compiled benchmarks of pkg/sifg (go test -c). Every program is pinned: to one core, then to two.
"""

import argparse
import os
import re
import statistics
import subprocess
import sys
from pathlib import Path

from problems import CASES

TITLES = {"sifg-toy": "SIFG, 10-D mixture", "l2-gf-toy": "L2-GF, 10-D mixture",
          "sifg-500": "SIFG, 2-D mixture, 500 steps", "ada-sifg-boston": "Ada-SIFG, Boston",
          "l2-gf-boston": "L2-GF, Boston"}
HERE = Path(__file__).parent


class Ours:
    """A repeat is one run of one Go benchmark."""

    def __init__(self, program, cores, name):
        self.program, self.cores, self.name = program, cores, name

    def repeat(self, case):
        command = ["taskset", "-c", self.cores, self.program, "-test.run", "^$", "-test.benchtime", "0.3s",
                   "-test.cpu", str(self.cores.count(",") + 1), "-test.bench", f"^BenchmarkPeer$/^{case}$/^{self.name}$"]
        out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        return float(re.search(r"([\d.]+) ms/iteration", out)[1])


class Peer:
    """A Python program that stays; a repeat is a line to it and its answer."""

    def __init__(self, script, cores):
        threads = str(cores.count(",") + 1)
        env = dict(os.environ, OMP_NUM_THREADS=threads, MKL_NUM_THREADS=threads, PYTHONWARNINGS="ignore", JAX_PLATFORMS="cpu")
        self.process = subprocess.Popen(["taskset", "-c", cores, sys.executable, HERE / script, threads], text=True, env=env,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def repeat(self, case):
        print(case, file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline().split()
        if len(answer) != 2 or answer[1] != "True":
            sys.exit(f"{self.process.args[-2]}: {case}: no finite result")
        return float(answer[0])

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def compare(runners, cases, repeats):
    """Prints a table: medians of the repeats with the smallest and largest, and the ratio of each to the first column."""
    print("| ms an outer iteration |", " | ".join(runners), "|", " | ".join(f"{n} ÷ ours" for n in list(runners)[1:]), "|")
    print("| --- |" + " ---: |" * (2 * len(runners) - 1))
    for case in cases:
        times = {name: [] for name in runners}
        for r in runners.values():
            r.repeat(case)  # compiles, and fills the caches
        for _ in range(repeats):
            for name, r in runners.items():
                times[name].append(r.repeat(case))
        ours, *others = times.values()
        cells = [f"{statistics.median(t):.3g} ({min(t):.3g}–{max(t):.3g})" for t in times.values()]
        cells += [f"{statistics.median(b / a for a, b in zip(ours, t)):.2f}" for t in others]
        print(f"| {TITLES[case]} |", " | ".join(cells), "|", flush=True)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--ours", required=True)
    options.add_argument("--repeats", type=int, default=7)
    options.add_argument("--cases", default=",".join(CASES))
    o = options.parse_args()
    cases = o.cases.split(",")
    for cores, ours in (("0", {"ours": "one"}), ("0,1", {"ours, two runs at once": "pair", "ours, one run": "split"})):
        if cores != "0" and os.cpu_count() < 2:
            break
        print(f"\n{'One core' if cores == '0' else 'Two cores; of two runs at once, the time divided by two'}:\n", flush=True)
        peers = {"JAX": Peer("peer_jax.py", cores), "PyTorch": Peer("peer_torch.py", cores)}
        compare({n: Ours(o.ours, cores, b) for n, b in ours.items()} | peers, cases, o.repeats)
        for p in peers.values():
            p.close()


main()
