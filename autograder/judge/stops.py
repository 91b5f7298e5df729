"""Where a submission stopped, as its report says it.

Numbers of lines come out of the sandbox, where nothing has to be true: those that the file does not have are left out, and the
text of a line is read from our own copy.
"""

import re
from collections.abc import Sequence

from autograder.judge.advice.errors import known_error
from autograder.judge.report import StackLine, Stopped
from autograder.judge.text import neutralise
from sandbox.wire import Line, Raised

LINES_KEPT = 12
TEXT_KEPT = 160
NAME_KEPT = 64
_LINE_END = re.compile(r"\r\n?|\n")  # as Python and the editor count; str.splitlines knows more
_FUNCTION = re.compile(r"[^\W\d]\w*|<(?:module|lambda|listcomp|setcomp|dictcomp|genexpr)>")


def stopped_by(raised: Raised, source: bytes) -> Stopped:
    """At an exception."""
    error = known_error(raised.type_name, raised.message)
    return Stopped(neutralise(raised.type_name, NAME_KEPT), error, _lines(raised.lines, source))


def stopped_at(stack: Sequence[Line], source: bytes) -> Stopped | None:
    """By a limit, at what it claims to have been running; None if it does not say."""
    lines = _lines(stack, source)
    return Stopped(lines=lines) if lines else None


def said(raised: Raised) -> str:
    """An exception as Python words it."""
    return neutralise(f"{raised.type_name}: {raised.message}" if raised.message else raised.type_name)


def _lines(claimed: Sequence[Line], source: bytes) -> tuple[StackLine, ...]:
    """The innermost lines, outermost first; a line that calls itself again and again stands there once."""
    texts = _LINE_END.split(source.decode("utf-8", "replace"))
    lines: list[StackLine] = []
    for line in claimed[-LINES_KEPT:]:
        if 0 < line.number <= len(texts):
            named = len(line.function) <= NAME_KEPT and _FUNCTION.fullmatch(line.function)
            text = neutralise(texts[line.number - 1].strip()[:TEXT_KEPT])
            lines.append(StackLine(line.number, line.function if named else "", text))
    return tuple(line for n, line in enumerate(lines) if n == 0 or line != lines[n - 1])
