"""Which of the authors' scripts are run, how often, and with which values.

A run is one script with one seed. Problems, methods and metrics are named as in our records, settings are those of our
protocol `released`.
"""

from dataclasses import dataclass

COMMIT = "7716300c6ba89e6d3c0eac1445c94c61fafc5eb4"

MIXTURE_2D = "Toy Experiments/Mixture of Gaussians/2d/Gaussian_mixture_unequalvar_{}_initial_distribution_biased.py"
MIXTURE_10D = "Toy Experiments/Mixture of Gaussians/10d/Gaussian_mixture_higherdim_unequalvar_{}.py"
GAMMA = "Toy Experiments/Monomial Gamma/{}.py"
ICA = "Bayesian Independent Component Analysis/{}.py"
NETWORK = "Bayesian Neural Networks/{}.py"

# What cannot be run as released, and why. The command prints it.
LEFT_OUT = {
    "SGLD on ICA": "it reads draws that are not released, and calls a function that is nowhere defined",
    "SVGD and SGLD on the 10-D mixture and on monomial gamma": "no script is released",
    "Figure 5": "no script prints the fifth moments",
    "Ada-SIFG on monomial gamma with seed 7": "its particles become non-finite, and the script ends",
}


@dataclass(frozen=True)
class Run:
    figure: str  # of the paper
    problem: str
    method: str
    seed: int
    script: str
    kind: str  # which part of child.py runs it
    values: tuple = ()  # (name, value) of assignments that are changed
    adapts: int | None = None  # iteration after which the exponent p adapts
    every: int = 0  # outer iterations between entries of the list of KL
    entries: int = 0  # of the list that are filled
    metric: str = "knn-kl"  # what the list holds
    options: tuple = ()  # command line
    data: str = ""  # name of the data set

    @property
    def name(self):
        return f"{self.problem}-{self.method}-{self.seed}"


NEVER = 50_000_000


def mixture_2d(method, seed):
    denoising = "semi_impl_denoising_obj_autosigma"
    file, keys = {
        "l2-gf": ("base", dict(adapts=NEVER)),
        "ada-gwg": ("base", dict(adapts=5)),
        "sifg": (denoising, dict(values=(("semisigma_lr", "0.0"),))),
        "ada-sifg": (denoising, {}),
        "svgd": ("base_svgd", {}),
        "sgld": ("base_sgld", {}),
    }[method]
    return Run("Figures 1 and 2", "gmm-2d", method, seed, MIXTURE_2D.format(file), "toy", every=10, entries=231, **keys)


def mixture_10d(method, seed):
    denoising = "semi_impl_denoising_obj_autosigma_mindsmloss"
    file, keys = {
        "l2-gf": ("base", dict(adapts=NEVER)),
        "ada-gwg": ("base", dict(adapts=5)),
        "sifg": (denoising, dict(values=(("semisigma_lr", "0.0"),))),
        "ada-sifg": (denoising, {}),
    }[method]
    return Run("Figure 3 left", "gmm-10d", method, seed, MIXTURE_10D.format(file), "toy", every=200, entries=11, **keys)


def gamma(method, seed):
    base = dict(every=100, entries=201, metric="knn-kl-small")
    denoising = dict(every=200, entries=100)
    file, keys = {
        "l2-gf": ("Monomial_gamma_base_originalfromgwg", dict(adapts=NEVER, **base)),
        "ada-gwg": ("Monomial_gamma_base_originalfromgwg", dict(adapts=5000, **base)),
        "sifg": ("monomial_gamma_semi_impl_denoising_obj_autosigma_mindsmloss",
                 dict(values=(("semisigma_lr", "0.0"),), **denoising)),
        "ada-sifg": ("monomial_gamma_semi_impl_denoising_obj_autosigma_mindsmloss", denoising),
    }[method]
    return Run("Figure 3 right", "monomial-gamma", method, seed, GAMMA.format(file), "toy", **keys)


# The step of SGLD and SVGD with which the release prints Table 1: the scripts have one data set's.
SGLD_STEPS = {"power": "0.000005", "protein": "0.000005"}
SVGD_STEPS = {"diabetes": "0.0001", "protein": "0.0001", "wine": "0.0001"}


def network(problem, method, seed):
    data = "ccpp" if problem == "power" else problem
    file, kind, keys = {
        "ada-sifg": ("main_bnn", "network-2", {}),
        "sifg": ("main_bnn", "network-1", {}),
        "sifg-wide": ("main_bnn", "network-1", dict(values=(("semi_sigma", "torch.tensor(0.1)"),))),
        "ada-sifg-wide": ("main_bnn", "network-2", dict(
            values=(("semi_sigma", "torch.tensor(0.1)"), ("semisigma_lr", "torch.tensor(0.0001)")))),
        "l2-gf": ("main_bnn", "network-0", {}),
        "ada-gwg": ("main_bnn", "network-0", dict(options=("--p_adaptive",))),
        "svgd": ("svgd_bnn", "network", dict(values=(
            ("iter_n", "1"), ("path", repr(data)), ("svgd_particle_step_size", SVGD_STEPS.get(problem, "0.0005"))))),
        "sgld": ("sgld_bnn", "network", dict(
            values=(("iter_n", "1"), ("path", repr(data))),
            options=("--epsilon_0", SGLD_STEPS.get(problem, "0.0005")))),
    }[method]
    figure = "Figure 4 right" if method.startswith("sifg") or method.endswith("wide") else "Table 1"
    return Run(figure, problem, method, seed, NETWORK.format(file), kind, data=data, **keys)


def ica(particles, seed):
    """All methods of one try, in one process as in the script."""
    values = (("n_samples", str(particles)), ("n_tries", "1"))
    figure = "Figure 4 left" if particles == 10 else "Figure 4 middle"
    return Run(figure, f"meg-{particles}", "all", seed, ICA.format("meg_ica"), "ica", values=values)


def runs():
    """All runs, those first that say most."""
    ten, five, three = range(1, 11), range(1, 6), range(1, 4)
    toy = ("ada-sifg", "l2-gf", "ada-gwg", "sifg")
    out = []
    for half in (five, range(6, 11)):
        out += [mixture_2d(m, s) for s in half for m in (*toy, "sgld")]
        out += [mixture_10d(m, s) for s in half for m in toy]
    out += [network("boston", "ada-sifg", s) for s in five]
    out += [mixture_2d("svgd", s) for s in ten]
    out += [gamma(m, s) for s in three for m in toy]
    out += [ica(10, s) for s in three]
    out += [network(p, m, s) for m in ("svgd", "sgld") for p in PROBLEMS for s in (five if p == "boston" else three)]
    # With seeds 1 to 3 the RMSE of SGLD on Concrete differed. Ten further seeds, alone and by the same rule, say whether
    # it does.
    out += [network("concrete", "sgld", s) for s in range(4, 14)]
    out += [network(p, "ada-sifg", s) for s in three for p in PROBLEMS if p != "boston"]
    out += [network(p, m, s) for s in three for p in PROBLEMS for m in ("ada-gwg", "l2-gf")]
    out += [network("boston", m, s) for s in (4, 5) for m in ("ada-gwg", "l2-gf")]
    out += [ica(10, s) for s in range(4, 11)]
    out += [gamma(m, s) for s in range(4, 11) for m in toy if (m, s) != ("ada-sifg", 7)]
    out += [ica(100, s) for s in ten]
    out += [network("boston", m, s) for s in three for m in ("sifg", "sifg-wide", "ada-sifg-wide")]
    out.append(Run("Figure 4", "meg", "hmc", 1, ICA.format("hmc_gt"), "hmc"))
    return out


PROBLEMS = ("boston", "wine", "diabetes", "concrete", "power", "protein")
