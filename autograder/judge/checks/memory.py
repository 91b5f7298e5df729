"""What a Function keeps for its backward pass, in-place edits, and calls that must fail."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from autograder.judge.arrays import to_wire
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
    """Whether an argument came back with the shape, the type and the very bytes that were sent."""
    sent = to_wire(value)
    if not isinstance(left, Array):
        return False
    return (left.shape, left.dtype, bytes(left.data)) == (sent.shape, sent.dtype, bytes(sent.data))


def expect_unchanged(before: dict[str, Any], after: list[Any], name: str) -> None:
    """Arguments as they were sent, against arguments as they came back."""
    for (label, value), left in zip(before.items(), after, strict=False):
        if not is_unchanged(value, left):
            raise fail(f"{name} changed its argument {label}.", "arguments unchanged", before, expected=value, given=left)


def compare_returned(what: str, name: str, args: tuple[Any, ...], options: dict[str, Any], left: list[Any]) -> None:
    """Every array and tensor of a question as it was sent, against what came back, options last. `what` and `name` say which
    question it was: `call`, `probe` or `op`."""
    for path, sent, returned in _handed_over([*args, *options.values()], left, ()):
        if not is_unchanged(sent, returned):
            who = {"call": name, "op": str(options.get("name", "Your code"))}.get(what, "Your code")
            role = _role(name, path) or ("a tensor" if to_wire(sent).kind == "torch" else "an array")
            raise fail(f"{who} changed {role} that it was given.", "arguments unchanged", expected=sent, given=returned)


def _handed_over(sent: Any, left: Any, path: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], Any, Any]]:
    """The arrays of a question, where they stand in it, and what came back from there. The question bounds the depth."""
    if isinstance(sent, list | tuple | dict):
        items = list(sent.values()) if isinstance(sent, dict) else list(sent)
        returned = list(left.values()) if isinstance(left, dict) else left if isinstance(left, list | tuple) else []
        for place, item in enumerate(items):
            yield from _handed_over(item, returned[place] if place < len(returned) else None, (*path, place))
    elif isinstance(sent, Array) or hasattr(sent, "dtype"):
        yield path, sent, left


# what a derivative is asked with: in each point of its first argument, inputs, upstream gradients, upstream of these
_PARTS = ("an input", "an upstream gradient", "an upstream gradient")


def _role(name: str, path: tuple[int, ...]) -> str:
    if name in ("function.vjp", "function.second_vjp", "function.backward") and len(path) > 2:
        return _PARTS[path[2]]
    return "an input" if name.startswith("function.") else ""
