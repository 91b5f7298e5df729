"""Lets the linter and the tracer look over a check's shoulder: what it expected, what it would expect under an all-ones
upstream, and which program or graph it was about to compare.

Off unless somebody watches; then every expectation of the check library is noted.
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
    """What the checks of a block expected, the programs they last sent out together, what they looked at, in order, and how
    many random upstreams they drew; `ones` replaces those."""

    ones: bool = False
    expected: list[Any] = field(default_factory=list)
    offered: list[Any] = field(default_factory=list)
    looked_at: list[Any] = field(default_factory=list)
    upstreams: int = 0


_watched: ContextVar[Watched | None] = ContextVar("watched", default=None)


@contextmanager
def watching(*, ones: bool = False) -> Iterator[Watched]:
    """Collect what the checks that run in this block expect."""
    token = _watched.set(Watched(ones))
    try:
        watched = _watched.get()
        assert watched is not None
        yield watched
    finally:
        _watched.reset(token)


def note(expected: Any) -> None:
    """Called by the check library for every value it is going to compare with."""
    watched = _watched.get()
    if watched is not None:
        watched.expected.append(expected)


def offered(subjects: Iterable[Any]) -> None:
    """Called by the check library with what it is about to ask in one question: one of them may raise."""
    watched = _watched.get()
    if watched is not None:
        watched.offered = list(subjects)


def look_at(subject: Any) -> None:
    """Called by the check library with a program or a graph before it is compared: the last one is where a check failed."""
    watched = _watched.get()
    if watched is not None:
        watched.looked_at.append(subject)


def upstream(rng: np.random.Generator, shape: tuple[int, ...]) -> Numbers:
    """A random upstream. Draws the same numbers from the generator when it is replaced by ones."""
    drawn = np.asarray(rng.normal(size=shape))
    watched = _watched.get()
    if watched is None:
        return drawn
    watched.upstreams += 1
    return np.ones(shape) if watched.ones else drawn
