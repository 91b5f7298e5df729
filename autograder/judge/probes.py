"""Functions of a checks file that run beside the student's code, shipped as source: no secrets, no globals."""

import ast
import builtins
import dis
import inspect
import textwrap
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Probe:
    """A function that runs beside the student's code. Shipped as source: it may hold no secret and sees no globals."""

    name: str
    source: str
    line: int


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


def _globals_of(code: types.CodeType) -> Iterator[str]:
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("LOAD_GLOBAL", "STORE_GLOBAL"):
            yield str(instruction.argval)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _globals_of(constant)
