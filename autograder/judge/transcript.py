"""What was asked and what was answered: the checks of an exercise run on a source, every exchange kept.

A diagnosis compares transcripts, never programs: two sources that answer every question alike are the same mistake. Nothing
is decided here; a check stops at its first failure, as it does when it is graded.
"""

import zlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import msgspec
import numpy as np

from autograder.judge.checks.compare import CheckFailed
from autograder.judge.checks.registry import Check
from autograder.judge.pack import Pack
from autograder.judge.report import Ending
from autograder.judge.student import BadAnswer, Student, StudentRaised
from sandbox.errors import JobEnded, SandboxError
from sandbox.pool import Box
from sandbox.session import Session
from sandbox.wire import HEADER_LIMIT, Answer, Array, Limits, Raised

if TYPE_CHECKING:
    from autograder.judge.diagnosis.fingerprint import Fingerprint

PASSED: Final = "passed"
FAILED: Final = "failed"
RAISED: Final = "raised"
ENDED: Final = "ended"
CPU_SECONDS = 8  # of computing in the sandbox for a whole transcript
ANSWER_BYTES = HEADER_LIMIT  # a longer answer is kept as a name: so many numbers are in no exercise
TOO_LONG = "an array that is too long to be kept"  # a text, which no generator takes for a gradient, nor for a missing one
ALL_BYTES = 16 << 20  # of the answers in a transcript, seven times what any exercise needs; it ends where there are more
HUNG_SECONDS = 60.0  # by the clock; only a submission that waits for something reaches them


@dataclass(frozen=True)
class Exchange:
    """One question and its reply. `what` is `call`, `probe` or `op`."""

    what: str
    name: str
    args: tuple[Any, ...]
    options: dict[str, Any]
    value: Any = None
    inputs: list[Any] | None = None
    raised: Raised | None = None

    @property
    def question(self) -> tuple[str, str]:
        return self.what, self.name


@dataclass(frozen=True)
class Trial:
    """One check on one seed: how it ended, and what was said until then."""

    check: str
    seed: int
    ending: Ending
    message: str
    exchanges: tuple[Exchange, ...]

    @cached_property
    def fingerprint(self) -> "Fingerprint":
        from autograder.judge.diagnosis.fingerprint import of_trial  # the diagnosis is made of transcripts

        return of_trial(self)


@dataclass(frozen=True)
class Transcript:
    """All trials of one source. `trouble` says why the file could not be asked at all, or not to the end."""

    trials: tuple[Trial, ...] = ()
    trouble: str = ""

    def of(self, check: str) -> tuple[Trial, ...]:
        return tuple(trial for trial in self.trials if trial.check == check)

    @property
    def failed(self) -> frozenset[str]:
        return frozenset(trial.check for trial in self.trials if trial.ending != PASSED)


class Recorder(Student):
    """A student whose exchanges are kept, each answer as the exercise says that it reads. Of answers that are too long only
    that is kept."""

    def __init__(self, session: Session, readings: Mapping[str, Callable[..., Any]] | None = None) -> None:
        super().__init__(session)
        self._readings = readings or {}
        self._exchanges: list[Exchange] = []
        self._kept_bytes = 0

    def take(self) -> tuple[Exchange, ...]:
        taken = tuple(self._exchanges)
        self._exchanges.clear()
        return taken

    def _ask(
        self,
        what: str,
        name: str,
        args: tuple[Any, ...],
        options: dict[str, Any],
        source: str = "",
        want_inputs: bool = False,
    ) -> Answer:
        before = self._session.answered
        try:
            reply = super()._ask(what, name, args, options, source, want_inputs)
        except StudentRaised as raised:
            self._exchanges.append(Exchange(what, name, args, options, raised=raised.raised))
            raise
        size = self._session.answered - before
        if size > ANSWER_BYTES and isinstance(reply.value, Array):
            self._exchanges.append(Exchange(what, name, args, options, TOO_LONG))
            return reply
        self._kept_bytes += size
        if self._kept_bytes > ALL_BYTES:
            raise JobEnded("output", "the answers are too long to be explained")
        self._exchanges.append(Exchange(what, name, args, options, self._read(name, reply.value, args), reply.inputs))
        return reply

    def _read(self, name: str, value: Any, args: tuple[Any, ...]) -> Any:
        if name not in self._readings:
            return value
        try:
            return self._readings[name](value, *args)
        except (
            CheckFailed,
            LookupError,
            TypeError,
            ValueError,
            AttributeError,
        ):  # an answer of another form stays what it is
            return value


@dataclass
class _Writing:
    """A transcript that is being written. One session serves all trials."""

    pack: Pack
    source: bytes
    sandbox: Box
    limits: Limits
    trials: list[Trial] = field(default_factory=list)
    session: Session | None = None
    student: Recorder | None = None
    trouble: str = ""

    def open(self) -> bool:
        from autograder.judge.diagnosis.declare import declared  # the diagnosis is made of transcripts

        self.session = self.sandbox.session(self.limits)
        try:
            reply = self.session.load(self.source, 0, self.pack.entry_points)
        except JobEnded as ended:
            self.trouble = ended.reason
            return False
        if isinstance(reply, Raised):
            self.trouble = f"raised {reply.type_name}"
        elif reply.missing:
            self.trouble = "missing-entry-point"
        self.student = Recorder(self.session, declared(self.pack).readings)
        return not self.trouble

    def trial(self, check: Check, seed: int) -> bool:
        """Run one check once; False when there is nobody left to ask."""
        assert self.student is not None and self.session is not None
        generator = np.random.default_rng([seed, zlib.crc32(check.id.encode())])
        ending: Ending = PASSED
        message = ""
        try:
            check.run(self.student, generator)
        except (CheckFailed, BadAnswer) as failed:
            ending, message = FAILED, str(failed)
        except StudentRaised as raised:
            ending, message = RAISED, str(raised)
        except JobEnded as ended:
            ending, self.trouble = ENDED, ended.reason
        except SandboxError:
            raise
        except Exception:  # the check is broken; its grading says so, and here it says nothing
            self.student.take()
            return True
        self.trials.append(Trial(check.id, seed, ending, message, self.student.take()))
        return ending != ENDED


def transcribe(
    sandbox: Box,
    pack: Pack,
    source: bytes,
    seeds: Sequence[int],
    *,
    checks: Collection[str] | None = None,
    cpu_seconds: int = CPU_SECONDS,
    seconds: float = HUNG_SECONDS,
    enough: Callable[[Trial], bool] = lambda _: False,
) -> Transcript:
    """Run checks on every seed, all seeds of one check before the next.

    The submission is stopped by the computing it does, never by the clock, which depends on who else is busy: not even
    where a check has a time limit of its own. `seconds` by the clock only end what waits for something. The other seeds of a
    check that is known well `enough` are left out.
    """
    writing = _Writing(pack, source, sandbox, _limits(pack, sandbox, cpu_seconds, seconds))
    try:
        if not writing.open():
            return Transcript(trouble=writing.trouble)
        for check in pack.checks:
            if checks is not None and check.id not in checks:
                continue
            for seed in seeds:
                if not writing.trial(check, seed):
                    return Transcript(tuple(writing.trials), writing.trouble)
                if writing.trials and enough(writing.trials[-1]):
                    break
        return Transcript(tuple(writing.trials), writing.trouble)
    finally:
        if writing.session is not None:
            writing.session.close()


def _limits(pack: Pack, sandbox: Box, cpu_seconds: int, seconds: float) -> Limits:
    limits, ceiling = pack.limits(sandbox.limits), sandbox.limits
    return msgspec.structs.replace(
        limits,
        cpu_seconds=min(cpu_seconds, ceiling.cpu_seconds),
        wall_seconds=min(seconds, ceiling.wall_seconds),
    )
