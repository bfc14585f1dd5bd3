#!/usr/bin/env python3
"""Recomputes the comparisons of the verdict from the committed Parquet files, with the rule of docs/compare.md and no code of the program.

    python3 scripts/audit/audit.py [RESULTS [EXPERIMENT...]]

It prints a line for each comparison that differs from report.json, and exits with 1 if there is one. Differences, intervals and margins must
agree to nine digits, verdicts exactly. It needs NumPy and PyArrow.
"""

import itertools
import json
import math
import re
import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet as parquet

LEVEL = 0.05
FEWEST = 6  # pairs; with fewer nobody is better or worse
OTHER, OTHER_METRIC = "matched-kl", "knn-kl"  # the second criterion of the densities: where it says the opposite nobody is better or worse
OVERLAP = 1 / 9  # test rows over the others, of splits of one table

# What is compared, by experiment and problem in words: the problem, the metric, a margin (None: the floor's spread), and whether seeds overlap.
PROBLEMS = {
    ("gmm", "2-D mixture"): ("gmm-2d", "energy", None, False),
    ("gmm", "2-D mixture, the text's start"): ("gmm-2d", "energy", None, False),
    ("gmm", "2-D mixture, the scripts' start"): ("gmm-2d-near", "energy", None, False),
    ("gmm", "10-D mixture"): ("gmm-10d", "energy", None, False),
    ("monomial-gamma", "Monomial gamma"): ("monomial-gamma", "energy", None, False),
    ("meg-ica", "10 unmixing matrices"): ("meg-10", "energy", None, False),
}
for title, problem in {
    "Boston": "boston", "Concrete": "concrete", "Diabetes": "diabetes", "Power": "power", "Protein": "protein", "Wine": "wine",
    "Boston (10 units)": "boston-small",
}.items():
    PROBLEMS["uci-bnn", title] = PROBLEMS["uci-bnn", title + " (one start)"] = (problem, "test-nll", 0.02, True)


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


def standard_error(d, overlap):
    return np.std(d, ddof=1) * math.sqrt(1 / len(d) + (OVERLAP if overlap else 0))


def interval(d, level, overlap):
    half = t_quantile((1 + level) / 2, len(d) - 1) * standard_error(d, overlap)
    return np.mean(d) - half, np.mean(d) + half


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


def t_test(d):
    return 2 * (1 - t_cdf(abs(np.mean(d)) / standard_error(d, True), len(d) - 1))


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

    def floor(self, protocol, problem, metric):
        """The spread of what exact draws score, which is the same for all methods of a seed."""
        by_seed = {}
        for t in self.trials:
            if (t["protocol"], t["problem"]) == (protocol, problem) and (t["key"], "floor-" + metric) in self.last:
                by_seed[t["seed"]] = self.last[t["key"], "floor-" + metric][1]
        return np.std(list(by_seed.values()), ddof=1)


def compare(x, y, overlap):
    """The differences of the tries that both ended, who lost how many alone, and the p-value before correction."""
    d, signs, lost = [], [], [0, 0]
    for seed in sorted(x):
        a, b = x[seed], y.get(seed)
        if b is None or a == b == math.inf:
            continue
        signs.append((a > b) - (a < b))
        if math.inf in (a, b):
            lost[0 if a == math.inf else 1] += 1
        else:
            d.append(a - b)
    d = np.array(d)
    if sum(lost):
        return d, lost, sign_test(signs)
    return d, lost, t_test(d) if overlap else sign_flip(d)


def verdict(d, lost, p, margin, overlap):
    told = p <= LEVEL and len(d) + sum(lost) >= FEWEST
    if sum(lost):  # which way most seeds say it is; who lost a try alone cannot be better
        way = np.sign(d).sum() + lost[0] - lost[1]
        return "worse" if told and way > 0 and not lost[1] else "better" if told and way < 0 and not lost[0] else "open"
    low, high = interval(d, 1 - 2 * LEVEL, overlap)
    if -margin <= low and high <= margin:
        return "equal"
    if told and abs(np.mean(d)) > margin:
        return "better" if np.mean(d) < 0 else "worse"
    return "open"


def near(a, b):
    return abs(a - b) <= 1e-9 * max(abs(a), abs(b), 1e-6)


def trivial(report, title):
    """The energy distance of one normal law, which the table of verdicts prints where no method is nearer; None where it prints none."""
    for finding in report["findings"]:
        for row in (finding.get("table") or {}).get("rows") or []:
            found = re.search(r"no method is nearer than one normal law \(([\d.]+)\)", row[1]["text"])
            if row[0]["text"] == title and found:
                return float(found[1])
    return None


def judged(records, group, protocol, problem, metric, margin, overlap):
    """Differences, lost tries and verdict of each comparison of one problem, with Holm's correction over them."""
    pairs = [compare(*(records.tries(protocol, problem, c[m], metric) for m in ("method", "rival")), overlap) for c in group]
    corrected = holm([p for _, _, p in pairs])
    return [(d, lost, verdict(d, lost, p, margin, overlap)) for (d, lost, _), p in zip(pairs, corrected)]


def audit(results, experiments, found_all=None):
    """Checks all comparisons of experiments. found_all gets what is found of each: by protocol, problem in words, method and rival
    the differences, whether their seeds overlap, the margin and the verdict.
    """
    checked, wrong = 0, []
    for experiment in experiments:
        report = json.loads((results / experiment / "report.json").read_text())
        records = Records(results / experiment)
        protocols = {t["protocol"] for t in records.trials}
        for finding in report["findings"]:
            said = (finding.get("table") or {}).get("comparisons") or []
            protocol = finding.get("protocol") or "matched"
            for title, group in itertools.groupby(said, key=lambda c: c["problem"]):
                if (experiment, title) not in PROBLEMS:
                    continue
                problem, metric, margin, overlap = PROBLEMS[experiment, title]
                if protocol == OTHER:
                    metric = OTHER_METRIC
                if margin is None:
                    margin = records.floor(protocol, problem, metric)
                group = list(group)
                law = trivial(report, title)
                methods = {c[m] for c in group for m in ("method", "rival")}
                nearest = min(np.mean(list(records.tries(protocol, problem, m, "energy").values())) for m in methods) if law else math.inf
                if law is not None and nearest < law:
                    wrong.append(f"{experiment}, {protocol}, {title}: no verdict, here a method is at {nearest}, below {law}")
                found = judged(records, group, protocol, problem, metric, margin, overlap)
                other = [None] * len(group)  # what the other criterion says
                if protocol == "matched" and OTHER in protocols:
                    floor = records.floor(OTHER, problem, OTHER_METRIC)
                    other = [v for _, _, v in judged(records, group, OTHER, problem, OTHER_METRIC, floor, overlap)]
                for c, (d, lost, here), opposite in zip(group, found, other):
                    ours = {"difference": np.mean(d), "margin": margin}
                    ours["from"], ours["to"] = interval(d, 1 - LEVEL, overlap)
                    theirs = {"difference": c["difference"], "margin": c["margin"], "from": c["interval"][0], "to": c["interval"][1]}
                    name = f"{experiment}, {protocol}, {title}, {c['method']} against {c['rival']}"
                    wrong += [f"{name}: {k} is {theirs[k]!r}, here {ours[k]!r}" for k in ours if not near(ours[k], theirs[k])]
                    if law is not None or {here, opposite} == {"better", "worse"}:
                        here = "open"
                    if here != c["verdict"]:
                        wrong.append(f"{name}: {c['verdict']}, here {here}")
                    if found_all is not None:
                        found_all[protocol, title, c["method"], c["rival"]] = (d, overlap, margin, here)
                    checked += 1
    return checked, wrong


if __name__ == "__main__":
    checked, wrong = audit(Path((sys.argv + ["results"])[1]), sys.argv[2:] or sorted({e for e, _ in PROBLEMS}))
    print("\n".join(wrong + [f"{checked} comparisons, {len(wrong)} disagreements"]))
    sys.exit(1 if wrong or not checked else 0)
