"""`manage.py exercise`: what an author sees when an exercise is proved or previewed."""

import json
import shutil
from pathlib import Path

import pytest

from autograder.library.models import ExerciseVersion
from autograder.prove.scaffold import NAMES
from tests.commands import Shell
from tests.library.test_grade_command import manage, one_line
from tests.prove.tiny_exercise import PARTS


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


def test_progress_is_shown_on_stderr_alone_and_to_people_alone(folder: Path) -> None:
    watched = manage("exercise", "lint", FORCE_COLOR="1", **places(folder))  # as in a terminal
    assert "verifying" in watched.stderr
    assert "verifying" not in watched.stdout
    assert manage("exercise", "lint", **places(folder)).stderr == "", "a log has lines, and no bar"


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


def test_new_makes_a_folder_and_says_what_comes_next(tmp_path: Path) -> None:
    result = manage("exercise", "new", "twice", "--kind", "quiz", GRADUS_EXERCISES=str(tmp_path))
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "drafts" / "twice" / "exercise.toml").is_file()
    assert str(tmp_path / "drafts" / "twice") in result.stdout
    for command in ("exercise show twice", "exercise lint twice", "grade twice FILE"):
        assert f"manage.py {command} " in result.stdout


def test_new_puts_it_into_a_unit(tmp_path: Path) -> None:
    result = manage("exercise", "new", "twice", "--kind", "vjp", "--unit", "my-unit", GRADUS_EXERCISES=str(tmp_path))
    assert result.returncode == 0, result.stderr
    assert 'unit = "My unit"' in (tmp_path / "my-unit" / "twice" / "exercise.toml").read_text()


def test_new_never_touches_what_is_there(folder: Path) -> None:
    line = one_line(manage("exercise", "new", "twice-and-a-bit", "--kind", "quiz", **places(folder)))
    assert "'twice-and-a-bit' already exists" in line
    assert "choose another slug" in line
    assert (folder / "solution.py").read_text() == PARTS["solution.py"]


def test_a_kind_that_does_not_exist_is_answered_with_the_list(tmp_path: Path) -> None:
    line = one_line(manage("exercise", "new", "twice", "--kind", "essay", GRADUS_EXERCISES=str(tmp_path)))
    assert [kind for kind in NAMES if f"'{kind}'" not in line] == []


@pytest.mark.parametrize(
    "arguments",
    [
        ("Twice", "--kind", "quiz"),
        ("twice", "--kind", "quiz", "--unit", "../up"),
        ("class", "--kind", "quiz"),
        ("twice",),
        (),
    ],
)
def test_a_wrong_call_of_new_is_one_clear_line_and_makes_nothing(arguments: tuple[str, ...], tmp_path: Path) -> None:
    line = one_line(manage("exercise", "new", *arguments, GRADUS_EXERCISES=str(tmp_path)))
    assert line.startswith("exercise new: ")
    assert "see manage.py exercise new --help" in line
    assert list(tmp_path.iterdir()) == []


def test_what_is_being_made_is_not_proved(folder: Path) -> None:
    shutil.copytree(folder, folder.parent / ".twice")
    (folder.parent / ".twice" / "statement.md").write_text("")
    result = manage("exercise", "lint", **places(folder))
    assert result.returncode == 0, result.stdout


@pytest.mark.django_db
def test_load_makes_versions_and_says_which_are_new(shell: Shell) -> None:
    first = shell("exercise", "load", "value-engine")
    version = ExerciseVersion.objects.get()
    assert first.out.splitlines() == [f"new        value-engine {version.hash}", "1 of 1 versions are new"]
    assert shell("exercise", "load", "value-engine").out.splitlines()[-1] == "0 of 1 versions are new"


@pytest.mark.django_db
def test_load_of_a_folder_that_is_not_there_loads_nothing(shell: Shell) -> None:
    ended = shell("exercise", "load", "value-engine", "value-motor")
    assert (ended.status, ended.out) == (2, "")
    assert not ExerciseVersion.objects.exists()


def test_a_database_without_tables_is_one_line(tmp_path: Path) -> None:
    result = manage("exercise", "load", "value-engine", GRADUS_DATA=str(tmp_path))
    assert (result.returncode, result.stdout) == (1, "")
    (line,) = result.stderr.splitlines()
    assert line.startswith("CommandError: The database has no tables (no such table: library_exerciseversion).")


LAX = "from slopes import slope\nassert slope(0.0, 2.0) == 0.0\n"


def test_tests_on_trial_print_the_rate_and_the_survivors(folder: Path, tmp_path: Path) -> None:
    tests = tmp_path / "lab.py"
    tests.write_text(LAX)
    result = manage("exercise", "court", str(tests), folder.name, **places(folder))
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("lab.py: 1 test. The solution passes; ")
    assert "pass all tests. The smallest changes first:" in result.stdout
    assert "Gradus fails it in “" in result.stdout
    row = json.loads(manage("exercise", "court", str(tests), folder.name, "--json", **places(folder)).stdout)
    assert row["wrong"] == row["caught"] + len(row["survivors"])
    assert row["survivors"]


def test_tests_on_trial_become_an_exercise(folder: Path, tmp_path: Path) -> None:
    tests = tmp_path / "lab.py"
    tests.write_text(LAX)
    result = manage("exercise", "court", str(tests), folder.name, "--into", "slopes-tested", **places(folder))
    assert result.returncode == 0, result.stderr
    assert "slopes-tested: the tests are its public checks" in result.stdout
    shown = manage("exercise", "show", "slopes-tested", **places(folder)).stdout
    assert "public  0  Test: line 2" in shown
    assert "hidden  1  One number" in shown


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "name the exercise that the tests are for, or its solution with --solution"),
        (("twice-and-a-bit", "--solution", "x.py"), "name the exercise that the tests are for"),
        (("--solution", "none.py"), "none.py is no Python file"),
        (("--solution", "none.py", "--into", "other"), "--into needs an exercise"),
    ],
)
def test_a_trial_that_cannot_begin_is_one_line(folder: Path, tmp_path: Path, arguments: tuple[str, ...], words: str) -> None:
    tests = tmp_path / "lab.py"
    tests.write_text(LAX)
    assert words in one_line(manage("exercise", "court", str(tests), *arguments, **places(folder)))


def test_tests_that_do_not_exist_are_one_line(folder: Path) -> None:
    assert "none.py cannot be read" in one_line(manage("exercise", "court", "none.py", folder.name, **places(folder)))
