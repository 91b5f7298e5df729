"""What to try where a hidden check fails, no known mistake explains it, and its input is not shown, by kind of exercise."""

from collections.abc import Mapping

from autograder.judge.report import Ending

ENDED: Mapping[Ending, str] = {
    "failed": "No known mistake explains why this check fails.",
    "raised": "Your code raised an exception in this check.",
}
TRY = {
    "": "Try inputs that the examples do not have: other sizes, zero, and negative values.",
    "engine": "Build expressions that the examples do not have: a value used twice, zero, negative values, and a longer chain.",
    "graph": "Try graphs that the examples do not have: a tensor used twice, one that needs no gradient, and a longer chain.",
    "vjp": "Try inputs that the examples do not have: other shapes and sizes, and an upstream gradient that is not all ones.",
    "function": "Try inputs that the examples do not have: other shapes, one that needs no gradient, and an upstream gradient "
    "that is not all ones.",
}


def of_hidden(ending: Ending, kind: str) -> str:
    return f"{ENDED[ending]} Its input is not shown. {_try(kind)}" if ending in ENDED else ""


def of_several_hidden(kind: str) -> str:
    """The same where it is not shown which of them fail."""
    return f"No known mistake explains the hidden checks that fail. Their inputs are not shown. {_try(kind)}"


def _try(kind: str) -> str:
    return TRY.get(kind, TRY[""])
