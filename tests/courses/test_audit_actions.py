"""The table of audit actions contains every action that the code records."""

import ast
from collections.abc import Iterator
from pathlib import Path

import autograder
from autograder.courses.audit.actions import ACTIONS

RECORDING = ("record", "record_all")


def recorded() -> Iterator[str]:
    """Yield the constant actions in calls of `audit.record` and `audit.record_all`."""
    for path in Path(autograder.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or not node.args:
                continue
            if node.func.attr not in RECORDING or ast.unparse(node.func.value) != "audit":
                continue
            first = node.args[0]
            if isinstance(first, ast.Starred) and isinstance(first.value, ast.Tuple):
                first = first.value.elts[0]
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                yield first.value


def test_every_recorded_action_is_described() -> None:
    found = set(recorded())
    assert len(found) > 30
    assert found - set(ACTIONS) == set()
