"""Habits of autograd users are made from a reference, under their name, where the reference has a place for them."""

import ast

import pytest

from autograder.explain.diagnosis.edits import habits

TARGET = """
import torch

def loss(v, w, r, beta):
    target = (r + w).detach()
    error = v - target
    return (error * error).mean() + beta * (v * w.detach()).mean()
"""
PORTIONS = """
import torch

def accumulate(f, X, size):
    rows, total = len(X), 0.0
    for start in range(0, rows, size):
        xb = X[start:start + size]
        share = len(xb) / rows
        loss = f(xb) * share
        loss.backward()
        total += loss.item()
    return total
"""
STEPS = """
import torch

def track(step, state, steps):
    losses = []
    state = state.detach()
    for _ in range(steps):
        loss, new = step(state)
        loss.backward()
        losses.append(loss.item())
        state = new.detach()
    return losses, state
"""
ASKED = """
import torch

def gradients(loss, params, keep):
    found = torch.autograd.grad(loss, params, retain_graph=keep, allow_unused=True)
    return [torch.zeros_like(p) if g is None else g for p, g in zip(params, found)]

def both(trunk, head_a, head_b, x, params):
    h = trunk(x)
    return gradients(head_a(h), params, True), gradients(head_b(h), params, False)
"""


def made(source: str, operator: str) -> list[str]:
    return [m.source for m in habits(source) if m.operator == operator]


@pytest.mark.parametrize(
    ("source", "operator", "line"),
    [
        (TARGET, "undetached", "target = r + w.detach()"),
        (TARGET, "undetached", "target = r.detach() + w"),
        (TARGET, "other-side", "error = v.detach() - target"),
        (TARGET, "other-side", "(v.detach() * w).mean()"),
        (TARGET, "detached", "error = v.detach() - target"),
        (TARGET, "weight-moved", "beta * (error * error).mean() + (v * w.detach()).mean()"),
        (TARGET, "recomputed", "return ((v - target) * (v - target)).mean()"),
        (PORTIONS, "drop-factor-once", "loss_bare.backward()"),
        (PORTIONS, "drop-factor-once", "total += loss_bare.item()"),
        (PORTIONS, "factor-twice", "(loss * share).backward()"),
        (PORTIONS, "equal-weights", "share = 1 / len(range(0, rows, size))"),
        (PORTIONS, "equal-weights", "share = min(size, rows) / rows"),
        (PORTIONS, "equal-weights", "/ (len(xb) / rows) / len(range(0, rows, size))"),
        (PORTIONS, "drops-last", "for start in range(0, max(rows - size + 1, 1), size):"),
        (PORTIONS, "one-step", "size = rows"),
        (PORTIONS, "backward-after-loop", "sum_ = sum_ + loss"),
        (STEPS, "chained", "state = new\n"),
        (STEPS, "chained", "state = new.detach() if turn_ % 2 else new"),
        (STEPS, "chained", "loss.backward(retain_graph=True)"),
        (STEPS, "discarded", "return (losses, state.detach())"),
        (STEPS, "unrecorded", "if turn_ == 0:"),
        (STEPS, "unrecorded", "with torch.no_grad():"),
        (
            STEPS,
            "move",
            "state = new.detach()\n        loss, new = step(state)",
        ),
        (ASKED, "not-cleared", "loss.backward(retain_graph=keep)"),
        (ASKED, "aliased", "found = [p_.grad for p_ in params]"),
        (ASKED, "filtered", "[g for p, g in zip(params, found) if not g is None]"),
        (ASKED, "recomputed", "gradients(head_b(trunk(x)), params, False)"),
    ],
)
def test_a_habit_is_made(source: str, operator: str, line: str) -> None:
    assert any(line in program for program in made(source, operator)), made(source, operator)[:3]


@pytest.mark.parametrize("source", [TARGET, PORTIONS, STEPS, ASKED])
def test_each_is_a_program_of_its_own_and_none_is_the_reference(source: str) -> None:
    programs = [m.source for m in habits(source)]
    assert len(set(programs)) == len(programs) and ast.unparse(ast.parse(source)) + "\n" not in programs
    for program in programs:
        compile(program, "habit", "exec")


def test_a_learning_rate_is_turned_round_or_ignored() -> None:
    source = STEPS.replace("losses = []", "losses, opt = [], torch.optim.SGD([state], lr=rate)")
    assert any("lr=-rate" in program for program in made(source, "sign"))
    assert any("lr=1.0" in program for program in made(source, "rate-ignored"))


def test_programs_without_torch_and_functions_of_their_own_are_left_to_others() -> None:
    assert habits("def f(x, y):\n    z = x * y\n    return z + z\n") == []
    assert habits("import torch\ndef backward(ctx, g):\n    z = g * 2\n    return z + z\n") == []
