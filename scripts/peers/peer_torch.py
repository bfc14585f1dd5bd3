"""One outer iteration after another in PyTorch 2, in its usual eager mode: MKL's products, autograd, fused optimisers.

Protocol: see peer_jax.py; the argument is the number of threads.
"""

import sys
import time

import torch
from torch.func import jvp

from problems import BNN, CASES, mixture, network, particles, regression, settings


def toy_score(o):
    w, means, sds = map(torch.from_numpy, mixture(o))
    const, prec = torch.log(w) - o["d"] * torch.log(sds), 1 / sds**2

    def score(x, i):
        diff = means - x[:, None, :]
        r = torch.softmax(const - 0.5 * diff.square().sum(-1) * prec, 1) * prec
        return torch.einsum("nk,nkd->nd", r, diff)

    return score


def bnn_score():
    X, y = map(torch.from_numpy, regression())
    o, f, h = BNN, BNN["features"], BNN["units"]
    X = torch.cat([X, torch.ones(len(X), 1)], 1)
    scale = o["rows"] / o["batch"]

    def score(x, i):
        rows = (i * o["batch"] + torch.arange(o["batch"])) % o["rows"]
        xb, yb = X[rows], y[rows]
        t = x.detach().requires_grad_()
        n = len(t)
        w1, w2, b2 = t[:, : (f + 1) * h].view(n, f + 1, h), t[:, (f + 1) * h : (f + 2) * h, None], t[:, -3]
        gamma, lam = t[:, -2].exp().clamp(max=o["clamp"]), t[:, -1].exp().clamp(max=o["clamp"])
        r = torch.bmm(torch.relu(torch.matmul(xb, w1)), w2).squeeze(-1) + b2[:, None] - yb
        log = (scale * 0.5 * (o["batch"] * t[:, -2] - gamma * r.square().sum(1)) + o["shape"] * t[:, -2] - o["rate"] * gamma
               + 0.5 * ((o["d"] - 2) * t[:, -1] - lam * t[:, :-2].square().sum(1)) + o["shape"] * t[:, -1] - o["rate"] * lam)
        return torch.autograd.grad(log.sum(), t)[0]

    return score


class Sampler:
    """The state of a run of one case."""

    def __init__(self, case):
        self.case, self.boston, self.i = case, "boston" in case, 0
        o = self.o = settings(case)
        self.score = bnn_score() if self.boston else toy_score(o)
        self.act = (lambda x: torch.nn.functional.leaky_relu(x, 0.1)) if self.boston else torch.tanh
        self.p = [torch.from_numpy(a).requires_grad_() for a in network(o["d"], o["hidden"])]
        if self.boston:
            self.opt = torch.optim.Adam(self.p, lr=o["lr"], fused=True)
        else:
            self.opt = torch.optim.SGD(self.p, lr=o["lr"], momentum=0.9, nesterov=True, fused=True)
        self.z = torch.from_numpy(particles(case))
        self.g2, self.sigma = None, o["sigma"]

    def f(self, x):
        w1, b1, w2, b2, w3, b3 = self.p
        h = self.act(torch.addmm(b1, x, w1))
        return torch.addmm(b3, self.act(torch.addmm(b2, h, w2)), w3)

    def descend(self, loss):
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()

    def train_dsm(self, w):
        self.descend((self.f(self.z + self.sigma * w) + w / self.sigma).square().sum() / len(self.z))

    def train_stein(self, s):
        e = torch.randint(0, 2, self.z.shape).float().mul_(2).sub_(1)
        v, je = jvp(self.f, (self.z,), (e,))
        self.descend((0.5 * v * v - s * v - e * je).sum() / len(self.z))

    def iterate(self):
        o, z = self.o, self.z
        if self.case.startswith("l2"):
            s = self.score(z, self.i)
            for _ in range(o["inner"]):
                self.train_stein(s)
            with torch.no_grad():
                v = self.f(z)
        elif not self.boston:  # the noise is drawn once an outer iteration
            w = torch.randn_like(z)
            for _ in range(o["inner"]):
                self.train_dsm(w)
            with torch.no_grad():
                x = z + self.sigma * w
                v = self.score(x, self.i) - self.f(x)
        else:  # σ is adapted at one draw; f and s are judged at two more
            for _ in range(o["inner"]):
                self.train_dsm(torch.randn_like(z))
            w = torch.randn_like(z)
            x = z + self.sigma * w
            s = self.score(x, self.i)
            with torch.no_grad():
                self.sigma += o["sigma_rate"] * float(((s - self.f(x)) * w).sum()) / z.numel()
            s = self.score(z + self.sigma * torch.randn_like(z), self.i)
            with torch.no_grad():
                v = s - self.f(z + self.sigma * torch.randn_like(z))
        with torch.no_grad():
            if self.boston:
                self.g2 = v * v if self.g2 is None else 0.9 * self.g2 + 0.1 * v * v
                v = v / (1e-6 + self.g2.sqrt())
            self.z = z + o["step"] * v
        self.i += 1


def main():
    torch.set_num_threads(int(sys.argv[1]))
    torch.manual_seed(0)
    ready = {}
    for line in sys.stdin:
        case = line.strip()
        if case not in ready:
            ready[case] = Sampler(case)
            for _ in range(CASES[case]):
                ready[case].iterate()
        start = time.perf_counter()
        for _ in range(CASES[case]):
            ready[case].iterate()
        print(1e3 * (time.perf_counter() - start) / CASES[case], bool(torch.isfinite(ready[case].z).all()), flush=True)


main()
