"""The content of a regrade page: how many grades rise and fall, their distribution, and each change with its reason.

The same rows are shown for a regrade that was applied or undone.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, Decimal
from statistics import fmean

import msgspec

from autograder.courses.models import AuditEntry
from autograder.gradebook.regrades.regrading import GradeChange
from autograder.judge.report import CheckResult, Report
from autograder.submissions.handing_in.numbering import numbers_of
from autograder.submissions.models import Batch, Grading
from autograder.submissions.regrades import RegradedSubmission
from autograder.web import numbers

BINS = 5  # bins of equal width; full points have one more
CENT = Decimal("0.01")
WIDTH, HEIGHT, FLOOR, TOP = 500, 184, 160, 40
ALL_BUT = 1e-9  # tolerance, because shares are floats
MOST_WORDS = 3  # checks to name in a row


@dataclass(frozen=True)
class HistogramBar:
    """Number of grades in a range, before and after."""

    x: int
    label: str
    before: int
    after: int
    before_y: float
    after_y: float
    number_y: float

    @property
    def before_height(self) -> float:
        return FLOOR - self.before_y

    @property
    def after_height(self) -> float:
        return FLOOR - self.after_y

    @property
    def number(self) -> str:
        return str(self.before) if self.before == self.after else f"{self.before} → {self.after}"


@dataclass(frozen=True)
class GradeChangeRow:
    """A grade that changes, with the submissions that cause it and the checks with a different result."""

    change: GradeChange
    submissions: tuple[RegradedSubmission, ...]
    why: str
    numbers: Mapping[int, int]  # by submission
    by_hand: str = ""  # note that points set by hand are kept


@dataclass(frozen=True)
class RegradeSummary:
    stay: int
    gain: int
    lose: int
    first: int  # graded for the first time
    set_by_hand: int  # changed grades whose override keeps the old points
    mean_before: float | None
    mean_after: float | None
    in_percent: bool  # whether the means are percentages, because the maximum points differ
    bars: tuple[HistogramBar, ...]


def summary_of(changes: Sequence[GradeChange]) -> RegradeSummary:
    before = [share for change in changes if (share := _share(change, change.stands_before)) is not None]
    after = [share for change in changes if (share := _share(change, change.stands_after)) is not None]
    return RegradeSummary(
        stay=sum(not change.changed for change in changes),
        gain=sum(change.raises for change in changes),
        lose=sum(change.lowers for change in changes),
        first=sum(change.before is None and change.after is not None for change in changes),
        set_by_hand=sum(change.changed and change.override is not None for change in changes),
        mean_before=_mean(changes, before),
        mean_after=_mean(changes, after),
        in_percent=_one_maximum(changes) is None,
        bars=_bars(before, after, _one_maximum(changes)),
    )


def _share(change: GradeChange, points: Decimal | None) -> float | None:
    return None if points is None else float(points / change.assignment.points)


def _one_maximum(changes: Sequence[GradeChange]) -> Decimal | None:
    """The maximum points of the grades, if it is the same for all."""
    reachable = {change.assignment.points for change in changes}
    return reachable.pop() if len(reachable) == 1 else None


def _mean(changes: Sequence[GradeChange], shares: Sequence[float]) -> float | None:
    """The mean in points if all grades have the same maximum, else in percent."""
    return fmean(shares) * float(_one_maximum(changes) or 100) if shares else None


def _bars(before: Sequence[float], after: Sequence[float], of: Decimal | None) -> tuple[HistogramBar, ...]:
    left, right = _counts(before), _counts(after)
    most = max(*left, *right, 1)
    bars = []
    for n, (was, is_now) in enumerate(zip(left, right, strict=True)):
        was_y, now_y = (round(FLOOR - (FLOOR - TOP) * count / most, 1) for count in (was, is_now))
        bars.append(HistogramBar(50 + 80 * n, _range(n, of), was, is_now, was_y, now_y, min(was_y, now_y) - 9))
    return tuple(bars)


def _range(n: int, of: Decimal | None) -> str:
    """The label of a bin: "2 to 3.99" of 10 points, or "20 to 39%" if the maximum differs."""
    if n == BINS:
        return f"{numbers.points(of)} or more" if of else "100%"
    if of is None:
        return f"{100 * n // BINS} to {100 * (n + 1) // BINS - 1}%"
    first, after = ((of * edge / BINS).quantize(CENT, ROUND_CEILING) for edge in (n, n + 1))
    return f"{numbers.points(first)} to {numbers.points(after - CENT)}"


def _counts(shares: Sequence[float]) -> list[int]:
    counts = [0] * (BINS + 1)
    for share in shares:
        counts[max(0, min(BINS, int(share * BINS + ALL_BUT)))] += 1
    return counts


def rows_of(changes: Sequence[GradeChange]) -> list[GradeChangeRow]:
    """Build rows with reasons. This loads the reports of all given changes, so pass one page of them."""
    moved = [(change, tuple(cause for cause in change.submissions if cause.changed)) for change in changes]
    wanted = {pk for _, causes in moved for cause in causes for pk in _gradings(cause)}
    stored = Grading.objects.filter(pk__in=wanted).values_list("pk", "report")
    checks = {pk: _checks(report) for pk, report in stored}
    numbers = numbers_of([cause.submission.pk for _, causes in moved for cause in causes])
    return [GradeChangeRow(change, causes, _why(causes, checks), numbers, _by_hand(change)) for change, causes in moved]


def rows_of_entries(batch: Batch, entries: Sequence[AuditEntry]) -> list[GradeChangeRow]:
    """Build rows from the audit trail, for changes that were applied."""
    moved = _moved(batch, {entry.membership_id for entry in entries})
    changes = [
        GradeChange(
            membership=entry.membership,
            assignment=entry.assignment,
            before=_decimal(entry.details.get("before")),
            after=_decimal(entry.details.get("after")),
            override=None,
            submissions=tuple(moved.get((entry.membership_id, entry.assignment_id), ())),
        )
        for entry in entries
        if entry.membership is not None and entry.assignment is not None
    ]
    by_hand = {(entry.membership_id, entry.assignment_id): _kept(entry.details) for entry in entries}
    return [replace(row, by_hand=by_hand[row.change.membership.pk, row.change.assignment.pk]) for row in rows_of(changes)]


def _moved(batch: Batch, members: Collection[int | None]) -> dict[tuple[int | None, int | None], list[RegradedSubmission]]:
    """Return the replaced gradings by member and assignment; in reverse if the regrade was undone."""
    replacements = batch.replacements.filter(after__submission__membership__in=members)
    replacements = replacements.select_related("after__submission", "before")
    unread = [f"{grading}__{name}" for grading in ("after", "before") for name in ("report", "diagnosis", "traces")]
    found: dict[tuple[int | None, int | None], list[RegradedSubmission]] = {}
    for replacement in replacements.defer(*unread, "after__submission__source"):
        submission = replacement.after.submission
        change = RegradedSubmission(submission, replacement.before, replacement.after)
        if batch.state == Batch.State.UNDONE:
            if replacement.before is None:
                continue
            change = RegradedSubmission(submission, replacement.after, replacement.before)
        found.setdefault((submission.membership_id, submission.assignment_id), []).append(change)
    return found


def _decimal(text: object) -> Decimal | None:
    return None if text is None else Decimal(str(text))


def _by_hand(change: GradeChange) -> str:
    return f"set to {numbers.points(change.override.points)} by hand, which is kept" if change.override else ""


def _kept(details: Mapping[str, object]) -> str:
    """The note about points set by hand. Entries of older regrades do not contain the number."""
    if not details.get("overridden"):
        return ""
    points = _decimal(details.get("set_by_hand"))
    return "set by hand, which is kept" if points is None else f"set to {numbers.points(points)} by hand, which is kept"


def _gradings(change: RegradedSubmission) -> tuple[int, ...]:
    return (change.after.pk,) if change.before is None else (change.before.pk, change.after.pk)


def _checks(report: object) -> dict[str, CheckResult]:
    return {check.id: check for check in msgspec.convert(report, Report).checks} if report else {}


def _why(moved: Sequence[RegradedSubmission], checks: dict[int, dict[str, CheckResult]]) -> str:
    reasons: dict[str, None] = {}
    for change in moved:
        if change.before is None:
            reasons["graded for the first time"] = None
        else:
            reasons |= dict.fromkeys(_differences(checks.get(change.before.pk, {}), checks.get(change.after.pk, {})))
    words = list(reasons)
    more = len(words) - MOST_WORDS
    return "; ".join(words[:MOST_WORDS]) + (f"; {more} more" if more > 0 else "")


def _differences(was: dict[str, CheckResult], now: dict[str, CheckResult]) -> Iterator[str]:
    """Yield the differences: first changed results, then added and removed checks, then changed points."""
    both = [(was[check], now[check]) for check in now if check in was]
    for before, after in both:
        if before.passed != after.passed:
            yield f"now {'passes' if after.passed else 'fails'} “{after.title}”"
    yield from (f"no longer checked: “{was[check].title}”" for check in was if check not in now)
    yield from (f"new check: “{now[check].title}”" for check in now if check not in was)
    for before, after in both:
        if before.max_points != after.max_points:
            yield f"“{after.title}” is worth {numbers.points(after.max_points)}, not {numbers.points(before.max_points)}"
