"""Runs checks on a source and records every question and answer.

The diagnosis compares transcripts, not programs: two sources that give the same answers have the same mistake. No verdict is
decided here. A check stops at its first failure, as in a grading.
"""

import zlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
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
CPU_SECONDS = 8  # CPU time in the sandbox for a whole transcript
MAX_ANSWER_BYTES = HEADER_LIMIT  # no exercise needs a longer answer; a placeholder replaces it
TOO_LONG = "an array that is too long to be kept"  # a string, so that no generator takes it for a gradient or for None
MAX_TRANSCRIPT_BYTES = 16 << 20  # for all answers, seven times what any exercise needs; recording then stops
HUNG_SECONDS = 60.0  # wall-clock time; only a submission that waits for something reaches it


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
    """One check with one seed: its ending and its exchanges."""

    check: str
    seed: int
    ending: Ending
    message: str
    exchanges: tuple[Exchange, ...]

    @cached_property
    def fingerprint(self) -> "Fingerprint":
        from autograder.judge.diagnosis.fingerprint import of_trial  # a circular import: the diagnosis imports this module

        return of_trial(self)


@dataclass(frozen=True)
class Transcript:
    """All trials of one source. `trouble` says why the source could not be asked, or not to the end."""

    trials: tuple[Trial, ...] = ()
    trouble: str = ""

    def and_then(self, more: "Transcript") -> "Transcript":
        """This transcript followed by a later one of the same interview."""
        return Transcript(self.trials + more.trials, self.trouble or more.trouble)

    def of(self, check: str) -> tuple[Trial, ...]:
        return tuple(trial for trial in self.trials if trial.check == check)

    @property
    def failed(self) -> frozenset[str]:
        return frozenset(trial.check for trial in self.trials if trial.ending != PASSED)


class Recorder(Student):
    """A student that records its exchanges. Answers are read as the exercise declares; answers that are too long are
    replaced by a placeholder."""

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
        if size > MAX_ANSWER_BYTES and isinstance(reply.value, Array):
            self._exchanges.append(Exchange(what, name, args, options, TOO_LONG))
            return reply
        self._kept_bytes += size
        if self._kept_bytes > MAX_TRANSCRIPT_BYTES:
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
        ):  # an answer of another form is kept as it is
            return value


class Interview:
    """Runs checks on one source in one session, as long as its CPU budget lasts.

    The submission is stopped by CPU time and not by wall-clock time, which depends on the load, even where a check has a
    time limit of its own. `seconds` of wall-clock time only ends a submission that waits for something.
    """

    def __init__(
        self, sandbox: Box, pack: Pack, source: bytes, *, cpu_seconds: int = CPU_SECONDS, seconds: float = HUNG_SECONDS
    ) -> None:
        self.pack, self.source, self.sandbox = pack, source, sandbox
        self.limits = _limits(pack, sandbox, cpu_seconds, seconds)
        self.session: Session | None = None
        self.student: Recorder | None = None
        self.trouble = ""

    def __enter__(self) -> "Interview":
        self._open()
        return self

    def __exit__(self, *_: object) -> None:
        if self.session is not None:
            self.session.close()

    def ask(
        self,
        seeds: Sequence[int],
        checks: Collection[str] | None = None,
        enough: Callable[[Trial], bool] = lambda _: False,
    ) -> Transcript:
        """Runs checks with every seed, one check after the other. The remaining seeds of a check are skipped once `enough`
        holds."""
        trials: list[Trial] = []
        for check in self.pack.checks if not self.trouble else ():
            if checks is not None and check.id not in checks:
                continue
            for seed in seeds:
                trial = self._trial(check, seed)
                if trial is None:
                    continue
                trials.append(trial)
                if trial.ending == ENDED:
                    return Transcript(tuple(trials), self.trouble)
                if enough(trial):
                    break
        return Transcript(tuple(trials), self.trouble)

    def _open(self) -> None:
        from autograder.judge.diagnosis.declare import declared  # a circular import: the diagnosis imports this module

        self.session = self.sandbox.session(self.limits)
        try:
            reply = self.session.load(self.source, 0, self.pack.entry_points)
        except JobEnded as ended:
            self.trouble = ended.reason
            return
        if isinstance(reply, Raised):
            self.trouble = f"raised {reply.type_name}"
        elif reply.missing:
            self.trouble = "missing-entry-point"
        self.student = Recorder(self.session, declared(self.pack).readings)

    def _trial(self, check: Check, seed: int) -> Trial | None:
        """Runs a check once; None if the check itself raises."""
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
        except Exception:  # the check is broken, which its grading reports
            self.student.take()
            return None
        return Trial(check.id, seed, ending, message, self.student.take())


def transcribe(
    sandbox: Box,
    pack: Pack,
    source: bytes,
    seeds: Sequence[int],
    *,
    checks: Collection[str] | None = None,
    cpu_seconds: int = CPU_SECONDS,
    enough: Callable[[Trial], bool] = lambda _: False,
) -> Transcript:
    """A complete transcript of a source, or of some of its checks."""
    with Interview(sandbox, pack, source, cpu_seconds=cpu_seconds) as interview:
        return interview.ask(seeds, checks, enough)


def _limits(pack: Pack, sandbox: Box, cpu_seconds: int, seconds: float) -> Limits:
    limits, ceiling = pack.limits(sandbox.limits), sandbox.limits
    return msgspec.structs.replace(
        limits,
        cpu_seconds=min(cpu_seconds, ceiling.cpu_seconds),
        wall_seconds=min(seconds, ceiling.wall_seconds),
    )
