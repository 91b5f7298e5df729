"""How a `checks.py` declares its checks and probes."""

import ast
import builtins
import dis
import inspect
import textwrap
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from autograder.judge.student import Student

CheckFunction = Callable[["Student", np.random.Generator], None]

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


@dataclass(frozen=True)
class Probe:
    """A function that runs beside the student's code. Shipped as source: it may hold no secret and sees no globals."""

    name: str
    source: str
    line: int


def check(
    title: str, *, points: float, hidden: bool = False, seconds: float | None = None
) -> Callable[[CheckFunction], CheckFunction]:
    """Declare a check. Its id is the function's name; `seconds` is the longest that one answer may take."""

    def declare(function: CheckFunction) -> CheckFunction:
        name = function.__name__.replace("_", "-")
        _registering.append(Check(name, title, float(points), hidden, seconds, function))
        return function

    return declare


def probe(function: Callable[..., Any]) -> Probe:
    """Turn a function of a checks file into a probe. Its first parameter is the student's module."""
    lines, line = inspect.getsourcelines(function)
    tree = ast.parse(textwrap.dedent("".join(lines)))
    definition = tree.body[0]
    assert isinstance(definition, ast.FunctionDef)
    definition.decorator_list = []
    source = "from __future__ import annotations\n" + ast.unparse(definition)
    unknown = sorted(set(_globals_of(function.__code__)) - set(dir(builtins)))
    if unknown:
        raise NameError(
            f"probe {function.__name__} uses {', '.join(unknown)} from outside itself; a probe travels alone: "
            "import inside it and pass data as arguments"
        )
    return Probe(function.__name__, source, line)


def collect(execute: Callable[[], None]) -> list[Check]:
    """The checks that are declared while `execute` runs."""
    _registering.clear()
    try:
        execute()
        return list(_registering)
    finally:
        _registering.clear()


def _globals_of(code: types.CodeType) -> Iterator[str]:
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("LOAD_GLOBAL", "STORE_GLOBAL"):
            yield str(instruction.argval)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _globals_of(constant)
