"""The note beside a result whose points in the frozen gradebook differ from those computed now."""

from autograder.courses.models import Assignment
from autograder.gradebook.grades.scores import Score
from autograder.web import numbers


def frozen_note(score: Score, assignment: Assignment) -> str:
    """Return the note; empty if the gradebook is not frozen or agrees with the current points."""
    worth = assignment.points if score.of is None else score.of
    if not score.frozen and worth == assignment.points:
        return ""
    if score.points is None:
        return "The gradebook is frozen with no points for this exercise. New results do not change it."
    stands = f"{numbers.points(score.points)} of {numbers.points(worth)} points"
    return f"The gradebook is frozen with {stands} for this exercise. New results do not change it."
