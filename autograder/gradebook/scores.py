"""A student's score in an assignment: by its policy, or by what somebody decided."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from itertools import groupby
from operator import itemgetter

import msgspec
from django.db import transaction
from django.db.models import Case, F, QuerySet, Value, When
from django.utils import timezone

from autograder.courses import audit
from autograder.courses.errors import Refused
from autograder.courses.models import Assignment, Membership, User
from autograder.courses.selectors import Terms, terms_where_extended
from autograder.gradebook.frozen import frozen_in, refuse_if_frozen
from autograder.gradebook.models import Override
from autograder.gradebook.policies import POLICIES, Counted, Policy, Scored
from autograder.submissions.models import COUNTING, Grading, Kind

CENT = Decimal("0.01")
EXACT = Decimal("1e-9")  # floats are right to here: what is half a cent by the numbers of the course is half a cent
MOST = Decimal("99999.99")
LONGEST_REASON = 500
ROWS = 5_000  # of gradings at a time
IN_ORDER = ("submission__membership_id", "submission__assignment_id", "submission__submitted_at", "submission_id")
COLUMNS = ("submission__assignment_id", "submission_id", "submission__submitted_at", "score", "max_score")
MANY = ("submission__membership_id", "submission__assignment_id", "submission_id", "late", "score", "max_score")
# As the assignment has it. Of a hundred thousand submissions to ask for the times takes longer than all the rest.
# In words, for numbers and truths are converted one by one.
LATE = Case(When(submission__submitted_at__gt=F("submission__assignment__due_at"), then=Value("late")), default=Value(""))


class Score(msgspec.Struct, frozen=True, gc=False):
    """What a student has in an assignment, and how it came about. `points` is None while nothing is graded."""

    points: Decimal | None
    counted: Counted | None
    override: Override | None
    frozen: bool = False  # other points stood when the gradebook was frozen, and those are shown
    of: Decimal | None = None  # what they were out of then, if it was kept

    @property
    def late(self) -> bool:
        """That what counts was handed in after her due date, whatever that costs."""
        return self.counted is not None and self.counted.late


NOTHING = Score(None, None, None)


class Rule(msgspec.Struct, frozen=True):
    """What an assignment makes of submissions, read once for all who handed in."""

    policy: Policy
    late_share: float
    points: Decimal


def score_of(assignment: Assignment, membership: Membership) -> Score:
    return scores_of(assignment, [membership])[membership.pk]


def scores_of(assignment: Assignment, memberships: Sequence[Membership]) -> dict[int, Score]:
    """Of many students at once, in a handful of queries."""
    scores = scores_of_course([assignment], [membership.pk for membership in memberships])
    return {membership_id: score for (membership_id, _), score in scores.items()}


def scores_of_course(
    assignments: Sequence[Assignment],
    memberships: Sequence[int],
    terms: Mapping[tuple[int, int], Terms] | None = None,
) -> dict[tuple[int, int], Score]:
    """Of many students in many assignments of their course, by membership and assignment: in four queries at most.

    `terms` are those of `terms_where_extended`, from who has them already. Of a frozen gradebook it knows nothing.
    """
    scored = scored_of_course(assignments, memberships, terms)
    overrides = Override.objects.filter(assignment__in=assignments, membership__in=memberships, undone_at=None)
    standing = {(one.membership_id, one.assignment_id): one for one in overrides.select_related("author")}
    rules = [(assignment.pk, _rule(assignment)) for assignment in assignments]
    cells = (((member, pk), rule) for member in memberships for pk, rule in rules)
    return {cell: _score(rule, scored.get(cell, ()), standing.get(cell)) for cell, rule in cells}


def scored_of_course(
    assignments: Sequence[Assignment],
    memberships: Sequence[int],
    terms: Mapping[tuple[int, int], Terms] | None = None,
) -> Mapping[tuple[int, int], list[Scored]]:
    """What a policy is given, by membership and assignment: the submissions with a verdict that counts, in order of time."""
    gradings = _current_gradings().filter(submission__membership__in=memberships, submission__assignment__in=assignments)
    terms = terms_where_extended(assignments, memberships) if terms is None else terms
    extended = _late_where_extended(gradings, terms)
    rows = gradings.annotate(late=LATE).values_list(*MANY).iterator(ROWS)
    return {
        (member, assignment): [
            Scored(pk, _share(score, most), extended.get(pk, bool(late))) for _, _, pk, late, score, most in some
        ]
        for (member, assignment), some in groupby(rows, key=itemgetter(0, 1))
    }


def _late_where_extended(gradings: QuerySet[Grading], extended: Mapping[tuple[int, int], Terms]) -> dict[int, bool]:
    """Whether a submission was late by what its student was granted; of the others the database says it."""
    if not extended:
        return {}
    theirs = gradings.filter(submission__membership__in={membership_id for membership_id, _ in extended})
    where = ("submission__membership_id", "submission__assignment_id", "submission_id", "submission__submitted_at")
    moments = ((pk, extended.get((member, assignment)), at) for member, assignment, pk, at in theirs.values_list(*where))
    return {pk: terms.due_at is not None and at > terms.due_at for pk, terms, at in moments if terms is not None}


def scores_of_student(
    membership: Membership, assignments: Sequence[Assignment], terms: Mapping[int, Terms]
) -> dict[int, Score]:
    """Of one student in many assignments, by assignment, as frozen if they are; `terms` are hers, from `terms_of_student`."""
    due = {assignment.pk: terms[assignment.pk].due_at for assignment in assignments}
    gradings = _current_gradings().filter(submission__membership=membership, submission__assignment__in=assignments)
    scored: dict[int, list[Scored]] = defaultdict(list)
    for assignment_id, pk, submitted_at, points, most in gradings.values_list(*COLUMNS):
        due_at = due[assignment_id]
        scored[assignment_id].append(Scored(pk, _share(points, most), due_at is not None and submitted_at > due_at))
    overrides = Override.objects.filter(membership=membership, assignment__in=assignments, undone_at=None)
    standing = {override.assignment_id: override for override in overrides.select_related("author")}
    found = {one.pk: _score(_rule(one), scored[one.pk], standing.get(one.pk)) for one in assignments}
    frozen = frozen_in(membership.course_id)
    if frozen is None:
        return found
    return {pk: _as_frozen(score, frozen.points(membership.pk, pk), frozen.worth(pk)) for pk, score in found.items()}


def _current_gradings() -> QuerySet[Grading]:
    return Grading.objects.filter(COUNTING, submission__kind=Kind.SUBMIT).order_by(*IN_ORDER)


def _share(score: float, most: float) -> float:
    return score / most if most else 0.0


def computed(assignment: Assignment, scored: Sequence[Scored]) -> Decimal | None:
    """The points that these submissions come to by the assignment's policy, whatever somebody decided."""
    return _score(_rule(assignment), scored, None).points


def late_worth(assignment: Assignment) -> float:
    """The share of its points that a late submission counts, by the assignment's policy: 1 where lateness costs nothing."""
    counted = _rule(assignment).policy([Scored(0, 1.0, late=True)], float(assignment.late_share))
    return counted.share if counted else 0.0


def _rule(assignment: Assignment) -> Rule:
    return Rule(POLICIES[assignment.policy], float(assignment.late_share), assignment.points)


def _score(rule: Rule, scored: Sequence[Scored], override: Override | None) -> Score:
    counted = rule.policy(scored, rule.late_share) if scored else None
    if counted is None:
        return Score(override.points, None, override) if override else NOTHING
    points = _points(counted.share, rule.points) if override is None else override.points
    return Score(points, counted, override)


def _as_frozen(score: Score, points: Decimal | None, of: Decimal | None) -> Score:
    return msgspec.structs.replace(score, points=points, frozen=points != score.points, of=of)


@lru_cache(maxsize=1 << 14)  # a class reaches the same few shares
def _points(share: float, points: Decimal) -> Decimal:
    return rounded((Decimal(str(share)) * points).quantize(EXACT, ROUND_HALF_UP))


def rounded(points: Decimal) -> Decimal:
    """To two places, half a cent upwards: on every page, and in every file that leaves."""
    return points.quantize(CENT, ROUND_HALF_UP)


class Conflict(Refused):
    """Somebody else decided meanwhile. `standing` is the override that stands now, None if there is none any more."""

    def __init__(self, standing: Override | None) -> None:
        self.standing = standing
        if standing is None:
            super().__init__("Meanwhile the score that was set by hand was taken back. Nothing was written: decide again.")
            return
        who = standing.author.get_full_name() or standing.author.username
        super().__init__(
            f"Meanwhile {who} set {standing.points} points: {standing.reason} Nothing was written: decide again."
        )


def override(
    *,
    assignment: Assignment,
    membership: Membership,
    points: Decimal,
    reason: str,
    by: User,
    seen: int | None = None,
) -> Override:
    """Let these points stand. An override that stood before is undone by it.

    `seen` is the one that stood when `by` decided, 0 for none: is it another one by now, there is a Conflict.
    """
    if not reason.strip():
        raise Refused("Say why the score is another one: the student will read it.")
    if len(reason) > LONGEST_REASON:
        raise Refused(f"The reason has {len(reason)} characters; at most {LONGEST_REASON} are kept.")
    if not points.is_finite() or not 0 <= points <= MOST:
        raise Refused(f"A score is a number from 0 to {MOST}.")
    if membership.course_id != assignment.course_id:
        raise Refused(f"{membership.user} is not in the course of {assignment.title}.")
    points = rounded(points)
    with transaction.atomic():
        refuse_if_frozen(assignment.course, "no score can be set now")
        _one_at_a_time(membership)
        _refuse_unseen(assignment, membership, seen)
        before = score_of(assignment, membership).points
        _undo(assignment, membership, by)
        made = Override.objects.create(assignment=assignment, membership=membership, points=points, reason=reason, author=by)
        audit.record(
            *("override", membership), actor=by, course=assignment.course, assignment=assignment.slug, reason=reason,
            before=None if before is None else str(before), after=str(points),
        )  # fmt: skip
    return made


def undo_override(*, assignment: Assignment, membership: Membership, by: User, seen: int | None = None) -> None:
    with transaction.atomic():
        refuse_if_frozen(assignment.course, "no score can be taken back now")
        _one_at_a_time(membership)
        _refuse_unseen(assignment, membership, seen)
        before = score_of(assignment, membership).points
        if not _undo(assignment, membership, by):
            raise Refused("There is no override to undo.")
        after = score_of(assignment, membership).points
        audit.record(
            *("override-undone", membership), actor=by, course=assignment.course, assignment=assignment.slug,
            before=str(before), after=None if after is None else str(after),
        )  # fmt: skip


def _one_at_a_time(membership: Membership) -> None:
    """Two who decide at once would both find nothing to undo."""
    Membership.objects.select_for_update().get(pk=membership.pk)


def _refuse_unseen(assignment: Assignment, membership: Membership, seen: int | None) -> None:
    if seen is None:
        return
    standing = Override.objects.filter(assignment=assignment, membership=membership, undone_at=None)
    found = standing.select_related("author").first()
    if (found.pk if found else 0) != seen:
        raise Conflict(found)


def _undo(assignment: Assignment, membership: Membership, by: User) -> bool:
    standing = Override.objects.filter(assignment=assignment, membership=membership, undone_at=None)
    return bool(standing.update(undone_at=timezone.now(), undone_by=by))
