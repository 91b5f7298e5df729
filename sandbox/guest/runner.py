"""Runs in the forked job: loads the submission, answers questions about it and reports the exceptions it raises.

From the `exec` on, nothing in this process can be trusted. The judge outside treats every answer as a claim.
"""

import builtins
import gc
import os
import random
import socket
import sys
import types
from collections.abc import Callable, Iterable
from typing import Any

from sandbox.guest.modules import run_files
from sandbox.guest.values import Values, describe_type
from sandbox.wire import (
    BODY_LIMIT,
    HEADER_LIMIT,
    LENGTHS,
    NAME_LIMIT,
    Answer,
    Ask,
    Call,
    Codec,
    Frame,
    Line,
    Load,
    Loaded,
    Program,
    Raised,
    Returned,
    WireError,
)

FILE_NAME = "submission.py"
PROBE_FILE = "<probe>"
MESSAGE_LIMIT = 2000
LINES_KEPT = 12
MOST_DESCRIPTORS = 4  # with one frame
OUT_OF_MEMORY = ("DefaultCPUAllocator: ", "std::bad_alloc")  # the wording of torch


class FrameChannel:
    """Blocking transport of frames over a pair of descriptors."""

    def __init__(self, questions: int, answers: int) -> None:
        self._questions, self._answers = questions, answers
        self._codec = Codec()
        self._read, self._write = os.read, os.writev

    def receive(self) -> Frame | None:
        lengths = self._exactly(LENGTHS.size)
        if lengths is None:
            return None
        header_size, body_size = LENGTHS.unpack(lengths)
        if header_size > HEADER_LIMIT or body_size > BODY_LIMIT:
            raise WireError("a frame over the limit")
        data = self._exactly(header_size + body_size)
        if data is None:
            return None
        view = memoryview(data)
        return self._codec.decode(view[:header_size], view[header_size:])

    def send(self, frame: Frame) -> None:
        chunks: list[bytes | memoryview] = [memoryview(chunk) for chunk in self._codec.encode(frame) if len(chunk)]
        while chunks:
            sent = self._write(self._answers, chunks[:64])
            while chunks and sent >= len(chunks[0]):
                sent -= len(chunks.pop(0))
            if chunks and sent:
                chunks[0] = chunks[0][sent:]

    def _exactly(self, size: int) -> bytes | None:
        parts = []
        while size:
            part = self._read(self._questions, min(size, 1 << 20))
            if not part:
                return None
            parts.append(part)
            size -= len(part)
        return b"".join(parts)


class DescriptorChannel(FrameChannel):
    """A channel over a socket, on which descriptors can arrive with a frame."""

    def __init__(self, questions: int, answers: int) -> None:
        super().__init__(questions, answers)
        self._socket = socket.socket(fileno=questions)
        self._descriptors: list[int] = []
        self._read = self._receive

    def take_descriptors(self) -> tuple[int, int, int, int]:
        """The descriptors that came with the last frame."""
        questions, answers, output, stack = self._descriptors
        self._descriptors = []
        return questions, answers, output, stack

    def _receive(self, _: int, size: int) -> bytes:
        data, descriptors, _, _ = socket.recv_fds(self._socket, size, MOST_DESCRIPTORS)
        self._descriptors += descriptors
        return data


Operation = Callable[[types.ModuleType, list[Any], dict[str, Any]], Any]


class Runner:
    """Handles one submission, from loading its code to the end of the channel."""

    def __init__(self, channel: FrameChannel, values: Values, operations: dict[str, Operation]) -> None:
        self._channel, self._values, self._operations = channel, values, operations
        self._module = types.ModuleType("submission")
        self._files = frozenset((FILE_NAME,))
        self._probes: dict[str, Callable[..., Any]] = {}

    def serve(self, load: Load) -> None:
        """Load the file, then answer questions until the host closes the channel."""
        self._reply(0, self._load(load))
        while True:
            question = self._channel.receive()
            if question is None:
                return
            if not isinstance(question, Ask):
                raise WireError("only questions come after the file")
            reply = self._answer(question)
            flush_output()
            self._reply(question.number, reply)

    def _reply(self, number: int, reply: Loaded | Answer | Raised) -> None:
        try:
            self._channel.send(reply)
        except WireError as error:
            self._channel.send(Raised(number, "ask" if number else "load", "ValueError", f"the answer is {error}"))

    def _load(self, load: Load) -> Loaded | Raised:
        seed_generators(load.seed)
        program = load.source if isinstance(load.source, Program) else None
        sources = load.source.files if isinstance(load.source, Program) else {FILE_NAME: load.source}
        self._files = frozenset(sources)
        try:
            codes = {path: compile(source, path, "exec", dont_inherit=True) for path, source in sources.items()}
        except (SyntaxError, ValueError, MemoryError, RecursionError, OverflowError) as error:
            return self._raised(0, "compile", error)
        try:
            if program is None:
                sys.modules["submission"] = self._module
                self._module.__file__ = FILE_NAME
                exec(codes[FILE_NAME], self._module.__dict__)
            else:
                self._module = sys.modules["submission"] = run_files(codes, program.main)
        except BaseException as error:
            return self._raised(0, "load", error)
        finally:
            flush_output()
        missing = [name for name in load.entry_points if name not in self._module.__dict__]
        names = [name for name in self._module.__dict__ if type(name) is str and not name.startswith("__")]
        return Loaded(missing, [_clean(name, 64) for name in names[:50]])

    def _answer(self, ask: Ask) -> Answer | Raised:
        try:
            sent = [*ask.args, *ask.options.values()]
            args, ask.options = (self._values.from_wire(given, self._callback) for given in (ask.args, ask.options))
            passed = [*args, *ask.options.values()]
            value = self._values.to_wire(self._dispatch(ask, args))
            report = ask.want_inputs or not self._values.unchanged(sent, passed)
            return Answer(ask.number, value, self._values.to_wire(passed) if report else None)
        except BaseException as error:
            return self._raised(ask.number, "ask", error)

    def _dispatch(self, ask: Ask, args: list[Any]) -> Any:
        if ask.what == "op":
            return self._operations[ask.name](self._module, args, ask.options)
        if ask.what == "probe":
            return self._probe(ask)(self._module, *args, **ask.options)
        target: Any = self._module
        for part in ask.name.split("."):
            target = getattr(target, part)
        return target(*args, **ask.options)

    def _callback(self, number: int) -> Callable[..., Any]:
        """A function that runs in the host: it sends its arguments there and waits for what comes back."""

        def callback(*args: Any) -> Any:
            self._channel.send(Call(number, [self._values.to_wire(argument) for argument in args]))
            reply = self._channel.receive()
            if not isinstance(reply, Returned):
                os._exit(1)  # the host is gone, or another thread of the submission has asked in between
            if reply.inputs is not None:
                for argument, after in zip(args, self._values.from_wire(reply.inputs), strict=True):
                    if type(argument) in self._values.writers:
                        self._values.writers[type(argument)](argument, after)
            if reply.type_name:
                raise getattr(builtins, reply.type_name)(reply.message)
            return self._values.from_wire(reply.value)

        return callback

    def _probe(self, ask: Ask) -> Callable[..., Any]:
        probe = self._probes.get(ask.source)
        if probe is None:
            scope: dict[str, Any] = {}
            exec(compile(ask.source, PROBE_FILE, "exec", dont_inherit=True), scope)
            probe = self._probes[ask.source] = scope[ask.name]
        return probe

    def _raised(self, number: int, stage: str, error: BaseException) -> Raised:
        lines = [] if stage == "compile" else list(self._student_lines(error))
        if isinstance(error, SyntaxError) and type(error.lineno) is int and 0 < error.lineno < 1 << 31:
            lines.append(Line(error.lineno, "", self._name_of(error.filename)))
        message = _message(error)
        starved = isinstance(error, MemoryError) or any(words in message for words in OUT_OF_MEMORY)
        return Raised(number, stage, _clean(describe_type(error), NAME_LIMIT), message, lines[-LINES_KEPT:], starved)

    def _student_lines(self, error: BaseException) -> Iterable[Line]:
        trace = error.__traceback__
        while trace is not None:
            code = trace.tb_frame.f_code
            if code.co_filename in self._files:
                yield Line(trace.tb_lineno, _clean(code.co_name, NAME_LIMIT), self._name_of(code.co_filename))
            trace = trace.tb_next

    def _name_of(self, file: Any) -> str:
        return file if type(file) is str and file in self._files and file != FILE_NAME else ""


def _message(error: BaseException) -> str:
    """Return the exception's message. Its `__str__` is the student's: it may raise, or return a megabyte."""
    try:
        text = error.msg if isinstance(error, SyntaxError) and type(error.msg) is str else str(error)
    except BaseException:
        return ""
    return _clean(text, MESSAGE_LIMIT)


def _clean(text: str, limit: int) -> str:
    """Make text encodable by replacing lone surrogates, and truncate it."""
    return text[:limit].encode("utf-8", "backslashreplace").decode("utf-8")


def seed_generators(seed: int) -> None:
    """Seed the random number generators that the student may use, so that a repeated grading gives the same result."""
    random.seed(seed)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(seed & 0xFFFFFFFF)
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(seed)


def flush_output() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:  # noqa: S112 - a submission may replace sys.stdout; it can lose only its own output
            continue


def thaw() -> None:
    """Enable garbage collection, which the zygote turned off after freezing its objects."""
    gc.enable()
