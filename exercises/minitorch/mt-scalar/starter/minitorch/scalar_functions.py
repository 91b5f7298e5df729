"""The functions that make Scalars: each has a forward and a backward on plain numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import minitorch

from . import operators
from .autodiff import Context

if TYPE_CHECKING:
    from .scalar import Scalar


class ScalarFunction:
    @classmethod
    def _backward(cls, ctx: Context, d_out: float) -> tuple[float, ...]:
        found = cls.backward(ctx, d_out)  # type: ignore[attr-defined]
        return found if isinstance(found, tuple) else (found,)

    @classmethod
    def _forward(cls, ctx: Context, *inps: float) -> float:
        return cls.forward(ctx, *inps)  # type: ignore[attr-defined, no-any-return]

    @classmethod
    def apply(cls, *vals: Any) -> Scalar:
        scalars = [v if isinstance(v, minitorch.scalar.Scalar) else minitorch.scalar.Scalar(v) for v in vals]
        ctx = Context()
        result = cls._forward(ctx, *(s.data for s in scalars))
        return minitorch.scalar.Scalar(result, minitorch.scalar.ScalarHistory(cls, ctx, scalars))


class Add(ScalarFunction):
    @staticmethod
    def forward(ctx: Context, a: float, b: float) -> float:
        return a + b

    @staticmethod
    def backward(ctx: Context, d_output: float) -> tuple[float, float]:
        return d_output, d_output


class Log(ScalarFunction):
    @staticmethod
    def forward(ctx: Context, a: float) -> float:
        ctx.save_for_backward(a)
        return operators.log(a)

    @staticmethod
    def backward(ctx: Context, d_output: float) -> float:
        (a,) = ctx.saved_values
        return operators.log_back(a, d_output)


class Mul(ScalarFunction):
    @staticmethod
    def forward(ctx: Context, a: float, b: float) -> float:
        raise NotImplementedError("write this function")

    @staticmethod
    def backward(ctx: Context, d_output: float) -> tuple[float, float]:
        raise NotImplementedError("write this function")


class Inv(ScalarFunction):
    @staticmethod
    def forward(ctx: Context, a: float) -> float:
        raise NotImplementedError("write this function")

    @staticmethod
    def backward(ctx: Context, d_output: float) -> float:
        raise NotImplementedError("write this function")


class Neg(ScalarFunction):
    @staticmethod
    def forward(ctx: Context, a: float) -> float:
        raise NotImplementedError("write this function")

    @staticmethod
    def backward(ctx: Context, d_output: float) -> float:
        raise NotImplementedError("write this function")


class Sigmoid(ScalarFunction):
    @staticmethod
    def forward(ctx: Context, a: float) -> float:
        raise NotImplementedError("write this function")

    @staticmethod
    def backward(ctx: Context, d_output: float) -> float:
        raise NotImplementedError("write this function")


class ReLU(ScalarFunction):
    @staticmethod
    def forward(ctx: Context, a: float) -> float:
        raise NotImplementedError("write this function")

    @staticmethod
    def backward(ctx: Context, d_output: float) -> float:
        raise NotImplementedError("write this function")


class Exp(ScalarFunction):
    @staticmethod
    def forward(ctx: Context, a: float) -> float:
        raise NotImplementedError("write this function")

    @staticmethod
    def backward(ctx: Context, d_output: float) -> float:
        raise NotImplementedError("write this function")


class LT(ScalarFunction):
    @staticmethod
    def forward(ctx: Context, a: float, b: float) -> float:
        raise NotImplementedError("write this function")

    @staticmethod
    def backward(ctx: Context, d_output: float) -> tuple[float, float]:
        raise NotImplementedError("write this function")


class EQ(ScalarFunction):
    @staticmethod
    def forward(ctx: Context, a: float, b: float) -> float:
        raise NotImplementedError("write this function")

    @staticmethod
    def backward(ctx: Context, d_output: float) -> tuple[float, float]:
        raise NotImplementedError("write this function")
