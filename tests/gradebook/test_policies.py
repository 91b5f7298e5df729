"""Each policy by example: what counts of submissions that reached these shares, on time or late."""

import pytest

from autograder.gradebook.policies import POLICIES, Counted, Scored

LATE = True


def counted(policy: str, *submissions: tuple[float, bool], late_share: float = 0.5) -> Counted | None:
    """By a policy, of submissions in order of time: what share each reached, and whether it was late."""
    scored = [Scored(n, share, late) for n, (share, late) in enumerate(submissions)]
    return POLICIES[policy](scored, late_share)


def test_there_are_three_policies() -> None:
    assert set(POLICIES) == {"best", "last", "best-before-due"}


@pytest.mark.parametrize("policy", POLICIES)
def test_nothing_graded_is_no_score(policy: str) -> None:
    assert counted(policy) is None


@pytest.mark.parametrize("policy", POLICIES)
def test_a_graded_nothing_is_a_score(policy: str) -> None:
    assert counted(policy, (0.0, False)) == Counted(0.0, 0)


def test_best_takes_the_best() -> None:
    assert counted("best", (0.2, False), (0.9, False), (0.4, False)) == Counted(0.9, 1)


def test_best_does_not_ask_whether_it_was_late() -> None:
    assert counted("best", (0.2, False), (0.9, LATE)) == Counted(0.9, 1, late=True)


def test_best_of_equals_is_the_first() -> None:
    assert counted("best", (0.2, False), (0.9, False), (0.9, False)) == Counted(0.9, 1)


def test_last_takes_the_last_even_if_it_is_worse() -> None:
    assert counted("last", (0.9, False), (0.4, False)) == Counted(0.4, 1)


def test_last_is_worth_its_share_if_it_is_late() -> None:
    assert counted("last", (0.9, False), (0.8, LATE)) == Counted(0.4, 1, kept=0.5, late=True)


def test_best_before_due_prefers_what_is_on_time_over_a_late_one_worth_less() -> None:
    assert counted("best-before-due", (0.5, False), (0.9, LATE)) == Counted(0.5, 0)


def test_best_before_due_takes_a_late_one_that_is_still_worth_more() -> None:
    assert counted("best-before-due", (0.3, False), (0.9, LATE)) == Counted(0.45, 1, kept=0.5, late=True)


def test_best_before_due_of_equals_is_the_one_on_time() -> None:
    assert counted("best-before-due", (0.4, False), (0.8, LATE)) == Counted(0.4, 0)


def test_best_before_due_with_no_late_share_counts_nothing_late() -> None:
    assert counted("best-before-due", (0.3, False), (1.0, LATE), late_share=0.0) == Counted(0.3, 0)


def test_best_before_due_with_a_full_share_does_not_mind_lateness() -> None:
    assert counted("best-before-due", (0.3, False), (1.0, LATE), late_share=1.0) == Counted(1.0, 1, late=True)
