"""When two values are the same: type, shape, dtype, then the norm of the difference in float64."""

import math
from typing import Any

import numpy as np
import pytest
import torch

from autograder.judge.arrays import array, tensor
from autograder.judge.checks.compare import (
    SCALAR,
    SINGLE,
    TENSOR,
    VJP,
    CheckFailed,
    Tolerance,
    describe,
    expect,
    expect_close,
    expect_equal,
    expect_number,
    fail,
)
from sandbox.wire import Array, Opaque

INF, NAN = math.inf, math.nan


def failed(given: Any, expected: Any, **options: Any) -> CheckFailed:
    with pytest.raises(CheckFailed) as caught:
        expect_close(given, expected, "The gradient", **options)
    return caught.value


# -- arrays: the norm ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tolerance", [Tolerance(), VJP, TENSOR, SCALAR])
def test_a_relative_error_of_a_millionth_is_wrong_and_rounding_is_not(tolerance: Tolerance) -> None:
    truth = np.array([1.0, -3.0])
    expect_close(array(list(truth * (1 + 1e-9))), truth, "x", tolerance=tolerance)
    failed(array(list(truth * (1 + 1e-6))), truth, tolerance=tolerance)


def test_equal_arrays_are_close() -> None:
    expect_close(array([1.0, 2.0]), np.array([1.0, 2.0]), "x")


def test_a_difference_within_rtol_of_the_norm_is_close() -> None:
    truth = np.array([3.0, 4.0])
    expect_close(array([3.0, 4.0 + 0.9e-7 * 5]), truth, "x", tolerance=Tolerance(1e-7, 0.0))


def test_a_difference_beyond_rtol_of_the_norm_is_not() -> None:
    truth = np.array([3.0, 4.0])
    failed(array([3.0, 4.0 + 1.1e-7 * 5]), truth, tolerance=Tolerance(1e-7, 0.0))


def test_many_small_differences_add_up_in_the_norm() -> None:
    truth = np.ones(10_000)
    one_off = truth.copy()
    one_off[0] += 5e-7 * 100 * 0.1
    expect_close(array(one_off), truth, "x", tolerance=Tolerance(1e-7, 0.0))
    failed(array(truth + 5e-6), truth, tolerance=Tolerance(1e-7, 0.0))


def test_atol_decides_where_the_truth_is_zero() -> None:
    expect_close(array([0.9e-10]), np.zeros(1), "x", tolerance=TENSOR)
    failed(array([1.1e-10]), np.zeros(1), tolerance=TENSOR)


def test_zero_is_not_a_tiny_gradient_under_a_zero_atol() -> None:
    failed(array([0.0]), np.array([1e-30]), tolerance=Tolerance(1e-7, 0.0))


def test_the_norm_of_single_precision_is_taken_in_double() -> None:
    """Squares of 1e30 overflow a float32; the policy does not."""
    truth = np.full(4, 1e30, "float32")
    expect_close(array(truth), truth, "x", tolerance=SINGLE)
    failed(array(2 * truth), truth, tolerance=SINGLE)


def test_numbers_whose_squares_overflow_are_still_compared() -> None:
    truth = np.array([1e200, 1e200])
    expect_close(array(truth), truth, "x")
    failed(array(-truth), truth)


def test_the_single_precision_tolerance_allows_rounding_and_no_more() -> None:
    truth = np.linspace(0.1, 1.0, 7, dtype="float32")
    expect_close(array(np.nextafter(truth, np.float32(2))), truth, "x", tolerance=SINGLE)
    failed(array(truth * np.float32(1.0001)), truth, tolerance=SINGLE)


def test_complex_arrays_differ_in_the_imaginary_part() -> None:
    truth = np.array([1 + 2j, 3 - 1j])
    expect_close(array(truth), truth, "x")
    failed(array(truth.conj()), truth)


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int64", "float16", "float32", "complex64"])
def test_every_dtype_can_be_wrong(dtype: str) -> None:
    truth = np.array([1, 0, 1]).astype(dtype)
    error = failed(array(np.array([1, 1, 0]).astype(dtype)), truth)
    assert error.detail is not None and error.detail.differing == (1, 2)


def test_a_zero_dimensional_array_is_one_number() -> None:
    expect_close(array(2.0), np.array(2.0), "x")
    assert failed(array(3.0), np.array(2.0)).message == "The gradient should be 2, but is 3."


def test_empty_arrays_of_one_shape_are_equal() -> None:
    expect_close(array(np.zeros((2, 0, 3))), np.zeros((2, 0, 3)), "x")


def test_a_tensor_of_the_judge_is_a_truth() -> None:
    expect_close(tensor([1.0]), torch.ones(1, dtype=torch.float64, requires_grad=True), "x")


# -- arrays: shape, dtype, type ------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(1,), (1, 1), (0,)])
def test_the_shape_must_be_exact(shape: tuple[int, ...]) -> None:
    assert "should have shape ()" in failed(array(np.ones(shape)), np.array(1.0)).message


def test_empty_arrays_of_other_shapes_differ() -> None:
    failed(array(np.zeros((0, 3))), np.zeros((3, 0)))


@pytest.mark.parametrize("dtype", ["float32", "int64", "complex128", "bool"])
def test_the_dtype_must_be_exact(dtype: str) -> None:
    message = failed(array(np.ones(2).astype(dtype)), np.ones(2)).message
    assert message == f"The gradient should have dtype float64, but has dtype {dtype}."


@pytest.mark.parametrize("given", [1.0, [1.0], (1.0,), None, True, "1", b"1", {"x": 1.0}, Opaque("submission.Sly")])
def test_only_an_array_is_an_array(given: Any) -> None:
    assert failed(given, np.ones(1)).message.startswith("The gradient should be an array of shape (1,), but is ")


def test_a_numpy_array_is_no_tensor() -> None:
    failed(array([1.0]), torch.ones(1, dtype=torch.float64))


def test_a_tensor_with_a_graph_passes_unless_a_plain_one_is_wanted() -> None:
    carrying = Array("torch", "float64", (1,), np.ones(1).tobytes(), True)
    expect_close(carrying, np.ones(1), "x")
    assert failed(carrying, np.ones(1), plain=True).message == "The gradient should not require grad, but does."


# -- nan and inf ---------------------------------------------------------------------------------------------------


def test_nan_never_equals_anything() -> None:
    for truth in (NAN, 1.0, INF):
        failed(array([NAN]), np.array([truth]))


@pytest.mark.parametrize("value", [INF, -INF])
def test_inf_is_refused_even_where_the_truth_has_it(value: float) -> None:
    failed(array([value]), np.array([value]))


def test_nonfinite_allows_the_same_nan_and_inf_in_the_same_places() -> None:
    truth = np.array([NAN, INF, -INF, 1.0])
    expect_close(array(truth), truth, "x", nonfinite=True)


@pytest.mark.parametrize("given", [[INF, 1.0], [-INF, 1.0], [1.0, NAN], [NAN, NAN], [2.0, 1.0]])
def test_nonfinite_allows_nothing_else(given: list[float]) -> None:
    failed(array(given), np.array([NAN, 1.0]), nonfinite=True)


def test_minus_inf_is_not_inf() -> None:
    failed(array([-INF]), np.array([INF]), nonfinite=True)


def test_nonfinite_still_compares_the_finite_entries() -> None:
    failed(array([INF, 1.1]), np.array([INF, 1.0]), nonfinite=True)


def test_the_message_counts_nan_where_the_truth_is_finite() -> None:
    message = failed(array([NAN, INF, 1.0]), np.ones(3)).message
    assert message == "The gradient is nan or inf in 2 of 3 entries that should be finite."


# -- numbers -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("given", [2.0, 2, 2.0 + 1e-8])
def test_a_plain_number_close_to_the_truth_passes(given: float) -> None:
    expect_number(given, 2.0, "f.grad")


@pytest.mark.parametrize("given", [2.001, -2.0, NAN, INF, -INF, 0, pytest.param(10**400, id="10**400")])
def test_any_other_number_fails(given: float) -> None:
    with pytest.raises(CheckFailed, match=r"^f\.grad should be 2, but is "):
        expect_number(given, 2.0, "f.grad")


@pytest.mark.parametrize("given", [True, None, "1", [1.0], array(1.0), Opaque("complex")])
def test_what_is_not_a_number_is_none(given: Any) -> None:
    with pytest.raises(CheckFailed, match=r"^f\.grad should be a number, but is "):
        expect_number(given, 1.0, "f.grad")


def test_a_number_uses_the_scalar_tolerance() -> None:
    expect_number(0.9 * SCALAR.atol, 0.0, "x")
    with pytest.raises(CheckFailed):
        expect_number(1.1 * SCALAR.atol, 0.0, "x")


# -- plain data ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [3, "word", None, True, [1, 2], (1, [2]), {"a": 1}, [], Opaque("T")])
def test_plain_data_equals_itself(value: Any) -> None:
    expect_equal(value, value, "x")


@pytest.mark.parametrize(
    ("given", "expected"),
    [(1.0, 1), (True, 1), ([1], (1,)), ([], [1]), ([1], []), ("", "a"), (None, 0), ({}, {"a": 1})],
)
def test_plain_data_differs_in_type_or_value(given: Any, expected: Any) -> None:
    with pytest.raises(CheckFailed, match=r"^x should be .*, but is .*\.$"):
        expect_equal(given, expected, "x")


def test_an_integer_too_long_to_be_printed_is_still_compared() -> None:
    with pytest.raises(CheckFailed, match=r"^x should be 1, but is "):
        expect_equal(10**5000, 1, "x")
    with pytest.raises(CheckFailed, match=r"^x should be 1, but is "):
        expect_number(10**5000, 1, "x")


def test_an_integer_too_long_to_be_printed_is_still_described() -> None:
    assert describe(10**5000).startswith("the int ")


def test_an_empty_array_is_no_plain_data() -> None:
    with pytest.raises(CheckFailed):
        expect_equal(array(np.zeros(0)), 3, "x")


def test_the_message_about_two_lists_shows_where_they_differ() -> None:
    with pytest.raises(CheckFailed) as caught:
        expect_equal([1, 2], [1, 3], "x")
    right, _, mine = caught.value.message.partition(", but is ")
    assert right.removeprefix("x should be ") != mine.removesuffix(".")


def test_an_empty_list_has_a_word_of_its_own() -> None:
    for value, words in (([], "an empty list"), ((), "an empty tuple")):
        with pytest.raises(CheckFailed) as caught:
            expect_equal([1], value, "x")
        assert caught.value.message.startswith(f"x should be {words}, but is ")


def test_expect_raises_only_for_what_does_not_hold() -> None:
    expect(True, "never said")
    with pytest.raises(CheckFailed, match="said"):
        expect(False, "said")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (array(np.ones((2, 3))), "a NumPy array of shape (2, 3) and dtype float64"),
        (tensor(1.0), "a tensor of shape () and dtype float64"),
        (Opaque("submission.Va\x1blue"), "an object of type submission.Va\\x1blue"),
        (None, "None"),
        (True, "the bool True"),
        (2.5, "the float 2.5"),
        ([1, 2], "a list of length 2"),
        ("text", "a str"),
    ],
)
def test_values_are_described_in_words(value: Any, words: str) -> None:
    assert describe(value).startswith(words)


def test_fail_carries_its_evidence() -> None:
    detail = fail("Wrong.", "what", {"x": 1.5}, expected=None, given=[1, None], note="why").detail
    assert detail is not None
    assert (detail.what, detail.note, detail.inputs["x"].values) == ("what", "why", ("1.5",))
    assert detail.expected is not None and detail.given is not None
    assert (detail.expected.values, detail.given.values) == (("None",), ("1", "none"))
