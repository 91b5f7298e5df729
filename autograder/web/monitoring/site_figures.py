"""Numbers about queue, workers, verdicts and scores for LMSs, for the metrics and the status page.

They take a few queries on the queue, the workers, the counters and the scores that are not sent. Their cost does not grow
with the number of gradings.
"""

from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from autograder.lti.sending.sent_scores import OutgoingScores, outgoing_scores
from autograder.submissions import counters, selectors
from autograder.submissions.counters import Counts
from autograder.submissions.models import Lane, Worker
from autograder.submissions.selectors import LaneDepth

LANES = tuple(lane.name.lower() for lane in Lane)


@dataclass(frozen=True)
class SiteFigures:
    at: datetime
    depths: tuple[LaneDepth, ...]  # in the order of LANES
    living: tuple[Worker, ...]
    silent: tuple[Worker, ...]  # no recent heartbeat, and no clean shutdown
    counts: Counts
    outgoing: OutgoingScores  # to LMSs

    @property
    def idle(self) -> tuple[Worker, ...]:
        """Workers that are alive but not grading."""
        return tuple(worker for worker in self.living if worker.trouble)

    @property
    def unseen_seconds(self) -> float:
        """How long ago the last heartbeat of a living worker was, at most."""
        return self._age(min((worker.seen_at for worker in self.living), default=None))

    def layers(self) -> dict[str, bool]:
        """A layer is reported as active if it is active in every living worker that reports it."""
        found: dict[str, bool] = {}
        for worker in self.living:
            for layer, holds in (worker.layers or {}).items():
                found[layer] = found.get(layer, True) and bool(holds)
        return dict(sorted(found.items()))

    def oldest_seconds(self, depth: LaneDepth) -> float:
        return self._age(depth.oldest)

    @property
    def oldest_score_seconds(self) -> float:
        return self._age(self.outgoing.oldest)

    def _age(self, since: datetime | None) -> float:
        return max(0.0, (self.at - since).total_seconds()) if since else 0.0


def figures() -> SiteFigures:
    workers = list(selectors.workers())
    return SiteFigures(
        timezone.now(),
        tuple(selectors.depths()),
        tuple(worker for worker in workers if selectors.is_alive(worker)),
        tuple(worker for worker in workers if not selectors.is_alive(worker)),
        counters.counts(),
        outgoing_scores(),
    )
