"""The names of the student's files in one module, and tensors with the methods that programs call."""

import operator

import minitorch
import numpy as np
from minitorch.tensor import Tensor as MiniTensor
from minitorch.tensor_data import *  # noqa: F403
from minitorch.tensor_data import TensorData
from minitorch.tensor_functions import *  # noqa: F403
from minitorch.tensor_functions import tensor
from minitorch.tensor_ops import *  # noqa: F403
from minitorch.tensor_ops import SimpleBackend


def array_of(mini):
    """The numbers of a tensor of the student's, by its storage, shape and strides."""
    storage, shape, strides = mini.tuple()
    positions = np.zeros((), dtype=np.int64)
    for size, stride in zip(shape, strides, strict=True):
        positions = positions[..., np.newaxis] + np.arange(size) * int(stride)
    return np.asarray(storage)[positions]


def mini_tensor(data, strides=None):
    """A constant with the numbers of an array, stored with the axes in reverse order if `strides` is "reversed"."""
    data = np.asarray(data, dtype=np.float64)
    if strides != "reversed":
        return MiniTensor.make(data.reshape(-1).copy(), data.shape, backend=SimpleBackend)
    sizes = np.cumprod((1, *data.shape[:-1]))
    stored = data.transpose().reshape(-1).copy()
    return MiniTensor(TensorData(stored, data.shape, tuple(int(size) for size in sizes)), backend=SimpleBackend)


def _binary(operate):
    return lambda self, other: self.result(operate(self.mini, other.mini if isinstance(other, Tensor) else other))


def _reflected(operate):
    return lambda self, other: self.result(operate(other, self.mini))


def _method(name):
    return lambda self: self.result(getattr(self.mini, name)())


class Tensor:
    """Holds a Tensor of minitorch."""

    def __init__(self, data, requires_grad=False):
        self.mini = self.made(data, requires_grad)

    @staticmethod
    def made(data, requires_grad):
        return tensor(data.tolist(), requires_grad=requires_grad)

    @staticmethod
    def result(mini):
        wrapped = Tensor.__new__(Tensor)
        wrapped.mini = mini
        return wrapped

    @property
    def data(self):
        return array_of(self.mini)

    @property
    def grad(self):
        return None if self.mini.grad is None else array_of(self.mini.grad)

    def backward(self, gradient=None):
        self.mini.backward(None if gradient is None else mini_tensor(gradient))

    __add__, __radd__ = _binary(operator.add), _reflected(operator.add)
    __mul__, __rmul__ = _binary(operator.mul), _reflected(operator.mul)
    __truediv__, __rtruediv__ = _binary(operator.truediv), _reflected(operator.truediv)
    __sub__ = _binary(operator.sub)

    def __neg__(self):
        return self.result(-self.mini)

    exp, log, relu, sigmoid = _method("exp"), _method("log"), _method("relu"), _method("sigmoid")

    def sum(self, axis=None, keepdims=False):
        return self._reduced(self.mini.sum(axis), axis, keepdims)

    def mean(self, axis=None, keepdims=False):
        return self._reduced(self.mini.mean(axis), axis, keepdims)

    def _reduced(self, mini, axis, keepdims):
        """minitorch keeps an axis of size 1, or a single axis of all."""
        shape = [1 if axis in (None, n) else size for n, size in enumerate(self.mini.shape)]
        if not keepdims:
            shape = [size for n, size in enumerate(shape) if axis is not None and n != axis] or [1]
        return self.result(mini if tuple(shape) == tuple(mini.shape) else mini.contiguous().view(*shape))

    def reshape(self, shape):
        return self.result(self.mini.contiguous().view(*shape))

    def permute(self, axes):
        return self.result(self.mini.permute(*axes))


class ReversedTensor(Tensor):
    """A Tensor whose leaves are stored with the axes in reverse order."""

    @staticmethod
    def made(data, requires_grad):
        mini = mini_tensor(data, "reversed")
        if requires_grad:
            mini.requires_grad_(True)
        return mini
