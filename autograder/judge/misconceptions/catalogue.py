"""All subjects in one catalogue, and what an exercise's author says instead."""

from collections.abc import Mapping

from autograder.judge.misconceptions import accumulation, arrays, autograd, chain_rule, functions, programs, traversal
from autograder.judge.misconceptions.model import Misconception, Reworded

SUBJECTS = (chain_rule, accumulation, traversal, arrays, autograd, functions, programs)
OTHER_NAMES = {  # the same mistake under the name that another exercise may give it
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
ONE_OPERATION = "operation-"  # before the name of an operation: where the mistake is, and nothing more, is known
OPERATIONS = {
    "+": "addition",
    "-": "subtraction",
    "*": "multiplication",
    "/": "division",
    "**": "exponentiation",
    "neg": "negation",
}
UNTITLED = "Known mistake"  # of a stored grading whose key the catalogue no longer has
AT_THE_LIMIT = "Your code runs into the same limit as a known solution with this mistake."

CATALOGUE: Mapping[str, Misconception] = {
    key: misconception for subject in SUBJECTS for key, misconception in subject.MISCONCEPTIONS.items()
}


def find(key: str) -> Misconception | None:
    """What the catalogue says of a key; None for a key of an exercise's own."""
    if key.startswith(ONE_OPERATION):
        return _one_operation(key.removeprefix(ONE_OPERATION))
    return CATALOGUE.get(OTHER_NAMES.get(key, key))


def title_of(key: str) -> str:
    found = find(key)
    return found.title if found else UNTITLED


def described(key: str, messages: Mapping[str, str | Reworded], *, limited: bool = False) -> Misconception:
    """Title and text as a student reads them: the author's where there are any, else those of the catalogue.

    `limited`: the claim rests on the limit that the code ran into, and not on numbers."""
    found, own = find(key), _reworded(key, messages)
    text = own.text
    if not text and found is not None:
        text = f"{AT_THE_LIMIT} {found.text}" if limited else found.text
    return Misconception(own.title or (found.title if found else UNTITLED), text)


def lacking(key: str, messages: Mapping[str, str | Reworded]) -> list[str]:
    """The fields that neither the author nor the catalogue has for a key."""
    own = _reworded(key, messages)
    return [] if find(key) else [name for name in ("title", "text") if not getattr(own, name).strip()]


def _reworded(key: str, messages: Mapping[str, str | Reworded]) -> Reworded:
    """A plain string is a text."""
    own = messages.get(key, "")
    return own if isinstance(own, Reworded) else Reworded(text=own)


def _one_operation(name: str) -> Misconception:
    operation = OPERATIONS.get(name, name)
    return Misconception(
        f"Mistake in one operation: {operation}",
        f"Every program that uses {operation} is wrong, and every program without it is right. Check what {operation} computes "
        "and what it sends to its operands.",
    )
