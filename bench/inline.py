"""The same checks without any sandbox: the student's file in this very process. What isolation costs is measured against it.

Also a program: `python -m bench.inline SLUG` grades the solution once in a fresh process, as most graders do.
"""

import sys
import types
from typing import Any

from autograder.judge import pack
from autograder.judge.check_run import inputs_generator
from autograder.judge.checks.student import Student
from autograder.judge.pack import Pack
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
from tests.conftest import EXERCISES


class InlineSession:
    """Answers as the guest does, by calling it: no process, no frames, no limits."""

    def __init__(self, values: Values, known: dict[str, Any]) -> None:
        channel = types.SimpleNamespace(send=self._keep, receive=lambda: self._reply)
        self._runner = Runner(channel, values, known)  # type: ignore[arg-type]
        self._called: Any = None
        self._reply: Any = None

    def _keep(self, frame: Any) -> None:
        if isinstance(frame, Call):
            returned = self._called(Call(frame.number, opened(frame.args)))
            frame = Returned(opened(returned.value), opened(returned.inputs), returned.type_name, returned.message)
        self._reply = frame

    def load(self, source: bytes, seed: int, entry_points: tuple[str, ...]) -> None:
        reply = self._runner._load(Load(source, seed, 1 << 30, list(entry_points)))
        assert isinstance(reply, Loaded), reply

    def ask(self, what: str, name: str, args: list[Any], **options: Any) -> Answer | Raised:
        given, self._called = options["options"], options["called"]
        question = Ask(1, what, name, opened(args), opened(given), options["source"], options["want_inputs"])
        reply = self._runner._answer(question)
        if isinstance(reply, Answer):
            reply.value, reply.inputs = opened(reply.value), opened(reply.inputs)
        return reply


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


class InlineJudge:
    """Grades right submissions in this process; the values cross as bytes, as they do in the sandbox."""

    def __init__(self, exercise: Pack) -> None:
        self._pack = exercise
        profile = exercise.settings.profile
        self._values, self._known = Values(profile), warmup.operations(profile)

    def grade(self, source: bytes, seed: int) -> None:
        session = InlineSession(self._values, self._known)
        session.load(source, seed, self._pack.entry_points)
        student = Student(session)  # type: ignore[arg-type]
        for check in self._pack.checks:
            check.run(student, inputs_generator(check, seed))


def main() -> None:
    exercise = pack.load(pack.find(EXERCISES, sys.argv[1]))
    InlineJudge(exercise).grade(exercise.solution, 1)


if __name__ == "__main__":
    main()
