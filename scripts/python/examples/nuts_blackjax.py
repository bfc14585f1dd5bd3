"""NUTS of BlackJAX: four chains from the first particles, each adapted by windows in its first part; the sample is n draws of the second
half of what the chains have so far, evenly spread."""

import blackjax
import jax
import jax.numpy as jnp
import numpy as np

import sifg

CHAINS = 4


def second_halves(chains):
    """The second half of what each chain has, (chains, m, d)."""
    length = min(map(len, chains))
    return np.array([chain[length // 2 : length] for chain in chains])


def spread(chains, n):
    """n draws of the second halves, evenly spread, chain by chain in turn."""
    halves = second_halves(chains)
    each = -(-n // len(halves))
    rows = halves[:, np.arange(each) * halves.shape[1] // each]
    return rows.transpose(1, 0, 2).reshape(-1, halves.shape[2])[:n]


def nuts(problem):
    yield problem.start  # its sample until the warm-up has ended
    log_density = sifg.logdensity(problem)
    # A tenth of the budget at ten gradients a draw, 100 to 1000 draws.
    warmup = int(np.clip(problem.gradients / CHAINS / 100, 100, 1000))
    adapt = blackjax.window_adaptation(blackjax.nuts, log_density, target_acceptance_rate=0.8)
    kernel = blackjax.nuts.build_kernel()
    move = jax.jit(lambda key, state, step, mass: kernel(key, state, log_density, step, mass)[0])
    keys = jax.random.split(jax.random.PRNGKey(problem.seed % 2**63), CHAINS)
    states, settings = [], []
    for k in range(CHAINS):
        (state, found), _ = adapt.run(keys[k], jnp.asarray(problem.start[k % problem.particles]), warmup)
        states.append(jax.block_until_ready(state))
        settings.append((found["step_size"], found["inverse_mass_matrix"]))
        if problem.over:
            return
    chains = [[] for _ in range(CHAINS)]
    for i in range(problem.gradients):
        for k in range(CHAINS):
            states[k] = move(jax.random.fold_in(keys[k], i), states[k], *settings[k])
            position = np.asarray(states[k].position)
            if problem.over:
                return
            chains[k].append(position)
        problem.draws = lambda: np.concatenate(second_halves(chains))
        yield lambda: spread(chains, problem.particles)


if __name__ == "__main__":
    sifg.sampler(nuts, "NUTS (BlackJAX)", version=f"blackjax {blackjax.__version__}, jax {jax.__version__}")
