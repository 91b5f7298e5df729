"""Whatever an author's checks do, they reach nothing but their own exercise, and are gone after the grading."""

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.examiner.examiners import ExaminerError, Examiners
from autograder.judge import pack
from autograder.judge.outcome import ListedCheck
from autograder.judge.pack import Content, Pack, PackError
from autograder.judge.report import Report
from autograder.library.sandboxes import backend
from sandbox.host import Sandbox
from sandbox.packages import EXAMINER
from tests.conftest import EXERCISES
from tests.hostile.authors import AUTHORS, LISTED, Author
from tests.hostile.ground import Ground

pytestmark = pytest.mark.hostile
CHECKS = tuple(ListedCheck(*listed) for listed in LISTED)
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def examiners() -> Iterator[Examiners]:
    with Examiners(backend()) as slot:
        yield slot


@pytest.fixture(scope="module")
def victim(packs: dict[str, Pack]) -> Pack:
    """Another exercise, graded by the same worker."""
    return packs["value-engine"]


def exercise(tmp_path: Path, checks: bytes) -> Content:
    folder = tmp_path / "hostile-author"
    shutil.copytree(EXERCISES / "scalar-engine" / "value-engine", folder)
    (folder / "checks.py").write_bytes(checks)
    return pack.read(folder)


def graded(examiners: Examiners, content: Content, source: bytes) -> Report:
    with examiners.examination(content, CHECKS) as examination:
        return examination.grade(source, 7)


def assert_serves(examiners: Examiners, victim: Pack) -> None:
    """The other exercise is graded as ever, both its solution and a wrong one."""
    listed = [check.listed for check in victim.checks]
    content = pack.read(victim.folder)
    for source, verdict in ((victim.solution, "passed"), (victim.wrong["missing-upstream"], "partial")):
        with examiners.examination(content, listed) as examination:
            assert examination.grade(source, 7).verdict == verdict


@pytest.mark.parametrize("author", AUTHORS, ids=str)
def test_an_author_reaches_nothing_else(
    author: Author, examiners: Examiners, victim: Pack, ground: Ground, tmp_path: Path
) -> None:
    checks = author.checks.replace(b"{root!r}", repr(str(ROOT)).encode()).replace(b"{port}", b"9")
    content = exercise(tmp_path, checks)
    box = examiners.sandbox(EXAMINER)
    assert isinstance(box, Sandbox), "the attacks are made on one zygote that takes many"
    box.wait_until_warm()
    starts = box.starts
    try:
        report = graded(examiners, content, victim.solution)
    except (ExaminerError, PackError) as error:
        assert author.error and author.error in str(error)
    else:
        assert (not author.error) or author.error in report.message, report
        ground.assert_clean(report)
        if author.score is not None:
            assert report.score == author.score
        assert [(c.id, c.title, c.hidden, c.max_points) for c in report.checks] == [*LISTED]
        message = "\n".join(check.message for check in report.checks)
        assert "BROKEN" not in message, message
        assert all(f"held: {name}:" in message for name in author.held), message
    assert_serves(examiners, victim)
    ground.assert_alone(box)
    assert box.starts == starts, "the zygote of examiners lost its life"


def test_the_line_of_an_endless_loop_is_named(examiners: Examiners, victim: Pack, tmp_path: Path) -> None:
    author = Author("loop", "x = 0\nwhile True:\n    x += 1")
    line = author.checks.decode().splitlines().index("        x += 1") + 1
    with pytest.raises(ExaminerError, match=rf"checks\.py:({line}|{line - 1})\."):
        graded(examiners, exercise(tmp_path, author.checks), victim.solution)


def test_points_and_titles_are_those_of_the_version(examiners: Examiners, victim: Pack, tmp_path: Path) -> None:
    """A file that declares other points when it is graded gets those that it declared when it was stored."""
    content = exercise(tmp_path, Author("points").checks.replace(b"points=4", b"points=9.5"))
    content = replace(content, settings=content.settings)
    with pytest.raises(PackError, match="points"):
        graded(examiners, content, victim.solution)
