"""A new pass replaces the derivative of a leaf."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from .autodiff import Context, Variable, backpropagate
from .scalar_functions import EQ, LT, Add, Exp, Inv, Log, Mul, Neg, ReLU, ScalarFunction, Sigmoid

ScalarLike = Any  # a Scalar, a float or an int


@dataclass
class ScalarHistory:
    """The function that made a Scalar, its context and its inputs. Those of a leaf are empty."""

    last_fn: type[ScalarFunction] | None = None
    ctx: Context | None = None
    inputs: Sequence[Scalar] = ()


_var_count = 0


class Scalar:
    def __init__(self, v: float, back: ScalarHistory | None = ScalarHistory()) -> None:  # noqa: B008
        global _var_count
        _var_count += 1
        self.unique_id = _var_count
        self.data = float(v)
        self.history = back
        self.derivative: float | None = None

    def __repr__(self) -> str:
        return f"Scalar({self.data})"

    def __bool__(self) -> bool:
        return bool(self.data)

    def __add__(self, b: ScalarLike) -> Scalar:
        return Add.apply(self, b)

    def __mul__(self, b: ScalarLike) -> Scalar:
        return Mul.apply(self, b)

    def __sub__(self, b: ScalarLike) -> Scalar:
        return Add.apply(self, Neg.apply(b))

    def __truediv__(self, b: ScalarLike) -> Scalar:
        return Mul.apply(self, Inv.apply(b))

    def __radd__(self, b: ScalarLike) -> Scalar:
        return self + b

    def __rmul__(self, b: ScalarLike) -> Scalar:
        return self * b

    def __rtruediv__(self, b: ScalarLike) -> Scalar:
        return Mul.apply(b, Inv.apply(self))

    def __neg__(self) -> Scalar:
        return Neg.apply(self)

    def __lt__(self, b: ScalarLike) -> Scalar:
        return LT.apply(self, b)

    def __gt__(self, b: ScalarLike) -> Scalar:
        return LT.apply(b, self)

    def __eq__(self, b: ScalarLike) -> Scalar:  # type: ignore[override]
        return EQ.apply(self, b)

    def log(self) -> Scalar:
        return Log.apply(self)

    def exp(self) -> Scalar:
        return Exp.apply(self)

    def sigmoid(self) -> Scalar:
        return Sigmoid.apply(self)

    def relu(self) -> Scalar:
        return ReLU.apply(self)

    def accumulate_derivative(self, x: Any) -> None:
        assert self.is_leaf(), "only leaves have derivatives"
        self.derivative = x

    def is_leaf(self) -> bool:
        return self.history is not None and self.history.last_fn is None

    def is_constant(self) -> bool:
        return self.history is None

    @property
    def parents(self) -> Iterable[Variable]:
        return self.history.inputs

    def chain_rule(self, d_output: Any) -> Iterable[tuple[Variable, Any]]:
        h = self.history
        parts = h.last_fn._backward(h.ctx, d_output)
        return [(v, d) for v, d in zip(h.inputs, parts, strict=True) if not v.is_constant()]

    def backward(self, d_output: float | None = None) -> None:
        backpropagate(self, 1.0 if d_output is None else d_output)
