"""The pages of regrades: start, progress, preview and decision."""

import re
from decimal import Decimal

import msgspec
import pytest
from django.urls import reverse

from autograder.courses import audit
from autograder.courses.models import Role, Section, User
from autograder.gradebook.decisions.overrides import override
from autograder.gradebook.grades import freezing
from autograder.gradebook.grades.scores import score_of
from autograder.gradebook.regrades.regrading import GradeChange, preview
from autograder.judge.report import Report
from autograder.submissions import regrades
from autograder.submissions.models import Batch, Grading, Submission
from autograder.web.staff.grading.regrades.preview import summary_of
from tests.cast import Cast, version_of
from tests.gradebook.conftest import add_grading
from tests.web.conftest import Signed, checked, grade, member, page, reported, words

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def ines(cast: Cast) -> None:
    member(cast, "ines", Role.INSTRUCTOR)


def at(cast: Cast, name: str, *more: object) -> str:
    return reverse(name, args=(cast.course.slug, *more))


def reached(share: float) -> Report:
    """Half of the points are for the "kink" check, which passes only at full score."""
    kink = checked("kink", title="kink", points=0.5, passed=share == 1)
    return msgspec.structs.replace(reported(checked("base", points=0.5), kink), score=share)


def graded(cast: Cast, name: str, share: float) -> Submission:
    submission = cast.hands_in(name, f"# {name}\n".encode())
    grade(submission, reached(share))
    return submission


def asked(cast: Cast, **wanted: object) -> Batch:
    return regrades.start(course=cast.course, by=cast.staff, reason="The kink was wrong.", **wanted)  # type: ignore[arg-type]


def again(batch: Batch, scores: dict[Submission, float]) -> Batch:
    """Finish the regrade with these shares of the points."""
    for submission, share in scores.items():
        add_grading(
            *(submission, batch.work.get(submission=submission), share),
            current=False, why=Grading.Why.REGRADE, max_score=1, report=msgspec.to_builtins(reached(share)),
        )  # fmt: skip
    return batch


@pytest.fixture
def ready(cast: Cast) -> Batch:
    """Ada gains, Ben loses, Cem stays the same. Grades may go down."""
    ada, ben, cem = graded(cast, "ada", 0.5), graded(cast, "ben", 0.8), graded(cast, "cem", 0.4)
    return again(asked(cast, may_lower=True), {ada: 0.7, ben: 0.6, cem: 0.4})


def points(cast: Cast, name: str) -> float:
    found = score_of(cast.assignment, cast.membership(name)).points
    assert found is not None
    return float(found)


# -- start


def test_an_assignment_under_another_version(cast: Cast, signed: Signed) -> None:
    graded(cast, "ada", 0.5)
    version = version_of("value-engine")
    sent = {"assignment": "value-engine", "version": version.pk, "reason": "The kink was wrong.", "may_lower": "on"}
    response = signed("ines").post(at(cast, "new-regrade"), sent)
    batch = Batch.objects.get()
    assert response["Location"] == at(cast, "regrade", batch.pk)
    assert (batch.may_lower, batch.reason, batch.created_by.username) == (True, "The kink was wrong.", "ines")
    assert [work.version for work in batch.work.all()] == [version]


def test_a_selection(cast: Cast, signed: Signed) -> None:
    ada, _, cem = (graded(cast, name, 0.5) for name in ("ada", "ben", "cem"))
    first, second = (at(cast, "submission", submission.pk) for submission in (ada, cem))
    signed("ines").post(
        at(cast, "new-regrade"),
        {"submissions": f"{first}, https://gradus.example.org{second}?as=student#marks", "reason": "r"},
    )
    assert {work.submission for work in Batch.objects.get().work.all()} == {ada, cem}


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ({"reason": ""}, "This field is required."),
        ({"reason": "r", "submissions": "12"}, "“12” is not the address of a submission."),
        (
            {"reason": "r", "submissions": "/submissions/99/"},
            "“/submissions/99/” is not the address of a submission in this course.",
        ),
        ({"reason": "r", "assignment": "other"}, "Select a valid choice"),
        ({"reason": "r"}, "This selection contains no submissions to grade again."),
    ],
)
def test_what_cannot_be_asked_for_is_said_and_kept(cast: Cast, signed: Signed, sent: dict[str, str], words: str) -> None:
    response = signed("ines").post(at(cast, "new-regrade"), sent)
    assert response.status_code in (409, 422)
    assert words in response.content.decode()
    assert f'value="{sent["submissions"]}"' in response.content.decode() if "submissions" in sent else True
    assert not Batch.objects.exists()


def test_submissions_of_another_course_are_none_of_this_one(cast: Cast, signed: Signed) -> None:
    elsewhere = Cast(slug="elsewhere", exercise="value-unary").hands_in("eve", b"x = 1\n")
    response = signed("ines").post(at(cast, "new-regrade"), {"submissions": f"/submissions/{elsewhere.pk}/", "reason": "r"})
    assert f"“/submissions/{elsewhere.pk}/” is not the address of a submission in this course." in response.content.decode()


def test_the_list_with_states(cast: Cast, ready: Batch, signed: Signed) -> None:
    text = page(signed("ines"), at(cast, "regrades"))
    assert "waiting for a decision" in text
    assert "3 of 3" in text
    regrades.discard(ready, by=cast.staff)
    assert "discarded" in page(signed("ines"), at(cast, "regrades"))


# -- progress


def test_progress_is_asked_for_until_all_is_graded(cast: Cast, signed: Signed) -> None:
    ada, ben = graded(cast, "ada", 0.5), graded(cast, "ben", 0.5)
    batch = again(asked(cast), {ada: 0.7})
    where = at(cast, "regrade-progress", batch.pk)
    text = page(signed("ines"), at(cast, "regrade", batch.pk))
    assert f'hx-get="{where}" hx-trigger="every 2s"' in text
    assert "1 of 2</b> graded again" in text
    assert 'value="gains"' not in text
    assert "HX-Refresh" not in signed("ines").get(where).headers
    again(batch, {ben: 0.7})
    assert signed("ines").get(where).headers["HX-Refresh"] == "true"


def test_nothing_is_decided_before_the_end(cast: Cast, signed: Signed) -> None:
    graded(cast, "ada", 0.5)
    batch, browser = asked(cast), signed("ines")
    browser.post(at(cast, "regrade", batch.pk), {"act": "gains"})
    assert "The preview is not finished yet" in page(browser, at(cast, "regrade", batch.pk))


# -- the preview --------------------------------------------------------------------------------------------------------------


def test_who_gains_and_loses_the_losses_first(cast: Cast, ready: Batch, signed: Signed) -> None:
    text = page(signed("ines"), at(cast, "regrade", ready.pk))
    assert text.index("▼ −2") < text.index("▲ +2")
    assert "The kink was wrong." in text
    assert "Apply the 1 gain, keep the rest" in text
    assert "Apply all, including 1 lower grade" in text
    assert ">cem<" not in text


def test_the_summary(cast: Cast, ready: Batch) -> None:
    found = summary_of(preview(ready))
    assert (found.stay, found.gain, found.lose, found.set_by_hand) == (1, 1, 1, 0)
    assert (round(found.mean_before or 0, 2), round(found.mean_after or 0, 2)) == (5.67, 5.67)
    assert [(bar.label, bar.before, bar.after) for bar in found.bars] == [
        ("0 to 1.99", 0, 0), ("2 to 3.99", 0, 0), ("4 to 5.99", 2, 1), ("6 to 7.99", 0, 2), ("8 to 9.99", 1, 0),
        ("10 or more", 0, 0),
    ]  # fmt: skip


def test_every_grade_is_in_the_range_that_its_bar_names(cast: Cast) -> None:
    """Even if the limits of the ranges are not whole cents."""
    cast.assignment.points = Decimal(7)
    grades = [
        GradeChange(cast.membership("ada"), cast.assignment, Decimal(cents) / 100, None, None, ()) for cents in range(701)
    ]
    for change in grades:
        (bar,) = (bar for bar in summary_of([change]).bars if bar.before)
        first, _, last = bar.label.partition(" to ")
        assert Decimal(first.removesuffix(" or more")) <= (change.before or 0) <= Decimal(last or "7"), bar.label


def test_where_not_all_can_reach_the_same_ranges_are_in_percent(cast: Cast) -> None:
    small = cast.assign("value-tanh-relu", points=4)
    found = summary_of(
        [GradeChange(cast.membership("ada"), one, Decimal(4), Decimal(4), None, ()) for one in (cast.assignment, small)]
    )
    assert [(bar.label, bar.before) for bar in found.bars] == [
        ("0 to 19%", 0), ("20 to 39%", 0), ("40 to 59%", 1), ("60 to 79%", 0), ("80 to 99%", 0), ("100%", 1),
    ]  # fmt: skip


def test_which_checks_say_something_else_now(cast: Cast, signed: Signed) -> None:
    ada = graded(cast, "ada", 0.5)
    batch = again(asked(cast), {ada: 1})
    assert "now passes “kink”" in page(signed("ines"), at(cast, "regrade", batch.pk))


def test_which_checks_are_worth_something_else_now(cast: Cast, signed: Signed) -> None:
    submission = cast.hands_in("ada", b"# ada\n")
    grade(submission, reported(checked("kink", title="kink", points=0.5), checked("base", points=0.5, passed=False)))
    batch = asked(cast)
    heavier = reported(checked("kink", title="kink", points=0.75), checked("base", points=0.25, passed=False))
    add_grading(
        *(submission, batch.work.get(), 0.75), current=False, why=Grading.Why.REGRADE, max_score=1,
        report=msgspec.to_builtins(heavier),
    )  # fmt: skip
    assert "“kink” is worth 0.75, not 0.5" in page(signed("ines"), at(cast, "regrade", batch.pk))


def test_what_was_set_by_hand_stays_and_is_told(cast: Cast, signed: Signed) -> None:
    ada = graded(cast, "ada", 0.5)
    override(assignment=cast.assignment, membership=cast.membership("ada"), points=Decimal(6), reason="r", by=cast.staff)
    batch = again(asked(cast), {ada: 0.9})
    text = page(signed("ines"), at(cast, "regrade", batch.pk))
    assert "1 of these is set by hand" in text
    assert "set to 6 by hand, which is kept" in text
    found = summary_of(preview(batch))
    assert (found.mean_before, found.mean_after) == (6.0, 6.0)


def test_without_leave_to_lower_that_is_not_offered(cast: Cast, signed: Signed) -> None:
    ben = graded(cast, "ben", 0.8)
    batch = again(asked(cast), {ben: 0.6})
    browser = signed("ines")
    text = page(browser, at(cast, "regrade", batch.pk))
    assert 'value="all"' not in text
    assert "1 grade that would have dropped stays as it is" in text
    browser.post(at(cast, "regrade", batch.pk), {"act": "all"})
    assert "does not lower grades" in page(browser, at(cast, "regrade", batch.pk))
    assert points(cast, "ben") == 8


# -- the decision ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("act", "after"), [("gains", (7, 8)), ("all", (7, 6)), ("discard", (5, 8)), ("nonsense", (5, 8))])
def test_decisions(cast: Cast, ready: Batch, signed: Signed, act: str, after: tuple[int, int]) -> None:
    response = signed("ines").post(at(cast, "regrade", ready.pk), {"act": act})
    assert response["Location"] == at(cast, "regrade", ready.pk)
    assert (points(cast, "ada"), points(cast, "ben")) == after


def test_what_was_done_stays_on_the_page(cast: Cast, ready: Batch, signed: Signed) -> None:
    browser = signed("ines")
    browser.post(at(cast, "regrade", ready.pk), {"act": "gains"})
    text = page(browser, at(cast, "regrade", ready.pk))
    assert "The regrade was applied: 1 grade changed." in text
    assert "by <bdi>ines</bdi>" in text
    assert 'value="gains"' not in text
    browser.post(at(cast, "regrade", ready.pk), {"act": "discard"})
    assert "This regrade is already applied." in page(browser, at(cast, "regrade", ready.pk))


def table_of(html: str) -> str:
    """Return the rows of changes as text."""
    return words(html.partition("<tbody>")[2].partition("</tbody>")[0])


def test_what_was_applied_is_listed_as_the_preview_listed_it(cast: Cast, ready: Batch, signed: Signed) -> None:
    cast.assignment.title = "A scalar engine"
    cast.assignment.save()
    User.objects.filter(username="ada").update(first_name="Ada", last_name="Lovelace")
    override(assignment=cast.assignment, membership=cast.membership("ben"), points=Decimal(9), reason="r", by=cast.staff)
    browser, where = signed("ines"), at(cast, "regrade", ready.pk)
    before = table_of(page(browser, where))
    ben = before.partition("Ada")[0]
    assert "A scalar engine 8 6 ▼ −2" in ben
    assert "set to 9 by hand, which is kept" in ben
    assert "Ada Lovelace A scalar engine 5 7 ▲ +2" in before
    browser.post(where, {"act": "all"})
    html = page(browser, where)
    assert table_of(html) == before
    assert '<h2 id="made">Applied</h2>' in html
    assert "applied" in page(browser, at(cast, "regrades"))
    browser.post(where, {"act": "take-back", "reason": "The kink was right."})
    html = page(browser, where)
    assert "Ada Lovelace A scalar engine 7 5 ▼ −2" in table_of(html)
    assert '<h2 id="made">Undone</h2>' in html


def test_a_grade_that_changed_before_points_set_by_hand_were_recorded_is_still_told(
    cast: Cast, ready: Batch, signed: Signed
) -> None:
    signed("ines").post(at(cast, "regrade", ready.pk), {"act": "discard"})
    Batch.objects.filter(pk=ready.pk).update(state=Batch.State.COMMITTED)
    audit.record(
        *("grade-changed", cast.membership("ada")), actor=cast.owner, course=cast.course, assignment=cast.assignment,
        before=None, after="7.00", reason="r", batch=ready.pk, overridden=True,
    )  # fmt: skip
    assert "ada value-engine – 7 ▲ +7 set by hand, which is kept" in table_of(
        page(signed("ines"), at(cast, "regrade", ready.pk))
    )


def test_an_assistant_sees_her_own_and_does_not_decide(cast: Cast, signed: Signed) -> None:
    mine = Section.objects.create(course=cast.course, name="Mon")
    ann = member(cast, "ann", Role.ASSISTANT, mine)
    member(cast, "ada", Role.STUDENT, mine)
    ada = graded(cast, "ada", 0.5)
    others = asked(cast)
    page(signed("ann"), at(cast, "regrade", others.pk), 404)
    own = again(regrades.grade_again(submission=ada, by=ann, reason="a doubt"), {ada: 0.7})
    text = page(signed("ann"), at(cast, "regrade", own.pk))
    assert "An instructor decides" in text
    assert 'value="gains"' not in text
    signed("ann").post(at(cast, "regrade", own.pk), {"act": "gains"})
    assert points(cast, "ada") == 5
    member(cast, "ada", Role.STUDENT)
    page(signed("ann"), at(cast, "regrade", own.pk), 404)


def test_a_regrade_of_another_course_is_none(cast: Cast, ready: Batch, signed: Signed) -> None:
    other = Cast(slug="elsewhere", exercise="value-unary")
    member(other, "ines", Role.OWNER)
    page(signed("ines"), at(other, "regrade", ready.pk), 404)
    assert signed("ines").post(at(other, "regrade", ready.pk), {"act": "gains"}).status_code == 404
    assert points(cast, "ada") == 5


# -- undo


def test_what_counts_can_be_taken_back_with_a_reason(cast: Cast, signed: Signed) -> None:
    ada = graded(cast, "ada", 0.5)
    batch = again(asked(cast), {ada: 1.0})
    where, browser = at(cast, "regrade", batch.pk), signed("ines")
    browser.post(where, {"act": "gains"})
    assert "Undo regrade" in page(browser, where)
    html = browser.post(where, {"act": "take-back", "reason": ""}, follow=True).content.decode()
    assert "Give a reason for undoing the regrade" in html
    html = browser.post(where, {"act": "take-back", "reason": "The kink was right."}, follow=True).content.decode()
    assert "The regrade was undone: 1 grade changed." in html
    assert "The kink was right." in html
    assert "Undo regrade</button>" not in html
    assert score_of(cast.assignment, cast.membership("ada")).points == Decimal("5.00")


def test_while_the_gradebook_is_frozen_a_regrade_can_only_be_discarded(cast: Cast, ready: Batch, signed: Signed) -> None:
    freezing.freeze(course=cast.course, by=cast.staff)
    browser, where = signed("ines"), at(cast, "regrade", ready.pk)
    html = page(browser, where)
    assert re.findall(r'name="act" value="(.*?)"', html) == ["discard"]
    assert "A regrade can be discarded, but not applied. You and the other instructors can unfreeze it." in words(html)
    freezing.unfreeze(course=cast.course, by=cast.staff)
    browser.post(where, {"act": "all"})
    assert 'value="take-back"' in page(browser, where)
    freezing.freeze(course=cast.course, by=cast.staff)
    html = page(browser, where)
    assert 'name="act"' not in html
    assert "Regrades cannot be undone." in words(html)


def test_an_assistant_takes_nothing_back(cast: Cast, signed: Signed) -> None:
    ada = graded(cast, "ada", 0.5)
    batch = again(asked(cast), {ada: 1.0})
    where = at(cast, "regrade", batch.pk)
    signed("ines").post(where, {"act": "gains"})
    member(cast, "ann", Role.ASSISTANT)
    assert signed("ann").post(where, {"act": "take-back", "reason": "Mine."}).status_code == 404
    assert score_of(cast.assignment, cast.membership("ada")).points == Decimal("10.00")


def test_where_no_grade_would_change_there_is_nothing_to_apply(cast: Cast, signed: Signed) -> None:
    ben = graded(cast, "ben", 0.8)
    batch = again(asked(cast), {ben: 0.8})
    text = page(signed("ines"), at(cast, "regrade", batch.pk))
    assert "No grade would change." in text
    assert 'value="gains"' not in text
    assert 'value="discard"' in text
    assert "There is nothing to apply." in words(text)
