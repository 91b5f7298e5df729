"""Whose gradient a wrong VJP returns: a function that fits every answer, a law that it breaks, or nothing is said."""

from collections.abc import Callable

import numpy as np
import pytest

from autograder.explain import gradient_of as module
from autograder.explain.counterexample import counterexample
from autograder.explain.misconceptions.numbers import gradient_of
from autograder.judge.arrays import Numbers
from autograder.judge.checks.registry import Check
from autograder.judge.checks.student import Student
from autograder.judge.checks.vjp import Case, expect_vjp

NO_FUNCTION = "No function has this gradient: "
Says = Callable[..., str]


def mean_of_rows(g: Numbers, x: Numbers) -> tuple[Numbers]:
    return (np.repeat(g[:, None], x.shape[1], axis=1) / x.shape[1],)


def product(g: Numbers, a: Numbers, b: Numbers) -> tuple[Numbers, Numbers]:
    return g * b, g * a


def largest(g: Numbers, x: Numbers) -> tuple[Numbers]:
    return (g * (x == x.max()) / (x == x.max()).sum(),)


def asks(student: Student, rng: np.random.Generator, reference: Callable[..., tuple[Numbers, ...]]) -> None:
    """The check of a reference."""
    if reference is product:
        case = Case({"a": rng.normal(size=3), "b": rng.normal(size=3)}, (3,))
    elif reference is largest:
        case = Case({"x": np.array([2.0, 2.0])}, ())
    else:
        case = Case({"x": rng.normal(size=(3, 4))}, (3,))
    expect_vjp(student, "f_vjp", reference, [case], rng)


@pytest.fixture
def says(enter: Callable[..., Student]) -> Says:
    """`says(reference, expression)`: the sentence on a solution that returns this expression."""

    def find(reference: Callable[..., tuple[Numbers, ...]], expression: str, before: str = "") -> str:
        arguments = "g, a, b" if reference is product else "g, x"
        source = (
            f"import numpy as np\ncalls = []\ndef f_vjp({arguments}):\n    {before or 'pass'}\n    return ({expression},)\n"
        )

        def run(student: Student, rng: np.random.Generator) -> None:
            asks(student, rng, reference)

        example = counterexample(enter(source, "numpy"), Check("c", "c", 1.0, False, None, run), 1)
        assert example is not None
        return gradient_of(example)

    return find


@pytest.mark.parametrize(
    ("expression", "function"),
    [
        ("np.repeat(g[:, None], x.shape[1], axis=1)", "sum(x, axis=1)"),
        ("2 * g[:, None] * x", "sum_of_squares(x, axis=1)"),
        ("-np.repeat(g[:, None], x.shape[1], axis=1)", "-sum(x, axis=1)"),
        ("np.zeros_like(x)", "a constant"),
        ("g[:, None] * (x == x.max(axis=1, keepdims=True))", "max(x, axis=1)"),
        ("2 * np.repeat(g[:, None], x.shape[1], axis=1) / x.shape[1]", "2 * f(x)"),
    ],
)
def test_the_function_that_fits_every_answer_is_named(says: Says, expression: str, function: str) -> None:
    assert says(mean_of_rows, expression) == f"f_vjp returns the gradient of {function}."


@pytest.mark.parametrize(
    ("expression", "function"), [("g, g", "a + b"), ("g, -g", "a - b"), ("g * a, g * b", "(a**2 + b**2) / 2")]
)
def test_functions_of_two_arguments_are_named(says: Says, expression: str, function: str) -> None:
    assert says(product, expression) == f"f_vjp returns the gradient of {function}."


def test_a_factor_that_depends_on_the_shape_is_not_taken_for_a_constant(says: Says) -> None:
    """With two rows this is half of the right gradient; with the three of the check it is a third."""
    assert says(mean_of_rows, "np.repeat(g[:, None], x.shape[1], axis=1) / x.size") == ""


def test_what_no_listed_function_has_is_not_named(says: Says) -> None:
    assert says(mean_of_rows, "g[:, None] * x ** 5") == ""


def test_a_gradient_that_does_not_depend_on_the_upstream_belongs_to_no_function(says: Says) -> None:
    sentence = says(product, "b, a")
    assert sentence.startswith(f"{NO_FUNCTION}if g is doubled, da[0] should double, but stays ")


def test_a_gradient_that_is_quadratic_in_the_upstream_belongs_to_no_function(says: Says) -> None:
    assert says(product, "4 * g * g * b, 4 * g * g * a") == (
        f"{NO_FUNCTION}if g is doubled, da[0] should double, but changes from 4 to 16."
    )


def test_gradients_that_contradict_each_other_belong_to_no_function(says: Says) -> None:
    assert says(product, "g * b, -g * a") == (
        f"{NO_FUNCTION}here, the derivative of da[0] with respect to b[0] is 1, and that of db[0] with respect to a[0] is -1. "
        "For a function the two are equal, because its Hessian is symmetric."
    )


def test_a_point_at_which_the_reference_has_a_kink_proves_nothing(says: Says) -> None:
    assert says(largest, "g * np.array([1.0, 0.0]) * (1 if x[0] == x[1] else x[0])") == ""


def test_answers_that_change_by_themselves_prove_nothing(says: Says) -> None:
    factor = "(3 if len(calls) < 12 else 3 + len(calls) % 5)"
    assert says(product, f"g * b * {factor}, g * a * {factor}", "calls.append(1)") == ""


def test_the_search_is_bounded(says: Says, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    answers = module._answers

    def counted(student: Student, case: object) -> object:
        asked.append(case)
        return answers(student, case)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "_answers", counted)
    says(product, "g * b ** 2, g * a ** 2 * b ** 2")
    assert 10 < len(asked) <= module.TRIALS + 1 + 3 + 3 * 4 * module.MAX_ENTRIES
