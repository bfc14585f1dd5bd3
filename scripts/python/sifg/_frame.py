"""Messages: a line of JSON, and an NPY array (version 1.0, ``<f8``, C order) where the line says ``"array": true``."""

from __future__ import annotations

import functools
import io
import json
import os
import sys
from typing import Any

import numpy as np
from numpy.lib import format as npy

PROTOCOL = 1


#: Whether this process serves its target or sampler itself.
serves = [True]


def aside() -> tuple[int, int]:
    """Returns descriptors of this process' stdin and stdout, which are for messages alone where it serves.

    Whatever is printed from now on goes to stderr, and stdin is empty: for ``input``, for a debugger and for other programs.
    """
    return _aside() if serves[0] else (0, 1)


@functools.cache
def _aside() -> tuple[int, int]:
    sys.stdout.flush()
    messages = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return messages


class Channel:
    """Two descriptors as messages, such as the stdin and stdout of this process."""

    def __init__(self, source: int, out: int) -> None:
        self._in = open(source, "rb", closefd=False)
        self._out = out
        self._heads: dict[bytes, tuple[int, ...]] = {}
        self._made: dict[tuple[int, ...], bytes] = {}

    def read(self) -> dict[str, Any] | None:
        """Returns the next message, its array under ``"array"``; None at the end of stdin."""
        line = self._in.readline()
        if not line:
            return None
        message = json.loads(line)
        if message.get("array"):
            message["array"] = self._read_array()
        return message

    def _exactly(self, n: int) -> bytes:
        data = self._in.read(n)
        if len(data) < n:
            raise EOFError("stdin ended in the middle of an array")
        return data

    def _read_array(self) -> np.ndarray:
        start = self._exactly(10)
        head = self._exactly(int.from_bytes(start[8:], "little"))
        shape = self._heads.get(head)
        if shape is None:
            text = io.BytesIO(start + head)
            npy.read_magic(text)
            shape, fortran, dtype = npy.read_array_header_1_0(text)
            if fortran or dtype != np.dtype("<f8"):
                raise ValueError(f"got an array of {dtype}, want <f8 in C order")
            self._heads[head] = shape
        out = np.empty(shape, "<f8")
        view, done = memoryview(out).cast("B") if out.size else memoryview(b""), 0
        while done < len(view):
            n = self._in.readinto(view[done:])
            if not n:
                raise EOFError("stdin ended in the middle of an array")
            done += n
        return out

    def write(self, message: dict[str, Any], array: np.ndarray | None = None) -> None:
        """Sends a message with its array, if it has one."""
        if array is None:
            self._all(json.dumps(message).encode() + b"\n")
            return
        array = np.ascontiguousarray(array, "<f8")
        head = self._made.get(array.shape)
        if head is None:
            text = io.BytesIO()
            npy.write_array_header_1_0(text, {"descr": "<f8", "fortran_order": False, "shape": array.shape})
            head = self._made[array.shape] = text.getvalue()
        line = json.dumps({**message, "array": True}).encode() + b"\n"
        self._all(b"".join((line, head, memoryview(array).cast("B") if array.size else b"")))

    def _all(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(self._out, view) :]


def real(array: object, what: str) -> np.ndarray:
    """Returns an array in float64, a copy; complex numbers are none."""
    array = np.asarray(array)
    if array.dtype.kind == "c":
        raise ValueError(f"{what} is complex, want real numbers")
    return np.array(array, "<f8", order="C")


def by_hand(how: str) -> bool:
    """Says how the program is meant to be started if a person started it at a terminal."""
    if sys.stdin is None or not sys.stdin.isatty():
        return False
    print(f"This program answers the command sifg, which starts it: {how}", file=sys.stderr)
    return True
