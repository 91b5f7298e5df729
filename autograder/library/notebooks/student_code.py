"""The starter and the solution of an imported exercise: the code cells of the notebook one after the other, as far as it runs
in a sandbox.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from autograder.library.notebooks import magics
from autograder.library.notebooks.assignment import Assignment, Given, Task
from autograder.library.notebooks.names import GRADERS, Statement, missing_modules, modules_of, statements_of

READS_FILES = ("open", "load", "loadtxt", "genfromtxt", "fromfile", "read_csv", "imread")


@dataclass
class StudentCode:
    """`own` are the names that students define, `missing` those of imports that are not available."""

    starter: str = ""
    solution: str = ""
    own: dict[str, ast.stmt] = field(default_factory=dict)
    missing: set[str] = field(default_factory=set)
    modules: set[str] = field(default_factory=set)
    given: list[Statement] = field(default_factory=list)  # imports, helpers and data that tests may use


def student_code(assignment: Assignment) -> StudentCode:
    """Joins the cells of students, and adds what was left out to the list of the assignment."""
    code = StudentCode()
    for task in assignment.tasks:
        for statement in statements_of(task.solution, task.cell):
            if not statement.is_import:
                code.own |= dict.fromkeys(statement.binds, statement.node)
    starters, solutions = [], []
    for part in assignment.parts:
        if isinstance(part, Task):
            solutions.append(_available(part.solution, part.cell, code, assignment))
            starters.append(_available(part.starter, part.cell, code, None))
        elif isinstance(part, Given):
            kept = _kept(part, code, assignment)
            solutions.append(kept)
            starters.append(kept)
    code.starter, code.solution = (_file([text for text in texts if text.strip()]) for texts in (starters, solutions))
    return code


def _kept(part: Given, code: StudentCode, assignment: Assignment) -> str:
    """What the file has of a given cell: imports, definitions and data, but nothing that runs the student's code."""
    try:
        python = magics.python_of(part.code)
    except magics.NotPython as error:
        assignment.leave_out(part.cell, f"code that is not valid Python (line {error.line}: {error.reason})")
        return ""
    if python != part.code:
        assignment.leave_out(part.cell, "magics and shell commands")
    python = _available(python, part.cell, code, assignment)
    dropped: list[ast.stmt] = []
    for statement in statements_of(python, part.cell):
        shows = isinstance(statement.node, ast.Expr | ast.Assert)
        runs = not statement.is_definition and statement.free & (code.own.keys() | code.missing)
        if shows or runs:
            dropped.append(statement.node)
        if not shows and not statement.is_import:
            code.given.append(statement)
    if not all(_is_text(node) or _is_of_a_grader(node) for node in dropped):
        assignment.leave_out(part.cell, "lines that only show, test or use something")
    kept = _without(python, dropped)
    return kept if magics.parsed(kept).body else ""


def _available(python: str, cell: int, code: StudentCode, assignment: Assignment | None) -> str:
    """The code without imports of what neither the sandbox nor the exercise has."""
    gone = []
    for statement in statements_of(python, cell):
        code.modules |= modules_of(statement.node)
        modules = set(missing_modules(statement.node))
        if not statement.is_import:
            if assignment is not None:
                for what in sorted({*_files_read(statement.node)}):
                    assignment.leave_out(cell, what)
                for module in sorted(modules):
                    assignment.leave_out(cell, f"the module {module}, which is imported in a function")
            continue
        if assignment is not None and not modules:
            code.given.append(statement)
        if modules:
            gone.append(statement.node)
            code.missing |= statement.binds
            for module in sorted(modules) if assignment is not None else ():
                if module.partition(".")[0] not in GRADERS and assignment is not None:
                    assignment.leave_out(
                        cell, f"the module {module}: files beside the notebook and other libraries are not copied"
                    )
    return _without(python, gone)


def _files_read(node: ast.AST) -> Iterator[str]:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Call) and inner.args and isinstance(inner.args[0], ast.Constant):
            function = inner.func.attr if isinstance(inner.func, ast.Attribute) else getattr(inner.func, "id", "")
            if function in READS_FILES and isinstance(inner.args[0].value, str):
                yield f"the file {inner.args[0].value}"


def _without(python: str, nodes: list[ast.stmt]) -> str:
    """The code without these statements. One that shares its line with others becomes a comment with them."""
    lines = python.split("\n")
    for node in reversed(nodes):
        rest = [] if node.col_offset == 0 and _ends_its_line(node, lines) else [f"# {lines[node.lineno - 1].strip()}"]
        lines[node.lineno - 1 : node.end_lineno] = rest
    return "\n".join(lines).strip("\n")


def _ends_its_line(node: ast.stmt, lines: list[str]) -> bool:
    after = lines[(node.end_lineno or node.lineno) - 1].encode()[node.end_col_offset :].strip()
    return not after or after.startswith(b"#")


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_of_a_grader(node: ast.stmt) -> bool:
    """Whether a line is like `grader.check("q1")` or makes the grader."""
    return ast.unparse(node).startswith("grader")


def _file(texts: list[str]) -> str:
    return "\n\n\n".join(text.strip("\n") for text in texts) + "\n" if texts else ""
