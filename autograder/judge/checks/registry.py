"""How a `checks.py` declares its checks."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from autograder.judge.student import Student

CheckFunction = Callable[[Student, np.random.Generator], None]

_registering: list["Check"] = []
_varieties: list[CheckFunction] = []


@dataclass(frozen=True)
class Check:
    """One check: what it says it tests, what it is worth, and the function that decides."""

    id: str
    title: str
    points: float
    hidden: bool
    seconds: float | None
    run: CheckFunction = field(compare=False)
    fixed: str = ""


def check(
    title: str, *, points: float, hidden: bool = False, seconds: float | None = None, fixed: str = ""
) -> Callable[[CheckFunction], CheckFunction]:
    """Declare a check. Its id is the function's name; `seconds` is what it may compute in the sandbox, where the half second
    that every check has is not enough.

    `fixed` says why the expected values may be the same for every seed, or zero, where that is the contract's point.
    """

    def declare(function: CheckFunction) -> CheckFunction:
        name = function.__name__.replace("_", "-")
        _registering.append(Check(name, title, float(points), hidden, seconds, function, fixed))
        return function

    return declare


def variety(function: CheckFunction) -> CheckFunction:
    """Declare the questions that show whether two programs are equivalent: everything the contract allows, drawn at random.

    Nothing is decided in it. The linter asks them of the reference and of a mutant that no check kills, many times, and
    compares the answers.
    """
    _varieties.append(function)
    return function


def collect(execute: Callable[[], None]) -> tuple[list[Check], CheckFunction | None]:
    """The checks that are declared while `execute` runs, and the variety if there is one."""
    _registering.clear()
    _varieties.clear()
    try:
        execute()
        return list(_registering), _varieties[-1] if _varieties else None
    finally:
        _registering.clear()
        _varieties.clear()
