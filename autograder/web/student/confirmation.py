"""What is asked before a submission is taken: whether the same code should go in again, whether it should go in late, and
whether it should take the place of a marked one."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from autograder.courses.errors import Refused
from autograder.courses.models import Assignment, Membership
from autograder.gradebook.late_credit import credit_now
from autograder.gradebook.manual_points import by_hand_of
from autograder.gradebook.scores import Score
from autograder.submissions.attempts import Allowance
from autograder.submissions.models import Kind, Submission
from autograder.submissions.selectors import identical_submission
from autograder.web import numbers
from autograder.web.results.status import number_of


@dataclass(frozen=True)
class Question:
    """`token` is sent back by whoever agrees: it holds for these words and this file, and for no others."""

    words: str
    token: str


class Unconfirmed(Refused):
    """Nothing was handed in, because the student has not agreed yet."""

    def __init__(self, question: Question) -> None:
        super().__init__(question.words)
        self.question = question


def require_confirmation(
    membership: Membership, assignment: Assignment, allowance: Allowance, source: bytes, confirmed: str
) -> None:
    """Raises Unconfirmed where there is something to ask that `confirmed` does not answer."""
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


ANEW = "A new submission must be marked again."


def late_notice(
    membership: Membership, assignment: Assignment, allowance: Allowance, scores: Mapping[int, Score] | None = None
) -> str:
    """What a submission counts now, as the end of a sentence; empty where lateness costs nothing. `scores` are the student's,
    from a page that has them already."""
    credit = credit_now(assignment, membership, allowance.terms.due_at, allowance.now, scores)
    counts = f"counts {numbers.points(round(credit.kept * 100, 2))} %" if credit.kept < 1 else "counts in full"
    if credit.late_days:
        return f"uses {credit.late_days} late {'day' if credit.late_days == 1 else 'days'} and {counts}"
    return counts if credit.kept < 1 else ""


def _identical(membership: Membership, assignment: Assignment, source: bytes) -> str:
    same = identical_submission(source, assignment, membership)
    return f"This is the same code as submission {number_of(same)}." if same else ""


def _marked(membership: Membership, assignment: Assignment) -> str:
    """Asked while the newest submission is the marked one."""
    if not assignment.points_by_hand:
        return ""
    mine = Submission.objects.filter(assignment=assignment, membership=membership, kind=Kind.SUBMIT)
    newest = mine.select_related("assignment").defer("source").order_by("-pk").first()
    hand = by_hand_of([newest]).get(newest.pk) if newest else None
    if newest is None or hand is None or not hand.marked:
        return ""
    given = f"{numbers.points(hand.points)} of {numbers.points(hand.of)}"
    return f"Submission {number_of(newest)} has {given} points by hand."


def _late(membership: Membership, assignment: Assignment, allowance: Allowance) -> str:
    """Asked once: whoever has handed in late before knows what it costs, and it stands beside the buttons."""
    notice = late_notice(membership, assignment, allowance)
    if not notice:
        return ""
    late = Submission.objects.filter(assignment=assignment, membership=membership, kind=Kind.SUBMIT)
    known = late.filter(submitted_at__gt=allowance.terms.due_at).exists()
    return "" if known else f"The due date has passed. Submitted now, it {notice}."
