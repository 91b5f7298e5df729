"""Unit weights: all units have one or none has, they add up, and copying a course keeps them."""

from decimal import Decimal

import pytest

from autograder.courses.errors import Refused
from autograder.courses.models import AuditEntry
from autograder.gradebook.grades import unit_rules
from autograder.gradebook.grades.unit_rules import NewUnitRule
from autograder.gradebook.models import UnitRule
from tests.cast import Cast


@pytest.fixture
def units(cast: Cast) -> Cast:
    """Two exercises of Scalars, one of Functions."""
    cast.assignment.unit = "Scalars"
    cast.assignment.save()
    cast.assign("value-unary", unit="Scalars", position=2)
    cast.assign("value-tanh-relu", unit="Functions", position=3)
    return cast


def put(units: Cast, *given: NewUnitRule) -> None:
    unit_rules.unit_rules_set(course=units.course, by=units.staff, rules=given)


def test_a_unit_without_a_rule_counts_by_its_points(units: Cast) -> None:
    assert unit_rules.rules_of(units.course) == [NewUnitRule("Scalars"), NewUnitRule("Functions")]


def test_setting_rules_takes_the_place_of_those_before_and_is_written_down(units: Cast) -> None:
    put(units, NewUnitRule("Scalars", Decimal("33.34"), 1), NewUnitRule("Functions", Decimal("66.66")))
    put(units, NewUnitRule("Scalars", None, 1), NewUnitRule("Functions"))
    assert unit_rules.rules_of(units.course) == [NewUnitRule("Scalars", None, 1), NewUnitRule("Functions")]
    assert UnitRule.objects.count() == 1
    assert AuditEntry.objects.filter(action="rules-set", actor=units.owner).count() == 2


def test_setting_what_stands_is_no_change(units: Cast) -> None:
    put(units, NewUnitRule("Scalars"), NewUnitRule("Functions"))
    assert not AuditEntry.objects.exists()


@pytest.mark.parametrize(
    ("given", "unit", "words"),
    [
        (
            (NewUnitRule("Scalars", Decimal(60)), NewUnitRule("Functions", Decimal(30))),
            "Functions",
            "add up to 90; they must",
        ),
        (
            (NewUnitRule("Scalars"), NewUnitRule("Functions", Decimal(100))),
            "Scalars",
            "every unit a weight, or leave all weights empty",
        ),
        ((NewUnitRule("Scalars", Decimal(100)),), "Functions", "every unit a weight, or leave all weights empty"),
        ((NewUnitRule("Scalars", Decimal(-1)), NewUnitRule("Functions", Decimal(101))), "Scalars", "between 0 and 100"),
        ((NewUnitRule("Scalars", None, 2),), "Scalars", "At most 1 of 2 exercises can be dropped"),
        ((NewUnitRule("Arrays"),), "Arrays", "The unit 'Arrays' no longer"),
    ],
)
def test_rules_that_cannot_be_name_their_unit(units: Cast, given: tuple[NewUnitRule, ...], unit: str, words: str) -> None:
    with pytest.raises(unit_rules.RuleRefused, match=words) as refused:
        put(units, *given)
    assert refused.value.unit == unit
    assert not UnitRule.objects.exists()


def test_a_unit_has_one_rule(units: Cast) -> None:
    with pytest.raises(Refused, match="Give only one rule for each unit"):
        put(units, NewUnitRule("Scalars"), NewUnitRule("Scalars", None, 1))


def test_removed_exercises_are_of_no_unit(units: Cast) -> None:
    units.course.assignments.filter(slug="value-tanh-relu").update(removed_at="2031-01-01T00:00Z")
    assert unit_rules.rules_of(units.course) == [NewUnitRule("Scalars")]
