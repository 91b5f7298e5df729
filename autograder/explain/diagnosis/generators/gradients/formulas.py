"""Wrong formulas that people compute instead: for Hessian-vector products, and for the values of straight-through estimators."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import torch

from autograder.explain.diagnosis.evidence import Evidence, Leaf, MistakeClaim, Pair
from autograder.explain.diagnosis.fingerprint import equal
from autograder.judge.arrays import Numbers, to_numpy, to_torch
from autograder.judge.diagnosis import Declared
from sandbox.wire import Array

# -- Hessian-vector products, in terms of f, x and the direction v, which may depend on x --------------------------------

TINY = 1e-300
STEPS = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6)
Formula = Callable[[Callable[[Any], Any], Any, Any], Any]


def _gradient(f: Callable[[Any], Any], x: torch.Tensor) -> torch.Tensor:
    return _grad(f(x), x)


def _grad(y: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    if not y.requires_grad:
        return torch.zeros_like(x)
    (g,) = torch.autograd.grad(y, x, create_graph=True, allow_unused=True)
    return torch.zeros_like(x) if g is None else g


def _product(f: Callable[[Any], Any], x: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    return _grad((_gradient(f, x) * v.detach()).sum(), x)


def _attached(f: Callable[[Any], Any], x: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    return _grad((_gradient(f, x) * v).sum(), x)


def _diagonal(f: Callable[[Any], Any], x: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    g = _gradient(f, x).reshape(-1)
    rows = [_grad(entry, x).reshape(-1)[n] for n, entry in enumerate(g)]
    return torch.stack(rows).reshape(x.shape) * v.detach() if rows else torch.zeros_like(x)


def _rows_summed(f: Callable[[Any], Any], x: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    return _grad(_gradient(f, x).sum(), x) * v.detach()


def _outer(f: Callable[[Any], Any], x: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    g = _gradient(f, x)
    return g * (g * v.detach()).sum()


def _difference(step: float, central: bool) -> Formula:
    """A difference quotient of the gradient along v with a fixed step."""

    def formula(f: Callable[[Any], Any], x: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        there, back = (_gradient(f, (x + s * v).detach().requires_grad_()) for s in (step, -step if central else 0.0))
        return (there - back) / (2 * step if central else step)

    return formula


FORMULAS: tuple[tuple[str, str, Formula], ...] = (
    ("undetached", "v takes part in the second differentiation", _attached),
    ("diagonal-only", "the diagonal of H times v", _diagonal),
    ("diagonal-only", "the rows of H are summed, then times v", _rows_summed),
    ("gauss-newton", "g (g . v)", _outer),
    ("first-order-only", "g * v: no second derivative", lambda f, x, v: _gradient(f, x) * v),
    ("first-order-only", "g alone", lambda f, x, v: _gradient(f, x)),
    ("no-second-order", "zeros", lambda f, x, v: torch.zeros_like(x)),
    ("scale", "H v / |v|", lambda f, x, v: _product(f, x, v / v.norm().clamp_min(TINY))),
    ("scale", "H v |v|", lambda f, x, v: _product(f, x, v * v.norm())),
    ("direction-ignored", "ones for v", lambda f, x, v: _grad(_gradient(f, x).sum(), x)),
    ("sign", "- H v", lambda f, x, v: -_product(f, x, v)),
    ("twice", "2 H v", lambda f, x, v: 2 * _product(f, x, v)),
    ("constant", "H v / 2", lambda f, x, v: _product(f, x, v) / 2),
    *(("approximate", f"central difference, step {h:g}", _difference(h, True)) for h in STEPS),
    *(("approximate", f"one-sided difference, step {h:g}", _difference(h, False)) for h in STEPS),
    ("hessian-twice", "H H v", lambda f, x, v: _product(f, x, _product(f, x, v).detach())),
)


# -- straight-through estimators: the value of one function with the derivative of another, which is declared ------------

Surrogate = Callable[[Any], Any]
Value = Callable[[Numbers, Numbers, Surrogate], Numbers]


def _surrogate(x: Numbers, right: Numbers, surrogate: Surrogate) -> Numbers:
    return np.asarray(surrogate(torch.from_numpy(np.array(x))).numpy())


def _cancelled(x: Numbers, right: Numbers, surrogate: Surrogate) -> Numbers:
    """x + (value - x) in floating-point arithmetic."""
    return np.asarray(x + (right - x).astype(x.dtype))


def _around(x: Numbers, right: Numbers, surrogate: Surrogate) -> Numbers:
    """s + (value - s) in floating-point arithmetic, for the surrogate s."""
    s = _surrogate(x, right, surrogate)
    return np.asarray(s + (right - s).astype(x.dtype))


VALUES: tuple[tuple[str, str, Value], ...] = (
    ("value-changed", "the value of the surrogate", _surrogate),
    ("value-changed", "x + (value - x), rounded", _cancelled),
    ("value-changed", "s + (value - s), rounded", _around),
)


def claims_of_values(evidence: Evidence) -> list[MistakeClaim]:
    """Checks in which only values are wrong, all as one of these rules predicts."""
    found = []
    for operator, note, rule in VALUES:
        follows = partial(_follows, rule, evidence.declared)
        checks = tuple(check for check in evidence.pairs if evidence.holds_for_wrong(check, follows))
        found += [MistakeClaim((operator,), checks, "edited-answers", note)] if checks else []
    return found


def _follows(rule: Value, declared: Declared, pair: Pair) -> bool:
    declaration = declared.forwards.get(str(pair.given.options.get("name")))
    if declaration is None or pair.given.question != ("op", "function.vjp") or not pair.wrong:
        return False
    leaves = {leaf.path: leaf for leaf in pair.leaves}
    values = list(_values(pair, leaves))
    if not {leaf.path for leaf in pair.wrong} <= {leaf.path for _, leaf in values}:
        return False
    return all(_equal(rule, x, leaf, declaration.forward) for x, leaf in values)


def _values(pair: Pair, leaves: dict[tuple[Any, ...], Leaf]) -> Iterator[tuple[Numbers, Leaf]]:
    """The first input of each question with the first value of its answer."""
    for k, (xs, _) in enumerate(pair.given.args[0]):
        leaf = leaves.get((k, 0, 0))
        if leaf is not None and leaf.numbers is not None:
            yield _plain(xs[0]), leaf


def _plain(x: Any) -> Numbers:
    if isinstance(x, torch.Tensor):
        return np.asarray(x.detach().numpy())
    return np.asarray(to_torch(x).numpy()) if isinstance(x, Array) else np.asarray(x)


def _equal(rule: Value, x: Numbers, leaf: Leaf, surrogate: Surrogate) -> bool:
    assert leaf.numbers is not None
    with np.errstate(all="ignore"):
        predicted = rule(x, np.asarray(to_numpy(leaf.right), x.dtype), surrogate)
    return equal(leaf.numbers[1], predicted)
