"""Data types for the result of a grading.

A report is immutable plain data. It is the same for the same exercise, source and seed, except for `seconds`. docs/report.md
documents the schema.
"""

import math
from collections.abc import Mapping
from typing import Literal

import msgspec

Verdict = Literal["passed", "partial", "failed", "error", "internal"]
Reason = Literal[
    "exception",
    "missing-entry-point",
    "timeout-cpu",
    "timeout-wall",
    "memory",
    "output",
    "crash",
    "protocol",
    "source",
]
Ending = Literal["passed", "failed", "raised", "late", "ended", "unreached"]
Endings = Mapping[str, Ending]  # by check id
RUNAWAYS: tuple[Reason, ...] = ("timeout-cpu", "timeout-wall")  # endings that occupy a worker for the maximum time
LIMITS: tuple[Ending, ...] = ("late", "ended")


class Shown(msgspec.Struct, frozen=True):
    """A value for display. Numbers are stored as the shortest exact text, because JSON has no nan and inf."""

    kind: str
    values: tuple[str, ...]
    shape: tuple[int, ...] | None = None
    dtype: str = ""
    names: tuple[str, ...] = ()
    cut: bool = False


class Detail(msgspec.Struct, frozen=True):
    """The evidence of a failed comparison: what was compared, for which inputs, and the expected and the given value."""

    what: str
    inputs: dict[str, Shown] = {}
    expected: Shown | None = None
    given: Shown | None = None
    differing: tuple[int, ...] = ()
    note: str = ""


class GradientOf(msgspec.Struct, frozen=True):
    """The function whose gradient a wrong VJP returns, or the law of all gradients that it breaks."""

    function: str = ""
    law: Literal["", "linear", "symmetric"] = ""
    inputs: dict[str, Shown] = {}  # where the law is broken
    entries: tuple[str, ...] = ()  # of the gradients and the inputs that the numbers belong to
    numbers: tuple[str, ...] = ()


class Counterexample(msgspec.Struct, frozen=True):
    """A call of a VJP with small inputs, one gradient that it should return, and what the submission returns instead."""

    check: str
    call: str
    of: str  # the input that the gradient is with respect to
    inputs: dict[str, Shown]
    expected: Shown
    given: Shown
    gradient_of: GradientOf | None = None


class StackLine(msgspec.Struct, frozen=True):
    """A line of the student's code on the stack: its number, its function and its text.

    If there are several files, `number` counts in `file`, and `at` in the whole text (`judge.files`).
    """

    number: int
    function: str = ""
    text: str = ""
    file: str = ""
    at: int = 0


class Stopped(msgspec.Struct, frozen=True):
    """Where the student's code stopped: at an exception or, if `exception` is empty, at a limit."""

    exception: str = ""
    error: str = ""
    lines: tuple[StackLine, ...] = ()


class CheckResult(msgspec.Struct, frozen=True):
    id: str
    title: str
    hidden: bool
    passed: bool
    points: float
    max_points: float
    ending: Ending = "unreached"
    message: str = ""
    detail: Detail | None = None
    stdout: str = ""
    stopped: Stopped | None = None

    @property
    def failed(self) -> bool:
        """Whether the check was reached and not passed."""
        return not self.passed and self.ending != "unreached"

    @property
    def at_limit(self) -> bool:
        """Whether the check exceeded a limit. Results after a limit are not compared."""
        return self.ending in LIMITS


class Report(msgspec.Struct, frozen=True):
    exercise: str
    version: str
    verdict: Verdict
    reason: Reason | None
    message: str
    score: float
    max_score: float
    seconds: float
    seed: int
    checks: tuple[CheckResult, ...]
    stdout: str
    profile: str
    sandbox: str
    judge_version: str
    libraries: dict[str, str] = {}
    stopped: Stopped | None = None
    starter: bool = False

    @property
    def endings(self) -> Endings:
        return {check.id: check.ending for check in self.checks}


def verdict_of(score: float, max_score: float) -> Verdict:
    if score > max_score or math.isclose(score, max_score):
        return "passed"
    return "partial" if score > 0 else "failed"
