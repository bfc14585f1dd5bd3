"""SVGD of BlackJAX. The bandwidth is that of sifg's SVGD, 0: BlackJAX's median heuristic, at every step."""

import blackjax
import jax
import jax.numpy as jnp
import numpy as np
import optax
from blackjax.vi.svgd import rbf_kernel, update_median_heuristic

import sifg


def svgd(problem):
    step, bandwidth = problem.settings["step"], problem.settings["bandwidth"]
    gradient = jax.grad(sifg.logdensity(problem))
    kernel = blackjax.svgd.build_kernel(optax.sgd(step))
    # Theirs is exp(−‖x−y‖²/length), sifg's exp(−‖x−y‖²/(2·bandwidth)).
    parameters = {"length_scale": 2 * bandwidth if bandwidth > 0 else 1.0}
    state = blackjax.svgd.init(jnp.asarray(problem.start), parameters, optax.sgd(step))
    median = jax.jit(update_median_heuristic)
    move = jax.jit(lambda state: kernel(state, gradient, rbf_kernel))
    while True:
        state = state if bandwidth > 0 else median(state)
        moved = move(state)
        particles = np.asarray(moved.particles)  # waits for the gradients
        if problem.over:
            return
        state = moved
        yield particles


if __name__ == "__main__":
    sifg.sampler(svgd, "SVGD (BlackJAX)", {"step": 0.1, "bandwidth": 0}, f"blackjax {blackjax.__version__}, jax {jax.__version__}")
