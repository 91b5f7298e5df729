"""The names that statements bind and use, so that a test can be taken out of the notebook that it was written in."""

import ast
import builtins
import symtable
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

BUILTINS = frozenset(dir(builtins)) | {"__name__"}
LIBRARIES = ("numpy", "torch")
GRADERS = ("otter", "nbgrader", "IPython")  # imports without which nothing is missing


@dataclass(frozen=True)
class Statement:
    """A statement at the top of a cell. `free` are the names that it needs from outside."""

    cell: int
    node: ast.stmt
    source: str
    binds: frozenset[str]
    free: frozenset[str]

    @property
    def is_import(self) -> bool:
        return isinstance(self.node, ast.Import | ast.ImportFrom)

    @property
    def is_definition(self) -> bool:
        return isinstance(self.node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)


def statements_of(code: str, cell: int) -> list[Statement]:
    """The top-level statements of valid Python."""
    lines = code.split("\n")
    return [_statement(node, lines, cell) for node in ast.parse(code).body]


def free_names(statements: Iterable[Statement]) -> set[str]:
    """The names that these statements need when they are executed in this order."""
    bound: set[str] = set()
    free: set[str] = set()
    for statement in statements:
        free |= statement.free - bound
        bound |= statement.binds
    return free - BUILTINS


def missing_modules(node: ast.AST, profile_modules: Sequence[str] = LIBRARIES) -> Iterator[str]:
    """The modules that are imported but are neither part of Python nor one of these."""
    for inner in ast.walk(node):
        names: list[str] = []
        if isinstance(inner, ast.Import):
            names = [alias.name for alias in inner.names]
        elif isinstance(inner, ast.ImportFrom):
            names = ["." * inner.level + (inner.module or "")]
        for name in names:
            top = name.partition(".")[0]
            if top not in sys.stdlib_module_names and top not in profile_modules:
                yield name


def modules_of(node: ast.AST) -> set[str]:
    """The top-level modules that are imported."""
    found = {alias.name for inner in ast.walk(node) if isinstance(inner, ast.Import) for alias in inner.names}
    found |= {inner.module or "" for inner in ast.walk(node) if isinstance(inner, ast.ImportFrom)}
    return {name.partition(".")[0] for name in found}


def _statement(node: ast.stmt, lines: list[str], cell: int) -> Statement:
    first = min([node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", []))])
    whole = "\n".join(lines[first - 1 : node.end_lineno])
    alone = node.col_offset == 0 and ast.dump(ast.parse(whole)) == ast.dump(ast.Module([node], []))
    source = whole if alone and not _has_long_text(node) else ast.unparse(node)
    binds, _ = _names(source)
    return Statement(cell, node, source, frozenset(binds), frozenset(_free(node) - BUILTINS))


def _free(node: ast.AST) -> set[str]:
    """The names that a statement or an expression uses before it binds them."""
    match node:
        case ast.For() | ast.AsyncFor():
            return _free(node.iter) | (_free_in(node.body, node.orelse) - _stored(node.target))
        case ast.While() | ast.If():
            return _free(node.test) | _free_in(node.body, node.orelse)
        case ast.With() | ast.AsyncWith():
            opened = {name for item in node.items for name in _stored(item)}
            return {name for item in node.items for name in _free(item.context_expr)} | (_free_in(node.body) - opened)
        case ast.Try():
            handlers = {name for handler in node.handlers for name in _free_in(handler.body) - {handler.name}}
            types = {name for handler in node.handlers if handler.type for name in _free(handler.type)}
            return _free_in(node.body, node.orelse, node.finalbody) | handlers | types
    binds, used = _names(ast.unparse(node))
    definition = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    return used - binds if definition else used


def _free_in(*blocks: Sequence[ast.stmt]) -> set[str]:
    bound: set[str] = set()
    free: set[str] = set()
    for node in (node for block in blocks for node in block):
        free |= _free(node) - bound
        bound |= _names(ast.unparse(node))[0]
    return free


def _stored(target: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(target) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def _names(source: str) -> tuple[set[str], set[str]]:
    """The names that code binds at the top, and those that it uses there or takes from there in nested scopes."""
    try:
        table = symtable.symtable(source, "<cell>", "exec")
    except (SyntaxError, RecursionError):  # such as a `return` outside of a function, which the whole file reports
        return set(), set()
    binds = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_assigned() or symbol.is_imported()}
    used = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_referenced()}
    return binds, used | {*_globals(table)}


def _globals(table: symtable.SymbolTable) -> Iterator[str]:
    """The names that nested scopes take from the top."""
    for child in table.get_children():
        yield from (symbol.get_name() for symbol in child.get_symbols() if symbol.is_global())
        yield from _globals(child)


def _has_long_text(node: ast.stmt) -> bool:
    """Whether there is a string of several lines, which would change if the code were indented."""
    texts = (inner for inner in ast.walk(node) if isinstance(inner, ast.Constant | ast.JoinedStr))
    return any((text.end_lineno or text.lineno) > text.lineno for text in texts)
