"""docs/security.md speaks of every layer of the sandbox, and proves what it says of everybody who attacks."""

import ast
import re
from functools import cache
from itertools import takewhile

import pytest

from autograder.judge import pack
from autograder.web.accounts.login_throttle import ACCOUNT, ADDRESS, BOTH
from sandbox.backends.container import PROCESSES, SURROUNDING
from sandbox.limits import CURES, LAYERS
from tests.conftest import EXERCISES, SLUGS
from tests.docs.pages import ROOT, Section, first_column, read
from tests.hostile.test_shortcuts import EXERCISES_OF_ARRAYS

QUESTIONS = ("How it works:", "Stops:", "Does not stop:", "How selfcheck proves it:")


def of_chapter(title: str) -> list[Section]:
    """The sections of the third level below it."""
    sections = read("security").sections
    after = sections[sections.index(read("security").section(title)) + 1 :]
    return list(takewhile(lambda section: section.level == 3, after))


def test_there_is_a_section_for_exactly_every_layer() -> None:
    assert [section.title for section in of_chapter("Sandbox layers")] == list(LAYERS)


# -- the threat model -----------------------------------------------------------------------------------------------------

ATTACKERS = of_chapter("Threats and defences")


@cache
def functions_of(file: str) -> set[str]:
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return {node.name for node in ast.walk(ast.parse((ROOT / file).read_text("utf-8"))) if isinstance(node, functions)}


@pytest.mark.parametrize("attacker", ATTACKERS, ids=lambda section: section.title)
def test_every_line_names_tests_that_there_are(attacker: Section) -> None:
    header, *rows = attacker.rows
    assert len(header) == 3
    assert rows
    for row in rows:
        named = re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", row[2])
        assert named, row
        assert [name for file, name in named if name not in functions_of(file)] == []


@pytest.mark.parametrize("attacker", ATTACKERS, ids=lambda section: section.title)
def test_every_attacker_has_what_is_not_stopped(attacker: Section) -> None:
    assert "Not stopped:" in attacker.text


def test_every_way_to_points_without_the_work_was_tried() -> None:
    _, *rows = read("security").section("Points without the work").rows
    assert len(rows) == 22
    for row in rows:
        named = re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", row[1])
        assert named, row
        assert [name for file, name in named if name not in functions_of(file)] == []
        in_each = f"in {len(EXERCISES_OF_ARRAYS)} exercises: "
        assert row[1].startswith(in_each) is (named[0][0] == "tests/hostile/test_shortcuts.py"), row


def test_every_exercise_without_a_check_of_the_cost_has_a_reason() -> None:
    checks_cost = re.compile(r"autograder\.judge\.checks\.(backward|engine|tensor)_cost\b")
    without = [
        slug
        for slug, exercise in ((slug, pack.load(pack.find(EXERCISES, slug))) for slug in SLUGS)
        if exercise.settings.kind in ("vjp", "engine")
        and not checks_cost.search((exercise.folder / "checks.py").read_text())
    ]
    _, *rows = read("security").section("Exercises without a check of the cost").rows
    assert sorted(slug for row in rows for slug in re.findall(r"`([\w-]+)`", row[0])) == sorted(without)
    assert all(row[1] for row in rows)


def test_what_is_said_of_containers_is_proved() -> None:
    section = read("security").section("Container sandboxes")
    proofs = section.rows[next(n for n, row in enumerate(section.rows) if row[-1] == "Proved by") + 1 :]
    assert len(proofs) == 11
    for row in proofs:
        named = re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", row[1])
        assert named, row
        assert [name for file, name in named if name not in functions_of(file)] == []


def test_the_numbers_of_containers_are_those_of_the_code() -> None:
    assert f"{PROCESSES} processes" in read("security").section("Container sandboxes").text
    assert set(SURROUNDING) == {"namespaces", "tmpfs"}


def test_the_attackers_are_all_there() -> None:
    assert len(ATTACKERS) == 10


def test_the_numbers_of_signing_in_are_those_of_the_code() -> None:
    _, *rows = read("security").section("Sign-in limits").rows
    for row, rule, longest in zip(rows, (BOTH, ACCOUNT, ADDRESS), ("15 minutes", "1 minute", "30 s"), strict=True):
        assert row[1].split()[0] == str(rule.free)
        assert longest in row[2]
    assert (BOTH.longest, ACCOUNT.longest, ADDRESS.longest) == (15 * 60, 60, 30)


def test_how_to_report_stands_at_the_root() -> None:
    policy = (ROOT / "SECURITY.md").read_text("utf-8")
    for heading in ("## Reporting a vulnerability", "## What to expect", "## Supported versions"):
        assert heading in policy


@pytest.mark.parametrize("layer", LAYERS)
def test_a_section_answers_every_question(layer: str) -> None:
    text = read("security").section(layer).text
    assert [question for question in QUESTIONS if f"**{question}**" not in text] == []


def test_every_layer_has_its_cure() -> None:
    assert first_column(read("security").section("Missing layers")) == list(LAYERS)
    assert set(CURES) == set(LAYERS)


def test_it_says_that_graph_and_memory_checks_are_claims() -> None:
    assert "What is recorded in the process of the student's code is only a claim" in read("security").source
