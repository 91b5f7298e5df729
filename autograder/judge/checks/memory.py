"""What a Function keeps for its backward pass, in-place edits, and calls that must fail."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from autograder.judge.arrays import to_numpy
from autograder.judge.checks.compare import fail
from autograder.judge.student import StudentRaised
from sandbox.wire import Array

if TYPE_CHECKING:
    from autograder.judge.student import Student


def expect_saved(student: "Student", name: str, *args: Any, at_most: int, of: tuple[str, ...] = ()) -> None:
    """The tensors saved for backward take at most so many bytes and, if given, belong to these storages
    (`input 0`, `output 0`, `other`); the result is freed as soon as nobody holds it.

    The list is made beside the student's code and can be forged: give it little weight, and a behavioural check beside it.
    """
    answer = student.operate("memory.saved", *args, name=name)
    saved = answer.get("saved") if isinstance(answer, dict) else None
    if not isinstance(saved, list) or not all(isinstance(s, dict) and isinstance(s.get("bytes"), int) for s in saved):
        raise fail(f"What {name} saves could not be read.")
    total = sum(item["bytes"] for item in saved)
    if total > at_most:
        message = f"{name} keeps {total} bytes for its backward pass; {at_most} are enough."
        raise fail(message, "saved for backward", expected=at_most, given=total)
    strangers = [item for item in saved if of and item.get("of") not in of]
    if strangers:
        message = f"{name} saves a tensor that is neither its input nor its output."
        raise fail(message, "saved for backward", expected=", ".join(of), given=str(strangers[0].get("of"))[:64])
    if answer.get("alive"):
        message = f"The result of {name} stays alive when nobody holds it: a reference cycle keeps the whole graph."
        raise fail(message, "freed at once")


def expect_error(question: Callable[[], Any], type_names: tuple[str, ...], what: str) -> None:
    """The call must raise one of these. An answer, or another exception, fails."""
    wanted = " or ".join(type_names)
    try:
        answer = question()
    except StudentRaised as raised:
        if raised.raised.type_name in type_names:
            return
        raise fail(f"{what} should raise {wanted}, but raised {raised}.", what) from raised
    raise fail(f"{what} should raise {wanted}, but did not.", what, given=answer)


def is_unchanged(value: Any, left: Any) -> bool:
    """Whether an argument came back with the shape and the very bytes that were sent."""
    numbers = to_numpy(value)
    return isinstance(left, Array) and left.shape == numbers.shape and to_numpy(left).tobytes() == numbers.tobytes()


def expect_unchanged(before: dict[str, Any], after: list[Any], name: str) -> None:
    """Arguments as they were sent, against arguments as they came back."""
    for (label, value), left in zip(before.items(), after, strict=False):
        if not is_unchanged(value, left):
            raise fail(f"{name} changed its argument {label}.", "arguments unchanged", before, expected=value, given=left)
