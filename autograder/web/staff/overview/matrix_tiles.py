"""Renders the matrix of students and exercises. Its tiles are built here instead of in a template, because a page has
thousands.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from autograder.courses.models import Assignment
from autograder.gradebook.grades.matrix import MatrixRow, ProgressMatrix, Tile, TileState
from autograder.web import numbers

TICK = mark_safe('<svg viewBox="0 0 12 12" aria-hidden="true"><path d="M2 6.3l3 3 5-6"/></svg>')
SIGNS = {TileState.PASSED: TICK, TileState.FAILED: "✕", TileState.WAITING: "…"}
SOME_NUMBER = 987654321
BAR = 22.0  # maximum height of the bars in the footer


@dataclass(frozen=True)
class MatrixColumn:
    assignment: Assignment
    begins_unit: bool
    passed: int
    bar: float

    @property
    def top(self) -> float:
        return round(1 + BAR - self.bar, 1)


@dataclass(frozen=True)
class TileRow:
    """A student with a list of tiles, each with whether a new unit begins there."""

    name: str
    where: str
    stuck: bool
    tiles: tuple[tuple[SafeString, bool], ...]


def matrix_columns(matrix: ProgressMatrix) -> tuple[MatrixColumn, ...]:
    passed, students = matrix.passed, len(matrix.rows) or 1
    units = [assignment.unit for assignment in matrix.assignments]
    return tuple(
        MatrixColumn(
            assignment,
            n > 0 and units[n - 1] != assignment.unit,
            passed[assignment.pk],
            round(BAR * passed[assignment.pk] / students, 1),
        )
        for n, assignment in enumerate(matrix.assignments)
    )


def units_of(columns: Sequence[MatrixColumn]) -> list[tuple[str, int, bool]]:
    """Return (title, number of columns, whether it is not the first) for each unit."""
    runs = [(unit, len(list(group))) for unit, group in groupby(columns, key=lambda column: column.assignment.unit)]
    return [(unit, width, n > 0) for n, (unit, width) in enumerate(runs)]


def matrix_rows(rows: Sequence[MatrixRow], columns: Sequence[MatrixColumn], course: str) -> Iterator[TileRow]:
    submission, student = (reverse(page, args=(course, SOME_NUMBER)) for page in ("submission", "student"))
    for row in rows:
        tiles = tuple(
            (tile_html(row.tile(column.assignment), column.assignment, submission), column.begins_unit) for column in columns
        )
        where = student.replace(str(SOME_NUMBER), str(row.student.pk))
        yield TileRow(row.student.user.display_name, where, row.stuck, tiles)


def tile_html(tile: Tile, assignment: Assignment, where: str) -> SafeString:
    """`where` is the URL of a submission with SOME_NUMBER as a placeholder."""
    state, words = tile.state, tile_words(tile, assignment)
    level = f" l{tile_level(tile)}" if state is TileState.PARTIAL else ""
    sign = str(tile.attempts) if state is TileState.STUCK else SIGNS.get(state, "")
    if tile.newest is None:
        return format_html('<span class="cell {}{}">{}<span class="sr">{}</span></span>', state, level, sign, words)
    address = where.replace(str(SOME_NUMBER), str(tile.newest))
    return format_html('<a class="cell {}{}" href="{}">{}<span class="sr">{}</span></a>', state, level, address, sign, words)


def tile_level(tile: Tile) -> int:
    """The share in tenths, from 1 to 9: no and full points are separate states."""
    return min(9, max(1, round(tile.share * 10)))


def tile_words(tile: Tile, assignment: Assignment) -> str:
    match tile.state:
        case TileState.STUCK:
            return " attempts, stuck"
        case TileState.PARTIAL:
            reached = round(tile.share * float(assignment.points_for_checks), 2)
            return f"{numbers.points(reached)} of {numbers.points(assignment.points_for_checks)}"
        case state:
            return {
                TileState.PASSED: "passed",
                TileState.FAILED: "no points",
                TileState.WAITING: "being graded",
                TileState.INTERNAL: "internal error",
            }.get(state, "not started")
