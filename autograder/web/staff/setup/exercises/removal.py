"""Describes what disappears when an exercise is removed, for the confirmation of a removal that students would notice."""

from dataclasses import dataclass
from datetime import datetime

from autograder.courses.models import Assignment, Membership, Role
from autograder.gradebook.grades.frozen import frozen_since
from autograder.gradebook.grades.scores import scores_of
from autograder.submissions.models import Kind, Submission
from autograder.web import numbers


@dataclass(frozen=True)
class Removal:
    """If `frozen`, the gradebook keeps the points of the exercise."""

    assignment: Assignment
    submissions: int
    students: int
    grades: int
    frozen: bool

    @property
    def words(self) -> str:
        if not self.submissions and not self.grades:
            return "Nothing has been submitted."
        gone = []
        if self.submissions:
            gone.append(
                f"{numbers.quantity(self.submissions, 'submission')} by {numbers.quantity(self.students, 'student')}"
            )
        if self.grades and not self.frozen:
            gone.append(numbers.quantity(self.grades, "grade"))
        alone = len(gone) == 1 and gone[0].startswith("1 ")
        sentence = f"{' and '.join(gone)} {'disappears' if alone else 'disappear'} from view." if gone else ""
        return f"{sentence} The frozen gradebook keeps its points.".strip() if self.grades and self.frozen else sentence


def removal_of(assignment: Assignment, now: datetime) -> Removal | None:
    """Return None if students have not seen the exercise, so that nothing disappears."""
    handed_in = Submission.objects.filter(assignment=assignment, kind=Kind.SUBMIT)
    members = Membership.objects.filter(course_id=assignment.course_id, role=Role.STUDENT, removed_at=None)
    grades = sum(score.points is not None for score in scores_of(assignment, list(members)).values())
    opened = not assignment.graded_outside and (assignment.opens_at is None or assignment.opens_at <= now)
    if not opened and not grades and not handed_in.exists():
        return None
    return Removal(
        assignment,
        submissions=handed_in.count(),
        students=handed_in.values("membership").distinct().count(),
        grades=grades,
        frozen=frozen_since(assignment.course_id) is not None,
    )
