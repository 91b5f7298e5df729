"""Lets the linter look over a check's shoulder: what it expected, and what it would expect under an all-ones upstream.

Off unless somebody watches; then every expectation of the check library is noted.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from autograder.judge.arrays import Numbers

_expectations: ContextVar[list[Any] | None] = ContextVar("expectations", default=None)
_ones: ContextVar[bool] = ContextVar("ones", default=False)


@contextmanager
def watching(*, ones: bool = False) -> Iterator[list[Any]]:
    """Collect every expectation of the checks that run in this block; `ones` replaces every random upstream."""
    noted: list[Any] = []
    tokens = _expectations.set(noted), _ones.set(ones)
    try:
        yield noted
    finally:
        _expectations.reset(tokens[0])
        _ones.reset(tokens[1])


def note(expected: Any) -> None:
    """Called by the check library for every value it is going to compare with."""
    noted = _expectations.get()
    if noted is not None:
        noted.append(expected)


def upstream(rng: np.random.Generator, shape: tuple[int, ...]) -> Numbers:
    """A random upstream. Draws the same numbers from the generator when it is replaced by ones."""
    drawn = np.asarray(rng.normal(size=shape))
    return np.ones(shape) if _ones.get() else drawn
