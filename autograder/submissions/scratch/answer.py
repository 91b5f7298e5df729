"""The result of a scratch run: truncated and sanitised text, with nothing that would have to be evaluated."""

from typing import Literal

import msgspec

from autograder.judge.report import Reason

VALUE_LIMIT = 8_000  # characters of the repr of the last value
Place = Literal["code", "scratch"]


class ScratchLine(msgspec.Struct, frozen=True):
    """A line that was running. Its number and function come from the sandbox; its text is read from our own copy."""

    place: Place
    number: int
    function: str = ""
    text: str = ""
    file: str = ""  # of code that consists of several files; `at` is the line in the whole text
    at: int = 0


class ScratchAnswer(msgspec.Struct, frozen=True):
    """`reason` is None if everything ran to its end; otherwise `message` says what happened. `value` is the repr of the last
    expression, or None."""

    reason: Reason | None = None
    place: Place | None = None
    message: str = ""
    lines: tuple[ScratchLine, ...] = ()
    output: str = ""
    output_cut: bool = False
    value: str | None = None
    value_cut: bool = False
    seconds: float = 0.0
