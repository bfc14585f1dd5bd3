"""Targets written in other libraries. Each function serves its target until stdin ends (see :func:`sifg.target`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ._target import target


def _jax64() -> Any:
    import jax as library

    library.config.update("jax_enable_x64", True)
    return library


def jax(logp: Callable[[Any], Any], dim: int, names: Sequence[str] | None = None, version: str = "") -> None:
    """Serves a log density of one point (dim,) that JAX differentiates; it is computed in float64."""
    library = _jax64()
    both = library.jit(library.vmap(library.value_and_grad(logp)))
    target(both, dim, names, version=version)


def torch(logp: Callable[[Any], Any], dim: int, names: Sequence[str] | None = None, version: str = "") -> None:
    """Serves a log density of one point, a float64 tensor (dim,), that PyTorch differentiates."""
    import torch as library

    both = library.func.vmap(library.func.grad_and_value(logp))

    def evaluate(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        gradient, value = both(library.from_numpy(x))
        return value.detach().numpy(), gradient.detach().numpy()

    target(evaluate, dim, names, version=version)


def numpyro(model: Callable[..., Any], *args: Any, version: str = "", **kwargs: Any) -> None:
    """Serves a NumPyro model, called with these arguments. Its values are the constrained sites and the deterministic ones."""
    library = _jax64()
    from jax.flatten_util import ravel_pytree
    from numpyro.infer.util import initialize_model

    info = initialize_model(library.random.PRNGKey(0), model, model_args=args, model_kwargs=kwargs)
    flat, unravel = ravel_pytree(info.param_info.z)
    flat = np.asarray(flat, "<f8")

    def logp(u: Any) -> Any:
        return -info.potential_fn(unravel(u.astype(flat.dtype)))

    def sites(u: Any) -> dict[str, Any]:
        return dict(info.postprocess_fn(unravel(u)))

    first = {name: np.asarray(v) for name, v in sites(flat).items()}
    constrain = library.jit(library.vmap(lambda u: ravel_pytree([sites(u)[name] for name in first])[0]))
    both = library.jit(library.vmap(library.value_and_grad(logp)))
    names = _names({name: np.shape(v) for name, v in info.param_info.z.items()}, sort=True)
    target(both, flat.size, names, _names({k: v.shape for k, v in first.items()}), constrain, version)


def pymc(model: Any, version: str = "") -> None:
    """Serves a PyMC model. Its values are the constrained variables and the deterministic ones."""
    from pymc.blocking import DictToArrayBijection, RaveledVars

    f = model.logp_dlogp_function(ravel_inputs=True)
    f.set_extra_values({})
    point = DictToArrayBijection.map(model.initial_point())
    known = {v.name for v in model.unobserved_RVs}
    outs = [v for v in model.unobserved_value_vars if v.name in known]  # not tau_log__
    values = model.compile_fn(outs, inputs=model.value_vars, point_fn=True, on_unused_input="ignore")

    def evaluate(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        rows = [f(row) for row in x]
        return np.array([value for value, _ in rows]), np.array([gradient for _, gradient in rows])

    def of(row: np.ndarray) -> list[np.ndarray]:
        return values(DictToArrayBijection.rmap(RaveledVars(row, point.point_map_info)))

    def constrain(x: np.ndarray) -> np.ndarray:
        return np.array([np.concatenate([np.ravel(v) for v in of(row)]) for row in x])

    shapes = {v.name: np.shape(value) for v, value in zip(outs, of(point.data))}
    coordinates = {info[0]: info[1] for info in point.point_map_info}
    target(evaluate, point.data.size, _names(coordinates), _names(shapes), constrain, version)


def stan(model: str, data: str | None = None, version: str = "") -> None:
    """Serves a Stan model through BridgeStan: a ``.stan`` file, and its data as JSON or the name of a file of it."""
    import bridgestan

    m = bridgestan.StanModel(model, data)

    def evaluate(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        rows = [m.log_density_gradient(row) for row in x]
        return np.array([value for value, _ in rows]), np.array([gradient for _, gradient in rows])

    def constrain(x: np.ndarray) -> np.ndarray:
        return np.array([m.param_constrain(row, include_tp=True) for row in x])

    def zero_based(name: str) -> str:
        head, *index = name.split(".")
        return head + ("[" + ",".join(str(int(i) - 1) for i in index) + "]" if index else "")

    values = [zero_based(name) for name in m.param_names(include_tp=True)]
    names = [zero_based(name) for name in m.param_unc_names()]
    target(evaluate, m.param_unc_num(), names, values, constrain, version or m.name())


def _names(shapes: dict[str, tuple[int, ...]], sort: bool = False) -> list[str]:
    """Names of all entries of arrays: tau, theta[0], theta[1], …"""
    out = []
    for name in sorted(shapes) if sort else shapes:
        for index in np.ndindex(*shapes[name]):
            out.append(name + ("[" + ",".join(map(str, index)) + "]" if index else ""))
    return out
