"""Arrays on one line: an axis is a pair of brackets, and what is left out is said."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.judge.array_text import nested

TEXTS = [str(n) for n in range(1, 13)]


@pytest.mark.parametrize(
    ("shape", "limit", "text"),
    [
        ((), 12, "1"),
        ((1,), 12, "[1]"),
        ((1, 1), 12, "[[1]]"),
        ((1, 2), 12, "[[1, 2]]"),
        ((2, 1), 12, "[[1], [2]]"),
        ((2, 1, 2), 12, "[[[1, 2]], [[3, 4]]]"),
        ((0,), 12, "[]"),
        ((0, 3), 12, "[] of shape (0, 3)"),
        ((3, 0), 12, "[] of shape (3, 0)"),
        ((12,), 3, "[1, 2, 3, …]"),
        ((40,), 20, "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, …]"),
        ((3, 4), 4, "[[1, 2, 3, 4], …] of shape (3, 4)"),
        ((3, 4), 6, "[[1, 2, 3, 4], [5, 6, …]] of shape (3, 4)"),
        ((2, 2, 3), 3, "[[[1, 2, 3], …]] of shape (2, 2, 3)"),
    ],
)
def test_an_array(shape: tuple[int, ...], limit: int, text: str) -> None:
    assert nested(TEXTS, shape, limit) == text


@given(st.lists(st.integers(1, 3), min_size=1, max_size=4))
def test_a_whole_array_reads_as_its_entries(shape: list[int]) -> None:
    texts = [str(n) for n in range(math.prod(shape))]
    assert np.array(json.loads(nested(texts, shape, len(texts)))).tolist() == np.arange(len(texts)).reshape(shape).tolist()


@pytest.mark.parametrize("texts", [[], ["1"], TEXTS * 4])
def test_entries_that_do_not_fit_the_shape_are_shown_all_the_same(texts: list[str]) -> None:
    for shape in ((), (2,), (64, 3), (2, 2)):
        assert nested(texts, shape, 12)
