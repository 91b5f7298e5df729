"""Questions below the editor: what is typed is saved, handed in with the code, and read by those who may."""

import io
import zipfile
from decimal import Decimal

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from autograder.courses.models import Asks, Criterion, Role
from autograder.gradebook.decisions.criteria import NewCriterion, criteria_set
from autograder.gradebook.exports.submission_archive import Which, submissions_download
from autograder.gradebook.grades.manual_points import criteria_of
from autograder.submissions.handing_in.answers import answers_of
from autograder.submissions.models import Answer, Submission
from tests.cast import Cast
from tests.web.conftest import Signed, browser_of, checked, grade, member, page, reported

pytestmark = pytest.mark.django_db
PDF = b"%PDF-1.7 and so on"
LIVE = {"HX-Request": "true"}


@pytest.fixture
def why(cast: Cast) -> Criterion:
    return asked(cast)[0]


@pytest.fixture
def drawing(cast: Cast, why: Criterion) -> Criterion:
    return criteria_of(cast.assignment)[1]


def asked(cast: Cast) -> list[Criterion]:
    wanted = [
        NewCriterion("Why", Decimal(2), asks=Asks.TEXT, question="Why does `.grad` **accumulate**? <script>x</script>"),
        NewCriterion("Drawing", Decimal(1), asks=Asks.PDF, question="Draw the graph."),
    ]
    cast.assignment = criteria_set(assignment=cast.assignment, by=cast.staff, criteria=wanted)
    return criteria_of(cast.assignment)


def at(cast: Cast, question: Criterion) -> str:
    return reverse("answer", args=(cast.course.slug, cast.assignment.slug, question.pk))


def exercise_page(cast: Cast, browser: Client) -> str:
    return page(browser, reverse("exercise", args=(cast.course.slug, cast.assignment.slug)))


def submits(cast: Cast, browser: Client, **form: str) -> str:
    where = reverse("submit", args=(cast.course.slug, cast.assignment.slug))
    sent = {"kind": "submit", "source": "x = 1\n", "once": "press"} | form
    return browser.post(where, sent, headers=LIVE).content.decode()


def test_questions_stand_below_the_editor_and_harm_nobody(cast: Cast, signed: Signed, why: Criterion) -> None:
    shown = exercise_page(cast, signed("ada"))
    assert "<strong>accumulate</strong>" in shown and "<script>x" not in shown
    assert f'name="answer_{why.pk}"' in shown and "Not answered yet." in shown
    cast.assignment = criteria_set(assignment=cast.assignment, by=cast.staff, criteria=[])
    assert 'id="answers"' not in exercise_page(cast, signed("ada"))


def test_an_answer_is_saved_while_it_is_typed_and_handed_in_with_the_code(
    cast: Cast, signed: Signed, why: Criterion
) -> None:
    ada = signed("ada")
    saved = ada.post(at(cast, why), {f"answer_{why.pk}": "Paths add up."}, headers=LIVE).content.decode()
    assert "It is handed in when you submit." in saved
    assert "Paths add up." in exercise_page(cast, ada)
    told = submits(cast, ada, **{f"answer_{why.pk}": "Paths add up, always."})
    assert f'id="answer-state-{why.pk}"' in told and "Handed in." in told
    assert [answer.text for answer in answers_of(Submission.objects.get()).values()] == ["Paths add up, always."]


def test_an_answer_outlives_code_that_is_refused(cast: Cast, signed: Signed, why: Criterion) -> None:
    ada = signed("ada")
    assert "The file is empty." in submits(cast, ada, source="", **{f"answer_{why.pk}": "Typed."})
    assert "Typed." in exercise_page(cast, ada)


def test_a_pdf_is_uploaded_downloaded_and_refused_in_a_sentence(cast: Cast, signed: Signed, drawing: Criterion) -> None:
    ada = signed("ada")
    told = ada.post(at(cast, drawing), {"pdf": SimpleUploadedFile("me.pdf", b"no")}, headers=LIVE).content.decode()
    assert "This file is not a PDF." in told
    assert "Choose a PDF first." in ada.post(at(cast, drawing), headers=LIVE).content.decode()
    told = ada.post(at(cast, drawing), {"pdf": SimpleUploadedFile("graph.pdf", PDF)}, headers=LIVE).content.decode()
    assert "graph.pdf" in told
    answer = ada.get(at(cast, drawing))
    assert (answer.content, answer["Content-Type"]) == (PDF, "application/pdf")
    assert answer["Content-Disposition"].startswith("attachment") and answer["X-Content-Type-Options"] == "nosniff"


def test_staff_read_the_answers_above_the_points_and_in_the_download(
    cast: Cast, signed: Signed, why: Criterion, drawing: Criterion
) -> None:
    ada = signed("ada")
    ada.post(at(cast, drawing), {"pdf": SimpleUploadedFile("graph.pdf", PDF)}, headers=LIVE)
    submits(cast, ada, **{f"answer_{why.pk}": "Paths <b>add</b> up."})
    submission = Submission.objects.get()
    grade(submission, reported(checked("one")))
    shown = page(browser_of(cast.owner), f"/t/{cast.course.slug}/submissions/{submission.pk}/")
    assert "Paths &lt;b&gt;add&lt;/b&gt; up." in shown and "graph.pdf" in shown
    assert "Paths &lt;b&gt;add&lt;/b&gt; up." in page(ada, reverse("outcome", args=(submission.pk,)))
    parts = submissions_download(assignment=cast.assignment, by=cast.staff, which=Which.ALL).parts
    with zipfile.ZipFile(io.BytesIO(b"".join(parts))) as archive:
        found = {name.rpartition("/")[2]: archive.read(name) for name in archive.namelist() if "_answers/" in name}
    assert found == {"question-1.txt": b"Paths <b>add</b> up.", "question-2.pdf": PDF}


def test_nobody_else_reads_an_answer(cast: Cast, signed: Signed, drawing: Criterion) -> None:
    ada = signed("ada")
    ada.post(at(cast, drawing), {"pdf": SimpleUploadedFile("graph.pdf", PDF)}, headers=LIVE)
    submits(cast, ada)
    handed_in = reverse("handed-in-answer", args=(Submission.objects.get().pk, drawing.pk))
    assert ada.get(handed_in).content == PDF
    assert browser_of(cast.owner).get(handed_in).content == PDF
    assert signed("ben").get(handed_in).status_code == 404
    assert signed("ben").get(at(cast, drawing)).status_code == 404
    other = Cast(slug="other")
    assert browser_of(member(other, "olga", Role.INSTRUCTOR).user).get(handed_in).status_code == 404


def test_without_scripts_a_pdf_comes_back_to_the_page(cast: Cast, signed: Signed, drawing: Criterion) -> None:
    answer = signed("ada").post(at(cast, drawing), {"pdf": SimpleUploadedFile("graph.pdf", PDF)})
    assert answer["Location"].endswith("#answers") and Answer.objects.get().file_name == "graph.pdf"
