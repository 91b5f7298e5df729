"""Wrong answers that are not wrong numbers: nothing, another type, another count, shape or dtype."""

from autograder.judge.advice.model import Advice
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
            "A function without a return gives None, and so does a .grad that no backward pass has filled. Check that every way "
            "through the function ends in return.",
            ("nothing-returned", "what to write"),
        ),
        Advice(
            "partly-none",
            "Part of the answer is None",
            "Some entries were never set. None stands for “no gradient”, which is not the same as zero.",
            ("partly-none", "what to write", "rules"),
        ),
        Advice(
            "wrong-type",
            "The answer has another type",
            "The numbers were not compared, because the answer is not the kind of object that the task asks for. Convert it before "
            "you return it, or return the object itself instead of something that holds it.",
            ("wrong-type", "what to write", "rules"),
        ),
        Advice(
            "wrong-count",
            "The answer has too many or too few entries",
            "The numbers were not compared. Return one entry for each that the task asks for, in its order.",
            ("wrong-count", "what to write", "rules"),
        ),
        Advice(
            "wrong-shape-of-answer",
            "The answer has another shape",
            "The numbers were not compared. A gradient has the shape of what it belongs to: sum over the axes that were copied, and "
            "keep those that were not.",
            ("wrong-shape-of-answer", "rules"),
        ),
        Advice(
            "wrong-dtype-of-answer",
            "The answer has another dtype",
            "The numbers were not compared. Keep the dtype of the input: make new arrays and tensors like an existing one, and "
            "divide only where floats are wanted.",
            ("wrong-dtype-of-answer", "rules"),
        ),
    )
}  # fmt: skip


def compared_numbers(detail: Detail | None) -> bool:
    """Whether the evidence sets numbers beside numbers."""
    sides = _sides(detail)
    return sides is not None and not mismatch_of(detail) and all(_numeric(side) for side in sides)


def mismatch_of(detail: Detail | None) -> str:
    """The key of what keeps the two sides from being compared; empty if nothing does."""
    sides = _sides(detail)
    if sides is None:
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
    """A list that nests is shown as a text, and has no shape."""
    return shown.kind in NUMBERS and (shown.kind not in SEQUENCES or shown.shape is not None)


def _same_type(expected: str, given: str) -> bool:
    """Python compares 1, 1.0 and True, and a list beside a tuple is a matter of the check that looked at it."""
    plain = ("int", "float", "bool")
    return expected == given or (expected in plain and given in plain) or (expected in SEQUENCES and given in SEQUENCES)
