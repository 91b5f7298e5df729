"""Generates versions of a reference that only careful checks can tell from it.

`mutants` models mistakes; this module models gaps in checks: arguments that are modified after their last use, one object
for all leaves with equal data, nan where a number is exactly 0 (in the result or only in the next derivative), an attribute
that is right only when it is first read. The linter requires checks to kill them like any mutant; the diagnosis does not use
them.
"""

import ast
import copy
from collections.abc import Iterator

from autograder.judge import mutants
from autograder.judge.mutants import Edit, Mutant, Operators

ARRAYS = {"torch.Tensor": ("torch", "{given}.data.add_(1)"), "np.ndarray": ("np", "{given}[...] += 1")}
LIBRARIES = ("np", "torch", "math")
READ = ("data", "grad")  # attributes of a value that checks read

SHARED_LEAVES = """
_leaves = {}
def __new__(cls, data, *rest, **more):
    fresh = object.__new__(cls)
    return fresh if rest or more else cls._leaves.setdefault(data, fresh)
"""
FIRST_READING = """
@property
def {name}(self):
    value, self._{name} = self._{name}, 0.0
    return value
@{name}.setter
def {name}(self, value):
    self._{name} = value
"""


def generate(source: str) -> list[Mutant]:
    """Every blind-spot version of this reference."""
    tree = ast.parse(source)
    names = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    library = next((name for name in ("torch", "np") if f"import {name}" in source or f"as {name}\n" in source), "")
    return mutants.generate(source, _BlindSpots(library, {*names, *LIBRARIES}).operators())


class _BlindSpots:
    """The operators for one reference. `known` are names of functions, classes and libraries, which hold no numbers."""

    def __init__(self, library: str, known: set[str]) -> None:
        self.library, self.known = library, known

    def operators(self) -> Operators:
        return [
            (ast.FunctionDef, (self.changed_arguments, self.returned)),
            (ast.ClassDef, (self.shared_leaves, self.first_readings)),
            (ast.AugAssign, (self.contributed,)),
        ]

    def changed_arguments(self, node: ast.FunctionDef) -> Iterator[Edit]:
        for argument in (*node.args.args, *node.args.kwonlyargs):
            annotation = "" if argument.annotation is None else ast.unparse(argument.annotation)
            if annotation in ARRAYS:
                changed = copy.deepcopy(node)
                keep, *edit = ast.parse(f"_given = {argument.arg}\n{ARRAYS[annotation][1].format(given='_given')}").body
                changed.body = [keep, ast.Try(body=changed.body, handlers=[], orelse=[], finalbody=edit)]
                yield Edit("changed-argument", f"`{node.name}` changes `{argument.arg}` before it returns", changed)

    def shared_leaves(self, node: ast.ClassDef) -> Iterator[Edit]:
        if _is_engine(node):
            changed = copy.deepcopy(node)
            changed.body += ast.parse(SHARED_LEAVES).body
            yield Edit("shared-leaves", f"a `{node.name}` of the same data is the same `{node.name}`", changed)

    def first_readings(self, node: ast.ClassDef) -> Iterator[Edit]:
        if not _is_engine(node) or node.decorator_list:  # a dataclass declares its attributes as defaults
            return
        for name in READ:
            changed = copy.deepcopy(node)
            for inner in ast.walk(changed):
                if isinstance(inner, ast.Attribute) and inner.attr == name:
                    inner.attr = f"_{name}"
            changed.body += ast.parse(FIRST_READING.format(name=name)).body
            yield Edit("first-reading", f"`.{name}` is 0 when it is read again", changed)

    def contributed(self, node: ast.AugAssign) -> Iterator[Edit]:
        """A contribution to a gradient becomes nan where one of its numbers is 0."""
        if isinstance(node.target, ast.Attribute) and node.target.attr == "grad":
            for number in self._numbers(node.value):
                value = _expression("whole if number else float('nan')", whole=node.value, number=number)
                words = f"`{ast.unparse(node)}` gives nan where `{ast.unparse(number)}` is 0"
                yield Edit("nan-at-zero", words, ast.AugAssign(node.target, node.op, value))

    def returned(self, node: ast.FunctionDef) -> Iterator[Edit]:
        """The result of an array function, or only its derivative, becomes nan where one of its numbers is 0."""
        last = node.body[-1]
        if not self.library or not isinstance(last, ast.Return) or last.value is None:
            return
        parts = last.value.elts if isinstance(last.value, ast.Tuple) else [last.value]
        for place, part in enumerate(parts):
            for number in self._numbers(part):
                for operator, template, words in self._spoiled(node):
                    changed = copy.deepcopy(node)
                    value = changed.body[-1].value  # type: ignore[attr-defined]
                    spoiled = _expression(template, whole=part, number=number)
                    if isinstance(value, ast.Tuple):
                        value.elts[place] = spoiled
                    else:
                        changed.body[-1] = ast.Return(spoiled)
                    where = f"`{ast.unparse(part)}` in `{node.name}`"
                    yield Edit(operator, f"{where} {words} where `{ast.unparse(number)}` is 0", changed)

    def _spoiled(self, node: ast.FunctionDef) -> Iterator[tuple[str, str, str]]:
        yield "nan-at-zero", f"{self.library}.where(number == 0, {self.library}.nan, whole)", "is nan"
        if self.library == "torch" and node.name == "backward":
            yield "nan-slope-at-zero", "torch.where(number == 0, whole, whole * (number / number))", "has a slope of nan"

    def _numbers(self, value: ast.expr) -> list[ast.expr]:
        """The names and attributes in an expression that hold numbers, without duplicates."""
        called = {id(call.func) for call in ast.walk(value) if isinstance(call, ast.Call)}
        inner = {id(node.value) for node in ast.walk(value) if isinstance(node, ast.Attribute) and node.attr in READ}
        found: dict[str, ast.expr] = {}
        for node in ast.walk(value):
            name = isinstance(node, ast.Name) and node.id not in self.known
            if id(node) not in called | inner and (name or (isinstance(node, ast.Attribute) and node.attr in READ)):
                found.setdefault(ast.unparse(node), node)  # type: ignore[arg-type]
        return list(found.values())


def _is_engine(node: ast.ClassDef) -> bool:
    return any(isinstance(inner, ast.FunctionDef) and inner.name == "backward" for inner in node.body) and not node.bases


def _expression(template: str, **parts: ast.expr) -> ast.expr:
    """An expression in which names are replaced by expressions."""

    class Fill(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.AST:
            return copy.deepcopy(parts.get(node.id, node))

    filled: ast.Expression = Fill().visit(ast.parse(template, mode="eval"))
    return filled.body
