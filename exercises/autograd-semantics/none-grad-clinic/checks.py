"""Each function against its derivative by hand, with and without an old gradient, and whether recording is still on.

Every check asks one function or a few, so that one that is not repaired does not hide the others.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import msgspec
import numpy as np
import torch

from autograder.judge.arrays import Numbers
from autograder.judge.checks import (
    SINGLE,
    TENSOR,
    Student,
    check,
    describe,
    expect,
    expect_close,
    expect_equal,
    fail,
    probe,
    tensor,
    to_numpy,
    variety,
)
from autograder.judge.checks.pictures import Reference, show_backward
from autograder.judge.diagnosis import raises, reads_as, symptom

CONSTANT = "the gradient of this loss is the same everywhere"
FROM_DATA = ("clinic_1", "clinic_2")

# the gradient of the first argument
GRADIENTS: dict[str, Callable[[Numbers], Numbers]] = {
    "clinic_1": lambda data: 2 * data,
    "clinic_2": lambda data: 3 * (0.5 * data) ** 2,
    "clinic_3": lambda w: np.exp(w) * (w + 1),
    "clinic_4": lambda w: 18 * w,
    "clinic_5": lambda w: np.sin(2 * w) + 1,
    "clinic_6": lambda w: np.full_like(w, 2.0),
}
# those that forget a path: the exponential, or the sine, as a constant
CUT: dict[str, Callable[[Numbers], Numbers]] = {"clinic_3": np.exp, "clinic_5": np.ones_like}


@probe
def treated(student, name, cases, old):
    """Call a function with each list of arguments; `old` has numbers for the .grad of each argument, or None."""
    import copy

    import torch

    answer = []
    for arguments, numbers in zip(cases, old):
        before = copy.deepcopy([a.detach() if torch.is_tensor(a) else a for a in arguments])
        for argument, number in zip(arguments, numbers):
            if torch.is_tensor(argument):
                argument.requires_grad_()
                argument.grad = None if number is None else number.clone()
        given = getattr(student, name)(*arguments)
        recording = torch.is_grad_enabled() and (torch.ones(1, requires_grad=True) * 2).requires_grad
        torch.set_grad_enabled(True)
        kept = all(
            bool((a == b).all()) and a.requires_grad and a.is_leaf if torch.is_tensor(a) else a == b
            for a, b in zip(arguments, before)
        )
        pair = isinstance(given, (tuple, list))
        grads = list(given) if pair else [given]
        answer.append({"grads": grads, "pair": pair, "recording": recording, "kept": kept})
    return answer


class Treated(msgspec.Struct):
    """`kept` says whether the arguments are still what they were."""

    grads: list[Any]
    pair: bool
    recording: bool
    kept: bool


def reference(name: str, arguments: list[Numbers]) -> Reference:
    """The loss of a function on tensors of the judge's own."""
    x = torch.tensor(0.5 * arguments[0] if name == "clinic_2" else arguments[0], requires_grad=True)
    losses: dict[str, Callable[[], torch.Tensor]] = {
        "clinic_1": lambda: (x**2).sum(),
        "clinic_2": lambda: (x**3).sum(),
        "clinic_3": lambda: (x.exp() * x).sum(),
        "clinic_4": lambda: ((x * 3) ** 2).sum(),
        "clinic_5": lambda: (x.sin() ** 2).sum() + x.sum(),
        "clinic_6": lambda: (2 * x).sum(),
    }
    return Reference([losses[name]()], {"w": x})


def expect_treated(
    student: Student, name: str, cases: list[list[Numbers]], old: list[list[Numbers | None]] | None = None
) -> None:
    """One case per list of arguments. With `old`, each argument has an old gradient or None."""
    olds = old or [[None] * len(arguments) for arguments in cases]
    sent = [[x.tolist() if name in FROM_DATA else tensor(x) for x in arguments] for arguments in cases]
    answers = student.run(
        treated, name, sent, [[None if g is None else tensor(g) for g in row] for row in olds], returns=list[Treated]
    )
    expect_equal(len(answers), len(cases), "The number of results")
    for arguments, row, answer in zip(cases, olds, answers, strict=True):
        picture = show_backward(f"the loss of {name}", partial(reference, name, arguments))
        truths = [GRADIENTS[name](arguments[0]), *(np.zeros_like(x) for x in arguments[1:])]
        names = ["data"] if name in FROM_DATA else ["w", "u"][: len(arguments)]
        shown: dict[str, Any] = dict(zip(names, arguments, strict=True))
        shown |= {f"{label}.grad on entry": g for label, g in zip(names, row, strict=True) if g is not None}
        if answer.pair != (name == "clinic_6") or len(answer.grads) != len(truths):
            wanted = "two tensors" if name == "clinic_6" else "one tensor"
            one = not answer.pair and len(answer.grads) == 1
            given = describe(answer.grads[0]) if one else f"{len(answer.grads)} results"
            raise fail(f"{name} should return {wanted}, but returned {given}.", name, shown)
        picture.answered({"w": answer.grads[0]})
        for label, given, truth in zip(["w", "u"], answer.grads, truths, strict=False):
            what = f"{name}: the gradient with respect to {label}"
            right = torch.tensor(truth, dtype=torch.float32 if name in FROM_DATA else torch.float64)
            if given is None:
                raise fail(f"{what} should be a tensor, but is None.", what, shown, expected=right)
            expect_close(given, right, what, shown, SINGLE if name in FROM_DATA else TENSOR, plain=True)
        expect(answer.recording, f"After {name}, recording should be on, but it is off.", "recording", shown)
        expect(answer.kept, f"{name} changed its arguments.", "arguments", shown)


# -- what a wrong answer shows -----------------------------------------------------------------------------------------


def reading(answer: list[dict[str, Any]], name: str, cases: list[Any], old: list[Any]) -> list[dict[str, Any]]:
    """With what was asked: the arguments and the old gradients."""
    asked = [{"first": row[0], "old": olds} for row, olds in zip(cases, old, strict=True)]
    return [{**given, **question} for given, question in zip(answer, asked, strict=True)]


def equal(one: Any, other: Any) -> bool:
    return other is not None and np.shape(one) == other.shape and np.allclose(one, to_numpy(other), rtol=1e-5, atol=1e-9)


def each(holds: Callable[[dict[str, Any], dict[str, Any]], bool]) -> Callable[[Any, Any], bool]:
    """Holds for every case that is wrong, of which there is at least one."""

    def when(right: Any, given: Any) -> bool:
        pairs = [(r, g) for r, g in zip(right, given, strict=True) if not correct(r, g)]
        return bool(pairs) and all(holds(r, g) for r, g in pairs)

    return when


def correct(right: dict[str, Any], given: dict[str, Any]) -> bool:
    return (
        right["recording"] == given["recording"]
        and right["kept"] == given["kept"]
        and len(right["grads"]) == len(given["grads"])
        and all(equal(to_numpy(r), g) and not g.graph for r, g in zip(right["grads"], given["grads"], strict=True))
    )


def with_old(right: dict[str, Any], given: dict[str, Any]) -> bool:
    """Old gradients are part of the answer."""
    rows = list(zip(right["grads"], given["grads"], right["old"], strict=True))
    return any(g is not None for _, _, g in rows) and all(
        equal(to_numpy(r) + (0 if g is None else to_numpy(g)), mine) or equal(to_numpy(r), mine) for r, mine, g in rows
    )


def unreached(right: dict[str, Any], given: dict[str, Any]) -> bool:
    """None, or the old content of .grad, in place of zeros."""
    (w, u), (my_w, my_u) = right["grads"], given["grads"]
    return equal(to_numpy(w), my_w) and my_u is None


def nothing_arrived(right: dict[str, Any], given: dict[str, Any]) -> bool:
    """.grad as it was on entry: None, or the old content."""
    (mine,), old = given["grads"], right["old"][0]
    return mine is None if old is None else equal(to_numpy(old), mine)


def lost_path(name: str) -> Callable[[dict[str, Any], dict[str, Any]], bool]:
    def holds(right: dict[str, Any], given: dict[str, Any]) -> bool:
        (mine,), old = given["grads"], right["old"][0]
        cut = CUT[name](to_numpy(right["first"]))
        return equal(cut, mine) or (old is not None and equal(cut + to_numpy(old), mine))

    return holds


def by_data(right: dict[str, Any], given: dict[str, Any]) -> bool:
    return equal(0.5 * to_numpy(right["grads"][0]), given["grads"][0])


def recording_off(right: dict[str, Any], given: dict[str, Any]) -> bool:
    return right["recording"] and not given["recording"] and correct(right, {**given, "recording": True})


def attached(right: dict[str, Any], given: dict[str, Any]) -> bool:
    return all(equal(to_numpy(r), g) for r, g in zip(right["grads"], given["grads"], strict=True)) and any(
        g.graph for g in given["grads"]
    )


reads_as("treated", reading)
symptom("global-grad-mode", each(recording_off))
symptom("returns-graph", each(attached))
symptom("missing-requires-grad", raises("does not require grad"), check="first", raised=True)
for where in ("second", "from-data"):
    symptom("reads-nonleaf-grad", each(nothing_arrived), check=where)
    symptom("wrong-variable", each(by_data), check=where)
for where in ("third", "third-with-old", "fifth", "fifth-with-old"):
    symptom("detached-branch", each(lost_path("clinic_3" if where.startswith("third") else "clinic_5")), check=where)
for where in ("fourth", "fourth-with-old"):
    symptom("rewraps-tensor", each(nothing_arrived), check=where)
for where in ("sixth", "sixth-with-old"):
    symptom("none-for-unreached", each(unreached), check=where)
for where in ("third", "fourth", "fifth", "sixth"):
    symptom("stale-accumulated-grad", each(with_old), check=f"{where}-with-old")


# -- checks ------------------------------------------------------------------------------------------------------------


def numbers(rng: np.random.Generator, *shape: int) -> Numbers:
    return np.asarray(rng.uniform(0.3, 1.5, size=shape) * rng.choice([-1.0, 1.0], size=shape))


@check("clinic_1", points=1)
def first(student: Student, rng: np.random.Generator) -> None:
    expect_treated(student, "clinic_1", [[numbers(rng, 3)], [numbers(rng, 2, 2)]])


@check("clinic_2", points=1)
def second(student: Student, rng: np.random.Generator) -> None:
    expect_treated(student, "clinic_2", [[numbers(rng, 3)], [numbers(rng, 2, 2)]])


@check("clinic_3", points=1)
def third(student: Student, rng: np.random.Generator) -> None:
    expect_treated(student, "clinic_3", [[numbers(rng, 3)], [numbers(rng, 2, 2)]])


@check("clinic_4", points=1)
def fourth(student: Student, rng: np.random.Generator) -> None:
    expect_treated(student, "clinic_4", [[numbers(rng, 3)], [numbers(rng, 2, 2)]])


@check("clinic_5", points=1)
def fifth(student: Student, rng: np.random.Generator) -> None:
    expect_treated(student, "clinic_5", [[numbers(rng, 3)], [numbers(rng, 2, 2)]])


@check("clinic_6", points=1, fixed=CONSTANT)
def sixth(student: Student, rng: np.random.Generator) -> None:
    expect_treated(student, "clinic_6", [[numbers(rng, 3), numbers(rng, 2, 2)]])


@check("clinic_1 and clinic_2 with data of other shapes", points=1, hidden=True)
def from_data(student: Student, rng: np.random.Generator) -> None:
    zeros = numbers(rng, 4) * [1.0, 0.0, -0.0, 1000.0]
    for name in FROM_DATA:
        expect_treated(
            student, name, [[numbers(rng, 1)], [numbers(rng, 2, 1, 3)], [zeros], [np.zeros(2)], [numbers(rng, 5, 2)]]
        )


def expect_with_old(student: Student, rng: np.random.Generator, name: str) -> None:
    """Old gradients, none, and the same tensor shapes again."""
    cases = [[numbers(rng, 3)], [numbers(rng, 3)], [numbers(rng)], [numbers(rng, 2, 3)]]
    if name == "clinic_6":
        cases = [[*row, numbers(rng, *shape)] for row, shape in zip(cases, ((2,), (3,), (1, 2), ()), strict=True)]
    old: list[list[Numbers | None]] = [[numbers(rng, *x.shape) for x in row] for row in cases]
    old[1][0] = None
    old[3][-1] = None
    expect_treated(student, name, cases, old)


@check("clinic_3 with an old gradient", points=1, hidden=True)
def third_with_old(student: Student, rng: np.random.Generator) -> None:
    expect_with_old(student, rng, "clinic_3")


@check("clinic_4 with an old gradient", points=1, hidden=True)
def fourth_with_old(student: Student, rng: np.random.Generator) -> None:
    expect_with_old(student, rng, "clinic_4")


@check("clinic_5 with an old gradient", points=1, hidden=True)
def fifth_with_old(student: Student, rng: np.random.Generator) -> None:
    expect_with_old(student, rng, "clinic_5")


@check("clinic_6 with old gradients", points=1, hidden=True, fixed=CONSTANT)
def sixth_with_old(student: Student, rng: np.random.Generator) -> None:
    expect_with_old(student, rng, "clinic_6")


@check("clinic_3 to clinic_6: zeros, single numbers, and other shapes", points=1, hidden=True)
def other_shapes(student: Student, rng: np.random.Generator) -> None:
    zeros = numbers(rng, 4) * [1.0, 0.0, -0.0, 5.0]
    for name in ("clinic_3", "clinic_4", "clinic_5"):
        expect_treated(student, name, [[numbers(rng)], [zeros], [np.zeros(2)], [numbers(rng, 1, 3, 2)]])
    expect_treated(
        student,
        "clinic_6",
        [[numbers(rng), numbers(rng, 3)], [zeros, numbers(rng)], [zeros, zeros.copy()], [np.zeros(3), np.zeros(3)]],
    )


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    """Any shape, zeros among the numbers, old gradients or none."""
    for name in GRADIENTS:
        shape = tuple(int(size) for size in rng.integers(1, 4, size=int(rng.integers(name in FROM_DATA, 4))))
        cases = [
            [numbers(rng, *shape) * (rng.random(shape) < 0.8) for _ in range(1 + (name == "clinic_6"))] for _ in range(2)
        ]
        sent = [[x.tolist() if name in FROM_DATA else tensor(x) for x in row] for row in cases]
        old = [[tensor(numbers(rng, *shape)) if rng.random() < 0.5 else None for _ in row] for row in cases]
        student.run(treated, name, sent, old)
