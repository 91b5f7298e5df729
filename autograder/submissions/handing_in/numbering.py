"""The numbers of submissions, the same on every page. A student's submissions of an assignment are numbered from the oldest,
runs separately. A file that Python cannot parse has no number.
"""

from collections import Counter
from collections.abc import Collection, Iterable

from django.db.models import Exists, OuterRef, QuerySet

from autograder.submissions.models import UNREADABLE, Grading, Kind, Submission


def number_of(submission: Submission) -> int | None:
    return numbers_of([submission.pk]).get(submission.pk)


def name_of(submission: Submission, number: int | None) -> str:
    """How a sentence names a submission with this number: "submission 3", or "run 2"."""
    what = "run" if submission.kind == Kind.RUN else "submission"
    return f"{what} with a syntax error" if number is None else f"{what} {number}"


def readable(submissions: QuerySet[Submission]) -> QuerySet[Submission]:
    """Leave out those that Python cannot parse."""
    unreadable = Grading.objects.filter(submission=OuterRef("pk"), current=True, verdict=UNREADABLE)
    return submissions.filter(~Exists(unreadable))


def numbers_of(submissions: Collection[int]) -> dict[int, int]:
    """Return the numbers by submission. One that Python cannot parse is left out."""
    wanted = Submission.objects.filter(pk__in=submissions)
    beside = Submission.objects.filter(
        assignment__in=wanted.values("assignment"), membership__in=wanted.values("membership")
    )
    numbers = numbered(beside)
    return {pk: numbers[pk] for pk in submissions if pk in numbers}


def numbered(every: QuerySet[Submission]) -> dict[int, int]:
    """The same for all submissions of some students in some assignments."""
    return numbers_in_order(readable(every).order_by("pk").values_list("pk", "assignment_id", "membership_id", "kind"))


def numbers_in_order(rows: Iterable[tuple[int, int, int, str]]) -> dict[int, int]:
    """The same for rows of readable submissions, the oldest first."""
    counts: Counter[tuple[int, int, str]] = Counter()
    numbers = {}
    for pk, assignment, member, kind in rows:
        counts[assignment, member, kind] += 1
        numbers[pk] = counts[assignment, member, kind]
    return numbers
