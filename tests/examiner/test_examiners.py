"""An examiner is started for one submission, beforehand if nothing waits; it finds what a judge in this process finds."""

import contextlib
import os
import re
import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from autograder.examiner.examiners import Examination, Examiner, Examiners
from autograder.judge import pack
from autograder.judge.grade import Judge
from autograder.judge.outcome import ListedCheck
from autograder.judge.pack import Content, Pack
from autograder.judge.report import Report
from autograder.library.sandboxes import backend
from autograder.prove import adopt, proving, suite
from autograder.prove.memory import Memory
from sandbox.errors import KilledFromOutside, ZygoteDied
from sandbox.packages import EXAMINER
from sandbox.selfcheck import children, descendants

SLUG = "value-engine"
PROVED = "relu-at-zero"


@pytest.fixture(scope="module")
def slot() -> Iterator[Examiners]:
    with Examiners(backend()) as slot:
        yield slot


@pytest.fixture
def examiners(slot: Examiners) -> Iterator[Examiners]:
    """Without an examiner that an earlier test has prepared."""
    yield slot
    if slot._prepared is not None:
        slot._prepared.close()
    slot._prepared = slot._last = None


def content_of(exercise: Pack) -> tuple[Content, list[ListedCheck]]:
    return pack.read(exercise.folder), [check.listed for check in exercise.checks]


def examined(examiners: Examiners, exercise: Pack, source: bytes, *, only_public: bool = False) -> Report:
    with examiners.examination(*content_of(exercise), only_public=only_public) as examination:
        return examination.grade(source, 7)


def passes(examiners: Examiners, exercise: Pack) -> bool:
    return examined(examiners, exercise, exercise.solution).verdict == "passed"


def examiner_of(examination: Examination) -> Examiner:
    assert examination._examiner is not None
    return examination._examiner


@pytest.mark.parametrize(
    ("slug", "wrong"),
    [
        (SLUG, "missing-upstream"),
        ("tensor-leaves", "first-operand-only"),
        ("fn-cubic", "detached-saved-value"),
        ("cs-affine", "missing-bias"),
    ],
)
def test_it_finds_what_a_judge_in_this_process_finds(
    examiners: Examiners, judge: Judge, packs: dict[str, Pack], slug: str, wrong: str
) -> None:
    exercise = packs[slug]
    for source in (exercise.solution, exercise.starter, exercise.wrong[wrong], b"x = = 1", b"1 / 0"):
        here, there = judge.grade(exercise, source, 7), examined(examiners, exercise, source)
        same = {"seconds": 0.0, "libraries": {}}
        assert replace(there, **same) == replace(here, **same)
    assert passes(examiners, exercise)


def test_it_has_the_tests_that_checks_are_made_of(examiners: Examiners, packs: dict[str, Pack], tmp_path: Path) -> None:
    shutil.copytree(packs["cs-affine"].folder, tmp_path / "unit" / "cs-affine")
    affine = pack.load(tmp_path / "unit" / "cs-affine")
    tests = suite.load(Path(__file__).parents[1] / "data" / "affine_tests.py")
    tested = pack.load(adopt.adopt(tmp_path, affine, tests, ["test_forward", "test_backward"], "affine-tested"))
    assert passes(examiners, tested)
    report = examined(examiners, tested, tested.wrong["missing-bias"])
    assert {check.id for check in report.checks if not check.passed} >= {"suite-test-forward"}


def test_a_run_has_the_public_checks_alone(examiners: Examiners, packs: dict[str, Pack]) -> None:
    report = examined(examiners, packs[SLUG], packs[SLUG].solution, only_public=True)
    assert [check.id for check in report.checks] == [check.id for check in packs[SLUG].checks if not check.hidden]


def test_a_prepared_examiner_serves_the_next_submission_to_its_exercise(
    examiners: Examiners, packs: dict[str, Pack]
) -> None:
    examiners.prepare()
    assert examiners._prepared is None, "nothing was examined yet"
    examined(examiners, packs[SLUG], packs[SLUG].solution)
    examiners.prepare()
    prepared = examiners._prepared
    examiners.prepare()
    assert prepared is not None and examiners._prepared is prepared, "one is enough"
    with examiners.examination(*content_of(packs[SLUG])) as first:
        assert examiner_of(first) is prepared and first.grade(packs[SLUG].solution, 7).verdict == "passed"
    with examiners.examination(*content_of(packs[SLUG])) as second:
        assert examiner_of(second) is not prepared, "it has seen a submission"


def test_a_prepared_examiner_of_another_exercise_is_closed(examiners: Examiners, packs: dict[str, Pack]) -> None:
    examined(examiners, packs[SLUG], packs[SLUG].solution)
    examiners.prepare()
    prepared = examiners._prepared
    assert prepared is not None
    assert passes(examiners, packs["cs-affine"])
    assert prepared.session.closed and examiners._prepared is None


def test_a_prepared_examiner_that_was_killed_is_an_error_of_one_submission(
    examiners: Examiners, packs: dict[str, Pack]
) -> None:
    """The submission is graded again by its worker, as after any internal error."""
    examined(examiners, packs[SLUG], packs[SLUG].solution)
    examiners.prepare()
    zygote = zygote_of(examiners)
    examined(examiners, packs[SLUG], packs[SLUG].solution)
    spare = only_child(zygote)
    examiners.prepare()  # of the spare; the next one must live
    os.kill(spare, signal.SIGKILL)
    with pytest.raises(KilledFromOutside):
        examined(examiners, packs[SLUG], packs[SLUG].solution)
    assert passes(examiners, packs[SLUG])


def test_a_prepared_examiner_whose_zygote_died_costs_at_most_one_submission_an_error(
    examiners: Examiners, packs: dict[str, Pack]
) -> None:
    """Who comes first, the death or the submission, is not said: if the host knows already, it takes a new zygote."""
    examined(examiners, packs[SLUG], packs[SLUG].solution)
    starts = examiners.sandbox(EXAMINER).starts
    examiners.prepare()
    os.kill(zygote_of(examiners), signal.SIGKILL)
    with contextlib.suppress(ZygoteDied):
        assert passes(examiners, packs[SLUG])
    assert passes(examiners, packs[SLUG])
    assert examiners.sandbox(EXAMINER).starts > starts


def zygote_of(examiners: Examiners) -> int:
    """The process that has forked the prepared examiner."""
    launcher = examiners.sandbox(EXAMINER).launcher_pid
    return [pid for pid in descendants(launcher or 0) if children(pid)][-1]


def only_child(pid: int) -> int:
    """The spare of a zygote without a job."""
    deadline = time.monotonic() + 60
    while len(found := children(pid)) != 1:
        assert time.monotonic() < deadline, f"it has {len(found)} children"
        time.sleep(0.01)
    return found[0]


def test_nothing_is_left_when_an_examination_ends(examiners: Examiners, packs: dict[str, Pack]) -> None:
    with examiners.examination(*content_of(packs[SLUG])) as examination:
        examination.grade(packs[SLUG].solution, 7)
        session, lent = examiner_of(examination).session, examination._lent
    assert session.closed and (lent is None or lent.closed)


def test_it_proves_what_a_linter_in_this_process_proves(examiners: Examiners, judge: Judge, packs: dict[str, Pack]) -> None:
    exercise, seen = packs[PROVED], list[tuple[int, int]]()
    with examiners.examination(*content_of(exercise), whole=True) as examination:
        there, _ = examination.prove(lambda done, of: seen.append((done, of)))
    here = proving.prove_here(judge, exercise, Memory(exercise), lambda done, of: None)
    assert (there.mutants, there.killed, there.equivalent) == (here.mutants, here.killed, here.equivalent)
    assert there.wrong_endings == here.wrong_endings
    assert not [finding for finding in there.findings if finding.rule != "limits"], "which depend on the machine"
    assert here.killed > 0 and seen[0][0] == 0 and seen[-1][0] == seen[-1][1]


def test_a_survivor_is_found_there(examiners: Examiners, packs: dict[str, Pack], tmp_path: Path) -> None:
    """The hidden checks let everything pass."""
    folder = tmp_path / PROVED
    shutil.copytree(packs[PROVED].folder, folder)
    checks = folder / "checks.py"
    emptied = re.sub(r"(hidden=True.*\)\ndef \w+\(.*\) -> None:\n)", r"\1    return\n", checks.read_text())
    checks.write_text(emptied)
    content = pack.read(folder)
    with examiners.examination(content, [], whole=True) as examination:
        proof, kept = examination.prove(lambda done, of: None)
    assert {"survivor", "wrong"} <= {finding.rule for finding in proof.findings}
    assert all(content.folder.name in finding.path for finding in proof.findings)
    with examiners.examination(content, [], whole=True) as examination:
        again, known = examination.prove(lambda done, of: None, kept)
        assert examination._sessions == 0, "everything is known already"
    assert known == kept and [finding.message for finding in again.findings] == [f.message for f in proof.findings]
