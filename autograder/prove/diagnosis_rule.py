"""Finds out which explanations the wrong solutions of an exercise get, for the rule `diagnosis`."""

from collections.abc import Mapping

from autograder.explain.diagnosis import Explanation
from autograder.explain.diagnosis.dictionary import Dictionary, limit_of
from autograder.explain.diagnosis.explain import choose, search
from autograder.explain.diagnosis.prediction import SEEDS, dictionary_of, known_entry
from autograder.explain.diagnosis.transcript import Transcript
from autograder.judge.grade import Judge
from autograder.judge.pack import Pack, misconception
from autograder.judge.report import Endings


def explanations_of(
    judge: Judge, exercise: Pack, endings: Mapping[str, Endings]
) -> list[tuple[str, tuple[Explanation, ...]]]:
    """The explanations of the wrong solutions that do not obviously get their own key. `endings` is by wrong solution.

    A claim based on an edit never takes precedence over a file of `wrong/`, so a dictionary of these files gives the same
    result as a complete one.
    """
    seen = {name: known_entry(judge, exercise, name, ended) for name, ended in endings.items()}
    known = Dictionary(SEEDS, tuple(entry for entry, _ in seen.values()), ())
    doubtful = [name for name, (_, transcript) in seen.items() if not _plainly(known, name, transcript, endings[name])]
    if doubtful:
        known = dictionary_of(judge, exercise, known.entries)
    return [(name, choose(*search(exercise, seen[name][1], endings[name], known), exercise)) for name in doubtful]


def _plainly(known: Dictionary, name: str, transcript: Transcript, endings: Endings) -> bool:
    """Whether the first known wrong solution that accounts for all failures has this name."""
    found, limit = known.matches(transcript, endings), limit_of(endings)
    failed = {*transcript.failed, *([limit[0]] if limit else [])}
    return bool(found) and found[0][0].operators == (misconception(name),) and failed <= set(found[0][1])
