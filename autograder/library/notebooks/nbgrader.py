"""Reads source notebooks of nbgrader (0.9, metadata schema 3). What is manually graded has no place in an exercise."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from autograder.library.notebooks import magics
from autograder.library.notebooks.assignment import Assignment, Given, ImportRefused, Task, Test, Text
from autograder.library.notebooks.document import Cell, Notebook
from autograder.library.notebooks.stubs import UNFINISHED, checked_starter

SCHEMA = 3
SOLUTION, HIDDEN_TESTS, MARK_SCHEME = "SOLUTION", "HIDDEN TESTS", "MARK SCHEME"
YOUR_CODE = "# YOUR CODE HERE"
_MARK = re.compile(r"\b(BEGIN|END) (SOLUTION|HIDDEN TESTS|MARK SCHEME)\b")


class Metadata(msgspec.Struct):
    """The role of a cell, as nbgrader stores it."""

    grade: bool = False
    solution: bool = False
    task: bool = False
    locked: bool = False
    points: float | None = None
    grade_id: str = ""
    schema_version: int = 1


@dataclass(frozen=True)
class Line:
    """A line and the marked region that it is in, empty outside. Lines with marks are left out."""

    text: str
    region: str


def is_nbgrader(notebook: Notebook) -> bool:
    return any(cell.metadata.nbgrader is not None for cell in notebook.cells)


def read(notebook: Notebook) -> Assignment:
    """The assignment in a source notebook. Raises ImportRefused."""
    assignment = Assignment()
    for number, cell in enumerate(notebook.cells, 1):
        metadata = _metadata(cell, number)
        if cell.attachments:
            assignment.leave_out(number, "attachments, such as pictures")
        if cell.cell_type == "raw" or not cell.text.strip():
            continue
        if cell.cell_type == "markdown":
            _read_text(assignment, number, cell.text, metadata)
        else:
            _read_code(assignment, number, cell.text, metadata)
    return assignment


def _metadata(cell: Cell, number: int) -> Metadata:
    if cell.metadata.nbgrader is None:
        return Metadata(schema_version=SCHEMA)
    try:
        metadata = msgspec.convert(cell.metadata.nbgrader, Metadata)
    except msgspec.ValidationError as error:
        raise ImportRefused(f"The nbgrader metadata of cell {number} is damaged: {error}.") from error
    if metadata.schema_version != SCHEMA:
        raise ImportRefused(
            f"Cell {number} has nbgrader metadata of version {metadata.schema_version}, but version {SCHEMA} is needed. "
            "Convert the notebook with nbgrader update."
        )
    return metadata


def _read_text(assignment: Assignment, number: int, text: str, metadata: Metadata) -> None:
    shown = "\n".join(line.text for line in _lines(text, number) if not line.region)
    if metadata.solution or metadata.task:
        assignment.leave_out(number, f"a question that is graded by hand{_worth(metadata.points)}")
        shown = shown if metadata.task else ""
    if shown.strip():
        assignment.parts.append(Text(shown))


def _read_code(assignment: Assignment, number: int, text: str, metadata: Metadata) -> None:
    if metadata.solution and metadata.grade:
        assignment.leave_out(number, f"the points for code that is graded by hand{_worth(metadata.points)}")
    lines = list(_lines(text, number))
    if metadata.grade and not metadata.solution:
        assignment.parts += _tests(lines, number, metadata)
    elif metadata.solution or any(line.region == SOLUTION for line in lines):
        assignment.parts.append(_task(lines, number))
    else:
        assignment.parts.append(Given(number, "\n".join(line.text for line in lines if not line.region)))


def _task(lines: list[Line], number: int) -> Task:
    solution = "\n".join(line.text for line in lines if line.region != MARK_SCHEME)
    starter: list[str] = []
    before = ""
    for line in lines:
        if line.region == SOLUTION and before != SOLUTION:
            starter += _your_code(line.text)
        if not line.region:
            starter.append(line.text)
        before = line.region
    try:
        solution = magics.python_of(solution)
        return Task(number, solution, checked_starter("\n".join(starter), solution))
    except magics.NotPython as error:
        raise ImportRefused(
            f"The solution in cell {number} is not valid Python: line {error.line}: {error.reason}."
        ) from error


def _tests(lines: list[Line], number: int, metadata: Metadata) -> Iterator[Test]:
    """A check of what students may read and, with hidden tests, one of everything, which is worth the points of the cell."""
    whole = "\n".join(line.text for line in lines)
    shown = "\n".join(line.text for line in lines if line.region != HIDDEN_TESTS)
    title, points = _title(metadata.grade_id, number), max(0.0, metadata.points or 0.0)
    has_hidden = any(line.region == HIDDEN_TESTS for line in lines)
    if _has_code(shown):
        yield Test(number, title, shown, 0.0 if has_hidden else points, hidden=False, shown=shown)
    if has_hidden:
        yield Test(number, f"{title}, hidden tests", whole, points, hidden=True)


def _has_code(text: str) -> bool:
    return any(line.strip() and not line.lstrip().startswith("#") for line in text.split("\n"))


def _lines(text: str, number: int) -> Iterator[Line]:
    region = ""
    for line in text.split("\n"):
        mark = _MARK.search(line)
        if mark is None:
            yield Line(line, region)
        elif (mark[1] == "BEGIN") == bool(region) or (region and mark[2] != region):
            raise ImportRefused(f"In cell {number} the line {line.strip()[:80]!r} has no counterpart.")
        else:
            region = mark[2] if mark[1] == "BEGIN" else ""
    if region:
        raise ImportRefused(f"In cell {number} BEGIN {region} has no END {region}.")


def _your_code(line: str) -> list[str]:
    """What stands in place of a solution: in a function it raises, at the top it does nothing."""
    indent = line[: len(line) - len(line.lstrip())]
    return [f"{indent}{YOUR_CODE}", f"{indent}{UNFINISHED}" if indent else "..."]


def _title(grade_id: str, number: int) -> str:
    words = re.sub(r"[\W_]+", " ", grade_id).strip()
    words = re.sub(r"^tests? | tests?$", "", words, flags=re.IGNORECASE).strip()
    return words[:1].upper() + words[1:80] if words else f"Tests in cell {number}"


def _worth(points: float | None) -> str:
    return f" ({points:g} points)" if points else ""
