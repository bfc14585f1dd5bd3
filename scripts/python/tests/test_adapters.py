"""Each adapter against a Gaussian, or a model with a positive parameter, whose log density and gradient are known."""

import json
import pathlib
import subprocess
import sys
import types

import numpy as np
import pytest

import sifg
from sifg import _adapters


@pytest.fixture
def served(monkeypatch):
    """Catches what an adapter would serve."""
    caught = {}

    def target(value_and_grad, dim, names=None, values=None, constrain=None, version=""):
        caught.update(f=value_and_grad, dim=dim, names=names, values=values, constrain=constrain)

    monkeypatch.setattr(_adapters, "target", target)
    monkeypatch.setattr(_adapters, "aside", lambda: None)
    return caught


def differences(f, x, h=1e-5):
    """The gradient at one point by central differences."""
    steps = h * np.eye(len(x))
    values = np.asarray(f(np.concatenate([x + steps, x - steps]))[0])
    return (values[: len(x)] - values[len(x) :]) / (2 * h)


def check_gradient(served):
    x = np.random.default_rng(1).normal(size=(3, served["dim"]))
    value, gradient = served["f"](x)
    assert np.shape(value) == (3,) and np.shape(gradient) == x.shape and np.asarray(value).dtype == np.float64
    for row, g in zip(x, np.asarray(gradient)):
        np.testing.assert_allclose(g, differences(served["f"], row), rtol=1e-5, atol=1e-7)


def test_jax(served):
    jnp = pytest.importorskip("jax.numpy")
    sifg.jax(lambda x: -0.5 * jnp.sum((x - 1) ** 2), 3)
    check_gradient(served)
    assert float(served["f"](np.ones((1, 3)))[0][0]) == 0


def test_torch(served):
    torch = pytest.importorskip("torch")
    sifg.torch(lambda x: -0.5 * torch.sum((x - 1) ** 2), 3)
    check_gradient(served)


@pytest.mark.parametrize("validates", [True, False])
def test_torch_rejects(served, monkeypatch, capfd, validates):
    """Where a distribution refuses a point, that point alone is rejected. The module is made up."""

    def logp(x):
        if x[0] > 1:
            raise ValueError("scale must be positive")
        return -0.5 * (x**2).sum()

    class Tensor(np.ndarray):
        def detach(self):
            return self

        def numpy(self):
            return np.asarray(self)

    def grad_and_value(f):
        return lambda x: (np.asarray(-x).view(Tensor), np.asarray(f(x)).view(Tensor))

    def vmap(f):
        def both(x):
            if validates:
                raise RuntimeError("vmap: data-dependent control flow")
            return [np.stack(part).view(Tensor) for part in zip(*map(f, x))]

        return both

    func = types.SimpleNamespace(vmap=vmap, grad_and_value=grad_and_value)
    monkeypatch.setitem(sys.modules, "torch", types.SimpleNamespace(func=func, from_numpy=lambda a: a))
    sifg.torch(logp, 2)
    check_rejected(served)
    assert "scale must be positive" in capfd.readouterr().err


def check_rejected(served):
    value, gradient = served["f"](np.array([[0.0, 1.0], [2.0, 0.0]]))
    assert value.tolist() == [-0.5, -np.inf]
    np.testing.assert_array_equal(gradient, [[0.0, -1.0], [np.nan, np.nan]])


def test_numpyro(served):
    numpyro = pytest.importorskip("numpyro")
    dist = numpyro.distributions

    def model(y=None):
        sigma = numpyro.sample("sigma", dist.HalfNormal(2.0))
        numpyro.sample("y", dist.Normal(numpyro.deterministic("twice", 2 * sigma) * 0, sigma), obs=y)

    sifg.numpyro(model, y=np.array([1.0, -2.0]))
    check_gradient(served)
    u = np.array([[0.0], [0.7]])
    s = np.exp(u[:, 0])
    want = -(s**2) / 8 - 2 * np.log(s) - 5 / (2 * s**2) + u[:, 0]  # up to a constant, with the log Jacobian
    got = np.asarray(served["f"](u)[0])
    assert got[1] - got[0] == pytest.approx(want[1] - want[0], abs=1e-6)
    values = dict(zip(served["values"], np.asarray(served["constrain"](u)).T))
    np.testing.assert_allclose(values["sigma"], s, rtol=1e-6)
    np.testing.assert_allclose(values["twice"], 2 * s, rtol=1e-6)


def test_pymc(served):
    pm = pytest.importorskip("pymc")
    with pm.Model() as model:
        sigma = pm.HalfNormal("sigma", 2.0)
        pm.Deterministic("twice", 2 * sigma)
        pm.Normal("y", 0, sigma, observed=np.array([1.0, -2.0]))
    sifg.pymc(model)
    check_gradient(served)
    u = np.array([[0.0], [0.7]])
    s = np.exp(u[:, 0])
    want = -(s**2) / 8 - 2 * np.log(s) - 5 / (2 * s**2) + u[:, 0]
    got = served["f"](u)[0]
    assert got[1] - got[0] == pytest.approx(want[1] - want[0], abs=1e-8)
    values = dict(zip(served["values"], served["constrain"](u).T))
    assert set(values) == {"sigma", "twice"}
    np.testing.assert_allclose(values["sigma"], s)
    np.testing.assert_allclose(values["twice"], 2 * s)


def test_chosen_values(served):
    """Only the values that were asked for are computed, and an unknown one is told."""
    numpyro = pytest.importorskip("numpyro")

    def model(x):
        b = numpyro.sample("b", numpyro.distributions.Normal(0, 1))
        numpyro.deterministic("mu", b * x)

    sifg.numpyro(model, np.ones(50), values=["b"])
    assert served["values"] == ["b"] and served["constrain"](np.array([[2.0]])).tolist() == [[2.0]]
    with pytest.raises(ValueError, match="values has nu; the model has b, mu"):
        sifg.numpyro(model, np.ones(50), values=["nu"])


def test_discrete_is_named(served, monkeypatch):
    """The module and the model are made up."""
    monkeypatch.setitem(sys.modules, "pymc", types.ModuleType("pymc"))
    blocking = types.SimpleNamespace(DictToArrayBijection=None, RaveledVars=None)
    monkeypatch.setitem(sys.modules, "pymc.blocking", blocking)
    free = [types.SimpleNamespace(name="a", dtype="float64"), types.SimpleNamespace(name="t", dtype="int64")]
    with pytest.raises(ValueError, match="^t: discrete"):
        sifg.pymc(types.SimpleNamespace(free_RVs=free))


def test_stan(served, tmp_path):
    pytest.importorskip("bridgestan")
    model = tmp_path / "model.stan"
    model.write_text("parameters { real<lower=0> sigma; } model { sigma ~ normal(0, 2); }")
    try:
        sifg.stan(str(model))
    except Exception as e:  # its compiler or its sources are not here
        pytest.skip(str(e))
    check_gradient(served)
    assert served["values"] == ["sigma"]


class MadeUp:
    """Stands for bridgestan.StanModel: its names have the forms of CmdStan and BridgeStan, and it prints, as transformed data may."""

    every = ["z.real", "z.imag", "v.1.real", "v.2.imag", "pair:1", "pair:2.1", "x.1.2"]

    def __init__(self, *_):
        print("N = 3")

    def param_names(self, include_tp=False):
        return self.every

    def param_unc_names(self):
        return self.every

    def param_unc_num(self):
        return len(self.every)

    def name(self):
        return "made-up"

    def log_density_gradient(self, x):
        return -0.5 * float(x @ x), -x

    def param_constrain(self, x, include_tp=False):
        return x


def test_stan_names(served, monkeypatch):
    monkeypatch.setitem(sys.modules, "bridgestan", types.SimpleNamespace(StanModel=MadeUp))
    sifg.stan("model.stan")
    names = ["z.real", "z.imag", "v[0].real", "v[1].imag", "pair:1", "pair:2[0]", "x[0,1]"]
    assert served["values"] == served["names"] == names
    sifg.stan("model.stan", values=["pair", "x"])
    assert served["values"] == ["pair:1", "pair:2[0]", "x[0,1]"]
    assert served["constrain"](np.arange(7.0)[None]).tolist() == [[4, 5, 6]]
    with pytest.raises(ValueError, match="values has y; the model has z, v, pair, x"):
        sifg.stan("model.stan", values=["y"])


def test_model_may_print(tmp_path):
    """What a model prints while it is built goes to stderr."""
    script = tmp_path / "model.py"
    here = pathlib.Path(__file__).parent
    script.write_text(
        f"import sys, types\nsys.path[:0] = [{str(here)!r}, {str(here.parent)!r}]\nimport sifg\nfrom test_adapters import MadeUp\n"
        "sys.modules['bridgestan'] = types.SimpleNamespace(StanModel=MadeUp)\nsifg.stan('model.stan')\n"
    )
    done = subprocess.run([sys.executable, str(script)], input=b"", capture_output=True, timeout=120)
    assert done.returncode == 0 and b"N = 3" in done.stderr, done.stderr
    assert json.loads(done.stdout)["target"]["dim"] == len(MadeUp.every)


def test_stan_rejects(served, monkeypatch, capfd):
    """A rejected point does not end the program, and data may be a dict. The module is made up: BridgeStan compiles for minutes."""
    given = []

    class StanModel:
        def __init__(self, model, data):
            given.append(data)

        def log_density_gradient(self, x):
            if x[0] > 1:
                raise RuntimeError("normal_lpdf: Scale parameter is 0")
            return -0.5 * (x**2).sum(), -x

        def param_constrain(self, x, include_tp):
            if x[0] > 1:
                raise RuntimeError("rejected")
            return np.append(x, x.sum())

        def param_names(self, include_tp):
            return ["x.1", "x.2", "sum"]

        def param_unc_names(self):
            return ["x.1", "x.2"]

        def param_unc_num(self):
            return 2

        def name(self):
            return "made-up"

    monkeypatch.setitem(sys.modules, "bridgestan", types.SimpleNamespace(StanModel=StanModel))
    sifg.stan("model.stan", {"N": np.int64(2), "y": np.array([1.0, 2.0]), "names": [1]})
    assert json.loads(given[0]) == {"N": 2, "y": [1.0, 2.0], "names": [1]}
    check_rejected(served)
    assert "Scale parameter is 0" in capfd.readouterr().err
    assert served["values"] == ["x[0]", "x[1]", "sum"]
    np.testing.assert_array_equal(served["constrain"](np.array([[0.0, 1.0], [2.0, 0.0]])), [[0, 1, 1], [np.nan] * 3])
