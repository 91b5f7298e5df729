"""A student's score: computed from current gradings by the assignment's policy, unless a decision overrides it."""

from decimal import Decimal

import pytest
from django.db import IntegrityError, transaction
from pytest_django import DjangoAssertNumQueries

from autograder.courses.errors import Refused
from autograder.courses.models import AuditEntry, Extension
from autograder.gradebook.models import Override
from autograder.gradebook.scores import Conflict, override, score_of, scores_of, undo_override
from autograder.submissions import queue, regrades
from autograder.submissions.models import Kind
from tests.cast import Cast, ago, ahead
from tests.gradebook.conftest import add_grading, graded

pytestmark = pytest.mark.django_db


def rules(cast: Cast, **settings: object) -> None:
    for name, value in settings.items():
        setattr(cast.assignment, name, value)
    cast.assignment.save()
    cast.assignment.refresh_from_db()


def points(cast: Cast, name: str = "ada") -> Decimal | None:
    return score_of(cast.assignment, cast.membership(name)).points


def decide(cast: Cast, points: str, reason: str = "She showed it to me.", name: str = "ada") -> Override:
    given = Decimal(points)
    return override(assignment=cast.assignment, membership=cast.membership(name), points=given, reason=reason, by=cast.staff)


# -- computed -----------------------------------------------------------------------------------------------------------


def test_a_score_is_the_share_of_the_assignments_points(cast: Cast) -> None:
    rules(cast, points=Decimal(40))
    graded(cast, "ada", 7.5)
    assert points(cast) == Decimal("30.00")


def test_nothing_graded_is_no_score(cast: Cast) -> None:
    cast.hands_in("ada")
    assert points(cast) is None


def test_the_score_names_the_submission_that_counts(cast: Cast) -> None:
    graded(cast, "ada", 4)
    best = graded(cast, "ada", 8)
    graded(cast, "ada", 6)
    found = score_of(cast.assignment, cast.membership("ada"))
    assert found.counted is not None
    assert found.counted.submission_id == best.pk


def test_submissions_count_in_order_of_time(cast: Cast) -> None:
    rules(cast, policy="last")
    graded(cast, "ada", 4, at=ago(hours=1))
    graded(cast, "ada", 8, at=ago(hours=2))
    assert points(cast) == 4


def test_late_is_after_the_due_date(cast: Cast) -> None:
    rules(cast, policy="last", late_share=Decimal("0.5"), due_at=ago(hours=2))
    graded(cast, "ada", 8, at=ago(hours=1))
    graded(cast, "ben", 8, at=ago(hours=3))
    graded(cast, "cem", 8, at=cast.assignment.due_at)
    assert (points(cast), points(cast, "ben"), points(cast, "cem")) == (Decimal(4), Decimal(8), Decimal(8))


def test_without_a_due_date_nothing_is_late(cast: Cast) -> None:
    rules(cast, policy="last", late_share=Decimal("0.5"))
    graded(cast, "ada", 8)
    assert points(cast) == 8


def test_an_extension_moves_the_due_date_of_one_student(cast: Cast) -> None:
    rules(cast, policy="last", late_share=Decimal("0.5"), due_at=ago(hours=2))
    Extension.objects.create(
        assignment=cast.assignment, membership=cast.membership("ada"), due_at=ahead(hours=1), granted_by=cast.owner
    )
    graded(cast, "ada", 8)
    graded(cast, "ben", 8)
    assert (points(cast), points(cast, "ben")) == (Decimal(8), Decimal(4))


@pytest.mark.parametrize(
    ("score", "late_share", "worth", "expected"),
    [
        (0.125, "1", "10", "0.13"),  # 0.125: half a cent rounds up
        (2.5, "1", "0.5", "0.13"),  # not to even
        (3.5, "0.7", "1", "0.25"),  # 0.245 in decimal arithmetic, 0.24499999999999997 as a float
        (10 / 6, "1", "0.03", "0.01"),  # exactly 0.005
        (3.333, "1", "1", "0.33"),
        (10 / 3, "1", "3", "1.00"),
    ],
)
def test_points_are_rounded_half_up_to_two_places(
    cast: Cast, score: float, late_share: str, worth: str, expected: str
) -> None:
    rules(cast, policy="last", late_share=Decimal(late_share), points=Decimal(worth), due_at=ago(days=1))
    graded(cast, "ada", score)
    assert str(points(cast)) == expected


def test_runs_never_count(cast: Cast) -> None:
    graded(cast, "ada", 10, kind=Kind.RUN)
    assert points(cast) is None


def test_a_preview_does_not_count(cast: Cast) -> None:
    submission = graded(cast, "ada", 4)
    batch = regrades.start(course=cast.course, by=cast.staff, reason="a better check")
    add_grading(submission, batch.work.get(), 9, current=False)
    assert points(cast) == 4


def test_what_could_not_be_graded_does_not_count(cast: Cast) -> None:
    graded(cast, "ada", 6)
    cast.hands_in("ada")
    for _ in range(queue.TRIES):
        claim = queue.claim("w")
        assert claim is not None
        queue.give_back(claim, "our fault")
    rules(cast, policy="last")
    assert points(cast) == 6


def test_an_internal_verdict_does_not_count(cast: Cast) -> None:
    graded(cast, "ada", 6)
    graded(cast, "ada", 0, verdict="internal")
    rules(cast, policy="last")
    assert points(cast) == 6


def test_a_grading_out_of_nothing_is_nothing(cast: Cast) -> None:
    graded(cast, "ada", 0, max_score=0)
    assert points(cast) == 0


def test_another_assignment_does_not_count(cast: Cast) -> None:
    other = cast.assign("vjp-unbroadcast")
    graded(cast, "ada", 6)
    assert score_of(other, cast.membership("ada")).points is None


def test_a_course_of_200_is_read_in_four_queries(cast: Cast, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    memberships = [cast.membership(f"student-{n}") for n in range(200)]
    for n in range(0, 200, 20):
        graded(cast, f"student-{n}", n / 20)
    with django_assert_num_queries(4):  # extensions, gradings, overrides, excuses
        found = scores_of(cast.assignment, memberships)
    assert len(found) == 200
    assert [found[memberships[n].pk].points for n in (0, 20, 180, 199)] == [0, 1, 9, None]


# -- decisions


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
    with pytest.raises(Refused, match="no override to undo"):
        undo_override(assignment=cast.assignment, membership=cast.membership("ada"), by=cast.staff)
    assert not AuditEntry.objects.exists()


@pytest.mark.parametrize(
    ("points", "reason", "words"),
    [
        ("9", " ", "Give a reason"),
        ("9", "x" * 501, "501 characters"),
        ("-1", "no", "from 0 to"),
        ("100000", "no", "from 0 to"),
        ("NaN", "no", "from 0 to"),
        ("Infinity", "no", "from 0 to"),
    ],
)
def test_an_override_that_cannot_stand_is_refused(cast: Cast, points: str, reason: str, words: str) -> None:
    with pytest.raises(Refused, match=words):
        decide(cast, points, reason)
    assert not Override.objects.exists()


def test_an_override_is_for_somebody_in_the_course(cast: Cast) -> None:
    seminar = Cast(slug="seminar")
    stranger = seminar.membership("sol")
    with pytest.raises(Refused, match="sol is not in the course"):
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
    with pytest.raises(Conflict, match=r"Meanwhile autodiff-grace set 8\.00 points: She showed it to me\.") as caught:
        seen(cast, 0)
    assert caught.value.standing == stands
    assert points(cast) == 8
    assert Override.objects.count() == 1


def test_what_was_undone_meanwhile_is_told(cast: Cast) -> None:
    gone = decide(cast, "8")
    undo_override(assignment=cast.assignment, membership=cast.membership("ada"), by=cast.staff, seen=gone.pk)
    with pytest.raises(Conflict, match="was undone") as caught:
        seen(cast, gone.pk)
    assert caught.value.standing is None


def test_what_one_did_not_see_is_not_undone(cast: Cast) -> None:
    first = decide(cast, "8")
    decide(cast, "5")
    with pytest.raises(Conflict):
        undo_override(assignment=cast.assignment, membership=cast.membership("ada"), by=cast.staff, seen=first.pk)
    assert points(cast) == 5
