"""Validation and rate limit of scratch runs. A rejected one gets a message, and nothing is stored."""

import pytest

from autograder.courses.errors import Refused, TooOften
from autograder.submissions.handing_in.run_limit import RUNS
from autograder.submissions.models import Kind, ScratchRun, Submission, Work
from autograder.submissions.scratch.intake import MAX_CALLS_BYTES, scratch_ask
from tests.cast import Cast, ago, ahead
from tests.submissions.conftest import Bell
from tests.submissions.scratch.conftest import Asks

pytestmark = pytest.mark.django_db
State = ScratchRun.State


def refused(asks: Asks, *given: str, **more: str) -> str:
    before = ScratchRun.objects.count()
    with pytest.raises(Refused) as refusal:
        asks(*given, **more)
    assert ScratchRun.objects.count() == before
    return refusal.value.message


def change(cast: Cast, **settings: object) -> None:
    for name, value in settings.items():
        setattr(cast.assignment, name, value)
    cast.assignment.save()


def test_it_is_stored_and_rung_for_and_is_no_submission(
    asks: Asks, bell: Bell, django_capture_on_commit_callbacks: "pytest.FixtureRequest"
) -> None:
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[operator]
        run = asks("double(2)")
    assert (run.state, bytes(run.calls), bell.rung) == (State.QUEUED, b"double(2)", 1)
    assert not Submission.objects.exists()
    assert not Work.objects.exists()


def test_before_opening_and_after_closing(cast: Cast, asks: Asks) -> None:
    change(cast, opens_at=ahead(hours=1))
    assert "opens on" in refused(asks, "double(2)")
    change(cast, opens_at=None, closes_at=ago(hours=1))
    assert "closed on" in refused(asks, "double(2)")


def test_an_archived_course_runs_nothing(cast: Cast, asks: Asks) -> None:
    cast.course.archived_at = ago(days=1)
    cast.course.save()
    assert "archived" in refused(asks, "double(2)")


def test_neither_the_attempts_nor_the_pause_between_submissions_matter(cast: Cast, asks: Asks) -> None:
    change(cast, attempt_limit=1, cool_down=ahead(minutes=10) - ahead())
    cast.hands_in("ada")
    asks("double(2)")


def test_staff_try_whenever_they_like(cast: Cast) -> None:
    change(cast, opens_at=ahead(hours=1))
    owner = cast.course.memberships.get(user=cast.owner)
    scratch_ask(assignment=cast.assignment, membership=owner, source=b"x = 1", calls=b"x")


def test_nothing_to_run_and_too_much_of_it(asks: Asks) -> None:
    assert refused(asks, " \n").startswith("There is nothing to run.")
    assert "16,385 bytes; the limit is 16,384" in refused(asks, "#" * (MAX_CALLS_BYTES + 1))
    assert "262,145 bytes; the limit is 262,144" in refused(asks, "1", "#" * (256 * 1024 + 1))


def test_runs_and_scratch_runs_share_one_limit(cast: Cast, asks: Asks) -> None:
    for _ in range(RUNS // 2):
        cast.hands_in("ada", kind=Kind.RUN)
        asks("double(2)")
    assert f"{RUNS} runs per minute" in refused(asks, "double(2)")
    with pytest.raises(TooOften) as refusal:
        cast.hands_in("ada", kind=Kind.RUN)
    assert 0 < refusal.value.seconds <= 60
    asks("double(2)", who="ben")
    cast.hands_in("ada")


def test_after_a_minute_they_are_allowed_again(asks: Asks) -> None:
    for _ in range(RUNS):
        asks("double(2)")
    ScratchRun.objects.update(asked_at=ago(seconds=61))
    asks("double(2)")


def test_a_newer_one_takes_the_place_of_what_waits(asks: Asks) -> None:
    first, other, second = asks("double(1)"), asks("double(1)", who="ben"), asks("double(2)")
    states = dict(ScratchRun.objects.values_list("pk", "state"))
    assert states == {first.pk: State.SUPERSEDED, other.pk: State.QUEUED, second.pk: State.QUEUED}
