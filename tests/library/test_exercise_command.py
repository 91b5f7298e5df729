"""`manage.py exercise`: what an author sees when an exercise is proved or previewed."""

import json
from pathlib import Path

import pytest

from tests.judge.lint.conftest import PARTS
from tests.library.test_grade_command import manage, one_line


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The tiny exercise, alone in a folder of exercises."""
    for name, text in PARTS.items():
        path = tmp_path / "exercises" / "unit" / "twice-and-a-bit" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "exercises" / "unit" / "twice-and-a-bit"


def places(folder: Path) -> dict[str, str]:
    return {"GRADUS_EXERCISES": str(folder.parent.parent), "GRADUS_CACHE": str(folder.parent.parent.parent / "cache")}


def test_a_proved_exercise_is_one_line_and_status_0(folder: Path) -> None:
    result = manage("exercise", "lint", **places(folder))
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.startswith("✓ twice-and-a-bit: ")
    assert "score 100%" in result.stdout


def test_a_finding_names_file_line_and_rule_and_the_status_is_1(folder: Path) -> None:
    (folder / "wrong" / "missing-upstream.py").write_text((folder / "solution.py").read_text())
    result = manage("exercise", "lint", "twice-and-a-bit", **places(folder))
    assert result.returncode == 1
    assert "wrong/missing-upstream.py:1: wrong: passes every hidden check" in result.stdout


def test_json_is_one_line_per_exercise(folder: Path) -> None:
    result = manage("exercise", "lint", "--json", **places(folder))
    (row,) = [json.loads(line) for line in result.stdout.splitlines()]
    assert (row["slug"], row["findings"]) == ("twice-and-a-bit", [])
    assert row["mutants"] == row["killed"] + row["equivalent"]


def test_progress_is_shown_on_stderr_alone(folder: Path) -> None:
    result = manage("exercise", "lint", **places(folder))
    assert "proving" in result.stderr
    assert "proving" not in result.stdout


def test_an_unknown_exercise_is_one_clear_line(folder: Path) -> None:
    assert "did you mean twice-and-a-bit" in one_line(manage("exercise", "lint", "twice-and-bit", **places(folder)))


def test_show_previews_the_statement_and_the_checks(folder: Path) -> None:
    result = manage("exercise", "show", "twice-and-a-bit", **places(folder))
    assert result.returncode == 0
    assert "Twice and a bit" in result.stdout
    assert "hidden  3  Many numbers" in result.stdout


def test_learn_makes_the_dictionary_once(folder: Path) -> None:
    cache = folder.parent.parent.parent / "cache" / "diagnosis"
    written = []
    for _ in range(2):
        result = manage("exercise", "learn", "twice-and-a-bit", **places(folder))
        assert result.returncode == 0, result.stderr
        (made,) = cache.iterdir()
        written.append((made.name, made.stat().st_mtime_ns))
    assert written[0] == written[1]
    assert int(result.stdout.split()[1]) > 5  # "twice-and-a-bit: 23 mistakes are known"
    assert "learning" in result.stderr
