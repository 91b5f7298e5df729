"""The positions of all entries are computed at once, and reduce walks along the axis."""


from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from . import operators
from .tensor_data import shape_broadcast

if TYPE_CHECKING:
    from .tensor import Tensor
    from .tensor_data import Shape, Storage, Strides


class TensorOps:
    """A set of map, zip and reduce. Each turns a function of numbers into one of tensors."""

    cuda = False


class TensorBackend:
    def __init__(self, ops: type[Any]) -> None:
        self.neg_map = ops.map(operators.neg)
        self.sigmoid_map = ops.map(operators.sigmoid)
        self.relu_map = ops.map(operators.relu)
        self.log_map = ops.map(operators.log)
        self.exp_map = ops.map(operators.exp)
        self.id_map = ops.map(operators.id)
        self.inv_map = ops.map(operators.inv)
        self.add_zip = ops.zip(operators.add)
        self.mul_zip = ops.zip(operators.mul)
        self.lt_zip = ops.zip(operators.lt)
        self.eq_zip = ops.zip(operators.eq)
        self.is_close_zip = ops.zip(operators.is_close)
        self.relu_back_zip = ops.zip(operators.relu_back)
        self.log_back_zip = ops.zip(operators.log_back)
        self.inv_back_zip = ops.zip(operators.inv_back)
        self.add_reduce = ops.reduce(operators.add, 0.0)
        self.mul_reduce = ops.reduce(operators.mul, 1.0)
        self.cuda = ops.cuda


class SimpleOps(TensorOps):
    @staticmethod
    def map(fn: Callable[[float], float]) -> Callable[..., Tensor]:
        f = tensor_map(fn)

        def ret(a: Tensor, out: Tensor | None = None) -> Tensor:
            if out is None:
                out = a.zeros(a.shape)
            f(*out.tuple(), *a.tuple())
            return out

        return ret

    @staticmethod
    def zip(fn: Callable[[float, float], float]) -> Callable[[Tensor, Tensor], Tensor]:
        f = tensor_zip(fn)

        def ret(a: Tensor, b: Tensor) -> Tensor:
            out = a.zeros(shape_broadcast(a.shape, b.shape))
            f(*out.tuple(), *a.tuple(), *b.tuple())
            return out

        return ret

    @staticmethod
    def reduce(fn: Callable[[float, float], float], start: float = 0.0) -> Callable[[Tensor, int], Tensor]:
        f = tensor_reduce(fn)

        def ret(a: Tensor, dim: int) -> Tensor:
            shape = list(a.shape)
            shape[dim] = 1
            out = a.zeros(tuple(shape))
            out._tensor._storage[:] = start
            f(*out.tuple(), *a.tuple(), dim)
            return out

        return ret


def places(big, shape, strides):
    """The position of the entry for every index of a bigger shape."""
    grid = np.indices(tuple(int(n) for n in big))[len(big) - len(shape) :] if len(big) else np.zeros((0,))
    found = np.zeros(tuple(int(n) for n in big), dtype=np.int64)
    for axis, (size, stride) in enumerate(zip(shape, strides)):
        if size != 1:
            found = found + grid[axis] * stride
    return found.ravel()


def tensor_map(fn):
    def _map(out, out_shape, out_strides, in_storage, in_shape, in_strides):
        values = in_storage[places(out_shape, in_shape, in_strides)]
        out[places(out_shape, out_shape, out_strides)] = [fn(x) for x in values]

    return _map


def tensor_zip(fn):
    def _zip(out, out_shape, out_strides, a_storage, a_shape, a_strides, b_storage, b_shape, b_strides):
        left = a_storage[places(out_shape, a_shape, a_strides)]
        right = b_storage[places(out_shape, b_shape, b_strides)]
        out[places(out_shape, out_shape, out_strides)] = [fn(x, y) for x, y in zip(left, right)]

    return _zip


def tensor_reduce(fn):
    def _reduce(out, out_shape, out_strides, a_storage, a_shape, a_strides, reduce_dim):
        first = places(out_shape, out_shape, a_strides)
        total = a_storage[first]
        for n in range(1, a_shape[reduce_dim]):
            total = [fn(x, y) for x, y in zip(total, a_storage[first + n * a_strides[reduce_dim]])]
        out[places(out_shape, out_shape, out_strides)] = total

    return _reduce


SimpleBackend = TensorBackend(SimpleOps)
