"""A data class whose chain rule is a generator that also yields pairs of constants."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Iterable, Optional, Sequence, Tuple, Type

import numpy as np

from . import operators
from .autodiff import Context, Variable, backpropagate, central_difference
from .scalar_functions import EQ, LT, Add, Exp, Inv, Log, Mul, Neg, ReLU, ScalarFunction, Sigmoid


@dataclass
class ScalarHistory:
    last_fn: Optional[Type[ScalarFunction]] = None
    ctx: Optional[Context] = None
    inputs: Sequence[Scalar] = ()


_var_count = 0


@dataclass
class Scalar:
    data: float
    history: Optional[ScalarHistory] = field(default_factory=ScalarHistory)
    derivative: Optional[float] = None
    name: str = field(default="")
    unique_id: int = field(default=0)

    def __post_init__(self):
        global _var_count
        _var_count += 1
        object.__setattr__(self, "unique_id", _var_count)
        object.__setattr__(self, "name", str(self.unique_id))
        object.__setattr__(self, "data", float(self.data))

    def __repr__(self):
        return f"Scalar({self.data})"

    def __add__(self, b):
        return Add.apply(self, b)

    def __mul__(self, b):
        return Mul.apply(self, b)

    def __sub__(self, b):
        return self + (-b)

    def __truediv__(self, b):
        return Mul.apply(self, Inv.apply(b))

    def __rtruediv__(self, b):
        return Mul.apply(b, Inv.apply(self))

    def __radd__(self, b):
        return Add.apply(b, self)

    def __rmul__(self, b):
        return Mul.apply(b, self)

    def __neg__(self):
        return Neg.apply(self)

    def __bool__(self):
        return bool(self.data)

    def __lt__(self, b):
        return LT.apply(self, b)

    def __gt__(self, b):
        return -self < -b if isinstance(b, Scalar) else LT.apply(b, self)

    def __eq__(self, b):
        return EQ.apply(b, self)

    def log(self):
        return Log.apply(self)

    def exp(self):
        return Exp.apply(self)

    def sigmoid(self):
        return Sigmoid.apply(self)

    def relu(self):
        return ReLU.apply(self)

    def accumulate_derivative(self, x):
        if self.derivative is None:
            self.derivative = 0.0
        self.derivative += x

    def is_leaf(self):
        return self.history is not None and self.history.last_fn is None

    def is_constant(self):
        return self.history is None

    @property
    def parents(self) -> Iterable[Variable]:
        assert self.history is not None
        return self.history.inputs

    def chain_rule(self, d_output: Any) -> Iterable[Tuple[Variable, Any]]:
        h = self.history
        yield from zip(h.inputs, h.last_fn._backward(h.ctx, d_output))

    def backward(self, d_output=None):
        backpropagate(self, d_output if d_output is not None else 1.0)
