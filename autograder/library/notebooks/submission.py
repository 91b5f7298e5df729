"""Turns a submitted notebook into the source that is graded.

A notebook that was downloaded from an exercise has marked cells, and only those count. Of any other notebook all code cells do,
without top-level expressions and assertions, which only show or test something. A comment above each cell says which one it was.
"""

import ast
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import msgspec

from autograder.judge.files import FilesError, listed
from autograder.library.notebooks import document, magics
from autograder.library.notebooks.document import Cell, Notebook
from sandbox.wire import Limits

MAX_CODE = Limits().source_bytes
MAX_NAMED = 5  # cells named in a note
MayAdd = Callable[[str], bool]  # whether students may add a file of this path
CHECKS_MARK = {"role": "checks"}  # of the cell that runs the checks
CHANGED = "Lines that only work in a notebook are now comments."
CHANGED_AND_DROPPED = "Lines that only work in a notebook, top-level expressions and assertions are now comments."
_HEADING = re.compile(r"# ==== file: \S+ ====[ \t]*(?:\n|$)")
_CELL = re.compile(r"# cell \d+\n")


class Mark(msgspec.Struct, frozen=True):
    """The mark of a cell in a downloaded notebook: a part of a file of the exercise."""

    file: str
    part: int


class NotebookMark(msgspec.Struct, frozen=True):
    """The mark of a downloaded notebook: the slug of its exercise."""

    exercise: str = ""


@dataclass(frozen=True)
class CodeCell:
    """A code cell that is not empty. `number` counts code cells from 1, as Jupyter does when all cells are run."""

    number: int
    text: str
    mark: Mark | None


@dataclass(frozen=True)
class NotebookCode:
    """The code of a notebook by file. The name is empty if the notebook does not say which file it is."""

    files: dict[str, bytes]
    notes: tuple[str, ...]


def code_of(
    data: bytes, name: str, exercise: str, files: Sequence[str], may_add: MayAdd = lambda path: False
) -> NotebookCode:
    """The code in a notebook file called `name` for an exercise of these files. Raises FilesError with a sentence."""
    notebook = document.read(data, name)
    _check_exercise(notebook, name, exercise)
    cells = _code_cells(notebook, name)
    marked = [cell for cell in cells if cell.mark is not None]
    if not cells or (not marked and not any(cell.text.strip() for cell in cells)):
        raise FilesError(f"{name} contains no code cells.")
    if sum(len(cell.text) for cell in marked or cells) > MAX_CODE:
        raise FilesError(f"The code in {name} has more than {MAX_CODE:,} bytes, the maximum size of a submission.")
    return _marked(marked, cells, name, files, may_add) if marked else _unmarked(cells, name)


def without_cell_comment(code: str) -> str:
    """The code of a cell without the comment that says which cell it was."""
    return _CELL.sub("", code, count=1) if _CELL.match(code) else code


def _check_exercise(notebook: Notebook, name: str, exercise: str) -> None:
    if notebook.metadata.gradus is None:
        return
    try:
        of = msgspec.convert(notebook.metadata.gradus, NotebookMark).exercise
    except msgspec.ValidationError as error:
        raise FilesError(
            f"The mark of {name} is damaged. Download the notebook again and copy your code into it."
        ) from error
    if of and exercise and of != exercise:
        raise FilesError(f"{name} is the notebook of another exercise, {of[:60]}. Send the notebook of {exercise}.")


def _code_cells(notebook: Notebook, name: str) -> list[CodeCell]:
    """The code cells but for the one that runs the checks."""
    cells = enumerate((cell for cell in notebook.cells if cell.cell_type == "code"), 1)
    return [
        CodeCell(number, without_cell_comment(cell.text), _mark_of(cell, number, name))
        for number, cell in cells
        if cell.metadata.gradus != CHECKS_MARK
    ]


def _mark_of(cell: Cell, number: int, name: str) -> Mark | None:
    found = cell.metadata.gradus
    if found is None:
        return None
    try:
        return msgspec.convert(found, Mark)
    except msgspec.ValidationError as error:
        raise FilesError(
            f"The mark of code cell {number} in {name} is damaged. Download the notebook again and copy your code into it."
        ) from error


def _marked(
    marked: Sequence[CodeCell], cells: Sequence[CodeCell], name: str, files: Sequence[str], may_add: MayAdd
) -> NotebookCode:
    seen: dict[Mark, int] = {}
    texts: dict[str, list[str]] = {}
    changed = False
    for cell in marked:
        assert cell.mark is not None
        mark = cell.mark
        if mark.file not in files and not may_add(mark.file):
            raise FilesError(
                f"Code cell {cell.number} in {name} belongs to {mark.file[:80]}, which is not a file of this exercise. "
                f"Send the notebook of this exercise, with {listed(files)}."
            )
        if mark in seen:
            raise FilesError(
                f"Code cells {seen[mark]} and {cell.number} in {name} are both marked as part {mark.part} of {mark.file}. "
                "Merge them, or delete one of them."
            )
        seen[mark] = cell.number
        text = _HEADING.sub("", cell.text, count=1) if _HEADING.match(cell.text) else cell.text
        code = _python(text, cell.number, name)
        changed = changed or code != text
        texts.setdefault(mark.file, []).append(_numbered(code, cell.number))
    unused = [cell.number for cell in cells if cell.mark is None and cell.text.strip()]
    notes = (*_unused(unused, name), *([CHANGED] if changed else []))
    ordered = (*(path for path in files if path in texts), *(path for path in texts if path not in files))
    return NotebookCode({path: _source(texts[path], name) for path in ordered}, notes)


def _unmarked(cells: Sequence[CodeCell], name: str) -> NotebookCode:
    texts, changed = [], False
    for cell in cells:
        code = _without_demonstrations(_python(cell.text, cell.number, name))
        changed = changed or code != cell.text
        if code.strip():
            texts.append(code if _HEADING.match(code) else _numbered(code, cell.number))
    return NotebookCode({"": _source(texts, name)}, (CHANGED_AND_DROPPED,) if changed else ())


def _python(text: str, number: int, name: str) -> str:
    try:
        return magics.python_of(text)
    except magics.NotPython as error:
        raise FilesError(f"Code cell {number} in {name} is not valid Python: line {error.line}: {error.reason}.") from error


def _without_demonstrations(code: str) -> str:
    return magics.commented(code, magics.whole_lines(code, filter(_is_demonstration, magics.parsed(code).body)))


def _is_demonstration(node: ast.stmt) -> bool:
    """Whether a top-level statement only shows or tests something. A docstring stays."""
    if isinstance(node, ast.Assert):
        return True
    return isinstance(node, ast.Expr) and not (isinstance(node.value, ast.Constant) and isinstance(node.value.value, str))


def _numbered(code: str, number: int) -> str:
    return f"# cell {number}\n{code.rstrip()}\n"


def _source(texts: Sequence[str], name: str) -> bytes:
    try:
        return "\n\n".join(texts).encode()
    except UnicodeEncodeError as error:
        raise FilesError(f"{name} contains characters that are not valid text. Remove them and send it again.") from error


def _unused(numbers: Sequence[int], name: str) -> tuple[str, ...]:
    if not numbers:
        return ()
    shown = [str(number) for number in numbers[:MAX_NAMED]]
    more = [f"{len(numbers) - MAX_NAMED:,} more"] if len(numbers) > MAX_NAMED else []
    one = len(numbers) == 1
    return (
        f"Code cell{'' if one else 's'} {listed([*shown, *more])} of {name} {'does' if one else 'do'} not belong to the exercise "
        f"and {'is' if one else 'are'} not used.",
    )
