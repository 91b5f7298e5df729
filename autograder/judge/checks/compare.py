"""Compares answers with expected values and records the evidence when they differ.

For float64 and a trusted reference, two values are equal if they have the same type, shape and dtype, contain no unexpected
nan or inf, and the norm of their difference is at most `rtol` times the norm of the truth plus `atol`. nan equals nothing.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from autograder.judge.arrays import Numbers, to_numpy
from autograder.judge.checks.recording import record_expected
from autograder.judge.report import Detail, Shown
from autograder.judge.text import integer, neutralise, pair
from sandbox.wire import Array, Opaque

ENTRIES_SHOWN = 48
TEXT_SHOWN = 200


class CheckFailed(Exception):
    """Raised when a check finds a wrong answer. The message is for the student; the detail is the evidence."""

    def __init__(self, message: str, detail: Detail | None = None) -> None:
        super().__init__(message)
        self.message, self.detail = message, detail


@dataclass(frozen=True)
class Tolerance:
    rtol: float = 1e-7
    atol: float = 1e-12


VJP = Tolerance()
TENSOR = Tolerance(1e-7, 1e-10)
SCALAR = Tolerance(1e-7, 1e-9)
SINGLE = Tolerance(1e-5, 1e-7)


def show(value: Any, names: tuple[str, ...] = ()) -> Shown:
    """Any value in a form that can be displayed."""
    if isinstance(value, Array) or hasattr(value, "dtype"):
        numbers = to_numpy(value)
        kind = value.kind if isinstance(value, Array) else "torch" if hasattr(value, "detach") else "numpy"
        kind = "tensor" if kind == "torch" else "array"
        dtype = value.dtype if isinstance(value, Array) else str(numbers.dtype)
        flat = numbers.reshape(-1)
        texts = tuple(exact(x) for x in flat[:ENTRIES_SHOWN])
        return Shown(kind, texts, tuple(numbers.shape), dtype, names, len(flat) > ENTRIES_SHOWN)
    if isinstance(value, bool | int | float):
        return Shown(type(value).__name__, (exact(value),), None, "", names)
    if isinstance(value, list | tuple) and _is_flat(value):
        texts = tuple("none" if item is None else exact(item) for item in value[:ENTRIES_SHOWN])
        return Shown(type(value).__name__, texts, (len(value),), "", names, len(value) > ENTRIES_SHOWN)
    if isinstance(value, Opaque):
        return Shown("object", (neutralise(value.type_name, TEXT_SHOWN),))
    return Shown(type(value).__name__, (neutralise(_safe_repr(value), TEXT_SHOWN),))


def _is_flat(value: Any) -> bool:
    return all(isinstance(item, int | float | None) for item in value)


def _safe_repr(value: Any) -> str:
    try:
        return repr(value).replace("\n", " ")
    except (ValueError, RecursionError):  # an integer with too many digits, or deep nesting
        return f"a {type(value).__name__} that cannot be printed"


def describe(value: Any) -> str:
    """The type of a value in words, with its shape or length."""
    if isinstance(value, Array):
        return f"a {'tensor' if value.kind == 'torch' else 'NumPy array'} of shape {value.shape} and dtype {value.dtype}"
    if isinstance(value, Opaque):
        return f"an object of type {neutralise(value.type_name, TEXT_SHOWN)}"
    if value is None:
        return "None"
    if isinstance(value, bool | int | float):
        return f"the {type(value).__name__} {exact(value)}"
    if isinstance(value, list | tuple):
        return f"a {type(value).__name__} of length {len(value)}"
    return f"a {type(value).__name__}"


def fail(message: str, what: str = "", inputs: dict[str, Any] | None = None, **evidence: Any) -> CheckFailed:
    """The exception for a failed check, with its evidence. The caller raises it."""
    shown = {name: show(value) for name, value in (inputs or {}).items()}
    expected, given = (show(evidence[side]) if side in evidence else None for side in ("expected", "given"))
    return CheckFailed(message, Detail(what, shown, expected, given, note=evidence.get("note", "")))


def expect(condition: bool, message: str, what: str = "", inputs: dict[str, Any] | None = None, **evidence: Any) -> None:
    if not condition:
        raise fail(message, what, inputs, **evidence)


def expect_equal(given: Any, expected: Any, what: str, inputs: dict[str, Any] | None = None) -> None:
    """Expects plain data of the same type and value."""
    record_expected(expected)
    if type(given) is not type(expected) or given != expected:
        message = f"{what} should be {_words(expected)}, but is {_words(given)}."
        raise fail(message, what, inputs, expected=expected, given=given)


def _words(value: Any) -> str:
    """A value as it appears in a sentence."""
    if isinstance(value, list | tuple) and not value:
        return f"an empty {type(value).__name__}"
    if isinstance(value, list | tuple):
        inner = ", ".join(show(value).values) if _is_flat(value) else neutralise(_safe_repr(value), TEXT_SHOWN)
        return f"{type(value).__name__} ({inner})" if _is_flat(value) else inner
    shown = show(value)
    return shown.values[0] if len(shown.values) == 1 and not isinstance(value, Array) else describe(value)


def expect_number(
    given: Any, expected: float, what: str, inputs: dict[str, Any] | None = None, tolerance: Tolerance = SCALAR
) -> None:
    """Expects a plain Python number close to the true value."""
    record_expected(expected)
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise fail(f"{what} should be a number, but is {describe(given)}.", what, inputs, expected=expected, given=given)
    if not _close_numbers(given, float(expected), tolerance):
        right, wrong = pair(expected, given)
        raise fail(f"{what} should be {right}, but is {wrong}.", what, inputs, expected=expected, given=given)


def expect_close(
    given: Any,
    expected: Any,
    what: str,
    inputs: dict[str, Any] | None = None,
    tolerance: Tolerance = TENSOR,
    *,
    nonfinite: bool = False,
    plain: bool = False,
) -> None:
    """Expects an array or tensor equal to the true value in type, shape, dtype and numbers.

    `nonfinite` allows nan and inf where the true value has the same; `plain` rejects a tensor that requires grad.
    """
    truth = to_numpy(expected)
    record_expected(truth)
    if not isinstance(given, Array):
        kind = "tensor" if hasattr(expected, "detach") else "array"
        message = (
            f"{what} should be a{'n' if kind == 'array' else ''} {kind} of shape {truth.shape}, but is {describe(given)}."
        )
        raise fail(message, what, inputs, expected=expected, given=given)
    if hasattr(expected, "detach") and given.kind != "torch":
        raise fail(f"{what} should be a tensor, but is {describe(given)}.", what, inputs, expected=expected, given=given)
    if given.shape != truth.shape:
        message = f"{what} should have shape {truth.shape}, but has shape {given.shape}."
        raise fail(message, what, inputs, expected=expected, given=given)
    if given.dtype != str(truth.dtype):
        message = f"{what} should have dtype {truth.dtype}, but has dtype {given.dtype}."
        raise fail(message, what, inputs, expected=expected, given=given)
    if plain and given.graph:
        raise fail(f"{what} should not require grad, but does.", what, inputs, given=given)
    numbers = to_numpy(given)
    if not close(numbers, truth, tolerance, nonfinite):
        raise CheckFailed(_difference(numbers, truth, what, tolerance), _evidence(given, expected, what, inputs, tolerance))


def close(given: Numbers, truth: Numbers, tolerance: Tolerance, nonfinite: bool = False) -> bool:
    """Whether two arrays of the same shape are equal within the tolerance."""
    good = np.isfinite(given)
    if not good.all() or not np.isfinite(truth).all():
        same = (given == truth) | (np.isnan(given) & np.isnan(truth))
        if not nonfinite or not same[~good | ~np.isfinite(truth)].all():
            return False
        given, truth = given[good], truth[good]
    wide = np.complex128 if truth.dtype.kind == "c" else np.float64
    given, truth = given.astype(wide), truth.astype(wide)
    scale = float(max(np.abs(truth).max(initial=0.0), np.abs(given).max(initial=0.0)))
    scale = scale if scale > 1e100 else 1.0  # squares of larger numbers overflow
    error = np.linalg.norm((given / scale - truth / scale).ravel())
    return bool(error <= tolerance.rtol * np.linalg.norm((truth / scale).ravel()) + tolerance.atol / scale)


def _close_numbers(given: float, truth: float, tolerance: Tolerance) -> bool:
    try:
        given = float(given)
    except OverflowError:
        return False
    return bool(abs(given - truth) <= tolerance.rtol * abs(truth) + tolerance.atol)  # False for nan


def differing(given: Numbers, truth: Numbers, tolerance: Tolerance) -> list[int]:
    """Flat indices of the entries to mark: those whose error exceeds their share of the tolerance."""
    wide = np.complex128 if truth.dtype.kind == "c" else np.float64
    given, truth = given.astype(wide), truth.astype(wide)
    with np.errstate(invalid="ignore", over="ignore"):
        finite = np.where(np.isfinite(truth), truth, 0)
        scale = max(1.0, float(np.abs(finite).max(initial=0.0)))  # squares of large numbers overflow
        tolerated = tolerance.rtol * scale * np.linalg.norm((finite / scale).ravel()) + tolerance.atol
        wrong = ~(np.abs(given - truth) * np.sqrt(truth.size) <= tolerated) & ~(given == truth)
        wrong &= ~(np.isnan(given) & np.isnan(truth))
    return [int(position) for position in np.flatnonzero(wrong.reshape(-1))]


def _difference(given: Numbers, truth: Numbers, what: str, tolerance: Tolerance) -> str:
    strange = int((~np.isfinite(given) & np.isfinite(truth)).sum())
    if strange:
        return f"{what} is nan or inf in {strange} of {truth.size} entries that should be finite."
    wrong = len(differing(given, truth, tolerance))
    if truth.size == 1:
        right, mine = pair(truth.reshape(-1)[0].item(), given.reshape(-1)[0].item())
        return f"{what} should be {right}, but is {mine}."
    return f"{what} is wrong in {wrong} of {truth.size} entries."


def _evidence(given: Array, expected: Any, what: str, inputs: dict[str, Any] | None, tolerance: Tolerance) -> Detail:
    positions = differing(to_numpy(given), to_numpy(expected), tolerance)
    shown = {name: show(value) for name, value in (inputs or {}).items()}
    marked = tuple(position for position in positions if position < ENTRIES_SHOWN)
    return Detail(what, shown, show(expected), show(given), marked)


def exact(value: Any) -> str:
    """The shortest text that parses to the same number."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return repr(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    return integer(value) if type(value) is int else repr(value)
