"""Generates versions of a reference that only careful checks can tell from it.

`mutants` models mistakes; this module models gaps in checks: arguments that are modified after their last use, one object
for all leaves with equal data, nan where a number is exactly 0 (in the result or only in the next derivative), an attribute
that is right only when it is first read, and what works for the usual shapes and calls: a sum in place, a lost copy, a
reduction that removes every axis of size 1. The linter requires checks to kill them like any mutant; the diagnosis does not use
them.
"""

import ast
import copy
from collections.abc import Iterator

from autograder.explain import mutants
from autograder.explain.mutants import Edit, Mutant, Operators

ARRAYS = {"torch.Tensor": ("torch", "{given}.data.add_(1)"), "np.ndarray": ("np", "{given}[...] += 1")}
LIBRARIES = ("np", "torch", "math")
READ = ("data", "grad")  # attributes of a value that checks read
REDUCTIONS = ("sum", "mean", "prod", "max", "min", "amax", "amin", "any", "all")
KEPT = {"np": "keepdims", "torch": "keepdim"}

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
            (ast.Assign, (_in_place,)),
            (ast.Call, (self.squeezed, self.left_out, self.uncopied, _lenient)),
            (ast.Compare, (_equal,)),
            (ast.FunctionDef, (_defaults_in_another_order,)),
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

    def squeezed(self, node: ast.Call) -> Iterator[Edit]:
        """A reduction, or a call of squeeze, removes every axis of size 1, and not only its own."""
        changed = copy.deepcopy(node)
        words = f"`{ast.unparse(node)}` removes every axis of size 1"
        if _method(node) == "squeeze":
            changed.args, changed.keywords = changed.args[: int(_of_library(node))], []
            yield Edit("squeeze", words, changed)
        options = {keyword.arg for keyword in node.keywords}
        if _method(node) in REDUCTIONS and self.library and options & {"axis", "dim"} and not options & {*KEPT.values()}:
            changed.keywords.append(ast.keyword(KEPT[self.library], ast.Constant(True)))
            yield Edit("squeeze", words, _expression("whole.squeeze()", whole=changed))

    def left_out(self, node: ast.Call) -> Iterator[Edit]:
        """A sum that a reshape, or broadcasting, seems to make unnecessary."""
        if _method(node) == "sum":
            inner = node.args[0] if _of_library(node) else node.func.value  # type: ignore[attr-defined]
            yield Edit("left-out", f"`{ast.unparse(node)}` without the sum", inner)

    def uncopied(self, node: ast.Call) -> Iterator[Edit]:
        """An array that may be the caller's own."""
        if _method(node) == "array" and _of_library(node):
            changed = copy.deepcopy(node)
            changed.func.attr = "asarray"  # type: ignore[attr-defined]
            yield Edit("uncopied", f"`{ast.unparse(node)}` without the copy", changed)

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


def _in_place(node: ast.Assign) -> Iterator[Edit]:
    """`a = a + b` as `a += b`, which changes an array that others may hold."""
    if len(node.targets) != 1 or not isinstance(node.value, ast.BinOp):
        return
    target, value = node.targets[0], node.value
    operands = [value.left, value.right] if isinstance(value.op, ast.Add | ast.Mult) else [value.left]
    for place, operand in enumerate(operands):
        if isinstance(target, ast.Name | ast.Attribute | ast.Subscript) and ast.unparse(operand) == ast.unparse(target):
            added = [value.right, value.left][place]
            yield Edit("in-place", f"`{ast.unparse(node)}` in place", ast.AugAssign(target, value.op, added))


def _lenient(node: ast.Call) -> Iterator[Edit]:
    if isinstance(node.func, ast.Name) and node.func.id == "zip":
        for n, keyword in enumerate(node.keywords):
            if keyword.arg == "strict" and isinstance(keyword.value, ast.Constant) and keyword.value.value:
                changed = copy.deepcopy(node)
                del changed.keywords[n]
                yield Edit("lenient-zip", f"`{ast.unparse(node)}` ends with the shortest", changed)


def _equal(node: ast.Compare) -> Iterator[Edit]:
    """Equal values are taken for one object."""
    if len(node.ops) == 1 and isinstance(node.ops[0], ast.Is | ast.IsNot):
        operator = ast.Eq() if isinstance(node.ops[0], ast.Is) else ast.NotEq()
        changed = ast.Compare(node.left, [operator], node.comparators)
        yield Edit("equal", f"`{ast.unparse(node)}` becomes `{ast.unparse(changed)}`", changed)


def _defaults_in_another_order(node: ast.FunctionDef) -> Iterator[Edit]:
    """Two parameters with defaults change places, which only a call by position notices."""
    first = len(node.args.args) - len(node.args.defaults)
    for n in range(len(node.args.defaults) - 1):
        changed = copy.deepcopy(node)
        names, values = changed.args.args, changed.args.defaults
        names[first + n : first + n + 2] = names[first + n + 1], names[first + n]
        values[n : n + 2] = values[n + 1], values[n]
        one, two = node.args.args[first + n : first + n + 2]
        yield Edit("default-order", f"`{one.arg}` and `{two.arg}` of `{node.name}` change places", changed)


def _is_engine(node: ast.ClassDef) -> bool:
    return any(isinstance(inner, ast.FunctionDef) and inner.name == "backward" for inner in node.body) and not node.bases


def _expression(template: str, **parts: ast.expr) -> ast.expr:
    """An expression in which names are replaced by expressions."""

    class Fill(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.AST:
            return copy.deepcopy(parts.get(node.id, node))

    filled: ast.Expression = Fill().visit(ast.parse(template, mode="eval"))
    return filled.body


def _method(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""


def _of_library(call: ast.Call) -> bool:
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    return isinstance(owner, ast.Name) and owner.id in LIBRARIES
