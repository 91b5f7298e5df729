"""The late deduction, rule by rule."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from autograder.courses.policies.lateness import ON_TIME, Lateness, LateRule, late_words

DUE = datetime(2026, 11, 2, 12, tzinfo=UTC)


def kept(hours: float, late_days: int = 0, **rule: Any) -> float:
    """Return the share left of a submission this many hours after the due date."""
    late = LateRule(DUE, **rule)
    return round(late.remaining(late.lateness(DUE + timedelta(hours=hours)), late_days), 9)


def test_on_the_second_is_on_time() -> None:
    assert LateRule(DUE).lateness(DUE) == ON_TIME


def test_without_a_due_date_nothing_is_late() -> None:
    assert LateRule(None, credit=0.0).lateness(DUE) == ON_TIME


@pytest.mark.parametrize(("hours", "days"), [(0.01, 1), (24, 1), (24.01, 2), (72, 3)])
def test_a_day_that_has_begun_counts(hours: float, days: int) -> None:
    assert LateRule(DUE).lateness(DUE + timedelta(hours=hours)) == Lateness(days)


@pytest.mark.parametrize(
    ("rule", "costs", "by_days"),
    [
        ({}, False, False),
        ({"grace": timedelta(hours=1), "floor": 0.5}, False, False),
        ({"credit": 0.9}, True, False),
        ({"per_day": 0.01}, True, True),
        ({"no_credit_after": DUE}, True, False),
    ],
)
def test_what_lateness_can_cost(rule: dict[str, Any], costs: bool, by_days: bool) -> None:
    found = LateRule(DUE, **rule)
    assert (found.costs, found.by_days) == (costs, by_days)


def test_a_share_once() -> None:
    assert [kept(hours, credit=0.5) for hours in (0, 1, 100)] == [1.0, 0.5, 0.5]


def test_a_share_for_each_day_down_to_a_floor() -> None:
    rule: dict[str, Any] = {"per_day": 0.2, "floor": 0.5}
    assert [kept(24 * days, **rule) for days in range(6)] == [1.0, 0.8, 0.6, 0.5, 0.5, 0.5]


def test_a_share_once_and_then_for_each_day() -> None:
    assert [kept(24 * days, credit=0.9, per_day=0.1) for days in (1, 2)] == [0.8, 0.7]


def test_nothing_is_ever_worth_less_than_nothing() -> None:
    assert kept(24 * 20, per_day=0.1) == 0.0


def test_after_the_grace_period_days_are_counted_from_the_due_date() -> None:
    rule: dict[str, Any] = {"per_day": 0.1, "grace": timedelta(hours=2)}
    assert [kept(hours, **rule) for hours in (2, 2.01, 24.5)] == [1.0, 0.9, 0.8]


def test_after_the_last_date_for_credit_late_days_do_not_help() -> None:
    rule: dict[str, Any] = {"no_credit_after": DUE + timedelta(hours=30)}
    assert [kept(30, **rule), kept(31, **rule), kept(31, 5, **rule)] == [1.0, 0.0, 0.0]


def test_an_extension_beyond_the_last_date_for_credit_moves_it() -> None:
    extended = LateRule(DUE + timedelta(days=3), no_credit_after=DUE + timedelta(days=1))
    assert extended.lateness(DUE + timedelta(days=2)) == ON_TIME
    assert extended.lateness(DUE + timedelta(days=4)) == Lateness(1, expired=True)


def test_a_late_day_takes_one_day_off() -> None:
    assert [kept(60, used, per_day=0.1) for used in range(4)] == [0.7, 0.8, 0.9, 1.0]
    assert [kept(60, used, credit=0.5) for used in range(4)] == [0.5, 0.5, 0.5, 1.0]


@pytest.mark.parametrize(
    ("lateness", "share", "used", "words"),
    [
        (Lateness(1), 0.9, 0, "1 day late: 10% off"),
        (Lateness(3), 0.7, 0, "3 days late: 30% off"),
        (Lateness(3), 0.9, 2, "3 days late, 2 late days used: 10% off"),
        (Lateness(1), 1.0, 1, "1 day late, 1 late day used"),
        (Lateness(1), 1.0, 0, "1 day late"),
        (Lateness(9, expired=True), 0.0, 0, "9 days late: no longer earns credit"),
    ],
)
def test_words(lateness: Lateness, share: float, used: int, words: str) -> None:
    assert late_words(lateness, share, used) == words
