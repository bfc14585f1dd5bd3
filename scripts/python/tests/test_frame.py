"""The package over its own pipes: a target answers, a sampler asks, and what they print goes to stderr."""

import io
import json
import subprocess
import sys
import textwrap

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
    assert said[0] == {"sifg": 1, "target": {"dim": 2, "names": ["a", "b"], "values": ["e"]}, "version": "7"}
    np.testing.assert_array_equal(said[1]["array"], np.column_stack([-0.5 * (x**2).sum(axis=1), -x]))
    np.testing.assert_array_equal(said[2]["array"], x[:, :1] + 1)


def test_error_is_told(tmp_path):
    done, said = serve(tmp_path, "import sifg\nsifg.target(lambda x: 1 / 0, 1)\n", line({"ask": "score"}, [[1.0]]))
    assert done.returncode == 1 and b"ZeroDivisionError" in done.stderr and len(said) == 1


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
    (tmp_path / "names.json").write_text('["tau", "theta[0]", "theta[1]"]')
    draws = sifg._load.draws(tmp_path)
    np.testing.assert_array_equal(draws["tau"], values[:, :, 0])
    np.testing.assert_array_equal(draws["theta"], values[:, :, 1:])
    arviz = pytest.importorskip("arviz")
    import sifg

    assert sifg.load(tmp_path).posterior["theta"].shape == (2, 4, 2)
    assert arviz.summary(sifg.load(tmp_path)).loc["tau", "mean"] == pytest.approx(values[:, :, 0].mean())
