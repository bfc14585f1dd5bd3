"""What the answers of a program hang on, as far as this process can see: the files that it imported and read, and what
it names itself.

The command ``sifg`` puts the digests into the key of each result, so that an edit of one of them makes another result.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import hashlib
import inspect
import os
import pathlib
import re
import site
import sys
import sysconfig
import types
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

_opened: dict[str, bool] = {}  # files, and whether they were opened for writing
_named: dict[str, str] = {}  # digests by name
_open = True  # the first line is not written yet

_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def _audit(event: str, args: tuple[Any, ...]) -> None:
    if not _open or event not in ("open", "sqlite3.connect") or not isinstance(args[0], (str, bytes, os.PathLike)):
        return
    try:
        path = os.path.abspath(os.fsdecode(args[0]))
    except (OSError, ValueError):  # no such name can be
        return
    writes = event == "open" and bool((args[2] or 0) & _WRITES)
    _opened[path] = _opened.get(path, False) or writes


sys.addaudithook(_audit)


def depends_on(*paths: str | os.PathLike[str], environ: Iterable[str] = ()) -> None:
    """Says what else the answers hang on: files, folders, and environment variables by their names.

    What is imported from outside site-packages, and what is opened in Python between ``import sifg`` and the end of
    the script, is known. This is for the rest: what is read later, by another program, or by a library in C.
    """
    for path in map(pathlib.Path, paths):
        if not path.exists():
            raise FileNotFoundError(f"depends_on: there is no {path}")
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file() and "__pycache__" not in file.parts:
                _named[_short(os.path.abspath(file))] = _digest_of(file)
    for name in environ:
        note(f"${name}", os.environ.get(name))


def note(name: str, value: Any) -> None:
    """Adds a value, such as the data that an adapter was given."""
    _named[name] = digest(value)


def note_values(what: str, function: Any) -> None:
    """Adds the numbers, texts and arrays outside of a function that it and the functions that it calls name, whenever
    and wherever they were read."""
    values: dict[str, Any] = {}
    seen_before: set[int] = set()

    def walk(value: Any, name: str) -> None:
        value = inspect.unwrap(value) if callable(value) else value
        if id(value) in seen_before:
            return
        seen_before.add(id(value))
        if isinstance(value, functools.partial):
            walk(value.func, name)
            values[f"{name} of partial"] = [value.args, value.keywords]
        elif isinstance(value, types.MethodType):
            walk(value.__func__, name)
            values[f"{name} of self"] = getattr(value.__self__, "__dict__", None)
        elif isinstance(value, types.FunctionType):
            if _counts(os.path.abspath(value.__code__.co_filename)):
                with contextlib.suppress(ValueError):  # a variable of an outer function that has no value yet
                    closed = inspect.getclosurevars(value)
                    for inner, entry in {**closed.globals, **closed.nonlocals}.items():
                        walk(entry, f"{name}.{inner}")
        elif not isinstance(value, (type, types.ModuleType)):
            values[name] = value

    walk(function, what)
    values.pop(what, None)  # what is no function
    if values:
        note(f"values that {what} uses", values)


def digest(value: Any) -> str:
    """A digest of numbers, texts and arrays, and lists and dicts of them."""
    sha = hashlib.sha256()
    _update(sha, value)
    return sha.hexdigest()[:20]


def _update(sha: Any, value: Any) -> None:
    if isinstance(value, Mapping):
        for key, entry in value.items():
            _update(sha, str(key))
            _update(sha, entry)
    elif isinstance(value, (list, tuple)):
        for entry in value:
            _update(sha, entry)
    elif value is None or isinstance(value, (str, bytes, bool, int, float, complex)):
        sha.update(f"{type(value).__name__} {value!r};".encode())
    elif hasattr(value, "__array__"):
        try:
            array = np.asarray(value)
        except TypeError:  # a key of JAX's random numbers
            return
        sha.update(f"{array.dtype.str} {array.shape};".encode())
        if array.dtype == object:
            _update(sha, array.tolist())
        else:
            sha.update(np.ascontiguousarray(array).tobytes())


def seen() -> dict[str, str]:
    """Digests of all that is known, by name. What is opened afterwards is not noted."""
    global _open
    out = dict(_named)
    sources = [path for path in _modules() if _counts(path)]
    literals = [path for source in sources for path in _literals(source)]
    _open = False
    read = [path for path, written in _opened.items() if not written]
    for path in sources + [path for path in literals + read if not _opened.get(path)]:
        if _counts(path) and os.path.isfile(path):
            try:
                out[_short(path)] = _digest_of(path)
            except OSError as e:
                print(f"sifg cannot look at {path}: {e}", file=sys.stderr)
    return dict(sorted(out.items()))


def _modules() -> list[str]:
    """The files of what was imported, but for this package."""
    files = []
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if isinstance(file, str) and name.partition(".")[0] != __package__:
            files.append(os.path.abspath(file))
    return files


def _literals(source: str) -> list[str]:
    """The files that texts in a Python file name: those that it read before ``import sifg`` are among them."""
    if not source.endswith(".py"):
        return []
    try:
        tree = ast.parse(pathlib.Path(source).read_bytes())
    except (OSError, SyntaxError, ValueError):
        return []
    texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    texts = {text for text in texts if 0 < len(text) < 1000 and "\0" not in text and "\n" not in text}
    roots = [os.getcwd(), os.path.dirname(source)]
    folders = roots + [os.path.join(root, text) for root in roots for text in texts if os.path.isdir(text)]
    found = []
    for text in texts:
        if not text.endswith((".log", ".out", ".err")):
            paths = {os.path.abspath(os.path.join(folder, text)) for folder in folders}
            found += [path for path in paths if os.path.isfile(path)]
    return found


def _roots() -> tuple[str, ...]:
    """Folders of Python itself, of installed packages, of this one and of the system."""
    bases = {"base": sys.base_prefix, "platbase": sys.base_prefix}
    every = {
        **sysconfig.get_paths(),
        **{f"base {name}": path for name, path in sysconfig.get_paths(vars=bases).items()},
    }
    # "data" is the prefix itself, where people's own files may be
    paths = {path for name, path in every.items() if not name.endswith("data")}
    paths.update(getattr(site, "getsitepackages", list)())
    paths.add(os.path.dirname(__file__))
    paths.add(site.getusersitepackages())
    paths.update("/proc /sys /dev /etc /run /usr/lib /usr/lib64 /usr/share /usr/include /lib /lib64".split())
    return tuple(os.path.abspath(path) + os.sep for path in paths)


_ROOTS = _roots()


def _counts(path: str) -> bool:
    """Whether a file is a person's own: no part of Python, of a package or of the system, and no cache."""
    parts = pathlib.PurePath(_short(path)).parts
    own = not path.startswith(_ROOTS) and not {"site-packages", "dist-packages", "__pycache__"} & set(parts)
    return own and not any(part.startswith(".") and part != ".." for part in parts) and not path.endswith(".pyc")


def _short(path: str) -> str:
    """A path as from the working folder, where it is below that."""
    here = os.getcwd() + os.sep
    return path[len(here) :] if path.startswith(here) else path


def _digest_of(path: str | os.PathLike[str]) -> str:
    sha = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            sha.update(block)
    return sha.hexdigest()[:20]


def stan_files(model: str | os.PathLike[str]) -> list[pathlib.Path]:
    """A Stan file and those that it includes."""
    out, todo = [], [pathlib.Path(model)]
    while todo:
        path = todo.pop()
        if path in out or not path.is_file():
            continue
        out.append(path)
        text = path.read_text(errors="replace")
        for name in re.findall(r'^\s*#include\s*[<"]?([^\s<>"]+)', text, re.MULTILINE):
            todo.append(path.parent / name)
    return out
