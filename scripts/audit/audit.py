#!/usr/bin/env python3
"""Recomputes the comparisons of the committed results from their Parquet files, with the rule of docs/compare.md and no code of the program.

    python3 scripts/audit/audit.py [RESULTS [EXPERIMENT...]]

It prints a line for each number and verdict of a table compare-PROBLEM.md that differs, and exits with 1 if there is one. Numbers must agree
to the digits that are printed. It needs NumPy and PyArrow.
"""

import math
import re
import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet as parquet

LEVEL = 0.05
MOST = 0.75  # the share of seeds that must agree with a verdict
POWER = 0.8
BASELINE = "sifg"
EXPERIMENTS = ("gmm", "monomial-gamma", "meg-ica", "uci-bnn")
OVERLAP = {"uci-bnn": 1 / 9}  # test rows over the others, where seeds are splits of one table
METRIC = {"uci-bnn": "test-nll"}  # the others are compared by energy distance
METHODS = {
    "SIFG": "sifg", "Ada-SIFG": "ada-sifg", "SIFG ablation": "sifg-blind", "KDE score": "kde-flow", "L2-GF": "l2-gf", "Ada-GWG": "ada-gwg",
    "SVGD": "svgd", "SGLD": "sgld", "pSGLD": "psgld", "BAOAB": "baoab", "Gradient ascent": "ascent", "SIFG-A": "sifg-a",
    "SIFG, wide σ": "sifg-wide", "Ada-SIFG, wide σ": "ada-sifg-wide",
}


def t_cdf(t, n):
    """The distribution function of Student's t with n degrees of freedom at t >= 0, in closed form for whole n."""
    theta = math.atan(t / math.sqrt(n))
    s, c = math.sin(theta), math.cos(theta)
    if n % 2:
        term, total = c, c if n > 1 else 0.0
        for k in range(3, n - 1, 2):
            term *= c * c * (k - 1) / k
            total += term
        return 0.5 + (theta + s * total) / math.pi
    term = total = 1.0
    for k in range(2, n - 1, 2):
        term *= c * c * (k - 1) / k
        total += term
    return 0.5 + s * total / 2


def t_quantile(p, n):
    """The quantile of Student's t with n degrees of freedom, p > 1/2, by bisection."""
    low, high = 0.0, 1e6
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if t_cdf(middle, n) < p else (low, middle)
    return (low + high) / 2


def sign_flip(d):
    """The two-sided sign-flip test: exact for up to 20 pairs, else by a million random patterns."""
    if len(d) > 20:
        sums = np.random.default_rng(1).choice([-1.0, 1.0], size=(1_000_000, len(d))) @ d
        return (1 + np.sum(np.abs(sums) >= abs(d.sum()) * (1 - 1e-12))) / (1 + len(sums))
    sums = np.zeros(1)
    for v in d:
        sums = np.concatenate([sums + v, sums - v])
    return np.mean(np.abs(sums) >= abs(d.sum()) - 1e-12 * np.abs(d).sum())


def sign_test(signs):
    positive, n = sum(s > 0 for s in signs), sum(s != 0 for s in signs)
    tail = min(positive, n - positive)
    return min(1.0, 2 * sum(math.comb(n, k) for k in range(tail + 1)) / 2**n) if n else 1.0


def holm(p):
    order, out, largest = sorted(range(len(p)), key=lambda i: p[i]), list(p), 0.0
    for k, i in enumerate(order):
        largest = max(largest, min(1.0, (len(p) - k) * p[i]))
        out[i] = largest
    return out


class Records:
    """The last values of an experiment, by protocol, problem and method."""

    def __init__(self, folder):
        self.trials = parquet.read_table(folder / "trials.parquet").to_pylist()
        trace = parquet.read_table(folder / "trace.parquet", filters=[("index", "=", 0)])
        self.last = {}
        for key, metric, iteration, value in zip(*(trace[c].to_pylist() for c in ("key", "metric", "iteration", "value"))):
            before = self.last.get((key, metric))
            if before is None or iteration >= before[0]:
                self.last[key, metric] = (iteration, value)

    def tries(self, protocol, problem, method, metric):
        """By seed; a lost try is infinite."""
        out = {}
        for t in self.trials:
            if (t["protocol"], t["problem"], t["method"]) != (protocol, problem, method):
                continue
            if t["status"] in ("diverged", "failed"):
                out[t["seed"]] = math.inf
            elif t["status"] == "ok" and (t["key"], metric) in self.last:
                value = self.last[t["key"], metric][1]
                out[t["seed"]] = math.inf if math.isnan(value) else value
        return out

    def methods(self, protocol, problem):
        return {t["method"] for t in self.trials if (t["protocol"], t["problem"]) == (protocol, problem)}


class Pair:
    """How a method compares with another, x and y by seed."""

    def __init__(self, x, y, overlap):
        self.gaps, self.signs, self.overlap = [], [], overlap
        for seed in sorted(x.keys() & y.keys()):
            a, b = x[seed], y[seed]
            if a == b == math.inf:
                continue
            self.signs.append((a > b) - (a < b))
            if math.inf not in (a, b):
                self.gaps.append(a - b)
        self.gaps = np.array(self.gaps)
        self.whole = len(self.gaps) == len(self.signs) > 0

    def error(self):
        return np.std(self.gaps, ddof=1) * math.sqrt(1 / len(self.gaps) + self.overlap)

    def interval(self, level=1 - LEVEL):
        half = t_quantile((1 + level) / 2, len(self.gaps) - 1) * self.error()
        return np.mean(self.gaps) - half, np.mean(self.gaps) + half

    def p(self):
        if not self.whole:
            return sign_test(self.signs)
        if self.overlap:
            return 2 * (1 - t_cdf(abs(np.mean(self.gaps)) / self.error(), len(self.gaps) - 1))
        return sign_flip(self.gaps)

    def ahead(self):
        return (1 - np.mean(self.signs)) / 2

    def verdict(self, corrected):
        middle = np.median(self.gaps if self.whole else self.signs)
        if corrected <= LEVEL and middle < 0 and self.ahead() >= MOST:
            return "better"
        if corrected <= LEVEL and middle > 0 and 1 - self.ahead() >= MOST:
            return "worse"
        return "inconclusive"

    def detectable(self, tests):
        """The smallest true difference that is told from zero with a chance of POWER, with Holm's correction at its strictest."""
        n, level = len(self.gaps), LEVEL / 2 / tests
        if not self.whole or n < 2 or not self.overlap and level < 2.0**-n:
            return None
        return self.error() * (t_quantile(POWER, n - 1) + t_quantile(1 - level, n - 1))


class Comparison:
    """The methods of a problem under a protocol, each beside SIFG."""

    def __init__(self, records, experiment, protocol, problem):
        metric = METRIC.get(experiment, "energy")
        overlap = 0 if protocol == "released" else OVERLAP.get(experiment, 0)  # the scripts have one split for all
        self.tries = {m: records.tries(protocol, problem, m, metric) for m in records.methods(protocol, problem)}
        self.pairs = {m: Pair(x, self.tries[BASELINE], overlap) for m, x in self.tries.items() if m != BASELINE}
        tested = [m for m in self.pairs if self.pairs[m].signs]
        self.tests = len(tested)
        corrected = dict(zip(tested, holm([self.pairs[m].p() for m in tested])))
        self.verdicts = {m: self.pairs[m].verdict(corrected[m]) for m in tested}

    def mean(self, method):
        return np.mean([v for v in self.tries[method].values() if math.isfinite(v)])


def number(text):
    return float(text.replace("−", "-"))


def near(said, value):
    """Whether a printed number is value, to its digits."""
    mantissa, _, exponent = said.replace("−", "-").partition("e")
    place = 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
    return abs(number(said) - value) <= 0.500001 * max(place, 10.0 ** (math.floor(math.log10(abs(value) or 1)) - 2))


def rows(path):
    """The rows of a table by method."""
    out = {}
    for line in path.read_text().splitlines():
        cells = [c.strip() for c in line.strip("|").split("|")]
        if len(cells) == 9 and cells[0] in METHODS:
            out[METHODS[cells[0]]] = cells[1:]
        elif line.startswith("|") and cells[0] != "Method" and not cells[0].startswith("-"):
            raise SystemExit(f"{path}: unknown row {line}")
    return out


def table(path, found):
    """What differs in one table."""
    said, wrong = rows(path), []
    if said.keys() != found.tries.keys():
        wrong.append(f"{path}: the methods are {sorted(said)}, here {sorted(found.tries)}")
    for method in said.keys() & found.tries.keys():
        seeds, median, mean, less, ahead, verdict, detectable, _ = said[method]
        name, tries = f"{path}, {method}", list(found.tries[method].values())
        lost = sum(math.isinf(v) for v in tries)
        here = f"{len(tries) - lost} of {len(tries)}" if lost else str(len(tries))
        if here != seeds:
            wrong.append(f"{name}: {seeds} seeds, here {here}")
        numbers = [(median, np.median(tries)), (mean, found.mean(method) if lost < len(tries) else None)]
        pair = found.pairs.get(method)
        if pair and len(pair.gaps) > 1:
            numbers += list(zip(re.findall(r"[−\d.e]+", less), (np.mean(pair.gaps), *pair.interval())))
            if pair.detectable(found.tests) or re.match(r"\d", detectable):
                numbers.append((detectable, pair.detectable(found.tests) or math.nan))
        if pair and pair.signs:
            numbers.append((ahead.rstrip(" %"), 100 * pair.ahead()))
        for text, value in numbers:
            if value is not None and math.isfinite(value) and not (re.match(r"[−\d]", text) and near(text, value)):
                wrong.append(f"{name}: {text}, here {value!r}")
        if verdict != found.verdicts.get(method, "–"):
            wrong.append(f"{name}: {verdict}, here {found.verdicts.get(method)}")
    return wrong


def audit(results, experiments):
    """Checks all tables of comparisons, and returns what was found here, by experiment, protocol and problem."""
    compared, wrong = {}, []
    for experiment in experiments:
        records = Records(results / experiment)
        for path in sorted((results / experiment).glob("*/compare-*.md")):
            protocol, problem = path.parent.name, path.stem.removeprefix("compare-")
            found = Comparison(records, experiment, protocol, problem)
            compared[experiment, protocol, problem] = found
            wrong += table(path, found)
    return compared, wrong


if __name__ == "__main__":
    compared, wrong = audit(Path((sys.argv + ["results"])[1]), sys.argv[2:] or EXPERIMENTS)
    checked = sum(len(c.verdicts) for c in compared.values())
    print("\n".join(wrong + [f"{checked} comparisons, {len(wrong)} disagreements"]))
    sys.exit(1 if wrong or not checked else 0)
