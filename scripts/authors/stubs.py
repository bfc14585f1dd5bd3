"""What stands in for packages that the authors' scripts import and that are not needed, or not to be had, here."""

import importlib.machinery
import sys
import types

import numpy as np
from scipy.spatial import cKDTree


class NearestNeighbourKL:
    """The estimate of KL(x ‖ y) from distances to k-th nearest neighbours, of the class BDKL_KnnK of the package ITE
    with its defaults: (d/n) Σ log(ν/ρ) + log(m/(n−1)), ν among y, ρ among x without the point itself (Wang, Kulkarni
    and Verdú, Divergence estimation for multidimensional densities via k-nearest-neighbor distances, 2009).
    """

    def __init__(self, k=3):
        self.k = k

    def estimation(self, x, y):
        """x is n × d, y is m × d, with more than k points each."""
        (n, d), m = x.shape, len(y)
        own = cKDTree(x).query(x, self.k + 1)[0][:, -1]  # the nearest is the point itself
        other = cKDTree(y).query(x, self.k)[0][:, -1]
        return d * np.mean(np.log(other / own)) + np.log(m / (n - 1))


class Drawing:
    """Answers every call, attribute, index and assignment with itself: what only draws."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, *args, **keys):
        return self

    def __iter__(self):
        return iter((self, self))

    def __getitem__(self, key):
        return self


def module(name, **content):
    """Puts a module in the place of a package."""
    made = types.ModuleType(name)
    made.__spec__ = importlib.machinery.ModuleSpec(name, None)  # PyTorch asks for it
    made.__dict__.update(content)
    sys.modules[name] = made
    return made


def install():
    """Puts the stubs in place: the estimator, and packages that draw."""
    module("ite", cost=types.SimpleNamespace(BDKL_KnnK=NearestNeighbourKL))
    for name in ("matplotlib", "matplotlib.pyplot", "matplotlib.pylab", "seaborn"):
        made = module(name, __path__=[])
        made.__getattr__ = lambda wanted: getattr(Drawing(), wanted)
