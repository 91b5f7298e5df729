"""Records what checks expect and compare, for the linter and the tracer.

While a `watching` block is active, the check library reports every expected value, and every program or graph that it is
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
class Watched:
    """The record of a `watching` block.

    `expected` holds the expected values, `offered` the programs of the last question, `looked_at` the compared subjects in
    order, and `upstreams` the number of random upstream gradients, which `ones` replaces with ones."""

    ones: bool = False
    expected: list[Any] = field(default_factory=list)
    offered: list[Any] = field(default_factory=list)
    looked_at: list[Any] = field(default_factory=list)
    upstreams: int = 0


_watched: ContextVar[Watched | None] = ContextVar("watched", default=None)


@contextmanager
def watching(*, ones: bool = False) -> Iterator[Watched]:
    """Records what the checks that run in this block expect."""
    token = _watched.set(Watched(ones))
    try:
        watched = _watched.get()
        assert watched is not None
        yield watched
    finally:
        _watched.reset(token)


def note(expected: Any) -> None:
    """Records an expected value. The check library calls it before every comparison."""
    watched = _watched.get()
    if watched is not None:
        watched.expected.append(expected)


def offered(subjects: Iterable[Any]) -> None:
    """Records the programs of the next question, any of which may raise."""
    watched = _watched.get()
    if watched is not None:
        watched.offered = list(subjects)


def look_at(subject: Any) -> None:
    """Records a program or graph that is about to be compared. If a check fails, the last one is the cause."""
    watched = _watched.get()
    if watched is not None:
        watched.looked_at.append(subject)


def upstream(rng: np.random.Generator, shape: tuple[int, ...]) -> Numbers:
    """A random upstream gradient, or ones. Both advance the generator by the same amount."""
    drawn = np.asarray(rng.normal(size=shape))
    watched = _watched.get()
    if watched is None:
        return drawn
    watched.upstreams += 1
    return np.ones(shape) if watched.ones else drawn
