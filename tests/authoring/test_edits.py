"""Edits that the workspace makes: a statement in the last hidden check, settings in a file, a submission without its author."""

import ast

import pytest

from autograder.authoring import edits, settings_file
from autograder.courses.errors import Refused
from autograder.prove.scaffold import TEMPLATES

CHECKS = (TEMPLATES / "vjp" / "checks.py").read_text()
STATEMENT = """expect_answer(
    student.call('scale_vjp', array([[1.0]]), array([[np.nan]])),
    (array([1.0]),),
    'scale_vjp',
)"""


def test_a_statement_goes_to_the_end_of_the_last_hidden_check() -> None:
    text, line = edits.with_statement(CHECKS, STATEMENT)
    assert text.splitlines()[line - 1] == "    expect_answer("
    function = next(node for node in ast.parse(text).body if getattr(node, "name", "") == "other_shapes")
    assert isinstance(function, ast.FunctionDef)
    assert ast.unparse(function.body[-1]).startswith("expect_answer(student.call('scale_vjp'")
    assert text.count("import expect_answer") == 1 and text.count("import numpy as np") == 1
    again, _ = edits.with_statement(text, STATEMENT)
    assert again.count("import expect_answer") == 1
    others = [node for node in ast.parse(text).body if not isinstance(node, ast.ImportFrom) and node is not function]
    assert [ast.dump(node) for node in others if getattr(node, "name", "") != "other_shapes"] == [
        ast.dump(node)
        for node in ast.parse(CHECKS).body
        if not isinstance(node, ast.ImportFrom) and getattr(node, "name", "") != "other_shapes"
    ]


def test_the_parameter_may_have_another_name_and_imports_are_completed() -> None:
    text = '"""Doc."""\nfrom autograder.judge.checks import check\n\n\n@check("T", points=1, hidden=True)\ndef c(it, rng):\n  pass\n'
    changed, line = edits.with_statement(text, STATEMENT)
    assert "    it.call('scale_vjp'" in changed and "student" not in changed
    for name in ("expect_answer", "array", "np"):
        assert name in edits._imported(changed)
    assert changed.splitlines()[line - 1] == "  expect_answer("


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def f(:", "cannot be read"),
        ("x = 1\n", "no hidden check"),
        ("(" * 500, "cannot be read"),
        ("a\0b", "cannot be read"),
    ],
)
def test_a_statement_without_a_place_is_refused(text: str, said: str) -> None:
    with pytest.raises(Refused, match=said):
        edits.with_statement(text, STATEMENT)


SETTINGS = """# A comment that stays.
title = "Old"  # and this one
kind = "vjp"
profile = "numpy"
unit = "Own"
points = 4
difficulty = 1
minutes = 20
concepts = ["one", "two"]

[[entry_points]]
name = "f"
signature = "f(x)"

[messages.own]
title = "Mine"
"""


def test_a_form_changes_its_settings_and_nothing_else() -> None:
    values = settings_file.values_of(SETTINGS)
    assert settings_file.with_values(SETTINGS, values) == SETTINGS
    changed = settings_file.with_values(SETTINGS, values | {"title": 'New "one"', "minutes": None, "cpu_seconds": 3})
    found = settings_file.values_of(changed)
    assert (found["title"], found["minutes"], found["cpu_seconds"]) == ('New "one"', None, 3)
    for kept in ("# A comment that stays.", "# and this one", '[messages.own]\ntitle = "Mine"', 'signature = "f(x)"'):
        assert kept in changed
    assert (
        settings_file.values_of(settings_file.with_values(changed, found | {"public_checks_miss": "Because."}))[
            "public_checks_miss"
        ]
        == "Because."
    )


def test_settings_that_are_no_toml_are_refused() -> None:
    for text in ("title = ", "[a\n", "a = 1\na = 2\n"):
        with pytest.raises(Refused, match="cannot be read"):
            settings_file.values_of(text)


def test_a_submission_is_kept_without_what_names_its_author() -> None:
    source = (
        b'"""By Ada Lovelace."""\n\n\ndef f(x):\n    "Ada wrote this"\n    # Ada, too\n    return x + 1  # ada@example.org\n'
    )
    kept = edits.anonymous(source)
    assert kept == "def f(x):\n    return x + 1\n" and "ada" not in kept.lower()
    with pytest.raises(Refused):
        edits.anonymous(b"def f(:")
