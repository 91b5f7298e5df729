"""The loss is a mean of log-sum-exps of differences to the true score; the gradient is its complex step."""

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
    """For each example, the logarithm of the sum of exp(x_k - x_y), shifted by its largest real part."""
    total = 0.0
    for row, label in zip(x, y, strict=True):
        above = row - row[label]
        top = above.real.max()
        total = total + top + np.log(np.exp(above - top).sum())
    return total / len(x)


def case(rng: np.random.Generator, examples: int, classes: int, scale: float = 1.5) -> Case:
    """Scores of both signs, one of them 0, and labels, of which one is repeated where there is room."""
    x = scale * np.asarray(rng.normal(size=(examples, classes)))
    x.flat[int(rng.integers(x.size))] = 0.0
    y = np.asarray(rng.integers(classes, size=examples))
    y[-1] = y[0]
    return x, y


SIZES = [(5, 2), (1, 4), (2, 7), (3, 3), (8, 3), (1, 2)]


def expect_values(student: Student, cases: list[Case]) -> None:
    expect_loss(student, "softmax_loss", value, cases, gradient=False)


def expect_gradients(student: Student, cases: list[Case]) -> None:
    expect_loss(student, "softmax_loss", value, cases)


@check("The loss", points=1)
def loss(student: Student, rng: np.random.Generator) -> None:
    expect_values(student, [case(rng, *sizes) for sizes in ((4, 3), (3, 5), (4, 4))])


@check("The gradient", points=1.5)
def gradient(student: Student, rng: np.random.Generator) -> None:
    expect_gradients(student, [case(rng, *sizes) for sizes in ((4, 3), (3, 5), (4, 4))])


@check("The loss for other sizes", points=1, hidden=True)
def loss_of_any_size(student: Student, rng: np.random.Generator) -> None:
    expect_values(student, [case(rng, *sizes) for sizes in SIZES])


@check("The gradient for other sizes", points=1.5, hidden=True)
def gradient_of_any_size(student: Student, rng: np.random.Generator) -> None:
    expect_gradients(student, [case(rng, *sizes) for sizes in SIZES])


@check("Large scores, different in each row", points=1.5, hidden=True)
def large_scores(student: Student, rng: np.random.Generator) -> None:
    """The differences within a row are ordinary, so no probability is 0."""
    cases = []
    for size in (900.0, 3e3, 2e5):
        x, y = case(rng, 4, 3)
        cases.append((x + size * np.array([1.0, 0.0, -1.0, 0.5])[:, None], y))
    expect_values(student, cases)
    expect_gradients(student, cases)


@check("Probabilities that are too small for a float", points=1, hidden=True)
def tiny_probabilities(student: Student, rng: np.random.Generator) -> None:
    cases = [case(rng, 4, 3, scale) for scale in (2e3, 1e4, 1e5)]
    for x, y in cases:
        y[0] = x[0].argmin()
    expect_values(student, cases)
    expect_gradients(student, cases)


def quick_value(x: Numbers) -> Numbers:
    own = x[np.arange(len(x)), np.arange(len(x)) % 25]
    return np.asarray((np.log(np.exp(x).sum(axis=1)) - own).mean())


@check("The gradient of a large batch, at the cost of a few forward passes", points=1.5, hidden=True, seconds=SECONDS)
def cost(student: Student, rng: np.random.Generator) -> None:
    def gradient(g: Numbers, inputs: Inputs) -> Any:
        x = inputs["x"]
        answer = student.call("softmax_loss", array(x), array(np.arange(len(x)) % 25))
        dx = answer[1] if isinstance(answer, tuple | list) and len(answer) == 2 else None
        return (array(g * to_numpy(dx)) if isinstance(dx, Array) else dx,)

    few, many = ({"x": rng.normal(size=(n // 25, 25))} for n in (FEW, MANY))
    expect_cheap_vjp(student, "softmax_loss", quick_value, many, rng, few=few, ask=gradient)


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    for _ in range(3):
        x, y = case(rng, int(rng.integers(1, 5)), int(rng.integers(2, 5)), float(rng.choice([1.0, 10.0, 1e4])))
        layout = str(rng.choice(LAYOUTS))
        x = x + rng.choice([0.0, 1.0, 1e3], size=(len(x), 1))
        student.call_and_see("softmax_loss", array(x, layout=layout), array(y, layout=layout))


def reading(answer: Any, *asked: Any) -> Any:
    """A numpy number and a float mean the same, as do a list and a tuple."""
    loss, dx = answer
    return (float(to_numpy(loss)) if isinstance(loss, Array) and loss.shape == () else loss), dx


reads_as("softmax_loss", reading)
