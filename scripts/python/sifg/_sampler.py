from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from ._frame import PROTOCOL, Channel, by_hand


class OutOfGradients(BaseException):
    """The budget of gradients is spent. It ends the sampler, whose latest sample is its last. ``except Exception`` lets it pass."""


@dataclasses.dataclass
class Problem:
    """What a sampler is given: the shape of the problem, the start, and the score of the target.

    Attributes:
        dim: number d of coordinates.
        particles: number n of points in a sample.
        iterations: of a flow, of n gradients each.
        gradients: that may be asked for in all, n·iterations.
        seed: of the trial.
        checkpoints: iterations at which the sample is judged, the last included.
        settings: of the method.
        start: (n, d), the same for all methods of a comparison.
        draws: all draws of a chain, (m, d), or a function that returns them, for those who judge more than the sample; None: none.
        spent: gradients asked for so far.
        over: the budget is spent.
    """

    dim: int
    particles: int
    iterations: int
    gradients: int
    seed: int
    checkpoints: list[int]
    settings: dict[str, Any]
    start: np.ndarray
    draws: np.ndarray | Callable[[], np.ndarray] | None = None
    spent: int = 0
    over: bool = False
    _channel: Channel | None = None
    _latest: np.ndarray | Callable[[], np.ndarray] | None = None

    def score(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Returns the log densities (m,), up to a constant, and their gradients (m, d) at points x (m, d), which count as m gradients.

        A single point (d,) is taken for (1, d).

        Raises:
            OutOfGradients: fewer than m are left.
            ValueError: x has another shape.
        """
        x = np.atleast_2d(np.asarray(x, "<f8"))
        if x.ndim != 2 or x.shape[1] != self.dim:
            raise ValueError(f"the sampler asked for the score of an array of shape {x.shape}, want (m, {self.dim})")
        while len(self.checkpoints) > 1 and self.spent + len(x) > self.checkpoints[0] * self.particles:
            self._tell()
        if self.spent + len(x) > self.gradients:
            self.over = True
            raise OutOfGradients
        self.spent += len(x)
        assert self._channel is not None
        self._channel.write({"ask": "score"}, x)
        message = self._channel.read()
        if message is None:
            raise SystemExit(0)
        answer = message["array"]
        return answer[:, 0], answer[:, 1:]

    def _tell(self) -> None:
        assert self._channel is not None
        sample = self._latest() if callable(self._latest) else self._latest
        sample = np.asarray(self.start if sample is None else sample, "<f8")
        if sample.shape != self.start.shape:
            raise ValueError(f"the sampler yielded a sample of shape {sample.shape}, want {self.start.shape}")
        if len(self.checkpoints) == 1 and self.draws is not None:
            self._channel.write({"tell": "draws"}, self.draws() if callable(self.draws) else self.draws)
        self._channel.write({"tell": "sample", "iteration": self.checkpoints.pop(0)}, sample)


#: A sampler yields its present sample (n, d), or a function that returns it, as often as it likes.
Run = Callable[[Problem], Iterator["np.ndarray | Callable[[], np.ndarray]"]]


def sampler(run: Run, title: str = "", settings: Mapping[str, object] | None = None, version: str = "") -> None:
    """Serves a sampler to the command ``sifg`` until its stdin ends.

    Args:
        run: a generator function. It asks for scores by :meth:`Problem.score` and yields its present sample from time to time. What it
            has yielded before its gradients reach a checkpoint is its sample there, and the start if it has yielded none.
        title: in tables and figures; the name on the command line if absent.
        settings: names of settings of the methods in sifg, such as ``step``, with their defaults.
        version: what identifies the sampler besides the files that the command names, such as ``"blackjax 1.4"``.
    """
    if by_hand('sifg run gmm --sampler mine="python sampler.py"'):
        return
    channel = Channel()
    about = {"title": title, "settings": dict(settings or {})}
    channel.write({"sifg": PROTOCOL, "sampler": about, "version": version})
    with contextlib.suppress(BrokenPipeError):
        while (message := channel.read()) is not None:
            problem = Problem(**message["sampler"], start=message["array"], _channel=channel)
            problem.checkpoints = list(problem.checkpoints)
            problem.settings = {**about["settings"], **problem.settings}  # type: ignore[dict-item]
            with contextlib.suppress(OutOfGradients):
                for sample in run(problem):
                    if sample is None:
                        raise ValueError("the sampler yielded None, want its present sample")
                    if not problem.over or problem._latest is None:
                        problem._latest = sample
                    if problem.over:  # what comes after may rest on scores that were refused
                        break
                if problem._latest is None and not problem.over:
                    raise ValueError("the sampler ended before its gradients were spent, and yielded no sample")
            while problem.checkpoints:
                problem._tell()


def logdensity(problem: Problem) -> Callable[[Any], Any]:
    """Returns the log density of a point (d,) as a function that JAX differentiates, maps and compiles.

    One value, with or without its gradient, is one gradient of the budget. Once that is spent (``problem.over``) the values are NaN.
    """
    import jax

    jax.config.update("jax_enable_x64", True)
    import jax.numpy as jnp

    def ask(x: Any) -> tuple[np.ndarray, np.ndarray]:
        x = np.asarray(x)
        try:
            value, gradient = problem.score(x.reshape(-1, problem.dim))
        except OutOfGradients:
            return np.full(x.shape[:-1], np.nan), np.full(x.shape, np.nan)
        return value.reshape(x.shape[:-1]), gradient.reshape(x.shape)

    def both(x: Any) -> tuple[Any, Any]:
        shapes = jax.ShapeDtypeStruct(x.shape[:-1], jnp.float64), jax.ShapeDtypeStruct(x.shape, jnp.float64)
        return jax.pure_callback(ask, shapes, x.astype(jnp.float64), vmap_method="expand_dims")

    @jax.custom_vjp
    def log_density(x: Any) -> Any:
        return both(x)[0]

    log_density.defvjp(both, lambda gradient, cotangent: (cotangent * gradient,))
    return log_density
