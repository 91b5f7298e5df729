"""What a policy is given, and what it answers."""

from collections.abc import Callable, Sequence
from datetime import datetime

import msgspec


class Scored(msgspec.Struct, frozen=True):  # a gradebook makes a hundred thousand: a struct is made in a tenth of the time
    """A graded submission: what share of its points it reached, and whether it was late."""

    submission_id: int
    submitted_at: datetime
    share: float
    late: bool


class Counted(msgspec.Struct, frozen=True):
    """What counts, which submission it comes from, and what lateness left of it."""

    share: float
    submission_id: int
    kept: float = 1.0


# submissions in order of time, and what a late one is worth
Policy = Callable[[Sequence[Scored], float], Counted | None]


def worth(scored: Scored, late_share: float) -> Counted:
    kept = late_share if scored.late else 1.0
    return Counted(scored.share * kept, scored.submission_id, kept)
