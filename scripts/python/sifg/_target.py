from __future__ import annotations

import collections
import contextlib
import sys
from collections.abc import Callable, Sequence

import numpy as np

from ._frame import PROTOCOL, Channel, by_hand, real
from ._seen import seen

#: Points (n, d) to log densities (n,), up to a constant, and their gradients (n, d).
Evaluate = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]


def target(
    value_and_grad: Evaluate,
    dim: int,
    names: Sequence[str] | None = None,
    values: Sequence[str] | None = None,
    constrain: Callable[[np.ndarray], np.ndarray] | None = None,
    version: str = "",
) -> None:
    """Serves a target to the command ``sifg`` until its stdin ends.

    Args:
        value_and_grad: takes points (n, dim) on all of R^dim in float64 and returns their log densities (n,), up to a constant, and
            the gradients (n, dim). Of a parameter with bounds the coordinate is transformed, and the log density has the log Jacobian.
        dim: number of coordinates.
        names: of the coordinates; x[0], … if absent.
        values: names of the constrained values, such as ``tau`` or ``theta[3]``; without them the coordinates are the values.
        constrain: takes points (n, dim) and returns their constrained values (n, len(values)).
        version: what identifies the model besides what sifg looks at (see :func:`sifg.depends_on`). Another version is another
            posterior: what was computed of one is not used for the other.
    """
    if (values is None) != (constrain is None):
        raise ValueError("values and constrain come together")
    for what, given in {"names": names, "values": values}.items():
        for name, times in collections.Counter(given).items():
            if times > 1:
                raise ValueError(f"{what} has {name!r} {times} times")
            if not str(name).strip():
                raise ValueError(f"{what} has an empty name")
    if by_hand('sifg run posteriors --program "python model.py"'):
        return
    channel = Channel()
    about: dict[str, object] = {"dim": int(dim), "names": list(map(str, names)) if names is not None else [f"x[{i}]" for i in range(dim)]}
    if values is not None:
        about["values"] = list(map(str, values))
    channel.write({"sifg": PROTOCOL, "target": about, "version": version, "depends": seen()})
    checked = False
    with contextlib.suppress(BrokenPipeError):
        while (message := channel.read()) is not None:
            if message["ask"] == "score":
                answer = _scores(value_and_grad, message["array"])
                if not checked and len(answer) > 1:
                    _check_rows(value_and_grad, message["array"], answer)
                    checked = True
            else:
                assert constrain is not None and values is not None
                answer = _shaped(constrain(message["array"]), (len(message["array"]), len(values)), "constrain returned values")
            channel.write({"answer": message["ask"]}, answer)


def _scores(value_and_grad: Evaluate, x: np.ndarray) -> np.ndarray:
    both = value_and_grad(x)
    if not isinstance(both, (tuple, list)) or len(both) != 2:
        raise TypeError(f"value_and_grad must return two arrays, log densities and their gradients, and returned {type(both).__name__}")
    value = _shaped(both[0], x.shape[:1], "value_and_grad returned log densities")
    return np.column_stack([value, _shaped(both[1], x.shape, "value_and_grad returned gradients")])


def _check_rows(value_and_grad: Evaluate, x: np.ndarray, answer: np.ndarray) -> None:
    """Looks whether the answer to a point is the same among other points, but for rounding, that of float32 and of solvers included."""
    others = x[0] + 0.1 * np.arange(len(x))[:, None]
    was, now = answer[0], _scores(value_and_grad, others)[0]
    scale = np.full(len(was), max(1, np.abs(answer[:, 1:]).max(), 1e-3 * abs(was[0])))
    scale[0] = max(1, abs(was[0]))
    if not np.isfinite([was, now]).all() or (np.abs(now - was) <= 1e-3 * scale).all():
        return
    if np.array_equal(_scores(value_and_grad, x), answer):  # else it hangs on chance, which sifg sees
        sys.exit(
            f"the answer to a point hangs on the other points that are asked with it: the log density at {x[0].tolist()} is {was[0]:.6g} among"
            f" some and {now[0]:.6g} among others; value_and_grad must compute each row of that row alone"
        )


def _shaped(array: object, shape: tuple[int, ...], what: str) -> np.ndarray:
    array = real(array, what.rpartition(" returned ")[2])
    if array.shape != shape:
        raise ValueError(f"{what} of shape {array.shape}, want {shape}")
    return array
