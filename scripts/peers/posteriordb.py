"""The twelve posteriors of experiments/posteriors/posteriordb in JAX: log densities of the same unconstrained coordinates.

    python posteriordb.py NAME        serves one to `sifg run posteriors --program "python posteriordb.py NAME"`
"""

import io
import json
import sys
import zipfile
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from jax.nn import log_sigmoid, sigmoid

jax.config.update("jax_enable_x64", True)
DATA = Path(__file__).parents[2] / "datasets/files/posteriordb/data"


def data(name):
    with zipfile.ZipFile(io.BytesIO((DATA / f"{name}.json.zip").read_bytes())) as z:
        return {k: np.array(v, float) for k, v in json.loads(z.read(z.namelist()[0])).items()}


def normal(sd):
    return lambda x: -0.5 * (x / sd) ** 2


def student(nu, location, scale):
    return lambda x: -(nu + 1) / 2 * jnp.log1p(((x - location) / scale) ** 2 / nu)


def flat(x):
    return 0 * x


def linear(y, columns, coefficients=flat, sigma=flat):
    """y ~ N(Xβ, σ²) of (β, log σ), by the least squares solution."""
    x = np.stack(columns, 1)
    fitted = np.linalg.lstsq(x, y, rcond=None)[0]
    rest, gram, n = np.sum((y - x @ fitted) ** 2), x.T @ x, len(y)

    def logp(u):
        b, eta = u[:-1] - fitted, u[-1]
        squares = rest + b @ gram @ b
        return jnp.sum(coefficients(u[:-1])) + sigma(jnp.exp(eta)) + (1 - n) * eta - squares / 2 * jnp.exp(-2 * eta)

    return logp, x.shape[1] + 1


def interaction(y, a, b, sigma=flat):
    return linear(y, [np.ones(len(y)), a, b, a * b], sigma=sigma)


def schools():
    d = data("eight_schools")

    def logp(u):
        z, mu, tau = u[:8], u[8], jnp.exp(u[9])
        r = (d["y"] - mu - tau * z) / d["sigma"]
        return student(1, 0, 5)(tau) + u[9] - mu**2 / 50 - jnp.sum(z**2 + r**2) / 2

    return logp, 10


def garch():
    d = data("garch")
    y, first = d["y"], d["sigma1"] ** 2

    def logp(u):
        mu, a0, a1 = u[0], jnp.exp(u[1]), sigmoid(u[2])
        b1 = sigmoid(-u[2]) * sigmoid(u[3])

        def step(v, r):
            return a0 + a1 * r**2 + b1 * v, v

        v = jax.lax.scan(step, first, y - mu)[1]
        jacobian = u[1] + log_sigmoid(u[2]) + 2 * log_sigmoid(-u[2]) + log_sigmoid(u[3]) + log_sigmoid(-u[3])
        return jacobian - jnp.sum(jnp.log(v) + (y - mu) ** 2 / v) / 2

    return logp, 4


def kernel(x, u):
    rho, alpha = jnp.exp(u[0]), jnp.exp(u[1])
    prior = 25 * u[0] - 4 * rho - alpha**2 / 8 + u[1]
    return alpha**2 * jnp.exp(-((x[:, None] - x) ** 2) / (2 * rho**2)), prior


def gp_regression():
    d = data("gp_pois_regr")

    def logp(u):
        k, prior = kernel(d["x"], u)
        sigma = jnp.exp(u[2])
        l = jnp.linalg.cholesky(k + sigma * jnp.eye(11))
        z = jax.scipy.linalg.solve_triangular(l, d["y"], lower=True)
        return prior + u[2] - sigma**2 / 2 - jnp.sum(jnp.log(jnp.diag(l))) - z @ z / 2

    return logp, 3


def gp_poisson():
    d = data("gp_pois_regr")

    def logp(u):
        k, prior = kernel(d["x"], u)
        f = jnp.linalg.cholesky(k + 1e-10 * jnp.eye(11)) @ u[2:]
        return prior - u[2:] @ u[2:] / 2 + jnp.sum(d["k"] * f - jnp.exp(f))

    return logp, 13


def mixture():
    y = data("low_dim_gauss_mix")["y"]

    def logp(u):
        mu, sd = jnp.stack([u[0], u[0] + jnp.exp(u[1])]), jnp.exp(u[2:4])
        share = jnp.stack([log_sigmoid(u[4]), log_sigmoid(-u[4])])
        parts = share - u[2:4] - ((y[:, None] - mu) / sd) ** 2 / 2
        return (jnp.sum(jax.scipy.special.logsumexp(parts, 1)) - (mu @ mu + sd @ sd) / 8 + 5 * jnp.sum(share) + u[1] + u[2]
                + u[3])

    return logp, 5


def ark():
    y = data("arK")["y"]
    columns = [np.ones(len(y) - 5)] + [y[5 - lag : len(y) - lag] for lag in range(1, 6)]
    return linear(y[5:], columns, normal(10), student(1, 0, 2.5))


def kidiq():
    d = data("kidiq")
    return interaction(d["kid_score"], d["mom_hs"], d["mom_iq"], student(1, 0, 2.5))


def earnings():
    d = data("earnings")
    return interaction(np.log(d["earn"]), d["height"], d["male"])


def mesquite():
    d = data("mesquite")
    logs = [np.log(d[k]) for k in ("diam1", "diam2", "canopy_height", "total_height", "density")]
    return linear(np.log(d["weight"]), [np.ones(len(d["weight"])), *logs, d["group"]])


def nes():
    d = data("nes1980")
    ages = [(d["age_discrete"] == k).astype(float) for k in (2, 3, 4)]
    return linear(d["partyid7"], [np.ones(len(ages[0])), d["real_ideo"], d["race_adj"], *ages, d["educ1"], d["gender"], d["income"]])


def blr():
    d = data("sblrc")
    return linear(d["y"], list(d["X"].T), normal(10), normal(10))


def diamonds():
    d = data("diamonds")
    x = d["X"][:, 1:]
    slopes, intercept = normal(1), student(3, 8, 10)
    return linear(d["Y"], [*(x - x.mean(0)).T, np.ones(len(x))],
                  lambda b: jnp.append(slopes(b[:-1]), intercept(b[-1])), student(3, 0, 10))


TWELVE = {"eight-schools": schools, "arK": ark, "garch": garch, "gp-regr": gp_regression, "gp-pois": gp_poisson, "kidscore": kidiq,
          "mesquite": mesquite, "gauss-mix": mixture, "earnings": earnings, "nes": nes, "blr": blr, "diamonds": diamonds}

if __name__ == "__main__":
    import sifg

    sifg.jax(*TWELVE[sys.argv[1]]())
