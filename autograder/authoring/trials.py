"""Lets authors try a draft as students: with the real pages, queue and sandbox, in a course that nobody else is in.

Each course has one for its drafts. Lists of courses leave it out, and its authors are students in it.
"""

from decimal import Decimal
from secrets import token_hex

from django.db import transaction

from autograder.authoring.models import Draft, DraftProof
from autograder.authoring.publishing import stored_version
from autograder.courses import rights
from autograder.courses.errors import Refused
from autograder.courses.models import Assignment, Course, Membership, Role, ShowHidden, ShowSolutions
from autograder.courses.rights import OPERATOR, Right
from autograder.courses.setup.assignments import assignment_create, assignment_update
from autograder.library.models import Exercise

NOT_READ = "The checks of this draft have not been read yet. Try again in a moment."


def begin(draft: Draft, *, by: Membership) -> Assignment:
    """The draft, as it is now, as an assignment of the author alone."""
    rights.require(by, Right.SET_UP, draft.course)
    with transaction.atomic():
        row = Draft.objects.select_for_update(of=("self",)).select_related("course", "proof").get(pk=draft.pk)
        if not may_begin(row):
            raise Refused(NOT_READ)
        course = _course_of(row.course)
        Membership.objects.get_or_create(course=course, user=by.user, defaults={"role": Role.STUDENT})
        found = Assignment.objects.filter(course=course, slug=row.slug).select_related("course", "version__exercise").first()
        if found is None:
            exercise = Exercise.objects.create(slug=f"trial-{row.pk}-{token_hex(3)}", owner=course.slug)
            version = stored_version(row, exercise).version
            return assignment_create(
                course=course,
                version=version,
                slug=row.slug,
                by=OPERATOR,
                show_hidden=ShowHidden.ALWAYS,
                show_solutions=ShowSolutions.AFTER_PASSING,
            )
        version = stored_version(row, found.exercise_version.exercise).version
        return assignment_update(
            assignment=found,
            by=OPERATOR,
            version=version,
            title=version.title,
            unit=version.unit,
            points=Decimal(str(version.points)),
        )


def may_begin(draft: Draft) -> bool:
    """Whether a worker has read the checks of the draft as it is now."""
    proof: DraftProof | None = getattr(draft, "proof", None)
    return proof is not None and proof.opened == draft.edition


def _course_of(course: Course) -> Course:
    """The trial course, whose address nobody could have given to another one."""
    found = Course.objects.filter(trial_of=course).first()
    return found or Course.objects.create(
        slug=f"trials-{course.pk}-{token_hex(3)}",
        title=f"Drafts of {course.title}"[:200],
        trial_of=course,
        time_zone=course.time_zone,
    )
