"""Units: the parts of a course that its assignments name."""

from collections.abc import Callable, Iterable
from typing import TypeVar

T = TypeVar("T")


def by_unit(items: Iterable[T], unit: Callable[[T], str]) -> dict[str, list[T]]:
    """Units in the order of their first items. Each is there once, also where its items are not next to each other."""
    groups: dict[str, list[T]] = {}
    for item in items:
        groups.setdefault(unit(item), []).append(item)
    return groups


def in_units(items: Iterable[T], unit: Callable[[T], str]) -> list[T]:
    """The same items, with those of a unit together."""
    return [item for some in by_unit(items, unit).values() for item in some]
