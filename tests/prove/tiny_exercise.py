"""A tiny exercise that is proved in seconds, and the means to spoil it."""

from collections.abc import Mapping
from pathlib import Path

SETTINGS = """
title = "Twice and a bit"
kind = "vjp"
profile = "python"
unit = "Tests"
points = 4
difficulty = 1
minutes = 10

[[entry_points]]
name = "slope"
"""
SOLUTION = """def slope(g, x):
    return g * (2 * x + 1)
"""
CHECKS = """
import numpy as np

from autograder.judge.checks import Student, check, expect_number, variety


@check("One number", points=1)
def one_number(student: Student, rng: np.random.Generator) -> None:
    g, x = float(rng.uniform(1, 2)), float(rng.uniform(1, 2))
    expect_number(student.call("slope", g, x), g * (2 * x + 1), "slope", {"g": g, "x": x})


@check("Many numbers", points=3, hidden=True)
def many_numbers(student: Student, rng: np.random.Generator) -> None:
    for g, x in rng.normal(size=(5, 2)):
        expect_number(student.call("slope", float(g), float(x)), float(g * (2 * x + 1)), "slope")


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    for g, x in rng.normal(size=(5, 2)):
        student.call("slope", float(g), float(x))
"""
PARTS = {
    "exercise.toml": SETTINGS,
    "statement.md": "# Twice and a bit\n\nWrite `slope(g, x)`: the gradient of $x^2 + x$ under the upstream $g$.\n",
    "starter.py": "def slope(g, x):\n    return 0.0\n",
    "solution.py": SOLUTION,
    "checks.py": CHECKS,
    "wrong/missing-upstream.py": "def slope(g, x):\n    return 2 * x + 1\n",
    "right/by_sum.py": "def slope(g, x):\n    return g * x + g * x + g\n",
}


def write_exercise(folder: Path, spoiled: Mapping[str, str]) -> Path:
    """The tiny exercise with some of its parts replaced."""
    for name, text in {**PARTS, **spoiled}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder
