"""Regrade requests: permissions to write and answer, the effect of an answer, and validation."""

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal

import msgspec
import pytest
from django.utils import timezone

from autograder.courses.errors import AtField, Refused, TooOften
from autograder.courses.models import AuditEntry, HiddenMeanwhile, Membership, Role, Section, ShowHidden
from autograder.gradebook.decisions.overrides import override
from autograder.gradebook.grades import freezing
from autograder.gradebook.grades.scores import score_of
from autograder.gradebook.models import Override, RegradeRequest
from autograder.gradebook.regrades import regrade_undo, regrading
from autograder.gradebook.regrades.regrade_requests import (
    MAX_A_DAY,
    MAX_TEXT,
    RegradeResult,
    State,
    regraded_by,
    request_add,
    request_answer,
    request_withdraw,
    requests_for,
)
from autograder.judge.report import CheckResult
from autograder.submissions import regrades
from autograder.submissions.models import Batch, Grading, Kind, Submission
from tests.cast import Cast, ago
from tests.gradebook.conftest import add_grading, graded

pytestmark = pytest.mark.django_db
REPORT = {
    "checks": [
        msgspec.to_builtins(CheckResult("forward", "Forward pass", False, True, 4, 4, "passed")),
        msgspec.to_builtins(CheckResult("secret", "A hidden title", True, False, 0, 6, "failed")),
    ]
}


def member(cast: Cast, name: str, role: Role, section: Section | None = None) -> Membership:
    membership = cast.membership(name)
    membership.role, membership.section = role, section
    membership.save()
    return membership


@pytest.fixture
def submission(cast: Cast) -> Submission:
    return graded(cast, "ada", 4, report=REPORT)


@pytest.fixture
def ines(cast: Cast) -> Membership:
    return member(cast, "ines", Role.INSTRUCTOR)


def asked(submission: Submission, **more: str) -> RegradeRequest:
    return request_add(submission=submission, by=submission.membership, **({"text": "It is right."} | more))


def answered(request: RegradeRequest, by: Membership, effect: str = State.DECLINED, **more: object) -> RegradeRequest:
    return request_answer(request=request, by=by, text="Look at line 3.", effect=effect, **more)  # type: ignore[arg-type]


def entries(action: str) -> list[AuditEntry]:
    return list(AuditEntry.objects.filter(action=action))


# -- the student ----------------------------------------------------------------------------------------------------------


def test_a_student_asks_about_a_check_and_it_is_written_down(submission: Submission) -> None:
    made = asked(submission, text=" The example is right. \r\n", check="forward")
    assert (made.text, made.check_id, made.check_title) == ("The example is right.", "forward", "Forward pass")
    assert (made.state, made.grading) == (State.OPEN, submission.gradings.get())
    (entry,) = entries("regrade-requested")
    assert (entry.actor, entry.submission_number, entry.membership) == (
        submission.membership.user,
        submission.pk,
        submission.membership,
    )
    assert entry.details == {"request": made.pk, "check": "Forward pass"}


@pytest.mark.parametrize(("text", "words"), [(" \n", "Explain what is wrong"), ("x" * (MAX_TEXT + 1), "2,001 characters")])
def test_a_text_is_required_and_capped(submission: Submission, text: str, words: str) -> None:
    with pytest.raises(AtField, match=words):
        asked(submission, text=text)
    assert not RegradeRequest.objects.exists()


def test_a_text_steers_nothing(submission: Submission) -> None:
    assert asked(submission, text="a\x00b\x1b[31m\u202ec").text == "a\\x00b\\x1b[31m\\u202ec"


@pytest.mark.parametrize(
    ("meanwhile", "may"),
    [(HiddenMeanwhile.TITLES, True), (HiddenMeanwhile.COUNT, False), (HiddenMeanwhile.NOTHING, False)],
)
def test_a_hidden_check_can_be_named_only_where_its_title_is_shown(
    cast: Cast, submission: Submission, meanwhile: str, may: bool
) -> None:
    submission.assignment.show_hidden, submission.assignment.hidden_meanwhile = ShowHidden.NEVER, meanwhile
    submission.assignment.save()
    if may:
        assert asked(submission, check="secret").check_title == "A hidden title"
        return
    refused = []
    for check in ("secret", "no-such-check"):
        with pytest.raises(AtField) as caught:
            asked(submission, check=check)
        refused.append(caught.value.message)
    assert refused[0] == refused[1], "the refusal does not say that there is such a check"
    assert "hidden" not in refused[0]


def test_one_open_request_a_submission(submission: Submission) -> None:
    made = asked(submission)
    with pytest.raises(Refused, match="already asked"):
        asked(submission)
    request_withdraw(request=made, by=submission.membership)
    made.refresh_from_db()
    assert made.state == State.WITHDRAWN
    assert [entry.details for entry in entries("regrade-request-withdrawn")] == [{"request": made.pk}]
    asked(submission)


def test_a_day_has_a_limit_that_withdrawing_does_not_lift(cast: Cast, submission: Submission) -> None:
    for _ in range(MAX_A_DAY):
        request_withdraw(request=asked(submission), by=submission.membership)
    with pytest.raises(TooOften, match=f"at most {MAX_A_DAY} regrades of value-engine within 24 hours") as caught:
        asked(graded(cast, "ada", 5))
    assert timedelta(hours=23) < timedelta(seconds=caught.value.seconds) <= timedelta(hours=24)
    asked(graded(cast, "ben", 5))
    RegradeRequest.objects.filter(submission__membership=submission.membership).update(asked_at=ago(hours=25))
    asked(submission)


def test_the_limit_is_of_one_assignment(cast: Cast, submission: Submission) -> None:
    for _ in range(MAX_A_DAY):
        request_withdraw(request=asked(submission), by=submission.membership)
    cast.assignment = cast.assign("value-unary")
    asked(graded(cast, "ada", 5))


def test_what_has_no_verdict_or_never_counts_is_refused(cast: Cast) -> None:
    waiting, run = cast.hands_in("ada"), graded(cast, "ada", 4, kind=Kind.RUN)
    with pytest.raises(Refused, match="no result yet"):
        asked(waiting)
    with pytest.raises(Refused, match="Runs are not graded"):
        asked(run)


def test_not_while_the_gradebook_is_frozen(cast: Cast, submission: Submission) -> None:
    freezing.freeze(course=cast.course, by=cast.staff)
    with pytest.raises(Refused, match=r"has been frozen since .* Contact your instructor"):
        asked(submission)


def test_not_in_an_archived_course_nor_about_what_was_removed(cast: Cast, submission: Submission) -> None:
    submission.assignment.removed_at = timezone.now()
    with pytest.raises(Refused, match="no longer part of the course"):
        asked(submission)
    submission.assignment.course.archived_at = timezone.now()
    with pytest.raises(Refused, match="is archived"):
        asked(submission)


@pytest.mark.parametrize("who", ["classmate", "instructor", "removed", "elsewhere", "owner"])
def test_nobody_else_asks_or_withdraws(cast: Cast, submission: Submission, ines: Membership, who: str) -> None:
    made = asked(submission)
    removed = cast.membership("ada")
    removed.removed_at = timezone.now()
    people = {
        "classmate": cast.membership("ben"),
        "instructor": ines,
        "owner": cast.membership(cast.owner.username),
        "removed": removed,
        "elsewhere": Cast(slug="elsewhere", exercise="value-unary").membership("ada"),
    }
    with pytest.raises(Refused, match="only the student"):
        request_withdraw(request=made, by=people[who])
    with pytest.raises(Refused, match="only the student"):
        request_add(submission=graded(cast, "ada", 4), by=people[who], text="x")
    assert RegradeRequest.objects.get().is_open


# -- the answer -----------------------------------------------------------------------------------------------------------


def test_the_verdict_stands(submission: Submission, ines: Membership) -> None:
    made = answered(asked(submission, check="forward"), ines)
    assert (made.state, made.answer, made.answered_by) == (State.DECLINED, "Look at line 3.", ines.user)
    (entry,) = entries("regrade-request-answered")
    assert entry.details == {"request": made.pk, "check": "Forward pass", "effect": "result kept"}
    with pytest.raises(Refused, match="ines has already answered"):
        request_withdraw(request=made, by=submission.membership)


def test_points_set_by_hand(cast: Cast, submission: Submission, ines: Membership) -> None:
    made = answered(asked(submission), ines, State.POINTS, points=Decimal("7.5"), seen=0)
    assert made.override == Override.objects.get()
    assert score_of(cast.assignment, submission.membership).points == Decimal("7.5")
    assert made.override is not None
    assert made.override.reason == f"Regrade request {made.pk}: Look at line 3."


def test_points_are_not_set_over_those_of_somebody_else(cast: Cast, submission: Submission, ines: Membership) -> None:
    made = asked(submission)
    override(assignment=cast.assignment, membership=submission.membership, points=Decimal(9), reason="Oral.", by=cast.staff)
    with pytest.raises(Refused, match="autodiff-grace set 9"):
        answered(made, ines, State.POINTS, points=Decimal(1), seen=0)
    made.refresh_from_db()
    assert made.is_open, "an answer without its effect is none"


def test_points_are_required_and_the_gradebook_open(cast: Cast, submission: Submission, ines: Membership) -> None:
    made = asked(submission)
    with pytest.raises(AtField, match="Enter the points"):
        answered(made, ines, State.POINTS)
    freezing.freeze(course=cast.course, by=cast.staff)
    with pytest.raises(Refused, match="No score can be set now"):
        answered(made, ines, State.POINTS, points=Decimal(5))
    answered(made, ines)


def test_a_long_answer_is_cut_where_it_stands_beside_the_grade(submission: Submission, ines: Membership) -> None:
    made = request_answer(request=asked(submission), by=ines, text="x" * MAX_TEXT, effect=State.POINTS, points=Decimal(5))
    assert made.answer == "x" * MAX_TEXT
    assert made.override is not None
    assert len(made.override.reason) == 500


def regraded(request: RegradeRequest, score: float) -> Batch:
    """Grade the request's submission again, as a worker does."""
    assert request.batch is not None
    add_grading(request.submission, request.batch.work.get(), score, current=False, why=Grading.Why.REGRADE)
    return request.batch


def test_grade_again_is_linked_with_what_came_out(cast: Cast, submission: Submission, ines: Membership) -> None:
    made = answered(asked(submission), ines, State.REGRADE)
    assert regraded_by(made) == RegradeResult(Batch.State.PREVIEW, False)
    batch = regraded(made, 9)
    assert batch.reason == f"Regrade request {made.pk}: Look at line 3."
    assert list(batch.work.values_list("submission", flat=True)) == [submission.pk]
    assert regraded_by(made) == RegradeResult(Batch.State.PREVIEW, True)
    regrading.commit(batch, by=cast.staff, lower=False)
    made = RegradeRequest.objects.get()
    assert regraded_by(made) == RegradeResult(Batch.State.COMMITTED, True, Decimal("4.00"), Decimal("9.00"))
    regrade_undo.undo(batch, by=cast.staff, reason="A slip.")
    undone = regraded_by(RegradeRequest.objects.get())
    assert undone is not None
    assert undone.state is Batch.State.UNDONE


def test_of_a_regrade_that_was_discarded_or_kept_out(cast: Cast, ines: Membership) -> None:
    for name, end in (("ada", Batch.State.DISCARDED), ("ben", Batch.State.COMMITTED)):
        batch = regraded(answered(asked(graded(cast, name, 4)), ines, State.REGRADE), 1)
        if end is Batch.State.DISCARDED:
            regrades.discard(batch, by=cast.staff)
        else:
            regrading.commit(batch, by=cast.staff, lower=False)
        found = RegradeRequest.objects.get(batch=batch)
        assert regraded_by(found) == RegradeResult(end, True), "a grade that would fall stays"


@pytest.mark.parametrize("effect", ["", "open", "withdrawn", "other"])
def test_an_effect_is_one_of_three(submission: Submission, ines: Membership, effect: str) -> None:
    with pytest.raises(AtField, match="Choose a decision"):
        answered(asked(submission), ines, effect)


def test_an_answer_has_a_text(submission: Submission, ines: Membership) -> None:
    with pytest.raises(AtField, match="Enter an answer"):
        request_answer(request=asked(submission), by=ines, text=" ", effect=State.DECLINED)


def test_what_has_ended_is_not_answered_again(submission: Submission, ines: Membership) -> None:
    made = asked(submission)
    answered(made, ines)
    with pytest.raises(Refused, match="ines has already answered"):
        answered(made, ines, State.REGRADE)
    assert not Batch.objects.exists()
    second = asked(submission)
    request_withdraw(request=second, by=submission.membership)
    with pytest.raises(Refused, match="withdrawn this request"):
        answered(second, ines)


def test_who_may_answer_and_sees_it_in_the_list(cast: Cast, ines: Membership) -> None:
    mine, other = (Section.objects.create(course=cast.course, name=name) for name in ("Mon", "Tue"))
    member(cast, "ada", Role.STUDENT, mine)
    made = asked(graded(cast, "ada", 4))
    owner = cast.membership(cast.owner.username)
    ann, otto = member(cast, "ann", Role.ASSISTANT, mine), member(cast, "otto", Role.ASSISTANT, other)
    gone = member(cast, "rob", Role.INSTRUCTOR)
    gone.removed_at = timezone.now()
    elsewhere = Cast(slug="elsewhere", exercise="value-unary").membership("elsewhere-grace")
    for nobody in (cast.membership("ada"), cast.membership("ben"), otto, gone, elsewhere):
        with pytest.raises(Refused, match="You may not have this submission graded again"):
            answered(made, nobody)
        assert not requests_for(nobody)
    with pytest.raises(Refused, match="You may not set a score"):
        answered(made, ann, State.POINTS, points=Decimal(10))
    for somebody in (ann, ines, owner):
        assert list(requests_for(somebody)) == [made]
        RegradeRequest.objects.update(state=State.OPEN, ended_at=None)
        answered(made, somebody)


def test_an_assistant_does_not_answer_a_request_of_their_own(submission: Submission, cast: Cast) -> None:
    made = asked(submission)
    promoted = member(cast, "ada", Role.ASSISTANT)
    made.submission.membership = promoted
    with pytest.raises(Refused, match="your own request"):
        answered(made, promoted)


def test_open_ones_first_and_the_oldest_of_them(cast: Cast, ines: Membership) -> None:
    ask: Callable[[str], RegradeRequest] = lambda name: asked(graded(cast, name, 4))  # noqa: E731
    first, second, third = ask("ada"), ask("ben"), ask("cy")
    answered(first, ines)
    RegradeRequest.objects.filter(pk=third.pk).update(asked_at=ago(days=2))
    assert list(requests_for(ines)) == [third, second, first]


def test_it_goes_with_its_submission(submission: Submission) -> None:
    """The text of a student is personal data and is deleted with the submission."""
    relation = RegradeRequest._meta.get_field("submission").remote_field
    assert relation is not None
    asked(submission)
    submission.events.all().delete()
    Grading.objects.filter(submission=submission).delete()
    submission.work.all().delete()
    submission.delete()
    assert not RegradeRequest.objects.exists()
