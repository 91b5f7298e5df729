"""docs/authoring.md is walked from top to bottom in a clone: its files are written, its edits made, its commands run."""

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from autograder.explain.diagnosis import prediction
from autograder.judge import pack
from autograder.judge.grade import Judge
from autograder.prove.linter import prove
from autograder.prove.scaffold import NAMES
from sandbox.backends.bubblewrap import Bubblewrap
from tests.docs.pages import ROOT, Block, first_column, read
from tests.docs.test_commands import commands, says
from tests.processes import shell
from tests.replays import explained

OURS = ("GRADUS_", "DEBUG", "DJANGO_", "GIT_")
IDENTITY = {f"GIT_{who}_{what}": "author@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}


@dataclass
class Walk:
    """A clone in which an author works. Exercises are its own, the rest is linked; `told` is what went otherwise."""

    home: Path
    told: list[str] = field(default_factory=list)

    def take(self, block: Block) -> None:
        """Do what a block of the page says."""
        if "aside" in block.marks:
            aside = self.home.parent / "aside"
            shutil.copytree(self.home / "exercises", aside / "exercises")
            Walk(aside).write(block)
        elif block.marks.get("run") == "walk":
            for command, wanted in commands(block):
                given, beside = self.run(command)
                if not says(wanted, given):
                    self.told.append(f"{block}: {command}\nprinted\n{given}{beside}\ninstead of\n{wanted}")
        else:
            self.write(block)

    def write(self, block: Block) -> None:
        for mark, name in block.marks.items():
            path = self.home / name
            if mark == "file":
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(block.text)
            elif mark == "append":
                path.write_text(path.read_text() + "\n" + block.text)
            elif mark == "change":
                path.write_text(changed(path.read_text(), block.text))

    def run(self, command: str) -> tuple[str, str]:
        """What a command prints, and what it prints on stderr: progress, which is not part of the page."""
        environment = {key: value for key, value in os.environ.items() if not key.startswith(OURS)}
        environment |= {"GRADUS_EXERCISES": str(self.home / "exercises"), "GRADUS_CACHE": str(self.home / ".cache")}
        result = shell(command, cwd=self.home, environment=environment | IDENTITY | {"COLUMNS": "100"})
        return result.stdout, result.stderr


def changed(text: str, diff: str) -> str:
    """A text after a diff: the lines that stay and go are found as they are, once, and give way to those that stay and come."""
    lines = diff.splitlines(keepends=True)
    before = "".join(line[1:] for line in lines if line[0] in " -")
    after = "".join(line[1:] for line in lines if line[0] in " +")
    assert text.count(before) == 1, diff
    return text.replace(before, after)


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Walk]:
    """The author's clone when the page has been followed to its end."""
    home = tmp_path_factory.mktemp("author") / "gradus"
    home.mkdir()
    for name in ("manage.py", "autograder", "sandbox", ".venv"):
        (home / name).symlink_to(ROOT / name)
    for name in (".gitignore", "pyproject.toml"):  # read as they are found, by git and ruff
        shutil.copy(ROOT / name, home)
    shutil.copytree(ROOT / "exercises" / "hand-written-vjps", home / "exercises" / "hand-written-vjps")
    walk = Walk(home)
    walk.run("git init -q . && git add exercises && git commit -qm Start")
    for block in read("authoring").blocks:
        walk.take(block)
    yield walk


@pytest.mark.slow
def test_everything_happens_as_the_page_says(walk: Walk) -> None:
    assert not walk.told, "\n\n".join(walk.told)


@pytest.mark.slow
def test_the_exercise_is_published_whole(walk: Walk) -> None:
    folder = pack.find(walk.home / "exercises", "norm-vjp")
    assert folder.parent.name == "hand-written-vjps"
    assert walk.run("git status --porcelain exercises") == ("", "")
    assert pack.load(folder).settings.unit == pack.load(folder.parent / "vjp-matmul").settings.unit


@pytest.mark.slow
def test_what_the_page_allows_aside_is_allowed(walk: Walk) -> None:
    aside = walk.home.parent / "aside" / "exercises"
    (proof,) = prove(Bubblewrap(), [pack.find(aside, "norm-vjp")])
    assert (proof.findings, proof.allowed) == ((), 1)


@pytest.mark.slow
def test_a_student_is_told_in_the_authors_words(walk: Walk, judge: Judge, tmp_path: Path) -> None:
    exercise = pack.load(pack.find(walk.home / "exercises", "norm-vjp"))
    source = exercise.wrong["missing-upstream"]
    known = prediction.load(judge, exercise, tmp_path)
    told = explained(judge, exercise, source, judge.grade(exercise, source, 1), known)
    assert [(one.key, one.words) for one in told] == [("missing-upstream", exercise.settings.messages["missing-upstream"])]


def test_every_kind_is_listed() -> None:
    assert first_column(read("authoring").section("Begin")) == list(NAMES)


def test_the_prose_names_every_file() -> None:
    """What stands behind a fence is not shown to a reader."""
    page = read("authoring")
    lines, before, nameless = page.source.splitlines(), 0, []
    for block in page.blocks:
        prose = "\n".join(lines[before : block.line - 1])
        before = block.line + block.text.count("\n") + 1
        for name in (name for mark, name in block.marks.items() if mark in ("file", "append", "change")):
            if name.removeprefix("exercises/drafts/norm-vjp/") not in prose:
                nameless.append(name)
    assert nameless == []


def test_every_block_is_part_of_the_story() -> None:
    """But for examples in the reference below it."""
    marks = {"file", "append", "change", "run", "example"}
    assert [str(block) for block in read("authoring").blocks if not marks & set(block.marks)] == []
