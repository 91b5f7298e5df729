"""Guidance for results without compared numbers: what the result means, where the code stopped, and which section of the
statement explains it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from autograder.explain.advice import Advice
from autograder.judge.report import StackLine, Stopped
from autograder.library.statements import Heading, heading_for

WHOLE_TASK = Heading("task", "")


@dataclass(frozen=True)
class Guidance:
    """`place` is a section of the statement, the whole statement, or None if neither helps. Without a title, there are
    only stack lines to show.
    """

    title: str = ""
    words: str = ""
    place: Heading | None = None
    lines: tuple[StackLine, ...] = ()
    raised: str = ""

    @property
    def last(self) -> int | None:
        """The line to mark in the editor."""
        return (self.lines[-1].at or self.lines[-1].number) if self.lines else None

    @property
    def remark(self) -> str:
        """The text shown after that line."""
        return self.raised or "stopped here"

    @property
    def loop(self) -> str:
        """The function that was running at the time limit. Checks that hit the same loop are stopped at different lines of
        it.
        """
        return self.lines[-1].function if self.lines and not self.raised else ""


def guidance_of(advice: Advice | None, stopped: Stopped | None, headings: Sequence[Heading]) -> Guidance | None:
    lines = stopped.lines if stopped else ()
    raised = stopped.exception if stopped else ""
    if advice is not None:
        place = (heading_for(advice.topics, headings) or WHOLE_TASK) if advice.topics else None
        return Guidance(advice.title, advice.words, place, lines, raised)
    return Guidance(lines=lines, raised=raised) if lines else None
