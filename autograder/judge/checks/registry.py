"""The decorators with which a `checks.py` declares its checks."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from autograder.judge.checks.student import Student
from autograder.judge.outcome import ListedCheck

CheckFunction = Callable[[Student, np.random.Generator], None]

_registering: list["Check"] = []
_varieties: list[CheckFunction] = []


@dataclass(frozen=True)
class Check:
    """One check: its id, title, points and limits, and the function that runs it."""

    id: str
    title: str
    points: float
    hidden: bool
    seconds: float | None
    run: CheckFunction = field(compare=False)
    fixed: str = ""

    @property
    def listed(self) -> ListedCheck:
        return ListedCheck(self.id, self.title, self.hidden, self.points)


def check(
    title: str, *, points: float, hidden: bool = False, seconds: float | None = None, fixed: str = ""
) -> Callable[[CheckFunction], CheckFunction]:
    """Declares a check. Its id is the function's name. `seconds` is its CPU time in the sandbox, if the default of half a
    second is not enough.

    `fixed` says why the expected values may be zero or the same for every seed.
    """

    def declare(function: CheckFunction) -> CheckFunction:
        name = function.__name__.replace("_", "-")
        _registering.append(Check(name, title, float(points), hidden, seconds, function, fixed))
        return function

    return declare


def variety(function: CheckFunction) -> CheckFunction:
    """Declares random questions, covering everything that the exercise allows, that show whether two programs are equivalent.

    They decide no verdict. The linter asks them many times of the reference and of mutants that no check kills, and
    compares the answers.
    """
    _varieties.append(function)
    return function


def collect(execute: Callable[[], None]) -> tuple[list[Check], CheckFunction | None]:
    """The checks and the variety, if any, that `execute` declares."""
    _registering.clear()
    _varieties.clear()
    try:
        execute()
        return list(_registering), _varieties[-1] if _varieties else None
    finally:
        _registering.clear()
        _varieties.clear()
