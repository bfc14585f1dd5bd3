#!/usr/bin/env python3
"""Recomputes the numbers of README.md and docs/findings.md, and what audit.py does, from the committed Parquet files.

    python3 scripts/audit/words.py [RESULTS]

It shares no code with the program. It prints a line for each number that differs, and for each number with a decimal point or beside "of"
that nothing here recomputes, and exits with 1 if there is one. The verdicts on claims are those of report.json: their rules are the
program's. Numbers in words are recomputed where a pattern has them, and claims by number in the table of findings.md are not: a test of the
program compares them. It needs NumPy and PyArrow.
"""

import csv
import json
import math
import re
import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet as parquet

import audit

ROOT = Path(__file__).resolve().parents[2]
NAMES = {"SVGD": "svgd", "L2-GF": "l2-gf", "Ada-GWG": "ada-gwg", "SGLD": "sgld"}
PROPOSED, RIVALS = ["sifg", "ada-sifg"], [*NAMES.values(), "psgld", "ascent", "kde-flow"]  # corrected together
TABLES = ["Boston", "Concrete", "Diabetes", "Power", "Protein", "Wine"]
COVERED = 0.05  # share of a mode that is covered
ERRORS = 3.3  # standard errors of the difference within which a cell agrees
FAR, NEAR = "2-D mixture, the text's start", "2-D mixture, the scripts' start"
FIGURES = "1 2 3 4 5 6 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 30 31 32 33".split()  # claims about Figures 1 to 5


def shown(value, decimals=3):
    """A number as the documents print it."""
    return f"{value:.{decimals}f}".replace("-", "−")


class Facts:
    def __init__(self, results):
        self.results = results
        self.records = {e: audit.Records(results / e) for e in ("gmm", "monomial-gamma", "meg-ica", "uci-bnn")}
        self.compared = {}  # by title, method and rival: differences and verdict of the comparison with its correction
        _, self.wrong = audit.audit(results, sorted(self.records), self.compared)
        self.verdicts = {}  # of claims, under released
        for e in self.records:
            for p in json.loads((results / e / "report.json").read_text())["protocols"]:
                if p["protocol"] == "released":
                    self.verdicts.update({c["id"]: c["verdict"] for c in p["claims"]})

    def pair(self, title, rival, protocol=None, method="sifg"):
        """The differences of a method and a rival, whether seeds overlap, the margin and the verdict."""
        return self.compared[protocol or ("start" if title in TABLES else "matched"), title, method, rival]

    def verdict(self, title, rival):
        return self.pair(title, rival)[3]

    def gap(self, title, rival, protocol=None, sign=1, method="sifg"):
        """The mean difference with its 95 % interval."""
        d, overlap, _, _ = self.pair(title, rival, protocol, method)
        low, high = sorted(sign * end for end in audit.interval(d, 1 - audit.LEVEL, overlap))
        return f"{shown(sign * np.mean(d))} [{shown(low)}, {shown(high)}]"

    def cell(self, title, rival):
        """The verdict with the difference, and where it is open or equal the lead that would have been seen."""
        text, protocol = f"{self.verdict(title, rival)} {self.gap(title, rival)}", "start" if title in TABLES else "matched"
        if text.startswith(("better", "worse")):
            return text
        tests = sum((protocol, title, m, r) in self.compared for m in PROPOSED for r in RIVALS)
        return f"{text} ({self.seen(title, rival, protocol, tests)})"

    def surface(self, title, method):
        """The last energy distances of a method of the protocol surface."""
        return self.records["gmm"].tries("surface", audit.PROBLEMS["gmm", title][0], method, "energy")

    def distance(self, title, method):
        return shown(np.mean(list(self.surface(title, method).values())))

    def all_modes(self, title, method):
        """In how many seeds every mode has its share of the sample, in words or of ten."""
        problem = audit.PROBLEMS["gmm", title][0]
        wanted = {t["key"] for t in self.records["gmm"].trials
                  if (t["protocol"], t["problem"], t["method"]) == ("surface", problem, method)}
        rows = parquet.read_table(self.results / "gmm" / "trace.parquet", filters=[("metric", "=", "coverage"), ("iteration", ">", 0)])
        least = {}
        for row in rows.to_pylist():
            if row["key"] in wanted:
                least[row["key"]] = min(row["value"], least.get(row["key"], 1))
        covered = sum(share >= COVERED for share in least.values())
        return f"{covered} of {len(least)}" if covered else "no seed"

    def rate(self, folder, metric, sigma, rate):
        """The mean of a metric over the trials of Ada-SIFG in a grid that have this σ and this rate of it."""
        grid, values = audit.Records(self.results / "grid" / folder), []
        for t in grid.trials:
            sampler = json.loads(t["config"])["sampler"]
            if (t["method"], sampler["sigma"], sampler.get("sigma_rate")) == ("ada-sifg", sigma, rate):
                values.append(grid.last[t["key"], metric][1])
        return shown(np.mean(values))

    def seen(self, title, rival, protocol, tests, method="sifg"):
        """The smallest lead that would have been seen with a chance of 80 %, with Holm's correction at its strictest."""
        d, overlap, margin, _ = self.pair(title, rival, protocol, method)
        error = audit.standard_error(d, overlap)
        told = error * audit.t_quantile(1 - audit.LEVEL / 2 / tests, len(d) - 1)
        return shown(error * audit.t_quantile(0.8, len(d) - 1) + max(margin, told))

    def cells(self):
        """Each printed cell that can be tested: data set, metric, method, our values, the printed mean, whether they agree."""
        out = []
        with open(ROOT / "experiments" / "uci-bnn" / "published.csv") as f:
            for row in csv.DictReader(f):
                if "copying error" in row["note"]:
                    continue
                tries = self.records["uci-bnn"].tries("released", row["dataset"], row["method"], row["metric"])
                values = np.array([v for v in tries.values() if math.isfinite(v)])
                spread = float(row["std"]) or 0.5 * 10 ** -len(row["std"].split(".")[1])
                error = math.sqrt((np.var(values, ddof=1) + spread**2) / len(values))
                near = abs(values.mean() - float(row["mean"])) <= ERRORS * error
                out.append((row["dataset"], row["metric"], row["method"], values, row["mean"], near))
        return out


def findings(f):
    """What docs/findings.md must say: patterns whose groups are recomputed."""
    cells = f.cells()
    others = [c for c in cells if c[2] not in ("sgld", "svgd")]
    wrong = [c for c in others if not c[5]]
    if [c[:3] for c in wrong] != [("boston", "test-nll", "ada-sifg")]:
        raise SystemExit(f"findings.md: cells that differ are {[c[:3] for c in wrong]}")
    d, overlap, margin, _ = f.pair("10 unmixing matrices", "psgld")
    out = [
        (r"Of Table 1's (\d+) cells that can be tested \([^)]*\) (\d+) agree", [str(len(cells)), str(sum(c[5] for c in cells))]),
        (r"Of the other (\d+) cells one differs, the NLL of Ada-SIFG on Boston, ([\d.]+) here and ([\d.]+) ±\s+0\.02",
         [str(len(others)), shown(wrong[0][3].mean()), wrong[0][4]]),
        (r"the 90 % interval ends at ([\d.]+), the margin is ([\d.]+\d)", [shown(audit.interval(d, 0.9, overlap)[1]), shown(margin)]),
        (r"is farther by (\S+ \[\S+ \S+\])", [f.gap("2-D mixture", "sifg-blind", sign=-1)]),
        (r"Hutchinson's loss is (\S+ \[\S+ \S+\]) on monomial gamma and (\S+ \[\S+ \S+\]) \(([\d.]+)\) in 2-D",
         [f.gap("Monomial gamma", "sifg-hutchinson", "loss"), f.gap("2-D mixture", "sifg-hutchinson", "loss"),
          f.seen("2-D mixture", "sifg-hutchinson", "loss", 2)]),
        (r"Boston is open \(([\d.]+)\)", [f.seen("Boston", "sifg-blind", "start", 1)]),
        (r"is nearer in 2-D by (\S+ \[\S+ \S+\])", [f.gap("2-D mixture", "kde-flow")]),
        *steps(f),
        (r"and the energy distance is ([\d.]+)\. With .*? it is ([\d.]+), with 1e-3 ([\d.]+) \(ten seeds, σ₀ = 0\.12\)",
         [f.rate("gmm-ada/paper", "energy", 0.12, r) for r in (1e-9, 1e-5, 1e-3)]),
        (r"of the scripts' rate of σ it is ([\d.]+\d) and agrees",
         [f.rate("uci-bnn-printed-rate/released", "test-nll", 0.01, 1e-4)]),
    ]
    for title in ["2-D mixture", "Monomial gamma", "10 unmixing matrices", *TABLES]:
        row = r"\| " + title + r" \| ([^|]+?) \| ([^|]+?) \| ([^|]+?) \| ([^|]+?) \|"
        out.append((row, [f.cell(title, rival) for rival in NAMES.values()]))
    return out


def steps(f):
    """What network steps do, by the protocol surface."""
    few = {f.distance(FAR, m) for m in ("sifg", "sifg-20", "sifg-50")}
    if f.pair(FAR, "sifg", "surface", "sifg-150")[3] != "better" or f.pair(FAR, "kde-flow", "surface", "sifg-150")[3] != "open":
        raise SystemExit("findings.md: other verdicts on 150 network steps from the far start")
    if f.pair(NEAR, "sifg", "surface", "sifg-150")[3] != "open":
        raise SystemExit("findings.md: another verdict on 150 network steps from the scripts' start")
    tests = {t: sum(key[:2] == ("surface", t) for key in f.compared) for t in (FAR, NEAR)}
    return [
        (r"energy distance is ([\d.]+) with 5, 20 or 50 an iteration and ([\d.]+) with 150: better by (\S+ \[\S+ \S+\]), than SGLD by "
         r"(\S+ \[\S+ \S+\]), and open against the KDE flow's ([\d.]+) \(([\d.]+)\)",
         [" ".join(few), f.distance(FAR, "sifg-150"), f.gap(FAR, "sifg", "surface", -1, "sifg-150"),
          f.gap(FAR, "sgld", "surface", -1, "sifg-150"), f.distance(FAR, "kde-flow"),
          f.seen(FAR, "kde-flow", "surface", tests[FAR], "sifg-150")]),
        (r"it is ([\d.]+) with 5 and ([\d.]+) with 150, which is open \(([\d.]+)\)",
         [f.distance(NEAR, "sifg"), f.distance(NEAR, "sifg-150"), f.seen(NEAR, "sifg", "surface", tests[NEAR], "sifg-150")]),
        (r"which with more iterations is at ([\d.]+) in fewer seconds", [f.distance(FAR, "kde-flow-8000")]),
        (r"in (\w+ \w+) with 5 network steps, in (\d+ of \d+) with 150",
         [f.all_modes(FAR, m) for m in ("sifg", "sifg-150")]),
        (r"from the scripts' start in (\d+ of \d+) with either",
         [" ".join({f.all_modes(NEAR, m) for m in ("sifg", "sifg-150")})]),
    ]


def readme(f):
    cells = {c[:3]: c for c in f.cells()}
    counts = [sum(f.verdicts[i] == v for i in FIGURES) for v in ("reproduced", "not reproduced", "not decided")]
    others = [c for c in cells.values() if c[2] not in ("sgld", "svgd")]
    better = [t for t in TABLES if any(f.verdict(t, m) == "better" for m in NAMES.values())]
    words = ["none", "one", "two", "three", "four", "five", "six"]
    out = [
        (r"bears out (\d+) of the (\d+) claims that we test about them\. (\w+)\s+fail.*?; (\w+) is not decided",
         [str(counts[0]), str(len(FIGURES)), words[counts[1]].capitalize(), words[counts[2]]]),
        (r"(\d+) of (\d+) cells agree", [str(sum(c[5] for c in cells.values())), str(len(cells))]),
        (r"of the other (\d+) cells (\d+) agree", [str(len(others)), str(sum(c[5] for c in others))]),
        (r"and on (\w+) of six better than some", [words[len(better)]]),
    ]
    out.append((r"energy distance from ([\d.]+) to \[([\d.]+)", [f.distance(FAR, m) for m in ("sifg", "sifg-150")]))
    out.append((r"Boston\s+is open \(a\s+lead of ([\d.]+) would show", [f.seen("Boston", "sifg-blind", "start", 1)]))
    outside = [c for c in others if not c[5]]
    if len(outside) != 1:
        raise SystemExit(f"README.md: {len(outside)} cells are outside")
    out.append((r"Ada-SIFG's NLL on Boston, ([\d.]+) here and ([\d.]+) ± 0\.02 in print", [shown(outside[0][3].mean()), outside[0][4]]))
    if any(f.verdict(t, m) == "worse" for t in TABLES for m in NAMES.values()):
        raise SystemExit("README.md: SIFG is worse than one of the four on a table")
    return out


def check(name, text, patterns):
    wrong = []
    for pattern, wanted in patterns:
        found = re.search(pattern.replace(" ", r"\s+"), text, re.S)  # wherever lines are broken
        if not found or [" ".join(group.split()) for group in found.groups()] != wanted:
            wrong.append(f"{name}: {found.group(0) if found else 'nothing'!r} where it is {wanted}")
        if found:
            text = text[: found.start()] + text[found.end():]
    prose = re.sub(r"```.*?```|`[^`]*`|\]\([^)]*\)|\bv?\d+\.\d+\.\d+\b", "", text, flags=re.S)
    left = re.findall(r"[^.\n]*?(?:\d\.\d|\b\d+ of \d)[^\n]*", prose)
    allowed = ("margin of 0.02 nats", "Go 1.26", "Apache-2.0")  # a rule, and versions
    return wrong + [f"{name}: nothing recomputes {line.strip()!r}" for line in left if not any(a in line for a in allowed)]


if __name__ == "__main__":
    facts = Facts(Path((sys.argv + [ROOT / "results"])[1]))
    wrong = facts.wrong + check("README.md", (ROOT / "README.md").read_text(), readme(facts))
    wrong += check("docs/findings.md", (ROOT / "docs" / "findings.md").read_text(), findings(facts))
    print("\n".join([*wrong, f"{len(wrong)} disagreements"]))
    sys.exit(1 if wrong else 0)
