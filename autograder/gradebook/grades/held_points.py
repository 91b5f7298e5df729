"""Decides whether a student may know the points of an assignment yet, for every page and everything that is sent elsewhere."""

from datetime import datetime

from autograder.courses.models import Assignment
from autograder.courses.people.check_visibility import CheckVisibility, check_visibility_of
from autograder.courses.people.extensions import StudentTerms
from autograder.gradebook.grades.scores import Score


def points_are_held(
    assignment: Assignment, terms: StudentTerms, score: Score, *, now: datetime, staff: bool = False
) -> bool:
    """Return whether points would tell what hidden checks say before the student may know it. Points set by hand never do."""
    sight = check_visibility_of(assignment, terms, staff=staff, now=now)
    return sight is CheckVisibility.NOTHING and score.override is None
