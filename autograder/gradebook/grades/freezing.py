"""Freezes a gradebook, so that its points and totals no longer change with later gradings, decisions or settings, and
unfreezes it.
"""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

import msgspec
from django.db import transaction
from django.utils import timezone

from autograder.courses import audit, rights
from autograder.courses.errors import Refused
from autograder.courses.models import Assignment, Course, Membership, Role
from autograder.courses.people.extensions import terms_where_extended
from autograder.courses.rights import Right
from autograder.gradebook.grades.frozen import FrozenAssignment, FrozenBasis, FrozenRule, one_at_a_time, refuse_if_frozen
from autograder.gradebook.grades.scores import scores_of_course
from autograder.gradebook.models import Freeze


def freeze(*, course: Course, by: Membership) -> Freeze:
    """Freeze the gradebook. Includes removed students, who may come back to the points that they had."""
    rights.require(by, Right.FREEZE, course)
    with transaction.atomic():
        refuse_if_frozen(course, "The gradebook cannot be frozen twice")
        students = list(course.memberships.filter(role=Role.STUDENT).values_list("pk", flat=True))
        assignments = list(course.assignments.filter(removed_at=None))
        points: dict[str, dict[str, str | None]] = defaultdict(dict)
        excused: dict[int, tuple[int, ...]] = {}
        for (member, assignment), score in scores_of_course(assignments, students).items():
            points[str(member)][str(assignment)] = None if score.points is None else str(score.points)
            if score.excuse is not None:
                excused[member] = (*excused.get(member, ()), assignment)
        basis = _basis(course, assignments, students, excused)
        made = Freeze.objects.create(course=course, by=by.user, points=points, basis=basis)
        audit.record(
            "gradebook-frozen", course, actor=by.user, course=course, students=len(students), assignments=len(assignments)
        )
    return made


def _basis(
    course: Course, assignments: Sequence[Assignment], students: Sequence[int], excused: dict[int, tuple[int, ...]]
) -> object:
    """Return the basis of the totals in the format that the database stores."""
    extended: dict[int, dict[int, datetime | None]] = defaultdict(dict)
    for (member, assignment), terms in terms_where_extended(assignments, students).items():
        extended[member][assignment] = terms.due_at
    basis = FrozenBasis(
        {
            assignment.pk: FrozenAssignment(assignment.points, assignment.unit, assignment.due_at)
            for assignment in assignments
        },
        tuple(FrozenRule(rule.unit, rule.weight, rule.drop_lowest) for rule in course.unit_rules.order_by("pk")),
        dict(extended),
        excused,
    )
    return msgspec.to_builtins(basis, str_keys=True)


def unfreeze(*, course: Course, by: Membership) -> None:
    """Unfreeze the gradebook. Points are computed again, including everything that happened in the meantime."""
    rights.require(by, Right.FREEZE, course)
    with transaction.atomic():
        one_at_a_time(course)
        if not Freeze.objects.filter(course=course, lifted_at=None).update(lifted_at=timezone.now(), lifted_by=by.user):
            raise Refused("The gradebook is not frozen.")
        audit.record("gradebook-unfrozen", course, actor=by.user, course=course)
