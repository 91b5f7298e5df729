"""Checks that a call returned the arrays and tensors among its arguments as they were sent."""

from collections.abc import Iterator
from typing import Any

from autograder.judge.arrays import to_wire
from autograder.judge.checks.compare import fail
from sandbox.wire import Array


def is_unchanged(value: Any, left: Any) -> bool:
    """Whether an argument was returned with the shape, dtype and bytes that were sent."""
    sent = to_wire(value)
    if not isinstance(left, Array):
        return False
    return (left.shape, left.dtype, bytes(left.data)) == (sent.shape, sent.dtype, bytes(sent.data))


def compare_arguments(what: str, name: str, args: tuple[Any, ...], options: dict[str, Any], left: list[Any]) -> None:
    """Expects every array and tensor of a question to be returned unchanged; options come last.

    `what` is the kind of question: `call`, `probe` or `op`. `name` is what was called."""
    for path, sent, returned in _handed_over([*args, *options.values()], left, ()):
        if not is_unchanged(sent, returned):
            who = {"call": name, "op": str(options.get("name", "Your code"))}.get(what, "Your code")
            role = _role(name, path) or ("a tensor" if to_wire(sent).kind == "torch" else "an array")
            argument = f"the {role.partition(' ')[2]} after the call"
            raise fail(f"{who} modified {role} that it received.", argument, expected=sent, given=returned)


def _handed_over(sent: Any, left: Any, path: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], Any, Any]]:
    """For every array of a question, its path, the value sent and the value returned. The question limits the depth."""
    if isinstance(sent, list | tuple | dict):
        items = list(sent.values()) if isinstance(sent, dict) else list(sent)
        returned = list(left.values()) if isinstance(left, dict) else left if isinstance(left, list | tuple) else []
        for place, item in enumerate(items):
            yield from _handed_over(item, returned[place] if place < len(returned) else None, (*path, place))
    elif isinstance(sent, Array) or hasattr(sent, "dtype"):
        yield path, sent, left


# the parts of each point of a derivative: inputs, upstream gradients, and the upstream gradients of the gradients
_PARTS = ("an input", "an upstream gradient", "an upstream gradient")


def _role(name: str, path: tuple[int, ...]) -> str:
    if name in ("function.vjp", "function.second_vjp", "function.backward") and len(path) > 2:
        return _PARTS[path[2]]
    return "an input" if name.startswith("function.") else ""
