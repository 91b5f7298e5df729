"""Compares value and gradients with formulas. A difference quotient cannot see that a gradient is blocked."""

from typing import Any

import msgspec
import numpy as np

from autograder.judge.checks import Student, check, describe, expect_close, fail, probe, tensor, to_numpy, variety


@probe
def pulled(student, prediction, target, upstream):
    """Call `pull` on leaves, run the backward pass, and return their gradients."""
    prediction.requires_grad_()
    target.requires_grad_()
    loss = student.pull(prediction, target)
    loss.backward(upstream)
    return {"loss": loss.detach(), "of_prediction": prediction.grad, "of_target": target.grad}


class Pulled(msgspec.Struct):
    loss: Any
    of_prediction: Any
    of_target: Any


def expect_pull(student: Student, rng: np.random.Generator, *shape: int) -> None:
    p, t = (np.asarray(rng.normal(size=shape)) for _ in range(2))
    g = np.asarray(rng.uniform(1.2, 2.0) * rng.choice([-1.0, 1.0]))
    answer = student.run(pulled, tensor(p), tensor(t), tensor(g), returns=Pulled)
    shown = {"prediction": p, "target": t, "upstream": g}
    expect_close(answer.loss, tensor(np.asarray(((p - t) ** 2).mean())), "pull(prediction, target)", shown)
    expect_close(answer.of_prediction, tensor(g * 2 * (p - t) / p.size), "The gradient of prediction", shown)
    given = answer.of_target
    if given is not None and (not hasattr(given, "dtype") or to_numpy(given).any()):
        raise fail(f"The gradient of target should be None or zero, but is {describe(given)}.", "the target", shown)


@check("Three entries", points=1)
def three_entries(student: Student, rng: np.random.Generator) -> None:
    expect_pull(student, rng, 3)


# TODO(author): hidden checks, one for each mistake that you can name
@check("Other shapes, including a single entry", points=3, hidden=True)
def other_shapes(student: Student, rng: np.random.Generator) -> None:
    for shape in ((), (1,), (5,), (2, 3)):
        expect_pull(student, rng, *shape)


# TODO(author): random inputs from everything that the statement allows; nothing is graded here
@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    shape = tuple(int(n) for n in rng.integers(1, 4, size=int(rng.integers(0, 4))))
    p, t, g = (tensor(rng.normal(size=size)) for size in (shape, shape, ()))
    student.run(pulled, p, t, g, returns=Pulled)
    student.call_and_see("pull", p, t)
