"""Words the steps of a trace and the reasons why a step is wrong."""

from collections.abc import Sequence

from autograder.judge.text import number, pair
from autograder.trace.program_graph import near

ORDINALS = ("first", "second")


def in_code(label: str) -> str:
    """A label that can be followed by `.grad`: expressions are put in parentheses."""
    return f"({label})" if " " in label else label


def several(names: Sequence[str]) -> str:
    if len(names) > 4:
        names = [*names[:3], f"{len(names) - 3} more"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def ready(label: str, done: int, consumers: int, root: bool) -> str:
    if root:
        return f"{label} is ready: the output has no consumers"
    if done < consumers:
        return f"{label} propagates its gradient after {done} of its {consumers} consumers"
    who = {1: "its only consumer is", 2: "both consumers are"}.get(consumers, f"all {consumers} consumers are")
    return f"{label} is ready: {who} done"


def too_early(label: str, waiting: int, consumers: int) -> str:
    if consumers == 1:
        return f"{label} propagates its gradient before its only consumer has contributed."
    have = "has" if waiting == 1 else "have"
    return f"{label} propagates its gradient although {waiting} of its {consumers} consumers {have} not contributed yet."


def left_over(label: str, held: float, due: float) -> str:
    return (
        f"{in_code(label)}.grad still held {number(held)} when this pass began. "
        f"The contribution is added to this value instead of to {number(due)}."
    )


def left_over_is_sent(label: str, before: float, sent: float, truth: float) -> str:
    return (
        f"{in_code(label)}.grad still held {number(before)} from an earlier pass, which is propagated again: "
        f"{number(sent)} instead of {number(truth)}."
    )


def not_what_arrived(label: str, sent: float, truth: float) -> str:
    right, mine = pair(truth, sent)
    return f"{label} propagates {mine}, but the gradient that it received is {right}."


def forward(label: str, given: float | None, own: float) -> str:
    if given is None:
        return f"The forward pass is already wrong: {in_code(label)}.data is not a number."
    right, mine = pair(own, given)
    return f"The forward pass is already wrong: {in_code(label)}.data is {mine}, but should be {right}."


def sends(sender: str, target: str, positions: Sequence[int], operands: int) -> str:
    if operands < 2 or not positions:
        return f"{sender} propagates to {target}"
    if len(positions) > 1:
        return f"{sender} propagates to {target}, both operands"
    return f"{sender} propagates to {target}, {ORDINALS[positions[0]]} operand"


def leads(node: str, target: str, slot: int, slots: int) -> str:
    return f"{node} leads to {target}, slot {slot}" if slots > 1 else f"{node} leads to {target}"


def sends_nothing(sender: str, target: str, positions: Sequence[int], operands: int) -> str:
    step = sends(sender, target, positions, operands)
    return step.replace(f"{sender} propagates to ", f"{sender} propagates nothing to ", 1)


def again(sender: str, target: str) -> str:
    return f"{sender} has already propagated its contribution to {target}. Here it is propagated a second time."


def never(sender: str, target: str, position: int, operands: int, silent: bool) -> str:
    if silent:
        return f"{sender} never propagates its gradient, so {target} does not receive its contribution."
    which = f", its {ORDINALS[position]} operand" if operands > 1 else ""
    return f"{sender} never propagates a contribution to {target}{which}."


def replaces(target: str, old: float) -> str:
    return f"The contribution overwrites {in_code(target)}.grad, which already held {number(old)}, instead of being added to it."


def stale(target: str, base: float, old: float) -> str:
    return (
        f"The contribution is added to {number(base)}, an earlier value of {in_code(target)}.grad, "
        f"instead of to its current value {number(old)}."
    )


def no_number(target: str) -> str:
    return f"The value written to {in_code(target)}.grad is not a number."


def contribution(given: float, upstream: float, slope: float, other: float | None, known: bool) -> str:
    """Why a contribution is not the upstream gradient times the local derivative.

    `slope` and `other` are the local derivatives with respect to this operand and the other one. `known`: the student's
    code read this upstream gradient."""
    truth = upstream * slope
    right, mine = pair(truth, given)
    product = f"{number(upstream)} × {number(slope)} = {right}"
    if near(given, slope) and not near(upstream, 1.0) and not near(slope, 0.0):
        return f"The contribution is only the local derivative, {mine}. Multiply it by the upstream gradient: {product}."
    if other is not None and near(given, upstream * other) and not near(other, slope):
        what = f"{number(other)} is the local derivative with respect to the other operand"
        return f"{what}. With respect to this one it is {number(slope)}: {product}, not {mine}."
    if near(given, upstream) and not near(slope, 1.0) and known:
        return f"The upstream gradient is propagated unchanged. Multiply it by the local derivative: {product}."
    if near(given, -truth) and not near(truth, 0.0):
        return f"The sign is wrong: {product}, not {mine}."
    if near(2 * given, truth):
        return f"The contribution is half of what it should be: {product}, not {mine}."
    if near(given, 2 * truth):
        return f"The contribution is twice what it should be: {product}, not {mine}."
    if near(given, 0.0):
        return f"The contribution is 0, but should be {product}."
    return f"The contribution should be {product}, but is {mine}."


def not_seeded(label: str, held: float | None) -> str:
    holds = "not a number" if held is None else number(held)
    return (
        f"The gradient of the output with respect to itself is 1, but {in_code(label)}.grad is {holds} when the pass begins."
    )


def seed_replaces(target: str, old: float) -> str:
    return f"The seed overwrites {in_code(target)}.grad, which already held {number(old)}, instead of being added to it."


def averaged(target: str, old: float, part: float) -> str:
    return f"{in_code(target)}.grad becomes the mean of {number(old)} and {number(part)} instead of their sum."


def lost(target: str, old: float, earlier: bool) -> str:
    if earlier:
        return f"{in_code(target)}.grad held {number(old)} from before this pass. This value is lost."
    return f"{in_code(target)}.grad has received {number(old)} in this pass. This value is lost."


def changed(target: str, old: float, now: float) -> str:
    return f"{in_code(target)}.grad changes from {number(old)} to {number(now)}, although no consumer contributes here."


def total(target: str, given: float, truth: float) -> str:
    right, mine = pair(truth, given)
    return f"{in_code(target)}.grad should be {right}, but {mine} is written."


def replaced(target: str, old: float, part: float) -> str:
    return (
        f"{in_code(target)}.grad held {number(old)} from before this pass. "
        f"It is overwritten with {number(part)} instead of accumulated."
    )


def summed(wide: Sequence[int], shape: Sequence[int]) -> str:
    return f"The contribution is summed from shape {tuple(wide)} to shape {tuple(shape)}"


def not_summed(target: str, wide: Sequence[int], shape: Sequence[int]) -> str:
    return (
        f"{target} has shape {tuple(shape)} and was broadcast to {tuple(wide)}. Each of its entries was used several times, so "
        f"the contribution must be summed over the broadcast axes. It still has shape {tuple(wide)}."
    )


def alone(target: str, problem: str) -> str:
    """Why a contribution is wrong that was asked with the right operands and the right upstream gradient."""
    return f"With the right operands and the right upstream gradient, the contribution to {target} {problem}."


def sum_of_consumers(target: str, consumers: int, kept: bool) -> str:
    told = f"{target} has {consumers} consumers, and each contribution is right by itself. Their sum is the gradient"
    return f"{told}, but only the last contribution is kept." if kept else f"{told}, which this value is not."


def unexplained(expected: str, given: str) -> str:
    """For a step that differs although all earlier steps agree."""
    return f"All earlier steps agree. This step should give {expected}, but gives {given}."


def end(differing: Sequence[str], count: int) -> str:
    if not differing:
        agree = (
            "the only gradient agrees"
            if count == 1
            else "both gradients agree"
            if count == 2
            else f"all {count} gradients agree"
        )
        return f"The pass ends: {agree}"
    if len(differing) == 1:
        return f"The pass ends: 1 of {count} gradients is wrong ({differing[0]})"
    return f"The pass ends: {len(differing)} of {count} gradients are wrong ({several(differing)})"


def raised(kind: str) -> str:
    return f"The pass ends early: your code raised {kind}"


def raised_at(kind: str, line: int) -> str:
    return f"Line {line} raised {kind}." if line else f"The pass raised {kind}."
