"""The command from Python, by a stand-in for it that starts the program, asks it and leaves what the command leaves."""

import json
import os
import sys
import textwrap
import types

import numpy as np
import pytest

import sifg
from sifg import _run

# It asks about one row of ones, and about the values of it, and leaves these as draws.
STAND_IN = """\
#!{python}
import io, json, os, pathlib, shlex, subprocess, sys
sys.path[:0] = {path!r}
import numpy as np
from sifg._frame import Channel
args = sys.argv[1:]
print("a note", " ".join(a for a in args if "python" not in a), file=sys.stderr)
if code := os.environ.get("STAND_IN_CODE"):
    print("sifg: it went wrong", file=sys.stderr)
    if code != "3":
        sys.exit(int(code))
folder = pathlib.Path(args[args.index("--results") + 1]) if "--results" in args else pathlib.Path("left")
if folder.exists() and any(folder.iterdir()):
    sys.exit("sifg: want a folder that is empty")
if "--program" in args:
    words = shlex.split(args[args.index("--program") + 1])
    p = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    c = Channel(p.stdout.fileno(), p.stdin.fileno())
    first = c.read()
    dim = first["target"]["dim"]
    u = np.full((2, 3, dim), 0.5)
    c.write({{"ask": "score"}}, u.reshape(-1, dim))
    answer = c.read()
    if answer is None:
        print("sifg: the program ended", file=sys.stderr)
        sys.exit(1)
    values = u
    if "values" in first["target"]:
        c.write({{"ask": "values"}}, u.reshape(-1, dim))
        values = c.read()["array"].reshape(2, 3, -1)
    p.stdin.close()
    draws = folder / "posteriors" / "matched" / "draws" / "reference"
    draws.mkdir(parents=True)
    np.save(draws / "draws.npy", values)
    (draws / "names.json").write_text(json.dumps(first["target"].get("values", first["target"]["names"])))
    kept = folder / "store" / "posteriors" / "ab" / "ab12"
    kept.mkdir(parents=True)
    np.save(kept / "u.npy", u)
    (folder / "first.json").write_text(json.dumps(first))
print("Use these draws.\\n\\npage: " + str(folder / "index.html"))
sys.exit(int(os.environ.get("STAND_IN_CODE", "0")))
"""


@pytest.fixture
def command(tmp_path, monkeypatch):
    file = tmp_path / "sifg"
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    file.write_text(STAND_IN.format(python=sys.executable, path=[here]))
    file.chmod(0o755)
    monkeypatch.setenv("SIFG", str(file))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_missing_command(monkeypatch, tmp_path):
    """Whatever needs the command says that it is missing, and each way to get it."""
    monkeypatch.delenv("SIFG", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    for call in lambda: sifg.run("gmm"), lambda: sifg.sample(lambda x: (x[:, 0], x), 1, by=sifg.target):
        with pytest.raises(FileNotFoundError, match="^the command sifg is not on PATH: ") as told:
            call()
        for way in "sifg/releases", "`go install github.com/", "`make build`", "the environment variable SIFG":
            assert way in str(told.value)
    monkeypatch.setenv("SIFG", str(tmp_path / "nope"))
    with pytest.raises(FileNotFoundError, match="^SIFG=.*nope is no program: "):
        sifg.run("gmm")


def test_flags():
    flags = _run._flags(
        {
            "methods": ["sifg", "svgd"],
            "seeds": range(1, 4),
            "set": {"step": 0.1, "judge.snapshots": [1, 2], "mover": "a b"},
            "dry_run": True,
            "scale": "quick",
            "jobs": 2,
            "absent": None,
        }
    )
    assert flags == [
        "--methods=sifg,svgd",
        "--seeds=1,2,3",
        "--set=step=0.1",
        "--set=judge.snapshots=[1, 2]",
        "--set=mover=a b",
        "--dry-run=true",
        "--scale=quick",
        "--jobs=2",
    ]


def arviz(monkeypatch):
    """Stands for ArviZ, and returns what it is given."""
    monkeypatch.setitem(sys.modules, "arviz", types.SimpleNamespace(from_dict=lambda **groups: groups))


def test_sample(command, monkeypatch, capfd):
    """Draws, names, dimensions, log densities, and the verdict. Nothing stays where no folder was named."""
    arviz(monkeypatch)

    def f(x):
        return -0.5 * (x**2).sum(axis=1), -x

    def constrain(x):
        return np.exp(x) + [0, 1, 2]

    names = ["tau", "theta[0]", "theta[1]"]
    got = sifg.sample(
        f,
        3,
        by=sifg.target,
        values=names,
        constrain=constrain,
        dims={"theta": ["school"]},
        coords={"school": ["A", "B"]},
    )
    np.testing.assert_allclose(got["posterior"]["tau"], np.full((2, 3), np.exp(0.5)))
    np.testing.assert_allclose(got["posterior"]["theta"][0, 0], [np.exp(0.5) + 1, np.exp(0.5) + 2])
    np.testing.assert_allclose(got["sample_stats"]["lp"], np.full((2, 3), -0.375))
    assert got["dims"] == {"theta": ["school"]} and got["coords"] == {"school": ["A", "B"]}
    out, err = capfd.readouterr()
    assert out == "Use these draws.\n\n" or out == "Use these draws.\n"
    assert "a note run posteriors" in err
    assert sorted(os.listdir(command)) == ["sifg"]


def test_sample_keeps_its_folder_and_knows_its_posterior(command, monkeypatch):
    """The key hangs on what the log density is, whatever made it so."""
    arviz(monkeypatch)

    def depends(scale, folder):
        sifg.sample(lambda x: (-scale * (x**2).sum(axis=1), -2 * scale * x), 2, by=sifg.target, results=folder)
        return json.loads((command / folder / "first.json").read_text())["depends"]

    assert depends(1.0, "a") == depends(1.0, "b") != depends(2.0, "c")


def test_errors_of_the_model_are_raised(command):
    """Where the model fails while it is asked, its own error is raised."""
    calls = []

    def f(x):
        calls.append(len(x))
        if len(calls) > 1:
            raise ZeroDivisionError("in the model")
        return x[:, 0], x

    with pytest.raises(ZeroDivisionError, match="in the model"):
        sifg.sample(f, 1, by=sifg.target)


def test_failures_are_told(command, monkeypatch):
    monkeypatch.setenv("STAND_IN_CODE", "2")
    with pytest.raises(RuntimeError, match="sifg run gmm --scale=nope ended with exit code 2: sifg: it went wrong"):
        sifg.run("gmm", scale="nope")
    monkeypatch.setenv("STAND_IN_CODE", "3")
    with (
        pytest.warns(UserWarning, match="it went wrong"),
        pytest.raises(FileNotFoundError, match="there are no results in left"),
    ):
        pytest.importorskip("pandas")
        pytest.importorskip("pyarrow")
        sifg.run("gmm")


def test_adapters_are_found():
    with pytest.raises(TypeError, match="for others say by=sifg.jax, sifg.torch or sifg.target"):
        sifg.sample(3)
    assert _run._adapter_of("model.stan") is sifg.stan
    assert _run._adapter_of(types.SimpleNamespace(logp_dlogp_function=None)) is sifg.pymc


def test_labels():
    model = types.SimpleNamespace(
        named_vars_to_dims={"theta": ("school",), "x": (None,)},
        coords={"school": ("A", "B"), "obs": None, "other": (1,)},
    )
    assert _run._labels(model) == ({"theta": ["school"]}, {"school": ["A", "B"]})
    assert _run._labels(3) == ({}, {})


def test_plates():
    numpyro = pytest.importorskip("numpyro")
    dist = numpyro.distributions

    def model(n, y=None):
        with numpyro.plate("group", n), numpyro.plate("time", 3):
            numpyro.deterministic("twice", 2 * numpyro.sample("a", dist.Normal(0, 1)))
        with numpyro.plate("group", n):
            b = numpyro.sample("b", dist.Dirichlet(np.ones(4)))
        numpyro.sample("y", dist.Normal(b.sum(), 1), obs=y)

    dims, _ = _run._dims(model, (2,), {"y": 1.0, "values": ["a"]})
    assert dims == {"a": ["time", "group"], "twice": ["time", "group"], "b": ["group", "b_dim_1"]}


def test_results(tmp_path):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    for name, seed in {"gmm": 1, "svgd": 2**63 + 1}.items():
        (tmp_path / name).mkdir()
        row = {
            "key": name,
            "experiment": name,
            "protocol": "paper",
            "problem": "p",
            "method": "m",
            "seed": np.uint64(seed),
            "status": "ok",
        }
        pandas.DataFrame([row]).to_parquet(tmp_path / name / "trials.parquet")
        trace = pandas.DataFrame(
            {"key": name, "iteration": [0, 5], "metric": "energy", "index": 0, "value": [1.0, 0.5]}
        )
        trace.to_parquet(tmp_path / name / "trace.parquet")
        pandas.DataFrame([{"key": name, "seconds": 1.0}]).to_parquet(tmp_path / name / "timings.parquet")
    got = sifg.results(tmp_path)
    assert list(got.trials["seed"]) == [1, 2**63 + 1] and len(got.timings) == 2
    last = got.trace[(got.trace["experiment"] == "svgd") & (got.trace["iteration"] == 5)]
    assert list(last["value"]) == [0.5] and list(last["seed"]) == [2**63 + 1]
    assert len(sifg.results(tmp_path / "gmm").trace) == 2
    with pytest.raises(FileNotFoundError, match="there are no results in"):
        sifg.results(tmp_path / "nowhere")


def test_results_without_pandas(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ModuleNotFoundError, match="pip install pandas pyarrow"):
        sifg.results(tmp_path)


def test_stand_in_is_python():
    compile(textwrap.dedent(STAND_IN.format(python="python", path=[])), "stand-in", "exec")
