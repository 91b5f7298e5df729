"""Runs checks on a source and records every question and answer.

The diagnosis compares transcripts, not programs: two sources that give the same answers have the same mistake. No verdict is
decided here. A check stops at its first failure, as in a grading.
"""

import zlib
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import msgspec
import numpy as np

from autograder.judge.checks.compare import CheckFailed
from autograder.judge.checks.registry import Check
from autograder.judge.checks.student import BadAnswer, StudentRaised
from autograder.judge.diagnosis.declare import declared
from autograder.judge.diagnosis.fingerprint import Fingerprint, fingerprint_of
from autograder.judge.pack import Pack
from autograder.judge.recorder import Exchange, Recorder
from autograder.judge.report import Ending
from sandbox.errors import JobEnded, SandboxError
from sandbox.pool import Box
from sandbox.session import Session
from sandbox.wire import Limits, Raised

PASSED: Final = "passed"
FAILED: Final = "failed"
RAISED: Final = "raised"
ENDED: Final = "ended"
CPU_SECONDS = 8  # CPU time in the sandbox for a whole transcript
HUNG_SECONDS = 60.0  # wall-clock time; only a submission that waits for something reaches it


@dataclass(frozen=True)
class Trial:
    """One check with one seed: its ending and its exchanges."""

    check: str
    seed: int
    ending: Ending
    message: str
    exchanges: tuple[Exchange, ...]

    @cached_property
    def fingerprint(self) -> Fingerprint:
        return fingerprint_of(self.exchanges, raised=self.ending == RAISED)


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
