"""Reads master notebooks of Otter Assign (7, Python). Raw cells mark questions, prompts, solutions and tests."""

import re
from dataclasses import dataclass, field, replace

from autograder.library.notebooks import magics
from autograder.library.notebooks.assignment import Assignment, Given, ImportRefused, Task, Test, Text
from autograder.library.notebooks.document import Cell, Notebook
from autograder.library.notebooks.otter_settings import Settings, first_of, number_of, settings_of
from autograder.library.notebooks.otter_solutions import has_marks, removed
from autograder.library.notebooks.otter_tests import CannotCarry, call_of, comparison_of, is_ignored, test_cell_of
from autograder.library.notebooks.stubs import checked_starter

QUESTION, PROMPT, SOLUTION, TESTS = "QUESTION", "PROMPT", "SOLUTION", "TESTS"
_BOUNDARY = re.compile(r"#\s*(BEGIN|END) (QUESTION|PROMPT|SOLUTION|TESTS)\s*$", re.IGNORECASE)
_CONFIG = re.compile(r"#\s*ASSIGNMENT CONFIG\s*$", re.IGNORECASE)


@dataclass
class Question:
    """A question while it is read."""

    settings: Settings
    number: int
    tests: list[Test] = field(default_factory=list)
    own_points: list[float | None] = field(default_factory=list)

    @property
    def name(self) -> str:
        return first_of(self.settings, "name") or f"question in cell {self.number}"

    @property
    def manual(self) -> bool:
        return first_of(self.settings, "manual").lower() == "true"


def is_otter(notebook: Notebook) -> bool:
    return any(_boundary(cell) == ("BEGIN", QUESTION) or _is_config(cell) for cell in notebook.cells)


def read(notebook: Notebook) -> Assignment:
    """The assignment in a master notebook. Raises ImportRefused."""
    return _Reader().read(notebook)


class _Reader:
    def __init__(self) -> None:
        self._assignment = Assignment()
        self._blocks: list[str] = []
        self._question: Question | None = None
        self._functions = False  # whether tests are functions instead of expressions with outputs

    def read(self, notebook: Notebook) -> Assignment:
        for number, cell in enumerate(notebook.cells, 1):
            boundary = _boundary(cell)
            if cell.attachments:
                self._assignment.leave_out(number, "attachments, such as pictures")
            if _is_config(cell):
                self._configure(number, settings_of(cell.text))
            elif boundary is not None:
                self._cross(number, *boundary, settings_of(cell.text))
            elif cell.cell_type != "raw" and cell.text.strip():
                self._take(number, cell)
        if self._blocks:
            raise ImportRefused(f"BEGIN {self._blocks[-1]} has no END {self._blocks[-1]}.")
        return self._assignment

    def _configure(self, number: int, settings: Settings) -> None:
        self._assignment.title = first_of(settings, "name") or first_of(settings, "title")
        self._functions = first_of(settings, "ok_format").lower() == "false"
        for key, what in (("files", "files"), ("requirements", "requirements"), ("seed", "seeds"), ("variable", "seeds")):
            if settings.get(key):
                named = ", ".join(settings[key])
                self._assignment.leave_out(number, f"{what}: {named}" if named else what)

    def _cross(self, number: int, side: str, block: str, settings: Settings) -> None:
        if side == "END":
            if not self._blocks or self._blocks.pop() != block:
                raise ImportRefused(f"END {block} in cell {number} has no BEGIN {block}.")
            if block == QUESTION:
                self._finish()
            return
        inside = self._blocks[-1] if self._blocks else ""
        if inside != ("" if block == QUESTION else QUESTION):
            raise ImportRefused(
                f"BEGIN {block} in cell {number} must be {'outside of' if block == QUESTION else 'in'} a question."
            )
        self._blocks.append(block)
        if block == QUESTION:
            self._question = Question(settings, number)
            if self._question.manual:
                self._assignment.leave_out(number, f"{self._question.name}, which is graded by hand")

    def _finish(self) -> None:
        question, self._question = self._question, None
        if question is not None:
            self._assignment.parts += _with_points(question)

    def _take(self, number: int, cell: Cell) -> None:
        block = self._blocks[-1] if self._blocks else ""
        question = self._question
        if block == TESTS and question is not None:
            if cell.cell_type == "code":
                self._take_test(number, cell, question)
        elif cell.cell_type == "markdown":
            if block != SOLUTION:
                self._assignment.parts.append(Text(cell.text))
        elif block == SOLUTION or (block == "" and has_marks(cell.text)):
            self._assignment.parts.append(_task(cell.text, number))
        elif block == PROMPT:
            self._assignment.leave_out(
                number, "a code cell as prompt; the starter has the signatures of the solution instead"
            )
        elif not is_ignored(cell.text):
            self._assignment.parts.append(Given(number, cell.text))

    def _take_test(self, number: int, cell: Cell, question: Question) -> None:
        test = test_cell_of(cell.text)
        title = f"{question.name}, test {len(question.tests) + 1}"
        try:
            python = magics.python_of(test.code)
            code = call_of(python) if self._functions else comparison_of(python, cell)
        except magics.NotPython as error:
            self._assignment.leave_out(number, f"a test that is not valid Python ({error.reason})")
            return
        except CannotCarry as reason:
            self._assignment.leave_out(number, str(reason))
            return
        shown = "" if test.hidden else code
        question.tests.append(Test(number, title, code, 0.0, test.hidden, shown))
        question.own_points.append(test.points)


def _task(code: str, number: int) -> Task:
    solution, starter = removed(code)
    try:
        solution = magics.python_of(solution)
        return Task(number, solution, checked_starter(starter, solution))
    except magics.NotPython as error:
        raise ImportRefused(
            f"The solution in cell {number} is not valid Python: line {error.line}: {error.reason}."
        ) from error


def _with_points(question: Question) -> list[Test]:
    """The tests with their points: their own, those that the question lists, or an equal share of those of the question."""
    count = len(question.tests)
    listed = [number_of(text) for text in question.settings.get("points", [])]
    each = number_of(first_of(question.settings, "each"))
    points: list[float | None] = list(question.own_points)
    if each is not None:
        points = [each if own is None else own for own in points]
    elif len(listed) == count and count > 1:
        points = [given if own is None else own for given, own in zip(listed, points, strict=True)]
    total = listed[0] if len(listed) == 1 and listed[0] is not None else None
    open_ones = sum(own is None for own in points)
    left = (total if total is not None else 1.0 if open_ones == count else 0.0) - sum(own or 0.0 for own in points)
    shares = _shares(max(0.0, left), open_ones)
    return [
        replace(test, points=shares.pop() if own is None else own) for test, own in zip(question.tests, points, strict=True)
    ]


def _shares(points: float, count: int) -> list[float]:
    """Equal shares with two decimals, but for the first, which makes up the total."""
    share = round(points / count, 2) if count else 0.0
    return [round(points - share * (count - 1), 6), *[share] * (count - 1)] if count else []


def _boundary(cell: Cell) -> tuple[str, str] | None:
    found = _BOUNDARY.match(cell.text.split("\n")[0]) if cell.cell_type == "raw" else None
    return (found[1].upper(), found[2].upper()) if found else None


def _is_config(cell: Cell) -> bool:
    return cell.cell_type == "raw" and bool(_CONFIG.match(cell.text.split("\n")[0]))
