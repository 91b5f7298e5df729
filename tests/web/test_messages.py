"""Error messages on pages use the terms of the page: no command-line options, and titles instead of slugs.

The messages are extracted from the source code. Lookups of slugs and logins that were typed on the command line are
exempt and listed here.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.processes import ROOT

LAYERS = ("courses", "submissions", "gradebook", "web")
REFUSALS = ("Refused", "AtField", "Conflict", "TooOften", "RuleRefused", "ValidationError")
SHELL = re.compile(r"(?<![-\w])--[a-z]|manage\.py")
BY_SLUG = ("course_of", "user_of", "version_of_exercise", "assignment_of", "section_of")  # lookups of the commands


def refusals() -> Iterator[tuple[str, str, ast.Call]]:
    """Yield every call that creates an error message, with its location and function."""
    for layer in LAYERS:
        for path in sorted((ROOT / "autograder" / layer).rglob("*.py")):
            if "management" in path.parts or "migrations" in path.parts:
                continue
            for function in ast.walk(ast.parse(path.read_text())):
                if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                    for call in _calls(function):
                        yield f"{path.relative_to(ROOT)}:{call.lineno}", function.name, call


def _calls(function: ast.AST) -> Iterator[ast.Call]:
    for node in ast.walk(function):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in REFUSALS:
                yield node


def _text(call: ast.Call) -> str:
    return "".join(node.value for node in ast.walk(call) if isinstance(node, ast.Constant) and isinstance(node.value, str))


def _names_a_slug(call: ast.Call) -> bool:
    told = [node for node in ast.walk(call) if isinstance(node, ast.FormattedValue)]
    return any(isinstance(node, ast.Attribute) and node.attr == "slug" for one in told for node in ast.walk(one))


def test_no_refusal_names_an_option_or_a_command() -> None:
    found = list(refusals())
    assert len(found) > 150
    assert [(where, _text(call)) for where, name, call in found if SHELL.search(_text(call)) and name not in BY_SLUG] == []


def test_no_refusal_names_a_slug_where_there_is_a_title() -> None:
    assert [where for where, name, call in refusals() if _names_a_slug(call) and name not in BY_SLUG] == []


def test_no_page_of_a_course_names_a_command_but_the_one_that_gives_a_grading_again() -> None:
    templates = Path(ROOT / "autograder/web/templates/web")
    found = {str(path.relative_to(templates)) for path in templates.rglob("*.html") if "manage.py" in path.read_text()}
    assert found == {"public/no_accounts_yet.html", "monitoring/status.html"}, "pages of who runs the site"
