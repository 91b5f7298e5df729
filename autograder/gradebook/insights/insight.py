"""Statistics of an assignment: pass rates of each check, the frequency of misconceptions, and failures without explanation.

Reads the reports of the current gradings in chunks, and only the parts that are counted. Includes hidden checks, so it is
for staff only.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from statistics import median

import msgspec
from django.db.models import TextField
from django.db.models.functions import Cast
from django.utils import timezone

from autograder.courses.models import Assignment, Membership
from autograder.courses.rights import students_of
from autograder.gradebook.insights import named_mistakes
from autograder.gradebook.insights.failure_groups import FailureGroup, FailureGroups, answer_of
from autograder.gradebook.models import NamedMistake
from autograder.judge.report import CheckResult
from autograder.library.pages import page_of
from autograder.submissions.models import COUNTING, Grading, Kind

FETCH_SIZE = 200
DAYS = 7
EXAMPLES = 5
NAMED = "named:"  # prefix of the number of a mistake named by staff; keys of diagnoses contain no colon


class Explained(msgspec.Struct, frozen=True):
    """The key, title and text of a diagnosis. An empty key means that none is known. `name` is the name given by staff."""

    key: str = ""
    words: str = ""
    title: str = ""
    name: str = ""


class ReportChecks(msgspec.Struct, frozen=True):
    """The checks of a report."""

    checks: tuple[CheckResult, ...] = ()


class GradedSubmission(msgspec.Struct, frozen=True):
    """A current grading, reduced to what is counted."""

    student: int
    submission: int
    at: datetime
    verdict: str
    checks: tuple[CheckResult, ...]
    explanations: tuple[Explained, ...]


@dataclass(frozen=True)
class CheckPasses:
    """A check, and the number of students whose first and latest submissions pass it."""

    id: str
    title: str
    hidden: bool
    first: int
    latest: int


@dataclass
class CountedMistake:
    """A mistake by its key; the empty key stands for failures that no known mistake explains."""

    key: str
    words: str = ""
    title: str = ""  # empty for gradings stored before explanations had titles
    name: str = ""  # if staff named it
    number: int | None = None  # the id of the named mistake
    submissions: int = 0
    now: set[int] = field(default_factory=set)  # students whose latest submission has it
    ever: set[int] = field(default_factory=set)
    days: Counter[date] = field(default_factory=Counter)
    latest: dict[int, int] = field(default_factory=dict)  # the latest submission of each student

    @property
    def examples(self) -> list[int]:
        return sorted(self.latest.values(), reverse=True)[:EXAMPLES]

    def per_day(self, days: Iterable[date]) -> list[int]:
        return [self.days[day] for day in days]


@dataclass(frozen=True)
class Insight:
    students: int  # who submitted
    submissions: int
    failed: int
    not_run: int  # failed submissions without a single answer to examine
    passed: int  # number of students
    to_pass: timedelta | None  # the median time from a student's first submission to the first that passed
    days: tuple[date, ...]
    checks: tuple[CheckPasses, ...]
    misconceptions: tuple[CountedMistake, ...]  # those of most students now first
    groups: tuple[FailureGroup, ...]  # of unexplained failures

    @property
    def unexplained(self) -> int:
        """The number of submissions with an answer that no known mistake explains, whether or not it can be grouped by value."""
        return sum(misconception.submissions for misconception in self.misconceptions if not misconception.key)


def insight_of(assignment: Assignment, staff: Membership, now: datetime) -> Insight:
    """Compute the statistics for the students whose work this person may see, in the active time zone."""
    tally = InsightCounter(named_mistakes.names_of(assignment))
    for graded in _read(assignment, staff):
        tally.add(graded)
    today = timezone.localdate(now)
    return Insight(
        students=len(tally.firsts),
        submissions=tally.submissions,
        failed=tally.failed,
        not_run=tally.not_run,
        passed=len(tally.passed_after),
        to_pass=_median(tally.passed_after.values()),
        days=tuple(today - timedelta(days=back) for back in reversed(range(DAYS))),
        checks=tally.passes(assignment),
        misconceptions=tally.misconceptions(),
        groups=tally.groups.all(),
    )


class InsightCounter:
    """Counts gradings, which must be added in the order of submission."""

    def __init__(self, names: Mapping[str, NamedMistake]) -> None:
        self._names = names
        self.submissions = self.failed = self.not_run = 0
        self.firsts: dict[int, GradedSubmission] = {}
        self.latests: dict[int, GradedSubmission] = {}
        self.passed_after: dict[int, timedelta] = {}
        self.groups = FailureGroups()
        self._mistakes: dict[str, CountedMistake] = {}

    def add(self, graded: GradedSubmission) -> None:
        self.submissions += 1
        graded = self._by_name(graded)
        first = self.firsts.setdefault(graded.student, graded)
        self.latests[graded.student] = graded
        if graded.verdict == "passed":
            self.passed_after.setdefault(graded.student, graded.at - first.at)
        else:
            self.failed += 1
            self.not_run += graded.verdict == "error"
        for explained in {explained.key: explained for explained in graded.explanations}.values():
            self._count(graded, explained)

    def _by_name(self, graded: GradedSubmission) -> GradedSubmission:
        """Assign an unexplained grading to its named mistake, or else to its group."""
        answer = answer_of(graded.checks) if any(not explained.key for explained in graded.explanations) else None
        if answer is None:
            return graded
        named = self._names.get(answer.digest)
        if named is None:
            self.groups.add(graded.student, graded.submission, answer)
            return graded
        given_name = Explained(f"{NAMED}{named.pk}", named.words, name=named.name)
        return msgspec.structs.replace(
            graded, explanations=tuple(explained if explained.key else given_name for explained in graded.explanations)
        )

    def _count(self, graded: GradedSubmission, explained: Explained) -> None:
        mistake = self._mistakes.setdefault(explained.key, CountedMistake(explained.key))
        mistake.words, mistake.title = explained.words, explained.title
        if explained.key.startswith(NAMED):
            mistake.name, mistake.number = explained.name, int(explained.key.removeprefix(NAMED))
        mistake.submissions += 1
        mistake.ever.add(graded.student)
        mistake.days[timezone.localdate(graded.at)] += 1
        mistake.latest[graded.student] = graded.submission

    def misconceptions(self) -> tuple[CountedMistake, ...]:
        for student, latest in self.latests.items():
            for explained in latest.explanations:
                self._mistakes[explained.key].now.add(student)
        order = sorted(self._mistakes.values(), key=lambda mistake: (-len(mistake.now), -len(mistake.ever), mistake.key))
        return tuple(sorted(order, key=lambda mistake: not mistake.key))  # unexplained ones last

    def passes(self, assignment: Assignment) -> tuple[CheckPasses, ...]:
        """Return the checks in the order of the exercise, followed by those of older versions."""
        first, latest = (Counter(_passed(gradings.values())) for gradings in (self.firsts, self.latests))
        known = {check.id: (check.title, check.hidden) for check in page_of(assignment.exercise_version).checks}
        for graded in self.latests.values():
            for check in graded.checks:
                known.setdefault(check.id, (check.title, check.hidden))
        return tuple(CheckPasses(id_, title, hidden, first[id_], latest[id_]) for id_, (title, hidden) in known.items())


def _passed(gradings: Iterable[GradedSubmission]) -> Iterator[str]:
    return (check.id for graded in gradings for check in graded.checks if check.passed)


def _median(spans: Collection[timedelta]) -> timedelta | None:
    return timedelta(seconds=median(span.total_seconds() for span in spans)) if spans else None


def _read(assignment: Assignment, staff: Membership) -> Iterator[GradedSubmission]:
    """Read reports as text and decode only the parts that are counted, which are a small fraction."""
    gradings = (
        Grading.objects.filter(COUNTING, submission__assignment=assignment, submission__kind=Kind.SUBMIT)
        .filter(submission__membership__in=students_of(staff))
        .order_by("submission__submitted_at", "submission_id")
        .annotate(report_text=Cast("report", TextField()), diagnosis_text=Cast("diagnosis", TextField()))
    )
    columns = ("submission__membership_id", "submission_id", "submission__submitted_at", "verdict")
    report, diagnosis = msgspec.json.Decoder(ReportChecks), msgspec.json.Decoder(tuple[Explained, ...])
    rows = gradings.values_list(*columns, "report_text", "diagnosis_text").iterator(FETCH_SIZE)
    for student, submission, at, verdict, checks, explanations in rows:
        yield GradedSubmission(
            student, submission, at, verdict, report.decode(checks).checks, diagnosis.decode(explanations)
        )
