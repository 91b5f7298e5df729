"""What the shipped exercises promise beyond their proofs (`make prove` grades the solutions, right and wrong files and
mutants of all of them)."""

import pytest

from autograder.judge.grade import Judge
from autograder.judge.lint import misconception_rule
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


@pytest.mark.parametrize("slug", SLUGS)
def test_an_exercise_names_four_mistakes_and_ships_an_unusual_right_solution(slug: str, packs: dict[str, Pack]) -> None:
    named = {misconception(name) for name in packs[slug].wrong}
    assert len(named) >= 4
    assert packs[slug].right


@pytest.mark.parametrize("slug", SLUGS)
def test_every_named_mistake_has_a_title_and_an_explanation(slug: str, packs: dict[str, Pack]) -> None:
    assert list(misconception_rule.findings(packs[slug])) == []


@pytest.mark.parametrize("slug", SLUGS)
def test_the_starter_is_far_from_full_marks(slug: str, judge: Judge, packs: dict[str, Pack]) -> None:
    report = judge.grade(packs[slug], packs[slug].starter, 1)
    assert report.verdict in ("partial", "failed"), report
    assert report.score < report.max_score / 2


@pytest.mark.parametrize("slug", SLUGS)
def test_a_wrong_solution_fails_the_checks_that_its_table_names(slug: str, judge: Judge, packs: dict[str, Pack]) -> None:
    for name, table in packs[slug].settings.wrong.items():
        report = judge.grade(packs[slug], packs[slug].wrong[name], 1)
        failed = {check.id for check in report.checks if not check.passed}
        assert set(table.fails) <= failed, name


@pytest.mark.parametrize("slug", SLUGS)
def test_public_checks_come_before_hidden_ones(packs: dict[str, Pack], slug: str) -> None:
    """A submission could keep what a hidden check asked, and print it under a public one that comes later."""
    hidden = [check.hidden for check in packs[slug].checks]
    assert hidden == sorted(hidden)
