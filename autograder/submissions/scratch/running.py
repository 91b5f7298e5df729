"""Runs a student's code and calls in a sandbox, and returns the result as text.

The session contains only what the student wrote: no check, no reference and no seed of a grading is ever sent to it.
"""

import re
import time
from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Literal

import msgspec

from autograder.judge.files import line_of, split
from autograder.judge.report import Reason
from autograder.judge.text import neutralise, neutralise_output
from autograder.judge.words import ending, megabytes
from autograder.submissions.scratch.answer import VALUE_LIMIT, Place, ScratchAnswer, ScratchLine
from autograder.submissions.scratch.probe import MAX_LINES, MESSAGE_LIMIT, NAME_LIMIT, run_calls
from sandbox.errors import JobEnded, JobKilled, Outage, SandboxError
from sandbox.pool import AnySandbox
from sandbox.session import Session
from sandbox.wire import Answer, Limits, Line, Program, Raised

MAX_TRIES = 3
SEED = 0  # for the student's own random numbers, which are equal in every run; the seed of a grading is random
MAX_TEXT = 160
_LINE_END = re.compile(r"\r\n?|\n")  # as Python and the editor count lines
_FUNCTION = re.compile(r"[^\W\d]\w*|<(?:module|lambda|listcomp|setcomp|dictcomp|genexpr)>")
_UNREADABLE = "The response of your code could not be read, so there is nothing to show."


class Claimed(msgspec.Struct, frozen=True):
    """The answer that the sandbox may send. Anything else is rejected."""

    # a character can become an escape sequence of ten
    value: Annotated[str, msgspec.Meta(max_length=VALUE_LIMIT * 10)] | None
    cut: bool
    exception: Annotated[str, msgspec.Meta(max_length=NAME_LIMIT * 10)]
    message: Annotated[str, msgspec.Meta(max_length=MESSAGE_LIMIT * 10)]
    lines: Annotated[list[tuple[Literal["code", "scratch"], str, int, str]], msgspec.Meta(max_length=MAX_LINES)]
    unreadable: bool
    starved: bool


def run_scratch(
    box: AnySandbox, limits: Limits, source: bytes, calls: bytes, program: Program | None = None
) -> ScratchAnswer:
    """Always return an answer, unless the sandbox itself is broken: then raise SandboxError. `program` is what runs if the
    source consists of several files."""
    for attempt in range(1, MAX_TRIES + 1):
        try:
            return _Attempt(limits, source, calls, program, last=attempt == MAX_TRIES).run(box)
        except Outage:
            raise
        except JobKilled:
            continue  # killed for lack of memory, possibly because of other processes
        except SandboxError:
            box.close()
            if attempt == MAX_TRIES:
                raise
    raise AssertionError("the last attempt answers or raises")


class _Attempt:
    def __init__(self, limits: Limits, source: bytes, calls: bytes, program: Program | None, *, last: bool) -> None:
        self._limits, self._last = limits, last
        self._source = source
        own = {"": source} if program is None else split(source)
        self._texts: dict[tuple[Place, str], list[str]] = {("code", path): _lines_of(text) for path, text in own.items()}
        self._texts["scratch", ""] = _lines_of(calls)
        self._program: bytes | Program = source if program is None else program
        self._paths, self._calls = ([] if program is None else list(own)), calls

    def run(self, box: AnySandbox) -> ScratchAnswer:
        begun = time.perf_counter()
        output, cut = bytearray(), False
        with box.session(self._limits) as session:
            try:
                answer = self._answer(session, output)
            except JobEnded as ended:
                if isinstance(ended, JobKilled) and not self._last:
                    raise
                answer = self._ended(ended)
            room = self._limits.output_kept - len(output)
            more = session.take_output()
            output += more[:room]
            cut = session.output_cut or len(more) > room
        return msgspec.structs.replace(
            answer, output=neutralise_output(bytes(output)), output_cut=cut, seconds=time.perf_counter() - begun
        )

    def _answer(self, session: Session, output: bytearray) -> ScratchAnswer:
        loaded = session.load(self._program, SEED)
        if isinstance(loaded, Raised):
            return self._raised_while_loading(loaded)
        output += session.take_output()
        given = [self._calls, VALUE_LIMIT, MAX_LINES, NAME_LIMIT, MESSAGE_LIMIT, self._paths]
        reply = session.ask("probe", run_calls.name, given, source=run_calls.source)
        return self._read(reply)

    def _read(self, reply: Answer | Raised) -> ScratchAnswer:
        if isinstance(reply, Raised):  # raised outside the calls, whose exceptions are part of an answer
            return ScratchAnswer("protocol", message=_UNREADABLE)
        try:
            claimed = msgspec.convert(reply.value, Claimed)
        except msgspec.ValidationError:
            return ScratchAnswer("protocol", message=_UNREADABLE)
        if not claimed.exception:
            value = None if claimed.value is None else neutralise(claimed.value, VALUE_LIMIT)
            return ScratchAnswer(value=value, value_cut=claimed.cut)
        lines = self._known(claimed.lines)
        said = _said(claimed.exception, claimed.message)
        if claimed.starved:
            return ScratchAnswer("memory", "scratch", self._starved(said), lines)
        return ScratchAnswer("source" if claimed.unreadable else "exception", "scratch", said, lines)

    def _raised_while_loading(self, raised: Raised) -> ScratchAnswer:
        said, lines = _said(raised.type_name, raised.message), self._of_code(raised.lines)
        if raised.stage == "compile":
            return ScratchAnswer("source", "code", said, lines)
        if raised.out_of_memory:
            return ScratchAnswer("memory", "code", self._starved(said), lines)
        return ScratchAnswer("exception", "code", said, lines)

    def _starved(self, said: str) -> str:
        return f"This exercise allows {self._limits.memory_bytes >> 20:,} MiB of memory. Python reported: {said}"

    def _ended(self, ended: JobEnded) -> ScratchAnswer:
        limits = self._limits
        words = {
            "timeout-wall": f"Your code and your calls were stopped: {ending(ended)}.",
            "timeout-cpu": f"Your code and your calls used more than {limits.cpu_seconds} seconds of CPU time.",
            "memory": "The machine ran out of memory and stopped your code. Try smaller inputs.",
            "output": f"Your code and your calls printed more than {megabytes(limits.output_bytes)} MB. Print less.",
            "crash": f"The process ended before the last call returned: {ending(ended)}.",
            "protocol": _UNREADABLE,
        }
        return ScratchAnswer(msgspec.convert(ended.reason, Reason), None, words[ended.reason], self._of_code(ended.stack))

    def _of_code(self, lines: Sequence[Line]) -> tuple[ScratchLine, ...]:
        return self._known(("code", line.file, line.number, line.function) for line in lines)

    def _known(self, claimed: Iterable[tuple[Place, str, int, str]]) -> tuple[ScratchLine, ...]:
        """Return the lines that exist in the texts, outermost first. Repeated lines of a recursion appear once."""
        lines: list[ScratchLine] = []
        for place, file, number, function in claimed:
            texts = self._texts.get((place, file), [])
            if 0 < number <= len(texts):
                named = function if len(function) <= 64 and _FUNCTION.fullmatch(function) else ""
                text = neutralise(texts[number - 1].strip()[:MAX_TEXT])
                line = ScratchLine(place, number, named, text, file, line_of(self._source, file, number) if file else 0)
                if not lines or lines[-1] != line:
                    lines.append(line)
        return tuple(lines[-MAX_LINES:])


def _said(exception: Any, message: str) -> str:
    return neutralise(f"{exception}: {message}" if message else exception)


def _lines_of(text: bytes) -> list[str]:
    return _LINE_END.split(text.decode("utf-8", "replace"))
