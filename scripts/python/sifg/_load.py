from __future__ import annotations

import json
import pathlib
import re
from typing import Any

import numpy as np


def draws(folder: str | pathlib.Path) -> dict[str, np.ndarray]:
    """Reads the draws in a folder that ``sifg run posteriors --program`` wrote, as arrays (chains, draws, …) by variable."""
    folder = pathlib.Path(folder)
    array = np.load(folder / "draws.npy")
    names = json.loads((folder / "names.json").read_text())
    if array.ndim == 2:
        array = array[None]
    entries: dict[str, list[tuple[tuple[int, ...], int]]] = {}
    for column, name in enumerate(names):
        head, _, index = re.fullmatch(r"([^\[]*)(\[([\d,]+)\])?", name).groups()  # type: ignore[union-attr]
        entries.setdefault(head, []).append((tuple(map(int, index.split(","))) if index else (), column))
    out = {}
    for head, cells in entries.items():
        shape = tuple(1 + max(axis) for axis in zip(*(index for index, _ in cells)))
        values = np.empty(array.shape[:2] + shape)
        for index, column in cells:
            values[(slice(None), slice(None), *index)] = array[:, :, column]
        out[head] = values
    return out


def load(folder: str | pathlib.Path) -> Any:
    """Returns those draws as ArviZ ``InferenceData`` with the group ``posterior``, for ``az.summary`` and ``az.plot_pair``."""
    import arviz

    return arviz.from_dict(posterior=draws(folder))
