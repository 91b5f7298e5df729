"""One course on a test platform: Ana and Ben are students, Tara teaches, and Gus is not in the course."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.lti.platform import Context, Flavour, LineItem, Link, Platform, Result, User
from tests.lti.platform.vocabulary import SCORE_SCOPE, SCORE_TYPE
from tests.lti.sample_tool import Answer, SampleTool

START = datetime(2026, 3, 1, 12, tzinfo=UTC)


@dataclass
class Classroom:
    platform: Platform
    tool: SampleTool
    context: Context
    ana: User
    ben: User
    tara: User
    gus: User
    link: Link
    item: LineItem

    def score(self, user: User, points: float | None = None, *, seconds: float = 0, **changes: Any) -> dict[str, Any]:
        """Return a final score of 10 points at most. A change of None leaves a field out."""
        body = {
            "userId": user.sub,
            "timestamp": (START + timedelta(seconds=seconds)).isoformat(),
            "activityProgress": "Completed",
            "gradingProgress": "FullyGraded",
            "scoreGiven": points,
            "scoreMaximum": None if points is None else 10,
            **changes,
        }
        return {name: value for name, value in body.items() if value is not None}

    def post(self, body: object, item: LineItem | None = None) -> Answer:
        url = self.platform.line_item_url(item or self.item, "/scores")
        return self.tool.call(url, SCORE_SCOPE, SCORE_TYPE, body)

    def result(self, user: User) -> Result:
        return self.platform.result(self.item, user)


@contextmanager
def classroom(flavour: Flavour, *, host: str = "127.0.0.1", **options: Any) -> Iterator[Classroom]:
    """Options are those of `Platform.register_tool`."""
    with Platform(flavour) as platform, SampleTool(host) as tool:
        tool.connect(platform, **options)
        context = platform.add_context("Automatic Differentiation", label="AD101")
        ana, ben = platform.add_user("Ana", "Silva"), platform.add_user("Ben", "Okoro")
        tara, gus = platform.add_user("Tara", "Lund"), platform.add_user("Gus", "Ortiz")
        platform.enrol(context, ana)
        platform.enrol(context, ben)
        platform.enrol(context, tara, "Instructor")
        link = platform.add_link(context, "ReLU backward", custom={"exercise": "fn-relu"})
        assert link.line_item
        yield Classroom(platform, tool, context, ana, ben, tara, gus, link, link.line_item)
