"""Every step leaves weak references behind: to tensors that its graph saves, and to notes that hang on its nodes and live as
long as these. That is a claim; the kernel says how much memory is in use while steps with a large graph run. Losses, gradients
and the last state are computed with numpy, each step by itself.
"""

from typing import Any

import msgspec
import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks import (
    TENSOR,
    Student,
    check,
    describe,
    expect,
    expect_close,
    expect_equal,
    expect_number,
    fail,
    probe,
    tensor,
    to_numpy,
    variety,
)
from autograder.judge.checks.costs import LARGE, LARGE_MEGABYTES, Megabytes
from autograder.judge.checks.pictures import Reference, show_backward
from autograder.judge.diagnosis import symptom


@probe
def tracked(student, start, w, b, targets, steps, arrival):
    """Call track with a state that arrives plain, as a leaf that requires grad, or with a history."""
    import gc
    import weakref

    import torch

    class Note:
        pass

    w, b = w.requires_grad_(), b.requires_grad_()  # the very tensors that were sent: they have to come back unchanged
    source = start.clone()
    if arrival != "plain":
        source.requires_grad_()
    state = source * 1.0 if arrival == "history" else source
    before = [state.requires_grad, state.grad_fn is None]
    traces, losses, leaks = [], [], []

    def alive(step):
        return any(trace() is not None for trace in traces[step])

    def step_fn(state):
        t = len(losses)
        if any(alive(step) for step in range(t - 1)):
            gc.collect()
            leaks.append(sum(alive(step) for step in range(t - 1)))
        sine = torch.sin(w * state + b)
        new_state = sine * sine + 0.1 * w
        error = new_state - targets[t % len(targets)]
        loss = (error * error).mean()
        traces.append([weakref.ref(sine), weakref.ref(error)])
        for node in (sine.grad_fn, error.grad_fn, loss.grad_fn):
            if node is not None:
                node.metadata["note"] = note = Note()
                traces[t].append(weakref.ref(note))
        losses.append(loss.item())
        return loss, new_state

    answer = student.track(step_fn, state, steps)
    pair = isinstance(answer, (tuple, list)) and len(answer) == 2
    return {
        "pair": pair,
        "losses": answer[0] if pair else None,
        "state": answer[1] if pair else None,
        "seen": losses,
        "leak": max(leaks, default=0),
        "grads": [w.grad, b.grad] if all(p.grad is p.grad for p in (w, b)) else ["another tensor each time"] * 2,
        "source": source.grad,
        "kept": [state.requires_grad, state.grad_fn is None] == before and bool((state == start).all()),
    }


@probe
def costly(student, steps, entries, megabytes):
    """Steps whose graph holds a large tensor for as long as its nodes live. The judge reads the memory when each begins."""
    import torch

    class Held(torch.autograd.Function):
        @staticmethod
        def forward(ctx, t):
            ctx.held = torch.ones(entries, dtype=torch.float64)
            return t.clone()

        @staticmethod
        def backward(ctx, g):
            return g

    w = torch.ones((), dtype=torch.float64, requires_grad=True)

    def step_fn(state):
        megabytes()
        new_state = Held.apply(w * state)
        return new_state * new_state, new_state

    losses, _ = student.track(step_fn, torch.ones((), dtype=torch.float64), steps)
    return losses


def expect_memory_freed(student: Student) -> None:
    megabytes = Megabytes(student)
    losses = student.run(costly, 4, LARGE, megabytes, returns=list[float])
    expect(losses == [1.0] * 4 and len(megabytes.read) == 4, "track should call step_fn once in each of 4 steps.", "steps")
    _, second, *_, last = megabytes.read
    message = f"From the second step to the fourth, the memory in use grows by {last - second:.0f} MB: old graphs are kept."
    expect(last - second < LARGE_MEGABYTES / 2, message, "graphs dropped")


class Tracked(msgspec.Struct):
    """`seen` are the losses as step_fn saw them, `leak` the most steps that were alive though they should be gone."""

    pair: bool
    losses: Any
    state: Any
    seen: list[float]
    leak: int
    grads: tuple[Any, Any]
    source: Any
    kept: bool


def run(
    start: Numbers, w: Numbers, b: Numbers, targets: Numbers, steps: int
) -> tuple[list[float], Numbers, Numbers, Numbers]:
    """Losses, last state and the summed gradients by w and b, every step cut from the one before."""
    losses, state, by_w, by_b = [], start, np.zeros_like(w), np.zeros_like(b)
    for t in range(steps):
        sine, cosine = np.sin(w * state + b), np.cos(w * state + b)
        new_state = sine * sine + 0.1 * w
        error = new_state - targets[t % len(targets)]
        losses.append(float((error * error).mean()))
        by_new = 2 * error / error.size
        inner = by_new * 2 * sine * cosine
        by_w, by_b = by_w + inner * state + 0.1 * by_new, by_b + inner
        state = new_state
    return losses, state, by_w, by_b


def reference(start: Numbers, w: Numbers, b: Numbers, targets: Numbers, steps: int) -> Reference:
    """The losses of all steps, each state cut from its history, on tensors of the judge's own."""
    import torch

    leaves = {name: torch.tensor(value, requires_grad=True) for name, value in (("w", w), ("b", b))}
    state, losses = torch.tensor(start), []
    for t in range(steps):
        sine = torch.sin(leaves["w"] * state + leaves["b"])
        new_state = sine * sine + 0.1 * leaves["w"]
        error = new_state - torch.tensor(targets[t % len(targets)])
        losses.append((error * error).mean())
        state = new_state.detach()
    return Reference(losses, leaves)


def expect_tracked(student: Student, rng: np.random.Generator, steps: int, arrival: str = "plain") -> Tracked:
    """Numbers and types; whether something leaked is another question."""
    n = int(rng.integers(3, 6))
    start, w, b = rng.normal(size=n), rng.uniform(0.5, 1.5, size=n), rng.normal(size=n)
    start[0] = 0.0
    targets = rng.normal(size=(7, n))
    sent = [tensor(x) for x in (start, w, b, targets)]
    picture = show_backward(f"{steps} steps", lambda: reference(start, w, b, targets, steps))
    answer = student.run(tracked, *sent, steps, arrival, returns=Tracked)
    picture.answered(dict(zip("wb", answer.grads, strict=True)))
    losses, state, by_w, by_b = run(start, w, b, targets, steps)
    shown: dict[str, Any] = {"steps": steps, "the first state": start, "arrives": arrival}
    expect(answer.pair, "track should return the list of losses and the last state.", "result", shown)
    expect_equal(len(answer.seen), steps, "The number of calls of step_fn", shown)
    given = answer.losses
    if not isinstance(given, list) or len(given) != steps:
        raise fail(
            f"The losses should be a list of {steps} floats, but are {describe(given)}.", "losses", shown, given=given
        )
    for t, (mine, seen, right) in enumerate(zip(given, answer.seen, losses, strict=True)):
        expect(type(mine) is float, f"Loss {t} should be a float, but is {describe(mine)}.", "losses", shown)
        expect_number(mine, right, f"Loss {t}", shown)
        expect(mine == seen, f"Loss {t} should be exactly what .item() returns: {seen!r}, but is {mine!r}.", "losses", shown)
    expect_close(answer.state, tensor(state), f"The state after {steps} steps", shown, TENSOR, plain=True)
    for name, gradient, right_gradient in zip("wb", answer.grads, (by_w, by_b), strict=True):
        what = f"The gradient of the parameter {name}, summed over {steps} steps,"
        if steps == 0:
            expect(gradient is None, f"{name}.grad should still be None after 0 steps.", what, shown)
        elif gradient is None:
            raise fail(f"{what} is missing: {name}.grad is None.", what, shown, expected=right_gradient)
        else:
            expect_close(gradient, tensor(right_gradient), what, shown)
    return answer


def right_numbers(right: dict[str, Any], given: dict[str, Any]) -> bool:
    """Losses, gradients and state, whatever carries them."""
    pairs = [(right["state"], given["state"]), *zip(right["grads"], given["grads"], strict=True)]
    pairs = [pair for pair in pairs if pair != (None, None)]
    return right["losses"] == given["losses"] and all(
        a is not None and b is not None and np.allclose(to_numpy(a), to_numpy(b), rtol=1e-9, atol=1e-12) for a, b in pairs
    )


symptom("keeps-graphs", lambda right, given: given["leak"] > 0 and right_numbers(right, given))
symptom("returns-graph", lambda right, given: given["state"].graph and right_numbers(right, given))
symptom("mutates-input", lambda right, given: right["kept"] and not given["kept"] and right_numbers(right, given))
symptom(
    "tensors-in-log",
    lambda right, given: (
        any(type(loss) is not float for loss in given["losses"])
        and [to_numpy(loss).tolist() for loss in given["losses"]] == right["losses"]
    ),
)
symptom(
    "state-keeps-chain",
    lambda right, given: given["source"] is not None and right["source"] is None and right_numbers(right, given),
)


def expect_untouched(answer: Tracked) -> None:
    expect(
        answer.source is None,
        "The first state should be detached from its history, but a gradient has passed through it.",
        "first state",
    )
    expect(answer.kept, "track must not change the state that was passed in.", "first state")


def expect_no_leak(answer: Tracked) -> None:
    message = f"While a step ran, the graphs of {answer.leak} steps before the previous step were still alive."
    expect(answer.leak == 0, message, "graphs dropped")


@check("Three steps: losses, state and gradients", points=3)
def three_steps(student: Student, rng: np.random.Generator) -> None:
    expect_tracked(student, rng, 3)


@check("Four steps: old graphs are freed", points=1, seconds=2)
def four_steps(student: Student, rng: np.random.Generator) -> None:
    expect_no_leak(expect_tracked(student, rng, 4))
    expect_memory_freed(student)


@check("Other numbers of steps, including 0", points=2, hidden=True)
def other_lengths(student: Student, rng: np.random.Generator) -> None:
    for steps in (0, 1, int(rng.integers(4, 8)), int(rng.integers(8, 15))):
        expect_tracked(student, rng, steps)


@check("A first state that requires grad or has a history", points=2, hidden=True)
def first_state(student: Student, rng: np.random.Generator) -> None:
    for arrival in ("leaf", "history"):
        for steps in (0, 1, int(rng.integers(2, 6))):
            expect_untouched(expect_tracked(student, rng, steps, arrival))


@check("Five steps: old graphs are freed", points=2, hidden=True, seconds=2)
def five_steps(student: Student, rng: np.random.Generator) -> None:
    for arrival in ("plain", "history"):
        expect_no_leak(expect_tracked(student, rng, 5, arrival))
    expect_memory_freed(student)


@check("Sixty steps: old graphs are freed", points=2, hidden=True, seconds=2)
def sixty_steps(student: Student, rng: np.random.Generator) -> None:
    expect_no_leak(expect_tracked(student, rng, 60))
    expect_memory_freed(student)


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    for arrival in ("plain", "leaf", "history"):
        n = int(rng.integers(1, 6))
        start, w, b, targets = rng.normal(size=n), rng.normal(size=n), rng.normal(size=n), rng.normal(size=(7, n))
        start = start * (rng.random(n) < 0.8)
        sent = [tensor(x) for x in (start, w, b, targets)]
        student.run(tracked, *sent, int(rng.integers(0, 8)), arrival, returns=Tracked)
