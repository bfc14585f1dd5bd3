#!/usr/bin/env python3
"""Recomputes the numbers of README.md and of documents about results, and what audit.py does, from the committed Parquet files.

    python3 scripts/audit/words.py [RESULTS]

It shares no code with the program. It prints a line for each number that differs, and for each number with a decimal point or beside "of"
that nothing here recomputes, and exits with 1 if there is one. How many claims hold is compared by a test of the program, whose rules decide
it. It needs NumPy and PyArrow.
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
COVERED = 0.05  # share of a mode that is covered
ERRORS = 3.3  # standard errors of the difference within which a cell agrees
PROBLEMS = {  # as the documents call them
    "2-D mixture": ("gmm", "gmm-2d"),
    "10-D mixture": ("gmm", "gmm-10d"),
    "Monomial gamma": ("monomial-gamma", "monomial-gamma"),
    "ICA, 10 particles": ("meg-ica", "meg-10"),
    "ICA, 100 particles": ("meg-ica", "meg-100"),
}
TABLES = ["Boston", "Concrete", "Diabetes", "Power", "Protein", "Wine"]
PROBLEMS.update({t: ("uci-bnn", t.lower()) for t in TABLES})
COLUMNS = ["sgld", "svgd", "l2-gf", "ada-gwg", "ada-sifg"]  # of Table 1
NEAR, REACHED = 2, 0.1  # a posterior's sample is good within so many errors of exact draws; both errors at a method's first look
NUMBER = r"−?\d[\d.]*(?:e−?\d+)?"
WORDS = ["none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
RULES = (  # no results
    "2.496 ± 0.02", "Go 1.26", "Apache-2.0", "rate 0.1)", "mean 0.1 ", "0.01 at most", "deviation 0.3.", "lower clip, 0.001", "at most 0.1.",
    "below 0.9",
)


class Facts:
    def __init__(self, results):
        self.results = results
        self.compared, self.wrong = audit.audit(results, audit.EXPERIMENTS)
        self.networks = audit.Records(results / "uci-bnn")

    def comparison(self, title):
        experiment, problem = PROBLEMS[title]
        return self.compared[experiment, "tuned", problem]

    def gap(self, title, method):
        """A method's mean less SIFG's."""
        return float(np.mean(self.comparison(title).pairs[method].gaps))

    def kept(self, experiment, problem):
        """How many modes have their share in the mean over seeds, one number a method."""
        trials = parquet.read_table(self.results / experiment / "trials.parquet").to_pylist()
        rows = parquet.read_table(self.results / experiment / "trace.parquet", filters=[("metric", "=", "occupancy")]).to_pylist()
        method = {t["key"]: t["method"] for t in trials if (t["protocol"], t["problem"]) == ("tuned", problem)}
        last = {}  # in order of iteration
        for row in rows:
            if row["key"] in method:
                last.setdefault(method[row["key"]], {}).setdefault(row["index"], {})[row["key"]] = row["value"]
        return {m: sum(np.mean(list(of.values())) >= COVERED for of in modes.values()) for m, modes in last.items()}

    def reached(self, problem, method):
        """The share of runs of the tuned method that end in all modes, in per cent."""
        trials = parquet.read_table(self.results / "gmm" / "trials.parquet").to_pylist()
        keys = {t["key"] for t in trials if (t["problem"], t["method"]) == (problem, method)}
        rows = parquet.read_table(self.results / "gmm" / "trace.parquet", filters=[("metric", "=", "all-modes")]).to_pylist()
        last = max(r["iteration"] for r in rows)
        return 100 * np.mean([r["value"] for r in rows if r["key"] in keys and r["iteration"] == last])

    def chosen(self, problem, method, setting):
        """A setting of a tuned method on a mixture."""
        trials = parquet.read_table(self.results / "gmm" / "trials.parquet").to_pylist()
        of = next(t for t in trials if (t["protocol"], t["problem"], t["method"]) == ("tuned", problem, method))
        return json.loads(of["config"])["sampler"][setting]

    def cells(self, grid, experiment, metric, **sampler):
        """The mean of a metric over the trials of a grid's cells with these settings of the sampler."""
        records, values = audit.Records(self.results / "grid" / grid / experiment), []
        for t in records.trials:
            has = json.loads(t["config"])["sampler"]
            if "@" in t["method"] and all(has.get(k) == v for k, v in sampler.items()):
                values.append(records.last[t["key"], metric][1])
        return float(np.mean(values))

    def printed(self, ours=lambda method: [method]):
        """Each printed cell that can be tested, beside our values of the methods that ours gives: data set, metric, method, our mean, the
        printed mean, whether they agree."""
        out = []
        with open(ROOT / "experiments" / "uci-bnn" / "published.csv") as f:
            rows = [row for row in csv.DictReader(f) if not row["exclude"]]
        tested = {(row["dataset"], row["metric"], row["method"]) for row in rows}
        for row in rows:
            for method in ours(row["method"]):
                if (row["dataset"], row["metric"], method) not in tested:
                    continue
                tries = self.networks.tries("released", row["dataset"], method, row["metric"])
                values = np.array([v for v in tries.values() if math.isfinite(v)])
                spread = float(row["std"]) or 0.5 * 10 ** -len(row["std"].split(".")[1])
                error = math.sqrt((np.var(values, ddof=1) + spread**2) / len(values))
                agrees = abs(values.mean() - float(row["mean"])) <= ERRORS * error
                out.append((row["dataset"], row["metric"], row["method"], values.mean(), row["mean"], agrees))
        return out

    def placebo(self):
        """How many of our cells agree with what is printed of another method: of all pairs, and of the RMSE on Diabetes."""
        pairs = self.printed(lambda method: [m for m in COLUMNS if m != method])
        row = [c for c in pairs if c[:2] == ("diabetes", "test-rmse")]
        return sum(c[5] for c in pairs), len(pairs), sum(c[5] for c in row), len(row)

    def posteriors(self, ends):
        """By posterior and method, of problems with this ending: errors over those of exact draws, of sds and of means, and gradients."""
        folder = self.results / "posteriors"
        trials = parquet.read_table(folder / "trials.parquet").to_pylist()
        values = {}
        for row in parquet.read_table(folder / "trace.parquet", filters=[("index", "=", 1)]).to_pylist():
            values.setdefault(row["key"], {}).setdefault(row["metric"], []).append((row["iteration"], row["value"]))
        out = {}
        for t in trials:
            if not t["problem"].endswith(ends):
                continue
            errors = values.get(t["key"], {})
            if t["status"] != "ok" or "error-sd" not in errors:
                numbers = (math.inf, math.inf, math.inf)
            else:
                worst = [max(a, b) for (_, a), (_, b) in zip(errors["error-sd"], errors["error-mean"])]
                first = min((i for (i, _), w in zip(errors["error-sd"], worst) if w <= REACHED), default=math.inf)
                ratio = [errors[k][-1][1] / errors["floor-" + k][-1][1] for k in ("error-sd", "error-mean")]
                numbers = (*ratio, first * t["particles"])
            out.setdefault(t["problem"].removesuffix(ends), {}).setdefault(t["method"], []).append(numbers)
        return {p: {m: np.median(v, axis=0) for m, v in of.items()} for p, of in out.items()}


def outside(f):
    """How many cells of Table 1 can be tested and agree, the same without the columns whose steps were chosen, and the one that differs."""
    cells = f.printed()
    others = [c for c in cells if c[2] not in ("sgld", "svgd")]
    wrong = [c for c in others if not c[5]]
    if [c[:3] for c in wrong] != [("boston", "test-nll", "ada-sifg")]:
        raise SystemExit(f"the cells that differ are {[c[:3] for c in wrong]}")
    return sum(c[5] for c in cells), len(cells), sum(c[5] for c in others), len(others), wrong[0]


def sentences(f, text):
    """Checks the sentences of findings.md about one problem each. It returns what is wrong, and the text without them."""
    wrong, seen = [], set()
    for match in re.finditer(r"- \*\*\[([^\]]+)\]\([^)]*\):\*\* (.*?inconclusive\.)", text, re.S):
        title, said = match[1], {}
        found = f.comparison(title)
        seen.add(title)
        for clause in re.split(r";\s+", match[2]):
            verdict = re.search(r"\b(?:is|are)\s+(better|worse|inconclusive)\.?$", clause)[1]
            if clause.split()[:2] == ["the", "others"]:
                said.update({m: verdict for m in found.verdicts if m not in said})
                continue
            names = re.sub(r"\([^)]*\)", "", clause[: clause.rindex("are" if " are" in clause or "\n  are" in clause else "is")])
            for name in re.split(r",\s+|\s+and\s+", " ".join(names.split())):
                said[audit.METHODS[name.strip()]] = verdict
            for name, numbers in re.findall(r"([A-Z0-9][\w-]*(?: ablation| score| ascent)?|pSGLD) \(([^)]*)\)", " ".join(clause.split())):
                pair = found.pairs[audit.METHODS[name]]
                for number, value in zip(re.findall(NUMBER, numbers), (np.mean(pair.gaps), *pair.interval())):  # the interval may be left out
                    if not audit.near(number, value):
                        wrong.append(f"findings.md, {title}, {name}: {number}, here {value}")
        if said != found.verdicts:
            wrong.append(f"findings.md, {title}: {sorted(said.items())}, here {sorted(found.verdicts.items())}")
    nothing = {t for t in PROBLEMS if set(f.comparison(t).verdicts.values()) == {"inconclusive"}}
    if seen | nothing != PROBLEMS.keys() or nothing != {"Boston"}:
        wrong.append(f"findings.md: sentences about {sorted(seen)}, nothing is told on {sorted(nothing)}")
    return wrong, re.sub(r"- \*\*\[([^\]]+)\]\([^)]*\):\*\* (.*?inconclusive\.)", "", text, flags=re.S)


def findings(f):
    """What docs/findings.md must say besides: patterns whose groups are recomputed."""
    agree, cells, _, others, _ = outside(f)
    sigmas = [s for t in TABLES for s in f.networks.tries("paper", t.lower(), "ada-sifg", "sigma").values()]
    least = [p.detectable(f.comparison("Boston").tests) for p in f.comparison("Boston").pairs.values()]
    kept = set(f.kept("gmm", "gmm-10d").values())
    return [
        (r"another method (\d+) of (\d+) cells agree too, and (\d+) of (\d+) for the RMSE on Diabetes", list(f.placebo())),
        (r"in (\d+) of (\d+) runs", [sum(s <= 0.00105 for s in sigmas), len(sigmas)]),
        (r"(\d+) of (\d+) cells agree", [agree, cells]),
        (r"Of the other (\d+) cells one differs, the NLL of Ada-SIFG on Boston", [others]),
        (r"of σ in place of the code's it is ([\d.]+\d) and agrees",
         [f.cells("printed-rate", "uci-bnn", "test-nll", sigma_rate=1e-4)]),
        (r"[Ee]very method keeps (\w+) of five modes", [WORDS[kept.pop()] if len(kept) == 1 else sorted(kept)]),
        (r"\[(\d+) %\]\([^)]*\) of the runs of KDE score end .*? (\d+) % of Ada-GWG, (\d+) % of L2-GF, (\d+) % of SVGD, (\d+) % of SGLD, "
         r"(\d+) % of Ada-SIFG and (\d+) % of SIFG",
         [f"{f.reached('gmm-2d-near', m):.0f}" for m in ("kde-flow", "ada-gwg", "l2-gf", "svgd", "sgld", "ada-sifg", "sifg")]),
        (r"chosen σ, ([\d.]+), is wider", [f.chosen("gmm-2d-near", "sifg", "sigma")]),
        (r"minimum detectable effect is between ([\d.]+) and ([\d.]+\d)", [min(least), max(least)]),
    ]


def readme(f):
    agree, _, fine, others, wrong = outside(f)
    worse = lambda m: [t for t in TABLES if f.comparison(t).verdicts[m] == "worse"]  # noqa: E731
    return [
        (r"(\d+) of the (\d+) cells that we could test agree", [fine, others]),
        (r"their (\d+) agreeing cells", [agree - fine]),
        (r"On (\w+) of six data sets SIFG predicts better than SGLD, and on (\w+) and (\w+) better than Ada-GWG",
         [WORDS[len(worse("sgld"))], *worse("ada-gwg")]),
        (r"NLL on Boston, ([\d.]+) here and ([\d.]+) ± 0\.02 published", [wrong[3], wrong[4]]),
        (r"larger by ([\d.]+) in 2-D and ([\d.]+\d) on monomial gamma", [f.gap(t, "sifg-blind") for t in ("2-D mixture", "Monomial gamma")]),
    ]


def networks(f):
    """docs/uci-bnn.md."""
    blind = {t: f.gap(t, "sifg-blind") for t in TABLES}
    if f.comparison("Boston").verdicts["sifg-blind"] != "inconclusive":
        raise SystemExit("uci-bnn.md: on Boston the ablation is not inconclusive")
    bound = lambda values, place: math.ceil(max(map(abs, values)) / place) * place  # noqa: E731
    dims = [t["dim"] for t in f.networks.trials if t["protocol"] == "tuned"]
    p = [v for t in TABLES for v in f.networks.tries("paper", t.lower(), "ada-gwg", "p").values()]
    return [
        (r"falls from 2 to ([\d.]+\d),", [float(np.mean(p))]),
        (r"(\d+) \(Power\) to (\d+) \(Boston\) coordinates", [min(dims), max(dims)]),
        (r"by less than ([\d.]+) on every data set but", [bound([v for t, v in blind.items() if t != "Boston"], 0.001)]),
        (r"where it is ([\d.]+) lower", [-blind["Boston"]]),
        (r"predicts at most ([\d.]+) % of the noise", [100 * 0.01**2 / (0.01**2 + 0.3**2)]),
    ]


def posteriors(f):
    """docs/posteriors.md. What it says of other posteriors is not among the results."""
    found, take, first, ahead = f.posteriors("-1000"), {}, set(), 0
    for posterior, of in found.items():
        good = {m: v for m, v in of.items() if max(v[:2]) <= NEAR}
        take[posterior] = min(good, key=lambda m: (good[m][2], good[m][0]))
        first.add(good[take[posterior]][2])
        ahead += of["l2-gf"][0] < of["hmc"][0]
    others = sorted(p for p, m in take.items() if m == "baoab")
    if set(take.values()) != {"hmc", "baoab"} or others != ["blr", "gauss-mix", "gp-regr"]:
        raise SystemExit(f"posteriors.md: take {take}")
    raw = f.posteriors("-raw").values()
    raw = [WORDS[sum(max(of[m][:2]) <= NEAR for of in raw)] for m in ("hmc", "psgld", "sgld", "l2-gf", "svgd", "sifg")]
    return [
        (r"are HMC on (\w+) of the twelve, pSGLD on (\w+), SGLD on (\w+), L2-GF on (\w+), SVGD on (\w+) and SIFG on (\w+)", raw),
        (r"after (\d+,\d+) of 500,000 gradients", [f"{first.pop():,.0f}" if len(first) == 1 else sorted(first)]),
        (r"smaller error than HMC on (\w+) of the twelve", [WORDS[ahead]]),
    ]


def check(name, text, patterns):
    wrong = []
    for pattern, wanted in patterns:
        found = re.search(pattern.replace(" ", r"\s+"), text, re.S)  # wherever lines are broken
        said = found.groups() if found else ["nothing"] * len(wanted)
        for group, value in zip(said, wanted, strict=True):
            if not (group == str(value) or isinstance(value, float) and re.match(r"[\d−]", group) and audit.near(group.rstrip("."), value)):
                wrong.append(f"{name}: {pattern}: {group}, here {value}")
        if found:
            text = text[: found.start()] + text[found.end():]
    prose = re.sub(r"```.*?```|`[^`]*`|\]\([^)]*\)|\bv?\d+\.\d+\.\d+\b", "", text, flags=re.S)
    left = re.findall(r"[^.\n]*?(?:\d\.\d|\b\d+ of \d)[^\n]*", prose)
    return wrong + [f"{name}: nothing recomputes {line.strip()!r}" for line in left if not any(a in line for a in RULES)]


def without(text, pattern):
    return re.sub(pattern, "", text, flags=re.S)


if __name__ == "__main__":
    facts = Facts(Path((sys.argv + [ROOT / "results"])[1]))
    read = {name: (ROOT / name).read_text() for name in ("README.md", "docs/findings.md", "docs/uci-bnn.md", "docs/posteriors.md")}
    claims = r"\d+\s+of\s+\d+(?=\s+(?:claims\s+)?(?:hold\s+|with\s+|under\s+))"  # a test of the program compares them
    wrong, left = sentences(facts, read["docs/findings.md"])
    wrong = facts.wrong + wrong + check("findings.md", without(left, claims), findings(facts))
    wrong += check("README.md", without(read["README.md"], claims), readme(facts))
    wrong += check("uci-bnn.md", read["docs/uci-bnn.md"], networks(facts))
    wrong += check("posteriors.md", without(read["docs/posteriors.md"], r"\n## NUTS on other.*"), posteriors(facts))
    print("\n".join([*wrong, f"{len(wrong)} disagreements"]))
    sys.exit(1 if wrong else 0)
