"""Targets written in other libraries. Each function serves its target until stdin ends (see :func:`sifg.target`)."""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np

from ._frame import aside
from ._seen import depends_on, note, note_values, stan_files
from ._target import target


def _jax64() -> Any:
    aside()
    import jax as library

    library.config.update("jax_enable_x64", True)
    return library


def jax(logp: Callable[[Any], Any], dim: int, names: Sequence[str] | None = None, version: str = "") -> None:
    """Serves a log density of one point (dim,) that JAX differentiates; it is computed in float64."""
    library = _jax64()
    both = library.jit(library.vmap(library.value_and_grad(logp)))
    note_values("logp", logp)
    target(both, dim, names, version=version)


def torch(logp: Callable[[Any], Any], dim: int, names: Sequence[str] | None = None, version: str = "") -> None:
    """Serves a log density of one point, a float64 tensor (dim,), that PyTorch differentiates.

    It is -inf where a distribution refuses its arguments by a ValueError.
    """
    aside()
    import torch as library

    note_values("logp", logp)
    one = library.func.grad_and_value(logp)
    many = library.func.vmap(one)

    def at(row: np.ndarray) -> tuple[float, np.ndarray]:
        gradient, value = one(library.from_numpy(row))
        return float(value), gradient.detach().numpy()

    def evaluate(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        try:
            gradient, value = many(library.from_numpy(x))
        except (RuntimeError, ValueError):  # what looks at its values, such as checks of arguments, takes one point
            return _each(at, x, ValueError)
        return value.detach().numpy(), gradient.detach().numpy()

    target(evaluate, dim, names, version=version)


def numpyro(
    model: Callable[..., Any], *args: Any, values: Sequence[str] | None = None, version: str = "", **kwargs: Any
) -> None:
    """Serves a NumPyro model, called with these arguments.

    Its values are the constrained sites and the deterministic ones, or those of them that ``values`` names.
    """
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
    first = {name: first[name] for name in _chosen(values, first)}
    constrain = library.jit(library.vmap(lambda u: ravel_pytree([sites(u)[name] for name in first])[0]))
    both = library.jit(library.vmap(library.value_and_grad(logp)))
    names = _names({name: np.shape(v) for name, v in info.param_info.z.items()}, sort=True)
    note("the model's arguments", (args, kwargs))
    note_values("the model", model)
    target(both, flat.size, names, _names({k: v.shape for k, v in first.items()}), constrain, version)


def pymc(model: Any, values: Sequence[str] | None = None, version: str = "") -> None:
    """Serves a PyMC model.

    Its values are the constrained variables and the deterministic ones, or those of them that ``values`` names.
    """
    aside()
    from pymc.blocking import DictToArrayBijection, RaveledVars

    if discrete := [v.name for v in model.free_RVs if np.dtype(v.dtype).kind != "f"]:
        raise ValueError(f"{', '.join(discrete)}: discrete, without a gradient: sum it out of the model, as pymc_extras.marginalize does")
    f = model.logp_dlogp_function(ravel_inputs=True)
    f.set_extra_values({})
    point = DictToArrayBijection.map(model.initial_point())
    known = {v.name for v in model.unobserved_RVs}
    every = {v.name: v for v in model.unobserved_value_vars if v.name in known}  # not tau_log__
    outs = [every[name] for name in _chosen(values, every)]
    compute = model.compile_fn(outs, inputs=model.value_vars, point_fn=True, on_unused_input="ignore")

    def evaluate(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        rows = [f(row) for row in x]
        return np.array([value for value, _ in rows]), np.array([gradient for _, gradient in rows])

    def of(row: np.ndarray) -> list[np.ndarray]:
        return compute(DictToArrayBijection.rmap(RaveledVars(row, point.point_map_info)))

    def constrain(x: np.ndarray) -> np.ndarray:
        return np.array([np.concatenate([np.ravel(v) for v in of(row)]) for row in x])

    shapes = {v.name: np.shape(value) for v, value in zip(outs, of(point.data))}
    coordinates = {info[0]: info[1] for info in point.point_map_info}
    observed = (model.rvs_to_values[v] for v in model.observed_RVs)
    note("observed data", [v.get_value() if hasattr(v, "get_value") else getattr(v, "data", None) for v in observed])
    target(evaluate, point.data.size, _names(coordinates), _names(shapes), constrain, version)


def stan(
    model: str, data: str | Mapping[str, Any] | None = None, values: Sequence[str] | None = None, version: str = ""
) -> None:
    """Serves a Stan model through BridgeStan: a ``.stan`` file, and its data as a dict, as JSON or the name of a file of it.

    Its values are the parameters and the transformed ones, or those of the variables that ``values`` names. The log
    density is -inf, and transformed parameters are NaN, where the model rejects a point.
    """
    aside()
    import bridgestan

    depends_on(*stan_files(model))
    if isinstance(data, Mapping):
        data = json.dumps(data, default=lambda array: np.asarray(array).tolist())
    elif data is not None and os.path.isfile(data):
        depends_on(data)
    if data is not None:
        note("Stan's data", data)
    m = bridgestan.StanModel(model, data)

    def evaluate(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return _each(m.log_density_gradient, x, RuntimeError)

    def constrain(x: np.ndarray) -> np.ndarray:
        out = np.full((len(x), len(columns)), np.nan)
        for i, row in enumerate(x):
            with contextlib.suppress(RuntimeError):
                out[i] = m.param_constrain(row, include_tp=True)[columns]
        return out

    def zero_based(name: str) -> str:  # z.1.real, pair:2.1 to z[0].real, pair:2[0]
        return re.sub(r"((?:\.\d+)+)", lambda m: "[" + ",".join(str(int(i) - 1) for i in m[1][1:].split(".")) + "]", name)

    every = m.param_names(include_tp=True)
    heads = [re.split("[.:]", name)[0] for name in every]
    chosen = _chosen(values, heads)
    columns = [i for i, head in enumerate(heads) if head in chosen]
    names = [zero_based(name) for name in m.param_unc_names()]
    target(evaluate, m.param_unc_num(), names, [zero_based(every[i]) for i in columns], constrain, version or m.name())


def _chosen(values: Sequence[str] | None, there: Collection[str]) -> list[str]:
    """The names of the variables that are values: all, or those that were asked for."""
    if absent := set(values or ()) - set(there):
        raise ValueError(f"values has {', '.join(sorted(absent))}; the model has {', '.join(dict.fromkeys(there))}")
    return list(dict.fromkeys(there)) if values is None else list(values)


def _each(
    f: Callable[[np.ndarray], tuple[float, np.ndarray]], x: np.ndarray, rejects: type[Exception]
) -> tuple[np.ndarray, np.ndarray]:
    """Log densities and gradients point by point: -inf and NaN where f raises, for the density is 0 there."""
    values, gradients = np.full(len(x), -np.inf), np.full(x.shape, np.nan)
    for i, row in enumerate(x):
        try:
            values[i], gradients[i] = f(row)
        except rejects as e:
            print(f"a point is rejected: {e}", file=sys.stderr)
    return values, gradients


def _names(shapes: dict[str, tuple[int, ...]], sort: bool = False) -> list[str]:
    """Names of all entries of arrays: tau, theta[0], theta[1], …"""
    out = []
    for name in sorted(shapes) if sort else shapes:
        for index in np.ndindex(*shapes[name]):
            out.append(name + ("[" + ",".join(map(str, index)) + "]" if index else ""))
    return out
