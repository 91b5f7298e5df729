"""The student's submission as a check sees it: something that can be asked, and whose answers are only numbers."""

from typing import Any, TypeVar

import msgspec

from autograder.judge.arrays import to_wire
from autograder.judge.probes import Probe
from sandbox.session import Session
from sandbox.wire import Answer, Raised

Answered = TypeVar("Answered")


class BadAnswer(Exception):
    """An answer of a shape that the submission could only have made up."""


class StudentRaised(Exception):
    """The student's code raised while it was asked."""

    def __init__(self, raised: Raised) -> None:
        super().__init__(f"{raised.type_name}: {raised.message}")
        self.raised = raised


class Student:
    """Offers calls of entry points, probes and the guest's operations. One per session; checks share it.

    `seconds` is the longest that a single answer may take; None leaves it to the whole session.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self.seconds: float | None = None
        self.questions = 0

    def call(self, name: str, *args: Any, **options: Any) -> Any:
        """Call an entry point with data; its answer as data (`wire.Array` for arrays and tensors).

        As with `run` and `operate`, the check fails if an array or tensor that was handed over comes back changed."""
        return self._ask_and_compare("call", name, args, options).value

    def call_and_see(self, name: str, *args: Any, **options: Any) -> tuple[Any, list[Any]]:
        """Call an entry point; its answer, and its arguments as they are afterwards, which the check has to compare."""
        answer = self._ask("call", name, args, options, want_inputs=True)
        return answer.value, answer.inputs or []

    def run(self, probe: Probe, *args: Any, returns: type[Answered] = Any, **options: Any) -> Answered:  # type: ignore[assignment]
        """Run a probe beside the student's code. An answer that is not what `returns` says fails the check.

        `returns` is a type that msgspec can convert to: `list[float]`, `dict[str, Any]`, a Struct with the probe's keys.
        A submission can make a probe answer anything; what is not looked at here must be looked at by the check.
        """
        answer = self._ask_and_compare("probe", probe.name, args, options, probe.source).value
        try:
            return msgspec.convert(answer, returns)
        except msgspec.ValidationError as error:
            raise BadAnswer(f"What {probe.name} found beside your code cannot be read: {error}.") from error

    def operate(self, operation: str, *args: Any, **options: Any) -> Any:
        """Ask for one of the guest's operations: programs, derivatives, graphs, memory."""
        return self._ask_and_compare("op", operation, args, options).value

    def _ask_and_compare(
        self, what: str, name: str, args: tuple[Any, ...], options: dict[str, Any], source: str = ""
    ) -> Answer:
        """Ask, and fail the check if an array among the arguments was changed."""
        answer = self._ask(what, name, args, options, source)
        if answer.inputs is not None:
            from autograder.judge.checks.memory import compare_returned  # the check library is made of students

            compare_returned(what, name, args, options, answer.inputs)
        return answer

    def _ask(
        self,
        what: str,
        name: str,
        args: tuple[Any, ...],
        options: dict[str, Any],
        source: str = "",
        want_inputs: bool = False,
    ) -> Answer:
        self.questions += 1
        reply = self._session.ask(
            what,
            name,
            [to_wire(arg) for arg in args],
            options={key: to_wire(value) for key, value in options.items()},
            source=source,
            want_inputs=want_inputs,
            seconds=self.seconds,
        )
        if isinstance(reply, Raised):
            raise StudentRaised(reply)
        return reply
