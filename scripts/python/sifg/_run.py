"""The command ``sifg`` from Python: a posterior of this process, runs, and what they left as data frames."""

from __future__ import annotations

import json
import os
import pathlib
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from . import _adapters, _load, _posterior, _target
from ._frame import Channel
from ._seen import digest


def _binary() -> str:
    """The command, from the environment variable SIFG or PATH."""
    named = os.environ.get("SIFG")
    found = shutil.which(os.path.expanduser(named or "sifg"))
    if found:
        return os.path.abspath(found)
    missing = f"SIFG={named} is no program" if named else "the command sifg is not on PATH"
    raise FileNotFoundError(
        f"{missing}: pip installs the Python side alone. Get a binary for Linux or macOS from"
        " https://github.com/semi-implicit/sifg/releases, or run"
        " `go install github.com/semi-implicit/sifg/experiments/sifg@latest`, or `make build` in a clone (bin/sifg)."
        " Put it on PATH, or name it by the environment variable SIFG"
    )


def _call(args: Sequence[str], environ: Mapping[str, str] | None = None) -> str:
    """Runs the command and returns its stdout. Its notes go to stderr as they come. Failed trials are a warning."""
    env = {**os.environ, **(environ or {})}
    with subprocess.Popen(
        [_binary(), *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, env=env
    ) as p:
        assert p.stdout is not None and p.stderr is not None
        out: list[str] = []
        reader = threading.Thread(target=lambda: out.append(p.stdout.read()))  # type: ignore[union-attr]
        reader.start()
        last = ""
        try:
            for text in p.stderr:
                print(text, end="", file=sys.stderr, flush=True)
                last = text.strip() or last
        except KeyboardInterrupt:
            p.terminate()
            raise
        reader.join()
    if p.returncode == 3:  # the others are there
        warnings.warn(last, stacklevel=3)
    elif p.returncode:
        raise RuntimeError(f"sifg {shlex.join(args)} ended with exit code {p.returncode}: {last}")
    return out[0]


class Results(NamedTuple):
    """What runs left, as data frames of pandas.

    Attributes:
        trials: a row a trial: how it ended, and its settings.
        trace: a row a measured value, with the experiment, protocol, problem, method and seed of its trial.
        timings: a row a trial: seconds, and on what it was computed.
    """

    trials: Any
    trace: Any
    timings: Any


def results(path: str | os.PathLike[str] = "results") -> Results:
    """Reads a results folder, of all its experiments, or the folder of one."""
    try:
        import pandas
        import pyarrow  # noqa: F401
    except ModuleNotFoundError as e:
        raise ModuleNotFoundError(f"sifg.results returns data frames: pip install pandas pyarrow ({e})") from e
    folder = pathlib.Path(path)
    files = sorted(folder.glob("trials.parquet")) or sorted(folder.glob("*/trials.parquet"))
    if not files:
        raise FileNotFoundError(f"there are no results in {folder}: no trials.parquet in it or in a folder of it")

    def read(name: str) -> Any:
        return pandas.concat([pandas.read_parquet(file.with_name(name)) for file in files], ignore_index=True)

    trials = read("trials.parquet")
    which = trials[["key", "experiment", "protocol", "problem", "method", "seed"]]
    return Results(trials, which.merge(read("trace.parquet"), on="key"), read("timings.parquet"))


def _flags(flags: Mapping[str, Any]) -> list[str]:
    """Keyword arguments as flags: methods=["sifg", "svgd"], seeds=range(1, 4), set={"step": 0.1}, force=True."""
    out = []
    for name, value in flags.items():
        flag = "--" + name.replace("_", "-")
        if isinstance(value, Mapping):
            for key, entry in value.items():
                out.append(f"{flag}={key}={entry if isinstance(entry, str) else json.dumps(entry)}")
        elif isinstance(value, bool):
            out.append(f"{flag}={str(value).lower()}")
        elif isinstance(value, (list, tuple, range)):
            out.append(f"{flag}={','.join(map(str, value))}")
        elif value is not None:
            out.append(f"{flag}={os.fspath(value) if isinstance(value, os.PathLike) else value}")
    return out


def run(*experiments: str, **flags: Any) -> Results:
    """Runs experiments, as ``sifg run`` does, prints what that prints, and returns what they left.

    Flags are keyword arguments: ``sifg.run("gmm", methods=["sifg", "svgd"], seeds=range(1, 4), scale="quick",
    set={"step": 0.1})``.
    """
    said = _call(["run", *experiments, *_flags(flags)])
    print(said, end="")
    return results(_folder(said))


def _folder(said: str) -> pathlib.Path:
    pages = re.findall(r"^page: (.*)$", said, re.MULTILINE)
    if not pages:
        raise RuntimeError("sifg run named no page of results")
    return pathlib.Path(pages[-1]).parent


def sample(
    model: Any,
    *data: Any,
    by: Callable[..., None] | None = None,
    dims: Mapping[str, Sequence[str]] | None = None,
    coords: Mapping[str, Sequence[Any]] | None = None,
    results: str | os.PathLike[str] | None = None,
    **arguments: Any,
) -> Any:
    """Draws from a posterior by NUTS, prints whether to take the draws, and returns them as ArviZ ``InferenceData``.

    Args:
        model: a NumPyro model, a PyMC model or the path of a ``.stan`` file; with ``by``, what that takes.
        data: and keyword arguments, what the adapter of the model takes: data, ``values=``, ``dim=``.
        by: the adapter, such as ``sifg.jax``, ``sifg.torch`` or ``sifg.target``; found out if absent.
        dims: names of the dimensions of variables, as ArviZ takes them; of a PyMC model and of NumPyro's plates they
            are known.
        coords: labels along dimensions.
        results: a folder to keep draws and page in, where the same posterior is not drawn again; a temporary one if
            absent.

    The group ``sample_stats`` has the log density ``lp`` of each draw. Further flags are those of :func:`run` on
    "posteriors".
    """
    if by is None:
        by = _adapter_of(model)
    with _target.caught() as found:
        by(model, *data, **arguments)
    served = found()
    probe = np.random.default_rng(0).normal(size=(4, served.dim))
    depends = {"the log density": digest([served.value_and_grad(probe), served.names, served.values])}
    known = _dims(model, data, arguments) if by is _adapters.numpyro else _labels(model)
    with tempfile.TemporaryDirectory() as scratch, _serving(served, depends, scratch) as address:
        folder = pathlib.Path(results or os.path.join(scratch, "results"))  # beside the socket
        command = shlex.join([sys.executable, os.path.abspath(_posterior.__file__)])
        said = _call(
            ["run", "posteriors", "--program", command, "--results", str(folder), "--jobs", "1"],
            {"SIFG_MODEL": address},
        )
        print(said.partition("\npage: ")[0])
        draws = next(folder.glob("**/draws/reference"))
        stats = _statistics(served, folder, np.load(draws / "draws.npy").shape[:2])
        return _load.load(draws, {**known[0], **(dims or {})}, {**known[1], **(coords or {})}, stats)


def _adapter_of(model: Any) -> Callable[..., None]:
    if isinstance(model, (str, os.PathLike)) and os.fspath(model).endswith(".stan"):
        return _adapters.stan
    if hasattr(model, "logp_dlogp_function"):
        return _adapters.pymc
    if callable(model) and "numpyro" in sys.modules:
        return _adapters.numpyro
    raise TypeError(
        "sifg.sample takes a NumPyro or PyMC model or the path of a .stan file;"
        " for others say by=sifg.jax, sifg.torch or sifg.target"
    )


def _dims(model: Any, data: Any, arguments: Mapping[str, Any]) -> tuple[dict[str, list[str]], dict[str, Any]]:
    """The plates of a NumPyro model as names of dimensions."""
    from numpyro import handlers

    given = {name: value for name, value in arguments.items() if name not in ("values", "version")}
    out = {}
    for name, site in handlers.trace(handlers.seed(model, 0)).get_trace(*data, **given).items():
        if site["type"] not in ("sample", "deterministic") or site.get("is_observed"):
            continue
        shape = np.shape(site["value"])
        batch = len(shape) - (site["fn"].event_dim if site["type"] == "sample" else 0)  # of the other it is not known
        names = [f"{name}_dim_{k}" for k in range(len(shape))]
        for frame in site.get("cond_indep_stack", ()):
            if 0 <= batch + frame.dim and shape[batch + frame.dim] == frame.size:
                names[batch + frame.dim] = frame.name
        out[name] = names
    return {name: names for name, names in out.items() if names}, {}


def _labels(model: Any) -> tuple[dict[str, list[str]], dict[str, Any]]:
    """The dimensions of a PyMC model and their labels."""
    dims = {name: list(names) for name, names in getattr(model, "named_vars_to_dims", {}).items() if None not in names}
    used = {name for names in dims.values() for name in names}
    return dims, {
        name: list(labels)
        for name, labels in getattr(model, "coords", {}).items()
        if name in used and labels is not None
    }


def _statistics(served: _target.Target, folder: pathlib.Path, shape: tuple[int, ...]) -> dict[str, np.ndarray]:
    """The log density of each draw, where the folder has the unconstrained draws of one posterior alone."""
    files = [file for file in folder.glob("store/posteriors/*/*/u.npy")]
    u = np.load(files[0]) if len(files) == 1 else np.empty((0, 0, served.dim))
    if u.shape[:2] != shape:
        return {}
    flat = u.reshape(-1, served.dim)
    lp = [np.asarray(served.value_and_grad(flat[k : k + 64])[0]) for k in range(0, len(flat), 64)]
    return {"lp": np.concatenate(lp).reshape(shape)}


class _serving:
    """Serves a target to all who connect to a socket in a folder, one question at a time."""

    def __init__(self, served: _target.Target, depends: dict[str, str], folder: str) -> None:
        self.served, self.depends, self.address = served, depends, os.path.join(folder, "model")
        self.turn = threading.Lock()
        self.failure: BaseException | None = None

    def __enter__(self) -> str:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.bind(self.address)
        self.socket.listen()
        threading.Thread(target=self._accept, daemon=True).start()
        return self.address

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        self.socket.close()
        if error is not None and self.failure is not None:
            raise self.failure

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:  # closed
                return
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with connection:
            try:
                self.served.serve(Channel(connection.fileno(), connection.fileno()), self.depends, self.turn)
            except (Exception, SystemExit) as e:
                self.failure = e
