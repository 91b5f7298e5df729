"""The page of a submission for staff: everything needed to reproduce a grading, comments, and grading again."""

import re
from typing import Any

import msgspec
import pytest
from django.urls import reverse

from autograder.courses.models import Membership, Role, Section, ShowHidden, User
from autograder.explain.diagnosis import Explanation
from autograder.judge.report import Detail, Shown
from autograder.submissions.comments import comment_add
from autograder.submissions.models import Batch, Comment, Kind, Submission
from tests.cast import Cast
from tests.web.conftest import Signed, change, checked, grade, member, page, reported
from tests.web.player.examples import EXAMPLE

pytestmark = pytest.mark.django_db
SECRET = "s3cret-input"


@pytest.fixture
def submission(cast: Cast) -> Submission:
    change(cast, show_hidden=ShowHidden.NEVER)
    given = cast.hands_in("ada", b"x = 1\ny = x * 2\n")
    hidden = checked(
        "secret", hidden=True, passed=False, message=f"{SECRET} message", stdout=f"{SECRET} printed",
        detail=Detail("y", {SECRET: Shown("float", ("2.0",))}, Shown("float", ("1.0",)), Shown("float", ("3.0",))),
    )  # fmt: skip
    told = Explanation("missing-upstream", "The upstream is missing.", ("forward",), note=f"{SECRET} note")
    wrong = checked("forward", passed=False, title="Forward")
    trace = msgspec.structs.replace(EXAMPLE, check="forward")
    more = {"seed": 4711, "judge_version": "0.1", "diagnosis": [told], "traces": [trace]}
    grade(given, reported(wrong, checked("good"), hidden, seed=4711), **more)
    return given


def at(submission: Submission, name: str = "submission") -> str:
    return reverse(name, args=(submission.assignment.course.slug, submission.pk))


def send(signed: Signed, submission: Submission, who: str, **sent: Any) -> Any:
    return signed(who).post(at(submission), sent)


@pytest.fixture
def ines(cast: Cast) -> str:
    member(cast, "ines", Role.INSTRUCTOR)
    return "ines"


# -- content


def test_hidden_checks_in_full_and_the_notes(submission: Submission, signed: Signed, ines: str) -> None:
    text = page(signed(ines), at(submission))
    for words in (f"{SECRET} message", f"{SECRET} printed", f"{SECRET} note", f"{SECRET} = "):
        assert words in text, words


def test_staff_alone_see_what_no_solution_needs(submission: Submission, signed: Signed, ines: str) -> None:
    assert "Staff only.</b> This file uses" not in page(signed(ines), at(submission))
    uses = [{"line": 2, "name": "_getframe"}, {"line": 1, "name": "<b>"}]
    submission.gradings.update(introspection=uses)
    text = " ".join(page(signed(ines), at(submission)).split())
    assert '<code>_getframe</code> on <a href="#L2">line 2</a>, <code>&lt;b&gt;</code> on <a href="#L1">line 1</a>.' in text
    assert "_getframe" not in page(signed(ines), at(submission) + "?as=student")
    assert "_getframe" not in page(signed("ada"), reverse("outcome", args=(submission.pk,)))


def test_everything_that_gives_it_again(submission: Submission, signed: Signed, ines: str) -> None:
    text, grading = page(signed(ines), at(submission)), submission.gradings.get()
    assert f"manage.py reproduce {submission.pk} --grading {grading.pk}" in text
    for words in ("<code>4711</code>", grading.version.hash, "0.1;", "<dt>Queued</dt>", "<dt>Worker</dt>"):
        assert words in text, words


def test_every_grading_and_the_one_that_counts(cast: Cast, submission: Submission, signed: Signed, ines: str) -> None:
    send(signed, submission, ines, act="again", reason="a doubt")
    text = page(signed(ines), at(submission))
    assert text.count('class="tag best">counts') == 1


def test_as_the_student_sees_it(submission: Submission, signed: Signed, ines: str) -> None:
    text = page(signed(ines), at(submission) + "?as=student")
    assert "what the student currently sees" in text
    for words in (SECRET, "4711", "reproduce", '<form class="comment"'):
        assert words not in text, words


def test_a_step_of_the_player_stays_on_this_page(submission: Submission, signed: Signed, ines: str) -> None:
    text = page(signed(ines), at(submission) + "?check=forward&step=2")
    assert f"{at(submission)}?s={submission.pk}&amp;check=forward" in text
    assert reverse("exercise", args=(submission.assignment.course.slug, submission.assignment.slug)) not in text


def test_what_waits_and_what_failed(cast: Cast, signed: Signed, ines: str) -> None:
    waiting = cast.hands_in("ada")
    assert "Not graded yet: waiting" in page(signed(ines), at(waiting))
    work = waiting.work.get()
    work.state, work.trouble, work.tries, work.ended_at = "failed", "OSError: no more disk", 3, work.queued_at
    work.save()
    text = page(signed(ines), at(waiting))
    assert "OSError: no more disk" in text
    assert "3 tries" in text


def test_submissions_of_other_sections_and_courses_are_not_found(cast: Cast, submission: Submission, signed: Signed) -> None:
    mine, other = (Section.objects.create(course=cast.course, name=name) for name in ("Mon", "Tue"))
    member(cast, "ada", Role.STUDENT, mine)
    member(cast, "ann", Role.ASSISTANT, mine)
    member(cast, "otto", Role.ASSISTANT, other)
    page(signed("ann"), at(submission))
    page(signed("otto"), at(submission), 404)
    page(signed("ada"), at(submission), 404)
    assert send(signed, submission, "otto", act="comment", text="Hm.").status_code == 404
    elsewhere = Cast(slug="elsewhere", exercise="value-unary")
    member(elsewhere, "ann", Role.OWNER)
    page(signed("ann"), reverse("submission", args=("elsewhere", submission.pk)), 404)


# -- comments -------------------------------------------------------------------------------------------------------------


def test_the_address_of_a_line_opens_its_form(submission: Submission, signed: Signed, ines: str) -> None:
    text = page(signed(ines), at(submission) + "?line=2")
    assert '<input type="hidden" name="line" value="2">' in text
    assert 'href="?line=1#L1"' in text
    assert '<input type="hidden" name="line"' not in page(signed(ines), at(submission) + "?line=3")


def test_a_comment_on_a_line(submission: Submission, signed: Signed, ines: str) -> None:
    response = send(signed, submission, ines, act="comment", line="2", text="Why <b>twice</b>?")
    assert (response.status_code, response["Location"]) == (302, f"{at(submission)}#L2")
    text = page(signed(ines), at(submission))
    assert "Why &lt;b&gt;twice&lt;/b&gt;?" in text
    assert "<b>twice" not in text


def test_what_was_typed_stays_when_it_is_refused(submission: Submission, signed: Signed, ines: str) -> None:
    response = send(signed, submission, ines, act="comment", line="99", text="Look here.")
    assert response.status_code == 409
    text = response.content.decode()
    assert "The file has no line 99" in text
    assert "Look here.</textarea>" in text
    assert send(signed, submission, ines, act="comment", line="x", text="Look here.").status_code == 409
    assert not Comment.objects.exists()


def test_a_comment_is_taken_back(cast: Cast, submission: Submission, signed: Signed, ines: str) -> None:
    ann = member(cast, "ann", Role.ASSISTANT)
    theirs = comment_add(submission=submission, by=member(cast, "ines", Role.INSTRUCTOR), text="Of Ines.")
    assert "Delete" not in page(signed("ann"), at(submission))
    assert send(signed, submission, "ann", act="remove", comment=theirs.pk).status_code == 302
    mine = comment_add(submission=submission, by=ann, text="Of Ann.")
    send(signed, submission, "ann", act="remove", comment=mine.pk)
    text = page(signed("ann"), at(submission))
    assert "Of Ines." in text
    assert "Of Ann." not in text
    assert send(signed, submission, "ann", act="remove", comment=mine.pk).status_code == 404


def test_the_student_reads_comments_beside_her_result_and_nobody_elses(
    cast: Cast, submission: Submission, signed: Signed
) -> None:
    jonas = member(cast, "jonas", Role.ASSISTANT)
    desk = reverse("exercise", args=(cast.course.slug, cast.assignment.slug))
    assert 'id="comments"' not in page(signed("ada"), desk)
    comment_add(submission=submission, by=jonas, text="Name it <i>z</i>.", line=2)
    text = page(signed("ada"), desk)
    assert "Name it &lt;i&gt;z&lt;/i&gt;." in text
    assert f'href="?s={submission.pk}&amp;line=2#L2"' in text
    assert '<details class="handed-in">' in text
    assert '<details class="handed-in" open>' in page(signed("ada"), f"{desk}?s={submission.pk}&line=2")
    assert "Name it" not in page(signed("ben"), desk)
    home = page(signed("ada"), reverse("home", args=(cast.course.slug,)))
    assert "has a comment by jonas on line 2." in home
    assert "has a comment" not in page(signed("ben"), reverse("home", args=(cast.course.slug,)))
    comment_add(submission=submission, by=jonas, text="Otherwise fine.")
    assert "has 2 new comments, the latest by jonas." in page(signed("ada"), reverse("home", args=(cast.course.slug,)))


def test_a_hostile_file_is_shown_as_text(cast: Cast, signed: Signed, ines: str) -> None:
    hostile = cast.hands_in("ada", "x = '<script>alert(1)</script>'\n# \u202egnp\n\x00\n".encode() + b"\xff")
    text = page(signed(ines), at(hostile))
    assert "<script>alert" not in text
    assert "\u202e" not in text.partition('id="file-title"')[2].partition("</ol>")[0]


# -- grade again ----------------------------------------------------------------------------------------------------------


def test_grade_again_leads_to_its_preview(cast: Cast, submission: Submission, signed: Signed) -> None:
    member(cast, "ann", Role.ASSISTANT)
    response = send(signed, submission, "ann", act="again", reason="a doubt")
    batch = Batch.objects.get()
    assert response["Location"] == reverse("regrade", args=(cast.course.slug, batch.pk))
    assert [work.submission for work in batch.work.all()] == [submission]
    assert (batch.reason, batch.may_lower) == ("a doubt", False)
    assert "0 of 1</b> graded again" in page(signed("ann"), response["Location"])


def test_it_needs_a_reason(submission: Submission, signed: Signed, ines: str) -> None:
    browser = signed(ines)
    assert browser.post(at(submission), {"act": "again", "reason": " "}).status_code == 302
    assert "Give a reason for the regrade" in page(browser, at(submission))
    assert not Batch.objects.exists()


def test_a_run_is_not_graded_again(cast: Cast, signed: Signed, ines: str) -> None:
    run = cast.hands_in("ada", kind=Kind.RUN)
    assert 'value="again"' not in page(signed(ines), at(run))
    send(signed, run, ines, act="again", reason="a doubt")
    assert not Batch.objects.exists()


def test_a_comment_in_markdown_is_rendered_for_both(cast: Cast, submission: Submission, signed: Signed, ines: str) -> None:
    text = "Use `x.grad += g` in __add__.\n\n- *not* `=`\n\n<script>alert(1)</script>"
    comment_add(submission=submission, by=member(cast, "jon", Role.INSTRUCTOR), text=text, line=2)
    desk = reverse("exercise", args=(cast.course.slug, cast.assignment.slug)) + f"?s={submission.pk}"
    for shown in (page(signed(ines), at(submission)), page(signed("ada"), desk)):
        assert "<p>Use <code>x.grad += g</code> in __add__.</p>" in shown
        assert "<li><em>not</em> <code>=</code></li>" in shown
        assert "alert(1)" in shown and "<script>alert" not in shown


# -- the next student


def test_links_lead_to_the_students_before_and_after(cast: Cast, submission: Submission, signed: Signed, ines: str) -> None:
    names = {"ada": ("Ada", "Zeman"), "ben": ("Ben", "Åberg"), "cy": ("Cy", "Świątek"), "dee": ("Dee", "Aa")}
    hers = cast.hands_in("ben")
    newest = cast.hands_in("ben")
    his = cast.hands_in("cy")
    cast.hands_in("dee", kind=Kind.RUN)
    for login, (first, last) in names.items():
        cast.membership(login)
        User.objects.filter(username=login).update(first_name=first, last_name=last)

    def around(of: Submission, who: str = ines) -> list[Any]:
        html = page(signed(who), at(of))
        return re.findall(r'rel="(prev|next)"\s+href="([^"]+)"', html)

    assert around(hers) == [("next", at(his))]
    assert around(his) == [("prev", at(newest)), ("next", at(submission))], "by name, the newest of each, and no runs"
    assert around(submission) == [("prev", at(his))]
    section = Section.objects.create(course=cast.course, name="Monday")
    assistant = member(cast, "ann", Role.ASSISTANT, section)
    Membership.objects.filter(user__username__in=("ada", "ben")).update(section=section)
    assert around(submission, assistant.user.username) == [("prev", at(newest))], "only whom she may see"
