"""Changes values in the text of a script, and reads what it prints and logs. Without PyTorch."""

import logging
import re

LITERAL = r"""(?:torch\.tensor\()?["']?[\w.+-]+["']?\)?"""
STEP = re.compile(r"(?:iter:\[|t: )(\d+).*?rmse\w*: (\S+?),? \w*ll\w*: ?(\S+)")  # a log message of the networks
SIGMA = re.compile(r"tensor\(([\d.e-]+)\)")


def changed(source, name, value):
    """The source with another literal in the assignments to a name. Without one it is an error."""
    source, n = re.subn(rf"(?m)^([ \t]*{name}[ \t]*=[ \t]*){LITERAL}(?=[ \t]*(?:#.*)?$)", rf"\g<1>{value}", source)
    if n == 0:
        raise ValueError(f"the script has no assignment of a literal to {name}: is it the pinned commit?")
    return source


def source_of(path, run):
    """The script's text with the run's values."""
    text = path.read_text()
    values = run.values
    if not run.kind.startswith("network"):
        values += (("seed", str(run.seed)),)
    for name, value in values:
        text = changed(text, name, value)
    if run.adapts is not None:
        text, n = re.subn(r"(?m)^([ \t]*if i > )\d+:", rf"\g<1>{run.adapts}:", text)
        if n != 1:
            raise ValueError(f"{n} conditions on the outer iteration, want one: is it the pinned commit?")
    return text


class Steps(logging.Handler):
    """Keeps the numbers of log messages: iteration, RMSE, log likelihood, and which come after model selection."""

    def __init__(self):
        super().__init__()
        self.rows = []

    def emit(self, record):
        text = record.getMessage()
        if found := STEP.search(text):
            at, rmse, ll = int(found[1]), float(found[2]), float(found[3])
            if "after" in text:
                self.rows += [(at, "test-rmse", 0, rmse), (at, "test-nll", 0, -ll)]
            else:
                self.rows.append((at, "rmse", 0, rmse))  # after the move of iteration at, counted from 0


class LastSigma:
    """A standard output of which the last printed tensor is kept."""

    def __init__(self):
        self.value = None

    def write(self, text):
        if found := SIGMA.search(text):
            self.value = float(found[1])

    def flush(self):
        pass
