"""A part of a right answer becomes something else, in every check of every exercise: the check fails or passes, and never raises.

A check that raises is attributed by asking the reference again, which costs time and tells the student nothing.
"""

import math
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autograder.judge import pack
from autograder.judge.check_run import run_check
from autograder.judge.checks.student import Student
from autograder.judge.grade import Judge
from sandbox.session import Session
from sandbox.wire import Answer, Array, Opaque
from tests.conftest import EXERCISES

pytestmark = [pytest.mark.hostile, pytest.mark.slow]
SEED = 20


def with_nan(value: Any) -> Any:
    if isinstance(value, Array) and value.dtype == "float64":
        return Array(value.kind, value.dtype, value.shape, np.full(value.shape, math.nan).tobytes(), value.graph)
    return math.nan


def of_another_type(value: Any) -> Any:
    if isinstance(value, Array) and value.dtype == "float64":
        return Array(value.kind, "int64", value.shape, value.data, value.graph)
    return 7


def in_64_copies(value: Any) -> Any:
    if isinstance(value, Array):
        return Array(value.kind, value.dtype, (64, *value.shape), bytes(value.data) * 64, value.graph)
    return [value] * 64


CHANGES: dict[str, Callable[[Any], Any]] = {
    "nan": with_nan,
    "inf": lambda value: -math.inf,
    "none": lambda value: None,
    "nested": lambda value: [[[[value]]]],
    "huge": lambda value: 1 << 200,
    "type": of_another_type,
    "copies": in_64_copies,
    "text": lambda value: "x" * 1000,
    "opaque": lambda value: Opaque("Sly"),
    "empty": lambda value: [],
    "dict": lambda value: {"a": value},
}


class Fuzzed(Student):
    """Changes one part of every answer."""

    def __init__(self, session: Session, change: str, slug: str) -> None:
        super().__init__(session)
        self._change, self._random = CHANGES[change], random.Random(f"{slug} {change}")

    def _ask(self, *what: Any, **how: Any) -> Answer:
        reply = super()._ask(*what, **how)
        path = self._random.choice(list(paths(reply.value)))
        return Answer(reply.number, changed(reply.value, path, self._change), reply.inputs)


def paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    if isinstance(value, list | tuple | dict):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from paths(item, (*path, key))


def changed(value: Any, path: tuple[Any, ...], change: Callable[[Any], Any]) -> Any:
    if not path:
        return change(value)
    first, *rest = path
    if isinstance(value, dict):
        return {key: changed(item, tuple(rest), change) if key == first else item for key, item in value.items()}
    return type(value)(changed(item, tuple(rest), change) if n == first else item for n, item in enumerate(value))


@pytest.mark.parametrize(
    "unit", sorted({path.parent.parent for path in EXERCISES.glob("*/*/exercise.toml")}), ids=lambda u: u.name
)
def test_no_check_raises_whatever_the_answer_is(judge: Judge, unit: Path) -> None:
    raised, failed = [], 0
    for folder in sorted(path.parent for path in unit.glob("*/exercise.toml")):
        exercise = pack.load(folder)
        for change in CHANGES:
            with judge.sandbox(exercise.settings.profile).session() as session:
                session.load(exercise.program(exercise.solution), 1, exercise.entry_points)
                student = Fuzzed(session, change, exercise.slug)
                runs = [(check.id, run_check(check, student, SEED)) for check in exercise.checks]
            failed += sum(run.ending == "failed" for _, run in runs)
            raised += [f"{exercise.slug}, {name}, {change}: {run.error!r}" for name, run in runs if run.ending == "broken"]
    assert not raised, "\n".join(raised)
    assert failed, "no answer was changed"
