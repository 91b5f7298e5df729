"""Every function saves its inputs and computes again what backward needs."""

import math

import minitorch
from minitorch import operators
from minitorch.autodiff import Context


def wrap_tuple(x):
    return x if isinstance(x, tuple) else (x,)


class ScalarFunction:
    @classmethod
    def _backward(cls, ctx, d_out):
        return wrap_tuple(cls.backward(ctx, d_out))

    @classmethod
    def _forward(cls, ctx, *inps):
        return cls.forward(ctx, *inps)

    @classmethod
    def apply(cls, *vals):
        raw, scalars = [], []
        for v in vals:
            if isinstance(v, minitorch.Scalar):
                scalars.append(v)
                raw.append(v.data)
            else:
                scalars.append(minitorch.Scalar(v, None))
                raw.append(v)
        ctx = Context(False)
        c = cls._forward(ctx, *raw)
        assert isinstance(c, float), f"Expected a float, got {type(c)}"
        return minitorch.Scalar(c, minitorch.ScalarHistory(cls, ctx, scalars))


class Add(ScalarFunction):
    @staticmethod
    def forward(ctx, a, b):
        return operators.add(a, b)

    @staticmethod
    def backward(ctx, d_output):
        return d_output, d_output


class Mul(ScalarFunction):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return operators.mul(a, b)

    @staticmethod
    def backward(ctx, d_output):
        a, b = ctx.saved_tensors
        return b * d_output, a * d_output


class Log(ScalarFunction):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return math.log(a)

    @staticmethod
    def backward(ctx, d_output):
        return d_output / ctx.saved_values[0]


class Inv(ScalarFunction):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return 1 / a

    @staticmethod
    def backward(ctx, d_output):
        (a,) = ctx.saved_values
        return (-1.0 / a**2) * d_output


class Neg(ScalarFunction):
    @staticmethod
    def forward(ctx, a):
        return float(operators.neg(a))

    @staticmethod
    def backward(ctx, d_output):
        return operators.neg(d_output)


class Sigmoid(ScalarFunction):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return operators.sigmoid(a)

    @staticmethod
    def backward(ctx, d_output):
        (a,) = ctx.saved_values
        return operators.sigmoid(a) * operators.sigmoid(-a) * d_output


class ReLU(ScalarFunction):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return max(a, 0.0)

    @staticmethod
    def backward(ctx, d_output):
        return float(ctx.saved_values[0] > 0) * d_output


class Exp(ScalarFunction):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return math.exp(a)

    @staticmethod
    def backward(ctx, d_output):
        (a,) = ctx.saved_values
        return operators.exp(a) * d_output


class LT(ScalarFunction):
    @staticmethod
    def forward(ctx, a, b):
        return float(a < b)

    @staticmethod
    def backward(ctx, d_output):
        return 0, 0


class EQ(ScalarFunction):
    @staticmethod
    def forward(ctx, a, b):
        return float(a == b)

    @staticmethod
    def backward(ctx, d_output):
        return 0, 0
