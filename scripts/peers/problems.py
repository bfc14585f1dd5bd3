"""The problems of the comparison: sizes, settings and data, the same for every peer."""

import numpy as np

# 10-D mixture of five isotropic Gaussians, 1000 particles; the same in 2-D with a network trained for longer; Boston-sized
# Bayesian network, 100 particles.
TOY = dict(n=1000, d=10, hidden=32, inner=5, lr=1e-3, step=0.01, sigma=0.1)
LONG = dict(TOY, d=2, inner=500)
BNN = dict(n=100, features=13, units=50, rows=409, batch=100, hidden=300, inner=10, lr=1e-4, step=5e-4,
           sigma=0.01, sigma_rate=2e-5, clamp=50.0, shape=1.0, rate=0.1)
BNN["d"] = (BNN["features"] + 2) * BNN["units"] + 3

# What is compared: name, and the outer iterations of one timed call.
CASES = {"sifg-toy": 50, "l2-gf-toy": 25, "sifg-500": 1, "ada-sifg-boston": 4, "l2-gf-boston": 4}


def settings(case):
    return BNN if "boston" in case else LONG if "500" in case else TOY


def mixture(o):
    """Weights, means and standard deviations of a mixture of the shape of the experiment's."""
    r = np.random.default_rng(0)
    return np.full(5, 0.2, np.float32), r.uniform(-2, 2, (5, o["d"])).astype(np.float32), np.linspace(0.1, 0.5, 5, dtype=np.float32)


def regression():
    """Standardised features and targets: random numbers of the right shape."""
    r = np.random.default_rng(1)
    x = r.standard_normal((BNN["rows"], BNN["features"])).astype(np.float32)
    return x, (0.5 * r.standard_normal(BNN["rows"]) + np.tanh(x[:, 0])).astype(np.float32)


def particles(case):
    """Initial particles."""
    r = np.random.default_rng(2)
    if "boston" not in case:
        return r.standard_normal((TOY["n"], settings(case)["d"])).astype(np.float32)
    f, h = BNN["features"], BNN["units"]
    z = np.zeros((BNN["n"], BNN["d"]), np.float32)
    z[:, : f * h] = r.standard_normal((BNN["n"], f * h)) / np.sqrt(f + 1)
    z[:, (f + 1) * h : (f + 2) * h] = r.standard_normal((BNN["n"], h)) / np.sqrt(h + 1)
    z[:, -1] = np.log(0.1)
    return z


def network(d, hidden):
    """Weights and biases of d → hidden → hidden → d."""
    r, dims, out = np.random.default_rng(3), (d, hidden, hidden, d), []
    for a, b in zip(dims, dims[1:]):
        out += [(r.uniform(-1, 1, (a, b)) / np.sqrt(a)).astype(np.float32), (r.uniform(-1, 1, b) / np.sqrt(a)).astype(np.float32)]
    return out
