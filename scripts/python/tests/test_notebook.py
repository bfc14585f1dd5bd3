"""The cells of docs/python.ipynb run in order, with the command and the libraries that they use."""

import json
import os
import pathlib
import shutil

import pytest

ROOT = pathlib.Path(__file__).parents[3]
CELLS = json.loads((ROOT / "docs" / "python.ipynb").read_text(encoding="utf-8"))["cells"]
CODE = [cell for cell in CELLS if cell["cell_type"] == "code"]


def test_no_output_is_committed():
    assert len(CODE) == 5
    assert not any(cell["outputs"] or cell["execution_count"] for cell in CODE)


def test_notebook(monkeypatch, capfd):
    """What it draws and runs is there, and the posterior of eight schools is that of posteriordb."""
    for library in "numpyro", "arviz", "pandas", "pyarrow":
        pytest.importorskip(library)
    command = os.environ.get("SIFG") or shutil.which(ROOT / "bin" / "sifg")
    if not command:
        pytest.skip("the command is not here: make build")
    monkeypatch.setenv("SIFG", os.path.abspath(command))
    monkeypatch.chdir(ROOT / "docs")
    names = {"__name__": "__main__"}
    for k, cell in enumerate(CODE):
        exec(compile("".join(cell["source"]), f"cell {k + 1} of python.ipynb", "exec"), names)
    shutil.rmtree(names["folder"])

    posterior = names["idata"].posterior
    assert posterior["theta"].dims == ("chain", "draw", "school")
    assert float(posterior["tau"].mean()) == pytest.approx(3.60, abs=0.32)  # a tenth of its standard deviation
    assert names["idata"].sample_stats["lp"].shape == posterior["mu"].shape
    assert "Use these draws of NUTS." in capfd.readouterr().out
    assert sorted(names["gmm"].trials["method"]) == 3 * ["sifg"] + 3 * ["svgd"]
    assert set(names["gmm"].trials["status"]) == {"ok"} and len(names["energy"]) == 6 * 5
    assert len(names["last"].unstack()) > 50
