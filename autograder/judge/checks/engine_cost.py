"""Checks what a backward pass of a scalar engine costs.

The derivatives of a result can be had without a backward pass: a small step in one value after the other, and each time the whole
graph again. A program with thousands of values takes millions of operations then. The limit of the check stops such an engine.
"""

import numpy as np

from autograder.judge.checks.costs import SECONDS as SECONDS
from autograder.judge.checks.engine import Program, Slot, expect_programs
from autograder.judge.checks.student import Student

LEAVES = 1_000


def expect_cheap_pass(student: Student, rng: np.random.Generator, *, look_at: str = "all") -> None:
    """Expects the gradients of all values of a wide program, within the limit of the check."""
    expect_programs(student, [_wide(rng)], look_at=look_at)


def _wide(rng: np.random.Generator) -> Program:
    """Products of every leaf with the next one, and their sum, taken pair by pair, so that no path is longer than a dozen
    operations."""
    program = Program()
    leaves = [program.input(float(x)) for x in rng.uniform(0.5, 1.5, LEAVES) * rng.choice([-1.0, 1.0], LEAVES)]
    level: list[Slot] = [one * other for one, other in zip(leaves, [*leaves[1:], leaves[0]], strict=True)]
    while len(level) > 1:
        rest = level[len(level) // 2 * 2 :]
        level = [one + other for one, other in zip(level[::2], level[1::2], strict=False)] + rest
    program.backward(level[0])
    return program
