"""The submissions of a student for an assignment, with number and result."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.utils import timezone

from autograder.courses.models import Assignment, Membership
from autograder.courses.people.check_visibility import CheckVisibility, check_visibility_of
from autograder.courses.policies import ByHand
from autograder.courses.selectors import is_staff_of
from autograder.gradebook.grades.late_credit import credits_of
from autograder.gradebook.grades.manual_points import by_hand_of, share_of
from autograder.submissions.handing_in.numbering import name_of, numbers_in_order
from autograder.submissions.models import UNREADABLE, Grading, Kind, Submission, Work
from autograder.web import timestamps
from autograder.web.results.counts import Checked, checks_of, count_of, points_of
from autograder.web.results.regrade_requests import tags_of
from autograder.web.student.assignment_progress import CourseStep

WAITING = (Work.State.QUEUED, Work.State.RUNNING)


@dataclass(frozen=True)
class SubmissionRow:
    """One submission in the table."""

    submission: Submission
    number: int | None
    run: bool
    state: str
    result: str
    at: datetime
    best: bool = False
    counts: bool = False
    request: str = ""  # short state of the latest regrade request
    seconds: bool = False  # show seconds, because another row has the same minute

    @property
    def name(self) -> str:
        return name_of(self.submission, self.number)


def submission_rows(
    membership: Membership, assignment: Assignment, step: CourseStep, newest: int | None = None
) -> list[SubmissionRow]:
    """Return rows, newest first, all or the `newest` ones. Sources and unneeded reports are not loaded."""
    terms, now = step.terms, timezone.now()
    sight = check_visibility_of(assignment, terms, staff=is_staff_of(membership), now=now)
    mine = list(Submission.objects.filter(membership=membership, assignment=assignment).defer("source").order_by("id"))
    gradings = current_gradings(mine)
    unreadable = {pk for pk, grading in gradings.items() if grading.verdict == UNREADABLE}
    numbers = numbers_in_order((s.pk, s.assignment_id, s.membership_id, s.kind) for s in mine if s.pk not in unreadable)
    states = dict(Work.objects.filter(submission__in=mine, batch=None).values_list("submission_id", "state"))
    for submission in mine:
        submission.assignment = assignment
    credit = credits_of(mine, membership, {assignment.pk: terms}, {assignment.pk: step.score})
    by_hand = by_hand_of(mine)
    best = _best(
        {
            s.pk: share_of(gradings[s.pk].share, by_hand.get(s.pk), assignment.points) * credit[s.pk].remaining
            for s in mine
            if s.kind == Kind.SUBMIT and s.pk in gradings and gradings[s.pk].verdict not in ("internal", UNREADABLE)
        }
    )
    decided = step.score.override is not None or step.score.frozen
    counted = step.score.counted.submission_id if step.score.counted and not decided else None
    shown = mine[::-1][:newest]
    requests = tags_of(shown)
    checks = checks_of(gradings[submission.pk] for submission in shown if submission.pk in gradings)
    rows = []
    for submission in shown:
        grading, run = gradings.get(submission.pk), submission.kind == Kind.RUN
        known = checks.get(grading.pk, ()) if grading else ()
        remaining = credit[submission.pk].remaining
        hand = by_hand.get(submission.pk)
        state, result = result_words(grading, known, states.get(submission.pk, ""), assignment, run, sight, remaining, hand)
        rows.append(
            SubmissionRow(
                submission,
                numbers.get(submission.pk),
                run,
                state,
                result,
                submission.submitted_at,
                best=sight.counts and submission.pk == best,
                counts=sight.counts and submission.pk == counted,
                request=requests.get(submission.pk, ""),
            )
        )
    return _with_seconds(rows)


def current_gradings(submissions: Collection[Submission]) -> dict[int, Grading]:
    """Return the current grading by submission, without its report."""
    current = Grading.objects.filter(submission__in=submissions, current=True)
    found = current.only("submission_id", "verdict", "score", "max_score")
    return {grading.submission_id: grading for grading in found}


def _with_seconds(rows: list[SubmissionRow]) -> list[SubmissionRow]:
    shared = Counter(timestamps.moment(row.at) for row in rows)
    return [replace(row, seconds=shared[timestamps.moment(row.at)] > 1) for row in rows]


def _best(shares: Mapping[int, float]) -> int | None:
    """The earliest submission with the highest share, after the late deduction. None if all have zero."""
    best = max(shares, key=lambda number: (shares[number], -number), default=None)
    return best if best is not None and shares[best] > 0 else None


def result_words(
    grading: Grading | None,
    checks: Sequence[Checked],
    work: str,
    assignment: Assignment,
    run: bool,
    sight: CheckVisibility,
    remaining: float,
    by_hand: ByHand | None = None,
) -> tuple[str, str]:
    """Return the state of a submission and its result in words. `work` is the state of its work item, `remaining` the share of
    its points left after the late deduction.
    """
    if grading is None:
        if work in WAITING:
            return "waiting", "waiting"
        if work == Work.State.SUPERSEDED:
            return "idle", "replaced by a newer one"
        return "internal", "internal error, does not count"
    if grading.verdict == UNREADABLE:
        return "error", "syntax error, not counted"
    count = count_of(checks, hidden_known=sight.counts)
    if run and grading.verdict == "error":
        return "error", "did not run to the end"
    if run:
        return "run" if count.all_pass else "partial" if count.public_passed else "failed", count.of_run(0)
    points = points_of(grading.score, grading.max_score, float(assignment.points), remaining, by_hand)
    words = count.of_submission(" ".join(points))
    words += "" if by_hand is None or by_hand.marked or grading.verdict == "internal" else "; not marked yet"
    if count.hidden_passed is None:
        return "held", words
    return grading.verdict, f"{words}, did not run to the end" if grading.verdict == "error" else words
