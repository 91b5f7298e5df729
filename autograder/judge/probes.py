"""Defines probes: functions of a checks file that run in the process of the student's code, sent as source."""

import ast
import builtins
import inspect
import symtable
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Probe:
    """A function that runs in the process of the student's code. It is sent as source, sees no globals and must hold no
    secret."""

    name: str
    source: str
    line: int


def probe(function: Callable[..., Any]) -> Probe:
    """Turns a function of a checks file into a probe. Its first parameter is the student's module."""
    lines, line = inspect.getsourcelines(function)
    tree = ast.parse(textwrap.dedent("".join(lines)))
    definition = tree.body[0]
    assert isinstance(definition, ast.FunctionDef)
    definition.decorator_list = []
    source = "from __future__ import annotations\n" + ast.unparse(definition)
    unknown = sorted({*_globals_of(source), *function.__code__.co_freevars} - set(dir(builtins)))
    if unknown:
        raise NameError(
            f"probe {function.__name__} uses {', '.join(unknown)} from outside itself; a probe is sent without its module: "
            "import inside it and pass data as arguments"
        )
    return Probe(function.__name__, source, line)


def _globals_of(source: str) -> Iterator[str]:
    """Names that the probe cannot resolve on its own: in its body, its nested scopes and its defaults."""
    waiting = [symtable.symtable(source, "<probe>", "exec")]
    (own,) = (child.get_name() for child in waiting[0].get_children())
    for table in waiting:
        waiting += table.get_children()
        for symbol in table.get_symbols():
            used = symbol.is_referenced() or symbol.is_assigned()
            top = table.get_type() == "module"
            if used and (symbol.is_global() or top) and symbol.get_name() not in (own, "annotations"):
                yield symbol.get_name()
