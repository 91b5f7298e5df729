"""How a `checks.py` declares its checks."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from autograder.judge.student import Student

CheckFunction = Callable[[Student, np.random.Generator], None]

_registering: list["Check"] = []


@dataclass(frozen=True)
class Check:
    """One check: what it says it tests, what it is worth, and the function that decides."""

    id: str
    title: str
    points: float
    hidden: bool
    seconds: float | None
    run: CheckFunction = field(compare=False)


def check(
    title: str, *, points: float, hidden: bool = False, seconds: float | None = None
) -> Callable[[CheckFunction], CheckFunction]:
    """Declare a check. Its id is the function's name; `seconds` is the longest that one answer may take."""

    def declare(function: CheckFunction) -> CheckFunction:
        name = function.__name__.replace("_", "-")
        _registering.append(Check(name, title, float(points), hidden, seconds, function))
        return function

    return declare


def collect(execute: Callable[[], None]) -> list[Check]:
    """The checks that are declared while `execute` runs."""
    _registering.clear()
    try:
        execute()
        return list(_registering)
    finally:
        _registering.clear()
