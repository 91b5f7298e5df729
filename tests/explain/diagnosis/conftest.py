"""Dictionaries of the real exercises, made once and kept; made-up answers for the generators that look at answers alone."""

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from autograder.explain.diagnosis import prediction
from autograder.explain.diagnosis.dictionary import Dictionary
from autograder.explain.diagnosis.edits import Candidate, candidates
from autograder.explain.diagnosis.evidence import Evidence, Pair
from autograder.explain.recorder import Exchange
from autograder.judge.diagnosis import Declared
from autograder.judge.grade import Judge
from autograder.judge.pack import Pack
from autograder.prove.stored_proofs import wrong_endings
from sandbox.wire import Raised

FEW = 5


@pytest.fixture(scope="session")
def known(judge: Judge, packs: dict[str, Pack]) -> Callable[[str], Dictionary]:
    """`known(slug)`: a dictionary of every kind of edit, with a few of each, made once. `bench.diagnosis` learns all edits."""

    @cache
    def dictionary(slug: str) -> Dictionary:
        once = [edit for edit in candidates(packs[slug].solution.decode()) if ";" not in edit.words]
        return prediction.predict(judge, packs[slug], list(few_of_each(once)), proved=wrong_endings)

    return dictionary


def few_of_each(edits: list[Candidate]) -> Iterator[Candidate]:
    kinds: dict[tuple[str, ...], list[Candidate]] = {}
    for edit in edits:
        kinds.setdefault(edit.operators, []).append(edit)
    for alike in kinds.values():
        yield from alike[:: -(-len(alike) // FEW)]


@pytest.fixture(scope="session")
def wrong_ones(judge: Judge, packs: dict[str, Pack]) -> Callable[[str], Dictionary]:
    """`wrong_ones(slug)`: the author's wrong solutions alone."""
    return lambda slug: prediction.known_alone(judge, packs[slug], Path(settings.CACHE) / "diagnosis", proved=wrong_endings)


DECLARES_NOTHING = Declared()
Asked = tuple[tuple[Any, ...], Any, Any]  # arguments, right answer, given answer


@pytest.fixture
def evidence() -> Callable[..., Evidence]:
    """`evidence((args, right, given), ...)`: one check, the same exchanges on three seeds. A `Raised` is an exception."""

    def make(
        *asked: Asked, what: str = "call", name: str = "f", declared: Declared = DECLARES_NOTHING, **options: Any
    ) -> Evidence:
        def exchange(args: tuple[Any, ...], answer: Any) -> Exchange:
            raised = answer if isinstance(answer, Raised) else None
            return Exchange(what, name, args, options, None if raised else answer, raised=raised)

        pairs = [
            Pair("check", seed, exchange(args, given), exchange(args, right))
            for seed in (1, 2, 3)
            for args, right, given in asked
        ]
        return Evidence({"check": tuple(pairs)}, (1, 2, 3), declared)

    return make
