"""Writes `checks.py` of an imported exercise. Tests run in the judge, on stand-ins for what the submission defines."""

import ast
import keyword
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from textwrap import indent

from autograder.library.notebooks import magics
from autograder.library.notebooks.assignment import Assignment, Given, Task, Test
from autograder.library.notebooks.names import Statement, free_names, missing_modules, statements_of
from autograder.library.notebooks.student_code import StudentCode
from autograder.prove.scaffold import MARK

HEAD = '''"""The tests of an imported notebook. They run in the judge, with stand-ins for what the submission defines."""
'''
IMPORTS = """from autograder.judge.checks import check
from autograder.judge.checks.asserts import asserted
"""
VARIETY = f"""
# {MARK}: a function @variety that asks everything the statement allows (docs/checks.md); it tells harmless mutants from others
"""
REPEATED = (
    f"# {MARK}: the notebook has no hidden tests; write checks with inputs that students do not see, worth most points"
)
NONE_SHOWN = (
    f"# {MARK}: the notebook has only hidden tests; write a check that shows students that they are on the right track"
)
UNUSABLE = {"globals", "locals", "vars", "eval", "exec", "input", "get_ipython", "open", "__file__", "grader"}
RESERVED = {"check", "asserted", "student", "rng", "submission"}
TITLE_LENGTH = 100


@dataclass(frozen=True)
class CheckCode:
    """A test with what it needs: names of the submission, and statements that come before it."""

    test: Test
    own: tuple[str, ...]
    before: tuple[Statement, ...]
    body: tuple[Statement, ...]


@dataclass(frozen=True)
class ChecksFile:
    """The text of the file, the names that the submission must define, and the points of all checks."""

    source: str
    entry_points: tuple[str, ...]
    points: float
    tests: tuple[Test, ...]


def checks_file(assignment: Assignment, code: StudentCode) -> ChecksFile:
    """The checks that the tests become. What cannot become one is added to the list of the assignment."""
    checks = _checks(assignment, code)
    if checks and sum(found.test.points for found in checks) <= 0:
        assignment.left_out.append("points: the notebook gives none, so each check is worth 1")
        checks = [replace(found, test=replace(found.test, points=1.0)) for found in checks]
    used = {name for found in checks for name in found.own}
    entry_points = tuple(name for name in code.own if name in used)
    pure = _shared(checks)
    imports = [found for found in pure if found.is_import]
    shared = {id(found) for found in pure}
    names: set[str] = set()
    parts = [HEAD, *_import_lines(imports), IMPORTS, *(f"\n\n{found.source}\n" for found in pure if not found.is_import)]
    parts += [_function(found, names, shared) for found in checks]
    if checks and not any(found.test.hidden for found in checks):
        parts += [_repeated(found, names, shared) for found in checks[:1]]
    if checks and all(found.test.hidden for found in checks):
        parts.append(_defined(entry_points, names))
    source = "".join([*parts, "\n", VARIETY])
    return ChecksFile(source, entry_points, sum(found.test.points for found in checks), tuple(c.test for c in checks))


def _checks(assignment: Assignment, code: StudentCode) -> list[CheckCode]:
    """Follows the notebook: a test may use what cells above it define, tests among them."""
    known: list[Statement] = []
    found: list[CheckCode] = []
    titles: set[str] = set()
    for part in assignment.parts:
        if isinstance(part, Given | Task):
            known += [statement for statement in code.given if statement.cell == part.cell]
        elif isinstance(part, Test):
            check = _check(part, known, code, assignment)
            if check is not None:
                found.append(replace(check, test=replace(part, title=_unique(part.title, titles))))
                known += [statement for statement in check.body if statement.binds and not part.hidden]
    return found


def _check(test: Test, known: Sequence[Statement], code: StudentCode, assignment: Assignment) -> CheckCode | None:
    what = f"{'hidden test' if test.hidden else 'test'}{f' ({test.points:g} points)' if test.points else ''}"
    try:
        body = statements_of(magics.python_of(test.code), test.cell)
    except magics.NotPython as error:
        assignment.leave_out(test.cell, f"{what} that is not valid Python (line {error.line}: {error.reason})")
        return None
    before = _needed(body, known, code)
    whole = [*before, *body]
    free = free_names(whole)
    own = tuple(sorted(free & code.own.keys()))
    unknown = free - {*own} - UNUSABLE
    reasons = (
        ("imports {}", {module for statement in whole for module in missing_modules(statement.node)}),
        ("uses {}", {name for statement in whole for name in _names(statement.node)} & UNUSABLE),
        ("uses {}, which is imported from a module that was left out", unknown & code.missing),
        ("uses {}, which no cell above it defines", unknown - code.missing),
    )
    for why, names in reasons:
        if names:
            assignment.leave_out(test.cell, f"{what} that {why.format(', '.join(sorted(names)))}")
            return None
    if not own:
        assignment.leave_out(test.cell, f"{what} that uses nothing of what students write")
        return None
    variables = [name for name in own if isinstance(code.own[name], ast.Assign | ast.AnnAssign)]
    if variables:
        assignment.leave_out(
            test.cell, f"{what} that reads {', '.join(variables)} instead of calling a function; it was carried as it is"
        )
    return CheckCode(test, own, tuple(before), tuple(body))


def _needed(body: Sequence[Statement], known: Sequence[Statement], code: StudentCode) -> list[Statement]:
    """The statements above a test that define what it uses, in their order."""
    wanted = free_names(body) - code.own.keys()
    needed: list[Statement] = []
    for statement in reversed(known):
        if statement.binds & wanted:
            needed.insert(0, statement)
            wanted |= statement.free - code.own.keys()
    return needed


def _shared(checks: Sequence[CheckCode]) -> list[Statement]:
    """What several checks can share at the top of the file: imports, and functions that need nothing but those."""
    shared: list[Statement] = []
    names: set[str] = set()
    for statement in {id(found): found for check in checks for found in check.before}.values():
        if statement.is_import or (statement.is_definition and statement.free <= names and not statement.binds & RESERVED):
            shared.append(statement)
            names |= statement.binds
    return shared


def _function(check: CheckCode, names: set[str], shared: set[int], note: str = "") -> str:
    test = check.test
    stored = {name for statement in (*check.before, *check.body) for name in _names(statement.node)}
    module = "code" if "code" not in stored else "submission"
    lines = [f"{name} = {module}.{name}" for name in check.own]
    lines += [statement.source for statement in check.before if id(statement) not in shared]
    lines += [statement.source for statement in check.body]
    options = f"points={number_text(test.points)}" + (", hidden=True" if test.hidden else "")
    note = f"{note}\n" if note else ""
    return (
        f"\n\n{note}@check({_text(test.title)}, {options})\ndef {_identifier(test.title, names)}(student, rng):\n"
        f"    with asserted(student) as {module}:\n" + indent("\n".join(lines), " " * 8) + "\n"
    )


def _repeated(check: CheckCode, names: set[str], shared: set[int]) -> str:
    """A hidden check, without which an exercise cannot be loaded."""
    test = replace(check.test, title=f"{check.test.title}, again", points=0.0, hidden=True)
    return _function(replace(check, test=test), names, shared, REPEATED)


def _defined(entry_points: Sequence[str], names: set[str]) -> str:
    """A public check, without which an exercise cannot be loaded."""
    lines = "".join(f"        assert code.{name} is not None\n" for name in entry_points)
    return (
        f'\n\n{NONE_SHOWN}\n@check("Everything is defined", points=0)\n'
        f"def {_identifier('everything is defined', names)}(student, rng):\n    with asserted(student) as code:\n{lines}"
    )


def _import_lines(imports: Sequence[Statement]) -> list[str]:
    sources = sorted({statement.source for statement in imports}, key=lambda source: (source.split()[1], source))
    return ["\n", "\n".join(sources), "\n\n"] if sources else ["\n"]


def _names(node: ast.AST) -> set[str]:
    return {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}


def _identifier(title: str, taken: set[str]) -> str:
    words = re.sub(r"[^a-z0-9]+", "_", title.lower()).strip("_")[:60].strip("_") or "check"
    words = f"check_{words}" if words[0].isdigit() or keyword.iskeyword(words) or words in RESERVED else words
    name, n = words, 2
    while name in taken:
        name, n = f"{words}_{n}", n + 1
    taken.add(name)
    return name


def _unique(title: str, taken: set[str]) -> str:
    title = " ".join(title.split())[:TITLE_LENGTH] or "Test"
    name, n = title, 2
    while name.lower() in taken:
        name, n = f"{title} ({n})", n + 1
    taken.add(name.lower())
    return name


def number_text(points: float) -> str:
    """Points as they are written in a file: at most six decimals, so that the sum stays exact."""
    return f"{points:.6f}".rstrip("0").rstrip(".")


def _text(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
