import numpy as np
import sifg


def value_and_grad(x):  # points (n, 2) to log densities (n,) and gradients (n, 2): a is N(0, 1), b is N(a²/2, 1/4)
    a, b = x.T
    off = b - a**2 / 2
    return -(a**2) / 2 - 2 * off**2, np.stack([4 * off * a - a, -4 * off], axis=1)


def draws(n, rng):  # exact ones; where there are none, leave it out
    a = rng.normal(size=n)
    return np.stack([a, a**2 / 2 + rng.normal(size=n) / 2], axis=1)


sifg.target(value_and_grad, dim=2, names=["a", "b"], draws=draws)
