"""Selects the checks of a graded submission that are traced, and traces them.

This runs after the verdict and does not change it. The checks run once more with the seed of the grading, in a replay, to
find out which program or graph they compare. A trace that cannot be made is omitted.
"""

import logging
import time
from collections.abc import Sequence

import msgspec

from autograder.judge.check_run import run_check
from autograder.judge.checks.compare import CheckFailed
from autograder.judge.checks.engine import Compared, expect_programs
from autograder.judge.checks.graphs import Drawn, GraphError, expect_graph, show_graph
from autograder.judge.checks.pictures import Picture, show_backward, show_order, show_paths
from autograder.judge.checks.recording import recording
from autograder.judge.checks.registry import Check
from autograder.judge.checks.student import BadAnswer, Student, StudentRaised
from autograder.judge.checks.tensors import ComparedTensors, expect_tensor_programs
from autograder.judge.files import line_of
from autograder.judge.pack import Pack
from autograder.judge.replay import Replay
from autograder.judge.report import Ending, Report
from autograder.trace.graph_trace import trace_graph
from autograder.trace.model import Event, Trace
from autograder.trace.program_trace import trace_program
from autograder.trace.tensor_trace import trace_tensors
from sandbox.errors import JobEnded, OutOfTime

log = logging.getLogger("gradus.trace")
SECONDS = 1.0
CHECKS = 6
FAILED = ("failed", "raised")
EVENTS = 400
BYTES = 60_000
TRIED = 8  # programs to try until one raises
DRAWS = (expect_programs, expect_tensor_programs, expect_graph, show_graph, show_backward, show_order, show_paths)
Subject = Compared | ComparedTensors | Drawn | Picture


def traces_of(replay: Replay, report: Report, *, seconds: float = SECONDS) -> tuple[Trace, ...]:
    """Traces of the checks that failed, public ones first; if all public checks passed, a trace of one of them.

    `seconds` limits the questions after the file is loaded. Never raises: internal errors are logged.
    """
    checks = _worth_tracing(replay.pack, report)
    found: list[Trace] = []
    replay.close()  # a process that was asked hidden checks could disclose them in the trace of a public one
    try:
        if checks and (session := replay.session) is not None:
            _trace_all(Student(session), checks, report, time.monotonic() + seconds, found)
    except (JobEnded, OutOfTime):  # keep the traces made so far
        replay.close()
    except Exception:
        log.exception("a submission to %s could not be traced", replay.pack.slug)
        replay.close()
    return _in_the_whole_text(replay, found)


def _in_the_whole_text(replay: Replay, found: Sequence[Trace]) -> tuple[Trace, ...]:
    """Lines of the main file, as they are counted in the source of several files."""
    files = replay.pack.files
    if files is None:
        return tuple(found)

    def moved(event: Event) -> Event:
        line = None if event.line is None else line_of(replay.source, files.main, event.line) or None
        return msgspec.structs.replace(event, line=line)

    return tuple(msgspec.structs.replace(trace, events=tuple(map(moved, trace.events))) for trace in found)


def _worth_tracing(pack: Pack, report: Report) -> list[tuple[Check, Ending]]:
    """The failed checks that compare programs or graphs. If no public one failed, the public ones that passed come first.

    Traces of public checks must not depend on hidden checks, because they would disclose how those ended.
    """
    endings = {result.id: result.ending for result in report.checks}
    found: list[tuple[Check, Ending]] = [
        (check, endings.get(check.id, "unreached")) for check in pack.checks if _compares_graphs(check)
    ]
    public = [item for item in found if not item[0].hidden]
    failed = [item for item in public if item[1] in FAILED][:CHECKS]
    chosen = failed or [item for item in public if item[1] == "passed"]  # only one of these is traced
    left = CHECKS - (len(failed) or 1)
    return chosen + [item for item in found if item[0].hidden and item[1] in FAILED][:left]


def _compares_graphs(check: Check) -> bool:
    """Whether the module that declares a check imports a function that produces something to trace."""
    names = getattr(check.run, "__globals__", {})
    return any(value is function for value in names.values() for function in DRAWS)


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
    """The trace of the first subject that has one; for a failed check, of the first that goes wrong."""
    for subject in subjects_of(student, check, ending, seed):
        student.seconds = deadline - time.monotonic()
        if student.seconds <= 0:
            return None
        try:
            trace = _trace(student, check.id, subject)
        except (StudentRaised, BadAnswer, GraphError, CheckFailed):  # this subject cannot be traced
            continue
        if trace is not None and ending != "passed" and trace.first_wrong is None:
            if not isinstance(subject, Picture):
                continue
            trace = msgspec.structs.replace(trace, reference=True)  # the graph does not show what failed
        if trace is not None:
            return within_limits(trace)
    return None


def _trace(student: Student, check: str, subject: Subject) -> Trace | None:
    if isinstance(subject, Drawn):
        return trace_graph(check, subject)
    if isinstance(subject, Compared):
        return trace_program(student, check, subject)
    if isinstance(subject, ComparedTensors):
        return trace_tensors(student, check, subject)
    from autograder.trace.picture_trace import trace_picture  # imports torch

    return trace_picture(check, subject)


def subjects_of(student: Student, check: Check, ending: Ending, seed: int) -> list[Subject]:
    """What the check compares with this seed: the last subject if it failed, all subjects in order if it passed."""
    with recording() as recorded:
        run = run_check(check, student, seed)
    match run.ending:
        case "passed":
            answered = [subject for subject in recorded.subjects if getattr(subject, "answer", True) is not None]
            return (answered or recorded.subjects)[:TRIED] if ending == "passed" else []
        case "failed":
            return recorded.subjects[-1:]
        case "raised":
            return recorded.programs[:TRIED] or recorded.subjects[-1:]
    assert run.error is not None
    raise run.error


def within_limits(trace: Trace) -> Trace | None:
    """Shortens a trace for a page: keeps the beginning, the steps around the first wrong one, and the end."""
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
