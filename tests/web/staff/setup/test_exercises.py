"""The exercises of a course and all settings of an assignment; concurrent changes are detected."""

import html
import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from autograder.courses.models import Assignment, AuditEntry, Role, ShowHidden
from autograder.courses.setup.assignments import outside_assignment_create
from autograder.gradebook.decisions.overrides import override, undo_override
from autograder.gradebook.grades.freezing import freeze
from autograder.library.catalogue import UNITS
from autograder.library.models import ExerciseVersion
from autograder.library.pages import page_of
from autograder.submissions.models import Kind, Submission
from tests.cast import Cast, ahead, columns, source_of, version_of
from tests.gradebook.conftest import graded
from tests.web.conftest import Signed, change, member, page, words


def exercises(cast: Cast) -> str:
    return reverse("exercises", args=(cast.course.slug,))


def where(cast: Cast) -> str:
    return reverse("assignment-settings", args=(cast.course.slug, cast.assignment.slug))


def sent(cast: Cast, was: dict[str, str] | None = None, /, **changed: Any) -> dict[str, Any]:
    """The form data with some fields changed. `was` overrides the initial values that the page was rendered with."""
    began = {
        "title": "value-engine", "unit": "", "position": "0", "points": "10", "policy": "best", "late_share": "100.0",
        "attempt_limit": "", "cool_down": "0", "show_hidden": "after-due", "hidden_meanwhile": "titles",
        "show_solutions": "never", "opens_at": "", "due_at": "", "closes_at": "",
        "late_per_day": "0", "late_floor": "0", "late_grace": "0", "no_credit_after": "", "late_days_limit": "",
    } | (was or {})  # fmt: skip
    hidden = {f"initial-{name}": value for name, value in began.items()} | {"edition": str(cast.assignment.edition)}
    return began | hidden | changed


def now(cast: Cast) -> Assignment:
    return Assignment.objects.get(pk=cast.assignment.pk)


@pytest.fixture
def owner(cast: Cast, signed: Signed) -> Client:
    cast.course.time_zone = "Europe/Berlin"
    cast.course.save()
    return signed(cast.owner.username)


# -- the list


def test_the_list_says_dates_in_the_courses_zone_and_who_handed_in(cast: Cast, owner: Client) -> None:
    cast.assignment.due_at = datetime(2031, 1, 15, 22, 59, tzinfo=UTC)
    cast.assignment.save()
    for _ in range(2):
        cast.hands_in("ada")
    cast.student("ben")
    shown = page(owner, exercises(cast))
    assert "Wed 15 Jan 2031, 23:59" in shown
    assert "All times are Berlin time, the time zone of the course." in shown
    assert '1 <span class="dim">/ 2</span>' in shown


def test_a_newer_version_is_marked_and_taken_on_request(cast: Cast, owner: Client) -> None:
    assert "newer version available" not in page(owner, exercises(cast))
    old = cast.assignment.version
    given = {field: getattr(old, field) for field in ("exercise", "title", "unit", "kind", "profile", "points", "archive")}
    newer = ExerciseVersion.objects.create(hash="f" * 16, **given)
    assert "newer version available" in page(owner, exercises(cast))
    owner.post(where(cast), sent(cast, newest="on"))
    assert now(cast).version == newer


def test_several_exercises_are_assigned_at_once_with_their_dates(cast: Cast, owner: Client) -> None:
    for slug in ("value-unary", "value-tanh-relu"):
        cast.assign(slug).delete()
    url = reverse("assign", args=(cast.course.slug,))
    assert 'value="value-engine"' not in page(owner, url)
    owner.post(url, {"exercises": ["value-unary", "value-tanh-relu"], "due_at": "2031-01-15T23:59"})
    made = Assignment.objects.filter(slug__in=("value-unary", "value-tanh-relu"))
    assert [one.due_at for one in made] == [datetime(2031, 1, 15, 22, 59, tzinfo=UTC)] * 2


def test_before_an_exercise_is_assigned_the_page_shows_what_it_is(cast: Cast, owner: Client) -> None:
    version = version_of("value-unary")
    shown = page(owner, reverse("assign", args=(cast.course.slug,)))
    said = words(shown)
    about = f"{version.page.difficulty} of 5 · {version.page.minutes} min · {version.points:g} points"
    assert f"{version.title} {about} Preview" in said
    assert reverse("exercise-preview", args=(cast.course.slug, "value-unary")) in shown
    for concept in version.page.concepts:
        assert re.search(rf'data-words="[^"]*{re.escape(html.escape(concept.lower()))}', shown)
    ids = re.findall(r' id="([^"]+)"', shown)
    assert len(ids) == len(set(ids))


def test_what_the_course_has_already_is_shown_and_cannot_be_chosen(cast: Cast, owner: Client) -> None:
    url = reverse("assign", args=(cast.course.slug,))
    assert f"{cast.assignment.exercise_version.title} assigned" in words(page(owner, url))
    Assignment.objects.update(removed_at=ahead())
    assert f"{cast.assignment.exercise_version.title} removed" in words(page(owner, url))
    answer = owner.post(url, {"exercises": [cast.exercise]}).content.decode()
    assert "“value-engine” has been assigned in the meantime, or is not on this site." in answer
    assert Assignment.objects.count() == 1


def test_exercises_are_offered_in_the_order_of_the_curriculum(cast: Cast, owner: Client) -> None:
    slugs = ("hvp", "fn-cubic", "vjp-elementwise", "accumulate-bug", "graph-walk", "value-unary", "value-tanh-relu")
    for slug in slugs:
        version_of(slug)
    ExerciseVersion.objects.bulk_create([_again(version_of("fn-ste"), unit="A unit of one's own")])
    shown = page(owner, reverse("assign", args=(cast.course.slug,)))
    offered = re.findall(r'name="exercises"\s+value="([^"]+)"', shown)
    assert offered == [*reversed(slugs), "fn-ste"]
    units = re.findall(r'name="unit"\s+value="([^"]*)"', shown)
    used = {version_of(slug).unit for slug in slugs}
    assert units == [*(unit for unit in UNITS if unit in used), "A unit of one&#x27;s own"]


def _again(version: ExerciseVersion, **changed: str) -> ExerciseVersion:
    """A later version, whose page has not been prepared yet."""
    given = columns(version, "exercise", "loaded_at") | {"hash": "0" * 16} | changed
    return ExerciseVersion(exercise=version.exercise, **given)


def test_the_preview_is_the_page_of_a_student_and_counts_nothing(cast: Cast, owner: Client) -> None:
    version = version_of("value-unary")
    url = reverse("exercise-preview", args=(cast.course.slug, "value-unary"))
    shown = page(owner, url)
    page_ = page_of(version)
    assert page_.statement in shown
    said = words(shown)
    for check in page_.public:
        assert check.title in said
    as_student, for_staff = said.split("Hidden checks", 1)
    for check in page_.hidden:
        assert check.title not in as_student
        assert f"{check.title} {check.points:g}" in for_staff
    assert f"{len(page_.hidden)} hidden checks run when you submit." in as_student
    assert "def " in said, "the starter"
    assert source_of("value-unary").decode() not in html.unescape(shown)
    assert "<form" not in shown.partition("<main")[2]
    assert not Submission.objects.exists()
    assert not Assignment.objects.filter(version=version).exists()


def test_what_was_not_loaded_or_has_no_page_has_no_preview(cast: Cast, owner: Client) -> None:
    page(owner, reverse("exercise-preview", args=(cast.course.slug, "nothing-like-it")), 404)
    version = version_of("fn-ste")
    ExerciseVersion.objects.bulk_create([_again(version)])
    page(owner, reverse("exercise-preview", args=(cast.course.slug, "fn-ste")), 404)
    assert "no preview yet" in page(owner, reverse("assign", args=(cast.course.slug,)))


def test_dates_that_contradict_assign_nothing(cast: Cast, owner: Client) -> None:
    cast.assign("value-unary").delete()
    dates = {"opens_at": "2031-01-16T08:00", "due_at": "2031-01-15T08:00"}
    url = reverse("assign", args=(cast.course.slug,))
    answer = owner.post(url, {"exercises": ["value-unary"], **dates}).content.decode()
    assert 'id="id_due_at_error" role="alert">The due date is before the opening date.' in answer
    assert Assignment.objects.count() == 1


def test_a_removed_exercise_comes_back_with_its_work(cast: Cast, owner: Client) -> None:
    cast.hands_in("ada")
    owner.post(exercises(cast), {"act": "remove", "assignment": cast.assignment.slug, "sure": "yes"})
    assert now(cast).removed_at is not None
    assert "Restore" in page(owner, exercises(cast))
    owner.post(exercises(cast), {"act": "back", "assignment": cast.assignment.slug})
    assert now(cast).removed_at is None
    assert Submission.objects.count() == 1
    assert list(AuditEntry.objects.values_list("action", flat=True)[:2]) == ["assignment-back", "assignment-removed"]


def asks(cast: Cast, owner: Client) -> str:
    """Return the confirmation question before the removal of the exercise; empty if it is removed immediately."""
    response = owner.post(exercises(cast), {"act": "remove", "assignment": cast.assignment.slug})
    assert (now(cast).removed_at is None) == (response.status_code == 200)
    return words(response.content.decode()) if response.status_code == 200 else ""


def test_before_an_exercise_that_students_see_is_removed_the_page_asks(cast: Cast, owner: Client) -> None:
    assert "Nothing has been submitted." in asks(cast, owner)
    graded(cast, "ada", 5)
    said = asks(cast, owner)
    assert "Remove value-engine?" in said
    assert "1 submission by 1 student and 1 grade disappear from view." in said
    assert "Nothing is deleted. You can restore the exercise under Removed on the exercises page." in said
    graded(cast, "ada", 6)
    cast.hands_in("ben")
    cast.hands_in("ben", kind=Kind.RUN)
    assert "3 submissions by 2 students and 1 grade disappear from view." in asks(cast, owner)
    freeze(course=cast.course, by=cast.staff)
    assert "3 submissions by 2 students disappear from view. The frozen gradebook keeps its points." in asks(cast, owner)
    owner.post(exercises(cast), {"act": "remove", "assignment": cast.assignment.slug, "sure": "yes"})
    assert now(cast).removed_at is not None


def test_an_exercise_that_nobody_has_seen_is_removed_at_once(cast: Cast, owner: Client) -> None:
    cast.assignment.opens_at = ahead(days=1)
    cast.assignment.save()
    assert asks(cast, owner) == ""


def test_work_graded_outside_is_asked_about_as_soon_as_it_has_scores(cast: Cast, owner: Client) -> None:
    cast.assignment = outside_assignment_create(course=cast.course, by=cast.staff, title="Midterm", points=Decimal(20))
    override(assignment=cast.assignment, membership=cast.membership("ada"), points=Decimal(9), reason="r", by=cast.staff)
    assert "1 grade disappears from view." in asks(cast, owner)
    undo_override(assignment=cast.assignment, membership=cast.membership("ada"), by=cast.staff)
    assert asks(cast, owner) == ""


def test_one_that_opens_later_and_has_work_is_asked_about(cast: Cast, owner: Client) -> None:
    cast.hands_in("ada")
    cast.assignment.opens_at = ahead(days=1)
    cast.assignment.save()
    assert "1 submission by 1 student disappears from view." in asks(cast, owner)


def test_what_is_removed_already_is_said_to_be(cast: Cast, owner: Client) -> None:
    for _ in range(2):
        answer = owner.post(
            exercises(cast), {"act": "remove", "assignment": cast.assignment.slug, "sure": "yes"}, follow=True
        )
    assert "has already been removed from the course" in answer.content.decode()


def test_a_unit_is_assigned_with_one_press(cast: Cast, owner: Client) -> None:
    first, second = version_of("value-topo"), version_of("value-unary")
    outside = version_of("vjp-matmul")
    assert first.unit == second.unit == "Scalar engine" != outside.unit
    address = reverse("assign", args=(cast.course.slug,))
    assert 'aria-label="All of Scalar engine"' in page(owner, address)
    reply = owner.post(address, {"unit": "Scalar engine", "due_at": "2037-03-06 23:59"}, follow=True)
    assert "exercises are assigned." in words(reply.content.decode())
    made = Assignment.objects.filter(course=cast.course).exclude(pk=cast.assignment.pk)
    assert {one.unit for one in made} == {"Scalar engine"}
    assert {first.exercise.slug, second.exercise.slug} <= {one.slug for one in made}
    assert all(one.due_at is not None and one.due_at.year == 2037 for one in made)


@pytest.mark.parametrize("unit", ["No such unit", "Scalar engine\0"])
def test_a_unit_that_does_not_exist_assigns_nothing(cast: Cast, owner: Client, unit: str) -> None:
    version_of("value-topo")
    reply = owner.post(reverse("assign", args=(cast.course.slug,)), {"unit": unit})
    assert "Select at least one exercise." in reply.content.decode()
    assert Assignment.objects.filter(course=cast.course).count() == 1


# -- the plan

BY_WEEK = {
    "dates": "pattern", "first": "2031-01-06", "every": "7", "weekday": "4", "due_time": "23:59", "work_days": "7",
    "late_days": "7", "free": "2031-01-24",
}  # fmt: skip
THREE_UNITS = ["value-unary", "graph-walk", "accumulate-bug"]


def test_a_unit_a_week_is_planned_and_assigned_as_planned(cast: Cast, owner: Client) -> None:
    for slug in THREE_UNITS:
        version_of(slug)
    sent = {**BY_WEEK, "exercises": THREE_UNITS, "late_share": "90", "late_per_day": "10", "late_floor": "50"}
    plan = owner.post(reverse("assign-plan", args=(cast.course.slug,)), sent).content.decode()
    said = words(plan)
    assert "Scalar engine 1 Mon 6 Jan 2031, 00:00 Fri 17 Jan 2031, 23:59 Fri 24 Jan 2031, 23:59" in said
    assert "nothing is due on Fri 24 Jan Mon 13 Jan 2031, 00:00 Fri 31 Jan 2031, 23:59 Fri 7 Feb 2031, 23:59" in said
    assert "Assign 3 exercises" in said
    assert "3 of 4 chosen" in said
    assert Assignment.objects.count() == 1

    owner.post(reverse("assign", args=(cast.course.slug,)), sent)
    made = Assignment.objects.exclude(pk=cast.assignment.pk).order_by("position")
    assert [one.slug for one in made] == ["value-unary", "graph-walk", "accumulate-bug"]
    assert [one.due_at for one in made] == [
        datetime(2031, 1, 17, 22, 59, tzinfo=UTC), datetime(2031, 1, 31, 22, 59, tzinfo=UTC),
        datetime(2031, 1, 31, 22, 59, tzinfo=UTC),
    ]  # fmt: skip
    assert {(one.late_share, one.late_per_day, one.late_floor) for one in made} == {
        (Decimal("0.9"), Decimal("0.1"), Decimal("0.5"))
    }
    shown = page(owner, reverse("assign", args=(cast.course.slug,)))
    assert re.search(r'name="late_share"\s+value="90"', shown), "the next exercises get the same credit for late work"


def test_a_plan_that_cannot_be_made_says_why_and_assigns_nothing(cast: Cast, owner: Client) -> None:
    version_of("value-unary")
    for wrong, said in (
        ({"first": ""}, "First unit opens: Enter a value."),
        ({"free": "soon"}, "Nothing due on: “soon” is not a day or a range of days."),
        ({"first": "2031-03-17", "weekday": "6", "due_time": "02:30"}, "Due at: 02:30 does not exist on 30 March 2031"),
        ({"first": "3000-01-01"}, "First unit opens: Enter a year between 1970 and 2999."),
    ):
        sent = {**BY_WEEK, "exercises": ["value-unary"], **wrong}
        plan = owner.post(reverse("assign-plan", args=(cast.course.slug,)), sent)
        assert plan.status_code == 200
        assert said in words(plan.content.decode()), wrong
        answer = owner.post(reverse("assign", args=(cast.course.slug,)), sent).content.decode()
        (name,) = [name for name in ("first", "free", "due_time") if f'id="id_{name}_error"' in answer]
        assert re.search(rf'name="{name}"[^>]* autofocus', answer), "the cursor is in the field"
        assert Assignment.objects.count() == 1


def test_without_scripts_a_button_shows_the_plan(cast: Cast, owner: Client) -> None:
    version_of("value-unary")
    answer = owner.post(reverse("assign", args=(cast.course.slug,)), {**BY_WEEK, "exercises": ["value-unary"], "do": "plan"})
    assert "Fri 17 Jan 2031, 23:59" in words(answer.content.decode())
    assert Assignment.objects.count() == 1


def test_fields_of_the_other_kind_of_dates_are_ignored(cast: Cast, owner: Client) -> None:
    version_of("value-unary")
    sent = {**BY_WEEK, "exercises": ["value-unary"], "opens_at": "2031-01-16T08:00", "due_at": "2031-01-15T08:00"}
    owner.post(reverse("assign", args=(cast.course.slug,)), sent)
    assert Assignment.objects.latest("pk").due_at == datetime(2031, 1, 17, 22, 59, tzinfo=UTC)


# -- all settings


def test_every_setting_is_set(cast: Cast, owner: Client) -> None:
    owner.post(
        where(cast),
        sent(
            cast, title="The engine", unit="Scalars", position="3", points="12.5", policy="last", late_share="50",
            attempt_limit="7", cool_down="2", show_hidden="never", hidden_meanwhile="count", show_solutions="after-due",
            opens_at="2031-01-01T08:00", due_at="2031-01-15T23:59", closes_at="2031-01-20T23:59",
        ),
    )  # fmt: skip
    found = now(cast)
    assert (found.title, found.unit, found.position, found.points) == ("The engine", "Scalars", 3, Decimal("12.5"))
    assert (found.policy, found.late_share, found.attempt_limit) == ("last", Decimal("0.5"), 7)
    assert (found.cool_down, found.show_hidden, found.hidden_meanwhile) == (timedelta(minutes=2), ShowHidden.NEVER, "count")
    assert found.show_solutions == "after-due"
    changes = AuditEntry.objects.get(action="assignment-changed").details["changes"]
    assert "show_solutions" in changes
    assert found.due_at == datetime(2031, 1, 15, 22, 59, tzinfo=UTC)
    assert "title: value-engine → The engine" in page(owner, reverse("settings", args=(cast.course.slug,)))


@pytest.mark.parametrize(
    ("changed", "field", "words"),
    [
        ({"points": "-1"}, "points", "greater than or equal to 0.01"),
        (
            {"due_at": "2031-01-15T08:00", "closes_at": "2031-01-14T08:00"},
            "closes_at",
            "The closing date is before the due date.",
        ),
        ({"late_share": "120"}, "late_share", "less than or equal to 100"),
        ({"due_at": "2031-03-30T02:30"}, "due_at", "02:30 does not exist"),
    ],
)
def test_what_cannot_be_is_told_at_its_field(
    cast: Cast, owner: Client, changed: dict[str, Any], field: str, words: str
) -> None:
    answer = owner.post(where(cast), sent(cast, **changed)).content.decode().replace("&#x27;", "’")
    _, _, after = answer.partition(f'id="id_{field}_error"')
    assert words in after.partition("</p>")[0]
    assert now(cast).edition == 1


def test_the_chart_of_late_credit_follows_what_is_typed(cast: Cast, owner: Client) -> None:
    chart = reverse("late-chart", args=(cast.course.slug, cast.assignment.slug))
    typed = sent(cast, due_at="2030-01-10T12:00", late_share="90", late_per_day="10", late_floor="70")
    text = owner.post(chart, typed).content.decode()
    assert 'aria-label="on time: 100%, 1 d: 80%, 2 d: 70%"' in text and "not saved yet" in text
    assert now(cast).due_at is None, "nothing was saved"
    assert owner.post(chart, typed | {"late_share": "9x"}).status_code == 204, "while a value is typed"
    assert "<svg" not in owner.post(chart, typed | {"due_at": ""}).content.decode()
    change(cast, due_at=ahead(days=3))
    assert f'hx-post="{chart}"' in page(owner, where(cast)) and 'aria-label="on time: 100%' in page(owner, where(cast))


def test_seconds_that_nobody_touched_stay(cast: Cast, owner: Client) -> None:
    cast.assignment.due_at = datetime(2031, 1, 15, 22, 59, 59, tzinfo=UTC)
    cast.assignment.cool_down = timedelta(seconds=90)
    cast.assignment.save()
    owner.post(where(cast), sent(cast, {"due_at": "2031-01-15T23:59", "cool_down": "1"}, title="New"))
    assert (now(cast).title, now(cast).due_at) == ("New", cast.assignment.due_at)
    assert now(cast).cool_down == timedelta(seconds=90)


def test_failed_hidden_checks_are_explained_until_somebody_turns_it_off(cast: Cast, owner: Client) -> None:
    assert now(cast).explain_hidden
    assert re.search('<input type="checkbox" name="explain_hidden"[^>]* checked', page(owner, where(cast)))
    owner.post(where(cast), sent(cast, {"initial-explain_hidden": "True"}))
    assert not now(cast).explain_hidden
    trail = page(owner, reverse("settings", args=(cast.course.slug,)))
    assert "explain hidden: yes → no" in trail
    cast.assignment = now(cast)
    owner.post(where(cast), sent(cast, {"initial-explain_hidden": "False"}, explain_hidden="on"))
    assert now(cast).explain_hidden


def test_a_box_that_was_emptied_is_not_lost_when_somebody_else_changed_something(cast: Cast, owner: Client) -> None:
    first = sent(cast, points="20")
    second = sent(cast, {"initial-explain_hidden": "True"})
    owner.post(where(cast), first)
    answer = owner.post(where(cast), second)
    shown = answer.content.decode()
    assert answer.status_code == 409
    assert '<th scope="row">Explain failed hidden checks</th><td><bdi>yes</bdi></td><td><bdi>no</bdi></td>' in shown
    assert not answer.context["form"]["explain_hidden"].value()


# -- two at once


def test_the_second_of_two_is_told_and_nothing_is_overwritten(cast: Cast, owner: Client, signed: Signed) -> None:
    member(cast, "ines", Role.INSTRUCTOR)
    first, second = owner, signed("ines")
    page(first, where(cast))
    page(second, where(cast))
    assert first.post(where(cast), sent(cast, points="20")).status_code == 302
    answer = second.post(where(cast), sent(cast, points="5"))
    shown = answer.content.decode()
    assert answer.status_code == 409
    assert "Another person changed value-engine in the meantime." in shown
    assert "autodiff-grace" in shown
    assert '<th scope="row">Points</th><td><bdi>20</bdi></td><td><bdi>5</bdi></td>' in shown
    assert now(cast).points == 20


def test_who_was_told_may_still_decide(cast: Cast, owner: Client, signed: Signed) -> None:
    member(cast, "ines", Role.INSTRUCTOR)
    owner.post(where(cast), sent(cast, points="20"))
    answer = signed("ines").post(where(cast), sent(cast, points="5")).content.decode()
    assert 'name="edition" value="2"' in answer
    signed("ines").post(where(cast), sent(cast, points="5", edition="2"))
    assert (now(cast).points, now(cast).edition) == (Decimal(5), 3)


def test_what_only_the_other_changed_is_not_mine_to_put_back(cast: Cast, owner: Client, signed: Signed) -> None:
    member(cast, "ines", Role.INSTRUCTOR)
    owner.post(where(cast), sent(cast, points="20", due_at="2031-01-15T23:59"))
    answer = signed("ines").post(where(cast), sent(cast, title="Mine"))
    shown = answer.content.decode()
    assert '<th scope="row">Title</th><td><bdi>value-engine</bdi></td><td><bdi>Mine</bdi></td>' in shown
    assert '<th scope="row">Points</th>' not in shown
    again = {field.html_name: field.value() or "" for field in answer.context["form"]}
    initial = {name: value for name, value in answer.context["form"].data.items() if name.startswith("initial-")}
    assert signed("ines").post(where(cast), again | initial).status_code == 302
    found = now(cast)
    assert (found.title, found.points, found.due_at) == ("Mine", Decimal(20), datetime(2031, 1, 15, 22, 59, tzinfo=UTC))


# -- permissions


def test_an_assistant_neither_sees_nor_changes_it(cast: Cast, signed: Signed) -> None:
    member(cast, "ann", Role.ASSISTANT)
    browser = signed("ann")
    for url in (exercises(cast), reverse("assign", args=(cast.course.slug,)), where(cast)):
        assert browser.get(url).status_code == 404
        assert browser.post(url, sent(cast, title="Mine", act="remove", assignment="value-engine")).status_code == 404
    assert (now(cast).edition, now(cast).removed_at) == (1, None)
