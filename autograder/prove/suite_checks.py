"""Makes public checks of tests that were written for another grader. A `checks.py` calls `public_suite`."""

from collections.abc import Collection, Mapping
from functools import partial
from pathlib import Path

import numpy as np

from autograder.judge.checks.compare import CheckFailed
from autograder.judge.checks.registry import check
from autograder.judge.checks.stand_ins import Remote
from autograder.judge.checks.student import Student
from autograder.prove import suite
from autograder.prove.suite import Suite, UnderTest

SECONDS = 2.0


def public_suite(
    path: Path, tests: Mapping[str, str], modules: Mapping[str, str], names: Mapping[str, Collection[str]]
) -> None:
    """Declares a public check for each test of a file. It is worth no points: the hidden checks decide.

    `tests` has the title of each test by its name, `modules` what the tests import, such as {"layers": "submission"}, and
    `names` what these modules define, such as {"submission": ["affine_forward", "affine_backward"]}.
    """
    loaded, tested = suite.load(path), UnderTest(modules, names)
    for name, title in tests.items():
        function = partial(_run, loaded, name, tested)
        function.__name__ = "".join(letter if letter.isalnum() else "_" for letter in f"suite_{name}")  # type: ignore[attr-defined]
        check(title, points=0, seconds=SECONDS)(function)


def _run(tests: Suite, name: str, tested: UnderTest, student: Student, _rng: np.random.Generator) -> None:
    outcome = tests.run(Remote(student), tested, only=name)[name]
    if outcome is not None:
        raise CheckFailed(outcome.message)
