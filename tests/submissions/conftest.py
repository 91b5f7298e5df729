"""A grader in this process with real sandboxes, and a doorbell that only counts."""

from collections.abc import Iterator

import pytest
from django.conf import settings

from autograder.explain.diagnosis import prediction
from autograder.judge.grade import Judge
from autograder.judge.pack import Pack
from autograder.library import versions
from autograder.prove.stored_proofs import wrong_endings
from autograder.submissions.grader import Grader
from autograder.submissions.messages import doorbell
from autograder.submissions.work.lease_keeper import LeaseKeeper
from tests.cast import Cast


class Bell:
    def __init__(self) -> None:
        self.rung = 0
        self.for_regrades = 0

    def ring(self) -> None:
        self.rung += 1

    def ring_for_regrades(self) -> None:
        self.for_regrades += 1


@pytest.fixture(autouse=True)
def bell(monkeypatch: pytest.MonkeyPatch) -> Bell:
    bell = Bell()
    monkeypatch.setattr(doorbell, "ring", bell.ring)
    monkeypatch.setattr(doorbell, "ring_for_regrades", bell.ring_for_regrades)
    return bell


@pytest.fixture(scope="session")
def warm_grader(packs: dict[str, Pack]) -> Iterator[Grader]:
    """The mistakes of the engine exercise are learned. The lease keeper is disabled, because it would use the test
    database from another thread.
    """
    keep = LeaseKeeper.__init__
    LeaseKeeper.__init__ = lambda self: None  # type: ignore[method-assign]
    try:
        grader = Grader()
    finally:
        LeaseKeeper.__init__ = keep  # type: ignore[method-assign]
    prediction.load(judge_of(grader), packs["value-engine"], settings.CACHE / "diagnosis", proved=wrong_endings)
    yield grader
    grader.examiners.close()


def judge_of(grader: Grader) -> Judge:
    """A judge in this process, with the grader's sandboxes."""
    judge = Judge(grader.examiners.backend)
    judge._sandboxes = grader.examiners._sandboxes
    return judge


@pytest.fixture(autouse=True)
def nothing_remembered() -> None:
    """Clear the cache of packs, because version ids repeat after a rollback."""
    versions.forget()


@pytest.fixture
def grader(warm_grader: Grader, db: None) -> Grader:
    return warm_grader


@pytest.fixture
def cast(db: None) -> Cast:
    return Cast()
