"""The penalty and its gradients against a rerun sample by sample, for critics that are built beside the student's code."""

from dataclasses import dataclass, field
from typing import Any

import msgspec
import numpy as np
import torch

from autograder.judge.arrays import Numbers
from autograder.judge.checks import TENSOR, Student, check, expect, expect_close, fail, probe, tensor, variety
from autograder.judge.diagnosis import symptom


@probe
def penalised(student, cases):
    """gradient_penalty for every case, its gradients with respect to the parameters, and what became of the arguments."""
    import torch

    def build(name, column, w1, w2):
        critics = {
            "network": lambda t: torch.tanh(t.flatten(1) @ w1) @ w2,
            "linear": lambda t: t.flatten(1) @ (w1 * w1).sum(1) + w2.sum(),
            "squares": lambda t: (t.flatten(1) ** 2 @ w1) @ w2,
            "relu": lambda t: torch.relu(t.flatten(1) @ w1) @ w2,
        }
        return lambda t: critics[name](t).reshape(-1, 1) if column else critics[name](t)

    answers = []
    for name, column, x, w1, w2, options, how in cases:
        parameters = [w1.requires_grad_(), w2.requires_grad_()]
        source = x
        if how != "plain":
            source.requires_grad_()
        if how == "computed":
            x = source * 1.0
        held = [source, *parameters] if how == "grad" else []
        for t in held:
            t.grad = torch.full_like(t, 0.5)
        flag = x.requires_grad
        penalty = student.gradient_penalty(build(name, column, w1, w2), x, **options)
        kept = x.requires_grad == flag and all(w.requires_grad for w in parameters)
        for t in [source, *parameters]:
            before = 0.5 if held else None
            after = None if t.grad is None else t.grad
            kept = kept and (after is None if before is None else after is not None and bool((after == before).all()))
        recorded = torch.is_tensor(penalty) and penalty.requires_grad and penalty.numel() == 1
        grads, to_x = [None, None], None
        if recorded:
            wanted = [*parameters, source] if source.requires_grad else parameters
            *grads, last = *torch.autograd.grad(penalty.reshape(()), wanted, allow_unused=True), None
            if source.requires_grad:
                *grads, to_x = grads
            grads = [torch.zeros_like(w) if g is None else g for g, w in zip(grads, parameters)]
        value = penalty.detach() if torch.is_tensor(penalty) else penalty
        answers.append({"penalty": value, "recorded": recorded, "grads": grads, "kept": kept, "free": to_x is None})
    return answers


class Penalised(msgspec.Struct):
    """What the probe says about one case."""

    penalty: Any
    recorded: bool
    grads: list[Any]
    kept: bool
    free: bool


@dataclass(frozen=True)
class Case:
    name: str
    x: Numbers
    w1: Numbers
    w2: Numbers
    column: bool = False
    options: dict[str, float] = field(default_factory=dict)
    how: str = "plain"

    @property
    def sent(self) -> list[Any]:
        return [self.name, self.column, tensor(self.x), tensor(self.w1), tensor(self.w2), self.options, self.how]

    @property
    def shown(self) -> dict[str, Any]:
        return {"x": self.x, "w1": self.w1, "w2": self.w2, **self.options}

    @property
    def words(self) -> str:
        output = " with output (B, 1)" if self.column else ""
        return f"the critic {self.name!r}{output} and x of shape {self.x.shape}"

    def truth(self) -> tuple[torch.Tensor, list[torch.Tensor]]:
        """The penalty and the gradients of w1 and w2, from formulas for the gradient of each critic at one sample."""
        w1, w2 = (torch.from_numpy(w.copy()).requires_grad_() for w in (self.w1, self.w2))
        target = self.options.get("target", 1.0)
        terms = []
        for sample in torch.from_numpy(self.x).flatten(1):
            gradient = {
                "network": lambda s: w1 @ ((1 - torch.tanh(s @ w1) ** 2) * w2),
                "linear": lambda s: (w1 * w1).sum(1),
                "squares": lambda s: 2 * s * (w1 @ w2),
                "relu": lambda s: w1 @ ((s @ w1 > 0).double() * w2),
            }[self.name](sample)
            zero = not bool(gradient.detach().any())
            norm = 0.0 * gradient.sum() if zero else (gradient * gradient).sum() ** 0.5
            terms.append((norm - target) ** 2)
        penalty = sum(terms[1:], terms[0]) / len(terms)
        grads = torch.autograd.grad(penalty, (w1, w2), allow_unused=True)
        return penalty.detach(), [torch.zeros_like(w) if g is None else g for g, w in zip(grads, (w1, w2), strict=True)]


def case_of(rng: np.random.Generator, name: str, *shape: int, hidden: int = 3, **more: Any) -> Case:
    size = int(np.prod(shape[1:]))
    sizes = ((size, hidden), (hidden,))
    w1, w2 = (rng.uniform(0.5, 1.2, size=s) * rng.choice([-1.0, 1.0], size=s) for s in sizes)
    return Case(name, rng.uniform(0.3, 1.1, size=shape) * rng.choice([-1.0, 1.0], size=shape), w1, w2, **more)


def expect_penalties(student: Student, cases: list[Case], *, gradients: bool = True) -> None:
    answers = student.run(penalised, [case.sent for case in cases], returns=list[Penalised])
    expect(len(answers) == len(cases), "The penalties could not be read.")
    for case, answer in zip(cases, answers, strict=True):
        value, grads = case.truth()
        expect_close(answer.penalty, value, f"The penalty for {case.words}", case.shown, TENSOR)
        if not gradients:
            continue
        if not answer.recorded:
            raise fail("The penalty does not require grad, so it cannot be differentiated.", case.words, case.shown)
        expect(len(answer.grads) == 2, "The gradients of the penalty could not be read.")
        for name, given, truth in zip(("w1", "w2"), answer.grads, grads, strict=True):
            what = f"The gradient of the penalty with respect to {name}, for {case.words},"
            expect_close(given, truth, what, case.shown, TENSOR)
        expect(answer.kept, "gradient_penalty changed .grad or requires_grad of x or a parameter.", case.words, case.shown)
        expect(answer.free, "A gradient of the penalty flows to x, which should be a constant.", case.words, case.shown)


@check("The value for a batch of vectors", points=1.5)
def value(student: Student, rng: np.random.Generator) -> None:
    cases = [case_of(rng, "network", 4, 3), case_of(rng, "linear", 2, 3), case_of(rng, "network", 3, 3)]
    expect_penalties(student, cases, gradients=False)


@check("The gradients of the parameters", points=2)
def parameters(student: Student, rng: np.random.Generator) -> None:
    expect_penalties(student, [case_of(rng, "network", 4, 3), case_of(rng, "linear", 3, 2)])


@check("Samples with any number of axes", points=2, hidden=True)
def axes(student: Student, rng: np.random.Generator) -> None:
    shapes = [(3, 2, 1, 2), (2, 2, 2, 2), (4, 2, 2), (2, 1, 3), (3, 1), (3, 3), (1, 1)]
    expect_penalties(student, [case_of(rng, name, *shape) for shape in shapes for name in ("network", "squares")])


@check("One sample, and outputs of shape (B, 1)", points=1, hidden=True)
def one_sample(student: Student, rng: np.random.Generator) -> None:
    cases = [case_of(rng, "network", b, *shape, column=True) for b in (1, 4) for shape in ((3,), (2, 1, 2))]
    expect_penalties(student, [*cases, case_of(rng, "squares", 1, 3), case_of(rng, "network", 1, 2, 2)])


@check("Other targets", points=1.5, hidden=True)
def targets(student: Student, rng: np.random.Generator) -> None:
    targets = (0.0, float(rng.uniform(1.5, 3.0)), float(rng.uniform(20.0, 30.0)))
    expect_penalties(student, [case_of(rng, "network", 3, 4, options={"target": target}) for target in targets])


@check("A gradient of zero", points=2, hidden=True)
def zero_gradient(student: Student, rng: np.random.Generator) -> None:
    cases = []
    for target in (1.0, 0.0, 0.7):
        some = case_of(rng, "squares", 4, 3, options={"target": target})
        some.x[1], some.x[2] = 0.0, -0.0
        some.x[3] *= 1e-3
        dead = case_of(rng, "relu", 3, 3, options={"target": target})
        dead.w1[:] = np.abs(dead.w1)
        dead.x[:] = np.abs(dead.x) * [[1.0], [-1.0], [-1.0]]
        cases += [some, dead]
    every = case_of(rng, "squares", 2, 2, 2)
    every.x[:] = 0.0
    expect_penalties(student, [*cases, every])


@check("x is a constant, and nothing is modified", points=2, hidden=True)
def untouched(student: Student, rng: np.random.Generator) -> None:
    expect_penalties(
        student,
        [
            case_of(rng, name, *shape, how=how)
            for how in ("plain", "grad", "leaf", "computed")
            for name, shape in (("network", (3, 2)), ("squares", (2, 2, 2)))
        ],
    )


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    cases = []
    for _ in range(6):
        shape = tuple(int(n) for n in rng.integers(1, 4, size=int(rng.integers(2, 5))))
        name, how = str(rng.choice(["network", "linear", "squares", "relu"])), str(rng.choice(["plain", "grad", "computed"]))
        options = {"target": float(rng.choice([0.0, 0.5, 1.0, 3.0]))} if rng.random() < 0.7 else {}
        case = case_of(rng, name, *shape, column=bool(rng.random() < 0.3), options=options, how=how)
        case.x[rng.random(len(case.x)) < 0.3] = 0.0
        cases.append(case)
    student.run(penalised, [case.sent for case in cases], returns=list[Penalised])


# -- what a wrong answer shows -------------------------------------------------------------------------------------------


def any_nan(given: list[dict[str, Any]]) -> bool:
    arrays = [t for entry in given for t in (entry["penalty"], *entry["grads"])]
    return any(np.isnan(np.frombuffer(t.data)).any() for t in arrays)


symptom("missing-create-graph", lambda right, given: not any(entry["recorded"] for entry in given), check="parameters")
symptom("norm-at-zero-nan", lambda right, given: any_nan(given), check="zero-gradient")
symptom("writes-grad", lambda right, given: not all(entry["kept"] for entry in given), check="untouched")
symptom("x-not-constant", lambda right, given: not all(entry["free"] for entry in given), check="untouched")
