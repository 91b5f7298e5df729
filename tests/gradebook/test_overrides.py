"""A score that staff set by hand replaces the computed one until it is undone."""

from decimal import Decimal

import pytest
from django.db import IntegrityError, transaction

from autograder.courses.errors import Conflict, Refused
from autograder.courses.models import AuditEntry
from autograder.gradebook.decisions.overrides import override, undo_override
from autograder.gradebook.grades.scores import score_of
from autograder.gradebook.models import Override
from tests.cast import Cast
from tests.gradebook.conftest import graded

pytestmark = pytest.mark.django_db


def points(cast: Cast, name: str = "ada") -> Decimal | None:
    return score_of(cast.assignment, cast.membership(name)).points


def decide(cast: Cast, points: str, reason: str = "She showed it to me.", name: str = "ada") -> Override:
    given = Decimal(points)
    return override(assignment=cast.assignment, membership=cast.membership(name), points=given, reason=reason, by=cast.staff)


def test_an_override_stands_instead_of_the_computed_score(cast: Cast) -> None:
    graded(cast, "ada", 4)
    made = decide(cast, "9.5")
    found = score_of(cast.assignment, cast.membership("ada"))
    assert (found.points, found.override) == (Decimal("9.50"), made)
    assert found.counted is not None, "what it stands instead of can still be read"


def test_an_override_needs_no_submission(cast: Cast) -> None:
    decide(cast, "7")
    assert points(cast) == 7


def test_an_override_is_for_one_student(cast: Cast) -> None:
    graded(cast, "ben", 4)
    decide(cast, "9")
    assert points(cast, "ben") == 4


def test_an_override_is_audited_with_what_was_before(cast: Cast) -> None:
    graded(cast, "ada", 4)
    decide(cast, "9")
    entry = AuditEntry.objects.get(action="override")
    assert (entry.actor, entry.course, entry.subject) == (cast.owner, cast.course, "ada in autodiff")
    assert entry.details == {
        "assignment": "value-engine", "reason": "She showed it to me.", "before": "4.00", "after": "9.00",
    }  # fmt: skip


def test_undone_the_computed_score_is_back(cast: Cast) -> None:
    graded(cast, "ada", 4)
    decide(cast, "9")
    undo_override(assignment=cast.assignment, membership=cast.membership("ada"), by=cast.staff)
    assert points(cast) == 4


def test_an_undone_override_is_kept_with_who_undid_it(cast: Cast) -> None:
    decide(cast, "9")
    undo_override(assignment=cast.assignment, membership=cast.membership("ada"), by=cast.staff)
    kept = Override.objects.get()
    assert (kept.points, kept.undone_by) == (Decimal(9), cast.owner)
    assert kept.undone_at is not None


def test_to_undo_is_audited_with_what_was_before(cast: Cast) -> None:
    graded(cast, "ada", 4)
    decide(cast, "9")
    undo_override(assignment=cast.assignment, membership=cast.membership("ada"), by=cast.staff)
    entry = AuditEntry.objects.get(action="override-undone")
    assert entry.actor == cast.owner
    assert entry.details == {"assignment": "value-engine", "before": "9.00", "after": "4.00"}


def test_a_second_override_undoes_the_first(cast: Cast) -> None:
    decide(cast, "9")
    decide(cast, "8", "I looked again.")
    assert points(cast) == 8
    first, second = Override.objects.all()
    assert (first.undone_by, second.undone_at) == (cast.owner, None)
    entry = AuditEntry.objects.filter(action="override").first()
    assert entry is not None
    assert (entry.details["before"], entry.details["after"]) == ("9.00", "8.00")


def test_the_database_lets_one_override_stand(cast: Cast) -> None:
    made = decide(cast, "9")
    with pytest.raises(IntegrityError), transaction.atomic():
        Override.objects.create(
            assignment=made.assignment, membership=made.membership, points=1, reason="again", author=cast.owner
        )


def test_there_may_be_nothing_to_undo(cast: Cast) -> None:
    with pytest.raises(Refused, match="no score set by hand to undo"):
        undo_override(assignment=cast.assignment, membership=cast.membership("ada"), by=cast.staff)
    assert not AuditEntry.objects.exists()


@pytest.mark.parametrize(
    ("points", "reason", "words"),
    [
        ("9", " ", "Give a reason"),
        ("9", "x" * 501, "501 characters"),
        ("-1", "no", "between 0 and"),
        ("100000", "no", "between 0 and"),
        ("NaN", "no", "between 0 and"),
        ("Infinity", "no", "between 0 and"),
    ],
)
def test_an_override_that_cannot_stand_is_refused(cast: Cast, points: str, reason: str, words: str) -> None:
    with pytest.raises(Refused, match=words):
        decide(cast, points, reason)
    assert not Override.objects.exists()


def test_an_override_is_for_somebody_in_the_course(cast: Cast) -> None:
    seminar = Cast(slug="seminar")
    stranger = seminar.membership("sol")
    with pytest.raises(Refused, match="value-engine belongs to a different course than sol"):
        override(assignment=cast.assignment, membership=stranger, points=Decimal(1), reason="who?", by=seminar.staff)


def test_an_override_is_kept_to_the_cent_rounded_half_up(cast: Cast) -> None:
    made = decide(cast, "1.005")
    assert made.points == Decimal("1.01")
    assert points(cast) == Decimal("1.01")


# -- concurrent decisions


def seen(cast: Cast, number: int, points: str = "6") -> Override:
    return override(
        assignment=cast.assignment,
        membership=cast.membership("ada"),
        points=Decimal(points),
        reason="Mine.",
        by=cast.staff,
        seen=number,
    )


def test_whoever_saw_what_stands_decides(cast: Cast) -> None:
    first = seen(cast, 0)
    assert seen(cast, first.pk, "7").points == 7


def test_the_second_is_told_what_stands_and_writes_nothing(cast: Cast) -> None:
    stands = decide(cast, "8")
    with pytest.raises(Conflict, match=r"autodiff-grace set 8\.00 points in the meantime: She showed it to me\.") as caught:
        seen(cast, 0)
    assert caught.value.stands == stands
    assert points(cast) == 8
    assert Override.objects.count() == 1


def test_what_was_undone_meanwhile_is_told(cast: Cast) -> None:
    gone = decide(cast, "8")
    undo_override(assignment=cast.assignment, membership=cast.membership("ada"), by=cast.staff, seen=gone.pk)
    with pytest.raises(Conflict, match="was undone") as caught:
        seen(cast, gone.pk)
    assert caught.value.stands is None


def test_what_one_did_not_see_is_not_undone(cast: Cast) -> None:
    first = decide(cast, "8")
    decide(cast, "5")
    with pytest.raises(Conflict):
        undo_override(assignment=cast.assignment, membership=cast.membership("ada"), by=cast.staff, seen=first.pk)
    assert points(cast) == 5
