"""The pages for requesting a regrade: the offer, error messages, and the answer on the result page."""

import re
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from autograder.courses.models import Course, HiddenMeanwhile, Membership, Role, ShowHidden
from autograder.gradebook.grades import freezing
from autograder.gradebook.models import RegradeRequest
from autograder.gradebook.regrades import regrading
from autograder.gradebook.regrades.regrade_requests import State, request_answer
from autograder.submissions.models import Grading, Kind, Submission
from tests.cast import Cast
from tests.gradebook.conftest import add_grading
from tests.web.conftest import Signed, change, checked, grade, member, page, reported

pytestmark = pytest.mark.django_db
HOSTILE = "<script>alert(1)</script> \u202egnp \x1b[31m {{ x }}"


@pytest.fixture
def submission(cast: Cast) -> Submission:
    change(cast, show_hidden=ShowHidden.NEVER)
    given = cast.hands_in("ada", b"x = 1\n")
    hidden = checked("secret", hidden=True, passed=False, title="A hidden title")
    grade(given, reported(checked("forward", title="Forward pass"), hidden))
    return given


@pytest.fixture
def ines(cast: Cast) -> Membership:
    return member(cast, "ines", Role.INSTRUCTOR)


def where(submission: Submission) -> str:
    return reverse("regrade-request", args=(submission.pk,))


def desk(submission: Submission) -> str:
    return reverse("exercise", args=(submission.assignment.course.slug, submission.assignment.slug)) + f"?s={submission.pk}"


def send(signed: Signed, submission: Submission, status: int = 302, **sent: Any) -> str:
    response = signed("ada").post(where(submission), {"text": "It is right."} | sent)
    assert response.status_code == status
    return str(response.content.decode())


def words(html: str) -> str:
    return " ".join(re.sub("<[^>]*>", " ", html).split())


def test_from_the_result_to_the_form_and_back(submission: Submission, signed: Signed) -> None:
    assert where(submission) in page(signed("ada"), desk(submission))
    assert "the result as a whole" in page(signed("ada"), where(submission))
    response = signed("ada").post(where(submission), {"text": "It is right.", "check": "forward"}, follow=True)
    assert response.redirect_chain == [(f"{desk(submission)}#requests", 302)]
    shown = words(response.content.decode())
    assert "Your request was sent." in shown
    assert "About the check Forward pass It is right." in shown
    assert "Ask for a regrade" not in shown, "one request at a time"
    assert "have not answered yet" in page(signed("ada"), where(submission))


def test_what_is_refused_keeps_what_was_typed(submission: Submission, signed: Signed) -> None:
    assert "This field is required." in send(signed, submission, 422, text=" ")
    assert "Choose one of the checks" in send(signed, submission, 422, check="no-such-check")
    send(signed, submission)
    RegradeRequest.objects.create(
        submission=submission, grading=submission.gradings.get(), text="x", asked_at=timezone.now(), state=State.DECLINED,
        ended_at=timezone.now(),
    )  # fmt: skip
    refused = send(signed, submission, 409, text="Once more, please.")
    assert "already asked" in refused or "have not answered yet" in refused


@pytest.mark.parametrize("meanwhile", list(HiddenMeanwhile))
def test_hidden_titles_are_in_the_form_only_where_they_are_shown(
    cast: Cast, submission: Submission, signed: Signed, meanwhile: HiddenMeanwhile
) -> None:
    change(cast, hidden_meanwhile=meanwhile)
    shown = "A hidden title" in page(signed("ada"), where(submission))
    assert shown == (meanwhile is HiddenMeanwhile.TITLES)
    if not shown:
        assert "A hidden title" not in send(signed, submission, 422, check="secret")


def test_the_form_is_the_same_whether_hidden_checks_pass_or_not(cast: Cast, signed: Signed) -> None:
    change(cast, show_hidden=ShowHidden.NEVER, hidden_meanwhile=HiddenMeanwhile.NOTHING)
    pages = []
    for passed in (True, False):
        given = cast.hands_in("ada", b"x = 1\n")
        grade(given, reported(checked("forward"), checked("secret", hidden=True, passed=passed)))
        offered = "Is this result wrong?" in page(signed("ada"), desk(given))
        html = page(signed("ada"), where(given))
        pages.append(
            (offered, re.sub(r'nonce" content="[^"]*"|nonce="[^"]*"|value="\w{64}"|submission \d+|s=\d+|/s/\d+', "", html))
        )
    assert pages[0] == pages[1]


def test_not_for_runs_nor_before_the_verdict(cast: Cast, signed: Signed) -> None:
    run, waiting = cast.hands_in("ada", b"x = 1\n", Kind.RUN), cast.hands_in("ada", b"x = 1\n")
    grade(run, reported(checked("forward")))
    for given, why in ((run, "Runs are not graded"), (waiting, "no result yet")):
        assert "Is this result wrong?" not in page(signed("ada"), desk(given))
        assert why in page(signed("ada"), where(given))
        send(signed, given, 409)
    assert not RegradeRequest.objects.exists()


def test_frozen_or_archived_it_says_so(cast: Cast, submission: Submission, signed: Signed) -> None:
    freezing.freeze(course=cast.course, by=cast.staff)
    html = page(signed("ada"), where(submission))
    assert "The gradebook has been frozen since" in html
    assert "<textarea" not in html
    assert "The gradebook has been frozen since" in send(signed, submission, 409)
    freezing.unfreeze(course=cast.course, by=cast.staff)
    Course.objects.update(archived_at=timezone.now())
    assert "is archived" in page(signed("ada"), where(submission))
    send(signed, submission, 409)


def test_too_many_a_day(submission: Submission, signed: Signed) -> None:
    for _ in range(3):
        send(signed, submission)
        send(signed, submission, act="withdraw")
    refused = send(signed, submission, 409, text="A fourth.")
    assert "at most 3 regrades" in refused
    assert "A fourth." in refused


def test_withdrawn_while_it_is_open(submission: Submission, signed: Signed, ines: Membership) -> None:
    send(signed, submission)
    assert "Withdraw request" in page(signed("ada"), desk(submission))
    send(signed, submission, act="withdraw")
    assert RegradeRequest.objects.get().state == State.WITHDRAWN
    assert "Is this result wrong?" in page(signed("ada"), desk(submission))
    send(signed, submission)
    open_one = RegradeRequest.objects.get(state=State.OPEN)
    request_answer(request=open_one, by=ines, text="No.", effect=State.DECLINED)
    response = signed("ada").post(where(submission), {"act": "withdraw"}, follow=True)
    assert "This request is no longer open" in response.content.decode()


def test_the_answer_is_at_the_submission_in_the_history_and_in_the_news(
    cast: Cast, submission: Submission, signed: Signed, ines: Membership
) -> None:
    history = reverse("history", args=(cast.course.slug, cast.assignment.slug))
    assert "regrade requested" not in page(signed("ada"), history)
    send(signed, submission, check="forward")
    assert "regrade requested" in page(signed("ada"), history)
    request_answer(request=RegradeRequest.objects.get(), by=ines, text="Look at line 3.", effect=State.DECLINED)
    shown = words(page(signed("ada"), desk(submission)))
    assert "Answer by ines" in shown
    assert "Look at line 3. The result was kept." in shown
    assert "request answered" in page(signed("ada"), history)
    home = page(signed("ada"), reverse("home", args=(cast.course.slug,)))
    assert "has an answer to your regrade request, by ines: result kept." in home
    assert f"?s={submission.pk}#requests" in home


@pytest.mark.parametrize("meanwhile", [HiddenMeanwhile.TITLES, HiddenMeanwhile.NOTHING])
def test_what_came_out_says_no_more_than_may_be_known(
    cast: Cast, submission: Submission, signed: Signed, ines: Membership, meanwhile: str
) -> None:
    change(cast, hidden_meanwhile=meanwhile)
    send(signed, submission)
    made = request_answer(request=RegradeRequest.objects.get(), by=ines, text="You are right.", effect=State.REGRADE)
    assert made.batch is not None
    assert "Being graded again." in page(signed("ada"), desk(submission))
    report = submission.gradings.get().report
    work = made.batch.work.get()
    add_grading(submission, work, 2, max_score=2, current=False, why=Grading.Why.REGRADE, report=report)
    assert "does not count until your instructor applies it" in page(signed("ada"), desk(submission))
    regrading.commit(made.batch, by=cast.staff, lower=False)
    shown = words(page(signed("ada"), desk(submission)))
    known = meanwhile == HiddenMeanwhile.TITLES
    assert ("Graded again: 5 → 10 points." in shown) == known
    assert ("The result above counts." in shown) != known


def test_hostile_text_is_text(submission: Submission, signed: Signed) -> None:
    send(signed, submission, text=HOSTILE)
    html = page(signed("ada"), desk(submission))
    assert "<script>alert(1)" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt; \\u202egnp \\x1b[31m {{ x }}" in html


def test_somebody_elses_submission_is_not_there(
    cast: Cast, submission: Submission, signed: Signed, ines: Membership
) -> None:
    for name in ("ben", "ines", cast.owner.username):
        assert signed(name).get(where(submission)).status_code == 404
        assert signed(name).post(where(submission), {"text": "x"}).status_code == 404
    assert not RegradeRequest.objects.exists()
