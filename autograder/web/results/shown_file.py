"""A submission's file as pages show it: harmless text, and only the beginning of a long file.

A file may have 256 KiB, and a web process serves other users at the same time. These limits bound the work for any
file.
"""

from dataclasses import dataclass

from autograder.judge.text import neutralise
from autograder.submissions.models import Submission

MAX_LINES = 1_000
MAX_CHARACTERS = 50_000


@dataclass(frozen=True)
class ShownFile:
    """`lines` are complete unless `cut`. `line_count` and `size` describe the whole file."""

    lines: tuple[str, ...]
    line_count: int
    size: int
    cut: bool

    @property
    def note(self) -> str:
        """Says that only the beginning is shown. Empty for a complete file."""
        lines = "1 line" if self.line_count == 1 else f"{self.line_count:,} lines"
        return (
            f"Only the beginning of this file is shown. The whole file is {lines} long ({self.size:,} bytes)."
            if self.cut
            else ""
        )


def text_of(submission: Submission) -> str:
    """Decode the file. Invalid UTF-8 becomes replacement characters."""
    return bytes(submission.source).decode("utf-8", "replace")


def shown_file(source: bytes) -> ShownFile:
    """Return the shown part of the file. Lines are counted as in `comments.text_lines`."""
    text = source.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n")
    beginning = text[:MAX_CHARACTERS]
    expanded = neutralise(beginning, 10 * MAX_CHARACTERS).expandtabs(4)
    lines = expanded[:MAX_CHARACTERS].split("\n", MAX_LINES)[:MAX_LINES]
    line_count = text.count("\n") + 1
    cut = len(beginning) < len(text) or len(expanded) > MAX_CHARACTERS or len(lines) < line_count
    return ShownFile(tuple(lines), line_count, len(source), cut)
