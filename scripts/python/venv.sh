#!/usr/bin/env bash
# Makes the Python environment of the examples and tests in scripts/python/.venv, or adds what it lacks: JAX for CPUs, BlackJAX, NumPyro,
# PyMC, ArviZ, pytest and the package itself, about a gigabyte. Versions are those that the committed results of the protocol libraries name.
set -euo pipefail
cd "$(dirname "$0")"
[ -x .venv/bin/python ] || python3 -m venv .venv
.venv/bin/python -m pip install -q -r requirements.txt
.venv/bin/python -m pip install -q --no-deps -e .
