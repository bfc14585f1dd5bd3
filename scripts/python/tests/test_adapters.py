"""Each adapter against a Gaussian, or a model with a positive parameter, whose log density and gradient are known."""

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
