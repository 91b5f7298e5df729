"""Every staff page uses and names the time zone of the course, independent of the user's."""

from collections.abc import Iterator
from datetime import UTC, datetime
from importlib import import_module
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django import forms as django_forms
from django.core.exceptions import ValidationError
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from autograder.courses.models import Extension, User
from autograder.web.lti.deep_link import TermsForm
from autograder.web.staff.grading.extension_form import ExtensionForm
from autograder.web.staff.people.bulk_extensions import BulkExtensionForm
from autograder.web.staff.setup.assignment_settings.form import AssignmentForm
from autograder.web.staff.setup.exercises.forms import OutsideForm, PlanForm
from tests.cast import Cast
from tests.commands import Shell
from tests.web.conftest import Signed, browser_of, change, checked, grade, page, reported, words

NAMED = "All times are Berlin time, the time zone of the course."
PAGES = (
    *(
        "overview",
        "gradebook",
        "exercises",
        "people",
        "settings",
        "course-history",
        "regrades",
        "export",
        "roster",
        "invite",
    ),
    *("assign", "copy-course", "bulk-extensions", "freeze", "import-lms-ids", "new-regrade"),
    *("student", "student-grades", "submission", "insight", "assignment-settings", "member"),
)


@pytest.fixture
def owner(cast: Cast, signed: Signed) -> Client:
    cast.course.time_zone = "Europe/Berlin"
    cast.course.save()
    change(cast, due_at=datetime(2031, 1, 15, 22, 59, tzinfo=UTC))
    User.objects.filter(pk=cast.owner.pk).update(time_zone="Asia/Tokyo")
    return browser_of(User.objects.get(pk=cast.owner.pk))


@pytest.mark.parametrize("name", PAGES)
def test_the_zone_is_the_courses_and_named_once(cast: Cast, owner: Client, name: str) -> None:
    submission = cast.hands_in("ada", b"x = 1\n")
    grade(submission, reported(checked("one")))
    own = {
        "student": cast.membership("ada").pk, "student-grades": cast.membership("ada").pk, "member": cast.membership("ada").pk,
        "submission": submission.pk, "insight": cast.assignment.slug, "assignment-settings": cast.assignment.slug,
    }  # fmt: skip
    html = page(owner, reverse(name, args=(cast.course.slug, *([own[name]] if name in own else []))))
    assert NAMED in html
    assert words(html).count("Berlin time") == 1
    assert "16 Jan 2031, 07:59" not in html


def test_a_due_date_is_the_same_on_each(cast: Cast, owner: Client) -> None:
    member = cast.membership("ada")
    for name in ("student", "student-grades"):
        assert "Wed 15 Jan 2031, 23:59" in page(owner, reverse(name, args=(cast.course.slug, member.pk)))


# -- times in forms


FORMS = {
    "settings": (AssignmentForm, ("opens_at", "due_at", "closes_at", "no_credit_after")),
    "assign": (PlanForm, ("opens_at", "due_at", "closes_at")),
    "deep link": (TermsForm, ("due_at",)),
    "outside": (OutsideForm, ("due_at",)),
    "extend": (ExtensionForm, ("due_at", "closes_at")),
    "extend many": (BulkExtensionForm, ("due_at", "closes_at")),
}


def forms_of_pages(base: type[Any]) -> Iterator[type[Any]]:
    import_module("autograder.web.urls")  # which imports every page
    for form in base.__subclasses__():
        if form.__module__.startswith("autograder.web."):
            yield form
        yield from forms_of_pages(form)


def test_every_field_for_a_time_is_listed_here() -> None:
    found = {
        (form.__name__, name)
        for form in forms_of_pages(django_forms.BaseForm)
        for name, field in form.base_fields.items()
        if isinstance(field, django_forms.DateTimeField)
    }
    assert found == {(form.__name__, name) for form, names in FORMS.values() for name in names}


@pytest.mark.parametrize(("form", "name"), [(form, name) for form, names in FORMS.values() for name in names])
def test_a_field_says_what_clocks_never_show_or_show_twice_and_takes_a_date(form: Any, name: str) -> None:
    field = form.base_fields[name]
    with timezone.override(ZoneInfo("Europe/Berlin")):
        for typed, words in (("2027-03-28T02:30", "does not exist"), ("2027-10-31T02:30", "happens twice")):
            with pytest.raises(ValidationError, match=words):
                field.clean(typed)
        at = "00:00:00" if name == "opens_at" else "23:59:59"
        assert field.clean("2027-06-01") == datetime.fromisoformat(f"2027-06-01T{at}+02:00")
        assert field.clean("") is None
        with pytest.raises(ValidationError, match="valid date"):
            field.clean("soon")


def test_it_is_said_at_the_field_and_nothing_is_changed(cast: Cast, owner: Client) -> None:
    where = reverse("bulk-extensions", args=(cast.course.slug,))
    sent = {
        "assignment": cast.assignment.pk,
        "due_at": "2032-03-28T02:30",
        "reason": "ill",
        "students": [cast.membership("ada").pk],
    }
    answer = owner.post(where, sent)
    assert "02:30 does not exist on 28 March 2032 in Europe/Berlin" in answer.content.decode()
    assert not Extension.objects.exists()


def test_the_command_says_it_too(cast: Cast, owner: Client, shell: Shell) -> None:
    ended = shell("course", "change", cast.course.slug, cast.assignment.slug, "--due", "2032-10-31T02:30")
    assert ended.status == 1 and "02:30 happens twice on 31 October 2032 in Europe/Berlin" in ended.error
    shell("course", "change", cast.course.slug, cast.assignment.slug, "--due", "2032-10-31")
    cast.assignment.refresh_from_db()
    assert cast.assignment.due_at == datetime(2032, 10, 31, 22, 59, 59, tzinfo=UTC)
