"""A new exercise works from the first minute: every kind loads, is graded as it should be, and lacks only its author's words."""

import os
from pathlib import Path

import pytest

from autograder.judge import pack
from autograder.judge.grade import Judge
from autograder.prove import scaffold
from autograder.prove.scaffold import FORMS, MARK, NAMES, BadName, ScaffoldError, SlugTaken


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of exercises with a fresh one of each template."""
    root = tmp_path_factory.mktemp("exercises")
    for kind in NAMES:
        scaffold.create(root, f"new-{kind}", kind)
    return root


@pytest.mark.parametrize("kind", NAMES)
def test_every_template_is_of_its_kind(kind: str, root: Path) -> None:
    exercise = pack.load(root / "drafts" / f"new-{kind}")
    assert exercise.settings.kind == FORMS.get(kind, kind)
    assert exercise.settings.title == f"New {kind.replace('-', ' ')}"
    assert exercise.settings.unit == "Drafts"
    assert exercise.variety is not None


@pytest.mark.parametrize("kind", NAMES)
def test_a_fresh_exercise_grades_right_and_wrong_ones(kind: str, root: Path, judge: Judge) -> None:
    exercise = pack.load(root / "drafts" / f"new-{kind}")
    for source in (exercise.solution, *exercise.right.values()):
        report = judge.grade(exercise, source, 1)
        assert (report.verdict, report.score) == ("passed", exercise.settings.points), report
    for name, source in exercise.wrong.items():
        report = judge.grade(exercise, source, 1)
        assert [check.id for check in report.checks if check.hidden and not check.passed], (name, report)
    assert judge.grade(exercise, exercise.starter, 1).score == 0


@pytest.mark.parametrize("kind", NAMES)
def test_every_part_has_something_for_the_author(kind: str, root: Path) -> None:
    folder = root / "drafts" / f"new-{kind}"
    marked = {path.relative_to(folder).parts[0] for path, _, _ in scaffold.unfinished(folder)}
    assert marked == {*pack.PARTS, "starter.py", "solution.py", "wrong", "right"}


def test_a_mark_is_found_with_its_file_line_and_words(tmp_path: Path) -> None:
    (tmp_path / "statement.md").write_text(f"One.\n\n{MARK}: an example.\nTODO: the student's.\n")
    assert list(scaffold.unfinished(tmp_path)) == [(tmp_path / "statement.md", 3, "an example.")]


def test_a_slug_of_any_unit_is_taken(tmp_path: Path) -> None:
    folder = scaffold.create(tmp_path, "twice", "quiz", "one")
    before = {path: path.read_bytes() for path in folder.rglob("*.*")}
    with pytest.raises(SlugTaken, match=r"one/twice; choose another slug"):
        scaffold.create(tmp_path, "twice", "vjp", "other")
    assert {path: path.read_bytes() for path in folder.rglob("*.*")} == before
    assert not (tmp_path / "other").exists()


def test_a_file_of_that_name_is_in_the_way_too(tmp_path: Path) -> None:
    (tmp_path / "drafts").mkdir()
    (tmp_path / "drafts" / "twice").write_text("mine")
    with pytest.raises(SlugTaken):
        scaffold.create(tmp_path, "twice", "quiz")
    assert (tmp_path / "drafts" / "twice").read_text() == "mine"


@pytest.mark.parametrize(
    "slug",
    ["", "Twice", "twice_over", "-twice", "twice-", "twice--over", "2nd", "../twice", "a/b", "ü", "twice\n", "x" * 61],
)
def test_an_odd_name_is_refused(slug: str, tmp_path: Path) -> None:
    with pytest.raises(BadName):
        scaffold.create(tmp_path / "exercises", slug, "quiz")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("slug", ["lambda", "match"])
def test_a_word_of_python_is_refused(slug: str, tmp_path: Path) -> None:
    with pytest.raises(BadName, match=f"{slug}-vjp"):
        scaffold.create(tmp_path, slug, "quiz")


def test_nothing_is_left_when_the_last_step_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device", "somewhere")

    monkeypatch.setattr(os, "rename", full)
    with pytest.raises(ScaffoldError, match="cannot write to somewhere: No space left on device"):
        scaffold.create(tmp_path, "twice", "quiz")
    assert list(tmp_path.iterdir()) == []


def test_where_a_file_stands_for_the_folder_of_exercises_nothing_is_written(tmp_path: Path) -> None:
    (tmp_path / "exercises").write_text("a file")
    with pytest.raises(ScaffoldError, match="cannot write to"):
        scaffold.create(tmp_path / "exercises", "twice", "quiz")


def test_others_can_read_what_was_made(tmp_path: Path) -> None:
    (tmp_path / "usual").mkdir()
    folder = scaffold.create(tmp_path, "twice", "quiz")
    assert folder.stat().st_mode == (tmp_path / "usual").stat().st_mode
