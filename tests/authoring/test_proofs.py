"""Drafts are proved by a worker: the newest edition, one at a time, given up for a newer one or for a student."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from autograder.authoring import drafts, proofs
from autograder.authoring.models import Draft, DraftProof
from autograder.courses.models import Membership
from autograder.examiner.examiners import Examiners
from autograder.library.sandboxes import backend
from tests.cast import Cast

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def examiners() -> Iterator[Examiners]:
    with Examiners(backend()) as slot:
        yield slot


@pytest.fixture
def owner() -> Membership:
    return Cast().staff


@pytest.fixture
def draft(owner: Membership) -> Draft:
    return drafts.start(owner.course, "vjp", "softplus", "Softplus", "Own", by=owner)


def nothing() -> None:
    pass


def proof_of(draft: Draft) -> DraftProof:
    return DraftProof.objects.get(draft=draft)


def found_of(draft: Draft) -> dict[str, Any]:
    found = proof_of(draft).found
    assert isinstance(found, dict)
    return found


def rules(draft: Draft) -> set[str]:
    return {finding["rule"] for finding in found_of(draft)["findings"]}


def test_a_template_has_only_what_the_author_must_write(draft: Draft, examiners: Examiners) -> None:
    assert proofs.waits()
    assert proofs.prove_next("a worker", examiners, nothing)
    row = proof_of(draft)
    assert (row.edition, row.running, row.trouble) == (1, 0, "")
    assert rules(draft) == {"todo"} and found_of(draft)["killed"] > 0
    assert {check["id"] for check in row.checks}
    assert all(not finding["path"].startswith("/") for finding in found_of(draft)["findings"])
    assert not proofs.waits() and not proofs.prove_next("a worker", examiners, nothing)


@pytest.mark.parametrize(
    ("path", "text", "said"),
    [
        ("checks.py", "from autograder.judge.checks import nonsense\n", "nonsense"),
        ("checks.py", "x = (\n", "never closed"),
        ("exercise.toml", "title = 3\n", "title"),
        ("solution.py", "def f(:\n", "syntax"),
    ],
)
def test_what_cannot_be_opened_is_one_finding_with_its_line(
    draft: Draft, owner: Membership, examiners: Examiners, path: str, text: str, said: str
) -> None:
    drafts.save(draft, path, text, 1, by=owner)
    proofs.prove_next("a worker", examiners, nothing)
    (finding,) = found_of(draft)["findings"]
    assert (finding["rule"], finding["path"]) == ("folder", path)
    assert said in finding["message"] and finding["line"] >= 1


def test_a_newer_edition_ends_the_proof_of_an_older_one(draft: Draft, owner: Membership, examiners: Examiners) -> None:
    def type_on() -> None:
        if drafts.texts_of(draft)["statement.md"] != "newer":
            drafts.save(draft, "statement.md", "newer", 1, by=owner)

    assert proofs.prove_next("a worker", examiners, type_on)
    row = proof_of(draft)
    assert (row.edition, row.running, row.wanted, row.tries) == (0, 0, 2, 0)
    proofs.prove_next("a worker", examiners, nothing)
    assert proof_of(draft).edition == 2


def test_a_student_is_graded_between_two_gradings_of_a_proof(
    draft: Draft, examiners: Examiners, packs: dict[str, object]
) -> None:
    from autograder.judge import pack
    from autograder.judge.pack import Pack

    engine = packs["value-engine"]
    assert isinstance(engine, Pack)
    content, checks, verdicts = pack.read(engine.folder), [check.listed for check in engine.checks], list[str]()

    def grade_somebody() -> None:
        if len(verdicts) < 3:
            with examiners.examination(content, checks) as examination:
                verdicts.append(examination.grade(engine.solution, 1).verdict)

    proofs.prove_next("a worker", examiners, grade_somebody)
    assert verdicts == ["passed"] * 3
    assert proof_of(draft).edition == 1 and rules(draft) == {"todo"}


def test_the_proof_of_a_dead_worker_is_made_by_another_one(draft: Draft, examiners: Examiners) -> None:
    DraftProof.objects.filter(draft=draft).update(running=1, worker="dead", alive_at=timezone.now())
    assert not proofs.prove_next("a worker", examiners, nothing), "it may be alive"
    DraftProof.objects.filter(draft=draft).update(alive_at=timezone.now() - timedelta(minutes=2))
    assert proofs.prove_next("a worker", examiners, nothing)
    assert proof_of(draft).edition == 1


def test_a_draft_that_kills_its_workers_is_given_up_with_a_sentence(draft: Draft, examiners: Examiners) -> None:
    DraftProof.objects.filter(draft=draft).update(tries=2, running=1, alive_at=timezone.now() - timedelta(minutes=2))
    proofs.prove_next("a worker", examiners, nothing)
    row = proof_of(draft)
    assert (row.edition, row.found, row.trouble) == (1, None, proofs.GIVEN_UP)


def test_endless_checks_end(draft: Draft, owner: Membership, examiners: Examiners, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autograder.examiner.examiners.PROVING_SECONDS", 1.0)
    text = draft.files.get(path="checks.py").text + "\n\nwhile True:\n    pass\n"
    drafts.save(draft, "checks.py", text, 1, by=owner)
    proofs.prove_next("a worker", examiners, nothing)
    assert "checks.py" in proof_of(draft).trouble
