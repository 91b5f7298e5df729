"""A public check tests whether every question is answered; hidden checks test the answers."""

from typing import Any

import numpy as np

from autograder.judge.checks import Student, check, expect, expect_equal, expect_number, probe, variety

KEYS = ("slope", "paths", "doubles")
FIXED = "a quiz asks the same questions of everybody"


@probe
def given(student):
    return dict(student.answers)


def answer(student: Student, key: str) -> Any:
    return student.run(given, returns=dict[str, Any]).get(key)


@check("Every question is answered", points=1)
def complete(student: Student, rng: np.random.Generator) -> None:
    found = student.run(given, returns=dict[str, Any])
    keys = ", ".join(KEYS)
    expect(sorted(found) == sorted(KEYS), f"`answers` should have the keys {keys}, and no others.", "answers")
    missing = ", ".join(key for key in KEYS if found[key] is None)
    expect(not missing, f"There is no answer yet to {missing}.", "answers")


# TODO(author): a hidden check for each question
@check("The slope with respect to b", points=1, hidden=True, fixed=FIXED)
def slope(student: Student, rng: np.random.Generator) -> None:
    a, b = 2.0, 3.0
    expect_number(answer(student, "slope"), a + 2 * b, "The slope")


@check("The number of paths", points=1, hidden=True, fixed=FIXED)
def paths(student: Student, rng: np.random.Generator) -> None:
    expect_equal(answer(student, "paths"), 2, "The number of paths")


@check("A second backward pass", points=1, hidden=True, fixed=FIXED)
def doubles(student: Student, rng: np.random.Generator) -> None:
    expect_equal(answer(student, "doubles"), True, "The third answer")


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    student.run(given)
