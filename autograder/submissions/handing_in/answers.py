"""Answers to the questions of an assignment, in words or as a PDF, which staff mark beside the code.

An answer is saved while it is written and handed in with the next submission, if it has changed since the last one. So a
submission has the answers that were handed in with it or before.
"""

from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from autograder.courses.errors import Refused
from autograder.courses.models import Asks, Assignment, Criterion, Membership
from autograder.submissions.handing_in.drafts import NUL
from autograder.submissions.models import Answer, Submission

MAX_TEXT = 10_000  # characters
MAX_PDF = 3 << 20  # bytes
MAX_NAME = 100
PDF = b"%PDF-"


@dataclass(frozen=True)
class Part:
    """A question with a student's answers to it: the one being written, and the one handed in last."""

    criterion: Criterion
    draft: Answer | None
    handed_in: Answer | None

    @property
    def current(self) -> Answer | None:
        return self.draft or self.handed_in

    @property
    def changed(self) -> bool:
        """Whether the next submission hands in something new."""
        if self.draft is None:
            return False
        if self.handed_in is None:
            return self.draft.says_something
        return self.draft.saved_at != self.handed_in.saved_at


def questions_of(assignment: Assignment) -> list[Criterion]:
    if not assignment.points_by_hand:
        return []
    return list(Criterion.objects.filter(assignment=assignment, removed_at=None).exclude(asks=Asks.NOTHING))


def parts_of(assignment: Assignment, membership: Membership) -> list[Part]:
    questions = questions_of(assignment)
    if not questions:
        return []
    rows = Answer.objects.filter(criterion__in=questions, membership=membership).defer("pdf").order_by("submission_id")
    drafts = {answer.criterion_id: answer for answer in rows if answer.submission_id is None}
    handed_in = {answer.criterion_id: answer for answer in rows if answer.submission_id is not None}
    return [Part(question, drafts.get(question.pk), handed_in.get(question.pk)) for question in questions]


def answers_of(submission: Submission) -> dict[int, Answer]:
    """The answers that belong to a submission, by criterion, without the content of a PDF."""
    rows = Answer.objects.filter(
        criterion__assignment=submission.assignment_id,
        membership=submission.membership_id,
        submission__lte=submission.pk,
    )
    return {answer.criterion_id: answer for answer in rows.defer("pdf").order_by("submission_id")}


def question_in(assignment: Assignment, number: int) -> Criterion | None:
    return next((question for question in questions_of(assignment) if question.pk == number), None)


def answer_save(*, question: Criterion, membership: Membership, text: str) -> Answer:
    """Save an answer in words, which is handed in with the next submission."""
    if question.asks != Asks.TEXT:
        raise Refused(f"{question.title} asks for a PDF.")
    text = _kept(text)
    if len(text) > MAX_TEXT:
        raise Refused(f"The answer has {len(text):,} characters; the limit is {MAX_TEXT:,}. It was not saved.")
    return _save(question, membership, text=text)


def pdf_save(*, question: Criterion, membership: Membership, name: str, content: bytes) -> Answer:
    """Save a PDF, which is handed in with the next submission."""
    if question.asks != Asks.PDF:
        raise Refused(f"{question.title} asks for an answer in words.")
    if len(content) > MAX_PDF:
        raise Refused(f"The PDF is larger than {MAX_PDF >> 20} MB. It was not saved.")
    if not content.startswith(PDF):
        raise Refused("This file is not a PDF. Export your document as a PDF and choose that file.")
    return _save(question, membership, pdf=content, file_name=_kept(name)[-MAX_NAME:] or "answer.pdf")


def state_of(assignment: Assignment, membership: Membership) -> str:
    """What would be handed in now: another text whenever an answer has changed."""
    return " ".join(
        f"{part.draft.pk} {part.draft.saved_at.isoformat()}" for part in parts_of(assignment, membership) if part.draft
    )


def hand_in(submission: Submission) -> None:
    """Part of submitting: hand in what has changed."""
    for part in parts_of(submission.assignment, submission.membership):
        if part.changed and part.draft is not None:
            draft = part.draft
            Answer.objects.create(
                criterion=part.criterion,
                membership=submission.membership,
                submission=submission,
                text=draft.text,
                pdf=draft.pdf,
                file_name=draft.file_name,
                saved_at=draft.saved_at,
            )


def _save(question: Criterion, membership: Membership, **content: object) -> Answer:
    with transaction.atomic():
        Membership.objects.select_for_update().get(pk=membership.pk)  # serialises the pages of one student
        drafts = Answer.objects.filter(criterion=question, membership=membership, submission=None)
        answer = drafts.first() or Answer(criterion=question, membership=membership)
        if answer.pk is None or any(getattr(answer, name) != value for name, value in content.items()):
            for name, value in content.items():
                setattr(answer, name, value)
            answer.saved_at = timezone.now()
            answer.save()
    return answer


def _kept(text: str) -> str:
    return text.replace("\r\n", "\n").replace(NUL, "\N{REPLACEMENT CHARACTER}")
