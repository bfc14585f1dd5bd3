"""NUTS of NumPyro: four chains from the first particles; the sample is as in nuts_blackjax.py."""

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
from nuts_blackjax import CHAINS, second_halves, spread
from numpyro.infer import NUTS

import sifg


def nuts(problem):
    yield problem.start  # its sample until the warm-up has ended
    log_density = sifg.logdensity(problem)
    warmup = int(np.clip(problem.gradients / CHAINS / 100, 100, 1000))
    kernel = NUTS(potential_fn=lambda x: -log_density(x))
    keys = jax.random.split(jax.random.PRNGKey(problem.seed % 2**63), CHAINS)
    states = [kernel.init(keys[k], warmup, jnp.asarray(problem.start[k % problem.particles]), (), {}) for k in range(CHAINS)]
    move = jax.jit(lambda state: kernel.sample(state, (), {}))
    chains = [[] for _ in range(CHAINS)]
    for i in range(problem.gradients):
        for k in range(CHAINS):
            states[k] = move(states[k])
            position = np.asarray(states[k].z)
            if problem.over:
                return
            if i >= warmup:
                chains[k].append(position)
        if i >= warmup:
            problem.draws = lambda: np.concatenate(second_halves(chains))
            yield lambda: spread(chains, problem.particles)


if __name__ == "__main__":
    sifg.sampler(nuts, "NUTS (NumPyro)", version=f"numpyro {numpyro.__version__}, jax {jax.__version__}")
