"""A student that records every question and answer, for the diagnosis and the linter."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from autograder.judge.checks.compare import CheckFailed
from autograder.judge.checks.student import Student, StudentRaised
from sandbox.errors import JobEnded
from sandbox.session import Session
from sandbox.wire import HEADER_LIMIT, Answer, Array, Raised

MAX_ANSWER_BYTES = HEADER_LIMIT  # no exercise needs a longer answer; a placeholder replaces it
TOO_LONG = "an array that is too long to be kept"  # a string, so that no generator takes it for a gradient or for None
MAX_TRANSCRIPT_BYTES = 16 << 20  # for all answers, seven times what any exercise needs; recording then stops


@dataclass(frozen=True)
class Exchange:
    """One question and its reply. `what` is `call`, `probe` or `op`."""

    what: str
    name: str
    args: tuple[Any, ...]
    options: dict[str, Any]
    value: Any = None
    inputs: list[Any] | None = None
    raised: Raised | None = None

    @property
    def question(self) -> tuple[str, str]:
        return self.what, self.name


class Recorder(Student):
    """A student that records its exchanges. Answers are read as the exercise declares; answers that are too long are
    replaced by a placeholder."""

    def __init__(self, session: Session, readings: Mapping[str, Callable[..., Any]] | None = None) -> None:
        super().__init__(session)
        self._readings = readings or {}
        self._exchanges: list[Exchange] = []
        self._kept_bytes = 0

    def take(self) -> tuple[Exchange, ...]:
        taken = tuple(self._exchanges)
        self._exchanges.clear()
        return taken

    def _ask(self, what: str, name: str, args: tuple[Any, ...], options: dict[str, Any], **how: Any) -> Answer:
        before = self._session.answered
        try:
            reply = super()._ask(what, name, args, options, **how)
        except StudentRaised as raised:
            self._exchanges.append(Exchange(what, name, args, options, raised=raised.raised))
            raise
        size = self._session.answered - before
        if size > MAX_ANSWER_BYTES and isinstance(reply.value, Array):
            self._exchanges.append(Exchange(what, name, args, options, TOO_LONG))
            return reply
        self._kept_bytes += size
        if self._kept_bytes > MAX_TRANSCRIPT_BYTES:
            raise JobEnded("output", "answers", MAX_TRANSCRIPT_BYTES)
        self._exchanges.append(Exchange(what, name, args, options, self._read(name, reply.value, args), reply.inputs))
        return reply

    def _read(self, name: str, value: Any, args: tuple[Any, ...]) -> Any:
        if name not in self._readings:
            return value
        try:
            return self._readings[name](value, *args)
        except (
            CheckFailed,
            LookupError,
            TypeError,
            ValueError,
            AttributeError,
        ):  # an answer of another form is kept as it is
            return value
