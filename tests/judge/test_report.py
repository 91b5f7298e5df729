"""The verdict of a score."""

import pytest

from autograder.judge.report import verdict_of


@pytest.mark.parametrize(
    ("score", "verdict"),
    [(0, "failed"), (0.1, "partial"), (9.9, "partial"), (9.999, "partial"), (10, "passed"), (sum([0.1] * 100), "passed")],
)
def test_a_pass_needs_every_point(score: float, verdict: str) -> None:
    assert verdict_of(score, 10) == verdict
