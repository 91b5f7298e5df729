"""Finds where a file looks at or changes what runs beside it, which no solution needs.

Only staff see it, and it decides nothing: the checks do not depend on what a submission can reach. It is found in the syntax
tree, so comments and texts do not count, and a submission that wants to hide it can.
"""

import ast
from collections.abc import Iterator

import msgspec

from autograder.judge.files import line_of, split
from autograder.judge.text import neutralise

MOST = 20  # uses kept of one submission
_FRAMES = (
    "_getframe _current_frames currentframe f_locals f_globals f_builtins f_back f_code f_lineno tb_frame gi_frame cr_frame"
)
_FUNCTIONS = "__closure__ cell_contents __code__ __globals__ co_consts CodeType FunctionType CellType __builtins__"
_COLLECTOR = "get_objects get_referrers get_referents"
_HOOKS = "settrace setprofile addaudithook _backward_hooks"
_SWITCHES = "_DisableTorchDispatch _DisableTorchFunction _disabled_torch_dispatch_impl"
NAMES = frozenset(name for names in (_FRAMES, _FUNCTIONS, _COLLECTOR, _HOOKS, _SWITCHES) for name in names.split())
MODULES = frozenset({"ctypes", "gc", "inspect", "faulthandler", "pdb", "bdb"})
HARMLESS = frozenset({"gc.collect", "gc.disable", "gc.enable", "inspect.signature", "inspect.isclass"})
DOES_NOT_PARSE = (SyntaxError, ValueError, RecursionError, MemoryError, SystemError, OverflowError)


class Use(msgspec.Struct, frozen=True):
    """What is used, and its line in the whole submission."""

    line: int
    name: str


def uses_of(source: bytes) -> tuple[Use, ...]:
    """The uses in a submission of one or several files, each name at its first line."""
    files = split(source) or {"": source}
    found: dict[str, int] = {}
    for path, text in files.items():
        try:
            for line, name in sorted(_uses(ast.parse(text))):
                found.setdefault(name, line_of(source, path, line) if path else line)
        except DOES_NOT_PARSE:  # does not compile, so it does not run either
            continue
    return tuple(Use(line, neutralise(name, 80)) for name, line in list(found.items())[:MOST])


def _uses(tree: ast.Module) -> Iterator[tuple[int, str]]:
    modules = _imported(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and (node.attr in NAMES or _root(node) in MODULES & modules):
            name = node.attr if node.attr in NAMES else f"{_root(node)}.{node.attr}"
            if name not in HARMLESS:
                yield node.lineno, name
        elif isinstance(node, ast.Name) and node.id in NAMES:
            yield node.lineno, node.id
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in NAMES:
            yield node.lineno, node.value
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                if alias.name in NAMES or (node.module in MODULES and f"{node.module}.{alias.name}" not in HARMLESS):
                    yield node.lineno, alias.name if alias.name in NAMES else f"{node.module}.{alias.name}"
        elif isinstance(node, ast.Call) and _root(node.func) in ("setattr", "delattr"):
            patched = {_root(argument) for argument in node.args[:1]} & modules
            yield from ((node.lineno, f"{_root(node.func)}({module}, …)") for module in patched)
        for target in _assigned(node):
            if _root(target) in modules:
                yield target.lineno, f"{_written(target)} ="


def _imported(tree: ast.Module) -> set[str]:
    """The names under which modules are imported."""
    aliases = [alias for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    return {alias.asname or alias.name.partition(".")[0] for alias in aliases}


def _assigned(node: ast.AST) -> Iterator[ast.Attribute | ast.Subscript]:
    """Attributes and entries that a statement assigns or deletes."""
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign | ast.Delete):
        targets = list(node.targets)
    elif isinstance(node, ast.AugAssign | ast.AnnAssign):
        targets = [node.target]
    for target in targets:
        for part in target.elts if isinstance(target, ast.Tuple | ast.List) else [target]:
            if isinstance(part, ast.Attribute | ast.Subscript):
                yield part


def _written(target: ast.Attribute | ast.Subscript) -> str:
    try:
        return ast.unparse(target)[:70]
    except RecursionError:  # nested more deeply than it can be written out, but it may run
        return f"{_root(target)} …"


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
