"""Functions that a check passes to the student's code and that stay in the judge.

Calling one sends the arguments to the judge and waits for the result. So nobody can read or rewrite what the function knows, and
its calls are counted where a submission cannot reach.
"""

import builtins
import math
from collections.abc import Callable, Iterator
from typing import Any

from autograder.judge.arrays import to_numpy, to_torch, to_wire
from autograder.judge.checks.compare import CheckFailed
from sandbox.errors import JobEnded, OutOfTime, SandboxError
from sandbox.wire import Array, Call, Opaque, Returned

MOST_CALLS = 10_000
MOST_ENTRIES = 1 << 20  # of all arrays in one call
MOST_CHARACTERS = 2_000  # of the message of an exception


class Callback:
    """A function for the student's code that runs in the judge, on copies of the arguments.

    Its arguments are plain data, NumPy arrays and tensors without their graph, in whatever number and shape the submission
    chooses, and it may be called in later questions, too. An exception that it raises is raised in the student's code, under
    the name of the nearest built-in one; `CheckFailed` fails the check. With `in_place`, the student's arrays change as the
    function changes its copies.
    """

    def __init__(
        self, name: str, function: Callable[..., Any], *, at_most: int = MOST_CALLS, in_place: bool = False
    ) -> None:
        self.name = name
        self.calls = 0
        self.failed: CheckFailed | None = None  # what ends the check when its question is answered
        self._function, self._at_most, self._in_place = function, at_most, in_place

    def __repr__(self) -> str:
        return self.name

    def answer(self, call: Call) -> Returned:
        """Runs the function for the student's code. Only endings of the submission and of the sandbox are raised."""
        self.calls += 1
        try:
            if self.calls > self._at_most:
                raise CheckFailed(f"Your code called {self.name} more than {self._at_most:,} times.")
            if sum(math.prod(sent.shape) for sent in _arrays(call.args)) > MOST_ENTRIES:
                raise ValueError(f"the arguments of {self.name} are too large")
            args = [self._opened(argument) for argument in call.args]
            before = [_bytes(argument) for argument in args] if self._in_place else None
            value = to_wire(self._function(*args))
            changed = before is not None and before != [_bytes(argument) for argument in args]
            return Returned(value, to_wire(args) if changed else None)
        except CheckFailed as failed:
            self.failed = self.failed or failed
            return raising(failed)
        except (SandboxError, JobEnded, OutOfTime):
            raise
        except Exception as error:
            return raising(error)

    def _opened(self, value: Any) -> Any:
        if isinstance(value, Array):
            return to_torch(value) if value.kind == "torch" else to_numpy(value).copy()
        if isinstance(value, list | tuple):
            return type(value)(map(self._opened, value))
        if isinstance(value, dict):
            return {name: self._opened(item) for name, item in value.items()}
        if isinstance(value, Opaque):
            raise TypeError(f"{self.name} was called with an object of the type {value.type_name}")
        return value


def raising(error: Exception) -> Returned:
    """What a callback returns that raises."""
    kind = next(kind for kind in type(error).__mro__ if getattr(builtins, kind.__name__, None) is kind)
    message = error.args[0] if isinstance(error, KeyError) and error.args else error  # a KeyError quotes its own message
    return Returned(type_name="RuntimeError" if kind is Exception else kind.__name__, message=str(message)[:MOST_CHARACTERS])


def _arrays(value: Any) -> Iterator[Array]:
    if isinstance(value, Array):
        yield value
    elif isinstance(value, list | tuple | dict):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _arrays(item)


def _bytes(value: Any) -> bytes | None:
    return to_numpy(value).tobytes() if hasattr(value, "dtype") else None
