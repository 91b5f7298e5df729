"""The rules of units for the total: the weight of each, and how many of its lowest scores are dropped."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from django.db import transaction

from autograder.courses import audit, rights
from autograder.courses.errors import AtField, Refused
from autograder.courses.models import Course, Membership
from autograder.courses.rights import Acting, Right
from autograder.courses.selectors import member_of
from autograder.courses.setup import course_copies
from autograder.gradebook.grades.frozen import refuse_if_frozen
from autograder.gradebook.models import UnitRule

FULL_WEIGHT = Decimal(100)


@dataclass(frozen=True)
class NewUnitRule:
    """The rule of a unit. Without a weight, it counts by its points."""

    unit: str
    weight: Decimal | None = None
    drop_lowest: int = 0

    @property
    def is_plain(self) -> bool:
        return self.weight is None and self.drop_lowest == 0


class RuleRefused(AtField):
    """Refused because of the `weight` or `drop_lowest` of one unit."""

    def __init__(self, unit: str, field: str, message: str) -> None:
        super().__init__(field, message)
        self.unit = unit


def rules_of(course: Course) -> list[NewUnitRule]:
    """Return a rule for every unit of the course, in the order of the units."""
    said = {rule.unit: NewUnitRule(rule.unit, rule.weight, rule.drop_lowest) for rule in course.unit_rules.all()}
    return [said.get(unit, NewUnitRule(unit)) for unit in sizes_of(course)]


def sizes_of(course: Course) -> dict[str, int]:
    """Return the units of a course in order, with the number of exercises in each."""
    return dict(Counter(course.assignments.filter(removed_at=None).values_list("unit", flat=True)))


def unit_rules_set(*, course: Course, by: Acting, rules: Sequence[NewUnitRule]) -> None:
    """Replace all rules. Either all units have weights or none, and they must add up to 100."""
    rights.require(by, Right.SET_UP, course)
    with transaction.atomic():
        refuse_if_frozen(course, "Unit weights cannot be changed now")
        _refuse(rules, sizes_of(course))
        before = _told(UnitRule.objects.filter(course=course).order_by("unit"))
        UnitRule.objects.filter(course=course).delete()
        UnitRule.objects.bulk_create(
            UnitRule(course=course, unit=rule.unit, weight=rule.weight, drop_lowest=rule.drop_lowest)
            for rule in rules
            if not rule.is_plain
        )
        after = _told(UnitRule.objects.filter(course=course).order_by("unit"))
        if before != after:
            audit.record("rules-set", course, actor=by.user, course=course, changes={"rules": [before, after]})


def course_copy(
    *, course: Course, slug: str, title: str, term: str, days: int, by: Membership, newest: bool = True
) -> Course:
    """Like `course_copies.course_copy`, including the rules of the units."""
    with transaction.atomic():
        made = course_copies.course_copy(course=course, slug=slug, title=title, term=term, days=days, by=by, newest=newest)
        unit_rules_set(course=made, by=member_of(by.user, made), rules=rules_of(course))
    return made


def _refuse(rules: Sequence[NewUnitRule], sizes: dict[str, int]) -> None:
    units = [rule.unit for rule in rules]
    if len(set(units)) < len(units):
        raise Refused("Give only one rule for each unit.")
    for rule in rules:
        if rule.unit not in sizes:
            raise RuleRefused(
                rule.unit, "weight", f"The unit '{rule.unit}' no longer exists in this course. Reload the page."
            )
        if rule.weight is not None and not 0 <= rule.weight <= FULL_WEIGHT:
            raise RuleRefused(rule.unit, "weight", "A weight must be between 0 and 100.")
        if not 0 <= rule.drop_lowest < sizes[rule.unit]:
            most = sizes[rule.unit] - 1
            raise RuleRefused(rule.unit, "drop_lowest", f"At most {most} of {sizes[rule.unit]} exercises can be dropped.")
    weighed = [rule for rule in rules if rule.weight is not None]
    if not weighed:
        return
    if missing := next((unit for unit in sizes if unit not in {rule.unit for rule in weighed}), None):
        raise RuleRefused(missing, "weight", "Give every unit a weight, or leave all weights empty.")
    total = sum((rule.weight for rule in weighed if rule.weight is not None), Decimal(0))
    if total != FULL_WEIGHT:
        raise RuleRefused(rules[-1].unit, "weight", f"The weights add up to {total.normalize():f}; they must add up to 100.")


def _told(rules: object) -> str:
    words = []
    for rule in rules:  # type: ignore[attr-defined]
        weight = "by points" if rule.weight is None else f"{rule.weight.normalize():f}%"
        words.append(
            f"{rule.unit or 'Exercises'}: {weight}" + (f", lowest {rule.drop_lowest} dropped" * bool(rule.drop_lowest))
        )
    return "; ".join(words) or "none"
