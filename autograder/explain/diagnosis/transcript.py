"""Runs checks on a source and records every question and answer.

The diagnosis compares transcripts, not programs: two sources that give the same answers have the same mistake. No verdict is
decided here. A check stops at its first failure, as in a grading.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from autograder.explain.diagnosis.fingerprint import Fingerprint, fingerprint_of
from autograder.explain.recorder import Exchange, Recorder
from autograder.judge.check_run import run_check
from autograder.judge.checks.registry import Check
from autograder.judge.diagnosis import declared
from autograder.judge.grade import Judge
from autograder.judge.pack import Pack
from autograder.judge.replay import CPU_SECONDS, Replay
from autograder.judge.report import Ending
from sandbox.errors import JobEnded

PASSED: Final = "passed"
FAILED: Final = "failed"
RAISED: Final = "raised"
ENDED: Final = "ended"


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
        """This transcript followed by a later one of the same replay."""
        return Transcript(self.trials + more.trials, self.trouble or more.trouble)

    def of(self, check: str) -> tuple[Trial, ...]:
        return tuple(trial for trial in self.trials if trial.check == check)

    @property
    def failed(self) -> frozenset[str]:
        return frozenset(trial.check for trial in self.trials if trial.ending != PASSED)


class Transcriber:
    """Runs checks of a replay and records their transcripts."""

    def __init__(self, replay: Replay) -> None:
        session = replay.session
        self._pack, self._trouble = replay.pack, replay.trouble
        self._recorder = None if session is None else Recorder(session, declared(replay.pack).readings)

    def transcribe(
        self,
        seeds: Sequence[int],
        checks: Collection[str] | None = None,
        enough: Callable[[Trial], bool] = lambda _: False,
    ) -> Transcript:
        """Runs checks with every seed, one check after the other. The remaining seeds of a check are skipped once `enough`
        holds."""
        trials: list[Trial] = []
        for check in self._pack.checks if not self._trouble else ():
            if checks is not None and check.id not in checks:
                continue
            for seed in seeds:
                trial = self._trial(check, seed)
                if trial is None:
                    continue
                trials.append(trial)
                if trial.ending == ENDED:
                    return Transcript(tuple(trials), self._trouble)
                if enough(trial):
                    break
        return Transcript(tuple(trials), self._trouble)

    def _trial(self, check: Check, seed: int) -> Trial | None:
        """Runs a check once; None if the check itself raises, which its grading reports."""
        assert self._recorder is not None
        run = run_check(check, self._recorder, seed)
        exchanges = self._recorder.take()
        if isinstance(run.error, JobEnded):
            self._trouble = run.error.reason
        return None if run.ending == "broken" else Trial(check.id, seed, run.ending, str(run.error or ""), exchanges)


def transcribe(
    judge: Judge,
    pack: Pack,
    source: bytes,
    seeds: Sequence[int],
    *,
    checks: Collection[str] | None = None,
    cpu_seconds: int = CPU_SECONDS,
    enough: Callable[[Trial], bool] = lambda _: False,
) -> Transcript:
    """A complete transcript of a source, or of some of its checks."""
    with Replay(judge, pack, source, cpu_seconds=cpu_seconds) as replay:
        return Transcriber(replay).transcribe(seeds, checks, enough)
