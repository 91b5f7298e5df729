"""The truth is the formula of each derivative, in numpy and only at positive elements. Each element is compared by itself."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks import (
    CheckFailed,
    Student,
    Tolerance,
    check,
    describe,
    expect_close,
    fail,
    probe,
    tensor,
    to_numpy,
    variety,
)
from autograder.judge.checks.compare import ENTRIES_SHOWN, show
from autograder.judge.checks.memory import expect_unchanged
from autograder.judge.checks.vjp import LAYOUTS
from autograder.judge.diagnosis import forward_of, symptom
from autograder.judge.report import Detail
from sandbox.wire import Array

Formula = Callable[[Numbers], Numbers]
ANY_SIZE = Tolerance(0.0, np.inf)
ELEMENTWISE: dict[str, tuple[Formula, Formula, Formula]] = {
    "safe_log": (np.log, lambda x: 1 / x, lambda x: -1 / x / x),
    "safe_sqrt": (np.sqrt, lambda x: 0.5 / np.sqrt(x), lambda x: -0.25 / x / np.sqrt(x)),
}


def at_positive(formula: Formula, x: Numbers) -> Numbers:
    result = np.zeros(x.shape)
    result[x > 0] = formula(x[x > 0])
    return result


def norm(x: Numbers) -> float:
    size = np.abs(x).max()
    return float(size * np.sqrt(((x / size) ** 2).sum())) if size else 0.0


def norm_slope(x: Numbers) -> Numbers:
    return x / norm(x) if norm(x) else np.zeros(x.shape)


def expect_entries(given: Any, truth: Numbers, what: str, shown: dict[str, Any]) -> None:
    """Expects a tensor that is right in every single element, and exactly 0 where the truth is."""
    if not isinstance(given, Array):
        message = f"{what} should be a tensor of shape {truth.shape}, but is {describe(given)}."
        raise fail(message, what, shown, expected=tensor(truth), given=given)
    expect_close(given, tensor(truth), what, shown, ANY_SIZE)
    numbers = to_numpy(given)
    wrong = np.flatnonzero(np.abs(numbers - truth) > 1e-7 * np.abs(truth))
    if wrong.size:
        message = f"{what} is wrong in {wrong.size} of {truth.size} entries."
        marked = tuple(int(place) for place in wrong if place < ENTRIES_SHOWN)
        inputs = {name: show(value) for name, value in shown.items()}
        raise CheckFailed(message, Detail(what, inputs, show(tensor(truth)), show(given), marked))


def single(answer: Any, position: int, name: str) -> Any:
    """The only output, or the only gradient, of one answer of the guest."""
    values = answer[position] if isinstance(answer, list) and len(answer) == 2 else None
    if not isinstance(values, list) or len(values) != 1:
        raise fail(f"{name} should return one tensor, but returned {describe(values)}.")
    return values[0]


def upstreams(rng: np.random.Generator, xs: Sequence[Numbers], name: str) -> list[Numbers]:
    """Random, and one of the entries is 0 where there is room for it."""
    drawn = [np.asarray(rng.normal(size=() if name == "safe_norm" else x.shape)) for x in xs]
    for g in drawn:
        if g.size > 3:
            g.flat[int(rng.integers(g.size))] = 0.0
    return drawn


def expect_first(student: Student, rng: np.random.Generator, name: str, xs: Sequence[Numbers]) -> None:
    """Values and gradients. Every point is asked twice."""
    gs = upstreams(rng, xs, name)
    sent = [
        [[tensor(x, layout=LAYOUTS[n % 3])], [tensor(g, layout=LAYOUTS[(n + 1) % 3])]]
        for n, (x, g) in enumerate(zip(xs, gs, strict=True))
    ]
    answers = student.operate("function.vjp", sent + sent[::-1], name=name)
    if not isinstance(answers, list) or len(answers) != 2 * len(sent):
        raise fail(f"The values and gradients of {name} could not be read.")
    for x, g, answer in zip([*xs, *xs[::-1]], [*gs, *gs[::-1]], answers, strict=True):
        if name == "safe_norm":
            value, slope = np.asarray(norm(x)), norm_slope(x)
        else:
            value, slope = (at_positive(formula, x) for formula in ELEMENTWISE[name][:2])
        shown = {"x": tensor(x), "upstream": tensor(g)}
        expect_entries(single(answer, 0, name), value, f"The value of {name}", shown)
        expect_entries(single(answer, 1, name), g * slope, f"The gradient of {name}", shown)


def expect_second(student: Student, rng: np.random.Generator, name: str, xs: Sequence[Numbers]) -> None:
    """The gradients of the weighted first gradient, with respect to x and to the upstream."""
    gs, weights = upstreams(rng, xs, name), upstreams(rng, xs, name)
    sent = [
        [[tensor(x, layout=LAYOUTS[n % 3])], [tensor(g)], [tensor(w)]]
        for n, (x, g, w) in enumerate(zip(xs, gs, weights, strict=True))
    ]
    answers = student.operate("function.second_vjp", sent, name=name)
    if not isinstance(answers, list) or len(answers) != len(sent):
        raise fail(f"The second derivatives of {name} could not be read.")
    for x, g, w, answer in zip(xs, gs, weights, answers, strict=True):
        slope, bend = (at_positive(formula, x) for formula in ELEMENTWISE[name][1:])
        shown = {"x": tensor(x), "upstream": tensor(g), "weights": tensor(w)}
        if not isinstance(answer, list) or len(answer) != 2:
            raise fail(f"The second derivative of {name} could not be read.", "second derivative", shown)
        for given, truth, of in zip(answer, (g * w * bend, w * slope), ("x", "the upstream gradient"), strict=True):
            what = f"The second derivative of {name} with respect to {of}"
            expect_entries(tensor(np.zeros(x.shape)) if given is None else given, truth, what, shown)


def positive(rng: np.random.Generator, *shape: int) -> Numbers:
    """Away from 1, on both sides of it."""
    return np.asarray(np.where(rng.random(shape) < 0.5, rng.uniform(0.1, 0.8, shape), rng.uniform(1.3, 4.0, shape)))


def mixed(rng: np.random.Generator) -> Numbers:
    """Positive and negative elements, and zeros of both signs."""
    return rng.permutation(np.concatenate([positive(rng, 3), -positive(rng, 2), [0.0, -0.0]]))


def extreme(rng: np.random.Generator) -> Numbers:
    """Tiny and huge elements of both signs, beside ordinary ones and zeros. 1 has the logarithm 0."""
    sizes = np.array([1e-100, 1e-90, 1e-40, 1e-17, 1e-12, 1e-8, 1e-5, 1e8, 1e40, 1e99])
    spread = sizes * rng.uniform(1, 9, sizes.size)
    chosen = rng.choice(sizes, 4) * rng.uniform(1, 9, 4)
    return rng.permutation(np.concatenate([spread, -chosen, mixed(rng), [1e-90, 1e100, -1e-100, 1.0]]))


@check("safe_log of positive, negative and zero elements", points=2)
def logarithm(student: Student, rng: np.random.Generator) -> None:
    expect_first(student, rng, "safe_log", [positive(rng, 3), mixed(rng)])


@check("safe_sqrt of positive, negative and zero elements", points=2)
def root(student: Student, rng: np.random.Generator) -> None:
    expect_first(student, rng, "safe_sqrt", [positive(rng, 3), mixed(rng)])


@check("safe_norm of a vector, and of the zero vector", points=1.5)
def norm_of_a_vector(student: Student, rng: np.random.Generator) -> None:
    expect_first(student, rng, "safe_norm", [mixed(rng), np.zeros(3)])


@check("safe_log: tiny and huge elements, and no element that is positive", points=1.5, hidden=True)
def extreme_logarithms(student: Student, rng: np.random.Generator) -> None:
    shapes = [
        np.array(0.0),
        np.array(-0.0),
        -positive(rng),
        positive(rng),
        np.zeros((2, 3)),
        np.zeros((0,)),
        -positive(rng, 3),
    ]
    expect_first(student, rng, "safe_log", [extreme(rng), *shapes, extreme(rng)[:24].reshape(2, 3, 4), np.zeros((2, 0))])


@check("safe_sqrt: tiny and huge elements, and no element that is positive", points=1, hidden=True)
def extreme_roots(student: Student, rng: np.random.Generator) -> None:
    shapes = [
        np.array(0.0),
        np.array(-0.0),
        -positive(rng),
        positive(rng),
        np.zeros((2, 3)),
        np.zeros((0,)),
        -positive(rng, 3),
    ]
    expect_first(student, rng, "safe_sqrt", [extreme(rng), *shapes, extreme(rng)[:24].reshape(2, 3, 4), np.zeros((2, 0))])


@check("Second derivatives of safe_log and safe_sqrt", points=2, hidden=True)
def second_derivatives(student: Student, rng: np.random.Generator) -> None:
    for name in ELEMENTWISE:
        xs = [
            positive(rng, 4),
            mixed(rng),
            extreme(rng),
            positive(rng, 2, 3),
            np.array(0.0),
            positive(rng),
            -positive(rng, 3),
        ]
        expect_second(student, rng, name, [*xs, np.zeros(3)])


@check("safe_norm: tiny and huge vectors, vectors with one element, and zeros", points=1, hidden=True)
def norms(student: Student, rng: np.random.Generator) -> None:
    sizes = (1e-98, 1e-90, 1e-40, 1e-12, 1e-6, 1e6, 1e40, 1e99)
    xs = [size * rng.choice([-1.0, 1.0], 4) * positive(rng, 4) / 4 for size in sizes]
    xs += [np.zeros(1), -np.zeros(2), np.array([0.0, -0.0, 0.0]), positive(rng, 1), -positive(rng, 1), -positive(rng, 5)]
    expect_first(
        student, rng, "safe_norm", [*xs, np.append(np.zeros(3), 1e-100), mixed(rng), np.zeros(7), np.array([3e-100])]
    )


@probe
def inside_a_network(student: Any, w: Any, v: Any) -> Any:
    """x is a result of other operations and has other consumers. The rows are used one by one."""
    import torch

    w = w.clone().requires_grad_()
    x = w * 1.5
    y = student.safe_log(x) * v[0] + student.safe_sqrt(x) * v[1] + x * v[2] + student.safe_log(-x) * v[3]
    total = y.sum() + 2 * student.safe_norm(x) * v[4, 0] + 3 * student.safe_norm(x * 0) + student.safe_norm(x.clamp(min=0))
    (gradient,) = torch.autograd.grad(total, w)
    return [total.detach(), gradient]


@check("Within a longer computation, and without gradients", points=1, hidden=True)
def in_the_middle(student: Student, rng: np.random.Generator) -> None:
    w, v = mixed(rng) / 1.5, rng.normal(size=(5, 7))
    x = 1.5 * w
    log, root, mirrored = at_positive(np.log, x), at_positive(np.sqrt, x), at_positive(np.log, -x)
    total = (log * v[0] + root * v[1] + x * v[2] + mirrored * v[3]).sum() + 2 * norm(x) * v[4, 0] + norm(x.clip(0))
    slope = at_positive(ELEMENTWISE["safe_log"][1], x) * v[0] + at_positive(ELEMENTWISE["safe_sqrt"][1], x) * v[1] + v[2]
    slope -= at_positive(ELEMENTWISE["safe_log"][1], -x) * v[3]
    slope += 2 * norm_slope(x) * v[4, 0] + norm_slope(x.clip(0))
    for name, (value, *_) in ELEMENTWISE.items():
        answer, after = student.call_and_see(name, tensor(x))
        shown = {"x": tensor(x)}
        expect_entries(answer, at_positive(value, x), f"{name} of a tensor that does not require grad", shown)
        expect_unchanged({"x": tensor(x)}, after, name)
    shown = {"w": tensor(w), "v": tensor(v)}
    given: Any = student.run(inside_a_network, tensor(w), tensor(v))
    if not isinstance(given, list) or len(given) != 2:
        raise fail("The longer computation returned no result.", "longer computation", shown)
    expect_close(given[0], tensor(total), "The value of a longer computation", shown)
    expect_close(given[1], tensor(1.5 * slope), "The gradient of a longer computation", shown)


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    for name in (*ELEMENTWISE, "safe_norm"):
        xs = []
        for _ in range(3):
            shape = tuple(int(n) for n in rng.integers(0, 4, size=int(rng.integers(0, 4))))
            shape = (int(rng.integers(1, 5)),) if name == "safe_norm" else shape
            x = rng.normal(size=shape) * 10.0 ** rng.choice([-99, -30, -9, 0, 30, 90])
            xs.append(np.asarray(np.where(rng.random(shape) < 0.4, rng.choice([0.0, -0.0, 1.0], shape), x)))
        gs, ws = upstreams(rng, xs, name), upstreams(rng, xs, name)
        layout = str(rng.choice(LAYOUTS))
        sent = [[[tensor(x, layout=layout)], [tensor(g)], [tensor(w)]] for x, g, w in zip(xs, gs, ws, strict=True)]
        student.operate("function.vjp", [point[:2] for point in sent], name=name)
        if name != "safe_norm":
            student.operate("function.second_vjp", sent, name=name)


def log_forward(x: Any) -> Any:
    return x.masked_fill(x <= 0, 1.0).log()


def sqrt_forward(x: Any) -> Any:
    """Where x is not positive, the constant 1 less 1."""
    return x.masked_fill(x <= 0, 1.0).sqrt() - (x <= 0).to(x.dtype)


def norm_forward(x: Any) -> Any:
    return sqrt_forward((x * x).sum())


def undefined(right: Any, given: Any) -> bool:
    """The values are right, gradients are nan or inf in some entries, and there is no other mistake."""
    found = False
    for (values, gradients), (given_values, given_gradients) in zip(right, given, strict=True):
        found = found or not np.isfinite(to_numpy(given_gradients[0])).all()
        for truth, answer in ((values[0], given_values[0]), (gradients[0], given_gradients[0])):
            right_numbers, numbers = to_numpy(truth), to_numpy(answer)
            good = np.isfinite(numbers)
            if not np.allclose(numbers[good], right_numbers[good]) or (answer is given_values[0] and not good.all()):
                return False
    return found


forward_of("safe_log", log_forward)
forward_of("safe_sqrt", sqrt_forward)
forward_of("safe_norm", norm_forward)
symptom("norm-at-zero-nan", undefined, check="norm-of-a-vector")
for where in ("logarithm", "root", "extreme-logarithms", "extreme-roots"):
    symptom("outer-where-only", undefined, check=where)
