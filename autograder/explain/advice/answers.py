"""Explains answers that cannot be compared: None, or a wrong type, number of entries, shape or dtype."""

from autograder.explain.advice.model import Advice
from autograder.judge.report import Detail, Shown

ARRAYS = ("tensor", "array")
SEQUENCES = ("list", "tuple")
NUMBERS = (*ARRAYS, *SEQUENCES, "int", "float", "bool")

MISMATCHES = {
    advice.key: advice
    for advice in (
        Advice(
            "nothing-returned",
            "The answer is None",
            "A function without a return statement returns None. A .grad is None until a backward pass computes it. "
            "Check that every path through the function ends in a return statement.",
            ("nothing-returned", "what to write"),
        ),
        Advice(
            "partly-none",
            "Part of the answer is None",
            "Some entries were never set. None means “no gradient”, which is not the same as zero. Check where each "
            "entry of the answer is computed.",
            ("partly-none", "what to write", "rules"),
        ),
        Advice(
            "wrong-type",
            "The answer has the wrong type",
            "The numbers were not compared because the answer does not have the type that the task asks for. Convert "
            "it before you return it, or return the object itself instead of a container.",
            ("wrong-type", "what to write", "rules"),
        ),
        Advice(
            "wrong-count",
            "The answer has the wrong number of entries",
            "The numbers were not compared. Return exactly the entries that the task asks for, in the same order.",
            ("wrong-count", "what to write", "rules"),
        ),
        Advice(
            "wrong-shape-of-answer",
            "The answer has the wrong shape",
            "The numbers were not compared. A gradient has the same shape as its input: sum over the axes that were "
            "broadcast and keep the others.",
            ("wrong-shape-of-answer", "rules"),
        ),
        Advice(
            "wrong-dtype-of-answer",
            "The answer has the wrong dtype",
            "The numbers were not compared. Keep the dtype of the input: create new arrays and tensors from existing "
            "ones, and avoid operations that change the dtype.",
            ("wrong-dtype-of-answer", "rules"),
        ),
    )
}


def compared_numbers(detail: Detail | None) -> bool:
    """Whether the evidence compares numbers with numbers."""
    sides = _sides(detail)
    return sides is not None and not mismatch_of(detail) and all(_numeric(side) for side in sides)


def mismatch_of(detail: Detail | None) -> str:
    """The key of the mismatch that prevents a comparison; empty if there is none."""
    sides = _sides(detail)
    if detail is None or sides is None or detail.differing:  # entries were compared: the check accepts both types
        return ""
    expected, given = sides
    if given.kind == "NoneType":
        return "nothing-returned" if expected.kind != "NoneType" else ""
    if not _numeric(expected):
        return ""
    if not _same_type(expected.kind, given.kind):
        return "wrong-type"
    if expected.shape != given.shape and expected.shape is not None and given.shape is not None:
        return "wrong-shape-of-answer" if given.kind in ARRAYS else "wrong-count"
    if expected.dtype != given.dtype:
        return "wrong-dtype-of-answer"
    return "partly-none" if "none" in given.values and "none" not in expected.values else ""


def _sides(detail: Detail | None) -> tuple[Shown, Shown] | None:
    if detail is None or detail.expected is None or detail.given is None:
        return None
    return detail.expected, detail.given


def _numeric(shown: Shown) -> bool:
    """A nested list is shown as text and has no shape."""
    return shown.kind in NUMBERS and (shown.kind not in SEQUENCES or shown.shape is not None)


def _same_type(expected: str, given: str) -> bool:
    """Numeric types are interchangeable, and so are lists and tuples: the check itself decides about those."""
    plain = ("int", "float", "bool")
    return expected == given or (expected in plain and given in plain) or (expected in SEQUENCES and given in SEQUENCES)
