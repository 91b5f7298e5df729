"""Runs the operators on arrays, and programs on tensors."""

import numpy as np
from needle import Tensor
from needle.ops.ops_mathematic import (
    add,
    add_scalar,
    broadcast_to,
    divide,
    divide_scalar,
    exp,
    log,
    matmul,
    mul_scalar,
    multiply,
    negate,
    power,
    power_scalar,
    relu,
    reshape,
    summation,
    transpose,
)


def _array(tensor):
    if not isinstance(tensor, Tensor):
        raise TypeError(f"expected a Tensor, got {type(tensor).__name__}")
    return np.asarray(tensor.realize_cached_data())


def _apply(function, arrays, options):
    return function(*(Tensor.make_const(array, requires_grad=True) for array in arrays), **options)


def _forward(function):
    def forward(*arrays, **options):
        return _array(_apply(function, arrays, options))

    return forward


def _vjp(function):
    def vjp(g, *arrays, **options):
        node = _apply(function, arrays, options)
        return tuple(_array(part) for part in node.op.gradient_as_tuple(Tensor.make_const(g), node))

    return vjp


for _function in (
    *(add, add_scalar, multiply, mul_scalar, power, power_scalar, divide, divide_scalar, negate, log, exp, relu),
    *(transpose, reshape, broadcast_to, summation, matmul),
):
    globals()[f"{_function.__name__}_forward"] = _forward(_function)
    globals()[f"{_function.__name__}_vjp"] = _vjp(_function)


class Node:
    """A tensor with the operators and methods of a program."""

    def __init__(self, data, requires_grad=False):
        self.tensor = Tensor(data)

    @classmethod
    def of(cls, tensor):
        node = cls.__new__(cls)
        node.tensor = tensor
        return node

    @property
    def data(self):
        return _array(self.tensor)

    @property
    def grad(self):
        return _array(self.tensor.grad) if hasattr(self.tensor, "grad") else None

    def backward(self, gradient=None):
        self.tensor.backward(None if gradient is None else Tensor(gradient))

    def _with(self, other, of_tensors, of_number):
        if isinstance(other, Node):
            return self.of(of_tensors(self.tensor, other.tensor))
        return self.of(of_number(self.tensor, other))

    def __add__(self, other):
        return self._with(other, add, add_scalar)

    def __mul__(self, other):
        return self._with(other, multiply, mul_scalar)

    def __truediv__(self, other):
        return self._with(other, divide, divide_scalar)

    def __pow__(self, other):
        return self._with(other, power, power_scalar)

    def __sub__(self, other):
        return self + (-other)

    def __neg__(self):
        return self.of(negate(self.tensor))

    def __rsub__(self, other):
        return -self + other

    def __rtruediv__(self, other):
        return self**-1 * other

    __radd__ = __add__
    __rmul__ = __mul__

    def __matmul__(self, other):
        return self.of(matmul(self.tensor, other.tensor))

    def exp(self):
        return self.of(exp(self.tensor))

    def log(self):
        return self.of(log(self.tensor))

    def relu(self):
        return self.of(relu(self.tensor))

    def sum(self, axis=None, keepdims=False):
        total = summation(self.tensor, axes=axis)
        if keepdims:
            total = reshape(total, self.data.sum(axis=axis, keepdims=True).shape)
        return self.of(total)

    def reshape(self, shape):
        return self.of(reshape(self.tensor, shape))

    def expand(self, shape):
        return self.of(broadcast_to(self.tensor, shape))

    def permute(self, axes):
        """Swaps two axes, which are all that differ."""
        moved = tuple(axis for axis, origin in enumerate(axes) if axis != origin)
        return self.of(transpose(self.tensor, axes=moved)) if moved else self
