"""Values, backward, double backward and third derivative, each seen from outside; gradcheck and gradgradcheck run in the judge."""

from typing import Any

import numpy as np
import torch

from autograder.judge.checks import SINGLE, TENSOR, Student, check, expect_close, fail, probe, tensor, variety
from autograder.judge.checks.functions import (
    expect_direct_backward,
    expect_function_vjp,
    expect_gradcheck,
    expect_gradgradcheck,
    expect_outputs,
    expect_second_vjp,
)
from autograder.judge.diagnosis import forward_of, raises, symptom
from sandbox.wire import Array


def cube(x: torch.Tensor) -> torch.Tensor:
    return x**3


def numbers(rng: np.random.Generator, *shape: int, dtype: str = "float64") -> torch.Tensor:
    """Of size about one and away from zero: near 0 even a zero gradient would pass for one of x cubed."""
    return torch.from_numpy(np.asarray(rng.choice([-1.0, 1.0], shape) * rng.uniform(0.5, 1.6, shape), dtype=dtype))


def points(rng: np.random.Generator, shapes: list[tuple[int, ...]], dtype: str = "float64") -> list[Any]:
    return [((numbers(rng, *shape, dtype=dtype),), (numbers(rng, *shape, dtype=dtype),)) for shape in shapes]


def special(rng: np.random.Generator) -> list[Any]:
    """Inputs, upstreams and weights where formulas break: zeros of either sign in each beside ordinary numbers; then tiny and
    huge inputs, under upstreams that bring the gradients back to size one."""
    x, g, weights = (numbers(rng, 3, 3, 3) for _ in range(3))
    x[0], x[1], g[:, 0], g[:, 1], weights[:, :, 0] = 0.0, -0.0, 0.0, -0.0, 0.0
    found = [((x,), (g,), (weights,))]
    for size in (1e-60, 1e60):
        x, g, weights = (numbers(rng, 3) for _ in range(3))
        found.append(((x * size,), (g / size / size,), (weights * size,)))
    return found


@check("Values", points=1)
def values(student: Student, rng: np.random.Generator) -> None:
    xs = [numbers(rng, 4), torch.tensor([0.0, 1.0, -2.0], dtype=torch.float64)]
    for x in xs:
        (given,) = expect_outputs(student, "Cubic", (x,), count=1)
        expect_close(given, cube(x), "Cubic.apply(x)", {"x": x}, TENSOR)


@check("The gradient for an upstream gradient other than 1, and the second derivative", points=2)
def gradient(student: Student, rng: np.random.Generator) -> None:
    expect_function_vjp(student, "Cubic", points(rng, [(4,), (2, 3)]), cube)
    x = numbers(rng, 5)
    given = student.operate("function.nth", x, name="Cubic", order=2)
    expect_close(given, 6 * x, "The second derivative", {"x": x}, TENSOR)


@check("torch.autograd.gradcheck", points=1, hidden=True)
def first_order(student: Student, rng: np.random.Generator) -> None:
    expect_gradcheck(student, "Cubic", numbers(rng, 2, 3))


@check("torch.autograd.gradgradcheck", points=1.5, hidden=True)
def second_order(student: Student, rng: np.random.Generator) -> None:
    expect_gradgradcheck(student, "Cubic", numbers(rng, 2, 2), upstream=(numbers(rng, 2, 2),))
    expect_second_vjp(student, "Cubic", special(rng), cube)


@check("The third derivative is 6", points=1, hidden=True)
def third_order(student: Student, rng: np.random.Generator) -> None:
    x = torch.cat([numbers(rng, 5), torch.tensor([0.0, -0.0, 1e-60], dtype=torch.float64)])
    for order, truth in ((2, 6 * x), (3, torch.full_like(x, 6.0))):
        given = student.operate("function.nth", x, name="Cubic", order=order)
        expect_close(given, truth, f"The derivative of order {order}", {"x": x}, TENSOR)


@check("backward itself: a formula, and one gradient with the shape of x", points=1.5, hidden=True)
def direct_backward(student: Student, rng: np.random.Generator) -> None:
    special_points = [(xs, gs) for xs, gs, _ in special(rng)]
    expect_direct_backward(student, "Cubic", [*points(rng, [(3,), (2, 1, 2), ()]), *special_points], cube, by_formula=True)


@check("Any shape, including single precision", points=1, hidden=True)
def shapes_and_types(student: Student, rng: np.random.Generator) -> None:
    special_points = [(xs, gs) for xs, gs, _ in special(rng)]
    expect_function_vjp(student, "Cubic", [*points(rng, [(), (0,), (1, 3), (2, 0, 3), (2, 2, 2)]), *special_points], cube)
    expect_function_vjp(student, "Cubic", points(rng, [(3,), (), (0, 2)], "float32"), cube, SINGLE)


@probe
def edited_in_between(student, x, factor):
    """Forward, then x is edited in place, then backward: the error's type, or the gradient that came out."""
    import torch

    leaf = x.clone().requires_grad_()
    argument = leaf * 1
    y = student.Cubic.apply(argument)
    with torch.no_grad():
        argument.mul_(factor)
    try:
        y.sum().backward()
    except RuntimeError as error:
        return {"raised": "RuntimeError", "message": str(error)[:300]}
    return {"raised": None, "grad": leaf.grad}


@check("x modified in place before backward: an error, not a wrong gradient", points=1, hidden=True)
def edited(student: Student, rng: np.random.Generator) -> None:
    x = numbers(rng, 3)
    answer = student.run(edited_in_between, tensor(x.numpy()), 2.0, returns=dict[str, Any])
    message = "x was modified in place between forward and backward, but backward did not raise RuntimeError."
    evidence = {"given": answer["grad"]} if isinstance(answer.get("grad"), Array) else {}
    if answer.get("raised") != "RuntimeError":
        raise fail(message, "in-place edit", {"x before": x, "x after": 2 * x}, **evidence)


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    shapes = [tuple(int(n) for n in rng.integers(0, 4, size=int(rng.integers(0, 4)))) for _ in range(3)]
    dtype = str(rng.choice(["float64", "float32"]))
    xs = [numbers(rng, *shape, dtype=dtype) * float(rng.choice([0.0, 1e-3, 1.0, 1e4])) for shape in shapes]
    asked = [[[x], [numbers(rng, *x.shape, dtype=dtype) * float(rng.choice([0.0, 1.0]))]] for x in xs]
    for operation in ("function.vjp", "function.backward"):
        student.operate(operation, asked, name="Cubic")
    student.operate("function.second_vjp", [[*pair, [pair[1][0] * 2]] for pair in asked], name="Cubic")
    student.operate("function.forward", [[x] for x in xs], name="Cubic")
    for order in (1, 2, 3):
        x = numbers(rng, int(rng.integers(1, 5))) * float(rng.choice([0.0, 1.0]))
        student.operate("function.nth", x, name="Cubic", order=order)
    student.run(edited_in_between, numbers(rng, 3), float(rng.choice([0.5, 1.0, 2.0])), returns=dict[str, Any])


forward_of("Cubic", cube)
symptom(
    "autograd-in-backward", raises("does not require grad and does not have a grad_fn"), check="direct-backward", raised=True
)
