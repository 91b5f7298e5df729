"""What a policy is given, and what it answers."""

from collections.abc import Callable, Sequence

import msgspec

from autograder.courses.lateness import ON_TIME, Lateness
from autograder.gradebook.manual_points import ByHand


# A gradebook makes a hundred thousand of these: a struct is made in a tenth of a dataclass's time, and nobody looks for cycles.
class Scored(msgspec.Struct, frozen=True, gc=False):
    """A graded submission: what share of its points it reached, and how late it was.

    Where some points are given by hand, `share` is of all points, and `checks` the share that the checks reached of theirs.
    """

    submission_id: int
    share: float
    lateness: Lateness = ON_TIME
    by_hand: ByHand | None = None
    checks: float = 0.0


class Counted(msgspec.Struct, frozen=True, gc=False):
    """What counts, which submission it comes from, how late that was, and what lateness left of it."""

    share: float  # that counts
    submission_id: int
    reached: float  # before lateness
    kept: float = 1.0
    lateness: Lateness = ON_TIME
    late_days: int = 0  # of the student's own, that were used for it
    by_hand: ByHand | None = None
    checks: float = 0.0  # what the checks reached, where some points are given by hand

    @property
    def late(self) -> bool:
        return self.lateness.days > 0


# what lateness leaves of a submission
Kept = Callable[[Lateness], float]
# submissions in order of time
Policy = Callable[[Sequence[Scored], Kept], Counted | None]


def counted(scored: Scored, kept: Kept) -> Counted:
    left = kept(scored.lateness)
    return Counted(
        scored.share * left,
        scored.submission_id,
        scored.share,
        left,
        scored.lateness,
        by_hand=scored.by_hand,
        checks=scored.checks,
    )
