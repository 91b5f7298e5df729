"""The parameters are windows into buffers that the probe keeps. Everything that holds a parameter, its memory or its gradient
is looked at after each step.
"""

from typing import Any

import msgspec
import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks import (
    SINGLE,
    TENSOR,
    Student,
    check,
    expect,
    expect_close,
    fail,
    probe,
    tensor,
    to_numpy,
    variety,
)
from autograder.judge.diagnosis import raises, reads_as, symptom


@probe
def stepped(student, values, grads, lr, kind, recording):
    """Take one step for every entry of `grads`, which has a gradient or None for each parameter."""
    import torch

    params, buffers = [], []
    for n, value in enumerate(values):
        if kind == "windows":  # into a larger tensor of a single axis
            buffer = torch.full((value.numel() + 4,), 7.0, dtype=value.dtype)
            window = buffer[2 : 2 + value.numel()].view(value.shape)
        elif kind == "transposed":
            buffer = torch.full(value.shape[::-1], 7.0, dtype=value.dtype)
            window = buffer.permute(tuple(range(value.dim()))[::-1])
        else:
            buffer = window = value.clone()
        window.copy_(value)
        params.append(torch.nn.Parameter(window) if n % 2 else window.requires_grad_())
        buffers.append(buffer.detach())
    given, places, steps = list(params), [p.data_ptr() for p in params], []
    views = [p.detach().reshape(-1)[:1] if p.is_contiguous() else p.detach() for p in params]
    held = [None] * len(params)
    for step in grads:
        for n, (p, g) in enumerate(zip(params, step)):
            if g is None:
                p.grad = None
            elif p.grad is None or len(steps) % 2 == 0:
                p.grad = g.clone()
            else:
                p.grad.copy_(g)
            held[n] = p.grad
        with torch.set_grad_enabled(recording):
            returned = student.sgd_step(given, lr)
            mode = torch.is_grad_enabled()
        same = len(given) == len(params) and all(a is b for a, b in zip(given, params))
        kept = [p.grad is g and (g is None or torch.equal(g, sent)) for p, g, sent in zip(params, held, step)]
        memory = [p.data_ptr() == place for p, place in zip(params, places)]
        shared = [v.numel() == 0 or bool((p.detach().reshape(-1)[0] == v.reshape(-1)[0])) for p, v in zip(params, views)]
        steps.append(
            {
                "params": [p.detach().clone() for p in params],
                "buffers": [b.clone() for b in buffers],
                "grads": [None if p.grad is None else p.grad.detach().clone() for p in params],
                "objects": same,
                "leaves": [p.is_leaf and p.requires_grad and p.grad_fn is None for p in params],
                "memory": [a and b for a, b in zip(memory, shared)],
                "kept": kept,
                "mode": mode == recording,
                "nothing": returned is None,
            }
        )
    return steps


class Step(msgspec.Struct):
    """`objects` and `leaves`: the objects are the same and still leaves; `memory`: in the same place; `kept`: .grad is the same
    tensor with the same numbers; `mode`: gradients are recorded as before; `nothing`: None was returned."""

    params: list[Any]
    buffers: list[Any]
    grads: list[Any]
    objects: bool
    leaves: list[bool]
    memory: list[bool]
    kept: list[bool]
    mode: bool
    nothing: bool


Grads = list[list[Numbers | None]]


def drawn(
    rng: np.random.Generator, shapes: list[tuple[int, ...]], steps: int, dtype: str = "float64"
) -> tuple[list[Numbers], Grads]:
    """Values and gradients of size one. Some entries of either are 0."""

    def numbers(shape: tuple[int, ...]) -> Numbers:
        x = np.asarray(rng.uniform(0.5, 2.0, shape) * rng.choice([-1.0, 1.0], shape), dtype=dtype)
        if x.size > 2:
            x.flat[int(rng.integers(x.size))] = 0.0
        return x

    return [numbers(shape) for shape in shapes], [[numbers(shape) for shape in shapes] for _ in range(steps)]


def look(
    student: Student,
    values: list[Numbers],
    grads: Grads,
    lr: float,
    kind: str = "plain",
    *,
    recording: bool = True,
) -> list[Step]:
    """Take the steps, and compare the parameters after each of them; the answer for further questions."""
    sent = [[None if g is None else tensor(g) for g in step] for step in grads]
    answers = student.run(stepped, [tensor(v) for v in values], sent, lr, kind, recording, returns=list[Step])
    sizes = [len(part) for a in answers for part in (a.params, a.buffers, a.grads, a.leaves, a.memory, a.kept)]
    if len(answers) != len(grads) or set(sizes) - {len(values)}:
        raise fail("What sgd_step did could not be read.")
    truth = [v.astype("float64") for v in values]
    for number, (answer, step) in enumerate(zip(answers, grads, strict=True), 1):
        truth = [p if g is None else p - lr * g.astype("float64") for p, g in zip(truth, step, strict=True)]
        for n, (given, right, before, g) in enumerate(zip(answer.params, truth, values, step, strict=True)):
            shown = {"p before": before, "p.grad": "None" if g is None else g, "lr": lr}
            what = f"Parameter {n + 1} of {len(values)} after {number} step{'' if number == 1 else 's'}"
            tolerance = TENSOR if before.dtype == np.float64 else SINGLE
            expect_close(given, tensor(right.astype(before.dtype)), what, shown, tolerance)
    return answers


def expect_same_objects(answers: list[Step]) -> None:
    for answer in answers:
        expect(answer.objects, "The list should hold the same tensor objects as before.", "the list of parameters")
        message = "After the step, a parameter is not a leaf that requires grad any more."
        expect(all(answer.leaves), message, "leaves")
        expect(answer.nothing, "sgd_step should return nothing.", "result")


def expect_same_memory(answers: list[Step], values: list[Numbers], kind: str = "plain") -> None:
    """Also what surrounds a window: it has the numbers that it had."""
    for answer in answers:
        message = (
            "After the step, a parameter is in another place in memory. Whatever shares its memory has the old numbers."
        )
        expect(all(answer.memory), message, "memory of the parameters")
        for given, p, value in zip(answer.buffers, answer.params, values, strict=True):
            numbers = to_numpy(p)
            if kind == "windows":
                expected = np.concatenate([np.full(2, 7.0), numbers.ravel(), np.full(2, 7.0)]).astype(value.dtype)
            else:
                expected = numbers.T if kind == "transposed" else numbers
            expect_close(given, tensor(expected), "The larger tensor of which the parameter is a part", {"p": p})


def expect_same_grads(answers: list[Step], grads: Grads) -> None:
    for answer, step in zip(answers, grads, strict=True):
        for n, (given, g) in enumerate(zip(answer.grads, step, strict=True)):
            what = f".grad of parameter {n + 1} after the step"
            if g is None:
                expect(given is None, "A .grad of None should remain None.", what)
                continue
            if given is None:
                raise fail("After the step, .grad is None. It should hold the gradient that it had.", what, expected=g)
            expect_close(given, tensor(g), what)
        message = "After the step, .grad should be the same tensor object as before, with exactly the same numbers."
        expect(all(answer.kept), message, ".grad")


SHAPES: list[tuple[int, ...]] = [(3,), (2, 2), ()]


@check("One step", points=2)
def one_step(student: Student, rng: np.random.Generator) -> None:
    values, grads = drawn(rng, SHAPES, 1)
    look(student, values, grads, float(rng.uniform(0.1, 0.5)))


@check("Parameters and gradients are the same objects in the same memory", points=1.5)
def same_objects(student: Student, rng: np.random.Generator) -> None:
    values, grads = drawn(rng, SHAPES, 1)
    answers = look(student, values, grads, float(rng.uniform(0.1, 0.5)))
    expect_same_objects(answers)
    expect_same_memory(answers, values)
    expect_same_grads(answers, grads)


@check("Parameters that are views of larger tensors", points=1, hidden=True)
def windows(student: Student, rng: np.random.Generator) -> None:
    for kind in ("windows", "transposed"):
        values, grads = drawn(rng, [(4,), (2, 3), (3, 2), (1,)], 2)
        answers = look(student, values, grads, float(rng.uniform(0.1, 0.5)), kind)
        expect_same_memory(answers, values, kind)
        expect_same_objects(answers)


@check("The gradients are not changed by several steps", points=1, hidden=True)
def gradients_kept(student: Student, rng: np.random.Generator) -> None:
    values, grads = drawn(rng, SHAPES, 2)
    expect_same_grads(look(student, values, grads, float(rng.uniform(0.1, 0.5))), grads)
    expect_same_grads(look(student, values, grads[:1], 0.0), grads[:1])


@check("Parameters without a gradient, and an empty list", points=1, hidden=True)
def missing_gradients(student: Student, rng: np.random.Generator) -> None:
    for missing in ([0], [1, 3], [0, 1, 2, 3]):
        values, grads = drawn(rng, [(2,), (3,), (2, 2), ()], 2)
        for n in missing:
            grads[0][n] = None
        grads[1][3] = None
        answers = look(student, values, grads, float(rng.uniform(0.1, 0.5)))
        expect_same_objects(answers)
        message = "A .grad of None should remain None."
        expect(all(answers[0].grads[n] is None for n in missing), message, ".grad of a parameter without a gradient")
    look(student, [], [[]], 0.1)


@check("Several steps, other learning rates, shapes and dtypes", points=1, hidden=True)
def several_steps(student: Student, rng: np.random.Generator) -> None:
    look(student, *drawn(rng, [(), (0,), (2, 0), (1, 1), (2, 1, 3)], 3), float(rng.uniform(0.5, 2.0)))
    look(student, *drawn(rng, SHAPES, 3, "float32"), float(rng.uniform(0.001, 0.01)))
    values, grads = drawn(rng, [(3,), (0,), ()], 2)
    mixed = [values[0].astype("float32"), values[1], values[2]]
    look(student, mixed, [[step[0].astype("float32"), *step[1:]] for step in grads if step[0] is not None], 0.3)
    look(student, *drawn(rng, SHAPES, 1), 0.0)


@check("Gradient recording is on or off as before", points=0.5, hidden=True)
def grad_mode(student: Student, rng: np.random.Generator) -> None:
    for recording in (True, False):
        for steps in (1, 2):
            values, grads = drawn(rng, SHAPES, steps)
            answers = look(student, values, grads, float(rng.uniform(0.1, 0.5)), recording=recording)
            before, after = ("on", "off") if recording else ("off", "on")
            message = f"Gradient recording was {before} before the step and is {after} afterwards."
            expect(all(answer.mode for answer in answers), message, "gradient mode")


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    for kind in ("plain", "windows", "transposed"):
        shapes = [tuple(int(size) for size in rng.integers(0, 4, size=int(rng.integers(0, 4)))) for _ in range(3)]
        values, grads = drawn(rng, shapes, int(rng.integers(1, 4)), str(rng.choice(["float32", "float64"])))
        grads = [[None if rng.random() < 0.2 else g for g in step] for step in grads]
        sent = [[None if g is None else tensor(g) for g in step] for step in grads]
        lr, recording = float(rng.choice([0.0, 0.01, 0.3, 2.0])), bool(rng.random() < 0.7)
        student.run(stepped, [tensor(v) for v in values], sent, lr, kind, recording, returns=list[Step])


# -- what the diagnosis can tell from wrong answers ----------------------------------------------------------------------


def right_numbers(right: list[dict[str, Any]], given: list[dict[str, Any]]) -> bool:
    pairs = [pair for a, b in zip(right, given, strict=True) for pair in zip(a["params"], b["params"], strict=True)]
    return all(np.allclose(to_numpy(a), to_numpy(b), rtol=1e-5, atol=1e-7) for a, b in pairs)


def gone(given: list[dict[str, Any]]) -> bool:
    """After every step, every gradient that was there is None or 0."""
    kept = [g for step in given for g, same in zip(step["grads"], step["kept"], strict=True) if not same]
    return bool(kept) and all(g is None or not to_numpy(g).any() for g in kept)


def spoiled(right: list[dict[str, Any]], given: list[dict[str, Any]]) -> bool:
    kept = all(same for step in given for same in step["kept"])
    filled = any(
        r is None and g is not None for a, b in zip(right, given, strict=True) for r, g in zip(a["grads"], b["grads"])
    )
    return not kept and not filled and not gone(given)


def reading(steps: list[dict[str, Any]], values: list[Any], *_: Any) -> list[dict[str, Any]]:
    """What each step left behind, and where the parameters were before all of them."""
    return [{**step, "start": values} for step in steps]


def unmoved(right: list[dict[str, Any]], given: list[dict[str, Any]]) -> bool:
    """No parameter has moved, although some should have."""
    pairs = [(a, b) for step in given for a, b in zip(step["params"], right[0]["start"], strict=True)]
    return not right_numbers(right, given) and all(np.array_equal(to_numpy(a), to_numpy(b)) for a, b in pairs)


def holds(what: str, given: list[dict[str, Any]]) -> bool:
    return all(all(step[what]) for step in given)


reads_as("stepped", reading)
for place in ("same-objects", "gradients-kept"):
    symptom("clears-grad", lambda right, given: right_numbers(right, given) and gone(given), check=place)
    symptom("mutates-grad", lambda right, given: right_numbers(right, given) and spoiled(right, given), check=place)
for place in ("same-objects", "windows"):
    symptom("loses-alias", lambda right, given: right_numbers(right, given) and not holds("memory", given), check=place)
for place in ("same-objects", "windows", "missing-gradients"):
    symptom("frozen-parameter", lambda right, given: right_numbers(right, given) and not holds("leaves", given), check=place)
symptom("global-grad-mode", lambda right, given: not all(step["mode"] for step in given), check="grad-mode")
symptom("rebinds-parameter", lambda right, given: not all(step["objects"] for step in given) or unmoved(right, given))
symptom("missing-no-grad", raises("leaf Variable that requires grad"), raised=True)
symptom("none-grad-crash", raises("NoneType"), check="missing-gradients", raised=True)
