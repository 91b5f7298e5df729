"""The names of the student's files in one module, and a Scalar with the attributes that programs read."""

import operator

from minitorch.autodiff import *  # noqa: F403
from minitorch.scalar import *  # noqa: F403
from minitorch.scalar import Scalar
from minitorch.scalar_functions import *  # noqa: F403


def _scalar_of(item):
    return item.scalar if isinstance(item, Value) else item


def _binary(operate):
    return lambda self, other: Value(operate(self.scalar, _scalar_of(other)))


def _reflected(operate):
    return lambda self, other: Value(operate(other, self.scalar))


def _method(name):
    return lambda self: Value(getattr(self.scalar, name)())


class Value:
    """Holds a Scalar. `grad` is its derivative as a number: 0 if it has none."""

    def __init__(self, data):
        self.scalar = Scalar(data) if isinstance(data, int | float) else data

    @property
    def data(self):
        return self.scalar.data

    @property
    def grad(self):
        derivative = self.scalar.derivative
        return 0.0 if derivative is None else derivative

    def backward(self):
        self.scalar.backward()

    __add__, __radd__ = _binary(operator.add), _reflected(operator.add)
    __mul__, __rmul__ = _binary(operator.mul), _reflected(operator.mul)
    __truediv__, __rtruediv__ = _binary(operator.truediv), _reflected(operator.truediv)
    __sub__ = _binary(operator.sub)

    def __neg__(self):
        return Value(-self.scalar)

    exp, log, relu, sigmoid = _method("exp"), _method("log"), _method("relu"), _method("sigmoid")
