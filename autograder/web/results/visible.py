"""Limits a grading to what the viewer may see. Every page that shows a result uses this module.

For a hidden check, a student gets only what the assignment allows at the moment. Until then its inputs, expected
values, messages and traces are not part of any return value. Output printed during a hidden check is never shown.
docs/instructor.md has the table of levels.
"""

import math
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

import msgspec

from autograder.courses.people.check_visibility import CheckVisibility
from autograder.explain.misconceptions import described
from autograder.judge.report import CheckResult, Ending, Report
from autograder.trace.model import Trace
from autograder.web.results.counts import Count, count_of
from autograder.web.results.explanation import Explanation

NOT_SHOWN = {
    "timeout-cpu": "Stopped during a hidden check: your code exceeded the CPU time limit.",
    "timeout-wall": "Stopped during a hidden check: your code exceeded the time limit.",
    "memory": "Stopped during a hidden check: your code exceeded the memory limit.",
    "output": "Stopped during a hidden check: your code printed too much output.",
    "crash": "Stopped during a hidden check: the Python process exited before it returned a result.",
    "protocol": "Stopped during a hidden check: your code did not return a valid result.",
}

ENDINGS: tuple[Ending, ...] = ("passed", "unreached")  # of a hidden check whose title is shown; others are called failed
UNSCORED = ("error", "internal")
VALUE = re.compile(r"\d|\b(?:inf|nan)\b|`", re.IGNORECASE)  # a number or code in a sentence
SENTENCES = re.compile(r"(?<=[.!?])\s+")


@dataclass(frozen=True)
class Visible:
    """The visible part of a grading for one viewer."""

    report: Report  # public checks in full; hidden ones in full, reduced, or omitted
    sight: CheckVisibility
    count: Count
    score: float | None  # None if it would reveal hidden results
    explanations: tuple[Explanation, ...]
    hidden_explanations: tuple[Explanation, ...]  # without check names, where these are not visible
    traces: tuple[Trace, ...]
    lost: tuple[str, ...] = ()  # a sentence for each stored part that cannot be read

    @property
    def public(self) -> tuple[CheckResult, ...]:
        return tuple(check for check in self.report.checks if not check.hidden)

    @property
    def hidden(self) -> tuple[CheckResult, ...]:
        return tuple(check for check in self.report.checks if check.hidden)


def visible(
    report: Report,
    explanations: tuple[Explanation, ...],
    traces: tuple[Trace, ...],
    sight: CheckVisibility,
    *,
    explain_hidden: bool,
) -> Visible:
    count = count_of(report.checks, hidden_known=sight.counts)
    behind = _behind_hidden(report)
    shown_endings = (*ENDINGS, "raised") if explain_hidden else ENDINGS
    seen = tuple(
        shown for check in report.checks if (shown := _seen(check, sight, check.id in behind, shown_endings)) is not None
    )
    open_ids = {
        check.id for check in report.checks if sight is CheckVisibility.ALL or not (check.hidden or check.id in behind)
    }
    knows_count = count.hidden_passed is not None
    held = not knows_count and _ended_hidden(report)  # that a hidden check ended it would already be a result
    return Visible(
        report=msgspec.structs.replace(
            report,
            checks=seen,
            message=_message(report, sight),
            stopped=report.stopped if _own_words(report, sight) else None,
            seed=report.seed if sight is CheckVisibility.ALL else 0,
            seconds=report.seconds
            if sight is CheckVisibility.ALL or not _has_hidden(report)
            else float(math.ceil(report.seconds)),
            verdict=report.verdict if knows_count or (report.verdict in UNSCORED and not held) else "partial",
            reason=None if held else report.reason,
            score=report.score if knows_count else 0.0,
        ),
        sight=sight,
        count=count,
        score=report.score if knows_count else None,
        explanations=tuple(_visible_explanations(explanations, report, sight, open_ids, explain_hidden=explain_hidden)),
        hidden_explanations=tuple(_explanations_of_hidden(explanations, report, open_ids))
        if explain_hidden and sight is CheckVisibility.COUNT
        else (),
        traces=tuple(trace for trace in traces if trace.check in open_ids),
    )


def _has_hidden(report: Report) -> bool:
    """With hidden checks, the exact duration would leak their inputs to code that sleeps accordingly."""
    return any(check.hidden for check in report.checks)


def _seen(check: CheckResult, sight: CheckVisibility, behind: bool, shown_endings: Collection[Ending]) -> CheckResult | None:
    if sight is CheckVisibility.ALL:
        return msgspec.structs.replace(check, stdout="") if check.hidden else check
    if check.hidden and not sight.names:
        return None
    if not check.hidden and not behind:
        return check
    ending = check.ending if check.ending in shown_endings else "failed"
    return CheckResult(check.id, check.title, check.hidden, check.passed, check.points, check.max_points, ending)


def _behind_hidden(report: Report) -> set[str]:
    """Return the public checks that ran after a hidden one. The submission may have stored the hidden inputs and print or
    return them now, so only whether these checks pass is shown. The bundled exercises have none; others may.
    """
    first = next((n for n, check in enumerate(report.checks) if check.hidden), len(report.checks))
    return {check.id for check in report.checks[first:] if not check.hidden}


def _message(report: Report, sight: CheckVisibility) -> str:
    """Return the message of how the run ended. It may contain text of the submission, which could quote a hidden input."""
    if report.verdict == "internal":
        return ""
    if _own_words(report, sight):
        return report.message
    if sight is CheckVisibility.NOTHING:
        return ""
    return NOT_SHOWN.get(report.reason or "", "Stopped during a hidden check.")


def _own_words(report: Report, sight: CheckVisibility) -> bool:
    """Whether the submission's own message and line may be shown. The line at which it stops could encode a hidden input,
    too.
    """
    return sight is CheckVisibility.ALL or not _ended_hidden(report)


def _ended_hidden(report: Report) -> bool:
    """Whether the submission was stopped during a hidden check."""
    reached = [check for check in report.checks if check.ending != "unreached"]
    return report.reason is not None and bool(reached) and reached[-1].hidden


# -- explanations ----------------------------------------------------------------------------------------------------------


def _visible_explanations(
    explanations: tuple[Explanation, ...],
    report: Report,
    sight: CheckVisibility,
    open_ids: set[str],
    *,
    explain_hidden: bool,
) -> Iterator[Explanation]:
    """Yield explanations of checks that may be named. That no known mistake matches is said only for visible checks."""
    named = open_ids | (_hidden_ids(report) if explain_hidden and sight is CheckVisibility.TITLES else set())
    failed = {check.id for check in report.checks if not check.passed}
    for explanation in explanations:
        if named & set(explanation.checks) or (failed & open_ids and not explanation.known):
            explained = set(explanation.checks) or failed
            shown = explanation if explained <= open_ids else _without_values(explanation)
            yield _with_open_example(_limited_to(shown, named), open_ids)


def _explanations_of_hidden(
    explanations: tuple[Explanation, ...], report: Report, open_ids: set[str]
) -> Iterator[Explanation]:
    """Yield explanations that apply only to hidden checks, without naming which of them failed."""
    for explanation in explanations:
        if explanation.known and _hidden_ids(report) & set(explanation.checks) and not open_ids & set(explanation.checks):
            yield _with_open_example(_limited_to(_without_values(explanation), set()), open_ids)


def _hidden_ids(report: Report) -> set[str]:
    return {check.id for check in report.checks if check.hidden}


def _limited_to(explanation: Explanation, checks: set[str]) -> Explanation:
    return msgspec.structs.replace(explanation, checks=tuple(check for check in explanation.checks if check in checks))


def _with_open_example(explanation: Explanation, open_ids: set[str]) -> Explanation:
    """Remove a counterexample to a check whose inputs may not be shown."""
    found = explanation.counterexample
    return (
        explanation
        if found is None or found.check in open_ids
        else msgspec.structs.replace(explanation, counterexample=None)
    )


def _without_values(explanation: Explanation) -> Explanation:
    """Remove values from an explanation: fixed catalogue texts stay; otherwise, sentences with a number or code are
    dropped, because they could quote a hidden input or expected value.
    """
    fixed = [described(explanation.key, {}, limited=limited).text for limited in (False, True)]
    if explanation.words in fixed:
        return explanation
    kept = [part for part in SENTENCES.split(explanation.words) if not VALUE.search(part)]
    return msgspec.structs.replace(explanation, words=" ".join(kept) or fixed[0])
