"""Groups failures that no known mistake explains by check and given values: identical answers probably have the same cause."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec

from autograder.judge.report import CheckResult, Detail, Shown

EXAMPLES = 5
AnswerKey = tuple[str, str, tuple[str, ...], tuple[int, ...] | None]  # check id, detail, values, shape


@dataclass(frozen=True)
class FailedAnswer:
    """A wrong answer that shows a value: the check and the key of the given value."""

    check: CheckResult
    key: AnswerKey

    @property
    def digest(self) -> str:
        """A fixed-length identifier, equal for equal answers only."""
        return hashlib.blake2b(msgspec.json.encode(self.key), digest_size=16).hexdigest()


def answer_of(checks: Sequence[CheckResult]) -> FailedAnswer | None:
    """Return the first failure that shows a value, or None; failures without a value are not grouped."""
    for check in checks:
        given = check.detail.given if check.detail and not check.passed else None
        if check.detail and given is not None:
            return FailedAnswer(check, (check.id, check.detail.what, given.values, given.shape))
    return None


@dataclass
class FailureGroup:
    """Equal answers. `check` is one of the failed checks, with what was asked and expected there."""

    check: CheckResult
    submissions: int = 0
    students: set[int] = field(default_factory=set)
    latest: dict[int, int] = field(default_factory=dict)  # the latest submission of each student

    @property
    def detail(self) -> Detail | None:
        return self.check.detail

    @property
    def given(self) -> Shown | None:
        return self.detail.given if self.detail else None

    @property
    def examples(self) -> list[int]:
        return sorted(self.latest.values(), reverse=True)[:EXAMPLES]


class FailureGroups:
    def __init__(self) -> None:
        self._found: dict[AnswerKey, FailureGroup] = {}

    def add(self, student: int, submission: int, answer: FailedAnswer) -> None:
        group = self._found.setdefault(answer.key, FailureGroup(answer.check))
        group.submissions += 1
        group.students.add(student)
        group.latest[student] = submission

    def all(self) -> tuple[FailureGroup, ...]:
        """Return the groups, those of most students first."""
        return tuple(
            sorted(self._found.values(), key=lambda group: (-len(group.students), -group.submissions, group.check.title))
        )
