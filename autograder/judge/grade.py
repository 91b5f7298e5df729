"""Grades one submission: opens a session, loads the file, runs the checks and writes the report.

Every ending is attributed to whoever caused it. If a zygote dies, which is an internal error, the submission is graded again
from the start. If a check raises an exception, the reference is asked the same: if the check raises again or fails, the exercise
is wrong, and the verdict is `internal`; if it passes, the submission's answer was the cause, and the check fails.
"""

import hashlib
import logging
import secrets
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Self

import msgspec

from autograder import __version__
from autograder.judge import words
from autograder.judge.budget import CHECK_SECONDS, CHECK_SECONDS_WHEN_LATE, LOAD_SECONDS, MAX_LATE_CHECKS, Budget
from autograder.judge.check_run import run_check
from autograder.judge.checks.compare import CheckFailed
from autograder.judge.checks.registry import Check
from autograder.judge.checks.student import BadAnswer, Student, StudentRaised
from autograder.judge.outcome import ListedCheck, Outcome, counted
from autograder.judge.pack import Content, Pack
from autograder.judge.report import CheckResult, Detail, Ending, Reason, Report, Stopped, verdict_of
from autograder.judge.stops import exception_text, stopped_at, stopped_by
from autograder.judge.text import neutralise, neutralise_output
from autograder.observability.spans import span
from sandbox.backends.base import Backend
from sandbox.errors import JobEnded, JobKilled, KilledFromOutside, Outage, OutOfTime, SandboxError
from sandbox.pool import AnySandbox, open_sandbox
from sandbox.session import Session
from sandbox.wire import Limits, Raised

log = logging.getLogger("gradus.grade")

TRIES = 3
INTERNAL_LIMIT = 8000
CEILING = Limits(cpu_seconds=60, wall_seconds=90.0, memory_bytes=2048 << 20)
Enough = Callable[[CheckResult], bool]


def never(_: CheckResult) -> bool:
    """Never stops early: a student's submission is always graded to the end."""
    return False


class Slot:
    """One sandbox per profile, for one submission at a time."""

    def __init__(self, backend: Backend, ceiling: Limits = CEILING) -> None:
        self.backend, self.ceiling = backend, ceiling
        self._sandboxes: dict[str, AnySandbox] = {}

    def sandbox(self, profile: str) -> AnySandbox:
        if profile not in self._sandboxes:
            self._sandboxes[profile] = self.open_sandbox(profile)
        return self._sandboxes[profile]

    def open_sandbox(self, profile: str) -> AnySandbox:
        return open_sandbox(self.backend, profile, self.ceiling)

    def libraries(self, profile: str) -> dict[str, str]:
        """What a submission can import, with versions; empty before the first one."""
        return self._sandboxes[profile].libraries if profile in self._sandboxes else {}

    def starts(self) -> dict[str, int]:
        """The number of zygotes started for each profile. More than one means that some died."""
        return {profile: sandbox.starts for profile, sandbox in self._sandboxes.items()}

    def deaths(self) -> dict[str, int]:
        return {profile: sandbox.deaths for profile, sandbox in self._sandboxes.items()}

    def close(self) -> None:
        for sandbox in self._sandboxes.values():
            sandbox.close()
        self._sandboxes.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Judge(Slot):
    """Grades submissions in this process, which therefore runs the code of the exercise's author."""

    def grade(
        self,
        pack: Pack,
        source: bytes,
        seed: int | None = None,
        ceiling: Limits | None = None,
        *,
        enough: Enough = never,
    ) -> Report:
        """Grades a submission and always returns a report, unless a layer of the sandbox is missing, which raises.

        `enough` lets the linter stop after a check; the remaining checks then do not run.
        """
        seed = secrets.randbits(32) if seed is None else seed
        start = time.perf_counter()
        outcome = self.examine(pack, source, seed, ceiling, enough=enough)
        return report_of(
            pack,
            [check.listed for check in pack.checks],
            source,
            outcome,
            seed=seed,
            seconds=time.perf_counter() - start,
            sandbox=self.backend.name,
            libraries=self.libraries(pack.settings.profile),
        )

    def examine(
        self,
        pack: Pack,
        source: bytes,
        seed: int,
        ceiling: Limits | None = None,
        *,
        enough: Enough = never,
    ) -> Outcome:
        """Runs the checks on a submission. Always returns an outcome, unless a layer of the sandbox is missing, which raises."""
        limits = pack.limits(ceiling or self.ceiling)
        trouble = ""
        for attempt in range(TRIES):
            grading = _Grading(pack, source, seed, self.sandbox(pack.settings.profile), limits, enough)
            try:
                with span("session", profile=pack.settings.profile, attempt=attempt + 1):
                    grading.run(last=attempt == TRIES - 1)
                break
            except Outage:
                raise
            except JobKilled:
                continue  # killed by the machine, perhaps because other processes used its memory
            except KilledFromOutside as error:
                trouble = words.sandbox_failed(TRIES, error)  # the zygote is still usable
            except SandboxError as error:
                trouble = words.sandbox_failed(TRIES, error)
                self.sandbox(pack.settings.profile).close()
        else:
            return Outcome(internal=True, message=neutralise(trouble, INTERNAL_LIMIT))
        return grading.outcome()


class _Grading:
    """One attempt at one submission."""

    def __init__(self, pack: Pack, source: bytes, seed: int, sandbox: AnySandbox, limits: Limits, enough: Enough) -> None:
        self._pack, self._source, self._seed = pack, source, seed
        self._sandbox, self._limits, self._enough = sandbox, limits, enough
        self._budget = Budget(limits)
        self._results: list[CheckResult] = []
        self._late = 0  # checks that ran out of time
        self._reason: Reason | None = None
        self._internal = False
        self._message = ""
        self._stopped: Stopped | None = None
        self._stdout = ""
        self._session: Session | None = None
        self._student: Student | None = None

    def run(self, last: bool) -> None:
        """Grades the submission. If the machine killed it, this is reported only on the last try."""
        self._last = last
        limit = self._limits.source_bytes
        if len(self._source) > limit:
            return self._stop("source", words.too_large(limit))
        if not self._source.strip():
            return self._stop("source", words.EMPTY)
        problem = self._pack.problem_of(self._source)
        if problem:
            return self._stop("source", problem)
        try:
            if self._open():
                # public checks run first: a submission could print what a hidden check asked during a later public check
                for check in sorted(self._pack.checks, key=lambda check: check.hidden):
                    if not self._run_check(check) or self._enough(self._results[-1]):
                        break
        finally:
            if self._session is not None:
                self._session.close()
        return None

    def _open(self) -> bool:
        """Opens a session with the rest of the budget and loads the file; False if no check can run."""
        self._session = self._sandbox.session(self._budget.left())
        try:
            program = self._pack.program(self._source)
            reply = self._session.load(program, seed_inside(self._seed), self._pack.entry_points, LOAD_SECONDS)
        except OutOfTime as late:
            self._take_load_output()
            self._stop("timeout-cpu", words.slow_to_load(late), stopped_at(late.stack, self._source))
            return False
        except JobEnded as ended:
            self._may_be_tried_again(ended)
            self._take_load_output()
            self._stop(_reason(ended), words.ended_while_loading(ended), stopped_at(ended.stack, self._source))
            return False
        self._take_load_output()
        if isinstance(reply, Raised):
            self._stop_raised(reply)
            return False
        if reply.missing:
            where = self._pack.files.main if self._pack.files else ""
            self._stop("missing-entry-point", words.not_defined(reply.missing, reply.names, where))
            return False
        self._student = Student(self._session)
        return True

    def _may_be_tried_again(self, ended: JobEnded) -> None:
        if isinstance(ended, JobKilled) and not self._last:
            raise ended

    def _take_load_output(self) -> None:
        assert self._session is not None
        text = neutralise_output(self._session.take_output(), self._session.output_cut)
        if not self._results:  # when it is loaded again, it may print what a hidden check asked
            self._stdout = text

    def _stop_raised(self, raised: Raised) -> None:
        exception, stopped = exception_text(raised), stopped_by(raised, self._source)
        if raised.out_of_memory and raised.stage != "compile":
            self._stop("memory", words.loading_exceeded_memory(exception), stopped)
        elif raised.stage == "compile" and not self._results:  # claimed by the submission; does not count as an attempt
            self._stop("source", words.not_python(exception), stopped)
        else:
            self._stop("exception", words.loading_raised(exception), stopped)

    def _run_check(self, check: Check) -> bool:
        """Runs one check; False if the grading cannot continue."""
        assert self._student is not None and self._session is not None
        self._session.allow(check.seconds or (CHECK_SECONDS_WHEN_LATE if self._late else CHECK_SECONDS))
        with span("check", id=check.id):
            run = run_check(check, self._student, self._seed)
        match run.error:
            case None:
                self._record(check, "passed")
            case CheckFailed() as failed:
                self._record(check, "failed", neutralise(failed.message) or words.FAILED, failed.detail)
            case StudentRaised(raised=raised) if raised.out_of_memory:
                self._record(check, "ended", words.STOPPED_HERE)
                self._stop("memory", words.exceeded_memory(exception_text(raised)), stopped_by(raised, self._source))
            case StudentRaised(raised=raised):
                at = stopped_by(raised, self._source)
                self._record(check, "raised", words.raised(exception_text(raised)), stopped=at)
            case BadAnswer() as bad:
                self._record(check, "failed", neutralise(str(bad)))
            case OutOfTime() as late:
                stopped = stopped_at(late.stack, self._source)
                self._record(check, "late", words.used_too_much_time(late), stopped=stopped)
                return self._goes_on(stopped)
            case JobEnded() as ended:
                self._may_be_tried_again(ended)
                self._record(check, "ended", words.STOPPED_HERE)
                self._stop(_reason(ended), words.ended_during(check.title, ended), stopped_at(ended.stack, self._source))
            case error:
                return self._attributed(check, error)
        return self._reason is None

    def _attributed(self, check: Check, error: Exception) -> bool:
        """Finds out whose answer made the check raise, and goes on in another session if it was the submission's."""
        assert self._session is not None
        trace = words.check_raised(check.id, self._author_trace(error))
        output = self._session.take_output()
        self._budget.take(self._session)
        if not self._reference_passes(check):
            self.internal(trace)
            return False
        log.warning("%s In %s, the reference passes this check, so it fails.", trace, self._pack.slug)
        self._record(check, "failed", words.UNREADABLE, output=output)
        if not self._budget.spent:
            return self._open()
        self._stop("timeout-cpu", words.ran_out_of_time([check.title]))
        return False

    def _reference_passes(self, check: Check) -> bool:
        with self._sandbox.session(self._limits) as session:
            session.load(self._pack.program(self._pack.solution), seed_inside(self._seed), self._pack.entry_points)
            session.allow(check.seconds or CHECK_SECONDS)
            run = run_check(check, Student(session), self._seed)
        if isinstance(run.error, JobEnded):
            self._may_be_tried_again(run.error)
        return run.ending == "passed"

    def _goes_on(self, stopped: Stopped | None) -> bool:
        """Opens another session after a check ran out of time; False after too many of them."""
        assert self._session is not None
        self._budget.take(self._session)
        self._late += 1
        if self._late < MAX_LATE_CHECKS and not self._budget.spent:
            return self._open()
        titles = [result.title for result in self._results if result.ending == "late"]
        self._stop("timeout-cpu", words.ran_out_of_time(titles), stopped)
        return False

    def _author_trace(self, error: Exception) -> str:
        """The exception of a check, with the lines of the exercise's files in its traceback."""
        frames = [
            frame for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename).parent == self._pack.folder
        ]
        lines = [f"  {Path(frame.filename).name}:{frame.lineno}: {frame.line}" for frame in frames[-4:]]
        return "\n".join([f"{type(error).__name__}: {error}", *lines])

    def _record(
        self,
        check: Check,
        ending: Ending,
        message: str = "",
        detail: Detail | None = None,
        stopped: Stopped | None = None,
        output: bytes = b"",
    ) -> None:
        assert self._session is not None
        output = output if self._session.closed else self._session.take_output()
        self._results.append(
            CheckResult(
                check.id,
                check.title,
                check.hidden,
                passed=ending == "passed",
                points=check.points if ending == "passed" else 0.0,
                max_points=check.points,
                ending=ending,
                message=message,
                detail=detail,
                stdout=neutralise_output(output, self._session.output_cut),
                stopped=stopped,
            )
        )

    def _stop(self, reason: Reason, message: str, stopped: Stopped | None = None) -> None:
        self._reason, self._message, self._stopped = reason, neutralise(message), stopped

    def internal(self, message: str) -> None:
        """Records an internal error or an error of the author. Such a grading does not count."""
        self._internal, self._message = True, neutralise(message, INTERNAL_LIMIT)

    def outcome(self) -> Outcome:
        return Outcome(tuple(self._results), self._reason, self._internal, self._message, self._stopped, self._stdout)


def report_of(
    exercise: Content,
    checks: Sequence[ListedCheck],
    source: bytes,
    outcome: Outcome,
    *,
    seed: int,
    seconds: float,
    sandbox: str,
    libraries: dict[str, str],
) -> Report:
    """Adds up what the checks are worth. Titles, points and everything else that decides come from the exercise, not from the
    outcome."""
    results = counted(outcome, checks, words.NOT_RUN)
    score, points = sum(result.points for result in results), exercise.settings.points
    verdict = "internal" if outcome.internal else "error" if outcome.reason else verdict_of(score, points)
    return Report(
        exercise=exercise.slug,
        version=exercise.version,
        verdict=verdict,
        reason=outcome.reason,
        message="\n".join(filter(None, (outcome.message, words.UNSAFE if sandbox == "unsafe" else ""))),
        score=score,
        max_score=points,
        seconds=seconds,
        seed=seed,
        checks=results,
        stdout=outcome.stdout,
        profile=exercise.settings.profile,
        sandbox=sandbox,
        judge_version=__version__,
        libraries=libraries,
        stopped=outcome.stopped,
        starter=exercise.is_starter(source),
    )


def seed_inside(seed: int) -> int:
    """The seed for random generators in the sandbox. It does not reveal the seed of the hidden inputs."""
    return int.from_bytes(hashlib.sha256(b"inside %d" % seed).digest()[:4])


def _reason(ended: JobEnded) -> Reason:
    reason: Reason = msgspec.convert(ended.reason, Reason)
    return reason
