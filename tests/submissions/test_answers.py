"""Answers in words and as a PDF: saved as drafts, handed in with a submission, and marked beside the code."""

from decimal import Decimal

import pytest

from autograder.courses.errors import Refused
from autograder.courses.models import Asks, Criterion
from autograder.gradebook.decisions.criteria import NewCriterion, criteria_set
from autograder.gradebook.grades.manual_points import criteria_of
from autograder.submissions.handing_in import intake
from autograder.submissions.handing_in.answers import (
    MAX_PDF,
    MAX_TEXT,
    Part,
    answer_save,
    answers_of,
    parts_of,
    pdf_save,
)
from autograder.submissions.models import Answer, Kind, Submission
from tests.cast import Cast

pytestmark = pytest.mark.django_db
PDF = b"%PDF-1.7 and so on"


@pytest.fixture
def cast() -> Cast:
    cast = Cast()
    asked = [
        NewCriterion("Style", Decimal(1)),
        NewCriterion("Why", Decimal(2), asks=Asks.TEXT, question="Why does `.grad` accumulate?"),
        NewCriterion("Drawing", Decimal(1), asks=Asks.PDF, question="Draw the graph of `x * x`."),
    ]
    cast.assignment = criteria_set(assignment=cast.assignment, by=cast.staff, criteria=asked)
    return cast


def question(cast: Cast, title: str) -> Criterion:
    return next(criterion for criterion in criteria_of(cast.assignment) if criterion.title == title)


def writes(cast: Cast, text: str) -> Answer:
    return answer_save(question=question(cast, "Why"), membership=cast.membership("ada"), text=text)


def parts(cast: Cast) -> dict[str, Part]:
    return {part.criterion.title: part for part in parts_of(cast.assignment, cast.membership("ada"))}


def said(submission: Submission) -> list[str]:
    return [answer.text or answer.file_name for answer in answers_of(submission).values()]


def test_a_submission_has_what_was_handed_in_with_it_or_before(cast: Cast) -> None:
    before = cast.hands_in("ada", b"x = 0\n")
    writes(cast, "Paths add up.")
    pdf_save(question=question(cast, "Drawing"), membership=cast.membership("ada"), name="graph.pdf", content=PDF)
    assert [part.changed for part in parts(cast).values()] == [True, True]
    first = cast.hands_in("ada", b"x = 1\n")
    assert [part.changed for part in parts(cast).values()] == [False, False]
    second = cast.hands_in("ada", b"x = 2\n")
    writes(cast, "Paths add up, by the chain rule.")
    assert parts(cast)["Why"].changed
    third = cast.hands_in("ada", b"x = 3\n")
    assert said(before) == []
    assert said(first) == said(second) == ["Paths add up.", "graph.pdf"]
    assert sorted(said(third)) == ["Paths add up, by the chain rule.", "graph.pdf"]
    assert Answer.objects.exclude(submission=None).count() == 3, "what has not changed is not stored again"
    assert bytes(Answer.objects.get(submission=first, criterion=question(cast, "Drawing")).pdf or b"") == PDF


def test_a_run_hands_nothing_in(cast: Cast) -> None:
    writes(cast, "Not yet.")
    assert said(cast.hands_in("ada", b"x = 1\n", Kind.RUN)) == []
    assert parts(cast)["Why"].changed


def test_an_empty_answer_is_none(cast: Cast) -> None:
    writes(cast, "  \n")
    assert not parts(cast)["Why"].changed
    assert said(cast.hands_in("ada", b"x = 1\n")) == []


def test_an_answer_can_be_taken_back(cast: Cast) -> None:
    writes(cast, "No.")
    cast.hands_in("ada", b"x = 1\n")
    writes(cast, "")
    later = cast.hands_in("ada", b"x = 2\n")
    assert not any(answer.says_something for answer in answers_of(later).values())


def test_the_same_press_with_another_answer_is_another_submission(cast: Cast) -> None:
    def pressed() -> int:
        return intake.submit(
            user=cast.student("ada"),
            course=cast.course,
            assignment=cast.assignment.slug,
            source=b"x = 1\n",
            once="press",
        ).pk

    writes(cast, "One.")
    first = pressed()
    assert pressed() == first
    writes(cast, "Two.")
    assert pressed() != first


def test_nobody_sees_the_answers_of_another_student(cast: Cast) -> None:
    writes(cast, "Mine.")
    cast.hands_in("ada", b"x = 1\n")
    assert said(cast.hands_in("ben", b"x = 1\n")) == []


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.pdf", b"PK\x03\x04", "not a PDF"),
        ("a.pdf", PDF + bytes(MAX_PDF), "larger than 3 MB"),
    ],
)
def test_what_is_no_pdf_or_too_large_is_refused(cast: Cast, name: str, content: bytes, words: str) -> None:
    with pytest.raises(Refused, match=words):
        pdf_save(question=question(cast, "Drawing"), membership=cast.membership("ada"), name=name, content=content)
    assert not Answer.objects.exists()


def test_a_text_has_a_limit_and_is_stored_as_any_database_can(cast: Cast) -> None:
    with pytest.raises(Refused, match="the limit is 10,000"):
        writes(cast, "x" * (MAX_TEXT + 1))
    assert writes(cast, "a\0b\r\nc").text == "a\N{REPLACEMENT CHARACTER}b\nc"


def test_each_question_takes_what_it_asks_for(cast: Cast) -> None:
    with pytest.raises(Refused, match="asks for a PDF"):
        answer_save(question=question(cast, "Drawing"), membership=cast.membership("ada"), text="A graph.")
    with pytest.raises(Refused, match="asks for an answer in words"):
        pdf_save(question=question(cast, "Why"), membership=cast.membership("ada"), name="a.pdf", content=PDF)


def test_a_criterion_that_asks_needs_a_question(cast: Cast) -> None:
    with pytest.raises(Refused, match="Write the question"):
        criteria_set(assignment=cast.assignment, by=cast.staff, criteria=[NewCriterion("Why", Decimal(2), asks=Asks.TEXT)])
