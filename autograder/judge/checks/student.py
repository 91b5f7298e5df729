"""The interface through which a check calls a student's submission."""

from typing import Any, TypeVar

import msgspec

from autograder.judge.arrays import to_wire
from autograder.judge.checks.arguments import compare_arguments
from autograder.judge.checks.callbacks import Callback, raising
from autograder.judge.probes import Probe
from sandbox.session import Session
from sandbox.wire import Answer, Call, Raised, Returned
from sandbox.wire import Callback as Lent

Answered = TypeVar("Answered")


class BadAnswer(Exception):
    """Raised for an invalid answer, which only a forging submission can give."""


class StudentRaised(Exception):
    """Raised when the student's code raises an exception."""

    def __init__(self, raised: Raised) -> None:
        super().__init__(f"{raised.type_name}: {raised.message}")
        self.raised = raised


class Student:
    """Calls entry points, probes and guest operations. All checks of a session share one instance.

    `seconds` limits the time for a single answer; None means that only the limit of the session applies.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._callbacks: list[Callback] = []  # of all questions: like other functions, they can be called later
        self.seconds: float | None = None
        self.questions = 0

    def call(self, name: str, *args: Any, **options: Any) -> Any:
        """Calls an entry point and returns its answer, with arrays and tensors as `wire.Array`.

        As with `run` and `operate`, the check fails if the call modified an array or tensor among the arguments."""
        return self._ask_and_compare("call", name, args, options).value

    def call_and_see(self, name: str, *args: Any, **options: Any) -> tuple[Any, list[Any]]:
        """Calls an entry point and returns its answer and the arguments after the call, which the check must compare."""
        answer = self._answered("call", name, args, options, want_inputs=True)
        return answer.value, answer.inputs or []

    def run(self, probe: Probe, *args: Any, returns: type[Answered] = Any, **options: Any) -> Answered:  # type: ignore[assignment]
        """Runs a probe in the process of the student's code. An answer that is not of type `returns` fails the check.

        `returns` is a type that msgspec can convert to: `list[float]`, `dict[str, Any]`, a Struct with the probe's keys.
        A submission can forge the answer of a probe, so the check must validate everything that the type does not.
        """
        answer = self._ask_and_compare("probe", probe.name, args, options, probe.source).value
        try:
            return msgspec.convert(answer, returns)
        except msgspec.ValidationError as error:
            raise BadAnswer(f"The probe {probe.name} returned an invalid result from your code: {error}.") from error

    def run_and_see(self, probe: Probe, *args: Any) -> tuple[Any, list[Any]]:
        """Runs a probe and returns its answer, of any type, and the arguments after the call if one was modified."""
        answer = self._answered("probe", probe.name, args, {}, source=probe.source)
        return answer.value, answer.inputs or []

    def operate(self, operation: str, *args: Any, **options: Any) -> Any:
        """Runs one of the guest's operations on programs, derivatives, graphs or memory."""
        return self._ask_and_compare("op", operation, args, options).value

    def cpu_seconds(self) -> float:
        """The CPU time of the submission so far, as the kernel counts it. To be compared before and after a question, or from
        one callback to the next."""
        return self._session.progress().cpu_seconds

    def resident_bytes(self) -> int:
        """The memory of the submission's process now, as the kernel counts it."""
        return self._session.progress().resident_bytes

    def _ask_and_compare(
        self, what: str, name: str, args: tuple[Any, ...], options: dict[str, Any], source: str = ""
    ) -> Answer:
        """Asks a question and fails the check if an array among the arguments was modified."""
        answer = self._answered(what, name, args, options, source=source)
        if answer.inputs is not None:
            compare_arguments(what, name, args, options, answer.inputs)
        return answer

    def _answered(self, what: str, name: str, args: tuple[Any, ...], options: dict[str, Any], **how: Any) -> Answer:
        """Asks a question and fails the check if one of its callbacks said so."""
        try:
            answer = self._ask(what, name, args, options, **how)
        except StudentRaised:
            self._expect_calls()
            raise
        self._expect_calls()
        return answer

    def _expect_calls(self) -> None:
        for callback in self._callbacks:
            if callback.failed is not None:
                failed, callback.failed = callback.failed, None
                raise failed

    def _ask(
        self,
        what: str,
        name: str,
        args: tuple[Any, ...],
        options: dict[str, Any],
        *,
        source: str = "",
        want_inputs: bool = False,
    ) -> Answer:
        self.questions += 1
        reply = self._session.ask(
            what,
            name,
            [to_wire(arg, self._lend) for arg in args],
            options={key: to_wire(value, self._lend) for key, value in options.items()},
            source=source,
            want_inputs=want_inputs,
            seconds=self.seconds,
            called=self._called,
        )
        if isinstance(reply, Raised):
            raise StudentRaised(reply)
        return reply

    def _lend(self, value: Any) -> Lent:
        if not isinstance(value, Callback):
            raise TypeError(f"a {type(value).__name__} cannot be sent to a submission")
        if value not in self._callbacks:
            self._callbacks.append(value)
        return Lent(self._callbacks.index(value))

    def _called(self, call: Call) -> Returned:
        if not 0 <= call.number < len(self._callbacks):
            return raising(RuntimeError("there is no such function"))
        return self._callbacks[call.number].answer(call)
