"""The students before and after one, by name, who submitted to the same exercise."""

from dataclasses import dataclass

from django.db.models import Max

from autograder.courses.models import Membership
from autograder.courses.person_names import by_name
from autograder.courses.rights import students_of
from autograder.submissions.models import Kind, Submission


@dataclass(frozen=True)
class Neighbour:
    name: str
    submission: int  # the newest of this student


def neighbours_of(submission: Submission, staff: Membership) -> tuple[Neighbour | None, Neighbour | None]:
    """The one before and the one after among the students that the viewer sees."""
    students = students_of(staff)
    theirs = Submission.objects.filter(assignment=submission.assignment_id, kind=Kind.SUBMIT, membership__in=students)
    newest = dict(theirs.order_by().values_list("membership").annotate(Max("pk")))
    members = list(students.filter(pk__in=newest).select_related("user").order_by(*by_name()))
    place = next((n for n, member in enumerate(members) if member.pk == submission.membership_id), None)
    if place is None:
        return None, None
    before, after = members[place - 1] if place else None, members[place + 1] if place + 1 < len(members) else None
    return _neighbour(before, newest), _neighbour(after, newest)


def _neighbour(member: Membership | None, newest: dict[int, int]) -> Neighbour | None:
    return Neighbour(member.user.display_name, newest[member.pk]) if member else None
