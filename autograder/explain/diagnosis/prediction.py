"""Makes dictionaries in advance by running the reference, the author's wrong solutions and the bank of edits in the sandbox.

The file name of a dictionary is a hash of everything it depends on: the behaviour of the exercise and of the judge, and the
versions of the libraries. A change of texts does not invalidate a dictionary.
"""

import os
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import msgspec

from autograder.explain.diagnosis.dictionary import Dictionary, Prediction, ReferenceTrial, before, limit_of
from autograder.explain.diagnosis.edits import Candidate, candidates
from autograder.explain.diagnosis.fingerprint import Fingerprint
from autograder.explain.diagnosis.transcript import FAILED, PASSED, RAISED, Transcript, Trial, transcribe
from autograder.judge.arrays import to_wire
from autograder.judge.grade import Judge
from autograder.judge.pack import Content, Pack, misconception
from autograder.judge.report import Endings
from autograder.judge.source_hash import DECIDES_NOTHING, modules_hash
from sandbox.wire import Answer, Codec

SEEDS = (101, 202, 303)
EDIT_CPU_SECONDS = 2
REFERENCE_CPU_SECONDS = 60
FOLDER = Path(__file__).resolve().parents[3] / ".cache" / "diagnosis"
Progress = Callable[[int, int], None]
EndingsOf = Callable[[Pack], Mapping[str, Endings]]  # by wrong solution


def unproved(_: Pack) -> Mapping[str, Endings]:
    """How the checks end for the wrong solutions, where no proof says so: each is graded."""
    return {}


def learn(
    judge: Judge,
    pack: Pack,
    folder: Path | None = None,
    progress: Progress = lambda done, of: None,
    *,
    proved: EndingsOf = unproved,
) -> Dictionary:
    """The complete dictionary of this version of the exercise. It is made now if it does not exist."""
    path = path_of(pack, folder)
    if not path.is_file():
        _write(path, predict(judge, pack, progress=progress, proved=proved))
    return _read(path)


def load(judge: Judge, pack: Pack, folder: Path | None = None, *, proved: EndingsOf = unproved) -> Dictionary:
    """The complete dictionary if it exists; otherwise one of the author's wrong solutions alone, which takes seconds to
    make."""
    return ready(pack, folder) or known_alone(judge, pack, folder, proved=proved)


def known_alone(judge: Judge, pack: Pack, folder: Path | None = None, *, proved: EndingsOf = unproved) -> Dictionary:
    """The dictionary of the author's wrong solutions alone, even if a complete one exists."""
    path = _small(path_of(pack, folder))
    if not path.is_file():
        _write(path, predict(judge, pack, [], proved=proved))
    return _read(path)


def ready(pack: Pack, folder: Path | None = None) -> Dictionary | None:
    """The best existing dictionary, or None. For use while students are waiting."""
    path = ready_file(pack, folder)
    return None if path is None else _read(path)


def ready_file(exercise: Content, folder: Path | None = None) -> Path | None:
    """The file of the best existing dictionary, or None."""
    whole = path_of(exercise, folder)
    return next((path for path in (whole, _small(whole)) if path.is_file()), None)


def _small(whole: Path) -> Path:
    return whole.with_suffix(".known.msgpack")


def predict(
    judge: Judge,
    pack: Pack,
    bank: Sequence[Candidate] | None = None,
    *,
    seeds: Sequence[int] = SEEDS,
    progress: Progress = lambda done, of: None,
    proved: EndingsOf = unproved,
) -> Dictionary:
    """Runs `wrong/` and the bank. The complete bank takes seconds to minutes, so it runs when an exercise is published and
    never for a submission. Edits skip checks with their own time limit, which are slow and about speed."""
    bank = candidates(pack.solution.decode()) if bank is None else bank
    reference = dictionary_of(judge, pack, [], seeds)
    asked = [check.id for check in pack.checks if check.seconds is None] or None
    entries: list[Prediction] = []
    known = proved(pack)
    for number, name in enumerate(pack.wrong):
        progress(number, len(pack.wrong) + len(bank))
        endings = known.get(name) or _graded(judge, pack, name, seeds[0])
        entries.append(known_entry(judge, pack, name, endings, seeds)[0])
    for number, candidate in enumerate(bank, len(pack.wrong)):
        progress(number, len(pack.wrong) + len(bank))
        entries += _edit_entry(judge, pack, candidate, seeds, asked)
    return msgspec.structs.replace(reference, entries=tuple(entries))


def _graded(judge: Judge, pack: Pack, name: str, seed: int) -> Endings:
    """How the checks end for a wrong solution. A stored proof saves the time of those that exceed limits."""
    return judge.grade(pack, pack.wrong[name], seed, enough=lambda result: result.at_limit).endings


def dictionary_of(judge: Judge, pack: Pack, entries: Iterable[Prediction], seeds: Sequence[int] = SEEDS) -> Dictionary:
    """A dictionary with these entries and the reference's answers."""
    transcript = transcribe(judge, pack, pack.solution, seeds, cpu_seconds=REFERENCE_CPU_SECONDS)
    return Dictionary(tuple(seeds), tuple(entries), tuple(_spoken(trial) for trial in transcript.trials))


def known_entry(
    judge: Judge, pack: Pack, name: str, endings: Endings, seeds: Sequence[int] = SEEDS
) -> tuple[Prediction, Transcript]:
    """The entry and the transcript of a file of `wrong/`, whose grading had these endings."""
    asked = [check for check, ending in before(endings).items() if ending in (FAILED, RAISED)]
    source = pack.wrong[name]
    transcript = transcribe(judge, pack, source, seeds, checks=asked) if asked else Transcript()
    limit = limit_of(endings)
    graded = frozenset(check for check, ending in before(endings).items() if ending != PASSED)
    failed = graded if limit else transcript.failed
    predicted, words = _predictions(transcript, seeds), f"wrong/{name}.py"
    about_speed = {check.id for check in pack.checks if check.seconds is not None}
    speed = next(iter(failed)) if limit is None and len(failed) == 1 and failed <= about_speed else ""
    entry = Prediction((misconception(name),), words, source.decode(), failed, predicted, limit, known=True, speed=speed)
    return entry, transcript


def _edit_entry(
    judge: Judge, pack: Pack, candidate: Candidate, seeds: Sequence[int], asked: Sequence[str] | None
) -> list[Prediction]:
    """The entry of an edit, or None if the edit has no effect."""
    source = candidate.source.encode()
    transcript = transcribe(
        judge, pack, source, seeds, checks=asked, cpu_seconds=EDIT_CPU_SECONDS, enough=lambda t: t.ending == PASSED
    )
    predicted = _predictions(transcript, seeds)
    if not predicted:
        return []
    return [Prediction(candidate.operators, candidate.words, candidate.source, transcript.failed, predicted)]


def _predictions(transcript: Transcript, seeds: Sequence[int]) -> dict[str, tuple[Fingerprint, ...]]:
    predicted = {check: _prints(transcript.of(check), len(seeds)) for check in sorted(transcript.failed)}
    return {check: prints for check, prints in predicted.items() if prints}


def _prints(trials: tuple[Trial, ...], count: int) -> tuple[Fingerprint, ...]:
    complete = len(trials) == count and all(t.ending in (FAILED, RAISED) and t.exchanges for t in trials)
    return tuple(trial.fingerprint for trial in trials) if complete else ()


def _spoken(trial: Trial) -> ReferenceTrial:
    codec = Codec()
    replies = []
    for exchange in trial.exchanges:
        frame = Answer(0, to_wire(exchange.value), to_wire(exchange.inputs)) if exchange.raised is None else exchange.raised
        replies.append(b"".join(bytes(chunk) for chunk in codec.encode(frame)))
    return ReferenceTrial(trial.check, trial.seed, [exchange.question for exchange in trial.exchanges], replies)


# -- stored ---------------------------------------------------------------------------------------------------------------


def path_of(pack: Content, folder: Path | None = None) -> Path:
    """The file of a dictionary. It differs for another exercise, judge or library version."""
    return (folder or FOLDER) / f"{pack.slug}-{pack.behaviour}-{code_hash()}.msgpack"


def code_hash() -> str:
    """The hash of all code that affects dictionaries. The first call in a process is slow."""
    return modules_hash(__name__, "autograder.judge.checks", "sandbox", without=DECIDES_NOTHING)


@lru_cache(maxsize=64)
def _read(path: Path) -> Dictionary:
    return msgspec.msgpack.decode(path.read_bytes(), type=Dictionary)


def _write(path: Path, dictionary: Dictionary) -> None:
    """Writes a file atomically, because another worker may be reading it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, suffix=".part")
    with os.fdopen(handle, "wb") as file:
        file.write(msgspec.msgpack.encode(dictionary))
    os.chmod(name, 0o644)
    os.replace(name, path)
