"""Explains wrong values of straight-through estimators, which combine the value of one function with the derivative of
another.

The declared forward function is the surrogate, because its derivative is the right one. No student code runs.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import torch

from autograder.judge.arrays import Numbers, to_numpy, to_torch
from autograder.judge.diagnosis.declare import Declared
from autograder.judge.diagnosis.evidence import Claim, Evidence, Leaf, Pair
from autograder.judge.diagnosis.fingerprint import equal
from sandbox.wire import Array

Surrogate = Callable[[Any], Any]
Value = Callable[[Numbers, Numbers, Surrogate], Numbers]


def _surrogate(x: Numbers, right: Numbers, surrogate: Surrogate) -> Numbers:
    return np.asarray(surrogate(torch.from_numpy(np.array(x))).numpy())


def _cancelled(x: Numbers, right: Numbers, surrogate: Surrogate) -> Numbers:
    """x + (value - x) in floating-point arithmetic."""
    return np.asarray(x + (right - x).astype(x.dtype))


def _around(x: Numbers, right: Numbers, surrogate: Surrogate) -> Numbers:
    """s + (value - s) in floating-point arithmetic, for the surrogate s."""
    s = _surrogate(x, right, surrogate)
    return np.asarray(s + (right - s).astype(x.dtype))


VALUES: tuple[tuple[str, str, Value], ...] = (
    ("value-changed", "the value of the surrogate", _surrogate),
    ("value-changed", "x + (value - x), rounded", _cancelled),
    ("value-changed", "s + (value - s), rounded", _around),
)


def claims(evidence: Evidence) -> list[Claim]:
    """Checks in which only values are wrong, all as one of these rules predicts."""
    found = []
    for operator, note, rule in VALUES:
        follows = partial(_follows, rule, evidence.declared)
        checks = tuple(check for check in evidence.pairs if evidence.holds_for_wrong(check, follows))
        found += [Claim((operator,), checks, "surgery", note)] if checks else []
    return found


def _follows(rule: Value, declared: Declared, pair: Pair) -> bool:
    declaration = declared.forwards.get(str(pair.given.options.get("name")))
    if declaration is None or pair.given.question != ("op", "function.vjp") or not pair.wrong:
        return False
    leaves = {leaf.path: leaf for leaf in pair.leaves}
    values = list(_values(pair, leaves))
    if not {leaf.path for leaf in pair.wrong} <= {leaf.path for _, leaf in values}:
        return False
    return all(_equal(rule, x, leaf, declaration.forward) for x, leaf in values)


def _values(pair: Pair, leaves: dict[tuple[Any, ...], Leaf]) -> Iterator[tuple[Numbers, Leaf]]:
    """The first input of each question with the first value of its answer."""
    for k, (xs, _) in enumerate(pair.given.args[0]):
        leaf = leaves.get((k, 0, 0))
        if leaf is not None and leaf.numbers is not None:
            yield _plain(xs[0]), leaf


def _plain(x: Any) -> Numbers:
    if isinstance(x, torch.Tensor):
        return np.asarray(x.detach().numpy())
    return np.asarray(to_torch(x).numpy()) if isinstance(x, Array) else np.asarray(x)


def _equal(rule: Value, x: Numbers, leaf: Leaf, surrogate: Surrogate) -> bool:
    assert leaf.numbers is not None
    with np.errstate(all="ignore"):
        predicted = rule(x, np.asarray(to_numpy(leaf.right), x.dtype), surrogate)
    return equal(leaf.numbers[1], predicted)
