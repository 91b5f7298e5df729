"""A student's score: computed from current gradings by the assignment's policy, unless a decision overrides it."""

from decimal import Decimal

import pytest
from pytest_django import DjangoAssertNumQueries

from autograder.courses.models import Extension
from autograder.gradebook.grades.scores import score_of, scores_of
from autograder.submissions import regrades
from autograder.submissions.models import Kind
from autograder.submissions.work import queue
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
    for _ in range(queue.MAX_TRIES):
        claim = queue.claim("w")
        assert claim is not None
        queue.gradings.give_back(claim, "our fault")
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
