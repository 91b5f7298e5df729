"""What the shipped exercises promise beyond their proofs (`make prove` grades the solutions, right and wrong files and
mutants of all of them)."""

import pytest

from autograder.judge.grade import Judge
from autograder.judge.pack import Pack, misconception
from tests.conftest import SLUGS

WORKSHOP = (
    *("value-engine", "value-unary", "value-tanh-relu", "value-topo", "value-accumulate", "value-hash-trap"),
    *("value-rebackward", "value-deep", "graph-walk", "topo-grad-fn", "count-paths", "graph-build"),
    *("accumulate-bug", "microbatch", "detach-vs-nograd", "backward-twice", "history-leak"),
    *("vjp-elementwise", "vjp-unbroadcast", "vjp-matmul", "vjp-softmax-lse", "fn-cubic", "fn-ste", "hvp"),
)


def test_the_workshop_is_complete() -> None:
    assert set(WORKSHOP) <= set(SLUGS)


def test_an_exercise_names_four_mistakes_and_ships_an_unusual_right_solution(packs: dict[str, Pack]) -> None:
    poor = [slug for slug, pack in packs.items() if len({misconception(name) for name in pack.wrong}) < 4 or not pack.right]
    assert len(packs) > 100
    assert poor == []


@pytest.mark.parametrize("slug", SLUGS)
def test_the_starter_is_far_from_full_marks(slug: str, judge: Judge, packs: dict[str, Pack]) -> None:
    report = judge.grade(packs[slug], packs[slug].starter, 1)
    assert report.verdict in ("partial", "failed"), report
    assert report.score < report.max_score / 2


def test_public_checks_come_before_hidden_ones(packs: dict[str, Pack]) -> None:
    """A submission could keep what a hidden check asked, and print it under a public one that comes later."""
    hidden = {slug: [check.hidden for check in pack.checks] for slug, pack in packs.items()}
    assert [slug for slug, order in hidden.items() if order != sorted(order)] == []
