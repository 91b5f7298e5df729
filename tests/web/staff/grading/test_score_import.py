"""Importing scores on the page: a preview of every cell, the import, and undoing it."""

import re
from decimal import Decimal
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from autograder.courses.models import Assignment, AuditEntry, Role
from autograder.courses.setup.assignments import outside_assignment_create
from autograder.gradebook.decisions import overrides
from autograder.gradebook.grades import freezing
from autograder.gradebook.models import Override, ScoreImport
from tests.cast import Cast
from tests.gradebook.conftest import graded
from tests.web.conftest import Signed, browser_of, member, page
from tests.web.test_markup import Markup

pytestmark = pytest.mark.django_db


@pytest.fixture
def exam(cast: Cast) -> Assignment:
    for name in ("ada", "ben"):
        cast.student(name)
    return outside_assignment_create(course=cast.course, by=cast.staff, title="Midterm exam", points=Decimal(20))


@pytest.fixture
def owner(cast: Cast) -> Client:
    return browser_of(cast.owner)


def where(cast: Cast) -> str:
    return reverse("import-scores", args=(cast.course.slug,))


def previewed(browser: Client, cast: Cast, text: str, name: str = "exam.csv") -> str:
    response: Any = browser.post(where(cast), {"file": SimpleUploadedFile(name, text.encode(), "text/csv")})
    assert response.status_code == 200
    return str(response.content.decode())


def decided(browser: Client, cast: Cast, shown: str, **choices: str) -> HttpResponse:
    """Submit the form of the preview."""
    found = re.search(r'name="kept" value="([^"]+)"', shown)
    assert found
    response: Any = browser.post(where(cast), {"do": "import", "kept": found[1], "conflicts": "keep", **choices})
    return response  # type: ignore[no-any-return]


def points() -> dict[str, Decimal]:
    return dict(Override.objects.filter(undone_at=None).values_list("membership__user__username", "points"))


def captions(shown: str) -> list[str]:
    return re.findall(r"<caption>(.*?)</caption>", shown)


def test_nothing_is_stored_before_somebody_decides(cast: Cast, owner: Client, exam: Assignment) -> None:
    shown = previewed(owner, cast, "login,Midterm exam\nada,18\n")
    assert "1 row with scores: 1 new, 0 different in the gradebook, 0 unchanged." in shown
    assert points() == {}
    response = decided(owner, cast, shown, reason="On paper.")
    assert response.status_code == 302
    assert points() == {"ada": Decimal(18)}
    assert "1 score imported from exam.csv." in page(owner, where(cast))


def test_conflicts_come_first_and_are_kept_by_default(cast: Cast, owner: Client, exam: Assignment) -> None:
    graded(cast, "ada", 8.0)
    text = "login,Midterm exam,value-engine,Remark\nada,18,9,good\nben,x,,\nzoe,1,,\n"
    shown = previewed(owner, cast, text)
    assert captions(shown) == [
        "1 score: different in the gradebook",
        "1 score: cannot be imported",
        "1 row that cannot be imported",
        "1 score: new",
    ]
    assert re.search(r'value="keep"[^>]* checked', shown)
    assert "<bdi>Remark</bdi> (no assignment has this title or slug)" in shown
    shown = page_of(decided(owner, cast, shown), 409)
    assert "Nothing was imported. Line 4: zoe is not in the course. There is 1 more problem." in shown
    assert points() == {}
    decided(owner, cast, shown, only_good="on")
    assert points() == {"ada": Decimal(18)}
    assert "1 score imported from exam.csv. 1 score kept unchanged." in page(owner, where(cast))
    decided(owner, cast, previewed(owner, cast, text), only_good="on", conflicts="replace")
    assert Override.objects.get(assignment=cast.assignment).points == 9


def test_bonus_points_are_ticked(cast: Cast, owner: Client, exam: Assignment) -> None:
    shown = previewed(owner, cast, "login,Midterm exam\nada,22\n")
    assert "Import 1 score above the maximum, as bonus points" in shown
    assert "above the maximum" in shown
    shown = page_of(decided(owner, cast, shown), 409)
    assert "Line 2, Midterm exam: 22 is more than the assignment is worth." in shown
    decided(owner, cast, shown, above="on")
    assert points() == {"ada": Decimal(22)}


def test_a_preview_holds_what_every_page_promises(cast: Cast, owner: Client, exam: Assignment) -> None:
    graded(cast, "ada", 8.0)
    html = previewed(owner, cast, "login,Midterm exam,value-engine,Remark\nada,22,9,good\nben,x,,\nzoe,1,,\n")
    found = Markup(html)
    assert (found.acts, found.left_open) == ([], [])
    assert [name for name, count in found.ids.items() if count > 1] == []
    assert set(found.refers) <= set(found.ids)
    assert found.tags["caption"] == found.tags["table"] == 4
    assert html.count("<th ") == html.count('scope="')


def test_what_changed_since_the_preview_is_shown_again(cast: Cast, owner: Client, exam: Assignment) -> None:
    shown = previewed(owner, cast, "login,Midterm exam\nada,18\nben,3\n")
    overrides.override(assignment=exam, membership=cast.membership("ada"), points=Decimal(5), reason="Oral.", by=cast.staff)
    shown = page_of(decided(owner, cast, shown), 409)
    assert (
        "The course has changed since this preview, which affects line 2. Nothing was imported. Check the preview again."
        in shown
    )
    assert captions(shown)[0] == "1 score: different in the gradebook"
    assert points() == {"ada": Decimal(5)}
    decided(owner, cast, shown, conflicts="replace")
    assert points() == {"ada": Decimal(18), "ben": Decimal(3)}


def test_an_import_is_undone_from_the_list(cast: Cast, owner: Client, exam: Assignment) -> None:
    decided(owner, cast, previewed(owner, cast, "login,Midterm exam\nada,18\nben,3\n"))
    overrides.override(assignment=exam, membership=cast.membership("ben"), points=Decimal(5), reason="Oral.", by=cast.staff)
    shown = page(owner, where(cast))
    assert "Restores 1 score. The others have changed since then and are kept." in shown
    owner.post(where(cast), {"do": "undo", "import": ScoreImport.objects.get().pk})
    shown = page(owner, where(cast))
    assert "The import from exam.csv was undone: 1 score restored. Kept because of later changes: 1 score." in shown
    assert "Undone " in shown
    assert "Undo this import" not in shown
    assert points() == {"ben": Decimal(5)}


def test_an_import_of_another_course_is_not_found(cast: Cast, exam: Assignment, owner: Client) -> None:
    decided(owner, cast, previewed(owner, cast, "login,Midterm exam\nada,18\n"))
    elsewhere = Cast(slug="elsewhere", exercise="value-unary")
    response = browser_of(elsewhere.owner).post(where(elsewhere), {"do": "undo", "import": ScoreImport.objects.get().pk})
    assert response.status_code == 404
    assert points() == {"ada": Decimal(18)}


def test_a_preview_is_good_for_its_person_and_course(cast: Cast, owner: Client, exam: Assignment, signed: Signed) -> None:
    member(cast, "ines", Role.INSTRUCTOR)
    shown = previewed(owner, cast, "login,Midterm exam\nada,18\n")
    ines = signed("ines")
    assert decided(ines, cast, shown).status_code == 302
    assert "This preview has expired, or belongs to another person." in page(ines, where(cast))
    assert points() == {}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "The submitted file is empty."),
        ("login\nada\n", "The file has no score columns."),
        (
            "login,Final\nada,1\n",
            "No column of the file is an assignment of Autodiff. Its assignments: value-engine, midterm-exam.",
        ),
    ],
)
def test_a_file_that_cannot_be_read_is_said_at_the_field(
    cast: Cast, owner: Client, exam: Assignment, text: str, words: str
) -> None:
    assert words in previewed(owner, cast, text)


def test_a_file_that_changes_nothing_has_no_button(cast: Cast, owner: Client, exam: Assignment) -> None:
    decided(owner, cast, previewed(owner, cast, "login,Midterm exam\nada,18\n"))
    shown = previewed(owner, cast, "login,Midterm exam\nada,18\n")
    assert "No scores would change. There is nothing to import." in shown
    assert 'name="kept"' not in shown


def test_while_the_gradebook_is_frozen_there_is_no_form(cast: Cast, owner: Client, exam: Assignment) -> None:
    shown = previewed(owner, cast, "login,Midterm exam\nada,18\n")
    decided(owner, cast, shown)
    freezing.freeze(course=cast.course, by=cast.staff)
    frozen = page(owner, where(cast))
    assert "Scores cannot be imported, and imports cannot be undone" in frozen
    assert "Undo this import" not in frozen
    assert 'type="file"' not in frozen
    decided(owner, cast, shown)
    owner.post(where(cast), {"do": "undo", "import": ScoreImport.objects.get().pk})
    assert points() == {"ada": Decimal(18)}


def test_the_history_has_one_line_that_opens(cast: Cast, owner: Client, exam: Assignment) -> None:
    decided(owner, cast, previewed(owner, cast, "login,Midterm exam\nada,18\nben,3\n"))
    history = reverse("course-history", args=(cast.course.slug,))
    shown = page(owner, f"{history}?kind=grades")
    assert shown.count("imported scores") == 1
    assert "Show 2 parts" in shown
    opened = page(owner, f"{history}?open={AuditEntry.objects.get(action='scores-imported').pk}")
    assert opened.count("imported a score for") == 2


def test_students_read_where_a_score_is_from(cast: Cast, owner: Client, exam: Assignment, signed: Signed) -> None:
    decided(owner, cast, previewed(owner, cast, "login,Midterm exam\nada,18\n"), reason="Paper exam <b>")
    shown = page(signed("ada"), reverse("grades", args=(cast.course.slug,)))
    assert "Imported from exam.csv on" in shown
    assert "Paper exam &lt;b&gt;" in shown
    assert "◆ set" not in shown


def test_the_gradebook_leads_there_for_instructors_alone(
    cast: Cast, owner: Client, exam: Assignment, signed: Signed
) -> None:
    gradebook = reverse("gradebook", args=(cast.course.slug,))
    assert where(cast) in page(owner, gradebook)
    member(cast, "ann", Role.ASSISTANT)
    assert where(cast) not in page(signed("ann"), gradebook)
    page(signed("ann"), where(cast), 404)
    page(signed("ada"), where(cast), 404)


def page_of(response: HttpResponse, status: int) -> str:
    assert response.status_code == status
    return str(response.content.decode())
