"""Derivatives of a student's `torch.autograd.Function`, compared by the torch of the judge."""

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
    expect_second_vjp,
)
from autograder.judge.checks.student import Student

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


def function(enter: Enter, arguments: str, value: str, gradient: str, before: str = "", after: str = "") -> Student:
    text = FUNCTION.format(arguments=arguments, value=value, gradient=gradient)
    return enter(before + text + after, "torch")


def numbers(*shape: int) -> torch.Tensor:
    """Of size about one, all different, none near zero."""
    count = int(torch.tensor(shape).prod()) if shape else 1
    steps = torch.arange(1, count + 1, dtype=torch.float64)
    return (0.6 + 0.9 * torch.sin(3 * steps) ** 2 * torch.sign(torch.cos(5 * steps))).reshape(shape)


def cube(enter: Enter, gradient: str = "3 * x**2 * g", **more: str) -> Student:
    return function(enter, "x", "x**3", gradient, **more)


def points(*shapes: tuple[int, ...]) -> list[Any]:
    return [((numbers(*shape),), (numbers(*shape) + 0.3,)) for shape in shapes]


def complaint(expect: Callable[..., None], *args: Any, **options: Any) -> str:
    with pytest.raises(CheckFailed) as caught:
        expect(*args, **options)
    return caught.value.message


PRODUCT = ("x, y", "x.exp() * y", "g * x.exp() * y, g * x.exp()")
TWO_OUTPUTS = ("x, y", "(x * y, x + y**2)", "gs[0] * y + gs[1], gs[0] * x + 2 * gs[1] * y")
RIGHT = [("x", "x**3", "3 * x**2 * g"), ("x", "(x**3).sum()", "3 * x**2 * g"), PRODUCT, TWO_OUTPUTS]


# -- gradcheck -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (1, 2, 2)])
@pytest.mark.parametrize("parts", RIGHT, ids=["one", "scalar output", "two inputs", "two outputs"])
def test_a_right_function_passes_gradcheck(enter: Enter, parts: tuple[str, str, str], shape: tuple[int, ...]) -> None:
    student = function(enter, *parts)
    expect_gradcheck(student, "F", *[numbers(*shape) + n for n in range(parts[0].count(",") + 1)])


def test_inputs_of_different_shapes_pass_gradcheck(enter: Enter) -> None:
    student = function(enter, "x, w", "x @ w", "g @ w.T, x.T @ g")
    expect_gradcheck(student, "F", numbers(2, 3), numbers(3, 2))


@pytest.mark.parametrize("gradient", ["2 * x**2 * g", "3 * x**2", "g * 0", "-3 * x**2 * g", "3 * x**2 * g + 1e-3"])
def test_a_wrong_gradient_fails_gradcheck(enter: Enter, gradient: str) -> None:
    message = complaint(expect_gradcheck, cube(enter, gradient), "F", numbers(2, 2))
    assert message == "torch.autograd.gradcheck on F: the first derivative does not match finite differences."


def test_a_gradient_that_is_none_fails_gradcheck(enter: Enter) -> None:
    complaint(expect_gradcheck, cube(enter, "None"), "F", numbers(2))


def test_swapped_gradients_of_two_inputs_fail_gradcheck(enter: Enter) -> None:
    student = function(enter, "x, y", "x * y", "g * x, g * y")
    complaint(expect_gradcheck, student, "F", numbers(2), numbers(2) + 1)


def test_a_forgotten_second_output_fails_gradcheck(enter: Enter) -> None:
    student = function(enter, "x, y", "(x * y, x + y**2)", "g * y, g * x")
    complaint(expect_gradcheck, student, "F", numbers(2), numbers(2) + 1)


def test_the_evidence_of_gradcheck_holds_both_jacobians(enter: Enter) -> None:
    with pytest.raises(CheckFailed) as caught:
        expect_gradcheck(cube(enter, "2 * x**2 * g"), "F", torch.tensor([2.0], dtype=torch.float64))
    detail = caught.value.detail
    assert detail is not None and detail.expected is not None and detail.given is not None
    assert (detail.expected.values[0], detail.given.values[0]) == ("12", "8")
    assert 0 in detail.differing
    assert detail.inputs["x"].values == ("2",)


def test_an_upstream_used_twice_is_not_what_gradcheck_sees(enter: Enter) -> None:
    """Its upstreams are zeros and ones, which are their own squares."""
    student = cube(enter, "3 * x**2 * g * g")
    expect_gradcheck(student, "F", numbers(2))
    complaint(expect_function_vjp, student, "F", points((2,)), lambda x: x**3)


def test_a_wrong_constant_in_the_forward_is_not_what_gradcheck_sees(enter: Enter) -> None:
    """It compares a Function with itself; the values need a check of their own."""
    student = function(enter, "x", "x**2", "2 * x * g")
    expect_gradcheck(student, "F", numbers(2))
    wanted = lambda x: x**3  # noqa: E731
    assert complaint(expect_function_vjp, student, "F", points((2,)), wanted).startswith("The value of F ")


# -- gradgradcheck -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("parts", RIGHT, ids=["one", "scalar output", "two inputs", "two outputs"])
def test_a_right_function_passes_gradgradcheck(enter: Enter, parts: tuple[str, str, str]) -> None:
    inputs = [numbers(2) + n for n in range(parts[0].count(",") + 1)]
    upstream = [numbers() + 1] if ".sum()" in parts[1] else [numbers(2) - n for n in range(2 if parts == TWO_OUTPUTS else 1)]
    expect_gradgradcheck(function(enter, *parts), "F", *inputs, upstream=tuple(upstream))


def test_a_detached_saved_value_is_seen_by_gradgradcheck_alone(enter: Enter) -> None:
    student = cube(enter, "3 * x.detach()**2 * g")
    expect_gradcheck(student, "F", numbers(2))
    expect_direct_backward(student, "F", points((2,)), lambda x: x**3)
    message = complaint(expect_gradgradcheck, student, "F", numbers(2), upstream=(numbers(2) + 1,))
    assert message == "torch.autograd.gradgradcheck on F: the second derivative does not match finite differences."


def test_a_detached_upstream_is_seen_by_gradgradcheck(enter: Enter) -> None:
    student = cube(enter, "3 * x**2 * g.detach()")
    complaint(expect_gradgradcheck, student, "F", numbers(2), upstream=(numbers(2) + 1,))


def test_a_backward_without_a_graph_is_seen_by_gradgradcheck(enter: Enter) -> None:
    student = cube(enter, "(3 * x**2 * g).detach()")
    complaint(expect_gradgradcheck, student, "F", numbers(2), upstream=(numbers(2) + 1,))


def test_a_function_that_is_once_differentiable_fails_gradgradcheck(enter: Enter) -> None:
    source = FUNCTION.format(arguments="x", value="x**3", gradient="3 * x**2 * g").replace(
        "@staticmethod\n    def backward",
        "@staticmethod\n    @torch.autograd.function.once_differentiable\n    def backward",
    )
    student = enter(source, "torch")
    expect_gradcheck(student, "F", numbers(2))
    complaint(expect_gradgradcheck, student, "F", numbers(2), upstream=(numbers(2) + 1,))


# -- every question is asked in advance ----------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(), (3,), (2, 2)])
@pytest.mark.parametrize("parts", RIGHT, ids=["one", "scalar output", "two inputs", "two outputs"])
def test_every_point_of_gradcheck_is_known_in_advance(
    enter: Enter, parts: tuple[str, str, str], shape: tuple[int, ...]
) -> None:
    student = function(enter, *parts)
    expect_gradcheck(student, "F", *[numbers(*shape) + n for n in range(parts[0].count(",") + 1)])
    assert student.questions == 2


@pytest.mark.parametrize("shape", [(), (3,), (2, 2)])
@pytest.mark.parametrize("parts", RIGHT, ids=["one", "scalar output", "two inputs", "two outputs"])
def test_every_point_of_gradgradcheck_is_known_in_advance(
    enter: Enter, parts: tuple[str, str, str], shape: tuple[int, ...]
) -> None:
    student = function(enter, *parts)
    inputs = [numbers(*shape) + n for n in range(parts[0].count(",") + 1)]
    upstream = (
        [numbers() + 1] if ".sum()" in parts[1] else [numbers(*shape) - n for n in range(2 if parts == TWO_OUTPUTS else 1)]
    )
    expect_gradgradcheck(student, "F", *inputs, upstream=tuple(upstream))
    assert student.questions == 3


def test_a_function_that_answers_differently_the_second_time_fails(enter: Enter) -> None:
    message = complaint(
        expect_gradcheck, function(enter, "x", "x**3 + 1e-9 * torch.rand_like(x)", "3 * x**2 * g"), "F", numbers(2)
    )
    assert message == "F returned different results for the same inputs: it is not deterministic."


def test_a_backward_that_answers_differently_the_second_time_fails(enter: Enter) -> None:
    student = cube(enter, "3 * x**2 * g + 1e-9 * torch.rand_like(x)")
    assert "not deterministic" in complaint(expect_gradcheck, student, "F", numbers(2))


def test_a_function_that_counts_its_calls_is_found_out(enter: Enter) -> None:
    """Numeric differences from a call counter: right on every second call."""
    student = cube(enter, "3 * x**2 * g + (calls.append(1) or len(calls) % 2) * 1e-9", before="calls = []\n")
    assert "not deterministic" in complaint(expect_gradcheck, student, "F", numbers(3))


def test_patching_torch_in_the_submission_gains_nothing(enter: Enter) -> None:
    patch = """
import torch.autograd.gradcheck
for module in (torch.autograd, torch.autograd.gradcheck):
    for name in ("gradcheck", "gradgradcheck"):
        if hasattr(module, name) and callable(getattr(module, name)):
            setattr(module, name, lambda *args, **options: True)
torch.allclose = torch.equal = lambda *args, **options: True
"""
    student = cube(enter, "2 * x**2 * g", after=patch)
    complaint(expect_gradcheck, student, "F", numbers(2))
    complaint(
        expect_gradgradcheck, cube(enter, "3 * x.detach()**2 * g", after=patch), "F", numbers(2), upstream=(numbers(2),)
    )


# -- second derivatives against a reference --------------------------------------------------------------------------

ZEROS = torch.tensor([0.0, -0.0, 0.7, -1.3], dtype=torch.float64)


def second(student: Student, *, at: torch.Tensor = ZEROS, upstream: torch.Tensor = ZEROS.roll(1)) -> None:
    weights = torch.tensor([1.0, 0.0, -0.5, 2.0], dtype=torch.float64)
    expect_second_vjp(student, "F", [((at,), (upstream,), (weights,))], lambda x: x**3)


def test_a_right_second_derivative_passes_at_0(enter: Enter) -> None:
    second(cube(enter))


def test_second_derivatives_of_several_inputs_pass(enter: Enter) -> None:
    x, y, g = numbers(2, 3), numbers(2, 3) + 1, numbers(2, 3)
    expect_second_vjp(function(enter, *PRODUCT), "F", [((x, y), (g,), (g, x))], lambda x, y: x.exp() * y)


def test_a_second_derivative_that_vanishes_may_be_missing(enter: Enter) -> None:
    student = function(enter, "x", "2 * x", "2 * g")
    expect_second_vjp(student, "F", [((ZEROS,), (ZEROS,), (ZEROS,))], lambda x: 2 * x)


@pytest.mark.parametrize(
    ("gradient", "words"),
    [
        ("3 * (2 * x.abs().log()).exp() * g", "with respect to input 1 is nan or inf in 2 of"),
        (
            "3 * x * x * torch.where(g == 0, g, g.sign() * g.abs().log().exp())",
            "with respect to upstream gradient 1 is nan or inf in 2 of",
        ),
        ("3 * x.detach()**2 * g", "with respect to input 1 is wrong in"),
        ("3 * x**2 * g.detach()", "with respect to upstream gradient 1 is wrong in"),
    ],
)
def test_a_wrong_second_derivative_is_told_by_what_it_is_taken(enter: Enter, gradient: str, words: str) -> None:
    assert f"The second derivative of F {words}" in complaint(second, cube(enter, gradient))


@pytest.mark.parametrize("forged", ["[]", "[[]]", "[[1, 2]]", "[None]", "'text'", "[[None, None, None]]"])
def test_a_forged_second_derivative_fails(enter: Enter, forged: str) -> None:
    forge = f'import sys\nsys._getframe(1).f_locals["self"]._operations["function.second_vjp"] = lambda *_: {forged}\n'
    with pytest.raises(CheckFailed):
        second(cube(enter, before=forge))
