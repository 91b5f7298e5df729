"""The grades of a student: per exercise and in total, with how each was calculated."""

from dataclasses import dataclass

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from autograder.courses.models import Membership
from autograder.courses.policies import POLICIES
from autograder.courses.policies.lateness import late_words
from autograder.gradebook.models import Override
from autograder.submissions.handing_in.numbering import numbers_of
from autograder.web.access import SignedIn, members_only
from autograder.web.results.counts import reached_words
from autograder.web.student.assignment_progress import CourseStep, steps_of, total_of_steps, units_of


@dataclass(frozen=True)
class Grade:
    """A row: the points, and a sentence that explains them."""

    step: CourseStep
    how: str
    mark: str = ""


@members_only
@require_safe
def grades(request: SignedIn, membership: Membership) -> HttpResponse:
    steps = steps_of(membership)
    how = total_of_steps(membership, steps)
    units = units_of(steps, how)
    numbered = numbers_of([step.score.counted.submission_id for step in steps if step.score.counted])
    rows = [(unit, [_grade(step, numbered) for step in unit.steps]) for unit in units]
    return render(
        request,
        "web/student/grades.html",
        {
            "course": membership.course,
            "here": "grades",
            "membership": membership,
            "rows": rows,
            "how": how,
            "held": any(step.held and step.submissions for step in steps),
        },
    )


def _grade(step: CourseStep, numbered: dict[int, int]) -> Grade:
    override, counted = step.score.override, step.score.counted
    if step.score.frozen and not step.held:
        return Grade(step, "Frozen by your instructor; later changes do not count.")
    if override is not None:
        return Grade(step, _decided(override), "" if step.outside else "set")
    policy = POLICIES[step.assignment.policy].sentence
    policy += "; if you submit again, the new submission has to be marked too" if step.assignment.points_by_hand else ""
    if step.score.excuse is not None:
        return Grade(
            step, f"You are excused: {step.score.excuse.reason} This exercise is left out of your total.", "excused"
        )
    if step.outside:
        return Grade(step, "Graded outside Gradus; no points yet.")
    if step.held and step.submissions:
        return Grade(step, "Graded. Your points appear when your instructor releases them.")
    if counted is None:
        return Grade(step, f"Not graded yet; {policy}." if step.submissions else f"Not submitted yet; {policy}.")
    reached = reached_words(counted, step.assignment.points)
    late = f", {late_words(counted.lateness, counted.remaining, counted.late_days)}" if counted.late else ""
    which = f"Submission {numbered[counted.submission_id]}"
    return Grade(step, f"{which}: {reached}{late}; {policy}.", "late" if late else "")


def _decided(override: Override) -> str:
    """Explain an override. The reason of an import already names the source of the score."""
    if override.score_import_id is not None:
        return override.reason
    return f"Set by {override.author.display_name}: {override.reason}"
