"""What an assignment of another grader consists of, before it becomes an exercise."""

import re
from dataclasses import dataclass, field

_CELL = re.compile(r"cell (\d+): ")


class ImportRefused(Exception):
    """Raised if a notebook cannot become an exercise. The message is a sentence for the author."""


@dataclass(frozen=True)
class Text:
    """A Markdown cell for the statement."""

    text: str


@dataclass(frozen=True)
class Given:
    """A code cell that students have as it is: imports, helpers, data."""

    cell: int
    code: str


@dataclass(frozen=True)
class Task:
    """A code cell that students complete. `starter` is what they begin with."""

    cell: int
    solution: str
    starter: str


@dataclass(frozen=True)
class Test:
    """A test that becomes a check. `shown` is the part of it that students may read, empty if there is none."""

    cell: int
    title: str
    code: str
    points: float
    hidden: bool
    shown: str = ""


Part = Text | Given | Task | Test


@dataclass
class Assignment:
    """The parts in the order of the notebook, and the list of what could not be carried, for the author."""

    title: str = ""
    parts: list[Part] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    def leave_out(self, cell: int, what: str) -> None:
        """Add a line to the list. Cells count from 1, with those of text."""
        self.left_out.append(f"cell {cell}: {what}")

    @property
    def sorted_list(self) -> tuple[str, ...]:
        """The list in the order of the notebook. What is about all of it comes last."""
        numbers = [int(found[1]) if (found := _CELL.match(line)) else None for line in self.left_out]
        last = len(self.left_out)
        pairs = sorted(zip(numbers, self.left_out, strict=True), key=lambda pair: (pair[0] is None, pair[0] or last))
        return tuple(dict.fromkeys(line for _, line in pairs))

    @property
    def tests(self) -> list[Test]:
        return [part for part in self.parts if isinstance(part, Test)]

    @property
    def tasks(self) -> list[Task]:
        return [part for part in self.parts if isinstance(part, Task)]
