"""The page for downloading all submissions of an assignment."""

import io
import zipfile
from typing import Any

import pytest
from django.urls import reverse

from autograder.courses.models import AuditEntry, Role, Section
from tests.cast import Cast
from tests.gradebook.conftest import graded
from tests.web.conftest import Signed, member, page

pytestmark = pytest.mark.django_db


def where(cast: Cast) -> str:
    return reverse("download-submissions", args=(cast.course.slug, cast.assignment.slug))


def download(cast: Cast, signed: Signed, name: str, which: str = "all") -> Any:
    return signed(name).post(where(cast), {"which": which})


def test_from_the_page_of_the_exercise_to_the_file(cast: Cast, signed: Signed) -> None:
    member(cast, "ines", Role.INSTRUCTOR)
    for name in ("ada", "ada", "ben"):
        graded(cast, name, 4)
    assert where(cast) in page(signed("ines"), reverse("insight", args=(cast.course.slug, cast.assignment.slug)))
    assert "<b>3 submissions</b>by 2 students" in page(signed("ines"), where(cast))
    response = download(cast, signed, "ines")
    assert response.streaming
    assert response["Content-Type"] == "application/zip"
    assert response["Content-Disposition"] == 'attachment; filename="autodiff-value-engine-submissions.zip"'
    assert "no-store" in response["Cache-Control"]
    assert len(zipfile.ZipFile(io.BytesIO(response.getvalue())).namelist()) == 4
    history = page(signed("ines"), reverse("course-history", args=(cast.course.slug,)) + "?kind=exports")
    assert "downloaded submissions for" in history
    assert "which: all submissions" in history


def test_an_assistant_gets_the_section(cast: Cast, signed: Signed) -> None:
    mine, other = (Section.objects.create(course=cast.course, name=name) for name in ("Mon", "Tue"))
    member(cast, "ada", Role.STUDENT, mine)
    member(cast, "ann", Role.ASSISTANT, mine)
    member(cast, "otto", Role.ASSISTANT, other)
    graded(cast, "ada", 4)
    graded(cast, "ben", 4)
    assert "by 1 student in section Mon" in page(signed("ann"), where(cast))
    names = zipfile.ZipFile(io.BytesIO(download(cast, signed, "ann").getvalue())).namelist()
    assert [name.partition("/")[0] for name in names] == ["submissions.csv", "ada"]
    assert "There are no submissions yet." in page(signed("otto"), where(cast))
    assert download(cast, signed, "otto").status_code == 409


def test_looking_is_not_downloading(cast: Cast, signed: Signed) -> None:
    graded(cast, "ada", 4)
    page(signed(cast.owner.username), where(cast))
    assert signed(cast.owner.username).post(where(cast), {"which": "other"}).status_code == 422
    assert signed("ada").post(where(cast), {"which": "all"}).status_code == 404
    assert not AuditEntry.objects.filter(action="submissions-downloaded").exists()
