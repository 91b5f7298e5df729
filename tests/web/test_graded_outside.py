"""Work graded outside Gradus: in the gradebook like any other, and on no page that needs an exercise."""

import re
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from django.test import Client
from django.urls import reverse

from autograder.courses.errors import Refused
from autograder.courses.models import Assignment
from autograder.courses.people.extensions import extension_grant
from autograder.courses.setup.assignments import assignment_update, outside_assignment_create
from autograder.courses.setup.course_copies import course_copy
from autograder.gradebook.decisions import excuses, overrides
from autograder.gradebook.exports import EXPORTS, Options
from autograder.gradebook.exports.export_service import export
from autograder.gradebook.grades import scores
from autograder.gradebook.grades.matrix import matrix_of
from autograder.gradebook.grades.sheet import sheet_of
from autograder.submissions.handing_in.intake import submit
from autograder.submissions.models import Submission
from autograder.submissions.scratch.intake import scratch_ask
from tests.cast import Cast, ago, ahead
from tests.web.addresses import address
from tests.web.conftest import Signed, browser_of, page

pytestmark = pytest.mark.django_db
OF_EXERCISES = (  # pages of students and staff about one assignment
    *(
        "exercise",
        "submit",
        "scratch",
        "draft",
        "download",
        "starter",
        "restore",
        "history",
        "compare",
        "solutions",
        "insight",
        "download-submissions",
    ),
)


@pytest.fixture
def exam(cast: Cast) -> Assignment:
    cast.student("ada")
    return outside_assignment_create(
        course=cast.course, by=cast.staff, title="Midterm exam", points=Decimal(20), unit="Exams"
    )


@pytest.fixture
def owner(cast: Cast) -> Client:
    return browser_of(cast.owner)


def at(name: str, cast: Cast, exam: Assignment) -> str:
    return address(name, course=cast.course.slug, assignment=exam.slug, member=cast.membership("ada").pk)


def scored(cast: Cast, exam: Assignment, points: int) -> None:
    given = {"assignment": exam, "membership": cast.membership("ada"), "by": cast.staff}
    overrides.override(points=Decimal(points), reason="Read twice.", **given)  # type: ignore[arg-type]


# -- creating and changing it


def test_it_is_added_beside_the_exercises(cast: Cast, owner: Client) -> None:
    sent = {"do": "outside", "title": "Midterm exam", "unit": "Exams", "points": "20", "due_at": "2031-01-15T10:00"}
    response = owner.post(reverse("assign", args=(cast.course.slug,)), sent)
    assert response["Location"] == reverse("exercises", args=(cast.course.slug,))
    made = Assignment.objects.get(slug="midterm-exam")
    assert (made.graded_outside, made.unit, made.points, made.position) == (True, "Exams", Decimal(20), 2)
    assert made.due_at == datetime(2031, 1, 15, 10, tzinfo=UTC)
    shown = page(owner, response["Location"])
    row = shown[shown.index(' value="midterm-exam"') :].partition("</tr>")[0]
    assert "graded outside" in row
    assert f'"{reverse("insight", args=(cast.course.slug, made.slug))}"' not in shown
    assert "added work graded outside:" in page(owner, reverse("course-history", args=(cast.course.slug,)))


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"title": ""}, "This field is required."),
        ({"points": "0"}, "Ensure this value is greater than or equal to 0.01."),
        ({"title": "=SUM(A1)"}, "A title cannot start with =, because spreadsheets would treat it as a formula."),
    ],
)
def test_what_is_wrong_with_it_is_said_at_the_field(cast: Cast, owner: Client, wrong: dict[str, str], words: str) -> None:
    sent = {"do": "outside", "title": "Exam", "points": "20", **wrong}
    shown = owner.post(reverse("assign", args=(cast.course.slug,)), sent).content.decode()
    assert words in shown
    assert Assignment.objects.count() == 1


def test_its_slug_comes_from_its_title_and_is_free(cast: Cast) -> None:
    given = {"course": cast.course, "by": cast.staff, "points": Decimal(5)}
    titles = ("Talk", "Talk", "Доклад", "x" * 200)
    made = [outside_assignment_create(title=title, **given).slug for title in titles]  # type: ignore[arg-type]
    assert made == ["talk", "talk-2", "work", "x" * 46]
    with pytest.raises(Refused, match="An assignment 'talk' already exists in Autodiff"):
        outside_assignment_create(title="Another", slug="talk", **given)  # type: ignore[arg-type]


def test_exercises_can_still_be_assigned_beside_it(cast: Cast, owner: Client, exam: Assignment) -> None:
    other = Cast(slug="elsewhere", exercise="value-unary")
    assert f'value="{other.exercise}"' in page(owner, reverse("assign", args=(cast.course.slug,)))


def test_its_settings_are_few(cast: Cast, owner: Client, exam: Assignment) -> None:
    where = reverse("assignment-settings", args=(cast.course.slug, exam.slug))
    shown = page(owner, where)
    asked = re.findall(r'<(?:input|select)[^>]* name="(?!initial-|csrf)([a-z_]+)"', shown[shown.index("<h1>") :])
    assert sorted(asked) == ["due_at", "edition", "points", "position", "title", "unit"]
    began = {"title": "Midterm exam", "unit": "Exams", "points": "20.00", "position": "2", "due_at": ""}
    sent = {f"initial-{name}": value for name, value in began.items()} | began | {"edition": "1", "points": "25"}
    assert owner.post(where, sent).status_code == 302
    exam.refresh_from_db()
    assert (exam.points, exam.edition) == (Decimal(25), 2)


def test_it_never_becomes_an_exercise_and_has_no_terms_of_one(cast: Cast, exam: Assignment) -> None:
    for wanted in ({"version": cast.assignment.version}, {"attempt_limit": 3}, {"opens_at": ahead(days=1)}):
        with pytest.raises(Refused, match="Midterm exam is graded outside Gradus, so it has no"):
            assignment_update(assignment=exam, by=cast.staff, **wanted)
    with pytest.raises(Refused, match="takes no submissions"):
        given = {"assignment": exam, "membership": cast.membership("ada"), "by": cast.staff, "reason": "Ill."}
        extension_grant(extra_attempts=1, **given)  # type: ignore[arg-type]


def test_a_copy_of_the_course_has_it_too(cast: Cast, exam: Assignment) -> None:
    copied = course_copy(course=cast.course, slug="next", title="Next", term="", days=364, by=cast.staff)
    assert list(copied.assignments.values_list("slug", "version")) == [
        ("value-engine", cast.assignment.exercise_version.pk),
        ("midterm-exam", None),
    ]


# -- no submissions


@pytest.mark.parametrize("name", OF_EXERCISES)
def test_pages_of_exercises_do_not_have_it(cast: Cast, owner: Client, exam: Assignment, signed: Signed, name: str) -> None:
    for browser in (signed("ada"), owner):
        assert browser.get(at(name, cast, exam)).status_code in (404, 302)
        response = browser.post(at(name, cast, exam), {"source": "x = 1\n", "kind": "submit", "seen": "0", "calls": "x"})
        assert response.status_code in (404, 405)
    assert not Submission.objects.filter(assignment=exam).exists()


def test_services_take_nothing_in_for_it(cast: Cast, exam: Assignment) -> None:
    refused = "Midterm exam is graded outside Gradus: it has no exercise"
    with pytest.raises(Refused, match=refused):
        submit(user=cast.student("ada"), course=cast.course, assignment=exam.slug, source=b"x = 1\n")
    with pytest.raises(Refused, match=refused):
        scratch_ask(assignment=exam, membership=cast.membership("ada"), source=b"x = 1\n", calls=b"x\n")
    assert not Submission.objects.filter(assignment=exam).exists()


def test_what_is_about_work_leaves_it_out(cast: Cast, owner: Client, exam: Assignment) -> None:
    assert exam not in matrix_of(cast.staff).assignments
    assert "midterm-exam" not in page(owner, reverse("overview", args=(cast.course.slug,)))
    assert "Midterm exam" not in page(owner, reverse("new-regrade", args=(cast.course.slug,)))


# -- grading


def test_a_student_sees_it_without_a_link(cast: Cast, exam: Assignment, signed: Signed) -> None:
    Assignment.objects.filter(pk=exam.pk).update(due_at=ahead(days=3))
    home = page(signed("ada"), reverse("home", args=(cast.course.slug,)))
    row = home[home.index("Midterm exam") :].partition("</li>")[0]
    assert "Graded outside" in row
    assert "0 of 1</b>steps passed" in home
    scored(cast, exam, 18)
    home = page(signed("ada"), reverse("home", args=(cast.course.slug,)))
    assert "18 of 20" in home
    assert "0 of 1</b>steps passed" in home
    grades = page(signed("ada"), reverse("grades", args=(cast.course.slug,)))
    assert "Set by autodiff-grace: Read twice." in grades
    for shown in (home, grades):
        assert f"/{exam.slug}/" not in shown


def test_to_go_on_leads_to_an_exercise(cast: Cast, exam: Assignment, signed: Signed) -> None:
    Assignment.objects.filter(pk=exam.pk).update(position=0)
    Assignment.objects.filter(pk=cast.assignment.pk).update(position=1)
    response = signed("ada").get(reverse("next-exercise", args=(cast.course.slug,)))
    assert response["Location"] == reverse("exercise", args=(cast.course.slug, cast.assignment.slug))
    desk = page(signed("ada"), response["Location"])
    assert "Previous" not in desk
    Assignment.objects.filter(pk=cast.assignment.pk).update(removed_at=ago(days=1))
    assert signed("ada").get(reverse("next-exercise", args=(cast.course.slug,)))["Location"] == reverse(
        "home", args=(cast.course.slug,)
    )


def test_a_unit_of_exams_alone_counts_no_steps(cast: Cast, exam: Assignment, signed: Signed) -> None:
    Assignment.objects.filter(pk=cast.assignment.pk).update(removed_at=ago(days=1))
    home = page(signed("ada"), reverse("home", args=(cast.course.slug,)))
    assert "0 of 0 steps" not in home
    assert "All steps passed" not in home


def test_staff_see_and_decide_it_as_any_other(cast: Cast, owner: Client, exam: Assignment) -> None:
    where = reverse("student-grades", args=(cast.course.slug, cast.membership("ada").pk))
    shown = page(owner, f"{where}?a={exam.slug}")
    assert "No points yet: graded outside Gradus." in shown
    assert "Extend the due date" in shown
    assert 'name="extra_attempts"' not in shown
    sent = {"assignment": exam.slug, "do": "override", "points": "17", "reason": "On paper.", "seen": "0"}
    owner.post(where, sent)
    assert scores.score_of(exam, cast.membership("ada")).points == 17
    sent = {"assignment": exam.slug, "do": "extend", "due_at": "2031-01-15T10:00", "reason": "Resit."}
    assert owner.post(where, sent).status_code == 302
    assert exam.extensions.get().due_at == datetime(2031, 1, 15, 10, tzinfo=UTC)
    page(owner, reverse("student", args=(cast.course.slug, cast.membership("ada").pk)))


def test_an_imported_score_is_not_marked_as_set_by_hand_in_the_gradebook(
    cast: Cast, owner: Client, exam: Assignment
) -> None:
    scored(cast, exam, 17)
    shown = page(owner, reverse("gradebook", args=(cast.course.slug,)))
    assert shown.count("◆ set") == 1  # in the legend


def test_files_and_totals_have_it_and_an_excuse_leaves_it_out(cast: Cast, exam: Assignment) -> None:
    scored(cast, exam, 18)
    data = export(EXPORTS["csv"], sheet_of(cast.course), Options(), course=cast.course, by=cast.staff).decode("utf-8-sig")
    assert data.splitlines()[0].endswith(",value-engine,midterm-exam")
    assert data.splitlines()[1].endswith(",,18.00")
    overrides.undo_override(assignment=exam, membership=cast.membership("ada"), by=cast.staff)
    excuses.excuse(assignment=exam, membership=cast.membership("ada"), reason="Ill.", by=cast.staff)
    assert sheet_of(cast.course).cells[cast.membership("ada").pk, exam.pk].excused
