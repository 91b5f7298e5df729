"""Both estimators against sums over single samples in numpy. The score comes from the sample and not from the noise."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
import torch

from autograder.judge.arrays import Numbers, to_numpy
from autograder.judge.checks import Student, Tolerance, check, expect, expect_close, probe, tensor, variety
from autograder.judge.diagnosis import raises, symptom
from sandbox.wire import Array

ESTIMATE = Tolerance(1e-8, 1e-12)
LAYOUTS = ("contiguous", "transposed", "strided")


@probe
def estimates(student, cases):
    """The two gradients of every case `(estimator, name, c, mu, sigma, eps, how)`, each computed twice, whether the tensors
    of the caller are as they were, and the number of samples."""
    import torch

    build = {
        "squares": lambda x, c: (x * x) @ c,
        "waves": lambda x, c: torch.sin(x) @ c + x.prod(1),
        "first": lambda x, c: c[0] * x[:, 0] ** 3,
        "network": lambda x, c: torch.tanh(x @ c) + 2,
        "jumps": lambda x, c: torch.floor(x) @ c,
        "numpy": lambda x, c: torch.from_numpy(1.5 * (x.numpy() @ c.detach().numpy() > 0.2) + 1),
        "constant": lambda x, c: c[0].expand(len(x)),
    }
    answers = []
    for estimator, name, c, mu, sigma, eps, how in cases:
        held = [mu, sigma, c]
        if how:
            for t in held:
                t.requires_grad_()
                t.grad = torch.full_like(t, 0.5)
        arguments = (2 * mu, sigma / 2) if how == "computed" else (mu, sigma)
        flags = [t.requires_grad for t in (*arguments, c, eps)]

        def f(x, name=name, c=c):
            return build[name](x, c)

        found = []
        for options in ({"baseline": True}, {}) if estimator == "baseline" else ({}, {}):
            if estimator == "pathwise":
                pair = student.pathwise(f, *arguments, eps)
            elif estimator == "baseline":
                pair = student.score_function(f, *arguments, eps, *([] if options else [True]), **options)
            else:
                pair = student.score_function(f, *arguments, eps, *([False] if how else []))
            pair = list(pair) if isinstance(pair, (tuple, list)) else [pair]
            found.append([t.detach() if isinstance(t, torch.Tensor) else t for t in pair])
        kept = flags == [t.requires_grad for t in (*arguments, c, eps)] and eps.grad is None
        for t in held:
            kept = kept and (bool((t.grad == 0.5).all()) if how and t.grad is not None else not how and t.grad is None)
        answers.append({"first": found[0], "second": found[1], "kept": kept, "rows": len(eps)})
    return answers


class Estimate(msgspec.Struct):
    """What the probe says about one case."""

    first: list[Any]
    second: list[Any]
    kept: bool
    rows: int


FUNCTIONS: dict[str, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]] = {
    "squares": lambda x, c: (x**2 * c).sum(),
    "waves": lambda x, c: (x.sin() * c).sum() + x.prod(),
    "first": lambda x, c: x[0] ** 3 * c[0],
    "network": lambda x, c: (x * c).sum().tanh() + 2,
    "jumps": lambda x, c: (x.floor() * c).sum(),
    "numpy": lambda x, c: 1.5 * ((x * c).sum() > 0.2) + 1 + 0 * c[0],
    "constant": lambda x, c: c[0],
}


@dataclass(frozen=True)
class Case:
    estimator: str
    name: str
    c: Numbers
    mu: Numbers
    sigma: Numbers
    eps: Numbers
    how: str = ""

    @property
    def at(self) -> tuple[Numbers, Numbers]:
        return (2 * self.mu, self.sigma / 2) if self.how == "computed" else (self.mu, self.sigma)

    def truth(self) -> tuple[Numbers, Numbers]:
        mu, sigma = self.at
        samples = mu + sigma * self.eps
        f, c = FUNCTIONS[self.name], torch.from_numpy(np.array(self.c))
        points = torch.from_numpy(samples).requires_grad_(self.estimator == "pathwise")
        results = torch.stack([f(x, c) for x in points])
        if self.estimator == "pathwise":
            slopes = torch.autograd.grad(results.sum(), points)[0].numpy()
            return np.mean(slopes, axis=0), np.mean(slopes * self.eps, axis=0)
        values = results.tolist()
        parts = []
        for s, x in enumerate(samples):
            others = values[:s] + values[s + 1 :]
            weight = values[s] - (sum(others) / len(others) if self.estimator == "baseline" else 0.0)
            parts.append([weight * (x - mu) / sigma**2, weight * ((x - mu) ** 2 - sigma**2) / sigma**3])
        of_mu, of_sigma = np.mean(parts, axis=0)
        return of_mu, of_sigma


def case(rng: np.random.Generator, estimator: str, name: str, samples: int, size: int, how: str = "") -> Case:
    mu, c = (rng.choice([-1.0, 1.0], size) * rng.uniform(0.4, 1.6, size) for _ in range(2))
    return Case(estimator, name, c, mu, rng.uniform(0.4, 1.8, size), rng.normal(size=(samples, size)), how)


def sent(cases: list[Case]) -> list[list[Any]]:
    found = []
    for number, part in enumerate(cases):
        given = (part.c, part.mu, part.sigma, part.eps)
        tensors = [tensor(t, layout=LAYOUTS[(number + n) % 3]) for n, t in enumerate(given)]
        found.append([part.estimator, part.name, *tensors, part.how])
    return found


def expect_estimates(student: Student, cases: list[Case]) -> None:
    answers = student.run(estimates, sent(cases), returns=list[Estimate])
    expect(len(answers) == len(cases), "The estimates could not be read.")
    for part, answer in zip(cases, answers, strict=True):
        mu, sigma = part.at
        shown = {"f": part.name, "c": part.c, "mu": mu, "sigma": sigma, "eps": part.eps}
        call = "pathwise(f, mu, sigma, eps)" if part.estimator == "pathwise" else "score_function(f, mu, sigma, eps)"
        call = "score_function(f, mu, sigma, eps, baseline=True)" if part.estimator == "baseline" else call
        for which, pair in (("", answer.first), (" in a second call", answer.second)):
            message = f"{call} should return two tensors, the gradients with respect to mu and sigma{which}."
            expect(len(pair) == 2, message, call, shown, given=pair)
            for name, given, right in zip(("mu", "sigma"), pair, part.truth(), strict=True):
                what = f"The gradient with respect to {name} of {call}{which}"
                expect_close(given, tensor(right), what, shown, ESTIMATE)
        message = f"{call} changed .grad or requires_grad of an argument or of a parameter of f."
        expect(answer.kept, message, "the tensors of the caller", shown)


@check("The pathwise estimator", points=2)
def path(student: Student, rng: np.random.Generator) -> None:
    expect_estimates(student, [case(rng, "pathwise", "squares", 3, 2), case(rng, "pathwise", "waves", 4, 3)])


@check("The score-function estimator", points=2)
def score(student: Student, rng: np.random.Generator) -> None:
    expect_estimates(student, [case(rng, "score", "squares", 3, 2), case(rng, "score", "waves", 4, 3)])


@check("The leave-one-out baseline", points=2)
def leave_one_out(student: Student, rng: np.random.Generator) -> None:
    expect_estimates(student, [case(rng, "baseline", "squares", 3, 2), case(rng, "baseline", "waves", 4, 3)])


def special(rng: np.random.Generator, estimator: str, names: tuple[str, ...]) -> list[Case]:
    """All functions with few and many samples and columns; mu, noise and the factors of f at 0; equal samples."""
    few = 2 if estimator == "baseline" else 1
    sizes = ((few, 1), (few, 3), (2, 2), (5, 5), (6, 1), (40, 2))
    cases = [case(rng, estimator, names[n % len(names)], *size) for n, size in enumerate(sizes)]
    cases += [case(rng, estimator, name, 3, 3) for name in names]
    zeros = [case(rng, estimator, name, 4, 2) for name in names]
    for n, part in enumerate(zeros):
        part.mu[n % 2], part.eps[0], part.eps[1, 1], part.c[1] = 0.0, 0.0, -0.0, 0.0
    equal = case(rng, estimator, names[0], 3, 2)
    equal.eps[1:] = equal.eps[0]
    units = case(rng, estimator, names[0], 3, 2)
    units.eps[:] = rng.choice([-1.0, 1.0], (3, 2))
    narrow = case(rng, estimator, names[0], 3, 2)
    narrow.sigma[0] = 1e-3
    return [*cases, *zeros, equal, units, narrow]


@check("The pathwise estimator for other functions and sizes", points=1, hidden=True)
def other_paths(student: Student, rng: np.random.Generator) -> None:
    expect_estimates(student, special(rng, "pathwise", ("squares", "waves", "first", "network")))


@check("The score-function estimator for black boxes and other sizes", points=1, hidden=True)
def other_scores(student: Student, rng: np.random.Generator) -> None:
    expect_estimates(student, special(rng, "score", ("network", "jumps", "numpy", "first", "constant")))


@check("The baseline for black boxes and other sizes", points=1, hidden=True)
def other_baselines(student: Student, rng: np.random.Generator) -> None:
    expect_estimates(student, special(rng, "baseline", ("network", "jumps", "numpy", "first", "constant")))


def with_grad(rng: np.random.Generator) -> list[Case]:
    hows = ("leaves", "computed")
    cases = [case(rng, "pathwise", name, 3, 2, how) for how in hows for name in ("waves", "network")]
    names = ("network", "numpy")
    return cases + [case(rng, kind, name, 3, 2, how) for how in hows for kind in ("score", "baseline") for name in names]


@check("Arguments and parameters that require grad", points=1, hidden=True)
def requiring_grad(student: Student, rng: np.random.Generator) -> None:
    expect_estimates(student, with_grad(rng))


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    cases = []
    for estimator in ("pathwise", "score", "baseline"):
        for how in ("", "leaves", "computed"):
            names = ["squares", "waves", "first", "network"]
            names += [] if estimator == "pathwise" else ["jumps", "numpy", "constant"]
            size = int(rng.integers(1, 4))
            cases.append(case(rng, estimator, str(rng.choice(names)), int(rng.integers(2, 5)), size, how))
    student.run(estimates, sent(cases), returns=list[Estimate])


# -- what a wrong answer shows -------------------------------------------------------------------------------------------


def gradients(answer: dict[str, Any]) -> list[Any]:
    return [*answer["first"], *answer["second"]]


def scaled(factor: Callable[[int, int], float]) -> Callable[[Any, Any], bool]:
    """All gradients are the right ones times a factor that depends on the numbers of samples and columns."""

    def when(right: Any, given: Any) -> bool:
        for truth, mine in zip(right, given, strict=True):
            pairs = list(zip(gradients(truth), gradients(mine), strict=False))
            if len(gradients(mine)) != len(pairs) or not all(isinstance(g, Array) for _, g in pairs):
                return False
            for value, g in ((to_numpy(v), to_numpy(g)) for v, g in pairs):
                times = factor(truth["rows"], value.size)
                if g.shape != value.shape or not np.allclose(g, times * value, rtol=1e-7, atol=1e-11):
                    return False
        return True

    return when


symptom("writes-grad", lambda right, given: any(not mine["kept"] for mine in given))
for where in ("other-scores", "other-baselines", "requiring-grad"):
    symptom("samples-require-grad", raises("Can't call numpy() on Tensor"), check=where, raised=True)
for where in ("leave-one-out", "other-baselines"):
    symptom("baseline-includes-sample", scaled(lambda samples, columns: (samples - 1) / samples), check=where)
    symptom("baseline-wrong", scaled(lambda samples, columns: samples / (samples - 1)), check=where)
for where in ("path", "other-paths", "score", "other-scores", "leave-one-out", "other-baselines"):
    symptom("sum-over-samples", scaled(lambda samples, columns: samples), check=where)
    symptom("mean-taken-twice", scaled(lambda samples, columns: 1 / samples), check=where)
    symptom("mean-over-columns", scaled(lambda samples, columns: 1 / columns), check=where)
