"""Checks which tensors a Function saves, whether arguments are modified, and whether a call raises as it should."""

from collections.abc import Callable
from typing import Any

from autograder.judge.checks.arguments import is_unchanged
from autograder.judge.checks.compare import fail
from autograder.judge.checks.student import Student, StudentRaised


def expect_saved(student: Student, name: str, *args: Any, at_most: int, of: tuple[str, ...] = ()) -> None:
    """Expects the tensors saved for backward to take at most `at_most` bytes and to belong to the storages in `of`
    (`input 0`, `output 0`, `other`), and the result to be freed when its last reference is deleted.

    The list is made in the process of the student's code and can be forged, so give this check little weight and add a
    behavioural one.
    """
    answer = student.operate("memory.saved", *args, name=name)
    saved = answer.get("saved") if isinstance(answer, dict) else None
    if not isinstance(saved, list) or not all(isinstance(s, dict) and isinstance(s.get("bytes"), int) for s in saved):
        raise fail(f"The tensors that {name} saves could not be read.")
    total = sum(item["bytes"] for item in saved)
    if total > at_most:
        message = f"{name} saves {total} bytes for its backward pass; {at_most} bytes are enough."
        raise fail(message, "saved for backward", expected=at_most, given=total)
    strangers = [item for item in saved if of and item.get("of") not in of]
    if strangers:
        message = f"{name} saves a tensor that is neither its input nor its output."
        raise fail(message, "saved for backward", expected=", ".join(of), given=str(strangers[0].get("of"))[:64])
    if answer.get("alive"):
        message = f"A reference cycle keeps the graph of {name} in memory after the last reference to its result is deleted."
        raise fail(message, "memory after the last reference is deleted")


def expect_error(question: Callable[[], Any], type_names: tuple[str, ...], what: str) -> None:
    """Expects a call to raise one of these exceptions. An answer or another exception fails."""
    expected_types = " or ".join(type_names)
    try:
        answer = question()
    except StudentRaised as raised:
        if raised.raised.type_name in type_names:
            return
        raise fail(f"{what} should raise {expected_types}, but raised {raised}.", what) from raised
    raise fail(f"{what} should raise {expected_types}, but did not.", what, given=answer)


def expect_unchanged(before: dict[str, Any], after: list[Any], name: str) -> None:
    """Expects the arguments after a call to equal those that were sent."""
    for (label, value), left in zip(before.items(), after, strict=False):
        if not is_unchanged(value, left):
            what = f"the argument {label} after the call"
            raise fail(f"{name} modified its argument {label}.", what, before, expected=value, given=left)
