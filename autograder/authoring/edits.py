"""Edits that the workspace makes for the author. Files are read as text, and nothing in them is run."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import indent

from autograder.courses.errors import Refused
from autograder.explain.mutants import without_docstrings

IMPORTS = {
    "expect_answer": "from autograder.judge.checks.answers import expect_answer",
    "array": "from autograder.judge.checks import array",
    "tensor": "from autograder.judge.checks import tensor",
    "np": "import numpy as np",
}
NOT_READ = "checks.py cannot be read as Python at the moment. Mend that first."
NO_HIDDEN_CHECK = "checks.py has no hidden check to which the question could be added."


@dataclass(frozen=True)
class HiddenCheck:
    """The last hidden check of a `checks.py`: its title, the name of its first parameter, and where its body ends."""

    title: str
    student: str
    line: int
    indent: str


def last_hidden_check(text: str) -> HiddenCheck | None:
    try:
        found = list(_hidden_checks(ast.parse(text)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return found[-1] if found else None


def with_statement(text: str, statement: str) -> tuple[str, int]:
    """`checks.py` with a statement at the end of its last hidden check, and the line on which the statement begins."""
    check = last_hidden_check(text)
    if check is None:
        raise Refused(NO_HIDDEN_CHECK if _is_python(text) else NOT_READ)
    lines = text.splitlines()
    added = indent(statement.replace("student.", f"{check.student}.", 1), check.indent).splitlines()
    lines[check.line : check.line] = added
    imports = [line for name, line in IMPORTS.items() if _uses(statement, name) and name not in _imported(text)]
    place = _line_after_imports(text)
    lines[place:place] = imports
    return "\n".join(lines) + "\n", check.line + len(imports) + 1


def anonymous(source: bytes) -> str:
    """A submission as a wrong solution: without comments and docstrings, in which students write their names."""
    try:
        return ast.unparse(without_docstrings(ast.parse(source))) + "\n"
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise Refused("This submission cannot be read as Python.") from error


def _hidden_checks(tree: ast.Module) -> Iterator[HiddenCheck]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.args.args and node.end_lineno is not None:
            for decorator in node.decorator_list:
                if isinstance(decorator, ast.Call) and _is_hidden(decorator):
                    title = ast.literal_eval(decorator.args[0])
                    first = node.body[0]
                    yield HiddenCheck(str(title), node.args.args[0].arg, node.end_lineno, " " * first.col_offset)


def _is_hidden(call: ast.Call) -> bool:
    named = (
        ast.unparse(call.func).rpartition(".")[2] == "check" and bool(call.args) and isinstance(call.args[0], ast.Constant)
    )
    return named and any(
        word.arg == "hidden" and isinstance(word.value, ast.Constant) and word.value.value is True for word in call.keywords
    )


def _uses(statement: str, name: str) -> bool:
    return any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(ast.parse(statement)))


def _imported(text: str) -> set[str]:
    nodes = (node for node in ast.parse(text).body if isinstance(node, ast.Import | ast.ImportFrom))
    return {alias.asname or alias.name for node in nodes for alias in node.names}


def _line_after_imports(text: str) -> int:
    """The number of lines up to the end of the last import at the top, or of the docstring if there is none."""
    end = 0
    for node in ast.parse(text).body:
        docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not docstring and not isinstance(node, ast.Import | ast.ImportFrom):
            break
        end = node.end_lineno or end
    return end


def _is_python(text: str) -> bool:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
