"""The difference between two submissions, line by line."""

import difflib
from dataclasses import dataclass

from autograder.submissions.models import Submission

CONTEXT = 3


@dataclass(frozen=True)
class DiffLine:
    sign: str
    css: str
    word: str
    number: int
    text: str


def text_of(submission: Submission) -> str:
    """The file as text: bytes that are no UTF-8 are shown as what they are not."""
    return bytes(submission.source).decode("utf-8", "replace")


def diff_of(older: str, newer: str) -> list[DiffLine]:
    """A unified diff: what stands on neither side of a change is left out."""
    found: list[DiffLine] = []
    left, right = older.expandtabs(4).splitlines(), newer.expandtabs(4).splitlines()
    for group in difflib.SequenceMatcher(None, left, right, autojunk=False).get_grouped_opcodes(CONTEXT):
        if found:
            found.append(DiffLine(" ", "fold", "", 0, "…"))
        for tag, a, b, c, d in group:
            if tag == "equal":
                found += [DiffLine(" ", "", "", c + n + 1, text) for n, text in enumerate(right[c:d])]
                continue
            found += [DiffLine("−", "del", "removed", a + n + 1, text) for n, text in enumerate(left[a:b])]
            found += [DiffLine("+", "add", "added", c + n + 1, text) for n, text in enumerate(right[c:d])]
    return found
