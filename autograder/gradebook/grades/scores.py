"""Computes a student's score in an assignment: by its policy, or by a decision of staff."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache, partial
from itertools import groupby
from operator import itemgetter

import msgspec
from django.db.models import Case, F, Q, When

from autograder.courses.models import Assignment, Membership
from autograder.courses.people.extensions import StudentTerms, terms_where_extended
from autograder.courses.policies import POLICIES, ByHand, Counted, Policy, Scored
from autograder.courses.policies.lateness import ON_TIME, LateRule, late_rule
from autograder.gradebook.grades.frozen import Frozen, frozen_in
from autograder.gradebook.grades.manual_points import marks_where, share_of, unmarked
from autograder.gradebook.models import Excuse, Override
from autograder.submissions.models import COUNTING, Grading, Kind, Submission

CENT = Decimal("0.01")
# the precision of floats here: values that are half a cent up to this precision are rounded as half a cent
EXACT = Decimal("1e-9")
MAX_POINTS = Decimal("99999.99")
CHRONOLOGICAL = ("submission__membership_id", "submission__assignment_id", "submission__submitted_at", "submission_id")
GRADING_COLUMNS = ("submission__membership_id", "submission__assignment_id", "submission_id", "score", "max_score")
# The time of submission if it was after the due date: these are rare, and a time takes longer to read than the rest of a
# row. An extension never makes a due date earlier.
AFTER_DUE = Case(When(submission__submitted_at__gt=F("submission__assignment__due_at"), then=F("submission__submitted_at")))
TOLERANCE = 1e-9  # tolerance, because shares are floats
NEVER = datetime.max.replace(tzinfo=UTC)
ScoreKey = tuple[int, int]  # membership, assignment


class Score(msgspec.Struct, frozen=True, gc=False):
    """A student's score in an assignment, and where it comes from. `points` is None while nothing is graded."""

    points: Decimal | None = None
    counted: Counted | None = None
    computed: Decimal | None = None  # by the policy, regardless of decisions
    override: Override | None = None
    excuse: Excuse | None = None
    frozen: bool = False  # whether the points shown are those of the frozen gradebook and differ from the computed ones
    fixed: bool = False  # whether the gradebook is frozen
    of: Decimal | None = None  # the maximum when it was frozen, if it was recorded
    passed: bool = False  # whether a submission passed all checks, however late, and whatever points it has
    to_mark: int | None = None  # the submission to be marked by hand: the one that counts, or a newer one that may count

    @property
    def late(self) -> bool:
        """Whether the submission that counts was late for the student, regardless of the deduction."""
        return self.counted is not None and self.counted.late

    @property
    def late_days(self) -> int:
        """The number of the student's late days used: none with an override or an excuse."""
        return 0 if self.counted is None or self.override or self.excuse else self.counted.late_days

    @property
    def unmarked(self) -> bool:
        """Whether points by hand are missing in this score."""
        return self.counted is not None and self.to_mark == self.counted.submission_id


NO_SCORE = Score()


class ScoringRule(msgspec.Struct, frozen=True):
    """An assignment's rule for scoring submissions, read once for all students."""

    policy: Policy
    late: LateRule
    points: Decimal


def score_of(assignment: Assignment, membership: Membership) -> Score:
    return scores_of(assignment, [membership])[membership.pk]


def scores_of(assignment: Assignment, memberships: Sequence[Membership]) -> dict[int, Score]:
    """Return the scores of many students, in a few queries."""
    scores = scores_of_course([assignment], [membership.pk for membership in memberships])
    return {membership_id: score for (membership_id, _), score in scores.items()}


def scores_of_student(
    membership: Membership, assignments: Sequence[Assignment], terms: Mapping[int, StudentTerms]
) -> dict[int, Score]:
    """Return the scores of one student by assignment, as frozen if the gradebook is. `terms` are from `terms_of_student`."""
    own_terms = {(membership.pk, pk): own for pk, own in terms.items()}
    found = {pk: score for (_, pk), score in scores_of_course(assignments, [membership.pk], own_terms).items()}
    frozen = frozen_in(membership.course_id)
    if frozen is None:
        return found
    return {pk: _as_frozen(score, frozen, membership.pk, pk) for pk, score in found.items()}


def scores_of_course(
    assignments: Sequence[Assignment],
    memberships: Sequence[int],
    terms: Mapping[ScoreKey, StudentTerms] | None = None,
    regraded: Mapping[int, float] | None = None,
) -> dict[ScoreKey, Score]:
    """Return the scores of many students in many assignments of a course, by membership and assignment, in at most six queries.

    Pass `terms` from `terms_where_extended` if they have been loaded already. `regraded` are hypothetical shares of
    submissions. Ignores whether the gradebook is frozen.
    """
    late_days = assignments[0].course.late_days if assignments else 0
    every = _sharing_late_days(assignments) if late_days else assignments
    if terms is None or len(every) > len(assignments):
        terms = terms_where_extended(every, memberships)
    rules = _rules(every, terms)
    scored = _scored(every, memberships, rules, regraded or {})
    decided = _decided(every, memberships)
    if not late_days:
        cells = ((member, assignment.pk) for member in memberships for assignment in assignments)
        return {cell: _score(rules.of(cell), scored.get(cell, ()), decided.get(cell)) for cell in cells}
    wanted = {assignment.pk for assignment in assignments}
    found = {}
    for member in memberships:
        left = late_days
        for cell in rules.cells_by_due_date(member):
            score = _score(rules.of(cell), scored.get(cell, ()), decided.get(cell), left)
            left -= score.late_days
            if cell[1] in wanted:
                found[cell] = score
    return found


def _sharing_late_days(assignments: Sequence[Assignment]) -> list[Assignment]:
    """Return these assignments and all others in which late days may be used, because a day used in one is not available in
    another."""
    course = assignments[0].course
    others = course.assignments.filter(removed_at=None).exclude(due_at=None).exclude(late_days_limit=0)
    return list({assignment.pk: assignment for assignment in (*assignments, *others)}.values())


@dataclass(frozen=True)
class ScoringRules:
    """The rules by assignment, and those of students with dates of their own."""

    common: Mapping[int, ScoringRule]
    own: Mapping[ScoreKey, ScoringRule]

    def of(self, cell: ScoreKey) -> ScoringRule:
        return self.own.get(cell) or self.common[cell[1]]

    def cells_by_due_date(self, membership: int) -> list[ScoreKey]:
        """Return the cells in the order in which a student's late days are used; assignments without due date come last."""
        cells = [(membership, assignment) for assignment in self.common]
        return sorted(cells, key=lambda cell: (self.of(cell).late.due_at or NEVER, cell[1]))


def _rules(assignments: Sequence[Assignment], terms: Mapping[ScoreKey, StudentTerms]) -> ScoringRules:
    known = {assignment.pk: assignment for assignment in assignments}
    own = {cell: _rule(known[cell[1]], extended.due_at) for cell, extended in terms.items() if cell[1] in known}
    return ScoringRules({pk: _rule(assignment, assignment.due_at) for pk, assignment in known.items()}, own)


def _rule(assignment: Assignment, due_at: datetime | None) -> ScoringRule:
    return ScoringRule(POLICIES[assignment.policy], late_rule(assignment, due_at), assignment.points)


def _scored(
    assignments: Sequence[Assignment], memberships: Sequence[int], rules: ScoringRules, regraded: Mapping[int, float]
) -> dict[ScoreKey, list[Scored]]:
    """Return the submissions with a verdict that counts, in chronological order, as input for a policy."""
    gradings = Grading.objects.filter(COUNTING, submission__kind=Kind.SUBMIT).order_by(*CHRONOLOGICAL)
    gradings = gradings.filter(submission__membership__in=memberships, submission__assignment__in=assignments)
    by_hand = marks_where(assignments, Q(marking__submission__membership__in=memberships))
    empty = {assignment.pk: unmarked(assignment) for assignment in assignments}
    # in one fetch, because PostgreSQL does not plan parallel queries for a cursor
    rows = gradings.values_list(*GRADING_COLUMNS, AFTER_DUE)
    found = {
        cell: [
            Scored(pk, _share(score, most), rules.of(cell).late.lateness(at) if at else ON_TIME)
            for _, _, pk, score, most, at in rows_of_cell
        ]
        for cell, rows_of_cell in groupby(rows, key=itemgetter(0, 1))
    }
    if regraded:
        _put_regraded(found, memberships, rules, regraded)
    for cell, scored in found.items():
        nothing = empty[cell[1]]
        if nothing is not None:
            points = rules.of(cell).points
            found[cell] = [
                _with_hand(submission, by_hand.get(submission.submission_id, nothing), points) for submission in scored
            ]
    return found


def _with_hand(scored: Scored, by_hand: ByHand, points: Decimal) -> Scored:
    share = share_of(scored.share, by_hand, points)
    return Scored(scored.submission_id, share, scored.lateness, by_hand, scored.share)


def _put_regraded(
    found: dict[ScoreKey, list[Scored]], memberships: Sequence[int], rules: ScoringRules, regraded: Mapping[int, float]
) -> None:
    """Replace the shares of regraded submissions, including those without a verdict so far."""
    submissions = Submission.objects.filter(pk__in=regraded, membership__in=memberships, assignment__in=rules.common)
    new: set[ScoreKey] = set()
    for member, assignment, pk, at in submissions.values_list("membership_id", "assignment_id", "pk", "submitted_at"):
        cell = member, assignment
        now = found.setdefault(cell, [])
        then = Scored(pk, regraded[pk], rules.of(cell).late.lateness(at))
        place = next((n for n, scored in enumerate(now) if scored.submission_id == pk), len(now))
        if place == len(now):
            new.add(cell)
        now[place : place + 1] = [then]
    if new:
        _put_in_order(found, new)


def _put_in_order(found: dict[ScoreKey, list[Scored]], cells: Collection[ScoreKey]) -> None:
    """Sort by the time of submission, as IN_ORDER does."""
    members, assignments = ({cell[n] for cell in cells} for n in (0, 1))
    submissions = Submission.objects.filter(membership__in=members, assignment__in=assignments)
    times = dict(submissions.values_list("pk", "submitted_at"))
    for cell in cells:
        found[cell].sort(key=lambda scored: (times[scored.submission_id], scored.submission_id))


def _decided(assignments: Sequence[Assignment], memberships: Sequence[int]) -> dict[ScoreKey, Override | Excuse]:
    """Return the decisions of staff. An override must be undone before a student is excused, so there is at most one of both."""
    overrides = Override.objects.filter(assignment__in=assignments, membership__in=memberships, undone_at=None)
    excuses = Excuse.objects.filter(assignment__in=assignments, membership__in=memberships, withdrawn_at=None)
    decisions: list[Override | Excuse] = [*overrides.select_related("author"), *excuses.select_related("author")]
    return {(decision.membership_id, decision.assignment_id): decision for decision in decisions}


def passes(share: float) -> bool:
    """Whether all checks pass: the one rule for what is called passed."""
    return share >= 1 - TOLERANCE


def _share(score: float, most: float) -> float:
    return score / most if most else 0.0


def _score(rule: ScoringRule, scored: Sequence[Scored], decided: Override | Excuse | None, late_days: int = 0) -> Score:
    """Compute a score. `late_days` is the number of late days that the student has left."""
    counted = _counted(rule, scored, late_days) if scored else None
    if counted is None and decided is None:
        return NO_SCORE
    computed = None if counted is None else points_for(counted.share, rule.points)
    passed = any(passes(submission.of_checks) for submission in scored)
    if decided is None:
        return Score(computed, counted, computed, to_mark=_to_mark(rule, scored, counted, late_days), passed=passed)
    if isinstance(decided, Excuse):
        return Score(None, counted, computed, excuse=decided, passed=passed)
    return Score(decided.points, counted, computed, override=decided, passed=passed)


def _counted(rule: ScoringRule, scored: Sequence[Scored], late_days: int) -> Counted:
    """Apply the policy with the smallest number of late days that gives the most points."""
    found = rule.policy.count(scored, rule.late.remaining)
    if not late_days or not rule.late.costs or all(submission.lateness.days == 0 for submission in scored):
        return found
    limit = late_days if rule.late.late_days is None else min(late_days, rule.late.late_days)
    for used in range(1, min(limit, max(submission.lateness.days for submission in scored)) + 1):
        better = rule.policy.count(scored, partial(rule.late.remaining, late_days=used))
        if better.share > found.share + TOLERANCE:
            found = msgspec.structs.replace(better, late_days=used)
    return found


def _to_mark(rule: ScoringRule, scored: Sequence[Scored], counted: Counted | None, late_days: int) -> int | None:
    """Return the submission to be marked: the one that counts if marks are missing, else the newest if it would count with
    full marks."""
    if counted is None or counted.by_hand is None:
        return None
    if not counted.by_hand.marked:
        return counted.submission_id
    *others, newest = scored
    if newest.by_hand is None or newest.by_hand.marked:
        return None
    full = ByHand(newest.by_hand.of, newest.by_hand.of, True)
    then = _counted(rule, [*others, _with_hand(_checks_alone(newest), full, rule.points)], late_days)
    return newest.submission_id if then.submission_id == newest.submission_id else None


def _checks_alone(scored: Scored) -> Scored:
    return Scored(scored.submission_id, scored.checks, scored.lateness)


def _as_frozen(score: Score, frozen: Frozen, membership_id: int, assignment_id: int) -> Score:
    points = frozen.points(membership_id, assignment_id)
    changed = points != score.points
    return msgspec.structs.replace(
        score, points=points, frozen=changed, fixed=True, of=frozen.worth(assignment_id), to_mark=None
    )


@lru_cache(maxsize=1 << 14)  # the submissions of a class have few distinct shares
def points_for(share: float, points: Decimal) -> Decimal:
    return rounded((Decimal(str(share)) * points).quantize(EXACT, ROUND_HALF_UP))


def rounded(points: Decimal) -> Decimal:
    """Round to two decimals, half a cent upwards: used for every page and every exported file."""
    return points.quantize(CENT, ROUND_HALF_UP)
