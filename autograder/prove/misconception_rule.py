"""Checks that every misconception that an exercise names has a title and an explanation."""

from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from pathlib import Path

from autograder.explain.misconceptions import CATALOGUE, find, lacking
from autograder.judge.diagnosis import declared
from autograder.judge.pack import Pack, misconception
from autograder.prove.findings import Finding

RULE = "misconception"


def findings(exercise: Pack) -> Iterator[Finding]:
    """Keys of wrong solutions and symptoms without title or text, then messages for keys that are not used."""
    keys = dict[str, tuple[Path, int]]()
    for name in exercise.wrong:
        keys.setdefault(misconception(name), (exercise.folder / "wrong" / f"{name}.py", 1))
    for symptom in declared(exercise).symptoms.values():
        keys.setdefault(symptom.key, (exercise.folder / "checks.py", symptom.when.__code__.co_firstlineno))
    for key, (path, line) in keys.items():
        missing = lacking(key, exercise.settings.messages)
        if missing:
            cure = f"add a table [messages.{key}] to exercise.toml, or use a key from the catalogue"
            message = f"{key} has no {' and no '.join(missing)}: {cure}{_near(key, CATALOGUE)}"
            yield Finding(RULE, str(path), line, message)
    for key in exercise.settings.messages:
        if key not in keys and find(key) is None:
            message = f"[messages] has the key {key}, which no wrong solution, symptom or catalogue entry uses: correct or remove it"
            path = exercise.folder / "exercise.toml"
            yield Finding(RULE, str(path), _line_of(path, key), f"{message}{_near(key, {*keys, *CATALOGUE})}")


def _near(key: str, known: Iterable[str]) -> str:
    near = get_close_matches(key, sorted(known), n=1, cutoff=0.6)
    return f"; did you mean {near[0]}?" if near else ""


def _line_of(path: Path, key: str) -> int:
    lines = path.read_text().splitlines()
    start = next((n for n, line in enumerate(lines) if line.strip().startswith("[messages")), 0)
    return next((n for n, line in enumerate(lines[start:], start + 1) if key in line), start + 1)
