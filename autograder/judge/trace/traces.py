"""Which checks of a graded submission are traced, and their traces. Called when the verdict is out; it changes nothing.

The checks are run once more on the seed of the grading, in a session of their own, with somebody looking over their
shoulder to see which program they compare. A trace that cannot be made is left out.
"""

import logging
import math
import time
import zlib
from collections.abc import Sequence

import msgspec
import numpy as np

from autograder.judge.budget import LOAD_SECONDS
from autograder.judge.checks.compare import CheckFailed
from autograder.judge.checks.engine import Compared, expect_programs
from autograder.judge.checks.graphs import Drawn, GraphError, expect_graph, show_graph
from autograder.judge.checks.pictures import Picture, show_backward, show_order, show_paths
from autograder.judge.checks.registry import Check
from autograder.judge.checks.watch import watching
from autograder.judge.grade import Judge, seed_inside
from autograder.judge.pack import Pack
from autograder.judge.report import Ending, Report
from autograder.judge.student import BadAnswer, Student, StudentRaised
from autograder.judge.trace.engine import trace_program
from autograder.judge.trace.graphs import trace_graph
from autograder.judge.trace.model import Trace
from sandbox.errors import JobEnded, OutOfTime
from sandbox.wire import Raised

log = logging.getLogger("gradus.trace")
SECONDS = 1.0
CHECKS = 6
FAILED = ("failed", "raised")
EVENTS = 400
BYTES = 60_000
TRIED = 8  # programs, to find the one that raised
DRAWS = (expect_programs, expect_graph, show_graph, show_backward, show_order, show_paths)
Subject = Compared | Drawn | Picture


def traces_of(
    judge: Judge, pack: Pack, source: bytes, report: Report, *, seconds: float = SECONDS, deadline: float = math.inf
) -> tuple[Trace, ...]:
    """A trace of every check that a wrong answer failed, public ones first; of one public check when all of those passed.

    `seconds` are for the questions, once the file is loaded; no session lasts beyond the `deadline`, by the monotonic clock.
    Never raises: what goes wrong here is ours, and is logged.
    """
    checks = _worth_tracing(pack, report)
    found: list[Trace] = []
    if not checks:
        return ()
    limits = pack.limits(judge.ceiling)
    limits = msgspec.structs.replace(limits, wall_seconds=min(limits.wall_seconds, max(0.0, deadline - time.monotonic())))
    try:
        with judge.sandbox(pack.settings.profile).session(limits) as session:
            loaded = session.load(source, seed_inside(report.seed), pack.entry_points, LOAD_SECONDS)
            if not isinstance(loaded, Raised) and not loaded.missing:
                _trace_all(Student(session), checks, report, time.monotonic() + seconds, found)
    except (JobEnded, OutOfTime):  # by the submission, or by the clock: what there is by now is kept
        return tuple(found)
    except Exception:
        log.exception("a submission to %s could not be traced", pack.slug)
    return tuple(found)


def _worth_tracing(pack: Pack, report: Report) -> list[tuple[Check, Ending]]:
    """The checks that compare programs or graphs and failed; where no public one did, public ones to take the first from.

    What public checks leave behind must not depend on hidden ones: it would tell of them before they are shown.
    """
    endings = {result.id: result.ending for result in report.checks}
    found: list[tuple[Check, Ending]] = [
        (check, endings.get(check.id, "unreached")) for check in pack.checks if _compares_graphs(check)
    ]
    public = [item for item in found if not item[0].hidden]
    failed = [item for item in public if item[1] in FAILED][:CHECKS]
    chosen = failed or [item for item in public if item[1] == "passed"]  # of which one is taken
    left = CHECKS - (len(failed) or 1)
    return chosen + [item for item in found if item[0].hidden and item[1] in FAILED][:left]


def _compares_graphs(check: Check) -> bool:
    """Whether the file that declares a check uses the part of the library that leaves something to trace."""
    names = getattr(check.run, "__globals__", {})
    return any(thing is one for thing in names.values() for one in DRAWS)


def _trace_all(
    student: Student, checks: Sequence[tuple[Check, Ending]], report: Report, deadline: float, found: list[Trace]
) -> None:
    one_passed = False
    for check, ending in checks:
        if ending == "passed" and one_passed:
            continue
        left = deadline - time.monotonic()
        if left <= 0:
            return
        student.seconds = left
        trace = _trace_check(student, check, ending, report.seed, deadline)
        if trace is not None:
            found.append(trace)
            one_passed = one_passed or ending == "passed"


def _trace_check(student: Student, check: Check, ending: Ending, seed: int, deadline: float) -> Trace | None:
    """The trace of the first subject of a check that has one; of a check that raises, of the first that raises."""
    for subject in subjects_of(student, check, ending, seed):
        student.seconds = deadline - time.monotonic()
        if student.seconds <= 0:
            return None
        try:
            trace = _trace(student, check.id, subject)
        except (StudentRaised, BadAnswer, GraphError, CheckFailed):  # it cannot be told
            continue
        if trace is not None and ending != "passed" and trace.first_wrong is None:
            if not isinstance(subject, Picture):
                continue
            trace = msgspec.structs.replace(trace, reference=True)  # what failed is not in the picture
        if trace is not None:
            return within_limits(trace)
    return None


def _trace(student: Student, check: str, subject: Subject) -> Trace | None:
    if isinstance(subject, Drawn):
        return trace_graph(check, subject)
    if isinstance(subject, Compared):
        return trace_program(student, check, subject)
    from autograder.judge.trace.pictures import trace_picture  # imports torch

    return trace_picture(check, subject)


def subjects_of(student: Student, check: Check, ending: Ending, seed: int) -> list[Subject]:
    """What the check compares on this seed: where it failed, or, if it passed, all of it in order."""
    generator = np.random.default_rng([seed, zlib.crc32(check.id.encode())])
    with watching() as watched:
        try:
            check.run(student, generator)
        except StudentRaised:
            return watched.offered[:TRIED] or watched.looked_at[-1:]
        except (CheckFailed, BadAnswer):
            return watched.looked_at[-1:]
    answered = [subject for subject in watched.looked_at if getattr(subject, "answer", True) is not None]
    return (answered or watched.looked_at)[:TRIED] if ending == "passed" else []


def within_limits(trace: Trace) -> Trace | None:
    """Cut to what a page can hold: the beginning, what surrounds the first wrong step, and the end of the pass."""
    for kept in (EVENTS, 200, 120, 60, 30):
        short = _cut(trace, kept)
        if len(msgspec.json.encode(short)) <= BYTES:
            return short
    return None


def _cut(trace: Trace, kept: int) -> Trace:
    events, first = trace.events, trace.first_wrong
    if len(events) <= kept:
        return trace
    half = kept // 2
    places = list(range(half))
    start = half if first is None else max(half, first - half // 2)
    places += range(start, min(start + half - 1, len(events) - 1))
    places.append(len(events) - 1)
    return msgspec.structs.replace(
        trace,
        events=tuple(events[place] for place in places),
        first_wrong=None if first is None else places.index(first),
        cut=True,
    )
