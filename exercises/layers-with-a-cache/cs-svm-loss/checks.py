"""The loss is a sum over pairs of an example and another class; the gradient is its complex step."""

from typing import Any

import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks import Student, array, check, to_numpy, variety
from autograder.judge.checks.backward_cost import FEW, MANY, SECONDS, Inputs, expect_cheap_vjp
from autograder.judge.checks.layers import expect_loss
from autograder.judge.checks.vjp import LAYOUTS
from autograder.judge.diagnosis import reads_as
from sandbox.wire import Array

Case = tuple[Numbers, Numbers]


def value(x: Numbers, y: Numbers) -> Any:
    total: Any = 0.0
    for row, label in zip(x, y, strict=True):
        for other in range(len(row)):
            margin = row[other] - row[label] + 1
            if other != label and margin.real > 0:
                total = total + margin
    return total / len(x)


def case(rng: np.random.Generator, examples: int, classes: int, scale: float = 1.0) -> Case:
    """Scores of both signs, one of them 0, and labels, of which one is repeated where there is room."""
    x = scale * np.asarray(rng.normal(size=(examples, classes)))
    x.flat[int(rng.integers(x.size))] = 0.0
    y = np.asarray(rng.integers(classes, size=examples))
    y[-1] = y[0]
    return x, y


SIZES = [(5, 2), (1, 4), (2, 7), (3, 3), (8, 3), (1, 3)]


def expect_values(student: Student, cases: list[Case]) -> None:
    expect_loss(student, "svm_loss", value, cases, gradient=False)


def expect_gradients(student: Student, cases: list[Case]) -> None:
    expect_loss(student, "svm_loss", value, cases)


@check("The loss", points=1)
def loss(student: Student, rng: np.random.Generator) -> None:
    expect_values(student, [case(rng, *sizes) for sizes in ((6, 3), (5, 7), (5, 5))])


@check("The gradient", points=1.5)
def gradient(student: Student, rng: np.random.Generator) -> None:
    expect_gradients(student, [case(rng, *sizes) for sizes in ((6, 3), (5, 7), (5, 5))])


@check("The loss for other sizes", points=1, hidden=True)
def loss_of_any_size(student: Student, rng: np.random.Generator) -> None:
    expect_values(student, [case(rng, *sizes) for sizes in SIZES])


@check("The gradient for other sizes", points=1.5, hidden=True)
def gradient_of_any_size(student: Student, rng: np.random.Generator) -> None:
    expect_gradients(student, [case(rng, *sizes) for sizes in SIZES])


@check("All margins positive, or only a few", points=1.5, hidden=True)
def scales(student: Student, rng: np.random.Generator) -> None:
    cases = [case(rng, 6, 4, scale) for scale in (0.05, 5.0, 1e3)]
    x, y = case(rng, 4, 3)
    x[[0, 2], y[[0, 2]]] += 20  # two examples without a positive margin
    cases.append((x, y))
    expect_values(student, cases)
    expect_gradients(student, cases)


def quick_value(x: Numbers) -> Numbers:
    margins = x - x[np.arange(len(x)), np.arange(len(x)) % 25][:, None] + 1
    return np.asarray((margins * (margins.real > 0)).sum() / len(x) - 1)


@check("The gradient of a large batch, at the cost of a few forward passes", points=1.5, hidden=True, seconds=SECONDS)
def cost(student: Student, rng: np.random.Generator) -> None:
    def gradient(g: Numbers, inputs: Inputs) -> Any:
        x = inputs["x"]
        answer = student.call("svm_loss", array(x), array(np.arange(len(x)) % 25))
        dx = answer[1] if isinstance(answer, tuple | list) and len(answer) == 2 else None
        return (array(g * to_numpy(dx)) if isinstance(dx, Array) else dx,)

    few, many = ({"x": rng.normal(size=(n // 25, 25))} for n in (FEW, MANY))
    expect_cheap_vjp(student, "svm_loss", quick_value, many, rng, few=few, ask=gradient)


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    for _ in range(3):
        x, y = case(rng, int(rng.integers(1, 5)), int(rng.integers(2, 5)), float(rng.choice([0.1, 1.0, 10.0])))
        layout = str(rng.choice(LAYOUTS))
        student.call_and_see("svm_loss", array(x, layout=layout), array(y, layout=layout))


def reading(answer: Any, *asked: Any) -> Any:
    """A numpy number and a float mean the same, as do a list and a tuple."""
    loss, dx = answer
    return (float(to_numpy(loss)) if isinstance(loss, Array) and loss.shape == () else loss), dx


reads_as("svm_loss", reading)
