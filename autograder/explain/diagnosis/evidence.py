"""Pairs every answer of the failed checks with the reference's answer to the same question.

All generators except dictionaries use this: leaves (arrays, numbers, None) with their path in the answer.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from autograder.explain.diagnosis.dictionary import Dictionary
from autograder.explain.diagnosis.fingerprint import close, plain, same_reply
from autograder.explain.diagnosis.transcript import FAILED, RAISED, Transcript
from autograder.explain.recorder import Exchange
from autograder.judge.arrays import Numbers, to_numpy
from autograder.judge.diagnosis import Declared
from sandbox.wire import Array, Opaque

Path = tuple[Any, ...]


@dataclass(frozen=True)
class MistakeClaim:
    """A generator's claim: the kind of mistake (`keys.NAMES`, or a key itself) and the checks that it accounts for.

    `limited` means that the claim is based on exceeding the same limit, which cannot be compared number by number.
    """

    operators: tuple[str, ...]
    checks: tuple[str, ...]
    generator: str
    note: str = ""
    limited: bool = False


@dataclass(frozen=True)
class Leaf:
    """One leaf of an answer, on both sides."""

    path: Path
    right: Any
    given: Any

    @cached_property
    def numbers(self) -> tuple[Numbers, Numbers] | None:
        """Both sides as numbers, if both are numeric."""
        if _numeric(self.right) and _numeric(self.given):
            return to_numpy(self.right), to_numpy(self.given)
        return None

    @cached_property
    def agrees(self) -> bool:
        if self.numbers is None:
            return bool(type(self.right) is type(self.given) and self.right == self.given)
        right, given = self.numbers
        return _kind(self.right) == _kind(self.given) and close(_flat(given), _flat(right))


@dataclass(frozen=True)
class Pair:
    """One question with both replies."""

    check: str
    seed: int
    given: Exchange
    right: Exchange

    @cached_property
    def leaves(self) -> tuple[Leaf, ...]:
        if self.given.raised is not None or self.right.raised is not None:
            return ()
        return tuple(_leaves((), plain(self.right.value), plain(self.given.value)))

    @cached_property
    def wrong(self) -> tuple[Leaf, ...]:
        return tuple(leaf for leaf in self.leaves if not leaf.agrees)

    @cached_property
    def agrees(self) -> bool:
        return same_reply(self.given, self.right)


@dataclass(frozen=True)
class Evidence:
    """All questions of all seeds by check, in order, and what the author declared about them."""

    pairs: dict[str, tuple[Pair, ...]]
    seeds: tuple[int, ...]
    declared: Declared = field(default_factory=Declared)

    def wrong(self, check: str) -> tuple[Pair, ...]:
        return tuple(pair for pair in self.pairs[check] if not pair.agrees)

    def every_seed(self, pairs: Iterable[Pair]) -> bool:
        """Whether there is one of these pairs for every seed."""
        return {pair.seed for pair in pairs} == set(self.seeds)

    def holds_for_wrong(self, check: str, test: Callable[[Pair], bool]) -> bool:
        """Whether there are wrong answers with every seed, and the test holds for all of them."""
        wrong = self.wrong(check)
        return self.every_seed(wrong) and all(map(test, wrong))


def claims_by_key(found: Iterable[tuple[str, str]], generator: str) -> list[MistakeClaim]:
    """One claim for each key, from pairs of a key and a check."""
    checks: dict[str, list[str]] = {}
    for key, check in found:
        checks.setdefault(key, []).append(check)
    return [MistakeClaim((key,), tuple(own), generator) for key, own in checks.items()]


def gather(transcript: Transcript, dictionary: Dictionary, declared: Declared) -> Evidence:
    """The evidence of the checks that failed by an answer or an exception with every seed."""
    pairs: dict[str, tuple[Pair, ...]] = {}
    for check in sorted(transcript.failed):
        trials = transcript.of(check)
        if len(trials) != len(dictionary.seeds) or any(trial.ending not in (FAILED, RAISED) for trial in trials):
            continue
        found = []
        for trial in trials:
            for given, right in zip(trial.exchanges, dictionary.right(check, trial.seed), strict=False):
                if given.question != right.question:
                    break
                found.append(Pair(check, trial.seed, given, right))
        if found:
            pairs[check] = tuple(found)
    return Evidence(pairs, dictionary.seeds, declared)


def _leaves(path: Path, right: Any, given: Any) -> Iterator[Leaf]:
    both = type(right) is type(given)
    if both and isinstance(right, list | tuple) and len(right) == len(given) and not _row(right, given):
        for n, (one, other) in enumerate(zip(right, given, strict=True)):
            yield from _leaves((*path, n), one, other)
    elif both and isinstance(right, dict) and list(right) == list(given) and "edges" not in right:
        for key in right:
            yield from _leaves((*path, key), right[key], given[key])
    else:
        yield Leaf(path, right, given)


def _row(right: Any, given: Any) -> bool:
    """Whether both are lists of floats, which are a single leaf."""
    return bool(right) and all(type(x) is float for x in right) and all(type(x) is float for x in given)


def _numeric(value: Any) -> bool:
    if isinstance(value, Array):
        return value.dtype != "bool"
    if type(value) is int:
        return abs(value) < 1 << 53  # longer integers are compared exactly
    return type(value) is float or (isinstance(value, list) and bool(value) and all(type(x) is float for x in value))


def _kind(value: Any) -> Any:
    return (value.dtype, value.shape) if isinstance(value, Array) else type(value)


def _flat(values: Numbers) -> Numbers:
    return values.reshape(-1) if values.dtype.kind in "fc" else values.reshape(-1).astype(np.float64)


def is_missing(value: Any) -> bool:
    return value is None or isinstance(value, Opaque)
