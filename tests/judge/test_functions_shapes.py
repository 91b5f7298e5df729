"""What a Function returns, seen directly: shapes, arity, types. Here is what gradcheck is blind to."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from autograder.judge.checks.compare import CheckFailed
from autograder.judge.checks.functions import (
    expect_direct_backward,
    expect_function_vjp,
    expect_gradcheck,
    expect_gradgradcheck,
)
from autograder.judge.checks.student import Student, StudentRaised

Enter = Callable[..., Student]

FUNCTION = """
import torch

class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, {arguments}):
        ctx.save_for_backward({arguments})
        return {value}

    @staticmethod
    def backward(ctx, *gs):
        {arguments}, = ctx.saved_tensors
        g = gs[0]
        return {gradient}
"""
FORGE = """
import sys
sys._getframe(1).f_locals["self"]._operations["function.{kind}"] = lambda module, args, options: {answer}
"""


def function(enter: Enter, arguments: str, value: str, gradient: str, after: str = "") -> Student:
    return enter(FUNCTION.format(arguments=arguments, value=value, gradient=gradient) + after, "torch")


def numbers(*shape: int) -> torch.Tensor:
    count = int(torch.tensor(shape).prod()) if shape else 1
    return (0.5 + torch.arange(count, dtype=torch.float64) / 7).reshape(shape)


def cube(x: torch.Tensor) -> torch.Tensor:
    return x**3


def add(x: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return x + b


CUBE = ("x", "x**3", "3 * x**2 * g")
ONE = [((numbers(3),), (numbers(3) + 1,))]
PAIR = [((numbers(2, 3), numbers(3)), (numbers(2, 3) + 1,))]


def complaint(expect: Callable[..., None], *args: Any, **options: Any) -> str:
    with pytest.raises(CheckFailed) as caught:
        expect(*args, **options)
    return caught.value.message


# -- the blindness of gradcheck ------------------------------------------------------------------------------------


def test_a_missing_unbroadcast_passes_gradcheck(enter: Enter) -> None:
    """The engine sums an expandable gradient to the shape of the input before anyone can look."""
    student = function(enter, "x, b", "x + b", "g, g")
    expect_gradcheck(student, "F", numbers(2, 3), numbers(3))
    expect_function_vjp(student, "F", PAIR, add)


def test_a_missing_unbroadcast_fails_the_direct_backward(enter: Enter) -> None:
    message = complaint(expect_direct_backward, function(enter, "x, b", "x + b", "g, g"), "F", PAIR, add)
    assert message == "The gradient returned by backward of F should have shape (3,), but has shape (2, 3)."


def test_an_unbroadcast_gradient_passes_the_direct_backward(enter: Enter) -> None:
    expect_direct_backward(function(enter, "x, b", "x + b", "g, g.sum(0)"), "F", PAIR, add)


# -- the direct backward -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(), (3,), (2, 1, 2), (0, 2)])
def test_a_right_backward_passes_directly(enter: Enter, shape: tuple[int, ...]) -> None:
    expect_direct_backward(function(enter, *CUBE), "F", [((numbers(*shape),), (numbers(*shape) + 1,))], cube)


@pytest.mark.parametrize(
    "gradient", ["3 * x**2", "2 * x**2 * g", "(3 * x**2 * g).float()", "(3 * x**2 * g)[None]", "None", "1.0"]
)
def test_a_wrong_backward_fails_directly(enter: Enter, gradient: str) -> None:
    message = complaint(expect_direct_backward, function(enter, "x", "x**3", gradient), "F", ONE, cube)
    assert message.startswith("The gradient returned by backward of F ")


BY_AUTOGRAD = """
def by_autograd(x, g):
    with torch.enable_grad():
        point = x.detach().requires_grad_()
        return torch.autograd.grad(point**3, point, g)[0]
"""


def test_a_backward_by_formula_does_not_ask_autograd(enter: Enter) -> None:
    student = function(enter, "x", "x**3", "by_autograd(x, g)", BY_AUTOGRAD)
    expect_direct_backward(student, "F", ONE, cube)
    with pytest.raises(StudentRaised, match="does not require grad"):
        expect_direct_backward(student, "F", ONE, cube, by_formula=True)
    expect_direct_backward(function(enter, *CUBE), "F", ONE, cube, by_formula=True)


@pytest.mark.parametrize(("gradient", "count"), [("(3 * x**2 * g, None)", 2), ("()", 0), ("(g, g, g)", 3)])
def test_a_backward_of_wrong_arity_is_told_the_numbers(enter: Enter, gradient: str, count: int) -> None:
    message = complaint(expect_direct_backward, function(enter, "x", "x**3", gradient), "F", ONE, cube)
    assert message == f"backward of F should return 1 gradient, one for each input, but returned {count}."


def test_a_wrong_arity_raises_in_the_engine(enter: Enter) -> None:
    """Returning too many gradients is torch's own error, in the student's name."""
    student = function(enter, "x", "x**3", "(3 * x**2 * g, g)")
    with pytest.raises(StudentRaised, match="incorrect number of gradients"):
        expect_gradcheck(student, "F", numbers(2))


# -- values and gradients against a reference ----------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(), (3,), (2, 0, 3), (1, 2, 2)])
def test_a_right_function_agrees_with_its_reference(enter: Enter, shape: tuple[int, ...]) -> None:
    expect_function_vjp(function(enter, *CUBE), "F", [((numbers(*shape),), (numbers(*shape) + 1,))], cube)


def test_two_inputs_are_told_apart(enter: Enter) -> None:
    student = function(enter, "x, y", "x * y", "g * y, g * y")
    point = ((numbers(2), numbers(2) + 1), (numbers(2) + 2,))
    message = complaint(expect_function_vjp, student, "F", [point], lambda x, y: x * y)
    assert message == "The gradient of F with respect to input 2 is wrong in 2 of 2 entries."


def test_two_outputs_agree_with_their_reference(enter: Enter) -> None:
    student = function(enter, "x", "(x**2, x.exp())", "gs[0] * 2 * x + gs[1] * x.exp()")
    point = ((numbers(3),), (numbers(3) + 1, numbers(3) - 2))
    expect_function_vjp(student, "F", [point], lambda x: (x**2, x.exp()))


def test_an_input_without_influence_has_a_zero_gradient(enter: Enter) -> None:
    student = function(enter, "x, y", "x * 2", "g * 2, torch.zeros_like(y)")
    point = ((numbers(2), numbers(2)), (numbers(2) + 1,))
    expect_function_vjp(student, "F", [point], lambda x, y: x * 2)


@pytest.mark.parametrize("gradient", ["3 * x**2", "2 * x**2 * g"])
def test_a_gradient_that_is_not_the_references_fails(enter: Enter, gradient: str) -> None:
    message = complaint(expect_function_vjp, function(enter, "x", "x**3", gradient), "F", ONE, cube)
    assert message == "The gradient of F is wrong in 3 of 3 entries."


def test_too_many_outputs_fail(enter: Enter) -> None:
    student = function(enter, "x", "(x**3, x)", "3 * x**2 * g")
    two = [((numbers(3),), (numbers(3), numbers(3)))]
    assert complaint(expect_function_vjp, student, "F", two, cube) == "The Function should return 1 output, but returned 2."


# -- outputs that are no tensors of the right kind -----------------------------------------------------------------


@pytest.mark.parametrize("value", ["3.0", "'x'", "[x]"])
def test_an_output_that_is_no_tensor_fails_gradcheck(enter: Enter, value: str) -> None:
    student = function(enter, "x", value, "g")
    assert " of F should be a tensor, but is " in complaint(expect_gradcheck, student, "F", numbers(2))


@pytest.mark.parametrize(
    "value", ["x.float()", "x.long()", "x > 0", "x.to(torch.complex128)", "x.detach().numpy()", "x * float('nan')", "None"]
)
def test_an_output_of_the_wrong_type_never_breaks_the_check(enter: Enter, value: str) -> None:
    """It fails, in the check's words or in torch's own; the author's check is not to blame."""
    student = function(enter, "x", value, "g")
    with pytest.raises((CheckFailed, StudentRaised)):
        expect_gradcheck(student, "F", numbers(2))


@pytest.mark.parametrize("value", ["x.float()", "x.long()", "x.to(torch.complex128)", "None"])
def test_an_output_of_the_wrong_type_never_breaks_the_second_order(enter: Enter, value: str) -> None:
    student = function(enter, "x", value, "g")
    with pytest.raises((CheckFailed, StudentRaised)):
        expect_gradgradcheck(student, "F", numbers(2), upstream=(numbers(2) + 1,))


# -- answers that no Function gives --------------------------------------------------------------------------------

FORGED = [
    "None",
    "[]",
    "[None] * len(args[0])",
    "[[]] * len(args[0])",
    "[[1, 2]] * len(args[0])",
    "[[[x], []] for (x, *_), *_ in args[0]]",
    "[[[x], [x, x]] for (x, *_), *_ in args[0]]",
    "[[[x], [x[:1]]] for (x, *_), *_ in args[0]]",
    "[[[x], [x.float()]] for (x, *_), *_ in args[0]]",
]


@pytest.mark.parametrize("answer", FORGED)
@pytest.mark.parametrize("expect", [expect_function_vjp, expect_direct_backward])
def test_a_forged_gradient_fails_against_the_reference(enter: Enter, expect: Callable[..., None], answer: str) -> None:
    forge = "".join(FORGE.format(kind=kind, answer=answer) for kind in ("vjp", "backward"))
    complaint(expect, function(enter, *CUBE, after=forge), "F", ONE, cube)


@pytest.mark.parametrize("answer", FORGED)
def test_a_forged_gradient_fails_gradcheck(enter: Enter, answer: str) -> None:
    student = function(enter, *CUBE, after=FORGE.format(kind="vjp", answer=answer))
    complaint(expect_gradcheck, student, "F", numbers(2))


@pytest.mark.parametrize(
    "answer", ["None", "[]", "[[]] * len(args[0])", "[[x[:1]] for x, *_ in args[0]]", "[[3]] * len(args[0])"]
)
def test_a_forged_value_fails_gradcheck(enter: Enter, answer: str) -> None:
    student = function(enter, *CUBE, after=FORGE.format(kind="forward", answer=answer))
    with pytest.raises((CheckFailed, StudentRaised)):
        expect_gradcheck(student, "F", numbers(2))


@pytest.mark.parametrize(
    "answer",
    ["None", "[[]] * len(args[0])", "[[x, g, g] for (x,), (g,), _ in args[0]]", "[[x[:1], g] for (x,), (g,), _ in args[0]]"],
)
def test_a_forged_second_derivative_fails_gradgradcheck(enter: Enter, answer: str) -> None:
    student = function(enter, *CUBE, after=FORGE.format(kind="second_vjp", answer=answer))
    complaint(expect_gradgradcheck, student, "F", numbers(2), upstream=(numbers(2) + 1,))
