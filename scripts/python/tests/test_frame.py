"""The package over its own pipes: a target answers, a sampler asks, and what they print goes to stderr."""

import io
import json
import subprocess
import sys
import textwrap
import types

import numpy as np
import pytest


def array(x):
    out = io.BytesIO()
    np.lib.format.write_array(out, np.asarray(x, "<f8"), version=(1, 0))
    return out.getvalue()


def line(message, x=None):
    if x is None:
        return json.dumps(message).encode() + b"\n"
    return json.dumps({**message, "array": True}).encode() + b"\n" + array(x)


def messages(data):
    """The messages in bytes, with their arrays."""
    stream, out = io.BytesIO(data), []
    while text := stream.readline():
        message = json.loads(text)
        if message.get("array"):
            message["array"] = np.lib.format.read_array(stream)
        out.append(message)
    return out


def serve(tmp_path, program, sent):
    script = tmp_path / "program.py"
    script.write_text(textwrap.dedent(program))
    done = subprocess.run([sys.executable, str(script)], input=sent, capture_output=True, timeout=120)
    return done, messages(done.stdout)


def test_target(tmp_path):
    program = """
        import sifg
        def f(x):
            print("evaluated", len(x))
            return -0.5 * (x**2).sum(axis=1), -x
        sifg.target(f, 2, names=["a", "b"], values=["e"], constrain=lambda x: x[:, :1] + 1, version="7")
    """
    x = np.arange(6.0).reshape(3, 2)
    done, said = serve(tmp_path, program, line({"ask": "score"}, x) + line({"ask": "values"}, x))
    assert done.returncode == 0 and b"evaluated 3" in done.stderr
    assert list(said[0].pop("depends")) == [str(tmp_path / "program.py")]
    assert said[0] == {"sifg": 1, "target": {"dim": 2, "names": ["a", "b"], "values": ["e"]}, "version": "7"}
    np.testing.assert_array_equal(said[1]["array"], np.column_stack([-0.5 * (x**2).sum(axis=1), -x]))
    np.testing.assert_array_equal(said[2]["array"], x[:, :1] + 1)


def test_error_is_told(tmp_path):
    done, said = serve(tmp_path, "import sifg\nsifg.target(lambda x: 1 / 0, 1)\n", line({"ask": "score"}, [[1.0]]))
    assert done.returncode == 1 and b"ZeroDivisionError" in done.stderr and len(said) == 1


@pytest.mark.parametrize(
    ("answer", "want"),
    {
        "x[:, 0].sum(), x": "value_and_grad returned log densities of shape (), want (3,)",
        "x[:, 0], x.T": "value_and_grad returned gradients of shape (2, 3), want (3, 2)",
        "x[:, 0]": "value_and_grad must return two arrays, log densities and their gradients, and returned ndarray",
    }.items(),
)
def test_shapes_are_told(tmp_path, answer, want):
    done, said = serve(tmp_path, f"import sifg\nsifg.target(lambda x: ({answer}), 2)\n", line({"ask": "score"}, np.ones((3, 2))))
    assert done.returncode == 1 and done.stderr.decode().endswith(want + "\n"), done.stderr
    assert len(said) == 1


def test_duplicate_names():
    import sifg

    with pytest.raises(ValueError, match="names has 'a' 2 times"):
        sifg.target(lambda x: (x[:, 0], x), 3, names=["a", "b", "a"])


def test_sampler(tmp_path):
    """What is yielded before a checkpoint's gradients are spent is told there, and the budget ends the sampler."""
    program = """
        import sifg
        def run(p):
            x, k = p.start, 0
            p.draws = lambda: x[:1] * 10
            while True:
                _, g = p.score(x)
                k += 1
                x = p.start + k * p.settings["step"]
                yield x
        sifg.sampler(run, "Mine", {"step": 0.5})
    """
    start = np.zeros((2, 1))
    job = {"dim": 1, "particles": 2, "iterations": 4, "gradients": 8, "seed": 1, "checkpoints": [2, 4], "settings": {}}
    answers = b"".join(line({"answer": "score"}, np.zeros((2, 2))) for _ in range(4))
    done, said = serve(tmp_path, program, line({"sifg": 1, "sampler": job}, start) + answers)
    assert done.returncode == 0, done.stderr
    assert [list(m)[0] for m in said] == ["sifg", "ask", "ask", "tell", "ask", "ask", "tell", "tell"]
    assert said[0]["sampler"] == {"title": "Mine", "settings": {"step": 0.5}}
    assert said[3]["iteration"] == 2 and said[3]["array"].tolist() == [[1.0], [1.0]]
    assert said[6]["tell"] == "draws" and said[6]["array"].tolist() == [[20.0]]
    assert said[7]["iteration"] == 4 and said[7]["array"].tolist() == [[2.0], [2.0]]


@pytest.mark.parametrize("caught", ["sifg.OutOfGradients", "Exception"])
def test_budget_ends_a_sampler_that_ignores_it(tmp_path, caught):
    """Its sample is the last before a score was refused."""
    program = f"""
        import sifg
        def run(p):
            x = p.start
            while True:
                try:
                    p.score(x)
                except {caught}:
                    x = x * float("nan")
                x = x + 1
                yield x
        sifg.sampler(run)
    """
    job = {"dim": 1, "particles": 2, "iterations": 2, "gradients": 4, "seed": 1, "checkpoints": [2], "settings": {}}
    sent = line({"sifg": 1, "sampler": job}, np.zeros((2, 1))) + 2 * line({"answer": "score"}, np.zeros((2, 2)))
    done, said = serve(tmp_path, program, sent)
    assert done.returncode == 0, done.stderr
    assert said[-1]["iteration"] == 2 and said[-1]["array"].tolist() == [[2.0], [2.0]]


def test_only_sample_after_the_budget(tmp_path):
    """A sampler that yields once, at its end, has that sample."""
    program = """
        import sifg
        def run(p):
            try:
                while True:
                    p.score(p.start)
            except sifg.OutOfGradients:
                yield p.start + 3
        sifg.sampler(run)
    """
    job = {"dim": 1, "particles": 2, "iterations": 1, "gradients": 2, "seed": 1, "checkpoints": [1], "settings": {}}
    sent = line({"sifg": 1, "sampler": job}, np.zeros((2, 1))) + line({"answer": "score"}, np.zeros((2, 2)))
    done, said = serve(tmp_path, program, sent)
    assert done.returncode == 0 and said[-1]["array"].tolist() == [[3.0], [3.0]]


def test_no_sample(tmp_path):
    """The start is no result of a sampler that ends early without a sample, and points of another shape are not taken for points."""
    job = {"dim": 2, "particles": 3, "iterations": 4, "gradients": 12, "seed": 1, "checkpoints": [4], "settings": {}}
    sent = line({"sifg": 1, "sampler": job}, np.zeros((3, 2))) + line({"answer": "score"}, np.zeros((3, 3)))
    for body, want in {
        "if False: yield": b"yielded no sample",
        "yield None": b"yielded None",
        "yield p.start + p.score(p.start.T)[1].T": b"shape (2, 3), want (m, 2)",
    }.items():
        done, said = serve(tmp_path, f"import sifg\ndef run(p):\n    {body}\nsifg.sampler(run)\n", sent)
        assert done.returncode == 1 and want in done.stderr, (body, done.stderr)
        assert not any("tell" in m for m in said)


def test_load(tmp_path):
    import sifg._load

    values = np.arange(24.0).reshape(2, 4, 3)
    np.save(tmp_path / "draws.npy", values)
    (tmp_path / "names.json").write_text('["beta[age]", "x[1]", "x[2]"]')  # no entries of an array
    assert {name: v.shape for name, v in sifg._load.draws(tmp_path).items()} == dict.fromkeys(["beta[age]", "x[1]", "x[2]"], (2, 4))
    (tmp_path / "names.json").write_text('["tau", "theta[0]", "theta[1]"]')
    draws = sifg._load.draws(tmp_path)
    np.testing.assert_array_equal(draws["tau"], values[:, :, 0])
    np.testing.assert_array_equal(draws["theta"], values[:, :, 1:])
    arviz = pytest.importorskip("arviz")
    import sifg

    assert sifg.load(tmp_path).posterior["theta"].shape == (2, 4, 2)
    assert arviz.summary(sifg.load(tmp_path)).loc["tau", "mean"] == pytest.approx(values[:, :, 0].mean())


def test_load_without_arviz(tmp_path, monkeypatch):
    import sifg

    monkeypatch.setitem(sys.modules, "arviz", None)
    with pytest.raises(ModuleNotFoundError, match="pip install arviz"):
        sifg.load(tmp_path)


def test_load_of_both_generations_of_arviz(tmp_path, monkeypatch):
    import sifg

    np.save(tmp_path / "draws.npy", np.zeros((2, 4, 1)))
    (tmp_path / "names.json").write_text('["tau"]')

    def before(posterior=None, prior=None):
        return posterior

    def since(data, *, name=None):
        return data["posterior"]

    for from_dict in before, since:
        monkeypatch.setitem(sys.modules, "arviz", types.SimpleNamespace(from_dict=from_dict))
        assert sifg.load(tmp_path)["tau"].shape == (2, 4)
