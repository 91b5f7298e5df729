"""Looks up which wrong version of the reference gives the same answers as a submission.

Entries are edits of the reference (`bank`) and the files in `wrong/`. Only the checks that an entry fails are stored, as
fingerprints with fixed seeds, together with the reference's answers. `prediction` makes dictionaries.
"""

import msgspec

from autograder.explain.diagnosis.fingerprint import Fingerprint, same
from autograder.explain.diagnosis.transcript import RAISED, Transcript
from autograder.explain.recorder import Exchange
from autograder.judge.report import LIMITS, Ending, Endings
from sandbox.wire import LENGTHS, Answer, Codec, Raised


class Prediction(msgspec.Struct, frozen=True):
    """The predictions of one wrong program: a fingerprint for every failed check and seed.

    `limit` is the first check that exceeded a limit, and its ending. Nothing is known about the checks after it. `speed` is
    the only failed check, if it is about speed: on a slower machine, the same program may exceed the limit of that check.
    """

    operators: tuple[str, ...]
    words: str
    source: str
    failed: frozenset[str]
    predicted: dict[str, tuple[Fingerprint, ...]]
    limit: tuple[str, Ending] | None = None
    known: bool = False
    speed: str = ""


class ReferenceTrial(msgspec.Struct, frozen=True):
    """One trial of the reference: the questions, and the replies as frames."""

    check: str
    seed: int
    questions: list[tuple[str, str]]
    replies: list[bytes]


class Dictionary(msgspec.Struct, frozen=True):
    seeds: tuple[int, ...]
    entries: tuple[Prediction, ...]
    reference: tuple[ReferenceTrial, ...]

    def edits(self) -> "Dictionary":
        """The dictionary without the author's wrong solutions, to measure the generators alone."""
        return msgspec.structs.replace(self, entries=tuple(entry for entry in self.entries if not entry.known))

    @property
    def brief(self) -> "Dictionary":
        """The author's wrong solutions with the first seed."""
        return Dictionary(
            self.seeds[:1],
            tuple(entry for entry in self.entries if entry.known),
            tuple(spoken for spoken in self.reference if spoken.seed == self.seeds[0]),
        )

    def right(self, check: str, seed: int) -> tuple[Exchange, ...]:
        """The reference's exchanges without arguments, which the student's exchanges contain."""
        for spoken in self.reference:
            if (spoken.check, spoken.seed) == (check, seed):
                return tuple(
                    _exchange(question, data) for question, data in zip(spoken.questions, spoken.replies, strict=True)
                )
        return ()

    def agreed(self, transcript: Transcript, endings: Endings) -> list[tuple[Prediction, tuple[str, ...]]]:
        """The matches that identify a mistake. Exceptions have many causes, so if a submission only raises, edits are
        ignored and an author's wrong solution must account for every check that raised."""
        endings_of = {check: [trial.ending for trial in transcript.of(check)] for check in transcript.failed}
        raising = {check for check, ended in endings_of.items() if ended == [RAISED] * len(self.seeds)}
        found = self.matches(transcript, endings)
        return [(e, checks) for e, checks in found if not raising.issuperset(checks) or (e.known and raising <= set(checks))]

    def matches(self, transcript: Transcript, endings: Endings) -> list[tuple[Prediction, tuple[str, ...]]]:
        """Entries that answer every check they fail exactly as the student did, with every seed, and fail no check that the
        student passed, in the grading or with the seeds of the dictionary.

        The student may fail further checks because of another mistake. A run has only some of the checks. Entries that
        explain most checks come first, then those whose failures are closest to the student's, then the simplest.
        """
        failed = _failed(endings) | transcript.failed
        asked = frozenset(trial.check for trial in transcript.trials)
        given = _given(transcript)
        found = []
        for entry in self.entries:
            checks = _alike(entry, given, len(self.seeds))
            if entry.limit and _same_limit(entry, endings):
                checks += (entry.limit[0],)
            elif entry.limit:
                continue
            elif entry.speed and _only_late(entry.speed, endings):
                checks += (entry.speed,)
            # checks that an entry fails with some seeds only predict nothing
            if checks and entry.failed & endings.keys() <= failed and asked & entry.predicted.keys() <= set(checks):
                found.append((entry, checks))
        return sorted(found, key=lambda item: (-len(item[1]), len(item[0].failed ^ failed), len(item[0].operators)))

    def in_doubt(self, transcript: Transcript, endings: Endings) -> frozenset[str]:
        """Checks that the student passed but that an otherwise matching entry fails. A check may fail for some inputs only,
        so these are asked with the seeds of the dictionary."""
        failed, given = _failed(endings), _given(transcript)
        count = len(self.seeds)
        alike = [e for e in self.entries if given and not e.limit and len(_alike(e, given, count)) == len(given)]
        return frozenset(check for entry in alike for check in entry.failed & endings.keys() - failed)

    def answers_alike(self, entry: Prediction, check: str, later: Transcript) -> bool:
        """Whether the entry predicts the answers of this check with all seeds but the first."""
        prints = [trial.fingerprint for trial in later.of(check)]
        return len(prints) == len(self.seeds) - 1 and all(map(same, prints, entry.predicted[check][1:]))


def _failed(endings: Endings) -> frozenset[str]:
    return frozenset(check for check, ending in endings.items() if ending != "passed")


def _given(transcript: Transcript) -> dict[str, tuple[Fingerprint, ...]]:
    return {check: tuple(trial.fingerprint for trial in transcript.of(check)) for check in sorted(transcript.failed)}


def _alike(entry: Prediction, given: dict[str, tuple[Fingerprint, ...]], seeds: int) -> tuple[str, ...]:
    """The checks that an entry answers as the student did, with this many seeds."""
    predicted = entry.predicted
    return tuple(
        c for c, prints in given.items() if c in predicted and len(prints) == seeds and all(map(same, prints, predicted[c]))
    )


def limit_of(endings: Endings) -> tuple[str, Ending] | None:
    """The first check that exceeded a limit, in grading order, and its ending."""
    return next(((check, ending) for check, ending in endings.items() if ending in LIMITS), None)


def before(endings: Endings) -> dict[str, Ending]:
    """The endings up to and including the first limit."""
    limit, kept = limit_of(endings), dict[str, Ending]()
    for check, ending in endings.items():
        kept[check] = ending
        if limit is not None and check == limit[0]:
            break
    return kept


def _same_limit(entry: Prediction, endings: Endings) -> bool:
    """Whether both exceed the same limit in the same check after the same failures. Time and memory are not compared."""
    return entry.limit == limit_of(endings) and entry.failed & endings.keys() == _failed(before(endings))


def _only_late(check: str, endings: Endings) -> bool:
    """Whether this check took too long and all before it passed."""
    return limit_of(endings) == (check, "late") and _failed(before(endings)) == {check}


def _exchange(question: tuple[str, str], data: bytes) -> Exchange:
    header, body = LENGTHS.unpack(data[: LENGTHS.size])
    view = memoryview(data)[LENGTHS.size :]
    frame = Codec().decode(view[:header], view[header : header + body])
    if isinstance(frame, Raised):
        return Exchange(*question, (), {}, raised=frame)
    assert isinstance(frame, Answer)
    return Exchange(*question, (), {}, frame.value, frame.inputs)
