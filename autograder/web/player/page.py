"""A log as a piece of a page. Any step can be drawn on the server, so a link to a step works without a script."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from autograder.judge.trace.model import Trace
from autograder.web.player.drawing import Drawing, Turn, draw, measure
from autograder.web.player.folding import MOST
from autograder.web.player.frames import Player, Step, player_of
from autograder.web.player.looks import VIEWS, Look, Looks, View

TEMPLATE = "web/player/player.html"
OPEN_TRANSCRIPT = 24  # as many lines stand open below a graph that goes wrong


@dataclass(frozen=True)
class Drawn:
    """A node or an edge at rest, and how it looks at the step."""

    part: Any
    look: Look


@dataclass(frozen=True)
class Picture:
    """One drawing at one step."""

    drawing: Drawing
    state: Looks

    def nodes(self) -> Iterator[Drawn]:
        return (Drawn(node, self.state[node.key]) for node in self.drawing.nodes)

    def ways(self) -> Iterator[Drawn]:
        return (Drawn(way, self.state[way.key]) for way in self.drawing.ways)

    @property
    def size(self) -> tuple[int, int]:
        """In pixels; a drawing that scrolls is a little smaller than life."""
        width, height = self.drawing.box[2:]
        return (round(0.85 * width), round(0.85 * height)) if self.drawing.is_big else (width, height)


@dataclass(frozen=True)
class Links:
    """Addresses of steps: they keep what else the page's address says."""

    base_url: str
    prefix: str
    unfold: bool

    def anchor(self, step: int) -> str:
        return f"{self.prefix}e{step}"

    def step(self, step: int) -> str:
        return self._with({"step": str(step)} | ({"unfold": "1"} if self.unfold else {}), self.anchor(step))

    def unfolded(self, step: int, unfold: bool) -> str:
        return self._with({"step": str(step)} | ({"unfold": "1"} if unfold else {}), self.anchor(step))

    def _with(self, asked: Mapping[str, str], fragment: str) -> str:
        parts = urlsplit(self.base_url)
        kept = [
            (name, value) for name, value in parse_qsl(parts.query, keep_blank_values=True) if name not in ("step", "unfold")
        ]
        return urlunsplit(parts._replace(query=urlencode([*kept, *asked.items()]), fragment=fragment))


@dataclass(frozen=True)
class Cell:
    """A step with its addresses, for the ribbon and the transcript."""

    step: Step
    url: str
    anchor: str
    is_now: bool


@dataclass(frozen=True)
class Page:
    """What the template reads."""

    player: Player
    at: int
    links: Links
    trace_id: str
    heading: int

    @cached_property
    def state(self) -> Looks:
        return self.player.state_at(self.at)

    @cached_property
    def cells(self) -> list[Cell]:
        return [
            Cell(step, self.links.step(step.number), self.links.anchor(step.number), step.number == self.at)
            for step in self.player.steps
        ]

    @property
    def now(self) -> Cell | None:
        return self.cells[self.at - 1] if self.cells else None

    @cached_property
    def pictures(self) -> list[tuple[View, list[Picture]]]:
        widest = measure(self.player)
        turns: dict[View, tuple[Turn, ...]] = {"one": ("wide", "tall"), "expected": ("tall",), "yours": ("tall",)}
        return [
            (view, [Picture(draw(self.player.merged, view, turn, widest), self.state) for turn in turns[view]])
            for view in VIEWS
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
        return self.player.first_wrong is not None and self.count <= OPEN_TRANSCRIPT

    @property
    def data_id(self) -> str:
        return f"{self.trace_id}-data"

    @property
    def data(self) -> dict[str, object]:
        """For the script: the looks at rest and what each step changes, all decided."""
        return {
            "at": self.at,
            "first": self.player.first_wrong,
            "initial": _packed(self.player.initial),
            "steps": [
                {"changes": _packed(step.changes), "line": step.line, "travels": step.travels} for step in self.player.steps
            ],
        }


def _packed(looks: Looks) -> dict[str, list[object]]:
    return {key: [look.css, dict(look.texts)] for key, look in looks.items()}


def render_player(
    trace: Trace, *, trace_id: str, base_url: str, step: int | None = None, unfold: bool = False, heading: int = 3
) -> SafeString:
    """`trace_id` keeps several players on a page apart; with an empty one the steps are plainly #e1, #e2."""
    player = player_of(trace, unfold=unfold)
    links = Links(base_url, f"{trace_id}-" if trace_id else "", unfold)
    page = Page(player, player.nearest_step(step), links, trace_id or "player", heading)
    return render_to_string(TEMPLATE, {"page": page, "player": player})
