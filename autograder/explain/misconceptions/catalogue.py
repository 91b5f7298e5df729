"""Looks up the title and text of a misconception, including those that an exercise's author overrides."""

from collections.abc import Mapping

from autograder.explain.misconceptions import accumulation, arrays, autograd, chain_rule, functions, programs, traversal
from autograder.explain.misconceptions.model import Misconception
from autograder.judge.pack import Reworded

SUBJECTS = (chain_rule, accumulation, traversal, arrays, autograd, functions, programs)
OTHER_NAMES = {  # aliases that exercises use for the same mistake
    "drops-upstream": "missing-upstream",
    "exponent-not-lowered": "wrong-exponent",
    "flipped-sign": "wrong-sign",
    "missing-seed": "no-seed",
    "missing-term": "missing-product-term",
    "once-differentiable": "no-second-order",
    "overwrites": "overwrites-instead-of-accumulating",
    "pre-order": "wrong-traversal",
    "reverses-order": "operands-swapped",
    "saves-a-copy": "saved-intermediate",
    "sign": "wrong-sign",
    "swapped-locals": "operands-swapped",
}
ONE_OPERATION = "operation-"  # key prefix: only the operation with the mistake is known
OPERATIONS = {
    "+": "addition",
    "-": "subtraction",
    "*": "multiplication",
    "/": "division",
    "**": "exponentiation",
    "neg": "negation",
}
UNTITLED = "Known mistake"  # for a stored grading whose key is no longer in the catalogue
AT_THE_LIMIT = "Your code exceeds the same limit as a known wrong solution with this mistake."

CATALOGUE: Mapping[str, Misconception] = {
    key: misconception for subject in SUBJECTS for key, misconception in subject.MISCONCEPTIONS.items()
}


def find(key: str) -> Misconception | None:
    """The catalogue's entry for a key; None if only an exercise defines the key."""
    if key.startswith(ONE_OPERATION):
        return _one_operation(key.removeprefix(ONE_OPERATION))
    return CATALOGUE.get(OTHER_NAMES.get(key, key))


def title_of(key: str) -> str:
    found = find(key)
    return found.title if found else UNTITLED


def described(key: str, messages: Mapping[str, str | Reworded], *, limited: bool = False) -> Misconception:
    """Title and text as students read them: the author's where given, otherwise the catalogue's.

    `limited`: the claim is based on the limit that the code exceeded, not on numbers."""
    found, own = find(key), _reworded(key, messages)
    text = own.text
    if not text and found is not None:
        text = f"{AT_THE_LIMIT} {found.text}" if limited else found.text
    return Misconception(own.title or (found.title if found else UNTITLED), text)


def lacking(key: str, messages: Mapping[str, str | Reworded]) -> list[str]:
    """The fields that neither the author nor the catalogue provides for a key."""
    own = _reworded(key, messages)
    return [] if find(key) else [name for name in ("title", "text") if not getattr(own, name).strip()]


def _reworded(key: str, messages: Mapping[str, str | Reworded]) -> Reworded:
    """A plain string replaces the text only."""
    own = messages.get(key, "")
    return own if isinstance(own, Reworded) else Reworded(text=own)


def _one_operation(name: str) -> Misconception:
    operation = OPERATIONS.get(name, name)
    return Misconception(
        f"Mistake in one operation: {operation}",
        f"Every program that uses {operation} gives wrong results, and every program without it gives right ones. Check the "
        f"value that {operation} computes and the gradients that it propagates to its operands.",
    )
