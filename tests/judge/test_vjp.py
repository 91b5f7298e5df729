"""The battery for hand-written VJPs passes a right one and sees each way to be wrong."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autograder.judge.arrays import array
from autograder.judge.checks.compare import CheckFailed
from autograder.judge.checks.student import Student, StudentRaised
from autograder.judge.checks.vjp import LAYOUTS, Case, expect_jvp, expect_vjp, same_answer
from sandbox.wire import Opaque

Enter = Callable[..., Student]

RIGHT = """
import numpy as np

def mul_vjp(g, x, y):
    return (g * y).sum(0), g * x
"""


def truth(g: Any, x: Any, y: Any) -> tuple[Any, ...]:
    """x is a row that was repeated for each row of y."""
    return (g * y).sum(0), g * x


def judge_vjp(student: Student, *, trials: int = 3, shapes: tuple[tuple[int, ...], ...] = ((3, 2), (2, 2))) -> None:
    rng = np.random.default_rng(0)
    cases = [Case({"x": rng.normal(size=shape[1:]), "y": rng.normal(size=shape)}, shape) for shape in shapes]
    expect_vjp(student, "mul_vjp", truth, cases, rng, trials=trials)


def complaint(student: Student) -> str:
    with pytest.raises(CheckFailed) as caught:
        judge_vjp(student)
    return caught.value.message


def test_a_right_one_passes(enter: Enter) -> None:
    judge_vjp(enter(RIGHT, "numpy"))


def test_a_right_one_may_write_to_its_own_copies(enter: Enter) -> None:
    judge_vjp(
        enter(
            "def mul_vjp(g, x, y):\n    dx = g.copy()\n    dx *= y\n    return dx.sum(axis=0), np.asfortranarray(g * x)\n"
            "import numpy as np",
            "numpy",
        )
    )


@pytest.mark.parametrize(
    ("returned", "words"),
    [
        (
            "g * y, g * x",
            "gradient with respect to x for g(3, 2), x(2,), y(3, 2) should have shape (2,), but has shape (3, 2)",
        ),
        ("(g * y).sum(0, keepdims=True), g * x", "should have shape (2,), but has shape (1, 2)"),
        ("(g * y).sum(0).astype('float32'), g * x", "should have dtype float64, but has dtype float32"),
        ("(g * y).sum(0), g", "gradient with respect to y for g(3, 2), x(2,), y(3, 2) is wrong in 6 of 6 entries"),
        ("y.sum(0), g * 0 + x", "gradient with respect to x"),
        ("(g * y).mean(0), g * x", "gradient with respect to x"),
        ("-(g * y).sum(0), g * x", "gradient with respect to x"),
        ("g * x, (g * y).sum(0)", "gradient with respect to x"),
        ("(g * y).sum(0) * np.nan, g * x", "entries that should be finite"),
        ("(g * y).sum(0).tolist(), g * x", "should be an array of shape (2,), but is a list of length 2"),
        ("None, g * x", "should be an array of shape (2,), but is None"),
    ],
)
def test_a_wrong_gradient_fails(enter: Enter, returned: str, words: str) -> None:
    assert words in complaint(enter(f"import numpy as np\ndef mul_vjp(g, x, y):\n    return {returned}", "numpy"))


@pytest.mark.parametrize(
    ("returned", "words"),
    [
        ("(g * y).sum(0)", "but returned a NumPy array of shape (2,) and dtype float64."),
        ("[(g * y).sum(0), g * x]", "but returned a list of length 2."),
        ("(g * y).sum(0), g * x, None", "but returned a tuple of length 3."),
        ("((g * y).sum(0),)", "but returned a tuple of length 1."),
        ("None", "but returned None."),
    ],
)
def test_anything_but_a_tuple_of_one_gradient_per_input_fails(enter: Enter, returned: str, words: str) -> None:
    message = complaint(enter(f"def mul_vjp(g, x, y):\n    return {returned}", "numpy"))
    assert message == f"mul_vjp should return a tuple of 2 gradients, one for each input, {words}"


@pytest.mark.parametrize("argument", ["g", "x", "y"])
def test_a_changed_argument_fails(enter: Enter, argument: str) -> None:
    source = f"def mul_vjp(g, x, y):\n    out = (g * y).sum(0), g * x\n    {argument} *= 2\n    return out"
    assert complaint(enter(source, "numpy")) == f"mul_vjp modified its argument {argument}."


def test_an_argument_given_another_shape_in_place_fails(enter: Enter) -> None:
    source = "def mul_vjp(g, x, y):\n    out = (g * y).sum(0), g * x\n    y.shape = (-1,)\n    return out"
    with pytest.raises(CheckFailed, match="modified its argument y"):
        rng = np.random.default_rng(0)
        case = Case({"x": rng.normal(size=2), "y": rng.normal(size=(3, 2))}, (3, 2))
        expect_vjp(enter(source, "numpy"), "mul_vjp", truth, [case], rng, trials=1)


def test_state_between_calls_fails(enter: Enter) -> None:
    source = RIGHT + "\ncalls = []\nright = mul_vjp\ndef mul_vjp(*a):\n    calls.append(1)\n"
    source += "    return tuple(d * (1 if len(calls) == 1 else 2) for d in right(*a))"
    assert complaint(enter(source, "numpy")) == "mul_vjp returned different results for two calls with the same arguments."


def test_an_accumulator_kept_from_call_to_call_fails(enter: Enter) -> None:
    source = "import numpy as np\ndef mul_vjp(g, x, y, total=np.zeros(2)):\n    total += (g * y).sum(0)\n"
    assert complaint(enter(source + "    return total.copy(), g * x", "numpy")).startswith(
        "mul_vjp returned different results"
    )


@pytest.mark.parametrize("layout", ["f_contiguous", "c_contiguous"])
def test_a_gradient_that_is_right_only_in_one_layout_fails(enter: Enter, layout: str) -> None:
    source = f"def mul_vjp(g, x, y):\n    s = 1 if g.flags.{layout} else -1\n    return s * (g * y).sum(0), s * g * x"
    assert "mul_vjp: the gradient with respect to x" in complaint(enter(source, "numpy"))


def test_reading_the_memory_instead_of_the_array_fails(enter: Enter) -> None:
    """A bug that only strides uncover: ravel in memory order."""
    source = "def mul_vjp(g, x, y):\n    g = g.ravel('K').reshape(g.shape)\n    return (g * y).sum(0), g * x"
    assert "mul_vjp: the gradient with respect to x" in complaint(enter(source, "numpy"))


def test_every_layout_is_tried() -> None:
    assert set(LAYOUTS) == {"contiguous", "transposed", "strided"}


def test_all_ones_upstream_is_not_what_is_asked(enter: Enter) -> None:
    source = "def mul_vjp(g, x, y):\n    assert len(set(g.ravel().tolist())) == g.size\n    return (g * y).sum(0), g * x"
    judge_vjp(enter(source, "numpy"))


@pytest.mark.parametrize("shape", [(), (1,), (3, 2)])
def test_what_breaks_under_an_upstream_of_0_fails(enter: Enter, shape: tuple[int, ...]) -> None:
    student = enter("import numpy as np\ndef scale_vjp(g, x):\n    return (g * x if g.all() else g * np.nan,)", "numpy")
    with pytest.raises(CheckFailed, match="entries that should be finite"):
        expect_vjp(
            student, "scale_vjp", lambda g, x: (g * x,), [Case({"x": np.ones(shape)}, shape)], np.random.default_rng(0)
        )


def test_options_reach_the_student_and_the_reference(enter: Enter) -> None:
    student = enter("def scale_vjp(g, x, *, factor):\n    return (factor * g,)", "numpy")
    case = Case({"x": np.ones(3)}, (3,), {"factor": 2.5})
    expect_vjp(student, "scale_vjp", lambda g, x, factor: (factor * g,), [case], np.random.default_rng(0))


def test_an_exception_is_the_students(enter: Enter) -> None:
    with pytest.raises(StudentRaised, match="ZeroDivisionError"):
        judge_vjp(enter("def mul_vjp(g, x, y):\n    1 / 0", "numpy"))


# -- the same answer again -----------------------------------------------------------------------------------------


def test_the_same_nan_is_the_same_answer() -> None:
    assert same_answer((float("nan"), array([np.nan])), (float("nan"), array([np.nan])))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (array([0.0]), array([-0.0])),
        (array([1.0]), array([[1.0]])),
        (array([1.0]), array(np.ones(1, "float32"))),
        ([array([1.0])], (array([1.0]),)),
        ((array([1.0]),), (array([1.0]), array([1.0]))),
        (1, 1.0),
        (None, Opaque("T")),
    ],
)
def test_answers_that_differ_in_a_bit_or_a_type_are_different(one: Any, other: Any) -> None:
    assert not same_answer(one, other)


# -- forward mode --------------------------------------------------------------------------------------------------


def product_jvp(x: Any, y: Any, dx: Any, dy: Any) -> Any:
    return dx * y + x * dy


POINTS = [
    ({"x": np.array([1.0, 2.0]), "y": np.array([3.0, -1.0])}, {"x": np.array([0.5, 0.1]), "y": np.array([-0.3, 2.0])}),
]


def test_a_right_directional_derivative_passes(enter: Enter) -> None:
    expect_jvp(enter("def jvp(x, y, dx, dy): return y * dx + x * dy", "numpy"), "jvp", product_jvp, POINTS)


@pytest.mark.parametrize("returned", ["y * dx", "dx * dy", "y * dx - x * dy", "[1.0, 2.0]", "(y * dx + x * dy).sum()"])
def test_a_wrong_directional_derivative_fails(enter: Enter, returned: str) -> None:
    with pytest.raises(CheckFailed, match=r"^jvp: the directional derivative "):
        expect_jvp(enter(f"def jvp(x, y, dx, dy): return {returned}", "numpy"), "jvp", product_jvp, POINTS)
