"""Runs the linter's jobs in a slot: gradings, vacuous checks, costs, and comparisons of mutants with the reference."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

import msgspec
import numpy as np

from autograder.explain.recorder import Exchange, Recorder
from autograder.judge.arrays import to_numpy
from autograder.judge.check_run import run_check
from autograder.judge.checks.compare import CheckFailed, Tolerance, close
from autograder.judge.checks.recording import Recording, recording
from autograder.judge.checks.registry import Check
from autograder.judge.checks.student import BadAnswer, Student, StudentRaised
from autograder.judge.grade import Enough, Judge, never
from autograder.judge.pack import Pack
from autograder.judge.report import CheckResult, Endings, Report
from autograder.prove.cases import size_of, statement_of
from autograder.prove.diagnosis_rule import explanations_of
from sandbox.wire import Array, Limits

COST_SEEDS = (1, 2)
VACUOUS_SEEDS = (11, 12, 13)
VARIETY_SEEDS = range(40)
FLICKER_SEED = 3
VARIETY_LIMITS = Limits(cpu_seconds=60, wall_seconds=90.0, memory_bytes=2048 << 20)
VARIETY_SECONDS = 2.0  # for a single answer
ANSWERED = (CheckFailed, StudentRaised, BadAnswer)  # after these, the submission can be asked again
SAME = Tolerance(1e-9, 1e-12)
SLOW = 2.5
MUTANT_LIMITS = Limits(cpu_seconds=3, wall_seconds=6.0, memory_bytes=2048 << 20)


@dataclass(frozen=True)
class ProofJob:
    """One job. `purpose` says what the result is for; `name` is a file or a mutant."""

    purpose: str
    name: str
    source: bytes
    seeds: tuple[int, ...] = ()
    endings: Mapping[str, Endings] = field(default_factory=dict)  # how its checks ended, by wrong solution


@dataclass(frozen=True)
class Cost:
    """CPU seconds of the reference, in a whole grading and in each check."""

    whole: float
    checks: Mapping[str, float]


@dataclass(frozen=True)
class Difference:
    """The smallest question of the variety that a mutant answers differently than the solution: in words, and as a statement
    for a check if it can be asked alone. Without words there is none.
    """

    words: str = ""
    statement: str = ""


@dataclass(frozen=True)
class GradingOutcome:
    """The result of a grading, as far as the linter needs it."""

    verdict: str
    hidden: tuple[str, ...]
    message: str
    report: bytes
    endings: Endings


def work(judge: Judge, exercise: Pack, job: ProofJob) -> Any:
    if job.purpose == "vacuous":
        return _vacuous(judge, exercise)
    if job.purpose == "cost":
        return _cost(judge, exercise)
    if job.purpose == "equivalent":
        return _difference(judge, exercise, job.source)
    if job.purpose == "diagnosis":
        return explanations_of(judge, exercise, job.endings)
    outcomes: list[GradingOutcome] = []
    for seed in job.seeds:
        ceiling, enough = _extent(job, first=not outcomes)
        report = judge.grade(exercise, job.source, seed, ceiling, enough=enough)
        outcomes.append(_outcome(report, job))
        if report.seconds > SLOW:
            break  # slow gradings end at a limit; one seed is enough
    return outcomes


def _extent(job: ProofJob, *, first: bool) -> tuple[Limits | None, Enough]:
    """The limits of a grading, and when it can stop.

    The first grading of a wrong solution is complete, to find all checks that catch it. Later ones, and those of mutants,
    stop at the first failed hidden check.
    """
    if job.purpose == "mutant":
        return MUTANT_LIMITS, _caught
    if job.purpose == "wrong":
        return None, _caught_by_limit if first else _caught
    return (MUTANT_LIMITS if job.purpose == "whole-mutant" else None), never


def _caught(result: CheckResult) -> bool:
    return result.hidden and not result.passed


def _caught_by_limit(result: CheckResult) -> bool:
    return result.hidden and result.at_limit


def _outcome(report: Report, job: ProofJob) -> GradingOutcome:
    fine = ("passed",) if report.verdict == "error" else ("passed", "unreached")
    hidden = tuple(check.id for check in report.checks if check.hidden and check.ending not in fine)
    bytes_ = msgspec.json.encode(msgspec.structs.replace(report, seconds=0.0)) if job.purpose == "flicker" else b""
    return GradingOutcome(report.verdict, hidden, _first_error(report), bytes_, report.endings)


def _first_error(report: Report) -> str:
    if report.verdict == "internal":
        return report.message
    failed = next((f"{check.id}: {check.message}" for check in report.checks if not check.passed), "")
    return " ".join((report.message or failed).split())[:400]


# -- what the reference needs ---------------------------------------------------------------------------------------------


def _cost(judge: Judge, exercise: Pack) -> Cost:
    """CPU time as counted by the kernel, the maximum over a few seeds."""
    idle = min(_cpu_seconds(judge, exercise, None, seed) for seed in COST_SEEDS)
    checks = {
        check.id: max(_cpu_seconds(judge, exercise, check, seed) - idle for seed in COST_SEEDS) for check in exercise.checks
    }
    return Cost(idle + sum(checks.values()), checks)


def _cpu_seconds(judge: Judge, exercise: Pack, check: Check | None, seed: int) -> float:
    session = judge.sandbox(exercise.settings.profile).session(exercise.limits(MUTANT_LIMITS))
    session.load(exercise.program(exercise.solution), seed, exercise.entry_points)
    if check is not None:
        run_check(check, Student(session), seed)
    return session.finish()


# -- vacuous checks -------------------------------------------------------------------------------------------------------


def _vacuous(judge: Judge, exercise: Pack) -> list[tuple[str, str]]:
    """Checks whose expected values prove nothing, with the reason."""
    found = []
    for check in exercise.checks:
        draws = [_watch(judge, exercise, check, seed) for seed in VACUOUS_SEEDS]
        reason = "" if check.fixed or not draws[0].expected else _why_vacuous(judge, exercise, check, draws)
        if reason:
            found.append((check.id, reason))
    return found


def _why_vacuous(judge: Judge, exercise: Pack, check: Check, draws: list[Recording]) -> str:
    if not any(values.any() for draw in draws for values in draw.expected):
        return "all expected values are zero: a submission that returns only zeros passes"
    if all(_equal(draws[0].expected, draw.expected) for draw in draws[1:]):
        return "the expected values are the same for every seed: a submission can return constants"
    if draws[0].upstreams:
        ones = _watch(judge, exercise, check, VACUOUS_SEEDS[0], ones=True)
        if _equal(draws[0].expected, ones.expected):
            return "the expected values do not change with an all-ones upstream: the upstream gradient is not tested"
    return ""


def _watch(judge: Judge, exercise: Pack, check: Check, seed: int, *, ones: bool = False) -> Recording:
    """The values that a check expects of the reference with a seed, as arrays."""
    with _student(judge, exercise, exercise.solution, seed) as student, recording(ones=ones) as recorded:
        run_check(check, student, seed)
        recorded.expected = [values for values in map(_as_array, recorded.expected) if values.size]
        return recorded


def _as_array(value: Any) -> Any:
    try:
        return np.asarray(to_numpy(value), dtype=np.float64)
    except (TypeError, ValueError):
        return np.zeros(0)


def _equal(left: list[Any], right: list[Any]) -> bool:
    return len(left) == len(right) and all(np.array_equal(a, b, equal_nan=True) for a, b in zip(left, right, strict=True))


# -- equivalence ----------------------------------------------------------------------------------------------------------


def _difference(judge: Judge, exercise: Pack, source: bytes) -> Difference | None:
    """The difference with the first seed that shows one; None without a variety."""
    if exercise.variety is None:
        return None
    right = _right_answers(judge, exercise)
    trouble = next((ended for _, _, ended in right if ended), "")
    if trouble:
        return Difference(f"the variety in checks.py fails for the solution itself: {trouble}"[:600])
    for (seed, answers, _), (_, given_answers, _) in zip_longest(
        right, _answers(judge, exercise, source), fillvalue=(0, (), "")
    ):
        pairs = zip(answers, given_answers, strict=False)
        differing = [(own, given) for own, given in pairs if not same(_reply(own), _reply(given))]
        if differing:
            own, given = min(differing, key=lambda pair: size_of(pair[0]))
            question = f"{own.name}({', '.join(map(_readable, own.args))})"
            words = f"seed {seed}: {question} gives {_reply_text(given)}, but the solution gives {_reply_text(own)}"
            return Difference(words[:600], statement_of(own))
        if len(answers) != len(given_answers):
            return Difference(f"seed {seed}: the mutant answers {len(given_answers)} of {len(answers)} questions")
    return Difference()


Answers = tuple[int, tuple[Exchange, ...], str]  # seed, exchanges, and the error that ended them, if any
_last_right: dict[tuple[str, str], list[Answers]] = {}


def _right_answers(judge: Judge, exercise: Pack) -> list[Answers]:
    """The solution's answers, cached for the next mutant of the same exercise."""
    key = exercise.slug, exercise.version
    if key not in _last_right:
        _last_right.clear()
        _last_right[key] = list(_answers(judge, exercise, exercise.solution))
    return _last_right[key]


def _answers(judge: Judge, exercise: Pack, source: bytes) -> Iterator[Answers]:
    """The exchanges of the variety with every seed, in one session, until the session ends."""
    assert exercise.variety is not None
    with _student(judge, exercise, source, VARIETY_SEEDS[0], VARIETY_LIMITS) as student:
        student.seconds = VARIETY_SECONDS
        for seed in VARIETY_SEEDS:
            ended, over = "", False
            try:
                exercise.variety(student, np.random.default_rng([seed, 1]))
            except Exception as error:  # raised by the answer or by the variety; reported if it happens with the solution
                ended, over = f"{type(error).__name__}: {error}", not isinstance(error, ANSWERED)
            yield seed, student.take(), ended
            if over:
                return


def _reply(exchange: Exchange) -> Any:
    raised = exchange.raised
    return [exchange.value, exchange.inputs, None if raised is None else raised.type_name]


def _reply_text(exchange: Exchange) -> str:
    return f"{exchange.raised.type_name}" if exchange.raised else _readable(exchange.value)


def _readable(value: Any) -> str:
    """A value on one line, with arrays as numbers."""
    if isinstance(value, Array):
        return " ".join(np.array2string(to_numpy(value), precision=6, threshold=12, separator=", ").split())
    if isinstance(value, list | tuple):
        inside = ", ".join(map(_readable, value))
        return f"[{inside}]" if isinstance(value, list) else f"({inside})"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {_readable(item)}" for key, item in value.items()) + "}"
    return repr(value)


def same(left: Any, right: Any) -> bool:
    """Whether two answers have the same types and shapes, and equal numbers up to the order of summation."""
    if isinstance(left, Array) and isinstance(right, Array):
        if (left.kind, left.dtype, left.shape) != (right.kind, right.dtype, right.shape):
            return False
        return bytes(left.data) == bytes(right.data) or close(to_numpy(left), to_numpy(right), SAME, nonfinite=True)
    if isinstance(left, list | tuple) and type(left) is type(right):
        return len(left) == len(right) and all(same(a, b) for a, b in zip(left, right, strict=True))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if type(left) is float and type(right) is float:
        return left == right or left != left != right != left or abs(left - right) <= 1e-9 * abs(left) + 1e-12
    return type(left) is type(right) and bool(left == right)


@contextmanager
def _student(judge: Judge, exercise: Pack, source: bytes, seed: int, limits: Limits | None = None) -> Iterator[Recorder]:
    """A new session with the source loaded, as a student that records its exchanges."""
    with judge.sandbox(exercise.settings.profile).session(limits or exercise.limits(MUTANT_LIMITS)) as session:
        session.load(exercise.program(source), seed, exercise.entry_points)
        yield Recorder(session)
