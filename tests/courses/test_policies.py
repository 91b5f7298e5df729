"""Grading policies by example: which of several submissions, on time or late, counts."""

import pytest

from autograder.courses.policies import POLICIES, Counted, Policy, Scored
from autograder.courses.policies.lateness import Lateness, LateRule

HALF = LateRule(None, credit=0.5)


def counted(policy: str, *submissions: tuple[float, int], rule: LateRule = HALF) -> Counted:
    """Apply a policy to (share reached, days late) of submissions in order of time."""
    scored = [Scored(n, share, Lateness(days)) for n, (share, days) in enumerate(submissions)]
    return POLICIES[policy].count(scored, rule.remaining)


def test_there_are_two_policies() -> None:
    assert set(POLICIES) == {"best", "last"}


@pytest.mark.parametrize("policy", POLICIES.values(), ids=list(POLICIES))
def test_a_policy_describes_itself(policy: Policy) -> None:
    assert POLICIES[policy.name] is policy
    assert policy.label[0].isupper()
    assert policy.sentence[0].islower()
    assert policy.sentence[-1] != "."


@pytest.mark.parametrize("policy", POLICIES)
def test_a_graded_nothing_is_a_score(policy: str) -> None:
    assert counted(policy, (0.0, 0)) == Counted(0.0, 0, 0.0)


def test_best_takes_the_best() -> None:
    assert counted("best", (0.2, 0), (0.9, 0), (0.4, 0)) == Counted(0.9, 1, 0.9)


def test_best_of_equals_is_the_first() -> None:
    assert counted("best", (0.2, 0), (0.9, 0), (0.9, 0)) == Counted(0.9, 1, 0.9)


def test_best_prefers_what_is_on_time_over_a_late_one_that_counts_less() -> None:
    assert counted("best", (0.5, 0), (0.9, 1)) == Counted(0.5, 0, 0.5)


def test_best_takes_a_late_one_that_still_counts_more() -> None:
    assert counted("best", (0.3, 0), (0.9, 1)) == Counted(0.45, 1, 0.9, 0.5, Lateness(1))


def test_best_of_equals_is_the_one_on_time() -> None:
    assert counted("best", (0.4, 0), (0.8, 1)) == Counted(0.4, 0, 0.4)


def test_best_without_credit_for_late_work_counts_nothing_late() -> None:
    assert counted("best", (0.3, 0), (1.0, 1), rule=LateRule(None, credit=0.0)) == Counted(0.3, 0, 0.3)


def test_best_with_full_credit_does_not_mind_lateness() -> None:
    assert counted("best", (0.3, 0), (1.0, 9), rule=LateRule(None)) == Counted(1.0, 1, 1.0, 1.0, Lateness(9))


def test_last_takes_the_last_even_if_it_is_worse() -> None:
    assert counted("last", (0.9, 0), (0.4, 0)) == Counted(0.4, 1, 0.4)


def test_last_counts_less_if_it_is_late() -> None:
    assert counted("last", (0.9, 0), (0.8, 1)) == Counted(0.4, 1, 0.8, 0.5, Lateness(1))
