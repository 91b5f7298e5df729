"""Numbers of submissions. A student's submissions of an assignment are numbered from the oldest; runs are numbered
separately.
"""

from collections import Counter
from collections.abc import Iterable

from autograder.submissions.models import Submission


def number_of(submission: Submission) -> int:
    earlier = Submission.objects.filter(
        assignment_id=submission.assignment_id, membership_id=submission.membership_id, kind=submission.kind
    )
    return earlier.filter(pk__lte=submission.pk).count()


def numbers_of(submissions: Iterable[Submission]) -> dict[int, int]:
    """Return the numbers by submission. All submissions of one student must be given, the oldest first."""
    counts: Counter[tuple[int, str]] = Counter()
    numbers = {}
    for submission in submissions:
        series = (submission.assignment_id, submission.kind)
        counts[series] += 1
        numbers[submission.pk] = counts[series]
    return numbers
