from __future__ import annotations

import contextlib
import dataclasses
import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from ._frame import PROTOCOL, Channel, aside, by_hand, real
from ._seen import note_values, seen


class OutOfGradients(BaseException):
    """The budget of gradients is spent. It ends the sampler, whose latest sample is its last. ``except Exception``
    lets it pass."""


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
        draws: all draws of a chain, (m, d), or a function that returns them, for those who judge more than the sample;
            None: none.
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
    _misuse: str = ""  # what ends the sampler, though the thread that did it may have died alone
    _owner: int = dataclasses.field(default_factory=os.getpid)
    _asking: threading.Lock = dataclasses.field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self._first = self.start.copy()

    def __reduce__(self) -> Any:
        raise RuntimeError(f"a problem cannot be sent to another process: {_ALONE}")

    def score(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Returns the log densities (m,), up to a constant, and their gradients (m, d) at points x (m, d), which count
        as m gradients.

        A single point (d,) is taken for (1, d). One thread asks at a time, in the sampler's own process.

        Raises:
            OutOfGradients: fewer than m are left. Who asks once more after that has had its last sample: the process
                ends.
            ValueError: x has another shape, or is complex.
            RuntimeError: another thread is asking, or this is another process.
        """
        if self._misuse:
            raise RuntimeError(self._misuse)
        if os.getpid() != self._owner:
            raise RuntimeError(f"score was called in another process: {_ALONE}")
        x = np.atleast_2d(real(x, "the array of points whose score the sampler asked for"))
        if x.ndim != 2 or x.shape[1] != self.dim:
            raise ValueError(f"the sampler asked for the score of an array of shape {x.shape}, want (m, {self.dim})")
        if not self._asking.acquire(blocking=False):
            self._misuse = "score was called by two threads at once: ask for the points of all in one call"
            raise RuntimeError(self._misuse)
        try:
            return self._ask(x)
        finally:
            self._asking.release()

    def _ask(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        while len(self.checkpoints) > 1 and self.spent + len(x) > self.checkpoints[0] * self.particles:
            self._tell()
        if self.spent + len(x) > self.gradients:
            if self.over:
                self._end()
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

    def _end(self) -> None:
        """Ends the process of a sampler that goes on after its budget: what it yielded before is its sample."""
        print("score was called again after OutOfGradients, so this process ends", file=sys.stderr)
        if self._latest is None:
            print(_NO_SAMPLE, file=sys.stderr)
        while self.checkpoints and self._latest is not None:
            self._tell({"end": "process"} if len(self.checkpoints) == 1 else {})
        sys.stderr.flush()
        os._exit(1)  # "except:" would catch what is raised

    def _take(self, sample: Any) -> None:
        """Keeps what was yielded: a copy, as the sampler may go on in the same array."""
        if self._misuse:
            raise RuntimeError(self._misuse)
        if sample is None:
            sys.exit("the sampler yielded None, want its present sample")
        if not self.over or self._latest is None:
            self._latest = sample if callable(sample) else self._checked(sample)

    def _checked(self, sample: Any) -> np.ndarray:
        try:
            sample = real(sample, "the sample that the sampler yielded")
        except (TypeError, ValueError) as e:
            sys.exit(f"the sampler yielded what is no sample: {e}")
        if sample.shape != self._first.shape:
            sys.exit(f"the sampler yielded a sample of shape {sample.shape}, want {self._first.shape}")
        return sample

    def _tell(self, more: Mapping[str, str] | None = None) -> None:
        assert self._channel is not None
        sample = self._first if self._latest is None else self._latest
        sample = self._checked(sample()) if callable(sample) else sample
        if len(self.checkpoints) == 1 and self.draws is not None:
            draws = self.draws() if callable(self.draws) else self.draws
            self._channel.write({"tell": "draws"}, real(draws, "the array of draws"))
        self._channel.write({"tell": "sample", "iteration": self.checkpoints.pop(0), **(more or {})}, sample)


_ALONE = "call it in the sampler's own, which counts the gradients"
_NO_SAMPLE = (
    "the sampler yielded no sample before its gradients were spent: yield after each step;"
    " the scores of a start before the first step count too"
)

#: A sampler yields its present sample (n, d), of which a copy is kept, or a function that returns it when it is
#: wanted, as often as it likes.
Run = Callable[[Problem], Iterator["np.ndarray | Callable[[], np.ndarray]"]]


def sampler(run: Run, title: str = "", settings: Mapping[str, object] | None = None, version: str = "") -> None:
    """Serves a sampler to the command ``sifg`` until its stdin ends.

    Args:
        run: a generator function. It asks for scores by :meth:`Problem.score` and yields its present sample from time
            to time. What it has yielded before its gradients reach a checkpoint is its sample there, and the start if
            it has yielded none. One that yields nothing before its gradients are spent has failed.
        title: in tables and figures; the name on the command line if absent.
        settings: names of settings of the methods in sifg, such as ``step``, with their defaults.
        version: what identifies the sampler besides what sifg looks at (see :func:`sifg.depends_on`), such as
            ``"blackjax 1.4"``.
    """
    if by_hand('sifg run gmm --sampler mine="python sampler.py"'):
        return
    note_values("the sampler", run)
    channel = Channel(*aside())
    about = {"title": title, "settings": dict(settings or {})}
    channel.write({"sifg": PROTOCOL, "sampler": about, "version": version, "depends": seen()})
    with contextlib.suppress(BrokenPipeError):
        while (message := channel.read()) is not None:
            problem = Problem(**message["sampler"], start=message["array"], _channel=channel)
            problem.checkpoints = list(problem.checkpoints)
            problem.settings = {**about["settings"], **problem.settings}  # type: ignore[dict-item]
            try:
                for sample in run(problem):
                    problem._take(sample)
                    if problem.over:  # what comes after may rest on scores that were refused
                        break
                if problem._latest is None and not problem.over:
                    sys.exit("the sampler ended before its gradients were spent, and yielded no sample")
            except OutOfGradients:
                pass
            except Exception as e:
                if problem._misuse:  # the cause of what came of it
                    raise RuntimeError(problem._misuse) from e
                raise
            if problem._latest is None:
                sys.exit(_NO_SAMPLE)
            while problem.checkpoints:
                problem._tell()


def logdensity(problem: Problem) -> Callable[[Any], Any]:
    """Returns the log density of a point (d,) as a function that JAX differentiates, maps and compiles.

    One value, with or without its gradient, is one gradient of the budget. Once that is spent (``problem.over``) the
    values are NaN.
    """
    import jax

    jax.config.update("jax_enable_x64", True)
    import jax.numpy as jnp

    turn = threading.Lock()  # JAX asks from threads of its own

    def ask(x: Any) -> tuple[np.ndarray, np.ndarray]:
        x = np.asarray(x)
        refused = np.full(x.shape[:-1], np.nan), np.full(x.shape, np.nan)
        with turn:
            if problem.over:
                return refused
            try:
                value, gradient = problem.score(x.reshape(-1, problem.dim))
            except OutOfGradients:
                return refused
        return value.reshape(x.shape[:-1]), gradient.reshape(x.shape)

    def both(x: Any) -> tuple[Any, Any]:
        shapes = jax.ShapeDtypeStruct(x.shape[:-1], jnp.float64), jax.ShapeDtypeStruct(x.shape, jnp.float64)
        return jax.pure_callback(ask, shapes, x.astype(jnp.float64), vmap_method="expand_dims")

    @jax.custom_vjp
    def log_density(x: Any) -> Any:
        return both(x)[0]

    log_density.defvjp(both, lambda gradient, cotangent: (cotangent * gradient,))
    return log_density
