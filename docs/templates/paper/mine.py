import numpy as np
import sifg


def langevin(problem):
    x, rng, step = problem.start.copy(), np.random.default_rng(problem.seed), problem.settings["step"]
    while True:
        x = x + step * problem.score(x)[1] + np.sqrt(2 * step) * rng.normal(size=x.shape)
        yield x


sifg.sampler(langevin, title="Langevin", settings={"step": 0.02})
