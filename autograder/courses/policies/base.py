"""What a scoring policy is, and its input and output types."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal

import msgspec

from autograder.courses.policies.lateness import ON_TIME, Lateness


class ByHand(msgspec.Struct, frozen=True, gc=False):
    """The points of a submission by hand. `marked`: every criterion has been marked."""

    points: Decimal
    of: Decimal
    marked: bool


# A gradebook creates a hundred thousand of these. A struct takes a tenth of the time of a dataclass, and gc=False skips
# cycle detection.
class Scored(msgspec.Struct, frozen=True, gc=False):
    """A graded submission: the share of points it reached, and its lateness.

    If some points are given by hand, `share` refers to all points, and `checks` is the share that the checks reached of
    theirs.
    """

    submission_id: int
    share: float
    lateness: Lateness = ON_TIME
    by_hand: ByHand | None = None
    checks: float = 0.0

    @property
    def of_checks(self) -> float:
        """The share that the checks reached of theirs."""
        return self.share if self.by_hand is None else self.checks


class Counted(msgspec.Struct, frozen=True, gc=False):
    """The result of a policy: the share that counts, its submission and lateness, and what remains after lateness."""

    share: float  # the share that counts
    submission_id: int
    reached: float  # before the deduction for lateness
    remaining: float = 1.0
    lateness: Lateness = ON_TIME
    late_days: int = 0  # of the student's late days, used for it
    by_hand: ByHand | None = None
    checks: float = 0.0  # the share that the checks reached, if some points are given by hand

    @property
    def late(self) -> bool:
        return self.lateness.days > 0


# returns the share that remains after lateness
Remaining = Callable[[Lateness], float]


@dataclass(frozen=True)
class Policy:
    """A rule that turns the submissions of a student into one score.

    `label` names it in the form for staff, `sentence` explains a score to students. `count` takes at least one submission,
    in chronological order.
    """

    name: str
    label: str
    sentence: str
    count: Callable[[Sequence[Scored], Remaining], Counted]


def counted(scored: Scored, remaining: Remaining) -> Counted:
    left = remaining(scored.lateness)
    return Counted(
        scored.share * left,
        scored.submission_id,
        scored.share,
        left,
        scored.lateness,
        by_hand=scored.by_hand,
        checks=scored.checks,
    )
