"""One outer iteration after another in JAX: everything in one jit-compiled scan, no transfer and no Python inside.

Random numbers come from the default generator, which is as fast on a CPU as the others.

Protocol, as of every peer: a line "CASE" on stdin is answered by the milliseconds of an outer iteration of one timed call.
"""

import functools
import sys
import time

import jax
import jax.numpy as jnp
from jax import lax, random

from problems import BNN, CASES, mixture, network, particles, regression, settings


def toy_score(o):
    w, means, sds = mixture(o)

    def score(x, i):
        diff = means - x[:, None, :]
        logits = jnp.log(w) - o["d"] * jnp.log(sds) - 0.5 * jnp.sum(diff * diff, -1) / sds**2
        return jnp.einsum("nk,nkd->nd", jax.nn.softmax(logits) / sds**2, diff)

    return score


def bnn_score():
    X, y = map(jnp.asarray, regression())
    o, f, h = BNN, BNN["features"], BNN["units"]
    X = jnp.concatenate([X, jnp.ones((len(X), 1), jnp.float32)], 1)
    scale = o["rows"] / o["batch"]

    def log_density(theta, xb, yb):
        w1, w2, b2 = theta[: (f + 1) * h].reshape(f + 1, h), theta[(f + 1) * h : (f + 2) * h], theta[-3]
        gamma, lam = jnp.minimum(jnp.exp(theta[-2]), o["clamp"]), jnp.minimum(jnp.exp(theta[-1]), o["clamp"])
        r = jax.nn.relu(xb @ w1) @ w2 + b2 - yb
        return (scale * 0.5 * (o["batch"] * theta[-2] - gamma * jnp.sum(r * r)) + o["shape"] * theta[-2] - o["rate"] * gamma
                + 0.5 * ((o["d"] - 2) * theta[-1] - lam * jnp.sum(theta[:-2] ** 2)) + o["shape"] * theta[-1] - o["rate"] * lam)

    def score(x, i):
        rows = (i * o["batch"] + jnp.arange(o["batch"])) % o["rows"]
        return jax.vmap(jax.grad(log_density), (0, None, None))(x, X[rows], y[rows])

    return score


def forward(p, x, act):
    w1, b1, w2, b2, w3, b3 = p
    return act(act(x @ w1 + b1) @ w2 + b2) @ w3 + b3


def nesterov(p, g, state, t, lr):
    state = [0.9 * b + d for b, d in zip(state, g)]
    return [q - lr * (d + 0.9 * b) for q, d, b in zip(p, g, state)], state


def adam(p, g, state, t, lr):
    m, v = state
    m = [0.9 * a + 0.1 * d for a, d in zip(m, g)]
    v = [0.999 * a + 0.001 * d * d for a, d in zip(v, g)]
    step, corr = lr / (1 - 0.9 ** (t + 1)), lax.rsqrt(1 - 0.999 ** (t + 1))
    return [q - step * a / (jnp.sqrt(b) * corr + 1e-8) for q, a, b in zip(p, m, v)], (m, v)


def iterations(case):
    """Returns a compiled function of a state that does CASES[case] outer iterations, and the state."""
    boston = "boston" in case
    o = settings(case)
    score = bnn_score() if boston else toy_score(o)
    act = (lambda x: jnp.where(x > 0, x, 0.1 * x)) if boston else jnp.tanh
    f = functools.partial(forward, act=act)
    update = adam if boston else nesterov

    def dsm(p, z, w, sigma):
        return jax.grad(lambda p: jnp.sum((f(p, z + sigma * w) + w / sigma) ** 2) / len(z))(p)

    def stein(p, z, key, s):
        e = random.rademacher(key, z.shape, jnp.float32)

        def loss(p):
            v, je = jax.jvp(lambda x: f(p, x), (z,), (e,))
            return jnp.sum(0.5 * v * v - s * v - e * je) / len(z)

        return jax.grad(loss)(p)

    def move(z, v, g2, i):
        if not boston:
            return z + o["step"] * v, g2
        g2 = jnp.where(i == 0, v * v, 0.9 * g2 + 0.1 * v * v)
        return z + o["step"] * v / (1e-6 + jnp.sqrt(g2)), g2

    def outer(state, i):
        z, p, opt, g2, sigma, key = state
        key, *keys = random.split(key, o["inner"] + 4)
        s = score(z, i) if case.startswith("l2") else None
        w = random.normal(keys[0], z.shape)

        def inner(j, carry):
            p, opt = carry
            key = jnp.stack(keys)[j]
            if s is not None:
                g = stein(p, z, key, s)
            else:  # the toy draws its noise once an outer iteration
                g = dsm(p, z, random.normal(key, z.shape) if boston else w, sigma)
            return update(p, g, opt, i * o["inner"] + j, o["lr"])

        p, opt = lax.fori_loop(0, o["inner"], inner, (p, opt))
        if s is not None:
            v = f(p, z)
        elif not boston:
            x = z + sigma * w
            v = score(x, i) - f(p, x)
        else:  # σ is adapted at one draw; f and s are judged at two more
            w = random.normal(keys[-3], z.shape)
            x = z + sigma * w
            sigma = sigma + o["sigma_rate"] * jnp.sum((score(x, i) - f(p, x)) * w) / z.size
            v = score(z + sigma * random.normal(keys[-2], z.shape), i) - f(p, z + sigma * random.normal(keys[-1], z.shape))
        z, g2 = move(z, v, g2, i)
        return (z, p, opt, g2, sigma, key), None

    p = [jnp.asarray(a) for a in network(o["d"], o["hidden"])]
    zeros = [jnp.zeros_like(a) for a in p]
    z = jnp.asarray(particles(case))
    state = (z, p, (zeros, list(zeros)) if boston else zeros, jnp.zeros_like(z), jnp.float32(o["sigma"]), random.key(0))
    run = jax.jit(lambda s, first: lax.scan(outer, s, first + jnp.arange(CASES[case]))[0], donate_argnums=0)
    return run, jax.tree.map(jnp.copy, state)


def main():
    ready = {}
    for line in sys.stdin:
        case = line.strip()
        if case not in ready:
            run, state = iterations(case)
            ready[case] = [run, jax.block_until_ready(run(state, 0)), 1]
        run, state, calls = ready[case]
        start = time.perf_counter()
        state = jax.block_until_ready(run(state, calls * CASES[case]))
        print(1e3 * (time.perf_counter() - start) / CASES[case], bool(jnp.isfinite(state[0]).all()), flush=True)
        ready[case] = [run, state, calls + 1]


main()
