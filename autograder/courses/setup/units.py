"""Groups assignments by the unit that they belong to."""

from collections.abc import Callable, Iterable
from typing import TypeVar

T = TypeVar("T")


def by_unit(items: Iterable[T], unit: Callable[[T], str]) -> dict[str, list[T]]:
    """Group items by unit, in the order of each unit's first item, even if its items are not adjacent."""
    groups: dict[str, list[T]] = {}
    for item in items:
        groups.setdefault(unit(item), []).append(item)
    return groups


def in_units(items: Iterable[T], unit: Callable[[T], str]) -> list[T]:
    """Return the items with those of the same unit together."""
    return [item for some in by_unit(items, unit).values() for item in some]
