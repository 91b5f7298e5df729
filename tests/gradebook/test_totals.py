"""Totals and their explanation: by example, and as properties of any points."""

import time
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.gradebook.grades.frozen import Frozen
from autograder.gradebook.grades.sheet import AssignmentColumn, GradeCell, GradeSheet, StudentRow
from autograder.gradebook.grades.totals import Total, TotalPlan, how_of, plan_of, totals_of
from autograder.gradebook.models import UnitRule

NOW = datetime(2026, 12, 7, 9, tzinfo=UTC)
PAST, FUTURE = NOW - timedelta(days=1), NOW + timedelta(days=1)
ANA = StudentRow(1, "ana", first_name="Ana", last_name="Ruiz")
RULES = {"Engine": "25", "Graph": "15", "Autograd": "25", "Products": "35"}
WORTH = {"Engine": "110", "Graph": "78", "Autograd": "154", "Products": "168"}


def column(n: int, unit: str, points: str = "10", due: datetime | None = PAST) -> AssignmentColumn:
    return AssignmentColumn(n, f"a{n}", f"Exercise {n}", Decimal(points), unit, due_at=due)


def rule(unit: str, weight: str | None = None, drop: int = 0) -> UnitRule:
    return UnitRule(unit=unit, weight=None if weight is None else Decimal(weight), drop_lowest=drop)


def sheet(columns: list[AssignmentColumn], *points: str | None, **more: object) -> GradeSheet:
    cells = {
        (1, one.assignment_id): GradeCell(Decimal(reached))
        for one, reached in zip(columns, points, strict=True)
        if reached is not None
    }
    return GradeSheet("c", "C", "UTC", (ANA,), tuple(columns), cells, **more)  # type: ignore[arg-type]


def counted(book: GradeSheet, *rules: UnitRule) -> Total:
    return totals_of(book, plan_of(book.columns, rules), NOW)[1]


def told(book: GradeSheet, *rules: UnitRule) -> str:
    plan = plan_of(book.columns, rules)
    how = how_of(book, plan, ANA, totals_of(book, plan, NOW)[1])
    return "\n".join([*(" | ".join([one.title, one.words, one.sum, *one.notes]) for one in how.lines), how.end])


def four_units(*points: str | None, due: datetime = PAST) -> tuple[GradeSheet, list[UnitRule]]:
    columns = [column(n, unit, worth, due) for n, (unit, worth) in enumerate(WORTH.items())]
    return sheet(columns, *points), [rule(unit, weight) for unit, weight in RULES.items()]


# -- by points ------------------------------------------------------------------------------------------------------------


def test_without_weights_points_are_added_up() -> None:
    book = sheet([column(1, "A"), column(2, "A", "12.5"), column(3, "B")], "7.25", "12.5", "3")
    total = counted(book)
    assert (total.rounded, total.of, total.so_far) == (Decimal("22.75"), Decimal("32.5"), False)
    assert [(part.unit.title, part.points, part.of) for part in total.parts] == [
        ("A", Decimal("19.75"), Decimal("22.5")),
        ("B", Decimal(3), Decimal(10)),
    ]


def test_a_unit_is_one_wherever_its_assignments_stand() -> None:
    plan = plan_of([column(1, "A"), column(2, "B"), column(3, "A")], [])
    assert [(unit.title, unit.points) for unit in plan.units] == [("A", Decimal(20)), ("B", Decimal(10))]


def test_ungraded_is_nothing_once_it_is_due_and_left_out_before() -> None:
    due = counted(sheet([column(1, "A"), column(2, "A")], "8", None))
    ahead = counted(sheet([column(1, "A"), column(2, "A", due=FUTURE)], "8", None))
    undated = counted(sheet([column(1, "A"), column(2, "A", due=None)], "8", None))
    assert (due.rounded, due.of, due.so_far) == (Decimal(8), Decimal(20), False)
    assert (ahead.rounded, ahead.of, ahead.so_far) == (Decimal(8), Decimal(10), True)
    assert (undated.of, undated.so_far) == (Decimal(10), True)


def test_what_is_due_is_due_at_that_moment() -> None:
    assert counted(sheet([column(1, "A", due=NOW)], None)).rounded == 0


def test_an_extension_of_hers_counts() -> None:
    late = counted(sheet([column(1, "A")], None, extended={(1, 1): FUTURE}))
    others = counted(sheet([column(1, "A")], None, extended={(2, 1): FUTURE}))
    assert (late.points, late.so_far) == (None, True)
    assert (others.points, others.so_far) == (Decimal(0), False)


def test_a_frozen_gradebook_asks_what_was_due_then() -> None:
    columns = [column(1, "A", due=PAST)]
    total = counted(sheet(columns, None, frozen=Frozen(PAST - timedelta(days=1), "Mara", {})))
    assert (total.points, total.so_far) == (None, True)


# -- by weights -----------------------------------------------------------------------------------------------------------


def test_the_total_of_the_mock() -> None:
    book, rules = four_units("104", "66.6", "141", "150")
    total = counted(book, *rules)
    assert (total.rounded, total.of) == (Decimal("90.58"), Decimal(100))  # the sum of rounded parts would be 90.59
    assert told(book, *rules).splitlines() == [
        "Engine | 104 of 110 | 104/110 × 25 = 23.64",
        "Graph | 66.6 of 78 | 66.6/78 × 15 = 12.81",
        "Autograd | 141 of 154 | 141/154 × 25 = 22.89",
        "Products | 150 of 168 | 150/168 × 35 = 31.25",
        "= 23.64 + 12.81 + 22.89 + 31.25, of 100, calculated without intermediate rounding and rounded to two decimals (half up)",
    ]


def test_so_far_the_units_that_count_stand_for_the_whole() -> None:
    columns = [
        column(n, unit, worth, FUTURE if unit == "Autograd" else PAST) for n, (unit, worth) in enumerate(WORTH.items())
    ]
    book, rules = sheet(columns, "92", "60", None, "122"), [rule(unit, weight) for unit, weight in RULES.items()]
    total = counted(book, *rules)
    assert (total.rounded, total.so_far) == (Decimal("77.15"), True)
    assert "Autograd | nothing counts yet |  | Exercise 2: left out until it is due" in told(book, *rules)
    assert told(book, *rules).endswith(
        "= (20.91 + 11.54 + 25.42) / 75 × 100, of 100, "
        "calculated without intermediate rounding and rounded to two decimals (half up). "
        "This is the total so far: work that is not due yet is left out."
    )


def test_units_without_a_weight_share_what_is_left_by_their_points() -> None:
    plan = plan_of([column(1, "A"), column(2, "B", "30"), column(3, "C", "10")], [rule("A", "60")])
    assert [unit.weight for unit in plan.units] == [Decimal(60), Decimal(30), Decimal(10)]


def test_a_rule_for_a_unit_that_is_not_there_says_nothing() -> None:
    plan = plan_of([column(1, "A")], [rule("B", "60", 1)])
    assert not plan.weighted


@pytest.mark.parametrize(("points", "expected"), [("0.125", "0.13"), ("0.124999999999", "0.13"), ("0.1249", "0.12")])
def test_half_a_cent_goes_up(points: str, expected: str) -> None:
    book = sheet([column(1, "A", "1")], points)
    assert counted(book).rounded == Decimal(expected)


def test_half_a_cent_that_a_division_missed_goes_up() -> None:
    book = sheet([column(n, unit, "3") for n, unit in enumerate("AB")], "1", "2")
    assert counted(book, rule("A", "0.005"), rule("B", "0.005")).rounded == Decimal("0.01")


# -- dropping the lowest


def test_the_lowest_shares_are_left_out() -> None:
    book = sheet([column(1, "A", "10"), column(2, "A", "40"), column(3, "A", "10")], "4", "12", "9")
    total = counted(book, rule("A", drop=1))  # 12 of 40 is the lowest share, although it has the most points
    assert (total.points, total.of) == (Decimal(13), Decimal(20))
    assert "Exercise 2: dropped (lowest score)" in told(book, rule("A", drop=1))
    assert counted(book, rule("A", "100", 2)).rounded == Decimal(90)


def test_what_was_never_handed_in_may_be_the_lowest() -> None:
    assert counted(sheet([column(1, "A"), column(2, "A")], "8", None), rule("A", drop=1)).of == 10


def test_what_is_not_due_is_not_the_lowest() -> None:
    book = sheet([column(1, "A"), column(2, "A"), column(3, "A", due=FUTURE)], "8", "5", None)
    total = counted(book, rule("A", drop=1))
    assert (total.points, total.of, total.so_far) == (Decimal(8), Decimal(10), True)


def test_something_always_counts() -> None:
    assert counted(sheet([column(1, "A"), column(2, "A")], "8", "5"), rule("A", drop=5)).points == 8


def test_of_equal_shares_the_one_that_is_worth_most_is_left_out() -> None:
    book = sheet([column(1, "A", "5"), column(2, "A", "10"), column(3, "A", "10")], "0", "0", "10")
    assert counted(book, rule("A", drop=1)).of == 15


# -- explanation


def test_what_was_set_or_late_is_told() -> None:
    columns = [column(1, "A"), column(2, "A"), column(3, "A")]
    cells = {
        (1, 1): GradeCell(Decimal("7.5"), overridden=True),
        (1, 2): GradeCell(Decimal("7.2"), late=True, submission_id=7, remaining=0.9, days_late=2),
    }
    book = GradeSheet("c", "C", "UTC", (ANA,), tuple(columns), cells)
    assert told(book).splitlines()[0] == (
        "A | 14.7 of 30 |  | Exercise 1: ◆ set to 7.5 of 10 | Exercise 2: 2 days late: 10% off, 7.2 of 10 | "
        "Exercise 3: not submitted or not graded, 0 of 10"
    )


def test_nothing_is_nothing() -> None:
    assert told(sheet([column(1, "A", due=FUTURE)], None)).endswith("Nothing counts yet.")
    assert counted(GradeSheet("c", "C", "UTC", (ANA,), (), {})).points is None


# -- properties

SHARES = st.lists(st.one_of(st.none(), st.integers(0, 1000)), min_size=1, max_size=12)
DROPS = st.integers(0, 3)
WEIGHTS = st.one_of(st.none(), st.integers(3, 60))


def made(shares: list[int | None], drop: int, weight: int | None) -> tuple[GradeSheet, TotalPlan]:
    columns = [column(n, f"Unit {n % 3}", str(n + 1)) for n in range(len(shares))]
    points = [None if one is None else str(Decimal(one) * (n + 1) / 1000) for n, one in enumerate(shares)]
    rules = [rule(f"Unit {n}", None if weight is None else str(weight - n), drop) for n in range(3)]
    return sheet(columns, *points), plan_of(columns, rules)


@given(SHARES, DROPS, WEIGHTS)
def test_a_total_is_between_nothing_and_all(shares: list[int | None], drop: int, weight: int | None) -> None:
    total = totals_of(*made(shares, drop, weight), NOW)[1]
    assert total.points is not None
    assert 0 <= total.points <= total.of * (1 + Decimal("1e-20"))


@given(SHARES, DROPS, WEIGHTS)
def test_leaving_out_the_lowest_never_costs_anything(shares: list[int | None], drop: int, weight: int | None) -> None:
    for part, whole in zip(
        totals_of(*made(shares, drop, weight), NOW)[1].parts, totals_of(*made(shares, 0, weight), NOW)[1].parts, strict=True
    ):
        assert part.points / part.of >= whole.points / whole.of


@given(SHARES, WEIGHTS, st.data())
def test_more_points_are_never_less(shares: list[int | None], weight: int | None, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(shares) - 1))
    better = [*shares[:at], 1000, *shares[at + 1 :]]
    now, then = (totals_of(*made(some, 0, weight), NOW)[1].share for some in (shares, better))
    assert then >= now


@given(st.integers(0, 1000), st.integers(1, 12), DROPS, WEIGHTS)
def test_the_same_share_everywhere_is_that_share_in_all(share: int, count: int, drop: int, weight: int | None) -> None:
    total = totals_of(*made([share] * count, drop, weight), NOW)[1]
    assert abs(total.share - Decimal(share) / 1000) < Decimal("1e-20")


def test_a_large_course() -> None:
    students = tuple(StudentRow(n, f"s{n}") for n in range(1_000))
    columns = tuple(column(n, f"Unit {n // 10}") for n in range(60))
    cells = {(s, c): GradeCell(Decimal(s * c % 1001) / 100) for s in range(1_000) for c in range(60)}
    book = GradeSheet("large", "Large", "UTC", students, columns, cells)
    began = time.process_time()
    totals = totals_of(book, plan_of(columns, [rule(f"Unit {n}", "16", 1) for n in range(6)]), NOW)
    print(f"totals of 1,000 by 60: {time.process_time() - began:.2f} s")
    assert len(totals) == 1_000
