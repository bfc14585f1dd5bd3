from __future__ import annotations

import collections
import contextlib
import dataclasses
import sys
import threading
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from ._frame import PROTOCOL, Channel, aside, by_hand, real, serves
from ._seen import note_values, seen

#: Points (n, d) to log densities (n,), up to a constant, and their gradients (n, d).
Evaluate = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]


def target(
    value_and_grad: Evaluate,
    dim: int,
    names: Sequence[str] | None = None,
    values: Sequence[str] | None = None,
    constrain: Callable[[np.ndarray], np.ndarray] | None = None,
    version: str = "",
    draws: Callable[[int, np.random.Generator], np.ndarray] | None = None,
) -> None:
    """Serves a target to the command ``sifg`` until its stdin ends.

    Args:
        value_and_grad: takes points (n, dim) on all of R^dim in float64 and returns their log densities (n,), up to a
            constant, and the gradients (n, dim). Of a parameter with bounds the coordinate is transformed, and the log
            density has the log Jacobian.
        dim: number of coordinates.
        names: of the coordinates; x[0], … if absent.
        values: names of the constrained values, such as ``tau`` or ``theta[3]``; without them the coordinates are the
            values.
        constrain: takes points (n, dim) and returns their constrained values (n, len(values)).
        version: what identifies the model besides what sifg looks at (see :func:`sifg.depends_on`). Another version is
            another posterior: what was computed of one is not used for the other.
        draws: takes a number n and a NumPy generator of random numbers, and returns n independent draws (n, dim) of the
            target, by which samples are then judged in the place of draws of NUTS.
    """
    target = Target(value_and_grad, dim, names, values, constrain, version, draws)
    if _caught is not None:
        _caught.append(target)
    elif not by_hand('sifg run posteriors --program "python model.py"'):
        note_values("value_and_grad", value_and_grad)
        note_values("constrain", constrain)
        note_values("draws", draws)
        target.serve(Channel(*aside()), seen())


@dataclasses.dataclass
class Target:
    """What :func:`target` was given."""

    value_and_grad: Evaluate
    dim: int
    names: Sequence[str] | None = None
    values: Sequence[str] | None = None
    constrain: Callable[[np.ndarray], np.ndarray] | None = None
    version: str = ""
    draws: Callable[[int, np.random.Generator], np.ndarray] | None = None

    def __post_init__(self) -> None:
        if (self.values is None) != (self.constrain is None):
            raise ValueError("values and constrain come together")
        for what, given in {"names": self.names, "values": self.values}.items():
            for name, times in collections.Counter(given).items():
                if times > 1:
                    raise ValueError(f"{what} has {name!r} {times} times")
                if not str(name).strip():
                    raise ValueError(f"{what} has an empty name")

    def serve(self, channel: Channel, depends: dict[str, str], turn: threading.Lock | None = None) -> None:
        """Answers questions until there are no more; where others answer too, one at a time."""
        names = [f"x[{i}]" for i in range(self.dim)] if self.names is None else list(map(str, self.names))
        about: dict[str, object] = {"dim": int(self.dim), "names": names}
        if self.values is not None:
            about["values"] = list(map(str, self.values))
        if self.draws is not None:
            about["draws"] = True
        channel.write({"sifg": PROTOCOL, "target": about, "version": self.version, "depends": depends})
        checked = False
        with contextlib.suppress(BrokenPipeError):
            while (message := channel.read()) is not None:
                x = message.get("array")
                with turn or contextlib.nullcontext():
                    if message["ask"] == "score":
                        answer = _scores(self.value_and_grad, x)
                        if not checked and len(answer) > 1:
                            _check_rows(self.value_and_grad, x, answer)
                            checked = True
                    elif message["ask"] == "draws":
                        assert self.draws is not None
                        made = self.draws(message["count"], np.random.default_rng(message.get("seed", 0)))
                        answer = _shaped(made, (message["count"], self.dim), "draws returned an array")
                    else:
                        assert self.constrain is not None and self.values is not None
                        answer = _shaped(self.constrain(x), (len(x), len(self.values)), "constrain returned values")
                channel.write({"answer": message["ask"]}, answer)


_caught: list[Target] | None = None


@contextlib.contextmanager
def caught() -> Iterator[Callable[[], Target]]:
    """What an adapter would serve, for this process."""
    global _caught
    _caught = []
    serves[0] = False
    try:
        yield lambda: found[0]
        if not _caught:
            raise TypeError("what was given serves no target: by= takes sifg.numpyro, sifg.jax and the like")
    finally:
        found, _caught = _caught, None
        serves[0] = True


def _scores(value_and_grad: Evaluate, x: np.ndarray) -> np.ndarray:
    both = value_and_grad(x)
    if not isinstance(both, (tuple, list)) or len(both) != 2:
        raise TypeError(
            "value_and_grad must return two arrays, log densities and their gradients,"
            f" and returned {type(both).__name__}"
        )
    value = _shaped(both[0], x.shape[:1], "value_and_grad returned log densities")
    return np.column_stack([value, _shaped(both[1], x.shape, "value_and_grad returned gradients")])


def _check_rows(value_and_grad: Evaluate, x: np.ndarray, answer: np.ndarray) -> None:
    """Looks whether the answer to a point is the same among other points, but for rounding, that of float32 and of
    solvers included."""
    others = x[0] + 0.1 * np.minimum(np.arange(len(x)), 3)[:, None]
    try:
        was, now = answer[0], _scores(value_and_grad, others)[0]
    except Exception as e:  # at points that nobody asked about
        print(f"the answer to a point among others could not be looked at: {e}", file=sys.stderr)
        return
    scale = np.full(len(was), max(1, np.abs([was[1:], now[1:]]).max(), 1e-3 * abs(was[0])))
    scale[0] = max(1, abs(was[0]))
    if not np.isfinite([was, now]).all() or (np.abs(now - was) <= 1e-3 * scale).all():
        return
    if np.array_equal(_scores(value_and_grad, x), answer):  # else it hangs on chance, which sifg sees
        sys.exit(
            "the answer to a point hangs on the other points that are asked with it: the log density at"
            f" {x[0].tolist()} is {was[0]:.6g} among some and {now[0]:.6g} among others;"
            " value_and_grad must compute each row of that row alone"
        )


def _shaped(array: object, shape: tuple[int, ...], what: str) -> np.ndarray:
    array = real(array, what.rpartition(" returned ")[2])
    if array.shape != shape:
        raise ValueError(f"{what} of shape {array.shape}, want {shape}")
    return array
