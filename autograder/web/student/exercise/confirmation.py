"""Confirmation before a submission is accepted: if the code is unchanged, late, or would replace a marked submission."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from autograder.courses.errors import Refused
from autograder.courses.models import Assignment, Membership
from autograder.gradebook.grades.late_credit import credit_now
from autograder.gradebook.grades.manual_points import by_hand_of
from autograder.gradebook.grades.scores import Score
from autograder.submissions.handing_in.attempts import Allowance, identical_submission
from autograder.submissions.handing_in.numbering import number_of, readable
from autograder.submissions.models import Kind, Submission
from autograder.web import numbers


@dataclass(frozen=True)
class Question:
    """The student confirms by sending `token` back. It is valid only for this text and this file."""

    words: str
    token: str


class Unconfirmed(Refused):
    """Raised if the student has not confirmed yet. Nothing was submitted."""

    def __init__(self, question: Question) -> None:
        super().__init__(question.words)
        self.question = question


def require_confirmation(
    membership: Membership, assignment: Assignment, allowance: Allowance, source: bytes, confirmed: str
) -> None:
    """Raise Unconfirmed if there is a question that `confirmed` does not answer."""
    sentences = [
        sentence
        for sentence in (
            _identical(membership, assignment, source),
            _late(membership, assignment, allowance),
            _marked(membership, assignment),
        )
        if sentence
    ]
    if not sentences:
        return
    sentences += [ANEW] if assignment.points_by_hand else []
    words = " ".join([*sentences, "Submit anyway?"])
    question = Question(words, hashlib.blake2b(words.encode() + b"\0" + source, digest_size=16).hexdigest())
    if confirmed != question.token:
        raise Unconfirmed(question)


ANEW = "If you submit again, the new submission has to be marked too."


def late_notice(
    membership: Membership, assignment: Assignment, allowance: Allowance, scores: Mapping[int, Score] | None = None
) -> str:
    """Say what a submission counts now, as the end of a sentence. Empty if being late costs neither points nor late days.
    Pass the student's `scores` if they were already loaded.
    """
    credit = credit_now(assignment, membership, allowance.terms.due_at, allowance.now, scores)
    earns = f"earns {_credit_words(credit.remaining)} credit"
    if credit.late_days:
        return f"uses {numbers.quantity(credit.late_days, 'late day')} and {earns}"
    return earns if credit.remaining < 1 else ""


def _credit_words(remaining: float) -> str:
    if remaining <= 0:
        return "no"
    return numbers.percent(remaining) if remaining < 1 else "full"


def _identical(membership: Membership, assignment: Assignment, source: bytes) -> str:
    same = identical_submission(source, assignment, membership)
    return f"This is the same code as submission {number_of(same)}." if same else ""


def _marked(membership: Membership, assignment: Assignment) -> str:
    """Ask if the newest submission has been marked."""
    if not assignment.points_by_hand:
        return ""
    mine = readable(Submission.objects.filter(assignment=assignment, membership=membership, kind=Kind.SUBMIT))
    newest = mine.select_related("assignment").defer("source").order_by("-pk").first()
    hand = by_hand_of([newest]).get(newest.pk) if newest else None
    if newest is None or hand is None or not hand.marked:
        return ""
    given = f"{numbers.points(hand.points)} of {numbers.points(hand.of)}"
    return f"Submission {number_of(newest)} has {given} points given by hand."


def _late(membership: Membership, assignment: Assignment, allowance: Allowance) -> str:
    """Ask only for the first late submission. After that the student knows the deduction, which is also shown beside the
    buttons.
    """
    notice = late_notice(membership, assignment, allowance)
    if not notice:
        return ""
    late = Submission.objects.filter(assignment=assignment, membership=membership, kind=Kind.SUBMIT)
    known = late.filter(submitted_at__gt=allowance.terms.due_at).exists()
    return "" if known else f"The due date has passed. A submission now {notice}."
