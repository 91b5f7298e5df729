"""Where submissions look at or change what runs beside them, for staff. See `autograder.judge.introspection`."""

from collections.abc import Collection

import msgspec

from autograder.judge.introspection import Use
from autograder.submissions.models import Grading


def looks_of(submissions: Collection[int]) -> dict[int, tuple[Use, ...]]:
    """The uses in each of these submissions that has any, as the grading that counts has found them."""
    found = Grading.objects.filter(submission__in=submissions, current=True).exclude(introspection=None)
    return {
        submission: msgspec.convert(uses, tuple[Use, ...])
        for submission, uses in found.values_list("submission_id", "introspection")
        if uses
    }
