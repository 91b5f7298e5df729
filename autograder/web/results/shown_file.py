"""A submission's file as a page shows it: harmless text, and of a long file only the beginning.

A file may have 256 KiB, and a web process serves everybody else as well. So what a page does with one file is bounded by these
limits, whatever is in it.
"""

from dataclasses import dataclass

from autograder.judge.text import neutralise
from autograder.submissions.models import Submission

MAX_LINES = 1_000
MAX_CHARACTERS = 50_000


@dataclass(frozen=True)
class ShownFile:
    """`lines` are complete unless `cut`; `line_count` and `size` are those of the whole file."""

    lines: tuple[str, ...]
    line_count: int
    size: int
    cut: bool

    @property
    def note(self) -> str:
        """For a reader of the beginning alone."""
        lines = "1 line" if self.line_count == 1 else f"{self.line_count:,} lines"
        return f"Only the beginning of this file is shown: it has {lines} and {self.size:,} bytes." if self.cut else ""


def text_of(submission: Submission) -> str:
    """The file as text: bytes that are not valid UTF-8 become replacement characters."""
    return bytes(submission.source).decode("utf-8", "replace")


def shown_file(submission: Submission) -> ShownFile:
    """Lines are counted as `comments.text_lines` counts them."""
    text = text_of(submission).replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n")
    beginning = text[:MAX_CHARACTERS]
    expanded = neutralise(beginning, 10 * MAX_CHARACTERS).expandtabs(4)
    lines = expanded[:MAX_CHARACTERS].split("\n", MAX_LINES)[:MAX_LINES]
    line_count = text.count("\n") + 1
    cut = len(beginning) < len(text) or len(expanded) > MAX_CHARACTERS or len(lines) < line_count
    return ShownFile(tuple(lines), line_count, len(submission.source), cut)
