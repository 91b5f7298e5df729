"""The answers are read from tensors that the installed torch creates here, once per process.

Every question is asked by itself, so that a wrong answer is judged and explained alone.
"""

import warnings
from functools import cache
from typing import Any

import msgspec
import numpy as np

from autograder.judge.checks import Student, check, expect, fail, probe, variety
from autograder.judge.diagnosis import reads_as, symptom

TENSORS = {
    "t1": "torch.ones(3)",
    "t2": "torch.ones(3, requires_grad=True)",
    "t3": "torch.ones(3, requires_grad=True) * 0.1",
    "t4": "(torch.ones(3) * 0.1).requires_grad_()",
    "t5": "nn.Parameter(torch.ones(3))",
    "t6": "nn.Parameter(torch.ones(3)).double()",
    "t7": "w.detach()",
    "t8": "w * 2 inside torch.no_grad()",
    "t9": "torch.tensor([1, 2])",
    "t10": "w.detach().requires_grad_()",
    "t11": "w.to(torch.float32)",
    "t12": "w.clone()",
    "t13": "torch.ones(3, requires_grad=True) inside torch.no_grad()",
    "t14": "w > 0",
    "t15": "w[0]",
    "t16": "w.data",
}
GRADS = {
    "t17": "w.grad after the creation of w",
    "t18": "h.grad after the backward pass",
    "t19": "w.grad after zero_grad(set_to_none=False)",
}
QUESTIONS = {**TENSORS, **GRADS}
SITUATIONS = ("none", "zeros", "other")
PROPERTIES = (  # what is said if they are False, and if they are True
    ("is_leaf is False", "is_leaf is True"),
    ("requires_grad is False", "requires_grad is True"),
    ("grad_fn is not None", "grad_fn is None"),
)
FIXED = "a quiz asks the same questions of everybody"

Facts = tuple[bool, bool, bool]


@cache
def truth(key: str) -> Facts | str:
    return situation(key) if key in GRADS else facts(TENSORS[key])


def facts(expression: str) -> Facts:
    import torch

    scope: dict[str, Any] = {"torch": torch, "nn": torch.nn, "w": torch.ones(3, requires_grad=True)}
    code, _, block = expression.partition(" inside ")
    exec(f"with {block or 'torch.enable_grad()'}: t = {code}", scope)
    t = scope["t"]
    return t.is_leaf, t.requires_grad, t.grad_fn is None


def situation(key: str) -> str:
    import torch

    w = torch.ones(3, requires_grad=True)
    grad = w.grad
    if key != "t17":
        h = w * 2
        h.sum().backward()
        with warnings.catch_warnings(action="ignore"):  # torch warns of what t18 asks about
            grad = h.grad
    if key == "t19":
        assert w.grad is not None
        w.grad.zero_()  # like the optimiser's zero_grad(set_to_none=False), whose import would take a second
        grad = w.grad
    return "none" if grad is None else "other" if grad.any() else "zeros"


@probe
def answered(student, key):
    """The answer to one question."""
    return student.answers.get(key)


@probe
def answered_keys(student):
    return [isinstance(student.answers, dict), list(student.answers)]


def read(given: Any, key: str) -> Facts | str | None:
    """Three bools or one of the strings; None for an answer of another form."""
    if key in GRADS:
        return given if isinstance(given, str) and given in SITUATIONS else None
    try:
        bools: Facts = msgspec.convert(given, Facts)
    except msgspec.ValidationError:
        return None
    return bools


def reading(given: Any, key: str) -> Any:
    """An answer as it is compared, whether tuple or list."""
    answer = read(given, key)
    return given if answer is None else {"key": key, "answer": answer}


reads_as("answered", reading)


@check("Every question has an answer", points=0)
def complete(student: Student, rng: np.random.Generator) -> None:
    is_dict, keys = student.run(answered_keys, returns=tuple[bool, list[Any]])
    expect(is_dict, "`answers` should be a dictionary.", "answers")
    strange = [str(key)[:60] for key in keys if not isinstance(key, str) or key not in QUESTIONS]
    expect(not strange, "`answers` should have the keys t1 to t19, and no others.", "answers", given=strange)
    missing = [key for key in QUESTIONS if student.run(answered, key) is None]
    expect(not missing, f"There is no answer yet to {', '.join(missing)}.", "answers")


def expect_answer(student: Student, key: str) -> None:
    what = f"the answer to {key}, {QUESTIONS[key]}"
    given: Any = student.run(answered, key)
    if given is None:
        raise fail(f"There is no answer to {key}.", what)
    answer = read(given, key)
    if answer is None:
        form = 'be "none", "zeros" or "other"' if key in GRADS else "consist of three bools, True or False"
        raise fail(f"The answer to {key} should {form}.", what, given=given)
    if key in GRADS:
        expect(answer == truth(key), f"{QUESTIONS[key]} is {words(truth(key))}, not {words(answer)}.", what)
        return
    for mine, right, property_of in zip(answer, truth(key), PROPERTIES, strict=True):
        message = f"{QUESTIONS[key]}: {property_of[bool(right)]}."
        expect(mine == right, message, what, expected=list(truth(key)), given=list(answer))


def words(answer: Any) -> str:
    return {"none": "None", "zeros": "a tensor of zeros"}.get(answer, "another tensor")


def question(key: str) -> None:
    def ask(student: Student, rng: np.random.Generator) -> None:
        expect_answer(student, key)

    ask.__name__ = key
    check(f"{key}: {QUESTIONS[key]}", points=1, hidden=True, fixed=FIXED)(ask)


for asked in QUESTIONS:
    question(asked)


# -- what a wrong answer shows -----------------------------------------------------------------------------------------

RESULT, CONSTANT, ASKED_FOR = (False, True, False), (True, False, True), (True, True, True)
MISTAKES: dict[str, dict[str, tuple[Any, ...]]] = {
    "every-call-makes-node": {
        "t4": (RESULT, (False, True, True)),
        "t7": (RESULT, (False, False, False), (False, False, True)),
        "t10": (RESULT, (False, True, True)),
        "t11": (RESULT, (False, True, True)),
        "t16": (RESULT, (False, False, False), (False, False, True)),
    },
    "scaled-leaf": dict.fromkeys(("t3", "t6", "t12", "t15"), (ASKED_FOR, (True, True, False))),
    "detached-requires-grad": dict.fromkeys(("t7", "t16"), (ASKED_FOR, (False, True, True))),
    "constant-requires-grad": dict.fromkeys(("t1", "t9", "t14"), (ASKED_FOR,)),
    "requires-grad-call-ignored": dict.fromkeys(("t4", "t10"), (CONSTANT,)),
    "no-grad-strips-flag": {"t13": (CONSTANT,)},
    "no-grad-keeps-recording": {"t8": (RESULT,)},
    "comparison-recorded": {"t14": (RESULT,)},
    "flag-lost": {key: (CONSTANT,) for key in ("t2", "t3", "t5", "t6", "t12", "t15")},
    "grad-starts-at-zero": {"t17": ("zeros",)},
    "gradient-of-intermediate-result": {"t18": ("other",)},
    "zero-grad-removes": {"t19": ("none",)},
    "zero-grad-ignored": {"t19": ("other",)},
}


def declare(key: str, question: str, answers: tuple[Any, ...]) -> None:
    symptom(key, lambda _, given: given["answer"] in answers, check=question)


for mistake, where in MISTAKES.items():
    for name, answers in where.items():
        declare(mistake, name, answers)
for name in TENSORS:  # a leaf is what requires grad
    symptom(
        "only-trainable-is-leaf",
        lambda right, given: right["answer"] == CONSTANT and given["answer"] == (False, False, True),
        check=name,
    )


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    student.run(answered_keys)
    for key in QUESTIONS:
        student.run(answered, key)
