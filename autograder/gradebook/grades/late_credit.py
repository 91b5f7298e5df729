"""Computes the credit that remains after lateness, for existing submissions and for one that would be submitted now."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

import msgspec

from autograder.courses.models import Assignment, Course, Membership
from autograder.courses.people.extensions import StudentTerms
from autograder.courses.policies.lateness import ON_TIME, Lateness, LateRule, days, late_rule, late_words
from autograder.gradebook.grades.scores import Score, scores_of_course
from autograder.submissions.models import Submission


class Credit(msgspec.Struct, frozen=True):
    """The credit of a submission. `late_days` is the number of the student's late days used; `by_days` is set if the number
    of days matters."""

    lateness: Lateness = ON_TIME
    remaining: float = 1.0
    late_days: int = 0
    by_days: bool = False

    def words(self, span: str) -> str:
        """Describe the lateness, such as "26 hours late, counted as 2 days: 20% off", where `span` is "26 hours". Empty if
        it is on time."""
        if not self.lateness.days:
            return ""
        counted = f", counted as {days(self.lateness.days)}" if self.by_days and span != days(self.lateness.days) else ""
        return late_words(self.lateness, self.remaining, self.late_days, f"{span} late{counted}")


def credits_of(
    submissions: Sequence[Submission],
    membership: Membership,
    terms: Mapping[int, StudentTerms],
    scores: Mapping[int, Score] | None = None,
) -> dict[int, Credit]:
    """Return the credit of a student's submissions, by submission. Late days are only used for submissions that count.

    `terms` are the student's, by assignment. Pass `scores` if they have been loaded already.
    """
    rules = {
        submission.assignment_id: late_rule(submission.assignment, terms[submission.assignment_id].due_at)
        for submission in submissions
    }
    lateness = {
        submission.pk: rules[submission.assignment_id].lateness(submission.submitted_at) for submission in submissions
    }
    used: dict[int, int] = {}
    if any(late.days for late in lateness.values()) and membership.course.late_days:
        if scores is None:
            assignments = {submission.assignment_id: submission.assignment for submission in submissions}
            scores = _scores_of(list(assignments.values()), membership)
        used = {score.counted.submission_id: score.late_days for score in scores.values() if score.counted}
    return {
        submission.pk: Credit(late, rule.remaining(late, with_days), with_days, rule.by_days or with_days > 0)
        for submission in submissions
        for rule, late, with_days in [(rules[submission.assignment_id], lateness[submission.pk], used.get(submission.pk, 0))]
    }


def credit_now(
    assignment: Assignment,
    membership: Membership,
    due_at: datetime | None,
    now: datetime,
    scores: Mapping[int, Score] | None = None,
) -> Credit:
    """Return the credit of a submission made now, assuming that it counts.

    `scores` are the student's in all assignments of the course, if they have been loaded already; otherwise they are
    computed if needed.
    """
    rule = late_rule(assignment, due_at)
    lateness = rule.lateness(now)
    if not lateness.days or not rule.costs:
        return Credit(lateness)
    used = _late_days_worth_using(rule, lateness, _late_days_for(assignment, membership, scores))
    return Credit(lateness, rule.remaining(lateness, used), used)


def late_days_left(course: Course, scores: Iterable[Score]) -> int:
    """Return the number of late days left to a student with these scores in all assignments of the course."""
    return course.late_days - sum(score.late_days for score in scores) if course.late_days else 0


def _late_days_for(assignment: Assignment, membership: Membership, scores: Mapping[int, Score] | None) -> int:
    """Return how many late days a student could use for this assignment: those that no other assignment needs."""
    course = membership.course
    if not course.late_days:
        return 0
    if scores is None:
        scores = _scores_of(list(course.assignments.filter(removed_at=None).select_related("course")), membership)
    return late_days_left(course, scores.values()) + scores[assignment.pk].late_days


def _scores_of(assignments: Sequence[Assignment], membership: Membership) -> dict[int, Score]:
    return {pk: score for (_, pk), score in scores_of_course(assignments, [membership.pk]).items()}


def _late_days_worth_using(rule: LateRule, lateness: Lateness, available: int) -> int:
    """Return the smallest number of late days that keeps the most credit."""
    limit = available if rule.late_days is None else min(available, rule.late_days)
    return max(range(min(limit, lateness.days) + 1), key=lambda used: (rule.remaining(lateness, used), -used))
