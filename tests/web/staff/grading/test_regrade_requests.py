"""Regrade requests for staff: the list, the answer form, and the warning about a check that many students dispute."""

import re
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from autograder.courses.models import Membership, Role, Section
from autograder.gradebook.decisions.overrides import override
from autograder.gradebook.models import Override, RegradeRequest
from autograder.gradebook.regrades.regrade_requests import State, request_add, request_answer, request_withdraw
from autograder.submissions.models import Batch, Submission
from tests.cast import Cast, ago
from tests.web.conftest import Signed, checked, grade, member, page, reported

pytestmark = pytest.mark.django_db
HOSTILE = "<script>alert(1)</script> \u202egnp"


@pytest.fixture
def ines(cast: Cast) -> Membership:
    return member(cast, "ines", Role.INSTRUCTOR)


def asked(cast: Cast, name: str, text: str = "It is right.", check: str = "") -> RegradeRequest:
    given = cast.hands_in(name, b"x = 1\n")
    grade(given, reported(checked("forward", title="Forward & back", passed=False), checked("good")))
    return request_add(submission=given, by=cast.membership(name), text=text, check=check)


def listed(cast: Cast, signed: Signed, name: str = "ines", **query: str) -> str:
    response = signed(name).get(reverse("regrade-requests", args=(cast.course.slug,)), query)
    assert response.status_code == 200
    return str(response.content.decode())


def order(html: str) -> list[str]:
    return re.findall(r'#requests"><bdi>(.*?)</bdi>', html)


def at(submission: Submission) -> str:
    return reverse("submission", args=(submission.assignment.course.slug, submission.pk))


def answer(signed: Signed, made: RegradeRequest, who: str = "ines", **sent: Any) -> Any:
    given = {"act": "answer", "request": made.pk, "effect": "declined", "text": "Look at line 3.", "seen": "0"}
    return signed(who).post(at(made.submission), given | sent)


def words(html: str) -> str:
    return " ".join(re.sub("<[^>]*>", " ", html).split())


# -- the list -------------------------------------------------------------------------------------------------------------


def test_open_ones_first_the_oldest_before_the_others(cast: Cast, signed: Signed, ines: Membership) -> None:
    assert "No regrade requests yet" in listed(cast, signed)
    first, second, third = (asked(cast, name) for name in ("ada", "ben", "cy"))
    request_answer(request=first, by=ines, text="No.", effect=State.DECLINED)
    RegradeRequest.objects.filter(pk=third.pk).update(asked_at=ago(days=1))
    assert order(listed(cast, signed)) == ["cy", "ben", "ada"]
    assert second.is_open


def test_filters(cast: Cast, signed: Signed, ines: Membership) -> None:
    first = cast.assignment
    asked(cast, "ada", check="forward")
    request_withdraw(request=asked(cast, "ben"), by=cast.membership("ben"))
    cast.assignment = cast.assign("value-unary")
    asked(cast, "cy")
    assert order(listed(cast, signed, exercise=first.slug)) == ["ada", "ben"]
    assert order(listed(cast, signed, state="open")) == ["ada", "cy"]
    assert order(listed(cast, signed, state="withdrawn")) == ["ben"]
    assert order(listed(cast, signed, exercise=first.slug, check="forward")) == ["ada"]
    assert order(listed(cast, signed, check="*", state="open")) == ["cy"]
    assert "No regrade request matches" in listed(cast, signed, state="points")
    assert order(listed(cast, signed, exercise="no-such", state="no-such")) == ["ada", "cy", "ben"]


def test_an_assistant_sees_those_of_the_section(cast: Cast, signed: Signed) -> None:
    mine, other = (Section.objects.create(course=cast.course, name=name) for name in ("Mon", "Tue"))
    member(cast, "ada", Role.STUDENT, mine)
    member(cast, "ann", Role.ASSISTANT, mine)
    member(cast, "otto", Role.ASSISTANT, other)
    made = asked(cast, "ada")
    assert order(listed(cast, signed, "ann")) == ["ada"]
    assert order(listed(cast, signed, "otto")) == []
    assert answer(signed, made, "otto").status_code == 404
    assert answer(signed, made, "ann").status_code == 302
    made.refresh_from_db()
    assert made.state == State.DECLINED


def test_it_asks_as_often_for_many_as_for_one(cast: Cast, signed: Signed, ines: Membership) -> None:
    counts = []
    for name in ("ada", "ben", "cy"):
        made = asked(cast, name)
        request_answer(request=made, by=ines, text="Yes.", effect=State.REGRADE)
        with CaptureQueriesContext(connection) as queries:
            listed(cast, signed)
        counts.append(len(queries))
    assert counts[0] == counts[-1]


# -- the answer -----------------------------------------------------------------------------------------------------------


def test_the_request_stands_beside_the_verdict_with_a_form(cast: Cast, signed: Signed, ines: Membership) -> None:
    made = asked(cast, "ada", check="forward")
    html = page(signed("ines"), at(made.submission))
    assert "About the check <bdi>Forward &amp; back</bdi>" in html
    assert html.count("It is right.") == 1
    assert 'value="points"' in html
    assert answer(signed, made)["Location"] == f"{at(made.submission)}#requests"
    shown = words(page(signed("ines"), at(made.submission)))
    assert "Look at line 3. The result was kept." in shown
    assert 'value="answer"' not in page(signed("ines"), at(made.submission))


def test_as_the_student_sees_it_there_is_no_form(cast: Cast, signed: Signed, ines: Membership) -> None:
    made = asked(cast, "ada")
    html = page(signed("ines"), at(made.submission) + "?as=student")
    assert "It is right." in html
    for form in ('value="answer"', "Withdraw request", "Is this result wrong?"):
        assert form not in html


def test_grade_again_leads_to_the_preview_and_back(cast: Cast, signed: Signed, ines: Membership) -> None:
    made = asked(cast, "ada")
    response = answer(signed, made, effect="regrade")
    batch = Batch.objects.get()
    assert response["Location"] == reverse("regrade", args=(cast.course.slug, batch.pk))
    preview = page(signed("ines"), response["Location"])
    assert "Look at line 3." in preview
    assert f'href="{at(made.submission)}#requests">Back to the regrade request' in preview
    html = page(signed("ines"), at(made.submission))
    assert "Being graded again." in html
    assert f">Regrade {batch.pk}</a>" in html
    assert f"regrade {batch.pk}: preview" in listed(cast, signed)


def test_points_by_hand(cast: Cast, signed: Signed, ines: Membership) -> None:
    made = asked(cast, "ada")
    missing = answer(signed, made, effect="points")
    assert missing.status_code == 409
    assert "Enter the points." in missing.content.decode()
    assert "Look at line 3." in missing.content.decode(), "what was typed is kept"
    assert answer(signed, made, effect="points", points="-1").status_code == 409
    assert answer(signed, made, effect="points", points="7.5").status_code == 302
    assert Override.objects.get().points == Decimal("7.5")
    assert "Points set by hand: 7.5." in page(signed("ines"), at(made.submission))


def test_points_of_somebody_else_are_shown_before_they_are_replaced(cast: Cast, signed: Signed, ines: Membership) -> None:
    made = asked(cast, "ada")
    other = override(
        assignment=cast.assignment, membership=cast.membership("ada"), points=Decimal(9), reason="Oral.", by=cast.staff
    )
    refused = answer(signed, made, effect="points", points="5")
    assert refused.status_code == 409
    html = refused.content.decode()
    assert "set 9" in html
    assert re.search(rf'name="seen" value="{other.pk}"', html), "pressed again, it is meant"
    assert answer(signed, made, effect="points", points="5", seen=other.pk).status_code == 302


def test_an_assistant_may_not_set_points(cast: Cast, signed: Signed) -> None:
    member(cast, "ann", Role.ASSISTANT)
    made = asked(cast, "ada")
    assert 'value="points"' not in page(signed("ann"), at(made.submission))
    assert answer(signed, made, "ann", effect="points", points="10").status_code == 409
    assert not Override.objects.exists()


def test_what_was_answered_meanwhile_is_said(cast: Cast, signed: Signed, ines: Membership) -> None:
    made = asked(cast, "ada")
    request_answer(request=made, by=ines, text="No.", effect=State.DECLINED)
    response = signed(cast.owner.username).post(
        at(made.submission), {"act": "answer", "request": made.pk, "effect": "regrade", "text": "Yes."}, follow=True
    )
    assert "ines has already answered this request. Nothing was changed." in response.content.decode()
    assert not Batch.objects.exists()


def test_an_answer_needs_a_request_of_this_submission(cast: Cast, signed: Signed, ines: Membership) -> None:
    made, other = asked(cast, "ada"), asked(cast, "ben")
    assert answer(signed, made, request=other.pk).status_code == 404
    assert answer(signed, made, request="x").status_code == 404
    empty = answer(signed, made, text=" ")
    assert empty.status_code == 409
    assert "This field is required." in empty.content.decode()


def test_hostile_text_is_text(cast: Cast, signed: Signed, ines: Membership) -> None:
    made = asked(cast, "ada", HOSTILE)
    answer(signed, made, text=HOSTILE)
    for html in (page(signed("ines"), at(made.submission)), listed(cast, signed)):
        assert "<script>alert(1)" not in html
        assert "&lt;script&gt;alert(1)&lt;/script&gt; \\u202egnp" in html


# -- on other pages


def test_the_overview_says_how_many_are_open(cast: Cast, signed: Signed, ines: Membership) -> None:
    overview = reverse("overview", args=(cast.course.slug,))
    assert "are open" not in words(page(signed("ines"), overview))
    made = asked(cast, "ada")
    assert "1 regrade request is open since today" in words(page(signed("ines"), overview))
    asked(cast, "ben")
    assert "2 regrade requests are open, the oldest since today" in words(page(signed("ines"), overview))
    request_withdraw(request=made, by=cast.membership("ada"))
    assert "1 regrade request is open" in words(page(signed("ines"), overview))


def test_a_check_that_many_dispute_is_told_to_instructors(cast: Cast, signed: Signed, ines: Membership) -> None:
    member(cast, "ann", Role.ASSISTANT)
    pages = (
        reverse("overview", args=(cast.course.slug,)),
        reverse("insight", args=(cast.course.slug, cast.assignment.slug)),
    )
    for name in ("ada", "ben", "cy"):
        for where in pages:
            assert "is wrong" not in words(page(signed("ines"), where))
        asked(cast, name, check="forward")
    link = "?exercise=value-engine&amp;check=forward"
    for where in pages:
        html = page(signed("ines"), where)
        assert "3 students say that the check “Forward &amp; back ” of value-engine is wrong." in words(html).replace(
            "“ ", "“"
        )
        assert link in html
        assert "is wrong" not in words(page(signed("ann"), where))
    assert order(listed(cast, signed, exercise="value-engine", check="forward")) == ["ada", "ben", "cy"]


def test_the_history_of_the_course_has_words_for_it(cast: Cast, signed: Signed, ines: Membership) -> None:
    made = asked(cast, "ada", check="forward")
    answer(signed, made)
    again = asked(cast, "ada")
    request_withdraw(request=again, by=cast.membership("ada"))
    history = reverse("course-history", args=(cast.course.slug,))
    shown = words(page(signed("ines"), history + "?kind=requests"))
    about = "ada, submission 1, value-engine"
    assert f"ines answered the regrade request for {about} regrade request: {made.pk}" in shown
    assert "check: Forward &amp; back effect: result kept" in shown
    assert f"ada asked for a regrade of {about}" in shown
    assert "ada withdrew the regrade request for" in shown
