"""Computes the staircase chart on the course home, with one step per exercise."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from autograder.web.student.assignment_progress import CourseStep

WIDTH, LOW, HIGH = 1232, 132, 24
LETTER = 7.2  # a letter of a label is not wider on average
MARGINS = 12


@dataclass(frozen=True)
class Tread:
    x: float
    y: float
    width: float
    state: str


@dataclass(frozen=True)
class ProgressStairs:
    """The chart: one step per exercise, at the height of the points up to it."""

    treads: tuple[Tread, ...]
    line: str
    units: tuple[tuple[float, str], ...]
    you: tuple[float, float] | None


def progress_stairs(steps: Sequence[CourseStep]) -> ProgressStairs | None:
    if len(steps) < 2:
        return None
    total = float(sum(step.of for step in steps)) or 1.0
    width, sofar, treads, parts, units, you = WIDTH / len(steps), 0.0, [], [f"M0 {LOW}"], [], None
    for n, step in enumerate(steps):
        sofar += float(step.of)
        x, y = round(n * width, 1), round(LOW - (LOW - HIGH) * sofar / total, 1)
        parts.append(f"V{y}H{round(x + width, 1)}")
        state = {"passed": "won", "partial": "some"}.get(step.state, "")
        if state:
            share = 1.0 if state == "won" else float(step.points or 0) / float(step.of)
            treads.append(Tread(x, y - 3, round(width * share, 1), state))
        if you is None and not step.finished and step.opened:
            you = (round(x + width / 2, 1), y)
        if n == 0 or step.assignment.unit != steps[n - 1].assignment.unit:
            units.append((x, step.assignment.unit))
    return ProgressStairs(tuple(treads), "".join(parts), _labelled(units), you)


def _labelled(units: Sequence[tuple[float, str]]) -> tuple[tuple[float, str], ...]:
    """Cut the titles so that no label reaches the next one."""
    found = []
    for (x, title), (end, _) in pairwise([*units, (WIDTH, "")]):
        letters = int((end - x - MARGINS) / LETTER)
        if len(title) > letters:
            title = f"{title[: letters - 1].rstrip()}…" if letters > 3 else ""
        found.append((x, title))
    return tuple(found)
