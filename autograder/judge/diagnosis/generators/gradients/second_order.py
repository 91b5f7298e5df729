"""Wrong formulas for Hessian-vector products, in terms of f, x and the direction v, which may depend on x."""

from collections.abc import Callable
from typing import Any

import torch

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
