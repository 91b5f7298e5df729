"""Manual points on pages: criteria in the settings of an exercise, marks on a submission, and the marking queue."""

from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from autograder.courses.models import AuditEntry, Criterion, HiddenMeanwhile, Membership, Role, Section, ShowHidden
from autograder.gradebook.decisions.criteria import NewCriterion, criteria_set
from autograder.gradebook.decisions.marking import mark
from autograder.gradebook.grades import freezing
from autograder.gradebook.grades.scores import score_of
from autograder.gradebook.models import Marking
from autograder.submissions.models import Kind, Submission
from tests.cast import Cast
from tests.web.conftest import Signed, change, checked, grade, member, page, reported
from tests.web.staff.setup.test_exercises import sent as settings_sent

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner(cast: Cast) -> Membership:
    return Membership.objects.select_related("course", "user").get(user=cast.owner)


@pytest.fixture
def rubric(cast: Cast, owner: Membership) -> list[Criterion]:
    """Criteria for 4 of 10 points."""
    wanted = (NewCriterion("Style", Decimal(3), "Names say what things are."), NewCriterion("Tests", Decimal(1)))
    criteria_set(assignment=cast.assignment, by=owner, criteria=wanted)
    cast.assignment.refresh_from_db()
    return list(cast.assignment.criteria.all())


def handed_in(cast: Cast, name: str = "ada", source: bytes = b"x = 1\n") -> Submission:
    """A submission with 3 of the 6 points for the checks."""
    submission = cast.hands_in(name, source)
    grade(submission, reported(checked("forward"), checked("backward", passed=False)))
    return Submission.objects.select_related("assignment__course", "membership__course").get(pk=submission.pk)


def give(submission: Submission, by: Membership, *points: str, **more: Any) -> Marking:
    given = zip(submission.assignment.criteria.filter(removed_at=None), points, strict=True)
    return mark(submission=submission, by=by, points={one.pk: Decimal(each) for one, each in given}, **more)


def at(submission: Submission) -> str:
    return reverse("submission", args=(submission.assignment.course.slug, submission.pk))


def sent(rubric: list[Criterion], *points: str, **more: Any) -> dict[str, Any]:
    given = {f"points_{one.pk}": each for one, each in zip(rubric, points, strict=True)}
    return {"act": "mark", "seen": "0", "remark": ""} | given | more


# -- on a submission ------------------------------------------------------------------------------------------------------


def test_points_are_given_and_seen_by_the_student_at_once(cast: Cast, signed: Signed, rubric: list[Criterion]) -> None:
    submission = handed_in(cast)
    desk = reverse("exercise", args=(cast.course.slug, cast.assignment.slug))
    before = page(signed("ada"), desk)
    assert "4 of 10 points are given by hand; not marked yet." in before
    assert "3 of 10 points" in before
    staff = signed(cast.owner.username)
    assert "Points given by hand" in page(staff, at(submission))
    answer = staff.post(at(submission), sent(rubric, "2.25", "1", remark="Clear <b>names</b>."), follow=True)
    assert "The points were saved. The student can see them." in answer.content.decode()
    after = page(signed("ada"), desk)
    assert "6.25 of 10 points" in after
    assert "3.25 of 4 points by hand." in after
    assert "Names say what things are." in after
    assert "Clear &lt;b&gt;names&lt;/b&gt;." in after
    assert ">2.25&nbsp;<span" in after


def test_the_form_says_what_is_wrong_and_keeps_what_was_typed(cast: Cast, signed: Signed, rubric: list[Criterion]) -> None:
    submission, staff = handed_in(cast), signed(cast.owner.username)
    for points, words in (
        (("3.01", "1"), "less than or equal to 3"),
        (("-1", "1"), "greater than or equal to 0"),
        (("", "1"), "This field is required"),
        (("1.001", "1"), "2 decimal places"),
    ):
        answer = staff.post(at(submission), sent(rubric, *points, remark="typed remark"))
        assert answer.status_code == 409
        assert words in answer.content.decode()
        assert "typed remark" in answer.content.decode()
    assert not Marking.objects.exists()


def test_two_markers_notice_each_other(cast: Cast, signed: Signed, rubric: list[Criterion]) -> None:
    """Both opened the page before any marks were given."""
    submission, ann = handed_in(cast), member(cast, "ann", Role.ASSISTANT)
    signed("ann").post(at(submission), sent(rubric, "1", "1"))
    staff = signed(cast.owner.username)
    answer = staff.post(at(submission), sent(rubric, "3", "0", remark="mine"))
    text, standing = answer.content.decode(), Marking.objects.get()
    assert (answer.status_code, standing.author) == (409, ann.user)
    assert "ann marked this submission in the meantime: Style 1.00, Tests 1.00." in text
    assert 'value="3"' in text and "mine" in text
    assert f'name="seen" value="{standing.pk}"' in text
    staff.post(at(submission), sent(rubric, "3", "0", seen=str(standing.pk)))
    assert score_of(cast.assignment, submission.membership).points == 6


@pytest.mark.parametrize(
    ("role", "section", "status"),
    [
        (Role.STUDENT, None, 404),
        (Role.ASSISTANT, "Tue", 404),
        (Role.ASSISTANT, "Mon", 302),
        (Role.ASSISTANT, None, 302),
        (Role.INSTRUCTOR, None, 302),
        (Role.OWNER, None, 302),
    ],
)
def test_who_may(cast: Cast, signed: Signed, rubric: list[Criterion], role: Role, section: str | None, status: int) -> None:
    sections = {name: Section.objects.create(course=cast.course, name=name) for name in ("Mon", "Tue")}
    submission = handed_in(cast)
    Membership.objects.filter(pk=submission.membership_id).update(section=sections["Mon"])
    member(cast, "somebody", role, sections[section] if section else None)
    browser = signed("somebody")
    assert browser.post(at(submission), sent(rubric, "1", "1")).status_code == status
    assert Marking.objects.exists() == (status == 302)
    for act in ({"act": "take-over", "from": str(submission.pk)},):
        assert browser.post(at(submission), act).status_code == status


def test_a_frozen_gradebook_takes_no_points(cast: Cast, signed: Signed, rubric: list[Criterion]) -> None:
    submission = handed_in(cast)
    freezing.freeze(course=cast.course, by=cast.staff)
    staff = signed(cast.owner.username)
    shown = page(staff, at(submission))
    assert "No points can be given until it is unfrozen." in shown
    assert 'value="mark"' not in shown, "no form that would be refused"
    answer = staff.post(at(submission), sent(rubric, "1", "1"))
    assert (answer.status_code, Marking.objects.exists()) == (409, False)
    assert "No points can be given now" in answer.content.decode()


def test_runs_and_exercises_without_criteria_have_no_form(
    cast: Cast, signed: Signed, owner: Membership, rubric: list[Criterion]
) -> None:
    run = cast.hands_in("ada", b"x = 1\n", Kind.RUN)
    grade(run, reported(checked("forward")))
    staff = signed(cast.owner.username)
    assert "Save points" not in page(staff, at(run))
    submission = handed_in(cast)
    assert "Save points" in page(staff, at(submission))
    assert "Save points" not in page(staff, f"{at(submission)}?as=student")
    criteria_set(assignment=cast.assignment, by=owner, criteria=())
    assert "Points given by hand" not in page(staff, at(submission))


def test_the_marks_of_an_earlier_submission_are_taken_over(
    cast: Cast, signed: Signed, owner: Membership, rubric: list[Criterion]
) -> None:
    change(cast, policy="last")
    first, staff = handed_in(cast), signed(cast.owner.username)
    give(first, owner, "2", "1", remark="Fine.")
    second = handed_in(cast, source=b"x = 2\n")
    assert "Copy from submission 1" in page(staff, at(second))
    assert "Copy from submission" not in page(staff, at(first))
    act = {"act": "take-over", "from": str(first.pk), "seen": "0"}
    answer = staff.post(at(second), act, follow=True).content.decode()
    assert "The points of submission 1 were copied." in answer
    assert score_of(cast.assignment, second.membership).points == 6
    give(second, owner, "0", "0")
    conflict = staff.post(at(second), act)
    assert (conflict.status_code, "in the meantime" in conflict.content.decode()) == (409, True)
    assert staff.post(at(second), act | {"from": "999999"}).status_code == 404


# -- the queue


def test_the_list_and_the_way_through_it(cast: Cast, signed: Signed, owner: Membership, rubric: list[Criterion]) -> None:
    ada, ben = handed_in(cast, "ada"), handed_in(cast, "ben")
    staff, slug = signed(cast.owner.username), cast.course.slug
    listed = page(staff, reverse("marking", args=(slug,)))
    assert "2 to mark, 4 of 10 points given by hand" in listed
    assert "2 submissions to mark" in page(staff, reverse("overview", args=(slug,)))
    assert "not marked" in page(staff, reverse("gradebook", args=(slug,)))
    assert "2 submissions</a> still have to be marked." in page(staff, reverse("freeze", args=(slug,)))
    following = reverse("mark-next", args=(slug,))
    assert staff.get(following)["Location"] == f"{at(ada)}#marks"
    assert staff.get(following, {"after": ada.pk})["Location"] == f"{at(ben)}#marks"
    answer = staff.post(at(ada), sent(rubric, "1", "1", then="next"), follow=True)
    assert answer.redirect_chain[-1][0] == f"{at(ben)}#marks"
    answer = staff.post(at(ben), sent(rubric, "1", "1", then="next"), follow=True)
    assert answer.redirect_chain[-1][0] == reverse("marking", args=(slug,))
    assert "No other submissions are waiting to be marked." in answer.content.decode()
    assert "All submissions that count have been marked." in page(staff, reverse("marking", args=(slug,)))
    assert "to mark" not in page(staff, reverse("overview", args=(slug,)))


def test_an_assistant_sees_and_marks_their_section_alone(cast: Cast, signed: Signed, rubric: list[Criterion]) -> None:
    section = Section.objects.create(course=cast.course, name="Mon")
    ada, ben = handed_in(cast, "ada"), handed_in(cast, "ben")
    member(cast, "ben", Role.STUDENT, section)
    member(cast, "ann", Role.ASSISTANT, section)
    for submission, name in ((ada, "_getframe"), (ben, "f_locals")):
        submission.gradings.update(introspection=[{"line": 1, "name": name}])
    listed = page(signed("ann"), reverse("marking", args=(cast.course.slug,)))
    assert at(ben) in listed and at(ada) not in listed
    assert "uses <code>f_locals</code>" in listed and "_getframe" not in listed
    following = reverse("mark-next", args=(cast.course.slug,))
    assert signed("ann").get(following)["Location"] == f"{at(ben)}#marks"
    assert signed("ann").get(following, {"after": ada.pk}).status_code == 404


def test_without_criteria_there_is_nothing_to_mark(cast: Cast, signed: Signed) -> None:
    handed_in(cast)
    staff = signed(cast.owner.username)
    assert "No exercise has points that are given by hand." in page(staff, reverse("marking", args=(cast.course.slug,)))
    assert "submissions to mark" not in page(staff, reverse("gradebook", args=(cast.course.slug,)))


# -- the student's view


def test_students_are_told_what_is_not_marked_and_how_points_come_about(
    cast: Cast, signed: Signed, owner: Membership, rubric: list[Criterion]
) -> None:
    submission, ada = handed_in(cast), signed("ada")
    home, grades = (reverse(name, args=(cast.course.slug,)) for name in ("home", "grades"))
    history = reverse("history", args=(cast.course.slug, cast.assignment.slug))
    assert "1 submission, not marked yet" in page(ada, home)
    assert "50% of 6 points for the checks, 4 by hand not marked yet" in page(ada, grades)
    assert "3 of 10 points; not marked yet" in page(ada, history)
    give(submission, owner, "3", "0.5")
    assert "not marked yet" not in page(ada, home)
    assert f"?s={submission.pk}#marks" in page(ada, home), "it is news"
    assert "50% of 6 points for the checks, 3.5 of 4 by hand" in page(ada, grades)
    assert "if you submit again, the new submission has to be marked too" in page(ada, grades)
    assert "6.5 of 10 points" in page(ada, history)
    of_staff = page(
        signed(cast.owner.username), reverse("student-grades", args=(cast.course.slug, submission.membership_id))
    )
    assert "50% of 6 points for the checks, 3.5 of 4 by hand" in of_staff
    assert "none → 3.5 points" in of_staff


def test_marks_are_seen_also_where_points_are_not_shown_yet(
    cast: Cast, signed: Signed, owner: Membership, rubric: list[Criterion]
) -> None:
    change(cast, show_hidden=ShowHidden.NEVER, hidden_meanwhile=HiddenMeanwhile.NOTHING)
    submission = cast.hands_in("ada", b"x = 1\n")
    grade(submission, reported(checked("forward"), checked("secret", hidden=True, passed=False)))
    give(Submission.objects.get(pk=submission.pk), owner, "2", "1")
    text = page(signed("ada"), reverse("exercise", args=(cast.course.slug, cast.assignment.slug)))
    assert "3 of 4 points by hand." in text
    assert "6 of 10" not in text, "it would tell that the hidden check fails"


def test_a_submission_after_a_marked_one_is_asked_about(
    cast: Cast, signed: Signed, owner: Membership, rubric: list[Criterion]
) -> None:
    give(handed_in(cast), owner, "2", "1")
    where = reverse("submit", args=(cast.course.slug, cast.assignment.slug))
    form = {"kind": "submit", "source": "x = 2\n", "once": "a" * 32}
    ada = signed("ada")
    asked = ada.post(where, form, headers={"HX-Request": "true"})
    assert asked.content.decode() == (
        "Submission 1 has 3 of 4 points given by hand. If you submit again, the new submission has to be marked too. Submit anyway?"
    )
    assert Submission.objects.count() == 1
    ada.post(where, form | {"confirmed": asked["Gradus-Confirm"]}, headers={"HX-Request": "true"})
    assert Submission.objects.count() == 2
    ada.post(where, form | {"source": "x = 3\n", "once": "b" * 32}, headers={"HX-Request": "true"})
    assert Submission.objects.count() == 3, "the newest is not marked: there is nothing to ask"


# -- criteria -------------------------------------------------------------------------------------------------------------


def criteria_form(cast: Cast, *rows: tuple[object, ...], **more: Any) -> dict[str, Any]:
    """Rows of number, title, points, order."""
    form: dict[str, Any] = {"edition": str(cast.assignment.edition)}
    for n, (number, title, points, place) in enumerate(rows):
        given = {"number": number, "title": title, "points": points, "place": place, "description": ""}
        form |= {f"{name}_{n}": str(value) for name, value in given.items()}
    return form | more


def post_criteria(cast: Cast, signed: Signed, form: dict[str, Any]) -> Any:
    where = reverse("criteria", args=(cast.course.slug, cast.assignment.slug))
    return signed(cast.owner.username).post(where, form, follow=True)


def standing(cast: Cast) -> list[tuple[str, Decimal]]:
    cast.assignment.refresh_from_db()
    return [(one.title, one.points) for one in cast.assignment.criteria.filter(removed_at=None)]


def test_criteria_are_added_ordered_and_removed(cast: Cast, signed: Signed) -> None:
    answer = post_criteria(
        cast, signed, criteria_form(cast, ("", "Style", "3", 2), ("", "Tests", "1.5", 1), ("", "", "", ""))
    )
    assert "The criteria of value-engine were saved." in answer.content.decode()
    assert standing(cast) == [("Tests", Decimal("1.5")), ("Style", Decimal(3))]
    tests, style = cast.assignment.criteria.all()
    rows = (tests.pk, "Tests", "1.5", 1), (style.pk, "Style", "2", 2)
    shown = post_criteria(cast, signed, criteria_form(cast, *rows, remove_0="on")).content.decode()
    assert standing(cast) == [("Style", Decimal(2))]
    assert "2 of 10 points are given by hand" in " ".join(shown.split())
    history = page(signed(cast.owner.username), reverse("course-history", args=(cast.course.slug,)) + "?kind=exercises")
    assert "changed the criteria of" in history
    assert "Style (2.00)" in history


def test_what_is_refused_is_said_at_its_field_with_what_was_typed(cast: Cast, signed: Signed) -> None:
    for rows, words in (
        ([("", "Style", "11", "")], "The criteria add up to 11.00 points"),
        ([("", "", "2", "")], "A criterion needs a title."),
        ([("", "Style", "", "")], "A criterion needs points."),
        ([("", "Style", "1", 2), ("", "style", "1", 1)], "Two criteria have the title"),
        ([("", "Style", "0", "")], "greater than or equal to 0.01"),
    ):
        answer = post_criteria(cast, signed, criteria_form(cast, *rows))
        assert answer.status_code == 409
        assert words in answer.content.decode()
        assert 'id="criteria_points_0"' in answer.content.decode()
    assert standing(cast) == []


def test_removing_a_criterion_with_marks_asks_first(
    cast: Cast, signed: Signed, owner: Membership, rubric: list[Criterion]
) -> None:
    give(handed_in(cast), owner, "3", "1")
    form = criteria_form(cast, *((one.pk, one.title, one.points, n) for n, one in enumerate(rubric, 1)), remove_0="on")
    asked = post_criteria(cast, signed, form)
    assert asked.status_code == 409
    assert "Points have already been given for Style (1 submission)." in asked.content.decode()
    assert "Remove anyway" in asked.content.decode()
    assert len(standing(cast)) == 2
    post_criteria(cast, signed, form | {"withdraw": "yes"})
    assert standing(cast) == [("Tests", Decimal(1))]
    assert AuditEntry.objects.filter(action="criteria-changed")[0].details["marks_withdrawn"] == 1


def test_two_who_change_criteria_notice_each_other(cast: Cast, signed: Signed, rubric: list[Criterion]) -> None:
    rows = [(one.pk, one.title, one.points, n) for n, one in enumerate(rubric, 1)]
    form = criteria_form(cast, *rows, ("", "Docs", "1", ""), edition=str(cast.assignment.edition - 1))
    answer = post_criteria(cast, signed, form)
    text = answer.content.decode()
    assert answer.status_code == 409
    assert "The current criteria are: Style (3), Tests (1)." in text
    assert 'value="Docs"' in text, "what was typed is there"
    assert len(standing(cast)) == 2
    post_criteria(cast, signed, form | {"edition": str(cast.assignment.edition)})
    assert len(standing(cast)) == 3


def test_the_points_of_an_exercise_cannot_fall_below_its_criteria(
    cast: Cast, signed: Signed, rubric: list[Criterion]
) -> None:
    where = reverse("assignment-settings", args=(cast.course.slug, cast.assignment.slug))
    answer = signed(cast.owner.username).post(where, settings_sent(cast, points="3"))
    assert "4.00 points are given by hand" in answer.content.decode()
    cast.assignment.refresh_from_db()
    assert cast.assignment.points == 10


def asked(browser: Client, url: str) -> int:
    page(browser, url)  # fills the caches that outlive a request
    with CaptureQueriesContext(connection) as queries:
        page(browser, url)
    return len(queries)


@pytest.mark.parametrize(
    ("who", "name", "more"),
    [
        ("ada", "home", 3),  # once for the points, once for the total, once for the news
        ("ada", "grades", 2),
        ("owner", "gradebook", 1),
        ("owner", "student-grades", 2),
        ("owner", "overview", 8),  # which needs no points otherwise
    ],
)
def test_pages_ask_more_only_where_there_are_criteria(
    cast: Cast, signed: Signed, owner: Membership, who: str, name: str, more: int
) -> None:
    """One query each time that a page computes points, independent of the number of students and submissions."""
    for n in range(3):
        handed_in(cast, f"student-{n}")
    ada = handed_in(cast, "ada")
    given = [ada.membership_id] if name == "student-grades" else []
    url, browser = reverse(name, args=(cast.course.slug, *given)), signed(cast.owner.username if who == "owner" else who)
    without = asked(browser, url)
    criteria_set(assignment=cast.assignment, by=owner, criteria=[NewCriterion("Style", Decimal(3))])
    for submission in Submission.objects.all():
        give(submission, owner, "1")
    assert asked(browser, url) - without <= more
