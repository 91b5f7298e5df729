"""When students see the results of hidden checks that are shown after the due date."""

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from autograder.courses.models import Assignment, Course, ShowHidden
from autograder.courses.people.check_visibility import CheckVisibility, check_visibility_of, hidden_shown_from
from autograder.courses.people.extensions import StudentTerms
from tests.cast import ago, ahead

DUE, CLOSES, ENDS = ago(days=1), ahead(days=2), ahead(days=1)


def shown_from(*, closes_at: datetime | None = None, late_days: int = 0, **settings: Any) -> datetime | None:
    assignment = Assignment(course=Course(late_days=late_days), due_at=DUE, **settings)
    return hidden_shown_from(assignment, StudentTerms(None, DUE, closes_at, None))


@pytest.mark.parametrize(
    ("settings", "at"),
    [
        ({}, DUE),
        ({"closes_at": CLOSES}, CLOSES),
        ({"closes_at": CLOSES, "no_credit_after": ENDS}, ENDS),
        ({"no_credit_after": ago(days=2)}, DUE),
        ({"closes_at": CLOSES, "late_share": Decimal(0)}, DUE),
        ({"closes_at": CLOSES, "late_share": Decimal(0), "late_floor": Decimal("0.1")}, CLOSES),
        ({"closes_at": CLOSES, "late_share": Decimal(0), "late_days": 2}, CLOSES),
        ({"closes_at": CLOSES, "late_share": Decimal(0), "late_days": 2, "late_days_limit": 0}, DUE),
        ({"late_grace": timedelta(minutes=10)}, DUE + timedelta(minutes=10)),
        ({"show_hidden": ShowHidden.NEVER, "closes_at": CLOSES}, None),
        ({"show_hidden": ShowHidden.ALWAYS}, None),
    ],
)
def test_they_wait_while_late_work_earns_points(settings: dict[str, Any], at: datetime | None) -> None:
    assert shown_from(**settings) == at


def test_until_then_a_student_sees_a_part() -> None:
    assignment = Assignment(course=Course(), due_at=DUE)
    terms = StudentTerms(None, DUE, CLOSES, None)
    seen = [check_visibility_of(assignment, terms, staff=False, now=CLOSES + timedelta(minutes=m)) for m in (-1, 1)]
    assert seen == [CheckVisibility.TITLES, CheckVisibility.ALL]


def test_without_a_due_date_nobody_knows_when() -> None:
    assert hidden_shown_from(Assignment(course=Course()), StudentTerms(None, None, CLOSES, None)) is None
