"""What a failed comparison leaves behind: entries marked, numbers that read back, sentences, JSON."""

import math
from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from autograder.judge.arrays import array, tensor
from autograder.judge.checks.compare import (
    ENTRIES_SHOWN,
    TENSOR,
    TEXT_SHOWN,
    CheckFailed,
    Tolerance,
    describe,
    differing,
    expect_close,
    expect_equal,
    expect_number,
    show,
)
from autograder.judge.report import Detail
from sandbox.wire import Opaque


def detail_of(mine: Any, truth: Any, **options: Any) -> Detail:
    with pytest.raises(CheckFailed) as caught:
        expect_close(mine, truth, "The gradient", {"x": np.arange(3.0)}, **options)
    assert caught.value.detail is not None
    return caught.value.detail


def test_the_wrong_entries_are_marked() -> None:
    assert detail_of(array([[1.0, 2.0], [3.5, 4.0]]), np.array([[1.0, 2.0], [3.0, 4.0]])).differing == (2,)


def test_a_nan_is_marked() -> None:
    assert detail_of(array([1.0, math.nan]), np.ones(2)).differing == (1,)


def test_the_same_nan_on_both_sides_is_not_marked() -> None:
    truth = np.array([math.nan, math.inf, 1.0])
    assert detail_of(array([math.nan, math.inf, 2.0]), truth, nonfinite=True).differing == (2,)


def test_the_message_counts_the_marked_entries() -> None:
    with pytest.raises(CheckFailed, match=r"^The gradient is wrong in 2 of 3 entries\.$"):
        expect_close(array([0.0, 1.0, 0.0]), np.ones(3), "The gradient")


def test_marks_stop_where_the_shown_entries_stop() -> None:
    detail = detail_of(array(np.zeros(100)), np.ones(100))
    assert detail.differing == tuple(range(ENTRIES_SHOWN))
    assert detail.given is not None and detail.given.cut and len(detail.given.values) == ENTRIES_SHOWN


@given(hnp.arrays("float64", st.integers(1, 9), elements=st.floats(-1e3, 1e3)), st.floats(1e-8, 10))
def test_whatever_is_not_close_has_a_marked_entry(truth: Any, error: float) -> None:
    tolerance = Tolerance(1e-7, 1e-12)
    mine = truth + error
    norm = np.linalg.norm(mine - truth)
    if norm > 1.001 * (tolerance.rtol * np.linalg.norm(truth) + tolerance.atol):
        assert differing(mine, truth, tolerance)


def test_differences_that_only_add_up_are_marked_too() -> None:
    """Each of these is within what is tolerated for the whole array; together they are not."""
    detail = detail_of(array(np.ones(40) + 2e-7), np.ones(40), tolerance=Tolerance(1e-7, 0.0))
    assert detail.differing == tuple(range(40))


def test_what_is_equal_is_never_marked() -> None:
    assert differing(np.arange(4.0), np.arange(4.0), TENSOR) == []


def test_the_evidence_holds_inputs_expected_and_given() -> None:
    detail = detail_of(array([2.0]), np.array([1.0]))
    assert detail.what == "The gradient"
    assert detail.inputs["x"].values == ("0", "1", "2")
    assert detail.expected is not None and detail.expected.values == ("1",)
    assert detail.given is not None and detail.given.values == ("2",)


def test_a_shape_mismatch_shows_both_shapes() -> None:
    detail = detail_of(array(np.ones((3, 1))), np.ones(3))
    assert detail.expected is not None and detail.expected.shape == (3,)
    assert detail.given is not None and detail.given.shape == (3, 1)


@pytest.mark.parametrize("value", [0.1 + 0.2, 1e-300, -1.5, 3.0, 1e15, 123456789.123, 5e-324, -0.5])
def test_a_shown_number_reads_back_as_the_same_number(value: float) -> None:
    assert float(show(value).values[0]) == value
    assert float(show(np.array(value)).values[0]) == value


@given(st.floats(width=32, allow_nan=False))
def test_a_shown_single_reads_back_as_the_same_single(value: float) -> None:
    assert np.float32(show(np.float32(value)).values[0]) == np.float32(value)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (array([1.0]), "array"),
        (tensor([1.0]), "tensor"),
        (np.ones(1), "array"),
        (1.0, "float"),
        (True, "bool"),
        ([1, None], "list"),
        ((1.0,), "tuple"),
        (Opaque("T"), "object"),
        ("text", "str"),
        (None, "NoneType"),
        ({"a": [1]}, "dict"),
    ],
)
def test_shown_values_name_their_kind(value: Any, kind: str) -> None:
    assert show(value).kind == kind


def test_text_in_the_evidence_is_neutralised_and_short() -> None:
    shown = show("\x1b[31m\u202e" + "x" * 10_000).values[0]
    assert "\x1b" not in shown and "\u202e" not in shown
    assert len(shown) < 3 * TEXT_SHOWN


def test_the_name_of_a_type_in_the_evidence_is_neutralised() -> None:
    assert show(Opaque("\x1b[2J")).values == ("\\x1b[2J",)


AWKWARD: list[Any] = [
    math.nan,
    -math.inf,
    10**30,
    10**5000,
    True,
    None,
    "\ud800 \x00".encode("utf-8", "replace").decode(),
    b"\xff",
    [],
    [1, "two"],
    {"a": (1, [2])},
    Opaque("\x00"),
    array(np.zeros((0, 2))),
    array([1j]),
    array([math.nan]),
    tensor([True, False]),
]


def failures(value: Any) -> list[CheckFailed]:
    """How three questions about the answer fail."""
    found = []
    questions: list[Callable[[], None]] = [
        lambda: expect_equal(value, "what no student gives", "The answer", {"x": value}),
        lambda: expect_number(value, 0.25, "The answer", {"x": value}),
        lambda: expect_close(value, np.arange(5.0), "The answer", {"x": value}),
    ]
    for question in questions:
        with pytest.raises(CheckFailed) as caught:
            question()
        found.append(caught.value)
    return found


@pytest.mark.parametrize("value", AWKWARD, ids=lambda value: type(value).__name__)
def test_any_answer_can_be_written_down_as_json(value: Any) -> None:
    for failed in failures(value):
        assert msgspec.json.decode(msgspec.json.encode(failed.detail), type=Detail) == failed.detail


@pytest.mark.parametrize("value", AWKWARD, ids=lambda value: type(value).__name__)
def test_messages_are_sentences(value: Any) -> None:
    for failed in failures(value):
        assert failed.message.startswith("The answer ") and failed.message.endswith(".") and "\n" not in failed.message


def test_a_deeply_nested_answer_is_described() -> None:
    nested: list[Any] = []
    for _ in range(900):
        nested = [nested]
    assert describe(nested) == "a list of length 1"
    with pytest.raises(CheckFailed):
        expect_equal(nested, 3, "f(x)")
