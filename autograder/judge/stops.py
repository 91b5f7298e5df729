"""Finds where a submission stopped, for its report.

Line numbers come from the sandbox and may be forged. Numbers outside the file are dropped, and the text of a line is read
from the judge's own copy.
"""

import re
from collections.abc import Sequence

from autograder.judge.files import line_of, split
from autograder.judge.known_errors import known_error
from autograder.judge.report import StackLine, Stopped
from autograder.judge.text import neutralise
from sandbox.wire import Line, Raised

LINES_KEPT = 12
TEXT_KEPT = 160
NAME_KEPT = 64
_LINE_END = re.compile(r"\r\n?|\n")  # line ends as Python and the editor count them; str.splitlines recognises more
_FUNCTION = re.compile(r"[^\W\d]\w*|<(?:module|lambda|listcomp|setcomp|dictcomp|genexpr)>")


def stopped_by(raised: Raised, source: bytes) -> Stopped:
    """Where an exception was raised."""
    error = known_error(raised.type_name, raised.message)
    return Stopped(neutralise(raised.type_name, NAME_KEPT), error, _lines(raised.lines, source))


def stopped_at(stack: Sequence[Line], source: bytes) -> Stopped | None:
    """Where a limit stopped the code, according to the submission; None if it does not say."""
    lines = _lines(stack, source)
    return Stopped(lines=lines) if lines else None


def exception_text(raised: Raised) -> str:
    """An exception in Python's own words."""
    return neutralise(f"{raised.type_name}: {raised.message}" if raised.message else raised.type_name)


def _lines(claimed: Sequence[Line], source: bytes) -> tuple[StackLine, ...]:
    """The innermost lines, outermost first. Repeated lines of a recursion appear once."""
    files = split(source) or {"": source}
    lines: list[StackLine] = []
    for line in claimed[-LINES_KEPT:]:
        texts = _LINE_END.split(files.get(line.file, b"").decode("utf-8", "replace"))
        if line.file in files and 0 < line.number <= len(texts):
            named = len(line.function) <= NAME_KEPT and _FUNCTION.fullmatch(line.function)
            text = neutralise(texts[line.number - 1].strip()[:TEXT_KEPT])
            at = line_of(source, line.file, line.number) if line.file else 0
            lines.append(StackLine(line.number, line.function if named else "", text, line.file, at))
    return tuple(line for n, line in enumerate(lines) if n == 0 or line != lines[n - 1])
