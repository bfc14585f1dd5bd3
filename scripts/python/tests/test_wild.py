"""What people's programs do: edits that a result hangs on, samples that change after the yield, stdin, threads and
other processes."""

import json
import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from test_frame import line, serve

import sifg

MODEL = "sifg.target(lambda x: (-0.5 * (x**2).sum(axis=1), -x), 1)\n"


def depends(folder, command=("model.py",), **environ):
    """What a program says that its answers hang on."""
    env = {**os.environ, **environ}
    done = subprocess.run([sys.executable, *command], cwd=folder, input=b"", capture_output=True, timeout=120, env=env)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[0])["depends"]


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A folder with a model that imports a module, and data that are read before and after the import of sifg."""
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    for name, text in {
        "model.py": "import early, helper, sifg\nlate = open(helper.name()).read()\nopen('fit.log', 'w').write('x')\n"
        + MODEL,
        "early.py": "y = open('early.csv').read()\n",
        "helper.py": "def name():\n    return 'la' + 'te.csv'\n",
        "early.csv": "1\n",
        "late.csv": "2\n",
        "fit.log": "",
    }.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def test_edits_are_seen(project):
    first = depends(project)
    assert sorted(first) == ["early.csv", "early.py", "helper.py", "late.csv", "model.py"]
    assert depends(project) == first
    for name in first:
        text = (project / name).read_text()
        (project / name).write_text(text + "\n")
        assert {k for k, v in depends(project).items() if v != first[k]} == {name}
        (project / name).write_text(text)


def test_values_are_seen(project):
    """What a function uses is known, however it was read: from the environment, by another program, in a folder."""
    (project / "data").mkdir()
    (project / "data" / "y.csv").write_text("1\n")
    (project / "model.py").write_text(
        "import os, pathlib, functools, subprocess, numpy as np\n"
        "FOLDER = pathlib.Path('data')\n"
        "early = float((FOLDER / 'y.csv').read_text())\n"
        "scale = float(os.environ.get('SCALE', '1'))\n"
        "said = np.frombuffer(subprocess.run(['cat', 'early.csv'], capture_output=True).stdout, np.uint8)\n"
        "def inner(x): return x * scale\n"
        "def f(p, x): return -0.5 * (inner(x)**2).sum(axis=1) * said.sum() * p, -x\n"
        "import sifg\n"
        "sifg.target(functools.partial(f, early), 1)\n"
    )
    first = depends(project)
    assert depends(project) == first and {"values that value_and_grad uses", "data/y.csv", "early.csv"} <= set(first)

    def changed():
        return {name for name, digest in depends(project).items() if digest != first.get(name)}

    os.environ["SCALE"] = "2"
    try:
        assert changed() == {"values that value_and_grad uses"}
    finally:
        del os.environ["SCALE"]
    (project / "early.csv").write_text("2\n")
    assert changed() == {"values that value_and_grad uses", "early.csv"}
    (project / "data" / "y.csv").write_text("2\n")
    assert "data/y.csv" in changed()


def test_module_is_seen(project):
    """python -m NAME, and a module of a package in another folder."""
    package = project / "lib" / "mine"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "model.py").write_text("import sifg\n" + MODEL)
    got = depends(
        project,
        ("-m", "mine.model"),
        PYTHONPATH=os.pathsep.join([str(project / "lib"), os.environ.get("PYTHONPATH", "")]),
    )
    assert list(got) == ["lib/mine/__init__.py", "lib/mine/model.py"]


def test_depends_on(project):
    (project / "folder" / "deep").mkdir(parents=True)
    (project / "folder" / "deep" / "x.bin").write_bytes(b"\0")
    (project / "model.py").write_text("import sifg\nsifg.depends_on('folder', environ=['SCALE'])\n" + MODEL)
    first = depends(project, SCALE="1")
    assert list(first) == ["$SCALE", "folder/deep/x.bin", "model.py"]
    assert depends(project, SCALE="2")["$SCALE"] != first["$SCALE"] != depends(project)["$SCALE"]
    with pytest.raises(FileNotFoundError, match="depends_on: there is no nowhere"):
        sifg.depends_on("nowhere")


def test_stan_is_seen(project):
    """The model, what it includes, and data as a file or a dict. The module is made up."""
    (project / "bridgestan.py").write_text("from test_adapters import MadeUp as StanModel\n")
    (project / "model.stan").write_text('functions {\n  #include "part.stan"\n}\n')
    (project / "part.stan").write_text("// one")
    (project / "data.json").write_text('{"N": 1}')
    path = os.pathsep.join([os.path.dirname(__file__), os.environ.get("PYTHONPATH", "")])

    def seen(data):
        (project / "model.py").write_text(f"import sifg\nsifg.stan('model.stan', {data})\n")
        got = depends(project, PYTHONPATH=path)
        return {name: got[name] for name in ("model.stan", "part.stan", "Stan's data", "data.json") if name in got}

    first = seen("'data.json'")
    assert set(first) == {"model.stan", "part.stan", "Stan's data", "data.json"}
    (project / "part.stan").write_text("// two")
    (project / "data.json").write_text('{"N": 2}')
    second = seen("'data.json'")
    assert second["part.stan"] != first["part.stan"] and second["data.json"] != first["data.json"]
    assert seen("{'N': 1}")["Stan's data"] != seen("{'N': 2}")["Stan's data"]


def test_arguments_are_seen():
    """The data that an adapter is given, of whatever kind."""
    from sifg import _seen

    def digest(value):
        _seen.note("x", value)
        return _seen._named.pop("x")

    values = [
        None,
        1,
        1.0,
        "1",
        [1, 2],
        {"a": 1},
        {"b": 1},
        np.arange(3),
        np.arange(3.0),
        np.arange(6.0).reshape(2, 3),
        np.array(["a", None], object),
        (np.zeros(2), {"y": np.ones(2)}),
    ]
    assert len({digest(v) for v in values}) == len(values)
    assert digest((np.zeros(2), {"y": [1, "a"]})) == digest([np.zeros(2), {"y": (1, "a")}])


def job(iterations=4, particles=2, checkpoints=None):
    return {
        "dim": 1,
        "particles": particles,
        "iterations": iterations,
        "gradients": iterations * particles,
        "seed": 1,
        "checkpoints": checkpoints or [iterations],
        "settings": {},
    }


def run(tmp_path, body, count=4, checkpoints=None, rows=2):
    """Starts a sampler from zeros, and answers zeros to count questions of rows points."""
    answers = count * line({"answer": "score"}, np.zeros((rows, 2)))
    text = "import numpy as np, sifg\n" + textwrap.dedent(body)
    sent = line({"sifg": 1, "sampler": job(count * rows // 2, 2, checkpoints)}, np.zeros((2, 1))) + answers
    return serve(tmp_path, text, sent)


def samples(said):
    return [m["array"].tolist() for m in said if m.get("tell") == "sample"]


def test_sample_is_copied_at_the_yield(tmp_path):
    """An array that goes on moving, and a start that is moved itself."""
    body = """
        def run(p):
            x = p.start{}
            while True:
                p.score(x)
                x += 1
                yield x
                x += 1000
                p.score(x)
                x -= 1000
        sifg.sampler(run)
    """
    for copy in "", ".copy()":
        done, said = run(tmp_path, body.format(copy), 4, [1, 4])
        assert done.returncode == 0, done.stderr
        assert samples(said) == [[[1.0], [1.0]], [[2.0], [2.0]]]


@pytest.mark.parametrize(
    ("body", "want"),
    {
        "for _ in range(p.iterations + 1): p.score(p.start)\n    yield p.start": "no sample before its gradients were spent: yield after",
        "p.score(p.start)\n    yield p.start + 1j": "the sample that the sampler yielded is complex, want real numbers",
        "p.score(p.start)\n    yield p.start[:1]": "yielded a sample of shape (1, 1), want (2, 1)",
        "p.score(p.start)\n    yield lambda: p.start[:1]": "yielded a sample of shape (1, 1), want (2, 1)",
        "p.score(p.start + 1j)\n    yield p.start": "whose score the sampler asked for is complex, want real numbers",
        "p.draws = p.start * 1j\n    p.score(p.start)\n    yield p.start": "the array of draws is complex, want real numbers",
    }.items(),
)
def test_samples_are_refused(tmp_path, body, want):
    done, said = run(tmp_path, f"def run(p):\n    {body}\nsifg.sampler(run)\n")
    assert done.returncode == 1 and want in done.stderr.decode(), done.stderr
    assert samples(said) == []


@pytest.mark.parametrize("yields", [True, False])
def test_second_refusal_ends_the_process(tmp_path, yields):
    """A sampler that catches everything ends, with the sample that it yielded."""
    done, said = run(
        tmp_path,
        f"""
        def run(p):
            x = p.start + 1
            if {yields}:
                yield x
            while True:
                try:
                    p.score(x)
                except:
                    continue
        sifg.sampler(run)
    """,
        checkpoints=[1, 4],
    )
    assert done.returncode == 1 and b"called again after OutOfGradients" in done.stderr
    assert samples(said)[-1:] == ([[[1.0], [1.0]]] if yields else [[[0.0], [0.0]]])
    assert [m.get("end") for m in said if m.get("tell") == "sample"] == [None, "process"][: 1 + yields]
    assert (b"yielded no sample" in done.stderr) != yields


THREADS = """
    import threading, time
    from concurrent.futures import ThreadPoolExecutor
    both = threading.Barrier(2)
    def run(p):
        def ask(_):
            both.wait()
            return p.score(p.start)
        read = p._channel.read
        p._channel.read = lambda: (time.sleep(0.5), read())[1]
        pool = ThreadPoolExecutor(2)
        {dies}
        yield p.start
    sifg.sampler(run)
"""


@pytest.mark.parametrize(
    "dies", ["list(pool.map(ask, range(2)))", "[f.exception() for f in [pool.submit(ask, k) for k in range(2)]]"]
)
def test_threads_are_told(tmp_path, dies):
    """Whether the sampler sees the error of its thread or not."""
    done, said = run(tmp_path, THREADS.format(dies=dies))
    assert done.returncode == 1, done.stderr
    assert done.stderr.decode().splitlines()[-1].startswith("RuntimeError: score was called by two threads at once"), (
        done.stderr
    )
    assert samples(said) == []


@pytest.mark.parametrize("how", ["fork", "spawn"])
def test_other_processes_are_told(tmp_path, how):
    body = f"""
        import multiprocessing, sys
        problem = None
        def forked(x):
            return problem.score(x)
        def spawned(x, p):
            return p.score(x)
        def run(p):
            global problem
            problem = p
            with multiprocessing.get_context({how!r}).Pool(1) as pool:
                pool.starmap(forked if {how!r} == "fork" else spawned, [(p.start,) if {how!r} == "fork" else (p.start, p)])
            yield p.start
        if __name__ == "__main__":
            sifg.sampler(run)
    """
    done, said = run(tmp_path, body)
    assert done.returncode == 1 and b"another process: call it in the sampler's own" in done.stderr, done.stderr
    assert len(said) == 1


@pytest.mark.parametrize(
    ("call", "ends"),
    {"__import__('subprocess').run(['cat'])": b"", "input('go on? ')": b"EOFError", "breakpoint()": b"BdbQuit"}.items(),
)
def test_stdin_is_empty(tmp_path, call, ends):
    """Other programs, input and a debugger read nothing of the protocol."""
    program = f"import sifg\ndef f(x):\n    {call}\n    return -0.5 * (x**2).sum(axis=1), -x\nsifg.target(f, 1)\n"
    done, said = serve(tmp_path, program, 2 * line({"ask": "score"}, [[1.0]]))
    assert ends in done.stderr and done.returncode == (1 if ends else 0), done.stderr
    assert len(said) == (1 if ends else 3)


@pytest.mark.parametrize(
    ("body", "told"),
    {
        "z = x - x.mean(axis=0); return -0.5 * (z**2).sum(axis=1), -z": True,
        "return np.full(len(x), -0.5 * (x**2).sum()), -x": True,
        "return -0.5 * (x**2).sum(axis=1), -x / np.linalg.norm(x, axis=0)": True,
        "return -0.5 * (x**2).sum(axis=1), -x": False,
        "return (-0.5 * (x**2).sum(axis=1) * (1 + 1e-6 * x[-1, 0])).astype(np.float32), -x.astype(np.float32)": False,
        "return np.random.default_rng().normal(size=len(x)), -x": False,
        "return np.where(x[:, 0] > x[-1, 0], -np.inf, 0), -x": False,
        "return -0.5 * (x**2).sum(axis=1), np.where(x > 1, np.nan, -x)": False,
        "assert 1.1 not in x; return -0.5 * (x**2).sum(axis=1), -x": False,
    }.items(),
)
def test_dependence_on_the_batch_is_told(tmp_path, body, told):
    """Each row is to be computed of that row alone; rounding and chance are no dependence."""
    x = np.array([[1.0], [2.0], [0.5]])
    program = f"import numpy as np, sifg\ndef f(x):\n    {body}\nsifg.target(f, 1)\n"
    done, said = serve(tmp_path, program, 2 * line({"ask": "score"}, x))
    assert (b"hangs on the other points" in done.stderr) == told == (done.returncode == 1), done.stderr
    assert len(said) == (1 if told else 3)


def test_complex_densities_are_told(tmp_path):
    done, said = serve(
        tmp_path, "import sifg\nsifg.target(lambda x: (x[:, 0] + 1j, x), 1)\n", line({"ask": "score"}, [[1.0]])
    )
    assert done.returncode == 1 and b"log densities is complex, want real numbers" in done.stderr and len(said) == 1


def test_empty_names_are_told():
    with pytest.raises(ValueError, match="names has an empty name"):
        sifg.target(lambda x: (x[:, 0], x), 2, names=["a", " "])


def test_jax_asks_no_more_after_the_budget(tmp_path):
    """What is mapped and compiled asks many times at once: all that is refused is not a number, and the process goes
    on."""
    pytest.importorskip("jax")
    body = """
        import jax
        def run(p):
            f = jax.jit(jax.vmap(jax.value_and_grad(sifg.logdensity(p))))
            for k in range(10):
                f(p.start)
                if k == 0:
                    yield p.start + 1
            assert p.over
        sifg.sampler(run)
    """
    done, said = run(tmp_path, body)
    assert done.returncode == 0, done.stderr
    assert samples(said) == [[[1.0], [1.0]]]
