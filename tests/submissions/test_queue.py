"""The order of the queue, and recovery of work whose worker is gone."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from autograder.courses.models import AuditEntry
from autograder.submissions import selectors
from autograder.submissions.models import Grading, Kind, Lane, Submission, Work
from autograder.submissions.work import queue
from autograder.submissions.work.leases import Claim
from tests.cast import Cast

pytestmark = pytest.mark.django_db


def served(worker: str = "w") -> list[str]:
    """Return the students whose work is claimed, in order, until the queue is empty."""
    names = []
    while claim := queue.claim(worker):
        work = Work.objects.get(pk=claim.pk)
        names.append(work.submission.membership.user.username)
    return names


def test_first_come_first_served(cast: Cast) -> None:
    for name in ("ada", "ben", "cem"):
        cast.hands_in(name)
    assert served() == ["ada", "ben", "cem"]


def test_frequent_submitters_wait_behind_the_others(cast: Cast) -> None:
    for _ in range(3):
        cast.hands_in("ada")
    cast.hands_in("ben")
    cast.hands_in("cem")
    assert served() == ["ada", "ben", "cem", "ada", "ada"]


def test_a_student_with_an_endless_loop_waits_behind_the_others(cast: Cast) -> None:
    endless = cast.hands_in("ada")
    assert served() == ["ada"]
    ended(endless, "timeout-cpu")
    for name in ("ada", "ben", "ben", "cem"):
        cast.hands_in(name)
    assert served() == ["ben", "cem", "ben", "ada"]


def test_ten_minutes_later_it_is_forgotten_and_another_error_is_none(cast: Cast) -> None:
    old, broken = cast.hands_in("ada"), cast.hands_in("ben")
    assert len(served()) == 2
    ended(old, "timeout-wall", ago=queue.RUNAWAY_WINDOW)
    ended(broken, "exception")
    for name in ("ada", "ben", "cem"):
        cast.hands_in(name)
    assert served() == ["ada", "ben", "cem"]


def ended(submission: Submission, reason: str, ago: timedelta = timedelta()) -> None:
    """Store a grading that ended with an error."""
    work = submission.work.get()
    Grading.objects.create(
        submission=submission, work=work, version=work.version, seed=1, verdict="error", score=0.0, max_score=10.0,
        seconds=1.0, report={"reason": reason}, graded_at=timezone.now() - ago,
    )  # fmt: skip
    Work.objects.filter(pk=work.pk).update(state=Work.State.DONE, token="", lease_until=None, ended_at=timezone.now())


def test_courses_take_turns(cast: Cast) -> None:
    small = Cast(slug="seminar")
    for n in range(4):
        cast.hands_in(f"many-{n}")
    small.hands_in("one")
    small.hands_in("two")
    assert served() == ["many-0", "one", "many-1", "two", "many-2", "many-3"]


def test_what_comes_later_never_goes_before_an_older_one_of_its_course(cast: Cast) -> None:
    for n in range(3):
        cast.hands_in(f"old-{n}")
    queue.claim("w")
    queue.claim("w")
    cast.hands_in("new")
    assert served() == ["old-2", "new"]


def test_a_run_goes_before_submissions_and_a_regrade_after(cast: Cast) -> None:
    old = cast.hands_in("old")
    queue.gradings.finish(queue.claim("w"))  # type: ignore[arg-type]
    from autograder.submissions import regrades

    regrades.start(course=cast.course, by=cast.staff, reason="a better check")
    cast.hands_in("ada")
    cast.hands_in("ben", kind=Kind.RUN)
    assert served() == ["ben", "ada", "old"]
    assert old.work.count() == 2


def test_a_worker_may_ask_for_some_lanes_only(cast: Cast) -> None:
    cast.hands_in("ada")
    assert queue.claim("w", (Lane.RUN,)) is None
    assert queue.claim("w", (Lane.SUBMIT,)) is not None


def test_nobody_gets_what_another_holds(cast: Cast) -> None:
    cast.hands_in("ada")
    first = queue.claim("one")
    assert first is not None
    assert queue.claim("two") is None


def test_only_the_holder_of_the_lease_can_finish_and_only_once(cast: Cast) -> None:
    cast.hands_in("ada")
    claim = queue.claim("one")
    assert claim is not None
    assert not queue.gradings.finish(Claim(claim.pk, "another token"))
    assert queue.gradings.finish(claim)
    assert not queue.gradings.finish(claim)


def test_a_lease_that_ran_out_is_taken_back_and_its_holder_changes_nothing(cast: Cast) -> None:
    cast.hands_in("ada")
    frozen = queue.claim("frozen", lease=timedelta(seconds=-1))
    assert frozen is not None
    assert queue.gradings.reap() == 1
    second = queue.claim("awake")
    assert second is not None
    assert second.pk == frozen.pk
    assert not queue.gradings.renew(frozen)
    assert not queue.gradings.finish(frozen)
    assert not queue.gradings.give_back(frozen, "too late")
    assert queue.gradings.finish(second)


def test_a_renewed_lease_is_not_taken_back(cast: Cast) -> None:
    cast.hands_in("ada")
    claim = queue.claim("slow", lease=timedelta(seconds=-1))
    assert claim is not None
    assert queue.gradings.renew(claim)
    assert queue.gradings.reap() == 0


@pytest.mark.parametrize("jump", [timedelta(days=2), timedelta(days=-2)])
def test_a_clock_that_jumps_leaves_no_work_lying(cast: Cast, jump: timedelta) -> None:
    """If the clock jumps forward, the lease has expired; if backward, it would last for days."""
    cast.hands_in("ada")
    queue.claim("gone")
    assert queue.gradings.reap(timezone.now() + jump) == 1
    assert queue.claim("next") is not None


def test_after_three_tries_it_is_ours_to_mend_and_staff_can_see_why(cast: Cast) -> None:
    submission = cast.hands_in("ada")
    for attempt in range(queue.MAX_TRIES):
        claim = queue.claim(f"worker {attempt}")
        assert claim is not None
        assert queue.gradings.give_back(claim, "the disk is full")
    assert queue.claim("another") is None
    work = Work.objects.get()
    assert (work.state, work.trouble, work.tries) == (Work.State.FAILED, "the disk is full", 3)
    entry = AuditEntry.objects.get(action="grading-failed")
    assert entry.details == {"trouble": "the disk is full", "tries": 3}
    assert entry.subject == str(submission)


def lose(worker: str = "gone", *, held: bool = False) -> Work:
    """Claim a work item and let its worker disappear."""
    Work.objects.filter(state=Work.State.QUEUED).update(not_before=None)  # its delay has passed
    assert queue.claim(worker) is not None
    assert queue.gradings.take_back_from(worker, held=held) == 1
    return Work.objects.get()


def test_a_submission_that_makes_its_worker_hang_is_given_up_after_three(cast: Cast) -> None:
    cast.hands_in("ada")
    lose()
    assert [lose(held=True).state for _ in range(queue.MAX_TRIES)] == ["queued", "queued", "failed"]
    assert "took too long on it or hung" in Work.objects.get().trouble


def test_a_worker_that_is_killed_from_outside_costs_its_submission_nothing(cast: Cast) -> None:
    cast.hands_in("ada")
    for _ in range(2 * queue.MAX_TRIES):
        lose()
    work = Work.objects.get()
    assert (work.state, work.lost, work.tries) == (Work.State.QUEUED, 6, 6)
    Work.objects.update(not_before=None)
    for _ in range(queue.MAX_TRIES):  # errors are counted separately
        claim = queue.claim("w")
        assert claim is not None and queue.gradings.give_back(claim, "the disk is full")
    assert Work.objects.get().state == Work.State.FAILED


def test_after_a_second_loss_it_is_tried_again_later_and_later(cast: Cast) -> None:
    """The submission itself may kill the workers, so others go first."""
    cast.hands_in("ada")
    assert lose().not_before is None
    waits = []
    for _ in range(12):
        now, work = timezone.now(), lose()
        assert work.not_before is not None and queue.claim("early") is None
        waits.append(round((work.not_before - now).total_seconds()))
    assert waits == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]
    cast.hands_in("ben")
    assert served() == ["ben"]


def test_a_submission_that_takes_every_worker_along_is_given_up_in_the_end(cast: Cast) -> None:
    cast.hands_in("ada")
    for _ in range(queue.MAX_LOST_WORKERS):
        lose()
    assert Work.objects.get().state == Work.State.FAILED
    assert "stopped responding" in AuditEntry.objects.get(action="grading-failed").details["trouble"]


def test_a_newer_submission_replaces_a_waiting_one_if_the_course_says_so(cast: Cast) -> None:
    cast.course.supersedes = True
    cast.course.save()
    first, second = cast.hands_in("ada"), cast.hands_in("ada")
    assert first.work.get().state == Work.State.SUPERSEDED
    assert served() == ["ada"]
    third = cast.hands_in("ada")
    assert second.work.get().state == Work.State.RUNNING, "what somebody grades already is finished"
    assert third.work.get().state == Work.State.QUEUED


def test_a_submission_has_one_live_work(cast: Cast) -> None:
    submission = cast.hands_in("ada")
    with pytest.raises(IntegrityError), transaction.atomic():
        queue.enqueue(submission)


def test_the_place_in_the_queue_counts_what_goes_before(cast: Cast) -> None:
    for name in ("ada", "ada", "ben"):
        last = cast.hands_in(name)
    assert selectors.place_of(last.work.get()).before == 1  # after Ada's first, before her second
    second = Work.objects.get(turn=1)
    assert selectors.place_of(second).before == 2
    assert selectors.place_of(second).seconds > selectors.place_of(last.work.get()).seconds


def test_depths_tell_each_lane(cast: Cast) -> None:
    cast.hands_in("ada")
    cast.hands_in("ben")
    queue.claim("w")
    found = {depth.lane: (depth.waiting, depth.running) for depth in selectors.depths()}
    assert found == {"Run": (0, 0), "Submit": (1, 1), "Regrade": (0, 0)}
