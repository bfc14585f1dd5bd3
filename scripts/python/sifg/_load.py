from __future__ import annotations

import json
import pathlib
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np


def draws(folder: str | pathlib.Path) -> dict[str, np.ndarray]:
    """Reads the draws in a folder that ``sifg run posteriors --program`` wrote, as arrays (chains, draws, …) by variable."""
    folder = pathlib.Path(folder)
    array = np.load(folder / "draws.npy")
    names = json.loads((folder / "names.json").read_text())
    if array.ndim == 2:
        array = array[None]
    arrays: dict[str, dict[tuple[int, ...], int]] = {}
    for column, name in enumerate(names):
        found = re.fullmatch(r"([^\[]*)\[(\d+(?:,\d+)*)\]", name)
        head, index = (found[1], tuple(map(int, found[2].split(",")))) if found else (name, ())
        arrays.setdefault(head, {})[index] = column
    out = {}
    for head, cells in arrays.items():
        shape = tuple(1 + max(axis) for axis in zip(*cells))
        if set(cells) != set(np.ndindex(*shape)):  # such as x[1] without x[0]
            out.update({names[column]: array[:, :, column] for column in cells.values()})
            continue
        out[head] = np.empty(array.shape[:2] + shape)
        for index, column in cells.items():
            out[head][(slice(None), slice(None), *index)] = array[:, :, column]
    return out


def load(
    folder: str | pathlib.Path,
    dims: Mapping[str, Sequence[str]] | None = None,
    coords: Mapping[str, Sequence[Any]] | None = None,
    sample_stats: Mapping[str, np.ndarray] | None = None,
) -> Any:
    """Returns those draws as ArviZ ``InferenceData`` with the group ``posterior``, for ``az.summary`` and ``az.plot_pair``.

    Dimensions have names and labels as ArviZ takes them; ``sample_stats`` is a group more, arrays (chains, draws).
    """
    try:
        import arviz
    except ModuleNotFoundError as e:
        raise ModuleNotFoundError(
            "sifg.load returns what ArviZ reads: pip install arviz. Without it, read draws.npy by numpy.load"
        ) from e
    groups = {"posterior": draws(folder)}
    named = {name: list(names) for name, names in (dims or {}).items() if name in groups["posterior"]}
    used = {name for names in named.values() for name in names}
    given: dict[str, Any] = {
        "dims": named,
        "coords": {name: list(labels) for name, labels in (coords or {}).items() if name in used},
    }
    given = {what: entries for what, entries in given.items() if entries}
    if sample_stats:
        groups["sample_stats"] = dict(sample_stats)
    try:
        return arviz.from_dict(**groups, **given)
    except TypeError:  # ArviZ 1 and later
        return arviz.from_dict(groups, **given)
