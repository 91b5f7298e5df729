"""Compares expected and given values: shapes first if they differ, then numbers.

Given entries that differ are marked. If most entries agree, the rest is left out.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from autograder.judge.report import Detail, Shown
from autograder.web.numbers import minus, pair, short

SQUARE = 8  # of larger arrays, only rows that differ are shown
LIST = 12


@dataclass(frozen=True)
class Row:
    """One number by its name."""

    name: str
    expected: str
    given: str
    off: bool
    say: str = ""


@dataclass(frozen=True)
class Cell:
    text: str
    full: str
    off: bool


@dataclass(frozen=True)
class Line:
    """One row of an array. `name` is its index if the array has more than two dimensions or is shortened."""

    name: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Grid:
    """One side of an array comparison."""

    lane: str
    lines: tuple[Line, ...]
    more: str = ""


@dataclass(frozen=True)
class Sides:
    """The comparison below a failed check: a table of shapes, a table of numbers, a pair of arrays, or two texts."""

    rows: tuple[Row, ...] = ()
    heading: str = ""
    shapes: bool = False
    grids: tuple[Grid, ...] = ()
    say: str = ""
    more: str = ""


def sides_of(detail: Detail) -> Sides | None:
    expected, given = detail.expected, detail.given
    if expected is None or given is None:
        return None
    if _is_array(expected) and _is_array(given) and expected.shape != given.shape:
        row = Row(detail.what or "answer", _shape(expected), _shape(given), off=True)
        return Sides(rows=(row,), heading="Shape of", shapes=True)
    if expected.names and len(expected.names) == len(expected.values) == len(given.values):
        return _table(expected.names, expected, given, detail, "Of")
    if len(expected.values) == 1 and len(given.values) == 1:
        off = (0,) if expected.values != given.values else ()
        return _table((detail.what or "answer",), expected, given, detail, "", off)
    if _is_array(expected) and expected.shape == given.shape and len(expected.shape or ()) >= 1:
        return _arrays(expected, given, detail)
    if len(expected.values) == len(given.values):
        return _table([f"[{n}]" for n in range(len(expected.values))], expected, given, detail, "Entry")
    return _texts(expected, given, detail)


def line_of(shown: Shown) -> str:
    """Format a value on one line, for the inputs of a check."""
    texts = [short(text) for text in shown.values]
    if shown.shape is None or (len(texts) == 1 and not shown.shape):
        return ", ".join(texts)
    inner = ", ".join(texts[:LIST]) + (", …" if len(texts) > LIST or shown.cut else "")
    return f"[{inner}]" + (f" of shape {_shape(shown)}" if len(shown.shape) > 1 else "")


def _table(
    names: Sequence[str], expected: Shown, given: Shown, detail: Detail, heading: str, off: Sequence[int] | None = None
) -> Sides:
    wrong = set(detail.differing if off is None else off)
    if not wrong and off is None:
        wrong = {n for n, (left, right) in enumerate(zip(expected.values, given.values, strict=True)) if left != right}
    order = list(range(len(names)))
    kept = order if len(order) <= LIST else [n for n in order if n in wrong][:LIST]
    rows = []
    for n in kept:
        left, right = pair(expected.values[n], given.values[n]) if n in wrong else (short(expected.values[n]),) * 2
        say = _apart(expected.values[n], given.values[n]) if n in wrong else ""
        rows.append(Row(minus(names[n]), left, right, n in wrong, say))
    return Sides(rows=tuple(rows), heading=heading, more=_rest(len(order) - len(kept), len(wrong - set(kept)), "values"))


def _arrays(expected: Shown, given: Shown, detail: Detail) -> Sides:
    """Compare two arrays. Of large ones, only the rows that differ are shown."""
    shape = expected.shape or ()
    width = shape[-1] if shape else 1
    wrong = set(detail.differing)
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
    more = _rest(math.prod(shape[:-1]) - len(kept), 0, "rows", agree=len(starts) - len(kept) if not expected.cut else None)
    grids = tuple(
        Grid(lane, tuple(_line(side, name if named else "", at, columns, marked) for name, at in kept), more)
        for lane, side, marked in (("expected", expected, set[int]()), ("yours", given, wrong))
    )
    total = math.prod(shape)
    return Sides(grids=grids, say=f"{len(wrong)} of {total} entries differ." if wrong and not expected.cut else "")


def _starts(shape: tuple[int, ...], values: int, width: int) -> Iterator[tuple[str, int]]:
    """Yield each complete row: its index, and its offset in the flat values."""
    if width == 0:
        return
    for n, index in enumerate(product(*(range(size) for size in shape[:-1]))):
        if (n + 1) * width > values:
            return
        yield f"[{', '.join(map(str, index))}]" if index else "", n * width


def _line(side: Shown, name: str, at: int, columns: range, marked: set[int]) -> Line:
    cells = [Cell(short(side.values[at + n]), minus(side.values[at + n]), at + n in marked) for n in columns]
    return Line(name, tuple(cells))


def _texts(expected: Shown, given: Shown, detail: Detail) -> Sides:
    row = Row(detail.what or "answer", line_of(expected), line_of(given), off=True)
    return Sides(rows=(row,), heading="")


def _rest(left: int, wrong: int, word: str, agree: int | None = None) -> str:
    if left <= 0:
        return ""
    if agree is not None and agree == left:
        return f"… {left} {word} agree"
    return f"… {left} more {word}" + (f", {wrong} of them differ" if wrong else "")


def _apart(expected: str, given: str) -> str:
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
