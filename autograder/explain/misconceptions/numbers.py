"""Writes the sentence that gives a submission's numbers below an explanation.

The sentence is generated when the explanation is shown, only from the evidence that the reader may see. Pages and the
terminal call `numbers_of`.
"""

import math
import re
from collections.abc import Sequence
from itertools import accumulate

from autograder.judge.array_text import nested
from autograder.judge.report import CheckResult, Counterexample, Detail, Shown
from autograder.judge.text import number, pair
from autograder.trace.model import Trace

ENTRIES = 24  # of an array in an example
TERMS = 4  # longest sum that is written out
OVERWRITING = (
    *("overwrites-instead-of-accumulating", "partial-fix", "same-operand-special-case"),
    *("zeroes-inside-backward", "resets-leaf-grads"),
)
AVERAGING = ("divides-shared",)
_SHAPES = re.compile(r" for \w+\(.*$")  # `for g(3,), x(3,)`: the check already shows the shapes
_ENGLISH = re.compile(r"[A-Z][a-z]+ ")
_NAMES = ("Jacobian", "Hessian")
_ARRAYS = ("array", "tensor")
TRUTHS = ("True", "False")


def numbers_of(key: str, check: CheckResult, trace: Trace | None = None) -> str:
    """`In this check, b.grad is 4, the last contribution; 12 = 8 + 4 was expected.` Empty if the evidence has no pair of
    numbers to compare."""
    detail = check.detail
    if check.passed or detail is None or detail.expected is None or detail.given is None or not detail.what:
        return ""
    sentence = _form(detail, detail.expected, detail.given) or _entry(key, detail, detail.expected, detail.given, trace)
    return f"In this check, {sentence}." if sentence else ""


def _form(detail: Detail, expected: Shown, given: Shown) -> str:
    """The sentence for answers whose type, shape or dtype differs."""
    what = _subject(detail.what)
    if expected.kind in _ARRAYS and given.kind == "NoneType":
        return f"{what} is None; {_kind(expected)} was expected"
    if expected.kind not in _ARRAYS or given.kind not in _ARRAYS:
        return ""
    if expected.shape != given.shape:
        return f"{what} has shape {_shape(given)}; shape {_shape(expected)} was expected"
    if expected.dtype != given.dtype:
        return f"{what} has dtype {given.dtype}; {expected.dtype} was expected"
    return ""


def _entry(key: str, detail: Detail, expected: Shown, given: Shown, trace: Trace | None) -> str:
    """The sentence for the entry that the check's message names, or for the first entry that differs."""
    if len(expected.values) != len(given.values) or not _all_numbers(expected) or (expected.cut and not detail.differing):
        return ""
    wrong = detail.differing or tuple(
        n for n, (e, g) in enumerate(zip(expected.values, given.values, strict=True)) if e != g
    )
    if not wrong:
        return ""
    named = len(expected.names) == len(expected.values)
    at = wrong[-1] if named and detail.what.startswith(".grad") else wrong[0]
    if at >= len(given.values) or not _is_number(given.values[at]):
        return ""
    right, mine = _pair(expected.values[at], given.values[at])
    if named:
        label = expected.names[at]
        name = f"({label})" if " " in label else label
        attribute = detail.what.partition(" ")[0]
        name += attribute if attribute.startswith(".") else ""
        if attribute == ".grad":
            return _sum(key, name, float(expected.values[at]), float(given.values[at]), _contributions(at, detail, trace))
        return f"{name} is {mine}; {right} was expected"
    return f"{_place(at, expected)}{_subject(detail.what)} is {mine}; {right} was expected"


# -- counterexamples ---------------------------------------------------------------------------------------------------


def example_of(found: Counterexample) -> str:
    """`norm_vjp(g, x) with g = 1, x = [1, 2]: the gradient with respect to x should be [2, 4], but is [1, 2].`"""
    sides = f"should be {_nested(found.expected)}, but is {_nested(found.given)}"
    return f"{found.call} with {_listed(found.inputs)}: the gradient with respect to {found.of} {sides}."


def gradient_of(found: Counterexample) -> str:
    """`sum_vjp returns the gradient of mean(x).` Empty if that is not known."""
    field = found.gradient_of
    if field is None:
        return ""
    name = found.call.partition("(")[0]
    if field.function:
        return f"{name} returns the gradient of {field.function}."
    if field.law == "linear":
        before, after = field.numbers
        change = f"stays {before}" if before == after else f"changes from {before} to {after}"
        return f"No function has this gradient: if g is doubled, {field.entries[0]} should double, but {change}."
    (left, by, right, other), (one, two) = field.entries, field.numbers
    point = "here" if field.inputs == found.inputs else f"with {_listed(field.inputs)}"
    return (
        f"No function has this gradient: {point}, the derivative of {left} with respect to {by} is {one}, and that of {right} "
        f"with respect to {other} is {two}. For a function the two are equal, because its Hessian is symmetric."
    )


def _listed(inputs: dict[str, Shown]) -> str:
    return ", ".join(f"{name} = {_nested(shown)}" for name, shown in inputs.items())


def _nested(shown: Shown) -> str:
    """A small array as Python would print it, or the shape of a larger one."""
    shape = shown.shape or ()
    if math.prod(shape) > min(ENTRIES, len(shown.values)):
        return f"an array of shape {shape}"
    return nested([number(float(text)) for text in shown.values], shape, ENTRIES)


# -- sums of contributions ---------------------------------------------------------------------------------------------


def _contributions(node: int, detail: Detail, trace: Trace | None) -> list[float]:
    """The nonzero contributions to a gradient in order of arrival; empty if the trace is of another program."""
    if trace is None or trace.program != detail.note or node >= len(trace.expected.nodes):
        return []
    terms = (event.expected for event in trace.events if event.node == node and event.expected is not None)
    texts = (term.contribution.text for term in terms if term.contribution is not None and term.now is not None)
    parts = [float(text) for text in texts if _is_number(text)]
    return [part for part in parts if part]


def _sum(key: str, name: str, expected: float, given: float, parts: Sequence[float]) -> str:
    """The sentence with the expected sum written out, if the first contributions add up to the expected value."""
    right, mine = pair(expected, given)
    until = next((n for n, total in enumerate(accumulate(parts), 1) if n > 1 and _near(total, expected)), 0)
    if not until:
        return f"{name} is {mine}; {right} was expected"
    parts = parts[:until]
    if len(parts) <= TERMS:
        right = f"{right} = {' '.join([number(parts[0]), *(_signed(part) for part in parts[1:])])}"
    else:
        right = f"{right}, the sum of {len(parts)} contributions,"
    which = _which(key, given, parts)
    return f"{name} is {mine}{which}; {right} was expected"


def _which(key: str, given: float, parts: Sequence[float]) -> str:
    """How the wrong number relates to the contributions whose sum was expected."""
    if key in AVERAGING:
        return ", the mean of the contributions" if _near(given * len(parts), sum(parts)) else ""
    if key not in OVERWRITING:
        return ""
    if _near(given, parts[-1]):
        return ", the last contribution"
    return ", only one of the contributions" if any(_near(given, part) for part in parts) else ""


def _signed(part: float) -> str:
    return f"{'-' if part < 0 else '+'} {number(abs(part))}"


def _near(left: float, right: float) -> bool:
    return math.isclose(left, right, rel_tol=1e-7, abs_tol=1e-9)


# -- words -------------------------------------------------------------------------------------------------------------


def _subject(what: str) -> str:
    """`mul_vjp: the gradient of x for g(3,), x(3,)` as the subject of a sentence: `the gradient of x`."""
    tail = what.rpartition(": ")[2]
    what = _SHAPES.sub("", tail if tail.startswith("the ") or what.startswith(("with ", "With ")) else what).rstrip(",")
    if what.startswith(_NAMES):
        return f"the {what}"
    return what[0].lower() + what[1:] if _ENGLISH.match(what) else what


def _place(at: int, shown: Shown) -> str:
    shape = shown.shape or ()
    if not shape or len(shown.values) == 1:
        return ""
    index = []
    for size in reversed(shape):
        at, within = divmod(at, size)
        index.append(within)
    return f"entry [{', '.join(map(str, reversed(index)))}] of "


def _kind(shown: Shown) -> str:
    return f"{'an' if shown.kind == 'array' else 'a'} {shown.kind} of shape {_shape(shown)}"


def _shape(shown: Shown) -> str:
    return str(tuple(shown.shape or ()))


def _pair(expected: str, given: str) -> tuple[str, str]:
    """Integers and booleans unchanged; floats with the fewest digits that show the difference."""
    if all(text.lstrip("-").isdigit() or text in TRUTHS for text in (expected, given)):
        return expected, given
    return pair(float(expected), float(given))


def _all_numbers(shown: Shown) -> bool:
    return shown.kind != "str" and all(map(_is_number, shown.values))


def _is_number(text: str) -> bool:
    try:
        return text in TRUTHS or float(text) is not None
    except ValueError:
        return False
