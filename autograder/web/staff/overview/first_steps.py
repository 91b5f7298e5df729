"""What is left to do in a new course, on its overview until all of it is done or somebody has submitted something."""

from dataclasses import dataclass

from autograder.courses import rights
from autograder.courses.models import Membership
from autograder.courses.rights import Right
from autograder.gradebook.grades.matrix import ProgressMatrix


@dataclass(frozen=True)
class FirstStep:
    """`page` is the name of an address in the course."""

    words: str
    page: str
    done: bool


def first_steps(matrix: ProgressMatrix, staff: Membership) -> tuple[FirstStep, ...]:
    begun = any(row.tiles for row in matrix.rows)
    if begun or not rights.has(staff, Right.SET_UP):
        return ()
    steps = (
        FirstStep("Assign exercises", "assign", bool(matrix.assignments)),
        FirstStep("Give them due dates", "exercises", any(one.due_at for one in matrix.assignments)),
        FirstStep("Add students", "people", bool(matrix.rows)),
    )
    return () if all(step.done for step in steps) else steps
