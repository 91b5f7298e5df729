"""Rejected submissions get a message, and nothing is stored."""

from datetime import datetime, timedelta

import pytest

from autograder.courses.errors import Refused
from autograder.courses.models import Extension, User
from autograder.submissions.handing_in import intake, run_limit
from autograder.submissions.handing_in.attempts import attempts_used
from autograder.submissions.models import Event, Kind, Submission, Work
from autograder.submissions.work import queue
from tests.cast import Cast, ago, ahead
from tests.submissions.conftest import Bell

pytestmark = pytest.mark.django_db


def refused(cast: Cast, name: str = "ada", **given: object) -> str:
    before = Submission.objects.count(), Work.objects.count(), Event.objects.count()
    with pytest.raises(Refused) as refusal:
        cast.hands_in(name, **given)  # type: ignore[arg-type]
    assert (Submission.objects.count(), Work.objects.count(), Event.objects.count()) == before
    return refusal.value.message


def change(cast: Cast, **settings: object) -> None:
    for name, value in settings.items():
        setattr(cast.assignment, name, value)
    cast.assignment.save()


def test_a_submission_is_stored_queued_and_rung_for(
    cast: Cast, bell: Bell, django_capture_on_commit_callbacks: "pytest.FixtureRequest"
) -> None:
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[operator]
        submission = cast.hands_in("ada", b"x = 1\n")
        assert bell.rung == 0, "not before it is there for everybody"
    assert bell.rung == 1
    assert bytes(submission.source) == b"x = 1\n"
    assert submission.work.get().state == Work.State.QUEUED


def test_before_opening(cast: Cast) -> None:
    change(cast, opens_at=ahead(hours=1))
    assert "opens on" in refused(cast)


def test_after_closing(cast: Cast) -> None:
    change(cast, closes_at=ago(hours=1))
    assert "closed on" in refused(cast)


def test_an_extension_keeps_it_open_for_one(cast: Cast) -> None:
    change(cast, closes_at=ago(hours=1))
    Extension.objects.create(
        assignment=cast.assignment, membership=cast.membership("ada"), closes_at=ahead(hours=1), granted_by=cast.owner
    )
    cast.hands_in("ada")
    assert "closed on" in refused(cast, "ben")


def test_over_the_limit(cast: Cast) -> None:
    change(cast, attempt_limit=1)
    cast.hands_in("ada")
    assert "You have no submissions left" in refused(cast)
    cast.hands_in("ada", kind=Kind.RUN)  # does not count as an attempt


def test_extra_attempts(cast: Cast) -> None:
    change(cast, attempt_limit=1)
    Extension.objects.create(
        assignment=cast.assignment, membership=cast.membership("ada"), extra_attempts=1, granted_by=cast.owner
    )
    cast.hands_in("ada")
    cast.hands_in("ada")
    assert "You have no submissions left" in refused(cast)


def test_what_could_not_be_graded_costs_no_attempt(cast: Cast) -> None:
    change(cast, attempt_limit=1)
    cast.hands_in("ada")
    for _ in range(queue.MAX_TRIES):
        claim = queue.claim("w")
        assert claim is not None
        queue.gradings.give_back(claim, "our fault")
    assert attempts_used(cast.assignment, cast.membership("ada")) == 0
    cast.hands_in("ada")


def test_within_the_cool_down(cast: Cast) -> None:
    change(cast, cool_down=timedelta(minutes=10))
    cast.hands_in("ada")
    assert "Wait 10 minutes" in refused(cast)
    cast.hands_in("ben")


def test_staff_try_whenever_they_like(cast: Cast) -> None:
    change(cast, opens_at=ahead(hours=1))
    intake.submit(user=cast.owner, course=cast.course, assignment="value-engine", source=b"x = 1")


def test_a_course_one_is_not_in(cast: Cast) -> None:
    stranger = User.objects.create_user("mallory")
    with pytest.raises(Refused, match="not a member of Autodiff"):
        intake.submit(user=stranger, course=cast.course, assignment="value-engine", source=b"x = 1")


def test_a_member_who_was_removed(cast: Cast) -> None:
    membership = cast.membership("ada")
    membership.removed_at = ago(days=1)
    membership.save()
    with pytest.raises(Refused, match="not a member"):
        intake.submit(user=membership.user, course=cast.course, assignment="value-engine", source=b"x = 1")


def test_an_unknown_assignment(cast: Cast) -> None:
    with pytest.raises(Refused, match=r"no assignment 'value-motor'.*Its assignments: value-engine"):
        intake.submit(user=cast.student("ada"), course=cast.course, assignment="value-motor", source=b"x = 1")


@pytest.mark.parametrize(("source", "words"), [(b" \n", "is empty"), (b"#" * 300_000, "300,000 bytes")])
def test_a_file_nobody_grades(cast: Cast, source: bytes, words: str) -> None:
    assert words in refused(cast, source=source)


def test_too_many_runs_in_a_minute(cast: Cast) -> None:
    for _ in range(run_limit.RUNS):
        cast.hands_in("ada", kind=Kind.RUN)
    assert "12 runs per minute" in refused(cast, kind=Kind.RUN)
    cast.hands_in("ada")
    cast.hands_in("ben", kind=Kind.RUN)


# -- an imported history


def replayed(cast: Cast, at: datetime) -> Submission:
    ada, course = cast.student("ada"), cast.course
    return intake.replay(user=ada, course=course, assignment=cast.assignment.slug, source=b"x = 1", at=at)


def test_what_is_replayed_was_handed_in_then_and_nobody_is_rung_for(
    cast: Cast, bell: Bell, django_capture_on_commit_callbacks: "pytest.FixtureRequest"
) -> None:
    at = ago(days=2)
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[operator]
        submission = replayed(cast, at)
    assert submission.submitted_at == at
    assert submission.work.get().queued_at > ago(minutes=1), "nothing has waited since then"
    assert bell.rung == 0


def test_what_is_replayed_keeps_the_rules_of_its_time(cast: Cast) -> None:
    change(cast, opens_at=ago(days=3), closes_at=ago(days=1), cool_down=timedelta(minutes=10))
    replayed(cast, ago(days=2))
    for at, words in ((ago(days=4), "opens on"), (ago(hours=1), "closed on"), (ago(days=2, minutes=-5), "Wait")):
        with pytest.raises(Refused, match=words):
            replayed(cast, at)


def test_the_future_cannot_be_replayed(cast: Cast) -> None:
    with pytest.raises(ValueError, match="in the future"):
        replayed(cast, ahead(minutes=1))
