"""What answers show by themselves; and that a relation which does not hold everywhere is not claimed."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autograder.explain.diagnosis.evidence import Evidence
from autograder.explain.diagnosis.generators import relations
from autograder.judge.arrays import Numbers, array
from sandbox.wire import Array, Line, Raised

Make = Callable[..., Evidence]
RNG = np.random.default_rng(1)
A, B, ROW, COLUMN = (np.asarray(RNG.normal(size=shape)) for shape in ((3, 4), (3, 4), (4,), (3, 1)))
G = array(A)


def names(evidence: Evidence) -> list[str]:
    return [claim.operators[0] for claim in relations.claims(evidence)]


@pytest.mark.parametrize(
    ("operator", "right", "given"),
    [
        ("return-none", array(A), None),
        ("keepdims", array(COLUMN), array(COLUMN.reshape(3))),
        ("keepdims", array(ROW), array(ROW.reshape(1, 4))),
        ("no-reduction", array(A.sum(axis=0)), G),
        ("transpose", array(A), array(np.ascontiguousarray(A.T))),
        ("shape", array(A), array(A.reshape(4, 3))),
        ("dtype", array(A), array(A.astype(np.float32))),
        ("swap-operands", (array(A), array(B)), (array(B), array(A))),
        ("sign", array(A), array(-A)),
        ("reduction", array(A.sum(axis=0)), array(A.mean(axis=0))),
        ("constant", array(A), array(3 * A)),
        ("constant", array(A), array(A / 2)),
        ("overflow", array(A), array(np.where(A > 0, A, np.nan))),
        ("overflow", array(A), array(np.where(A > 0, 0.0, np.inf))),
        ("underflow", array(A), array(np.where(A > 0, A, -np.inf))),
        ("zeros", array(A), array(0 * A)),
        ("approximate", array(A), array(A * (1 + 1e-6 * B))),
        ("zeros", array(A), array(0 * A)),
        ("dtype", 1.25, array(np.array(1.25))),
        ("container", (array(A),), array(A)),
        ("container", array(A), (array(A),)),
    ],
)
def test_a_relation_is_found(operator: str, right: Any, given: Any, evidence: Make) -> None:
    upstream = array(B) if operator in ("overflow", "underflow") else G  # of which no entry says where the results are nan
    assert names(evidence(((upstream,), right, given)))[0] == operator


@pytest.mark.parametrize(("operator", "special"), [("masked", -np.inf), ("zero-division", 0.0)])
def test_nan_only_where_an_argument_is_special(operator: str, special: float, evidence: Make) -> None:
    x = np.where(A > 0, A, special)
    assert names(evidence(((G, array(x)), array(A), array(np.where(A > 0, A, np.nan)))))[0] == operator
    assert operator not in names(evidence(((G, array(x)), array(A), array(np.where(A > 0, np.nan, A)))))


def test_nan_where_an_argument_is_negative_is_no_overflow(evidence: Make) -> None:
    upstream, undefined = array(B), array(np.where(A > 0, A, np.nan))

    def names_with(x: Numbers, given: Array = undefined) -> list[str]:
        return names(evidence(((upstream, array(x)), array(A), given)))

    assert names_with(A)[0] == "negative"
    assert names_with(1000 * A)[0] == "overflow", "where the exponential is too large"
    assert "negative" not in names_with(-A)
    assert names_with(A, array(np.where(A > 0, A, -np.inf)))[0] == "underflow"


def test_lost_digits_beside_a_wrong_shape_are_no_difference_quotient(evidence: Make) -> None:
    """Rounding costs digits where inputs are large. A difference quotient costs them in every check."""
    asked = (G,), array(A), array(A * (1 + 1e-6 * B))
    rounded, misshapen = evidence(asked), evidence(((G,), array(ROW), array(A)))
    both = Evidence({"far": rounded.pairs["check"], "axes": misshapen.pairs["check"]}, rounded.seeds, rounded.declared)
    assert "approximate" in names(rounded) and "approximate" not in names(both)


def test_an_axis_of_size_1_too_many_is_no_missing_sum(evidence: Make) -> None:
    """The log-sum-exp of a vector, of shape (1,): nothing was copied that could be summed."""
    found = names(evidence(((array(ROW),), array(np.asarray(1.25)), array(np.array([1.25])))))
    assert found[0] == "keepdims" and "no-reduction" not in found


def test_a_tuple_of_two_is_no_bare_answer(evidence: Make) -> None:
    assert "container" not in names(evidence(((G,), (array(A), array(B)), array(A))))


def test_a_sum_over_the_batch_that_is_not_made_on_matrices(evidence: Make) -> None:
    """The gradient is not of the upstream's shape, but has all of its batch axes."""
    batch = np.asarray(RNG.normal(size=(5, 3, 2)))
    upstream = array(RNG.normal(size=(5, 3, 4)))
    summed = ((upstream,), (array(batch.sum(axis=0)), array(A)), (array(batch), array(A)))
    assert names(evidence(summed))[0] == "no-reduction"


def test_a_factor_that_is_no_simple_number_is_no_forgotten_constant(evidence: Make) -> None:
    assert names(evidence(((G,), array(A), array(np.pi * A)))) == []


def test_a_relation_of_numbers_does_not_account_for_an_exception(evidence: Make) -> None:
    tripled = (G,), array(A), array(3 * A)
    assert "constant" in names(evidence(tripled))
    assert names(evidence(tripled, ((array(B),), array(A), Raised(0, "call", "RuntimeError", "no graph")))) == []


def test_a_count_has_no_factor(evidence: Make) -> None:
    assert names(evidence(((), {"calls": 1}, {"calls": 2}))) == []


def test_a_relation_that_fails_in_one_place_is_not_claimed(evidence: Make) -> None:
    assert names(evidence(((G,), array(A), array(-A)), ((G,), array(B), array(B + 1)))) == []


def test_wrong_numbers_without_a_pattern_are_left_alone(evidence: Make) -> None:
    assert names(evidence(((G,), array(A), array(np.sin(A) + B)))) == []


def test_too_many_nested_calls(evidence: Make) -> None:
    raised = Raised(1, "ask", "RecursionError", "maximum recursion depth exceeded")
    assert names(evidence(((G,), 1, raised))) == ["recursion-limit"]
    assert names(evidence(((G,), 1, Raised(1, "ask", "ValueError", "no")))) == []


def test_a_second_call_that_answers_differently(evidence: Make) -> None:
    assert names(evidence(((G,), array(A), array(A)), ((G,), array(A), array(A + B)))) == ["state"]


def test_only_the_axes_in_front_are_summed(evidence: Make) -> None:
    front = ((G,), array(A.sum(axis=0)), array(A.sum(axis=0)))
    stretched = ((G,), array(A.sum(axis=1, keepdims=True)), G)
    assert names(evidence(front, stretched))[0] == "leading"


def test_a_memory_layout_taken_for_the_order_of_entries(evidence: Make) -> None:
    odd = array(A, layout="transposed")
    mixed = array(A.T.reshape(3, 4))
    assert names(evidence(((G,), array(A), array(A)), ((odd,), array(A), mixed))) == ["layout"]


def test_a_count_with_many_digits_is_no_number_to_be_close_to(evidence: Make) -> None:
    assert names(evidence(((), 10**40, 10**40 + 1))) == []


@pytest.mark.parametrize("given", [int(float(3**60)), 3**60 % 2**64 - 2**64, 3**60 % 2**32])
def test_a_count_that_was_rounded_or_wrapped_around(given: int, evidence: Make) -> None:
    assert given != 3**60
    assert names(evidence(((), 3**60, given))) == ["inexact"]


@pytest.mark.parametrize(
    ("operator", "given"),
    [("other-entry", B), ("entries-summed", A + B), ("entries-subtracted", A - B), ("entries-subtracted", B - A)],
)
def test_one_entry_made_of_another(operator: str, given: Any, evidence: Make) -> None:
    assert names(evidence(((G,), [array(A), array(B)], [array(given), array(B)]))) == [operator]
    assert names(evidence(((G,), [array(A), array(B)], [array(given + 1), array(B)]))) == []


def test_a_printed_form_that_nests_too_deep_is_told_from_a_walk(evidence: Make) -> None:
    lines = [Line(1, name) for name in ("probe", "__repr__", "__repr__")]
    case = evidence(((), 1.0, Raised(0, "ask", "RecursionError", "maximum recursion depth exceeded", lines)))
    assert names(case) == ["recursive-repr", "recursion-limit"]
    case = evidence(((), 1.0, Raised(0, "ask", "RecursionError", "", [Line(1, "visit")])))
    assert names(case) == ["recursion-limit"]
