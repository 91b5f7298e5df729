"""Records what checks expect and compare, for the linter and the tracer.

While a `recording` block is active, the check library reports every expected value, and every program or graph that it is
about to compare. Random upstream gradients can be replaced with ones. Otherwise nothing is recorded.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autograder.judge.arrays import Numbers


@dataclass
class Recording:
    """The record of a `recording` block.

    `expected` holds the expected values, `programs` the programs of the last question, `subjects` the compared subjects in
    order, `upstreams` the number of random upstream gradients, which `ones` replaces with ones, and `vjp` the gradient of a
    VJP that was compared last."""

    ones: bool = False
    expected: list[Any] = field(default_factory=list)
    programs: list[Any] = field(default_factory=list)
    subjects: list[Any] = field(default_factory=list)
    upstreams: int = 0
    vjp: Any = None


_recording: ContextVar[Recording | None] = ContextVar("recording", default=None)


@contextmanager
def recording(*, ones: bool = False) -> Iterator[Recording]:
    """Records what the checks that run in this block expect."""
    token = _recording.set(Recording(ones))
    try:
        recorded = _recording.get()
        assert recorded is not None
        yield recorded
    finally:
        _recording.reset(token)


def record_expected(expected: Any) -> None:
    """Records an expected value. The check library calls it before every comparison."""
    recorded = _recording.get()
    if recorded is not None:
        recorded.expected.append(expected)


def record_programs(subjects: Iterable[Any]) -> None:
    """Records the programs of the next question, any of which may raise."""
    recorded = _recording.get()
    if recorded is not None:
        recorded.programs = list(subjects)


def record_subject(subject: Any) -> None:
    """Records a program or graph that is about to be compared. If a check fails, the last one is the cause."""
    recorded = _recording.get()
    if recorded is not None:
        recorded.subjects.append(subject)


def record_vjp(compared: Any) -> None:
    """Records a gradient of a VJP that is about to be compared. If a check fails, the last one is the cause."""
    recorded = _recording.get()
    if recorded is not None:
        recorded.vjp = compared


def upstream(rng: np.random.Generator, shape: tuple[int, ...]) -> Numbers:
    """A random upstream gradient, or ones. Both advance the generator by the same amount."""
    drawn = np.asarray(rng.normal(size=shape))
    recorded = _recording.get()
    if recorded is None:
        return drawn
    recorded.upstreams += 1
    return np.ones(shape) if recorded.ones else drawn
