"""Makes starter code of solutions: only signatures and docstrings are left of code whose solution is not marked."""

import ast

from autograder.library.notebooks import magics

UNFINISHED = "raise NotImplementedError()"  # in a starter, the line that stands for a solution that was removed


def stub_of(code: str) -> str:
    """The code without what it does: functions raise, and variables are `...`. Imports stay, comments do not."""
    return ast.unparse(ast.Module([stub for node in magics.parsed(code).body for stub in _stub(node)], [])) + "\n"


def checked_starter(starter: str, solution: str) -> str:
    """The starter, or a stub of the solution if what is left is no Python, or if nothing was removed."""
    try:
        unchanged = ast.dump(magics.parsed(starter)) == ast.dump(magics.parsed(solution))
    except magics.NotPython:
        return stub_of(solution)
    return stub_of(solution) if unchanged else starter


def _stub(node: ast.stmt) -> list[ast.stmt]:
    match node:
        case ast.Import() | ast.ImportFrom():
            return [node]
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            node.body = [*_docstring(node), *ast.parse(UNFINISHED).body]
            return [node]
        case ast.ClassDef():
            node.body = [*_docstring(node), *(stub for inner in node.body for stub in _stub(inner))] or _nothing()
            return [node]
        case ast.Assign() | ast.AnnAssign() if node.value is not None:
            node.value = ast.Constant(...)
            return [node]
    return []


def _docstring(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> list[ast.stmt]:
    return node.body[:1] if ast.get_docstring(node, clean=False) is not None else []


def _nothing() -> list[ast.stmt]:
    return [ast.Expr(ast.Constant(...))]
