"""Measures NUTS of this library, of NumPyro and of nutpie on the same posteriors: the table of docs/posteriors.md.

    python posteriors.py --ours PROGRAM [NAME|MODEL.py …]

PROGRAM is the command sifg. NAME is one of posteriordb.py (without any: all twelve), MODEL.py a program that calls sifg.numpyro or
sifg.jax. All three run four chains, 1000 iterations of warm-up and 1000 draws each, ours more where it takes more. A line of JSON is
printed for each posterior and sampler: gradients of the draws and of all (with the warm-up, and of ours with searches and checks), least
bulk effective sample size of a coordinate, R-hat, and CPU seconds with start and compilation.
"""

import argparse
import json
import os
import resource
import runpy
import subprocess
import sys
import tempfile
import types
from pathlib import Path

import numpy as np

CHAINS, WARMUP, DRAWS = 4, 1000, 1000
HERE = Path(__file__).resolve().parent


def target(name):
    """Returns the log density of a posterior, and its dimension."""
    import jax
    import numpyro.infer.util
    from jax.flatten_util import ravel_pytree

    jax.config.update("jax_enable_x64", True)
    if not name.endswith(".py"):
        from posteriordb import TWELVE

        return TWELVE[name]()
    found = []

    def of_model(model, *args):
        info = numpyro.infer.util.initialize_model(jax.random.PRNGKey(0), model, model_args=args)
        flat, unravel = ravel_pytree(info.param_info.z)
        found.append((lambda u: -info.potential_fn(unravel(u)), len(flat)))

    sys.modules["sifg"] = types.SimpleNamespace(jax=lambda logp, dim: found.append((logp, dim)), numpyro=of_model)
    sys.path.insert(0, str(Path(name).parent))
    runpy.run_path(name, run_name="__main__")
    return found[0]


def starts(logp, dim, seed):
    import jax

    both, random = jax.jit(jax.value_and_grad(logp)), np.random.default_rng(seed)
    out = []
    while len(out) < CHAINS:
        u = random.uniform(-2, 2, dim)
        if all(np.all(np.isfinite(v)) for v in both(u)):
            out.append(u)
    return np.array(out)


def numpyro(name):
    """Returns draws (chain, draw, coordinate), gradients of the draws, and of all."""
    import jax
    from numpyro.infer import MCMC, NUTS

    logp, dim = target(name)
    chains = MCMC(NUTS(potential_fn=lambda u: -logp(u)), num_warmup=WARMUP, num_samples=DRAWS, num_chains=CHAINS,
                  chain_method="sequential", progress_bar=False)
    key, start = jax.random.PRNGKey(1), starts(logp, dim, 1)
    chains.warmup(key, init_params=start, extra_fields=("num_steps",), collect_warmup=True)
    warm = int(chains.get_extra_fields()["num_steps"].sum())
    chains.run(key, extra_fields=("num_steps",))
    own = int(chains.get_extra_fields()["num_steps"].sum())
    return np.asarray(chains.get_samples(group_by_chain=True)), own, warm + own


def nutpie(name):
    import jax
    from nutpie import sample
    from nutpie.compiled_pyfunc import from_pyfunc

    logp, dim = target(name)
    both, count = jax.jit(jax.value_and_grad(logp)), 0

    def ask(u):
        nonlocal count
        count += 1
        value, gradient = both(u)
        return float(value), np.asarray(gradient)

    points = iter(starts(logp, dim, 1))
    model = from_pyfunc(dim, lambda: ask, lambda *_: lambda u: {"u": u}, [np.dtype("float64")], [(dim,)], ["u"],
                        make_initial_point_fn=lambda _: next(points))
    found = sample(model, draws=DRAWS, tune=WARMUP, chains=CHAINS, cores=1, seed=1, progress_bar=False)
    return found.posterior["u"].values, int(found.sample_stats["n_steps"].sum()), count


def ours(name, program):
    """Runs the command, and returns as the others what it kept, and the verdict."""
    word = Path(name).name if name.endswith(".py") else f"{HERE / 'posteriordb.py'} {name}"
    with tempfile.TemporaryDirectory() as folder:
        said = subprocess.run([program, "run", "posteriors", "--program", f"{sys.executable} {word}", "--seeds", "1", "--results", folder,
                               "--store", folder + "/store", "-j", "1"], cwd=Path(name).resolve().parent, check=True,
                              stdout=subprocess.PIPE, text=True).stdout
        draws = np.load(next(Path(folder).rglob("u.npy")))
        report = json.loads(next(Path(folder).rglob("report.json")).read_text())
    verdict = next(line.split(".")[0] for line in said.splitlines() if "use these draws" in line.lower())
    return draws, report["gradients"][0], report["asked"][0], verdict


def measure(name, sampler, program):
    who, verdict = resource.RUSAGE_SELF, None
    if sampler == "ours":
        draws, own, asked, verdict = ours(name, program)
        who = resource.RUSAGE_CHILDREN
    else:
        draws, own, asked = {"NumPyro": numpyro, "nutpie": nutpie}[sampler](name)
    used = resource.getrusage(who)
    import arviz  # after the time, of which it is no part

    data = arviz.convert_to_dataset({"u": draws})
    ess, rhat = (float(f(data)["u"].values.min() if f is arviz.ess else f(data)["u"].values.max()) for f in (arviz.ess, arviz.rhat))
    print(json.dumps({"posterior": Path(name).stem, "dim": draws.shape[2], "sampler": sampler, "draws": draws.shape[1], "rhat": rhat,
                      "ess": ess, "gradients": own, "all": asked, "cpu": used.ru_utime + used.ru_stime, "verdict": verdict}), flush=True)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--ours", default="sifg")
    options.add_argument("--sampler", choices=["ours", "NumPyro", "nutpie"], help="that one alone, in this process")
    options.add_argument("names", nargs="*")
    o = options.parse_args()
    if o.sampler:
        return measure(o.names[0], o.sampler, o.ours)
    if not o.names:
        from posteriordb import TWELVE

        o.names = list(TWELVE)
    env = dict(os.environ, JAX_PLATFORMS="cpu", OMP_NUM_THREADS="1")
    for name in o.names:
        for sampler in ("ours", "NumPyro", "nutpie"):
            subprocess.run([sys.executable, __file__, "--ours", o.ours, "--sampler", sampler, name], env=env)


main()
