"""Which part of a grading somebody may see. Everything a page shows of a result goes through here.

Of a hidden check a student never sees more than the assignment allows at this moment: before that its inputs, expected
values, messages and traces are not in anything that this module returns. What was printed under one is never shown.
The table of levels is in docs/instructor.md.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from autograder.courses.check_visibility import Sight
from autograder.judge.misconceptions import described
from autograder.judge.report import CheckResult, Report
from autograder.judge.trace.model import Trace
from autograder.web.results.counts import Count, count_of
from autograder.web.results.explanation import Told

NOT_SHOWN = {
    "timeout-cpu": "Stopped during a hidden check: your code exceeded the CPU time limit.",
    "timeout-wall": "Stopped during a hidden check: your code exceeded the time limit.",
    "memory": "Stopped during a hidden check: your code exceeded the memory limit.",
    "output": "Stopped during a hidden check: your code printed too much output.",
    "crash": "Stopped during a hidden check: the Python process exited before it returned a result.",
    "protocol": "Stopped during a hidden check: your code did not return a valid result.",
}

UNSCORED = ("error", "internal")
VALUE = re.compile(r"\d|\b(?:inf|nan)\b|`", re.IGNORECASE)  # in a sentence: a number, or code
SENTENCES = re.compile(r"(?<=[.!?])\s+")


@dataclass(frozen=True)
class Visible:
    """What is left of a grading for one pair of eyes."""

    report: Report  # public checks in full; hidden ones in full, stripped, or not at all
    sight: Sight
    count: Count
    score: float | None  # None: not to be known, because it would tell
    told: tuple[Told, ...]
    told_of_hidden: tuple[Told, ...]  # without the names of the checks, where these are not to be known
    traces: tuple[Trace, ...]

    @property
    def public(self) -> tuple[CheckResult, ...]:
        return tuple(check for check in self.report.checks if not check.hidden)

    @property
    def hidden(self) -> tuple[CheckResult, ...]:
        return tuple(check for check in self.report.checks if check.hidden)


def visible(
    report: Report, told: tuple[Told, ...], traces: tuple[Trace, ...], sight: Sight, *, explain_hidden: bool
) -> Visible:
    count = count_of(report.checks, hidden_known=sight.counts)
    behind = _behind_hidden(report)
    seen = tuple(shown for check in report.checks if (shown := _seen(check, sight, check.id in behind)) is not None)
    open_ids = {check.id for check in report.checks if sight is Sight.ALL or not (check.hidden or check.id in behind)}
    knows_count = count.hidden_passed is not None
    held = not knows_count and _ended_hidden(report)  # even that a hidden check ended it would be a result
    return Visible(
        report=msgspec.structs.replace(
            report,
            checks=seen,
            message=_message(report, sight),
            stopped=report.stopped if _own_words(report, sight) else None,
            seed=report.seed if sight is Sight.ALL else 0,
            seconds=report.seconds if sight is Sight.ALL or not _has_hidden(report) else float(math.ceil(report.seconds)),
            verdict=report.verdict if knows_count or (report.verdict in UNSCORED and not held) else "partial",
            reason=None if held else report.reason,
            score=report.score if knows_count else 0.0,
        ),
        sight=sight,
        count=count,
        score=report.score if knows_count else None,
        told=tuple(_told(told, report, sight, open_ids, explain_hidden=explain_hidden)),
        told_of_hidden=tuple(_told_of_hidden(told, report, open_ids)) if explain_hidden and sight is Sight.COUNT else (),
        traces=tuple(trace for trace in traces if trace.check in open_ids),
    )


def _has_hidden(report: Report) -> bool:
    """How long they took would tell what they asked, to code that waits accordingly."""
    return any(check.hidden for check in report.checks)


def _seen(check: CheckResult, sight: Sight, behind: bool) -> CheckResult | None:
    if sight is Sight.ALL:
        return msgspec.structs.replace(check, stdout="") if check.hidden else check
    if check.hidden and not sight.names:
        return None
    if not check.hidden and not behind:
        return check
    ending = check.ending if check.ending in ("passed", "unreached") else "failed"
    return CheckResult(check.id, check.title, check.hidden, check.passed, check.points, check.max_points, ending)


def _behind_hidden(report: Report) -> set[str]:
    """Public checks that were run after a hidden one. A submission may have kept what the hidden one asked, and print or
    return it now: of these is seen whether they pass. Our exercises have none; somebody else's may."""
    first = next((n for n, check in enumerate(report.checks) if check.hidden), len(report.checks))
    return {check.id for check in report.checks[first:] if not check.hidden}


def _message(report: Report, sight: Sight) -> str:
    """The submission's own words may stand in the message of how it ended: it could quote a hidden check's input there."""
    if report.verdict == "internal":
        return ""
    if _own_words(report, sight):
        return report.message
    if sight is Sight.NOTHING:
        return ""
    return NOT_SHOWN.get(report.reason or "", "Stopped during a hidden check.")


def _own_words(report: Report, sight: Sight) -> bool:
    """Which line it chose to stop at could quote an input as well as words could."""
    return sight is Sight.ALL or not _ended_hidden(report)


def _ended_hidden(report: Report) -> bool:
    """Whether the submission was stopped, and a hidden check was the last that it reached."""
    reached = [check for check in report.checks if check.ending != "unreached"]
    return report.reason is not None and bool(reached) and reached[-1].hidden


# -- explanations ----------------------------------------------------------------------------------------------------------


def _told(
    told: tuple[Told, ...], report: Report, sight: Sight, open_ids: set[str], *, explain_hidden: bool
) -> Iterator[Told]:
    """Explanations of checks that may be named. That none is known is said of open checks alone."""
    named = open_ids | (_hidden_ids(report) if explain_hidden and sight is Sight.TITLES else set())
    failed = {check.id for check in report.checks if not check.passed}
    for each in told:
        if named & set(each.checks) or (failed & open_ids and not each.known):
            explained = set(each.checks) or failed
            yield _about(each if explained <= open_ids else _without_values(each), named)


def _told_of_hidden(told: tuple[Told, ...], report: Report, open_ids: set[str]) -> Iterator[Told]:
    """Explanations of hidden checks alone, tied to none: which of them failed is not to be known."""
    for each in told:
        if each.known and _hidden_ids(report) & set(each.checks) and not open_ids & set(each.checks):
            yield _about(_without_values(each), set())


def _hidden_ids(report: Report) -> set[str]:
    return {check.id for check in report.checks if check.hidden}


def _about(told: Told, checks: set[str]) -> Told:
    return msgspec.structs.replace(told, checks=tuple(check for check in told.checks if check in checks))


def _without_values(told: Told) -> Told:
    """Fixed sentences of the catalogue, and of all others those without a number or code: such a one could be what a
    hidden check asked or expected."""
    fixed = [described(told.key, {}, limited=limited).text for limited in (False, True)]
    if told.words in fixed:
        return told
    kept = [part for part in SENTENCES.split(told.words) if not VALUE.search(part)]
    return msgspec.structs.replace(told, words=" ".join(kept) or fixed[0])
