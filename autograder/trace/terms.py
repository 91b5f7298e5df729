"""Writes arrays as the terms of a trace."""

from typing import TYPE_CHECKING

from autograder.judge.arrays import Numbers, to_numpy
from autograder.judge.checks.compare import exact
from autograder.judge.text import neutralise, number
from autograder.trace.model import Term
from sandbox.wire import Array

if TYPE_CHECKING:
    import torch

ENTRIES = 8  # of an array that are shown


def term_of(value: "torch.Tensor | Numbers | Array | str | None") -> Term:
    """A scalar exactly; an array as its first entries and its shape; what is neither in words."""
    if value is None or isinstance(value, str):
        return Term(neutralise(str(value), 64))
    array = to_numpy(value)
    if not array.shape:
        return Term(exact(array.item()))
    entries = [number(entry) for entry in array.ravel()[:ENTRIES].tolist()]
    more = ", …" if array.size > ENTRIES else ""
    return Term(f"[{', '.join(entries)}{more}]", tuple(array.shape))
