"""What wrong versions of the reference would have answered, and which of them answers as a student did.

Two kinds of entries: edits of the reference (`bank`), and the files that the author wrote into `wrong/`. Only the checks that
an entry fails are kept, as fingerprints on fixed seeds, beside the reference's own answers. `prediction` makes all this.
"""

import msgspec

from autograder.judge.diagnosis.fingerprint import Fingerprint, same
from autograder.judge.report import LIMITS, Ending, Endings
from autograder.judge.transcript import RAISED, Exchange, Transcript
from sandbox.wire import LENGTHS, Answer, Codec, Raised


class Entry(msgspec.Struct, frozen=True):
    """One wrong program's predictions: per failed check, one fingerprint for each seed.

    `limit` is the first check in which it ran into a limit, and how; nothing is known of the checks behind it.
    """

    operators: tuple[str, ...]
    words: str
    source: str
    failed: frozenset[str]
    predicted: dict[str, tuple[Fingerprint, ...]]
    limit: tuple[str, Ending] | None = None
    known: bool = False


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

    def edits(self) -> "Dictionary":
        """Without the author's wrong solutions: what the diagnosis finds out by itself."""
        return msgspec.structs.replace(self, entries=tuple(entry for entry in self.entries if not entry.known))

    @property
    def brief(self) -> "Dictionary":
        """The author's wrong solutions on the first seed."""
        return Dictionary(
            self.seeds[:1],
            tuple(entry for entry in self.entries if entry.known),
            tuple(spoken for spoken in self.reference if spoken.seed == self.seeds[0]),
        )

    def right(self, check: str, seed: int) -> tuple[Exchange, ...]:
        """The reference's own exchanges, without their arguments: those are in the student's."""
        for spoken in self.reference:
            if (spoken.check, spoken.seed) == (check, seed):
                return tuple(
                    _exchange(question, data) for question, data in zip(spoken.questions, spoken.replies, strict=True)
                )
        return ()

    def agreed(self, transcript: Transcript, endings: Endings) -> list[tuple[Entry, tuple[str, ...]]]:
        """The matches that say which mistake it is. An exception has many causes: where a submission shows nothing else,
        edits say nothing, and a mistake that the author names must account for every check that raised."""
        endings_of = {check: [trial.ending for trial in transcript.of(check)] for check in transcript.failed}
        raising = {check for check, ended in endings_of.items() if ended == [RAISED] * len(self.seeds)}
        found = self.matches(transcript, endings)
        return [(e, checks) for e, checks in found if not raising.issuperset(checks) or (e.known and raising <= set(checks))]

    def matches(self, transcript: Transcript, endings: Endings) -> list[tuple[Entry, tuple[str, ...]]]:
        """Entries that answer every check they fail exactly as the student did, on every seed, and fail none that the
        student passed, in the grading and on the seeds of the dictionary.

        The student may fail more than that: then there is another mistake besides. A run has only some of the checks. Most
        checks explained first, then those that fail most nearly what the student failed, then the simplest.
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
            # a check that an entry fails on some seeds only predicts nothing
            if checks and entry.failed & endings.keys() <= failed and asked & entry.predicted.keys() <= set(checks):
                found.append((entry, checks))
        return sorted(found, key=lambda item: (-len(item[1]), len(item[0].failed ^ failed), len(item[0].operators)))

    def in_doubt(self, transcript: Transcript, endings: Endings) -> frozenset[str]:
        """Checks that the student passed, though an entry that answers everything else alike fails them. Whether a check
        fails can depend on its inputs: asking them on the seeds of the dictionary decides."""
        failed, given = _failed(endings), _given(transcript)
        count = len(self.seeds)
        alike = [e for e in self.entries if given and not e.limit and len(_alike(e, given, count)) == len(given)]
        return frozenset(check for entry in alike for check in entry.failed & endings.keys() - failed)

    def answers_alike(self, entry: Entry, check: str, later: Transcript) -> bool:
        """Whether the entry predicts what was answered in this check on all seeds but the first."""
        prints = [trial.fingerprint for trial in later.of(check)]
        return len(prints) == len(self.seeds) - 1 and all(map(same, prints, entry.predicted[check][1:]))


def _failed(endings: Endings) -> frozenset[str]:
    return frozenset(check for check, ending in endings.items() if ending != "passed")


def _given(transcript: Transcript) -> dict[str, tuple[Fingerprint, ...]]:
    return {check: tuple(trial.fingerprint for trial in transcript.of(check)) for check in sorted(transcript.failed)}


def _alike(entry: Entry, given: dict[str, tuple[Fingerprint, ...]], seeds: int) -> tuple[str, ...]:
    """The checks that an entry answers as the student did on so many seeds."""
    predicted = entry.predicted
    return tuple(
        c for c, prints in given.items() if c in predicted and len(prints) == seeds and all(map(same, prints, predicted[c]))
    )


def limit_of(endings: Endings) -> tuple[str, Ending] | None:
    """The first check that ran into a limit, in the order of grading."""
    return next(((check, ending) for check, ending in endings.items() if ending in LIMITS), None)


def before(endings: Endings) -> dict[str, Ending]:
    """Endings up to the first limit, with it."""
    limit, kept = limit_of(endings), dict[str, Ending]()
    for check, ending in endings.items():
        kept[check] = ending
        if limit is not None and check == limit[0]:
            break
    return kept


def _same_limit(entry: Entry, endings: Endings) -> bool:
    """The same limit in the same check, after the same failures: time and memory are no numbers to compare."""
    return entry.limit == limit_of(endings) and entry.failed & endings.keys() == _failed(before(endings))


def _exchange(question: tuple[str, str], data: bytes) -> Exchange:
    header, body = LENGTHS.unpack(data[: LENGTHS.size])
    view = memoryview(data)[LENGTHS.size :]
    frame = Codec().decode(view[:header], view[header : header + body])
    if isinstance(frame, Raised):
        return Exchange(*question, (), {}, raised=frame)
    assert isinstance(frame, Answer)
    return Exchange(*question, (), {}, frame.value, frame.inputs)
