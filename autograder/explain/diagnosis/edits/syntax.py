"""Builds, finds, copies and replaces nodes of syntax trees, for all edits of a reference."""

import ast
import copy
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from autograder.explain.mutants import Mutant

Program = tuple[str, str, ast.Module]  # operator, description, program
Rewrite = Callable[[ast.Module], Iterator[Program]]
Node = TypeVar("Node", bound=ast.AST)
text = ast.unparse


def rewritten(source: str, rewrites: Iterable[Rewrite]) -> list[Mutant]:
    """All wrong versions that these rewrites make, without duplicates and without the reference itself."""
    tree = ast.parse(source)
    seen, found = {text(tree)}, []
    for rewrite in rewrites:
        for operator, words, program in rewrite(tree):
            changed = text(ast.fix_missing_locations(program))
            if changed not in seen:
                seen.add(changed)
                found.append(Mutant(operator, 0, words, changed + "\n"))
    return found


def expr(template: str, **parts: ast.AST) -> ast.expr:
    """An expression in which names are replaced by expressions."""

    class Fill(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.AST:
            return copy.deepcopy(parts.get(node.id, node))

    filled: ast.Expression = Fill().visit(ast.parse(template, mode="eval"))
    return filled.body


def statements(template: str) -> list[ast.stmt]:
    return ast.parse(template).body


def nodes(tree: ast.AST, kind: type[Node]) -> list[Node]:
    return [node for node in ast.walk(tree) if isinstance(node, kind)]


def each(tree: ast.Module, kind: type[Node]) -> Iterator[tuple[ast.Module, Node]]:
    """For every node of a type, a new copy of the program and the corresponding node in it."""
    for node in nodes(tree, kind):
        yield twin(tree, node)


def twin(program: ast.Module, node: Node) -> tuple[ast.Module, Node]:
    """A copy of a program, and the node of the copy that corresponds to a given node."""
    memo: dict[int, ast.AST] = {}
    changed = copy.deepcopy(program, memo)
    return changed, memo[id(node)]  # type: ignore[return-value]


def put(tree: ast.AST, old: ast.AST, new: ast.AST | list[ast.stmt]) -> None:
    """Replaces an expression by another, or a statement by any number of statements."""
    for parent in ast.walk(tree):
        for name, value in ast.iter_fields(parent):
            if value is old:
                setattr(parent, name, new)
                return
            if isinstance(value, list) and any(item is old for item in value):
                at = next(n for n, item in enumerate(value) if item is old)
                value[at : at + 1] = new if isinstance(new, list) else [new]
                return


def called(node: ast.AST) -> str:
    """The name of a called function: `exp` for `np.exp(x)` and `x.exp()`; empty for anything but a call."""
    function = node.func if isinstance(node, ast.Call) else None
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def is_method(node: ast.AST, name: str) -> bool:
    """Whether a node is a call such as `x.detach()`, without arguments."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and called(node) == name and not node.args


def owner(call: ast.Call) -> ast.expr:
    """What a method is called on."""
    assert isinstance(call.func, ast.Attribute)
    return call.func.value


def loads(tree: ast.AST, name: str) -> list[ast.Name]:
    """Every use of a name."""
    return [node for node in nodes(tree, ast.Name) if node.id == name and isinstance(node.ctx, ast.Load)]


def named(tree: ast.AST) -> Iterator[tuple[ast.Assign, str]]:
    """Assignments to names that are assigned only once."""
    assigned = [node.id for node in nodes(tree, ast.Name) if isinstance(node.ctx, ast.Store)]
    for node in nodes(tree, ast.Assign):
        match node.targets:
            case [ast.Name(id=name)] if assigned.count(name) == 1:
                yield node, name
