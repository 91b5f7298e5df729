"""Names that staff give to unexplained mistakes. Equal answers, earlier and later ones, are counted under that name.

Names are visible to staff only and never affect points.
"""

from django.db import transaction
from django.utils import timezone

from autograder.courses import audit, rights
from autograder.courses.errors import Refused
from autograder.courses.models import Assignment, Membership
from autograder.courses.rights import Right
from autograder.gradebook.insights.failure_groups import FailedAnswer
from autograder.gradebook.models import NamedMistake

MAX_NAME_LENGTH, MAX_WORDS_LENGTH = 80, 300


def names_of(assignment: Assignment) -> dict[str, NamedMistake]:
    """Return the named mistakes of an assignment by the digest of their answer."""
    return {mistake.answer: mistake for mistake in NamedMistake.objects.filter(assignment=assignment, taken_back_at=None)}


def mistake_name(*, assignment: Assignment, answer: FailedAnswer, name: str, words: str, by: Membership) -> NamedMistake:
    """Name an answer. An existing name must be removed first."""
    rights.require(by, Right.SET_UP, assignment.course)
    name, words = " ".join(name.split()), " ".join(words.split())
    if not name:
        raise Refused("Enter a name for the mistake.")
    if len(name) > MAX_NAME_LENGTH or len(words) > MAX_WORDS_LENGTH:
        raise Refused(f"A name can have at most {MAX_NAME_LENGTH} characters, and an explanation {MAX_WORDS_LENGTH}.")
    with transaction.atomic():
        Assignment.objects.select_for_update().get(pk=assignment.pk)  # two concurrent requests could both find no name
        standing = names_of(assignment).get(answer.digest)
        if standing is not None:
            raise Refused(f"This mistake already has the name {standing.name}. Remove that name first.")
        made = NamedMistake.objects.create(
            assignment=assignment, answer=answer.digest, check_id=answer.check.id, name=name, words=words, named_by=by.user
        )
        audit.record("mistake-named", assignment, actor=by.user, course=assignment.course, name=name, check=answer.check.id)
    return made


def mistake_unname(*, assignment: Assignment, number: int, by: Membership) -> NamedMistake:
    """Remove a name. Its answers are unexplained again."""
    rights.require(by, Right.SET_UP, assignment.course)
    with transaction.atomic():
        found = NamedMistake.objects.select_for_update().filter(pk=number, assignment=assignment, taken_back_at=None).first()
        if found is None:
            raise Refused("This name was already removed.")
        found.taken_back_at, found.taken_back_by = timezone.now(), by.user
        found.save(update_fields=("taken_back_at", "taken_back_by"))
        audit.record("mistake-unnamed", assignment, actor=by.user, course=assignment.course, name=found.name)
    return found
