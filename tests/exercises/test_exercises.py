"""The exercises keep their promises: right ones pass, wrong ones fail where their name says, and nothing flickers."""

from pathlib import Path

import msgspec
import pytest

from autograder.judge.grade import Judge
from autograder.judge.pack import Pack
from autograder.judge.report import Report
from autograder.judge.scaffold import DRAFTS, unfinished
from tests.conftest import EXERCISES, SLUGS

SEEDS = range(5)
SLOW = 2.5
FILES = {part: sorted(EXERCISES.glob(f"*/*/{part}/*.py")) for part in ("wrong", "right")}


def failed_hidden(report: Report) -> list[str]:
    return [check.id for check in report.checks if check.hidden and not check.passed]


def without_time(report: Report) -> bytes:
    return msgspec.json.encode(msgspec.structs.replace(report, seconds=0.0))


@pytest.mark.parametrize("slug", SLUGS)
def test_the_solution_gets_full_marks_on_many_seeds(slug: str, judge: Judge, packs: dict[str, Pack]) -> None:
    pack = packs[slug]
    for seed in range(20):
        report = judge.grade(pack, pack.solution, seed)
        assert (report.verdict, report.score) == ("passed", pack.settings.points), (seed, report)


@pytest.mark.parametrize("slug", SLUGS)
def test_nothing_is_left_open_for_the_author(slug: str, packs: dict[str, Pack]) -> None:
    """Drafts may be unfinished; what stands in a unit may not."""
    folder = packs[slug].folder
    assert folder.parent.name == DRAFTS or list(unfinished(folder)) == []


@pytest.mark.parametrize("slug", SLUGS)
def test_the_starter_compiles_and_does_not_pass(slug: str, judge: Judge, packs: dict[str, Pack]) -> None:
    report = judge.grade(packs[slug], packs[slug].starter, 1)
    assert report.verdict in ("partial", "failed"), report
    assert report.score < report.max_score / 2


@pytest.mark.parametrize("path", FILES["right"], ids=lambda path: f"{path.parent.parent.name}/{path.stem}")
def test_an_unusual_right_solution_gets_full_marks(path: Path, judge: Judge, packs: dict[str, Pack]) -> None:
    pack, source = opened(path, packs)
    for seed in SEEDS:
        report = judge.grade(pack, source, seed)
        assert report.verdict == "passed", (seed, [check for check in report.checks if not check.passed], report.message)


@pytest.mark.parametrize("path", FILES["wrong"], ids=lambda path: f"{path.parent.parent.name}/{path.stem}")
def test_a_wrong_solution_fails_a_hidden_check_on_every_seed(path: Path, judge: Judge, packs: dict[str, Pack]) -> None:
    pack, source = opened(path, packs)
    for seed in SEEDS:
        report = judge.grade(pack, source, seed)
        assert report.verdict in ("partial", "failed", "error"), (seed, report.verdict, report.message)
        assert failed_hidden(report), seed
        if report.seconds > SLOW:
            break  # a mistake that costs time is caught by its limit; once is enough


@pytest.mark.parametrize("slug", SLUGS)
def test_the_same_seed_gives_the_same_report(slug: str, judge: Judge, packs: dict[str, Pack]) -> None:
    pack = packs[slug]
    sources = [pack.solution, *list(pack.right.values())[:1]]
    first = [without_time(judge.grade(pack, source, 7)) for source in sources]
    judge.sandbox(pack.settings.profile).close()
    assert [without_time(judge.grade(pack, source, 7)) for source in sources] == first


def opened(path: Path, packs: dict[str, Pack]) -> tuple[Pack, bytes]:
    return packs[path.parent.parent.name], path.read_bytes()
