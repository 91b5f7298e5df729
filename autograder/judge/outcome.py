"""What the checks of an exercise found in a submission, before anything is counted."""

from collections.abc import Sequence

import msgspec

from autograder.judge.report import CheckResult, Reason, Stopped


class ListedCheck(msgspec.Struct, frozen=True):
    """A check as listed before it is run."""

    id: str
    title: str
    hidden: bool
    points: float


class Outcome(msgspec.Struct, frozen=True):
    """What happened when a submission was examined: how each check ended, and what stopped the rest. No points, no verdict."""

    results: tuple[CheckResult, ...] = ()
    reason: Reason | None = None
    internal: bool = False
    message: str = ""
    stopped: Stopped | None = None
    stdout: str = ""


def counted(outcome: Outcome, checks: Sequence[ListedCheck], not_run: str) -> tuple[CheckResult, ...]:
    """The results with the titles and points that the exercise lists: of checks that ran, and then of those that did not.

    Only how a check ended is taken from the outcome, and what is shown about it.
    """
    listed = {check.id: check for check in checks}
    found = {}
    for result in outcome.results:
        check = listed.get(result.id)
        if check is not None and check.id not in found:
            passed = result.ending == "passed"
            found[check.id] = msgspec.structs.replace(
                result,
                title=check.title,
                hidden=check.hidden,
                passed=passed,
                points=check.points if passed else 0.0,
                max_points=check.points,
            )
    rest = (check for check in checks if check.id not in found)
    return (*found.values(), *(_blank(check, not_run) for check in rest))


def _blank(check: ListedCheck, message: str) -> CheckResult:
    return CheckResult(check.id, check.title, check.hidden, False, 0.0, check.points, message=message)
