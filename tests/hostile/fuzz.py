"""Changes of answers: one part of a right answer becomes something else."""

import math
import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autograder.judge.checks.student import Student
from sandbox.wire import Answer, Array, Opaque


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


def fuzzed(change: str, slug: str) -> Callable[..., Answer]:
    """A method in place of `Student._ask` that changes one part of every answer."""
    ask, drawn = Student._ask, random.Random(f"{slug} {change}")

    def changing(self: Student, *what: Any, **how: Any) -> Answer:
        reply = ask(self, *what, **how)
        path = drawn.choice(list(paths(reply.value)))
        return Answer(reply.number, changed(reply.value, path, CHANGES[change]), reply.inputs)

    return changing


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
