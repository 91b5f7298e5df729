"""A submission in this very process, without any sandbox: for our own files only.

A zygote of examiners warms up with it, and the cost of isolation is measured against it.
"""

import resource
import types
from typing import Any

from sandbox.guest import warmup
from sandbox.guest.runner import Runner
from sandbox.guest.values import Values
from sandbox.wire import (
    Answer,
    Ask,
    Call,
    Callback,
    Load,
    Loaded,
    Opaque,
    Progress,
    Raised,
    Returned,
    _Bytes,
    _Callback,
    _Integer,
    _List,
    _Map,
    _Opaque,
    _Tuple,
)


class InProcess:
    """A session that answers as the guest does, by calling it: no process, no frames, no limits, no output."""

    closed = output_cut = False

    def __init__(self, profile: str) -> None:
        channel = types.SimpleNamespace(send=self._keep, receive=lambda: self._reply)
        self._runner = Runner(channel, Values(profile), warmup.operations(profile))  # type: ignore[arg-type]
        self._called: Any = None
        self._reply: Any = None

    def _keep(self, frame: Any) -> None:
        if isinstance(frame, Call):
            returned = self._called(Call(frame.number, opened(frame.args)))
            frame = Returned(opened(returned.value), opened(returned.inputs), returned.type_name, returned.message)
        self._reply = frame

    def load(
        self, source: bytes, seed: int = 0, entry_points: tuple[str, ...] = (), cpu_seconds: float = 0.0
    ) -> Loaded | Raised:
        return self._runner._load(Load(source, seed, 1 << 30, list(entry_points)))

    def ask(self, what: str, name: str, args: list[Any], **options: Any) -> Answer | Raised:
        given, self._called = options["options"], options["called"]
        question = Ask(1, what, name, opened(args), opened(given), options["source"], options["want_inputs"])
        reply = self._runner._answer(question)
        if isinstance(reply, Answer):
            reply.value, reply.inputs = opened(reply.value), opened(reply.inputs)
        return reply

    def allow(self, cpu_seconds: float) -> None:
        pass

    def progress(self) -> Progress:
        used = resource.getrusage(resource.RUSAGE_SELF)
        return Progress(0, 0, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024, False)

    def take_output(self) -> bytes:
        return b""

    def close(self) -> None:
        pass


def opened(value: Any) -> Any:
    """What `seal` has made ready for the wire, as it is on the other side."""
    if isinstance(value, list | _List):
        return [opened(item) for item in (value.items if isinstance(value, _List) else value)]
    if isinstance(value, dict | _Map):
        return {name: opened(item) for name, item in (value.items if isinstance(value, _Map) else value).items()}
    if isinstance(value, _Tuple):
        return tuple(opened(item) for item in value.items)
    if isinstance(value, _Bytes):
        return value.data
    if isinstance(value, _Integer):
        return int.from_bytes(value.digits, "big", signed=True)
    if isinstance(value, _Callback):
        return Callback(value.number)
    return Opaque(value.type_name) if isinstance(value, _Opaque) else value
