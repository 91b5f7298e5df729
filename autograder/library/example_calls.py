"""The initial text of an exercise's scratch cell: calls of the student's code, taken from the statement.

An author can write them in a fenced block named `python scratch`, which is not shown in the statement. Otherwise the first
example in the statement that uses an entry point is chosen. Checks, public or hidden, are not used.
"""

import ast
import builtins
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from markdown_it import MarkdownIt

AUTHORED = "python scratch"
MODULES = {"torch": "import torch", "np": "import numpy as np", "math": "import math"}


@dataclass(frozen=True)
class Example:
    """A block of Python in a statement."""

    text: str
    tree: ast.Module

    @cached_property
    def used(self) -> set[str]:
        return {node.id for node in ast.walk(self.tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}

    @cached_property
    def bound(self) -> set[str]:
        names = {node.id for node in ast.walk(self.tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        return names | {node.name for node in ast.walk(self.tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}


def of(statement: str, starter: str, entry_points: Sequence[str], signatures: Sequence[str]) -> str:
    """Return code to run with the student's code. If the statement has no example, return comments that list the entry points."""
    blocks = _blocks(statement)
    for name, text in blocks:
        if name == AUTHORED:
            return text.strip() + "\n"
    examples = [example for name, text in blocks if name == "python" and (example := _example(text))]
    for number, example in enumerate(examples):
        if example.used & set(entry_points):
            chosen = [*_needed(example, examples[:number]), example]
            shown = _shown(example, entry_points, starter)
            parts = ["\n".join(_imports(chosen, starter)), *(each.text for each in chosen), "\n".join(shown)]
            return "\n".join(part for part in parts if part) + "\n"
    return "".join(("# Call your code here, for example:\n", *(f"# {signature}\n" for signature in signatures)))


def _blocks(statement: str) -> list[tuple[str, str]]:
    tokens = MarkdownIt("commonmark").parse(statement)
    return [(token.info.strip(), token.content) for token in tokens if token.type == "fence"]


def _example(text: str) -> Example | None:
    try:
        return Example(text.strip("\n"), ast.parse(text))
    except SyntaxError:
        return None


def _needed(example: Example, before: Iterable[Example]) -> list[Example]:
    """Return earlier examples that define names which this one uses without defining them."""
    missing = example.used - example.bound - set(dir(builtins))
    return [each for each in before if each.bound & missing]


def _imports(chosen: Iterable[Example], starter: str) -> list[str]:
    """Return the imports of modules that the examples use and the starter does not import."""
    used = {name for example in chosen for name in example.used}
    return [line for name, line in MODULES.items() if name in used and line not in starter.splitlines()]


def _shown(example: Example, entry_points: Collection[str], starter: str) -> list[str]:
    """Return lines that print something after an example that ends with a value of the student's class: the backward pass
    and the gradients, if the class has them."""
    last = example.tree.body[-1]
    lines = []
    if isinstance(last, ast.Assign) and isinstance(last.targets[0], ast.Name) and "def backward(self" in starter:
        lines.append(f"{last.targets[0].id}.backward()")
    if lines or _is_backward(last):
        leaves = _made_by(example.tree, entry_points)
        lines.append(", ".join(f"{name}.grad" for name in leaves))
    return [line for line in lines if line]


def _is_backward(statement: ast.stmt) -> bool:
    call = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "backward"


def _made_by(tree: ast.Module, entry_points: Collection[str]) -> list[str]:
    """Return the names assigned from calls of an entry point: `a` and `b` for `a, b = Value(2.0), Value(3.0)`."""
    found: list[str] = []
    for statement in tree.body:
        if not isinstance(statement, ast.Assign):
            continue
        target, value = statement.targets[0], statement.value
        targets = target.elts if isinstance(target, ast.Tuple) else [target]
        values = value.elts if isinstance(value, ast.Tuple) else [value]
        for name, call in zip(targets, values, strict=False):
            made = isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in entry_points
            if made and isinstance(name, ast.Name):
                found.append(name.id)
    return found
