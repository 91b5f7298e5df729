"""Lists the submissions that are waiting for points by hand, in the order in which staff mark them."""

from collections.abc import Sequence
from dataclasses import dataclass

from autograder.courses.models import Assignment, Membership
from autograder.courses.rights import students_of
from autograder.gradebook.grades.frozen import frozen_since
from autograder.gradebook.grades.scores import scores_of_course
from autograder.gradebook.grades.sheet import in_order
from autograder.submissions.models import Submission

QueuePlace = tuple[int, int]  # the positions of the assignment in the course and of the student in the list of names


@dataclass(frozen=True)
class UnmarkedSubmission:
    """A submission to be marked."""

    place: QueuePlace
    assignment: Assignment
    student: Membership
    submission_id: int


@dataclass(frozen=True)
class MarkingQueue:
    """All waiting submissions, by assignment and then by student name."""

    assignments: tuple[Assignment, ...]
    students: tuple[Membership, ...]
    waiting: tuple[UnmarkedSubmission, ...]

    def after(self, submission: Submission) -> UnmarkedSubmission | None:
        """Return the next submission after this one, continuing with the first one at the end."""
        places = (
            {assignment.pk: n for n, assignment in enumerate(self.assignments)},
            {student.pk: n for n, student in enumerate(self.students)},
        )
        here = places[0].get(submission.assignment_id, -1), places[1].get(submission.membership_id, -1)
        others = [waiting for waiting in self.waiting if waiting.submission_id != submission.pk]
        return next((waiting for waiting in others if waiting.place > here), others[0] if others else None)


def marking_queue(staff: Membership, assignments: Sequence[Assignment] | None = None) -> MarkingQueue:
    """Return the queue for the students whose work this person may see. Pass the course's `assignments` if they have been
    loaded already."""
    if assignments is None:
        found = staff.course.assignments.filter(removed_at=None, points_by_hand__gt=0).select_related("course")
        assignments = list(found)
    chosen = tuple(assignment for assignment in assignments if assignment.points_by_hand)
    if not chosen or frozen_since(staff.course_id):
        return MarkingQueue(chosen, (), ())
    students = tuple(in_order(students_of(staff)))
    scores = scores_of_course(chosen, [student.pk for student in students])
    waiting = (
        UnmarkedSubmission((n, place), assignment, student, number)
        for n, assignment in enumerate(chosen)
        for place, student in enumerate(students)
        if (number := scores[student.pk, assignment.pk].to_mark) is not None
    )
    return MarkingQueue(chosen, students, tuple(waiting))
