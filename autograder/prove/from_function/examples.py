"""Computes a forward function with small numbers, step by step. Only the operations of `steps` are known here."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from autograder.prove.from_function.steps import Forward, Step, Unsupported

Numbers = npt.NDArray[np.float64]
SIZES = (2, 3, 2, 3)  # of the letters, for examples
STEP = 1e-6
TIES = ("maximum", "minimum")  # whose derivative at equal operands is a convention


@dataclass(frozen=True)
class Domain:
    """Which numbers the inputs may be: `positive` only, or also negative ones; and whether 0 has a derivative."""

    positive: bool
    zeros: bool


def domain_of(forward: Forward) -> Domain:
    """Finds out by trying. Raises `Unsupported` for a function that has no finite values."""
    for positive in (False, True):
        if _is_smooth(forward, sample(forward, positive=positive)):
            zeros = {
                name: values * (np.arange(values.size).reshape(values.shape) % 2)
                for name, values in sample(forward, positive=positive).items()
            }
            harmless = not positive and not any(step.operation in TIES for step in forward.steps)
            return Domain(positive, harmless and _is_smooth(forward, zeros))
    raise Unsupported("The function is nan or inf for ordinary numbers, so nothing can be checked.")


def sample(forward: Forward, *, positive: bool = False) -> dict[str, Numbers]:
    """Small inputs with one digit after the point."""
    sizes = dict(zip(forward.letters, SIZES, strict=False))
    compared = {abs(o) for step in forward.steps if step.operation in TIES for o in step.operands if not isinstance(o, str)}
    firsts = (0.5, 0.6, 0.7, 0.4)
    first = next((f for f in firsts if not any(abs(f + 0.3 * n - c) < 0.05 for n in range(5) for c in compared)), firsts[0])
    found, number = {}, 0
    for name, shape in forward.inputs.items():
        dimensions = tuple(sizes.get(letter, 1) for letter in shape)
        count = int(np.prod(dimensions))
        values = np.array([first + 0.3 * ((number + n) % 5) for n in range(count)])
        signs = np.array([1.0 if positive or n % 3 != 1 else -1.0 for n in range(count)])
        found[name] = np.round(values * signs, 1).reshape(dimensions)
        number += count
    return found


def value_of(forward: Forward, inputs: Mapping[str, Numbers]) -> Numbers:
    values: dict[str, Any] = dict(inputs)
    with np.errstate(all="ignore"):
        for step in forward.steps:
            values[step.name] = np.asarray(
                _result(step, [values.get(o, o) if isinstance(o, str) else o for o in step.operands])
            )
    return np.asarray(values[forward.result])


def gradients_of(forward: Forward, inputs: Mapping[str, Numbers], upstream: Numbers) -> dict[str, Numbers]:
    """By central differences: good for examples with a few digits, and independent of the rules of differentiation."""
    found = {}
    for name, values in inputs.items():
        gradient = np.zeros(values.shape)
        for place in np.ndindex(values.shape):
            ends = []
            for step in (STEP, -STEP):
                moved = values.copy()
                moved[place] += step
                ends.append(value_of(forward, {**inputs, name: moved}))
            gradient[place] = float((upstream * (ends[0] - ends[1])).sum() / (2 * STEP))
        found[name] = gradient
    return found


def _is_smooth(forward: Forward, inputs: Mapping[str, Numbers]) -> bool:
    value = value_of(forward, inputs)
    slopes = gradients_of(forward, inputs, np.ones(value.shape)).values()
    return bool(np.isfinite(value).all()) and all(np.isfinite(slope).all() and np.abs(slope).max() < 1e4 for slope in slopes)


def _result(step: Step, operands: list[Any]) -> Any:
    a, b = operands[0], operands[-1]
    match step.operation:
        case "add":
            return a + b
        case "sub":
            return a - b
        case "mul":
            return a * b
        case "div":
            return a / b
        case "pow":
            return a**b
        case "matmul":
            return a @ b
        case "neg":
            return -a
        case "transpose":
            return a.T
        case "sum" | "mean":
            return getattr(np, step.operation)(a, axis=step.axes, keepdims=step.keepdims)
        case "logsumexp":
            return np.log(np.exp(a).sum(axis=step.axes, keepdims=step.keepdims))
        case "softmax" | "log_softmax":
            log = a - np.log(np.exp(a).sum(axis=step.axes, keepdims=True))
            return np.exp(log) if step.operation == "softmax" else log
        case "sigmoid":
            return 1 / (1 + np.exp(-a))
        case "relu":
            return np.maximum(a, 0.0)
        case "softplus":
            return np.log1p(np.exp(a))
        case "silu":
            return a / (1 + np.exp(-a))
        case "maximum" | "minimum":
            return getattr(np, step.operation)(a, b)
    return getattr(np, step.operation)(a)
