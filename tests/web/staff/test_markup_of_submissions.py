"""The markup rules hold for the pages of students, submissions and regrades."""

import pytest
from django.urls import reverse

from autograder.courses.models import Role
from autograder.submissions import regrades
from autograder.submissions.comments import comment_add
from autograder.submissions.models import Grading
from tests.cast import Cast
from tests.gradebook.conftest import add_grading
from tests.web.conftest import Signed, checked, grade, member, page, reported
from tests.web.test_markup import Markup

pytestmark = pytest.mark.django_db


def test_pages_hold_what_every_page_promises(cast: Cast, signed: Signed) -> None:
    ines = member(cast, "ines", Role.INSTRUCTOR)
    submission = cast.hands_in("ada", b"x = 1\ny = 2\n")
    grade(submission, reported(checked("one", passed=False), checked("two", hidden=True, passed=False, stdout="printed")))
    for line in (1, None):
        comment_add(submission=submission, by=ines, text="Hm.", line=line)
    running = regrades.start(course=cast.course, by=cast.staff, reason="r")
    ended = regrades.start(course=cast.course, by=cast.staff, reason="r")
    regrades.discard(ended, by=cast.staff)
    ready = regrades.start(course=cast.course, by=cast.staff, reason="r", may_lower=True)
    again = {"current": False, "why": Grading.Why.REGRADE, "max_score": 2}
    add_grading(submission, ready.work.get(), 1.5, **again)
    course, one = cast.course.slug, reverse("submission", args=(cast.course.slug, submission.pk))
    desk = reverse("exercise", args=(course, cast.assignment.slug))
    addresses = {
        one: "ines", f"{one}?line=2": "ines", f"{one}?as=student": "ines",
        reverse("student", args=(course, submission.membership_id)): "ines",
        reverse("regrades", args=(course,)): "ines", reverse("new-regrade", args=(course,)): "ines",
        reverse("regrade", args=(course, running.pk)): "ines", reverse("regrade", args=(course, ended.pk)): "ines",
        reverse("regrade", args=(course, ready.pk)): "ines",
        f"{desk}?line=1": "ada",
    }  # fmt: skip
    for address, who in addresses.items():
        found = Markup(page(signed(who), address))
        assert (found.acts, found.left_open) == ([], []), address
        assert (found.tags["h1"], found.tags["main"]) == (1, 1), address
        assert {key: count for key, count in found.ids.items() if count > 1} == {}, address
        assert set(found.refers) <= set(found.ids), address
        assert found.posts == found.tokens, address
