"""Explains results in which no numbers were compared; `diagnosis` explains wrong numbers.

Advice is generated from the report when a result is shown. Pages and `manage.py grade` use the same catalogue.
"""

from autograder.explain.advice.answers import MISMATCHES, compared_numbers, mismatch_of
from autograder.explain.advice.endings import ENDINGS, LATE, STARTER, SYNTAX, UNREADABLE
from autograder.explain.advice.errors import ERRORS, GENERAL, advice_on
from autograder.explain.advice.model import Advice
from autograder.explain.advice.unexplained import of_hidden, of_several_hidden
from autograder.judge.report import CheckResult, Report

__all__ = ("KEYS", "Advice", "compared_numbers", "of_check", "of_hidden", "of_report", "of_several_hidden")

_ADVICE = (*ENDINGS.values(), *MISMATCHES.values(), GENERAL, LATE, STARTER, SYNTAX, UNREADABLE)
KEYS = frozenset((*(error.key for error in ERRORS), *(entry.key for entry in _ADVICE)))


def of_report(report: Report, kind: str = "") -> Advice | None:
    """Why the submission as a whole was not graded; None if its checks explain the result, or after an internal error."""
    if report.starter and report.verdict in ("failed", "partial", "error"):
        return STARTER
    if report.verdict != "error" or report.reason is None:
        return None
    if report.reason == "exception":
        stopped = report.stopped
        return advice_on(stopped.error, stopped.exception, kind) if stopped else advice_on("", "", kind)
    if report.reason == "source":
        return SYNTAX if report.stopped else UNREADABLE
    return ENDINGS[report.reason]


def of_check(check: CheckResult, kind: str = "") -> Advice | None:
    """Why a check that ran compared no numbers. If a limit ended the whole grading, only `of_report` says so."""
    if check.ending == "raised" and check.stopped is not None:
        return advice_on(check.stopped.error, check.stopped.exception, kind)
    if check.ending == "late":
        return LATE
    return MISMATCHES.get(mismatch_of(check.detail)) if check.ending == "failed" else None
