"""Makes an exercise of an existing one and of tests that were written for it: the tests become public checks, and all checks
of the exercise hidden ones.
"""

import ast
import json
import os
import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from autograder.judge.pack import Pack
from autograder.prove import scaffold
from autograder.prove.court import Reference
from autograder.prove.suite import Suite, SuiteError, imports

TESTS = "public_tests.py"
NOT_IN_WORKERS = ("pytest", "hypothesis")
_END = """

public_suite(
    Path(__file__).with_name("{file}"),
    tests={tests},
    modules={modules},
    names={names},
)
"""


def adopt(root: Path, exercise: Pack, suite: Suite, tests: Sequence[str], slug: str) -> Path:
    """Creates the exercise `slug` beside `exercise`, atomically. Its title and its tests are for the author to edit."""
    scaffold.valid_name(slug)
    if taken := next(iter(sorted(root.glob(f"*/{slug}"))), None):
        raise scaffold.SlugTaken(f"'{slug}' already exists in {taken}; choose another slug")
    needed = sorted({name.partition(".")[0] for name in imports(suite)} & set(NOT_IN_WORKERS))
    if needed:
        raise SuiteError(
            f"{suite.path.name} imports {' and '.join(needed)}, which workers do not have; write its tests as plain asserts"
        )
    home = exercise.folder.parent
    with TemporaryDirectory(prefix=".new-", dir=home) as workshop:
        draft = Path(workshop, slug)
        shutil.copytree(exercise.folder, draft, ignore=shutil.ignore_patterns("__pycache__", ".*"))
        (draft / TESTS).write_text(suite.text, "utf-8")
        checks = draft / "checks.py"
        checks.write_text(_with_suite(checks.read_text("utf-8"), exercise, suite, tests), "utf-8")
        settings = draft / "exercise.toml"
        settings.write_text(_retitled(settings.read_text("utf-8"), f"{exercise.settings.title} ({slug})"), "utf-8")
        os.rename(draft, home / slug)
    return home / slug


def _with_suite(source: str, exercise: Pack, suite: Suite, tests: Sequence[str]) -> str:
    tested = Reference.of_exercise(exercise).imported_by(suite).tested
    module = {name: name if exercise.files else "submission" for name in tested.names}
    end = _END.format(
        file=TESTS,
        tests=_table({name: _title(name) for name in tests}),
        modules=_table({name: module[own] for name, own in tested.modules.items()}),
        names=_table({module[own]: list(names) for own, names in tested.names.items()}),
    )
    lines = _all_hidden(source).splitlines()
    tree = ast.parse(source)
    first = next(node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom))
    lines[first.lineno - 1 : first.lineno - 1] = ["from pathlib import Path"]
    last = max(node.end_lineno or 0 for node in tree.body if isinstance(node, ast.ImportFrom | ast.Import)) + 1
    lines[last:last] = ["from autograder.prove.suite_checks import public_suite"]
    return "\n".join(lines) + end


def _all_hidden(source: str) -> str:
    """The source with `hidden=True` in every public check."""
    lines = source.splitlines()
    found = [
        decorator
        for node in ast.parse(source).body
        if isinstance(node, ast.FunctionDef)
        for decorator in node.decorator_list
        if isinstance(decorator, ast.Call) and isinstance(decorator.func, ast.Name) and decorator.func.id == "check"
    ]
    for call in reversed(found):
        flag = next((keyword for keyword in call.keywords if keyword.arg == "hidden"), None)
        if flag is None:
            row, column = (call.end_lineno or 1) - 1, (call.end_col_offset or 1) - 1
            text = lines[row].encode()
            before, after = text[:column].decode().rstrip().rstrip(","), text[column:].decode()
            lines[row] = f"{before}, hidden=True{after}" if before.strip() else f"{before}    hidden=True,\n{after}"
    return "\n".join(lines) + "\n"


def _table(entries: Mapping[str, object]) -> str:
    """A dictionary of texts as it is written in a file."""
    rows = "".join(f"        {_text(key)}: {_text(value)},\n" for key, value in entries.items())
    return f"{{\n{rows}    }}"


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _title(test: str) -> str:
    words = re.sub(r"^test_?|(?<=\.)test_?", "", test).replace("_", " ").strip()
    return f"Test: {words or test}"


def _retitled(text: str, title: str) -> str:
    return re.sub(r'(?m)^title = ".*"$', lambda _: f"title = {_text(title)}", text, count=1)
