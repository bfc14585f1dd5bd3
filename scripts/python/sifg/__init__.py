"""Posteriors and samplers in Python for the command ``sifg`` (docs/programs.md).

A posterior is served by :func:`target`, or by an adapter of the library that it is written in::

    import sifg
    sifg.numpyro(model, data)  # the last line of model.py

    sifg run posteriors --program "python model.py"

A sampler is served by :func:`sampler`::

    sifg run gmm --sampler mine="python sampler.py"

From Python, :func:`sample` draws from a model of this process, :func:`run` runs experiments, and :func:`results` reads what they left.
"""

from ._seen import depends_on  # first: what is opened from here on is looked at
from ._adapters import jax, numpyro, pymc, stan, torch
from ._load import load
from ._run import Results, results, run, sample
from ._sampler import OutOfGradients, Problem, logdensity, sampler
from ._target import target

__all__ = [
    "OutOfGradients",
    "Problem",
    "Results",
    "depends_on",
    "jax",
    "load",
    "logdensity",
    "numpyro",
    "pymc",
    "results",
    "run",
    "sample",
    "sampler",
    "stan",
    "target",
    "torch",
]
