"""What each wrong version of the reference would have answered, computed ahead of time and looked up.

The candidates of `bank` are run in the sandbox on fixed seeds, like any submission. Kept are the fingerprints of the
checks they fail, and the reference's own answers. The file is named by everything it depends on: exercise version and
judge source.
"""

import hashlib
import os
import tempfile
import time
from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from pathlib import Path

import msgspec

from autograder.judge.arrays import to_wire
from autograder.judge.diagnosis.bank import Candidate, candidates
from autograder.judge.diagnosis.fingerprint import Fingerprint, of_trial, same
from autograder.judge.pack import Pack
from autograder.judge.transcript import FAILED, PASSED, RAISED, Exchange, Transcript, Trial, transcribe
from sandbox.host import Sandbox
from sandbox.wire import LENGTHS, Answer, Codec, Raised

SEEDS = (101, 202, 303)
SECONDS = 0.5
FOLDER = Path(__file__).resolve().parents[3] / ".cache" / "diagnosis"
_JUDGE = Path(__file__).resolve().parents[1]


class Entry(msgspec.Struct, frozen=True):
    """One candidate's predictions: per failed check, one fingerprint for each seed."""

    operators: tuple[str, ...]
    words: str
    source: str
    failed: frozenset[str]
    predicted: dict[str, tuple[Fingerprint, ...]]


class Spoken(msgspec.Struct, frozen=True):
    """One trial of the reference: what was asked, and the replies as frames."""

    check: str
    seed: int
    questions: list[tuple[str, str]]
    replies: list[bytes]


class Dictionary(msgspec.Struct, frozen=True):
    seeds: tuple[int, ...]
    entries: tuple[Entry, ...]
    reference: tuple[Spoken, ...]
    cost: dict[str, float]  # per check, the seconds that the reference took for all seeds

    def affordable(self, checks: Sequence[str], seconds: float, last: Collection[str] = ()) -> list[str]:
        """The cheapest checks that fit into so much time together, at least one; some only after all others."""
        kept: list[str] = []
        for check in sorted(checks, key=lambda check: (check in last, self.cost.get(check, 0.0))):
            seconds -= self.cost.get(check, 0.0)
            if kept and seconds < 0:
                break
            kept.append(check)
        return kept

    def right(self, check: str, seed: int) -> tuple[Exchange, ...]:
        """The reference's own exchanges, without their arguments: those are in the student's."""
        for spoken in self.reference:
            if (spoken.check, spoken.seed) == (check, seed):
                return tuple(
                    _exchange(question, data) for question, data in zip(spoken.questions, spoken.replies, strict=True)
                )
        return ()

    def matches(self, transcript: Transcript, failed: Collection[str]) -> list[tuple[Entry, tuple[str, ...]]]:
        """Entries that answer every check they fail exactly as the student did, on every seed, and fail none that the
        student passed.

        The student may fail more than that: then there is another mistake besides. Most checks explained first, then those
        that fail most nearly what the student `failed`, then the simplest.
        """
        failed, asked = frozenset(failed), {trial.check for trial in transcript.trials}
        given = {check: tuple(of_trial(trial) for trial in transcript.of(check)) for check in transcript.failed}
        found = []
        for entry in self.entries:
            checks = tuple(c for c, prints in given.items() if _same_all(prints, entry.predicted.get(c, ())))
            # a check that an entry fails on some seeds only predicts nothing
            if checks and entry.failed <= failed and asked & entry.predicted.keys() <= set(checks):
                found.append((entry, checks))
        return sorted(found, key=lambda item: (-len(item[1]), len(item[0].failed ^ failed), len(item[0].operators)))


def _same_all(one: Sequence[Fingerprint], other: Sequence[Fingerprint]) -> bool:
    return len(one) == len(other) > 0 and all(same(a, b) for a, b in zip(one, other, strict=True))


def predict(
    sandbox: Sandbox,
    pack: Pack,
    bank: Sequence[Candidate] | None = None,
    *,
    seeds: Sequence[int] = SEEDS,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Dictionary:
    """Run the whole bank. Takes seconds to minutes: this is done when an exercise is published, never for a submission."""
    bank = candidates(pack.solution.decode()) if bank is None else bank
    entries: list[Entry] = []
    for number, candidate in enumerate(bank):
        progress(number, len(bank))
        source = candidate.source.encode()
        transcript = transcribe(sandbox, pack, source, seeds, seconds=SECONDS, enough=lambda t: t.ending == PASSED)
        predicted = {check: _prints(transcript.of(check), len(seeds)) for check in sorted(transcript.failed)}
        predicted = {check: prints for check, prints in predicted.items() if prints}
        if predicted and transcript.failed:
            entries.append(Entry(candidate.operators, candidate.words, candidate.source, transcript.failed, predicted))
    spoken, cost = [], {}
    start = time.perf_counter()
    transcribe(sandbox, pack, pack.solution, seeds, checks=[])
    opening = time.perf_counter() - start
    for check in pack.checks:
        start = time.perf_counter()
        reference = transcribe(sandbox, pack, pack.solution, seeds, checks=[check.id], seconds=10.0)
        fingerprints = [of_trial(trial) for trial in reference.trials]  # reading long answers costs time, too
        spoken += [_spoken(trial) for trial in reference.trials if fingerprints]
        cost[check.id] = max(0.0, time.perf_counter() - start - opening)
    return Dictionary(tuple(seeds), tuple(entries), tuple(spoken), cost)


def _prints(trials: tuple[Trial, ...], count: int) -> tuple[Fingerprint, ...]:
    complete = len(trials) == count and all(t.ending in (FAILED, RAISED) and t.exchanges for t in trials)
    return tuple(of_trial(trial) for trial in trials) if complete else ()


def load(sandbox: Sandbox, pack: Pack, folder: Path | None = None) -> Dictionary:
    """The dictionary of this version of the exercise, made now if it has not been made before."""
    path = path_of(pack, folder)
    if not path.is_file():
        _write(path, msgspec.msgpack.encode(predict(sandbox, pack)))
    return _read(path)


def path_of(pack: Pack, folder: Path | None = None) -> Path:
    return (folder or FOLDER) / f"{pack.slug}-{pack.version}-{judge_version()}.msgpack"


@lru_cache(maxsize=64)
def _read(path: Path) -> Dictionary:
    return msgspec.msgpack.decode(path.read_bytes(), type=Dictionary)


def _write(path: Path, data: bytes) -> None:
    """All or nothing: another worker may be reading."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, suffix=".part")
    with os.fdopen(handle, "wb") as file:
        file.write(data)
    os.chmod(name, 0o644)
    os.replace(name, path)


@lru_cache(maxsize=1)
def judge_version() -> str:
    """A hash of the judge's source that asks, compares and predicts."""
    digest = hashlib.sha256()
    for path in sorted((*_JUDGE.glob("*.py"), *_JUDGE.glob("checks/*.py"), *_JUDGE.glob("diagnosis/*.py"))):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def _spoken(trial: Trial) -> Spoken:
    codec = Codec()
    replies = []
    for exchange in trial.exchanges:
        frame = Answer(0, to_wire(exchange.value), to_wire(exchange.inputs)) if exchange.raised is None else exchange.raised
        replies.append(b"".join(bytes(chunk) for chunk in codec.encode(frame)))
    return Spoken(trial.check, trial.seed, [exchange.question for exchange in trial.exchanges], replies)


def _exchange(question: tuple[str, str], data: bytes) -> Exchange:
    header, body = LENGTHS.unpack(data[: LENGTHS.size])
    view = memoryview(data)[LENGTHS.size :]
    frame = Codec().decode(view[:header], view[header : header + body])
    if isinstance(frame, Raised):
        return Exchange(*question, (), {}, raised=frame)
    assert isinstance(frame, Answer)
    return Exchange(*question, (), {}, frame.value, frame.inputs)
