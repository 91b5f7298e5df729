"""The course history: search, filters, details, download, and wording."""

import re
from decimal import Decimal
from typing import Any

import pytest
from django.urls import reverse

from autograder.courses import audit
from autograder.courses.importers.roster import roster_import, roster_preview
from autograder.courses.models import AuditEntry, Course, Role
from autograder.courses.people.extensions import extension_grant
from autograder.courses.setup.assignments import assignment_create, assignment_update
from autograder.courses.setup.courses import section_create
from autograder.web.staff.grading.grade_changes import changes_of
from tests.cast import Cast, ahead
from tests.web.conftest import Signed, member


def where(cast: Cast) -> str:
    return reverse("course-history", args=(cast.course.slug,))


@pytest.fixture
def seen(cast: Cast, signed: Signed) -> Any:
    """The page with these filters, for the owner."""

    def page(**asked: Any) -> str:
        return str(signed(cast.owner.username).get(where(cast), asked).content.decode())

    return page


def extended(cast: Cast, name: str, reason: str = "Ill.") -> None:
    extension_grant(
        assignment=cast.assignment, membership=cast.membership(name), by=cast.staff, reason=reason, due_at=ahead(days=9)
    )


def test_a_new_login_keeps_its_history(cast: Cast, seen: Any) -> None:
    extended(cast, "ada")
    ada = cast.student("ada")
    ada.username, ada.first_name, ada.last_name = "countess", "Ada", "Lovelace"
    ada.save()
    (found,) = changes_of(ada.memberships.get())
    assert found.deed == "extension granted"
    assert 'granted an extension to <bdi class="soft">Ada Lovelace, value-engine' in seen()


def test_values_are_in_words(cast: Cast, seen: Any) -> None:
    Course.objects.update(time_zone="Europe/Berlin")
    assignment_update(
        assignment=cast.assignment, by=cast.staff, points=12, late_share=Decimal("0.5"), explain_hidden=False,
        show_hidden="never", due_at=ahead(days=9),
    )  # fmt: skip
    html = seen()
    assert "credit for late submissions: 100% → 50%" in html
    assert "points: 10 → 12" in html
    assert "explain hidden: yes → no" in html
    assert "results of hidden checks: After the due date → Never" in html
    assert "+00:00" not in re.sub("<[^>]*>", "", html)


def test_a_new_exercise_is_told_in_a_few_lines(cast: Cast, seen: Any) -> None:
    version = cast.assignment.exercise_version
    assignment_create(course=cast.course, version=version, by=cast.staff, slug="new", title="New")
    assert 'assigned <bdi class="soft">New</bdi>' in seen()
    assert "policy" not in seen()


def test_search_and_filters_leave_what_was_asked_for(cast: Cast, seen: Any) -> None:
    other = cast.assign("fn-cubic")
    extended(cast, "ada", "Influenza.")
    extended(cast, "ben", "Work.")
    section_create(course=cast.course, name="Monday", by=cast.staff)
    assert ("Influenza." in seen(), "Work." in seen(), "Monday" in seen()) == (True, True, True)
    for asked in ({"q": "influenza"}, {"person": "ada"}, {"q": "ada extension-granted-by-nobody"}):
        html = seen(**asked)
        assert ("Work." in html, "Monday" in html) == (False, False), asked
    assert "Nothing matches these filters." in seen(q="nobody wrote this")
    assert "Monday" not in seen(kind="extensions")
    assert "Monday" in seen(kind="course")
    assert "Influenza." in seen(exercise=cast.assignment.pk)
    assert "Influenza." not in seen(exercise=other.pk)
    assert "Influenza." not in seen(until="2001-01-01")
    assert "Influenza." in seen(since="2001-01-01")


def test_a_roster_is_one_entry_that_opens(cast: Cast, seen: Any) -> None:
    rows = "".join(f"s{n},s{n}@example.org,S{n},T\n" for n in range(60))
    text = f"login,email,first_name,last_name\n{rows}"
    roster_import(preview=roster_preview(text.encode(), cast.course), by=cast.staff)
    html = seen()
    assert "imported a roster" in html
    assert "Show 60 parts" in html
    assert "S7 T" not in html
    whole = AuditEntry.objects.get(action="roster-imported")
    assert "S7 T" in seen(open=whole.pk)
    assert "1 to 50 of 60" in seen(open=whole.pk)
    assert f"open={whole.pk}&amp;page=2" in seen(open=whole.pk)
    assert "S7 T" in seen(person="s7")


def test_what_was_found_is_downloaded(cast: Cast, signed: Signed) -> None:
    extended(cast, "ada", "=cmd()")
    extended(cast, "ben", "Work.")
    answer = signed(cast.owner.username).get(where(cast), {"person": "ada", "download": "csv"})
    assert answer["Content-Disposition"] == 'attachment; filename="autodiff-history.csv"'
    lines = answer.content.decode("utf-8-sig").splitlines()
    assert lines[0] == "When,Who,What,About,Details"
    assert len(lines) == 2
    assert "granted an extension to" in lines[1]
    assert "reason: =cmd()" in lines[1]


def test_entries_of_another_course_are_not_shown(cast: Cast, seen: Any, signed: Signed) -> None:
    elsewhere = Cast(slug="other")
    extended(elsewhere, "eve", "Elsewhere.")
    assert "Elsewhere." not in seen()
    entry = AuditEntry.objects.get(course=elsewhere.course)
    assert signed(cast.owner.username).get(where(cast), {"open": entry.pk}).status_code == 404


@pytest.mark.parametrize(("role", "status"), [(Role.STUDENT, 404), (Role.ASSISTANT, 404), (Role.INSTRUCTOR, 200)])
def test_who_sets_up_the_course_reads_it(cast: Cast, signed: Signed, role: Role, status: int) -> None:
    member(cast, "ines", role)
    assert signed("ines").get(where(cast)).status_code == status


@pytest.mark.parametrize(
    "asked",
    [
        *({"kind": "no-such"}, {"since": "tomorrow"}, {"exercise": "999"}, {"page": "x"}),
        *({"until": "9999-12-31"}, {"since": "0001-01-01"}, {"since": "9999-12-31", "until": "9999-12-31"}),
    ],
)
def test_a_filter_that_is_none_is_told_and_changes_nothing(cast: Cast, seen: Any, asked: dict[str, str]) -> None:
    audit.record("section-created", cast.course, actor=cast.owner, course=cast.course)
    assert "created a section" in seen(**asked)
