"""Renders a log as a page fragment. The server can render any step, so links to steps work without JavaScript."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from autograder.trace.model import Trace
from autograder.web.player.boxes import Node
from autograder.web.player.drawing import Drawing, draw
from autograder.web.player.folding import MOST
from autograder.web.player.frames import Player, PlayerStep, player_of
from autograder.web.player.lines import EdgeLine
from autograder.web.player.node_states import Appearance, Appearances, View, node_key, way_key

TEMPLATE = "web/player/player.html"
OPEN_TRANSCRIPT = 24  # maximum number of steps for which the transcript of a wrong run is open by default


@dataclass(frozen=True)
class DrawnPart:
    """A node or an edge of the drawing with its look at the current step."""

    part: Node | EdgeLine
    key: str
    appearance: Appearance


@dataclass(frozen=True)
class Picture:
    """One drawing at one step."""

    drawing: Drawing
    state: Appearances

    def nodes(self) -> Iterator[DrawnPart]:
        return (
            DrawnPart(node, key, self.state[key])
            for node in self.drawing.nodes
            for key in (node_key(self.drawing.view, node.spot),)
        )

    def lines(self) -> Iterator[DrawnPart]:
        return (
            DrawnPart(line, key, self.state[key])
            for line in self.drawing.lines
            for key in (way_key(self.drawing.view, line.way),)
        )

    @property
    def size(self) -> tuple[int, int]:
        """Size in pixels. A drawing that scrolls is scaled down a little."""
        width, height = self.drawing.box[2:]
        return (round(0.85 * width), round(0.85 * height)) if self.drawing.is_big else (width, height)


@dataclass(frozen=True)
class Links:
    """URLs of steps. They keep the other query parameters of the page."""

    base_url: str
    prefix: str
    unfold: bool

    def anchor(self, step: int) -> str:
        return f"{self.prefix}e{step}"

    def step(self, step: int) -> str:
        return self._with({"step": str(step)} | ({"unfold": "1"} if self.unfold else {}), self.anchor(step))

    def unfolded(self, step: int, unfold: bool) -> str:
        return self._with({"step": str(step)} | ({"unfold": "1"} if unfold else {}), self.anchor(step))

    def _with(self, parameters: Mapping[str, str], fragment: str) -> str:
        parts = urlsplit(self.base_url)
        kept = [
            (name, value) for name, value in parse_qsl(parts.query, keep_blank_values=True) if name not in ("step", "unfold")
        ]
        return urlunsplit(parts._replace(query=urlencode([*kept, *parameters.items()]), fragment=fragment))


@dataclass(frozen=True)
class StepLink:
    """A step with its URL and anchor, for the ribbon and the transcript."""

    step: PlayerStep
    url: str
    anchor: str
    is_now: bool


@dataclass(frozen=True)
class Switch:
    """One choice of a group of which one is on."""

    value: str
    label: str
    is_on: bool


@dataclass(frozen=True)
class Page:
    """The template context of the player."""

    player: Player
    at: int
    links: Links
    trace_id: str
    heading: int
    plays: int | None = None  # milliseconds per step for automatic play, which stops at the first wrong step

    @cached_property
    def state(self) -> Appearances:
        return self.player.state_at(self.at)

    @cached_property
    def cells(self) -> list[StepLink]:
        return [
            StepLink(step, self.links.step(step.number), self.links.anchor(step.number), step.number == self.at)
            for step in self.player.steps
        ]

    @property
    def views(self) -> tuple[Switch, Switch]:
        side_by_side = self.player.differs_in_shape
        return Switch("one", "One graph", not side_by_side), Switch("pair", "Side by side", side_by_side)

    @property
    def shows(self) -> list[Switch]:
        """What the boxes can show."""
        choices = (
            (True, "values", "Values"),
            (self.player.has_shapes, "shapes", "Shapes"),
            (self.player.has_saved, "saved", "Saved tensors"),
        )
        return [Switch(value, label, value == "values") for is_there, value, label in choices if is_there]

    @property
    def now(self) -> StepLink | None:
        return self.cells[self.at - 1] if self.cells else None

    @cached_property
    def pictures(self) -> list[tuple[View, list[Picture]]]:
        return [
            (view, [Picture(drawing, self.state) for drawing in drawings]) for view, drawings in draw(self.player).items()
        ]

    @property
    def count(self) -> int:
        return len(self.player.steps)

    def start(self) -> str:
        return self.links.step(1)

    def back(self) -> str:
        return self.links.step(max(1, self.at - 1))

    def forward(self) -> str:
        return self.links.step(min(self.count, self.at + 1))

    def end(self) -> str:
        return self.links.step(self.count)

    def first_wrong(self) -> str:
        return self.links.step(self.player.first_wrong or self.at)

    def unfolded(self) -> str:
        return self.links.unfolded(self.at, unfold=True)

    def folded(self) -> str:
        return self.links.unfolded(self.at, unfold=False)

    @property
    def is_unfolded(self) -> bool:
        return self.links.unfold and self.player.nodes > MOST

    @property
    def shows_transcript(self) -> bool:
        return self.plays is None and self.player.first_wrong is not None and self.count <= OPEN_TRANSCRIPT

    @property
    def data(self) -> str:
        """The initial looks and the changes of each step, as JSON for the script. The template puts it into a <template>
        element, because a <script> would not survive a partial page update.
        """
        found = {
            "at": self.at,
            "first": self.player.first_wrong,
            "initial": _packed(self.player.initial),
            "steps": [
                {"changes": _packed(step.changes), "line": step.line, "travels": step.travels} for step in self.player.steps
            ],
        }
        return json.dumps(found, separators=(",", ":"))


def _packed(appearances: Appearances) -> dict[str, list[object]]:
    return {key: [appearance.css, dict(appearance.texts)] for key, appearance in appearances.items()}


def render_player(
    trace: Trace,
    *,
    trace_id: str,
    base_url: str,
    step: int | None = None,
    unfold: bool = False,
    heading: int = 3,
    plays: int | None = None,
) -> SafeString:
    """Render a player. `trace_id` keeps the anchors of several players on a page apart; if it is empty, steps are #e1,
    #e2.
    """
    player = player_of(trace, unfold=unfold)
    links = Links(base_url, f"{trace_id}-" if trace_id else "", unfold)
    page = Page(player, player.nearest_step(step), links, trace_id or "player", heading, plays)
    return render_to_string(TEMPLATE, {"page": page, "player": player})
