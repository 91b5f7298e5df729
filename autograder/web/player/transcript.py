"""The steps as text: one line each for the transcript and one symbol each for the ribbon. Nothing is added to the log."""

from collections.abc import Sequence
from dataclasses import dataclass

from autograder.trace.model import Event, EventKind
from autograder.web.player import text
from autograder.web.player.chain import ChainCell, ChainRow
from autograder.web.player.node_states import is_flagged

SIGNS: dict[EventKind, tuple[str, str]] = {
    "forward": ("→", "r"),
    "visit": ("○", "a"),
    "seed": ("↓", "u"),
    "ready": ("○", "r"),
    "contribution": ("←", "l"),
    "unbroadcast": ("Σ", "l"),
    "accumulate": ("+", "a"),
    "grad": ("=", "a"),
    "freed": ("–", "r"),
    "end": ("■", "r"),
}
WRONG = ("✕", "x")
LETTERS = {"up": "u", "lo": "l", "ac": "a", "bad": "x", "lost": "lost"}


@dataclass(frozen=True)
class TranscriptPart:
    """A part of a line. `css` is the class of a number, if it is one."""

    text: str
    css: str = ""
    full: str = ""


@dataclass(frozen=True)
class TranscriptEntry:
    """A line of the transcript: the step and its numbers."""

    head: str
    words: tuple[TranscriptPart, ...]

    @property
    def line(self) -> str:
        return " ".join(f"{self.head} {''.join(word.text for word in self.words)}".split())


def sign(event: Event) -> tuple[str, str]:
    """Return the symbol of a ribbon cell and its CSS class. A step that only follows from an error keeps its symbol."""
    if event.wrong:
        return WRONG
    mark, letter = SIGNS[event.kind]
    return mark, f"{letter} f" if event.follows else letter


def head(event: Event) -> str:
    return text.sentence(event.says).partition(": ")[0]


def entry(event: Event, rows: Sequence[ChainRow], *, first: bool, cause: int | None = None) -> TranscriptEntry:
    """Return the line of a step. An accumulation leaves out the product before it, which has its own line."""
    tail = text.sentence(event.says).partition(": ")[2]
    own = rows[-2:] if is_flagged(event) else rows[-1:]
    parts = [_lane(row) for row in own] + ([[TranscriptPart(tail)]] if tail else [])
    words = [word for number, part in enumerate(parts) for word in ([TranscriptPart("; ")] if number else []) + part]
    if is_flagged(event):
        words += [
            TranscriptPart(". " if words else ""),
            TranscriptPart(_verdict(event, first, cause), "judged x" if event.wrong else "judged"),
        ]
    if event.reason:
        words.append(TranscriptPart(f" {text.sentence(event.reason)}"))
    return TranscriptEntry(head(event), tuple(words))


def _lane(row: ChainRow) -> list[TranscriptPart]:
    name = [TranscriptPart(f"{row.name} ")] if row.lane else []
    if not row.cells:
        return [*name, TranscriptPart(row.say or "nothing")]
    lost = [cell for cell in row.cells if cell.kind == "lost"]
    if lost:
        return [
            *name,
            *_cell(row, lost[0], first=True),
            TranscriptPart(" is lost, now "),
            *_cell(row, row.cells[-1], first=True),
        ]
    return [*name, *(word for cell in row.cells for word in _cell(row, cell))]


def _cell(row: ChainRow, cell: ChainCell, *, first: bool = False) -> list[TranscriptPart]:
    sign = [TranscriptPart(f" {cell.sign} ")] if cell.sign and not first else []
    css = "e" if row.lane == "ex" and cell.kind == "ac" else LETTERS.get(cell.kind, "")
    return [*sign, TranscriptPart(cell.number.short, f"{css} n".strip(), cell.number.full if cell.number.is_cut else "")]


def _verdict(event: Event, first: bool, cause: int | None) -> str:
    if event.wrong:
        return "First wrong step." if first else "Wrong step."
    return f"Follows from step {cause}." if cause else "Follows from an earlier step."
