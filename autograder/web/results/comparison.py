"""Compares expected and given values: shapes first if they differ, then numbers.

Given entries that differ are marked. If most entries agree, the rest is left out.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product, zip_longest

from autograder.judge.array_text import nested
from autograder.judge.report import Detail, Shown
from autograder.web.numbers import minus, pair, short

SQUARE = 8  # of larger arrays, only rows that differ are shown
LIST = 12
LINES = 40


@dataclass(frozen=True)
class ValuePair:
    """One number by its name."""

    name: str
    expected: str
    given: str
    differs: bool
    say: str = ""


@dataclass(frozen=True)
class ArrayEntry:
    text: str
    full: str
    differs: bool


@dataclass(frozen=True)
class ArrayRow:
    """One row of an array. `name` is its index if the array has more than two dimensions or is shortened."""

    name: str
    cells: tuple[ArrayEntry, ...]


@dataclass(frozen=True)
class ArrayTable:
    """One side of an array comparison."""

    side: str
    lines: tuple[ArrayRow, ...]
    more: str = ""


@dataclass(frozen=True)
class Comparison:
    """The comparison below a failed check: a table of shapes, a table of numbers, a pair of arrays, or two texts."""

    rows: tuple[ValuePair, ...] = ()
    heading: str = ""
    shapes: bool = False
    grids: tuple[ArrayTable, ...] = ()
    say: str = ""
    more: str = ""


def comparison_of(detail: Detail) -> Comparison | None:
    expected, given = detail.expected, detail.given
    if expected is None or given is None:
        return None
    if _is_array(expected) and _is_array(given) and expected.shape != given.shape:
        row = ValuePair(detail.what or "answer", _shape(expected), _shape(given), differs=True)
        return Comparison(rows=(row,), heading="Shape of", shapes=True)
    if expected.names and len(expected.names) == len(expected.values) == len(given.values):
        return _table(expected.names, expected, given, detail, "Of")
    if len(expected.values) == 1 and len(given.values) == 1:
        differs = (0,) if expected.values != given.values else ()
        return _table((detail.what or "answer",), expected, given, detail, "", differs)
    if expected.kind == given.kind == "text":
        return _lines(expected, given)
    if _is_array(expected) and expected.shape == given.shape and len(expected.shape or ()) >= 1:
        return _arrays(expected, given, detail)
    if len(expected.values) == len(given.values):
        return _table([f"[{n}]" for n in range(len(expected.values))], expected, given, detail, "Entry")
    return _texts(expected, given, detail)


def on_one_line(shown: Shown) -> str:
    """Format a value on one line, for the inputs of a check."""
    texts = [short(text) for text in shown.values]
    if shown.shape is None or (len(texts) == 1 and not shown.shape):
        return ", ".join(texts)
    return nested(texts, shown.shape, LIST)


def _table(
    names: Sequence[str], expected: Shown, given: Shown, detail: Detail, heading: str, differs: Sequence[int] | None = None
) -> Comparison:
    wrong = set(detail.differing if differs is None else differs)
    if not wrong and differs is None:
        wrong = {n for n, (left, right) in enumerate(zip(expected.values, given.values, strict=True)) if left != right}
    order = list(range(len(names)))
    kept = order if len(order) <= LIST else [n for n in order if n in wrong][:LIST]
    rows = []
    for n in kept:
        left, right = pair(expected.values[n], given.values[n]) if n in wrong else (short(expected.values[n]),) * 2
        say = _difference(expected.values[n], given.values[n]) if n in wrong else ""
        rows.append(ValuePair(minus(names[n]), left, right, n in wrong, say))
    return Comparison(
        rows=tuple(rows), heading=heading, more=_omitted_note(len(order) - len(kept), len(wrong - set(kept)), "values")
    )


def _arrays(expected: Shown, given: Shown, detail: Detail) -> Comparison:
    """Compare two arrays. Of large ones, only the rows that differ are shown."""
    shape = expected.shape or ()
    width = shape[-1] if shape else 1
    wrong = set(detail.differing) or _visibly_different(expected, given)
    starts = list(_starts(shape, min(len(expected.values), len(given.values)), width))
    named = len(shape) > 2 or len(starts) > SQUARE
    kept = starts
    if len(starts) > SQUARE:
        kept = [start for start in starts if any(start[1] + n in wrong for n in range(width))][:SQUARE]
    columns = range(width)
    if width > SQUARE:
        touched = sorted({n for _, at in kept for n in columns if at + n in wrong})
        columns = (
            range(min(touched[0], width - SQUARE), min(touched[0], width - SQUARE) + SQUARE) if touched else range(SQUARE)
        )
    more = _omitted_note(
        math.prod(shape[:-1]) - len(kept), 0, "rows", agree=len(starts) - len(kept) if not expected.cut else None
    )
    grids = tuple(
        ArrayTable(lane, tuple(_line(side, name if named else "", at, columns, marked) for name, at in kept), more)
        for lane, side, marked in (("expected", expected, set[int]()), ("yours", given, wrong))
    )
    total = math.prod(shape)
    return Comparison(grids=grids, say=f"{len(wrong)} of {total} entries differ." if wrong and not expected.cut else "")


def _visibly_different(expected: Shown, given: Shown) -> set[int]:
    """The entries that differ in the digits shown, for a check that names none."""
    both = zip(expected.values, given.values, strict=False)
    return {n for n, (left, right) in enumerate(both) if not _look_alike(left, right)}


def _look_alike(left: str, right: str) -> bool:
    if short(left) == short(right):
        return True
    try:
        return math.isclose(float(left), float(right), rel_tol=1e-6)
    except ValueError:  # neither is a real number
        return False


def _starts(shape: tuple[int, ...], values: int, width: int) -> Iterator[tuple[str, int]]:
    """Yield each complete row: its index, and its offset in the flat values."""
    if width == 0:
        return
    for n, index in enumerate(product(*(range(size) for size in shape[:-1]))):
        if (n + 1) * width > values:
            return
        yield f"[{', '.join(map(str, index))}]" if index else "", n * width


def _line(side: Shown, name: str, at: int, columns: range, marked: set[int]) -> ArrayRow:
    cells = [ArrayEntry(short(side.values[at + n]), minus(side.values[at + n]), at + n in marked) for n in columns]
    return ArrayRow(name, tuple(cells))


def _lines(expected: Shown, given: Shown) -> Comparison:
    """Compare two lists of texts line by line. The shorter one ends earlier."""
    both = zip_longest(expected.values, given.values, fillvalue="")
    rows = [ValuePair(f"{n}", left, right, left != right) for n, (left, right) in enumerate(both, 1)]
    return Comparison(rows=tuple(rows[:LINES]), more=_omitted_note(len(rows) - LINES, 0, "lines"))


def _texts(expected: Shown, given: Shown, detail: Detail) -> Comparison:
    row = ValuePair(detail.what or "answer", on_one_line(expected), on_one_line(given), differs=True)
    return Comparison(rows=(row,), heading="")


def _omitted_note(left: int, wrong: int, word: str, agree: int | None = None) -> str:
    if left <= 0:
        return ""
    if agree is not None and agree == left:
        return f"… {left} {word} agree"
    return f"… {left} more {word}" + (f", {wrong} of them differ" if wrong else "")


def _difference(expected: str, given: str) -> str:
    try:
        difference = float(given) - float(expected)
    except ValueError:
        return ""
    if not math.isfinite(difference) or difference == 0:
        return ""
    return f"off by {abs(difference):.6g}"


def _is_array(shown: Shown) -> bool:
    return shown.kind in ("tensor", "array") and shown.shape is not None


def _shape(shown: Shown) -> str:
    return str(tuple(shown.shape or ()))
