"""Finds the members of a course by any of their identifiers, ignoring case. Names do not identify anybody."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from autograder.courses.models import Membership
from autograder.courses.tables.csv_reader import clean

IDENTIFIERS = ("login", "email", "lms_id", "sis_id")


class MemberIndex:
    def __init__(self, members: Iterable[Membership]) -> None:
        self._members: dict[tuple[str, str], list[Membership]] = defaultdict(list)
        for member in members:
            values = (member.user.username, member.user.email, member.lms_id, member.sis_id)
            for identifier, value in zip(IDENTIFIERS, values, strict=True):
                if value:
                    self._members[identifier, _normalised(value)].append(member)

    def find(self, identifier: str, value: str) -> Sequence[Membership]:
        """Return the members with this login, email address or id; usually one."""
        return self._members.get((identifier, _normalised(value)), ())


def _normalised(value: str) -> str:
    return clean(value).casefold()
