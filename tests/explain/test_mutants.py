"""Mutants: one edit each, real programs, every class of mistake."""

import pytest

from autograder.explain import mutants
from autograder.judge.pack import Pack
from tests.conftest import SAMPLE
from tests.generated import mutants_that_are_no_programs

SOURCE = '''
"""A docstring is no part of the program."""
import numpy as np


def vjp(g, x, y):
    dx = (g * y).sum(axis=0, keepdims=True)
    dy = g @ x.T
    dx += -x
    mask = x > 0
    return dx, np.exp(dy) * mask
'''


def made(operator: str) -> list[str]:
    return [mutant.source for mutant in mutants.generate(SOURCE) if mutant.operator == operator]


@pytest.mark.parametrize(
    ("operator", "text"),
    [
        ("overwrite", "dx = -x"),
        ("drop-factor", "g.sum(axis=0"),
        ("drop-factor", "y.sum(axis=0"),
        ("reduction", "(g * y).mean(axis=0, keepdims=True)"),
        ("axis", "(g * y).sum(keepdims=True)"),
        ("flag", "(g * y).sum(axis=0)"),
        ("flag", "keepdims=False"),
        ("constant", "axis=1"),
        ("transpose", "g @ x\n"),
        ("swap-operands", "x.T @ g"),
        ("upstream", "(g * 0 + 1) * y"),
        ("sign", "dx -= -x"),
        ("sign", "dx += x"),
        ("mask", "x >= 0"),
        ("mask", "x <= 0"),
        ("drop-call", "return (dx, dy * mask)"),
        ("return-order", "return (np.exp(dy) * mask, dx)"),
        ("return-none", "return (None, "),
        ("drop-statement", "dy = g @ x.T\n    mask"),
        ("order", "dx += -x\n    dy = g @ x.T"),
        ("mul-div", "(g / y).sum"),
    ],
)
def test_a_mistake_of_this_kind_is_made(operator: str, text: str) -> None:
    assert any(text in source for source in made(operator)), made(operator)


def test_no_two_mutants_are_the_same_program_and_none_is_the_reference() -> None:
    sources = [mutant.source for mutant in mutants.generate(SOURCE)]
    assert len(set(sources)) == len(sources) > 30
    assert all("A docstring" not in source for source in sources)


def test_every_mutant_says_what_was_done_and_where() -> None:
    for mutant in mutants.generate(SOURCE):
        assert mutant.words
        assert 0 < mutant.line <= SOURCE.count("\n")


@pytest.mark.parametrize("slug", SAMPLE)
def test_every_mutant_of_a_solution_is_a_program(slug: str, packs: dict[str, Pack]) -> None:
    """`python -m bench.diagnosis` asks all exercises."""
    assert len(mutants.generate(packs[slug].solution.decode())) > 10
    assert mutants_that_are_no_programs(packs[slug]) == []


def test_the_same_source_gives_the_same_mutants_in_the_same_order() -> None:
    assert mutants.generate(SOURCE) == mutants.generate(SOURCE)
