"""The last entry is left out."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from . import operators
from .tensor_data import broadcast_index, index_to_position, shape_broadcast, to_index

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


def tensor_map(fn: Callable[[float], float]) -> Any:
    def _map(
        out: Storage,
        out_shape: Shape,
        out_strides: Strides,
        in_storage: Storage,
        in_shape: Shape,
        in_strides: Strides,
    ) -> None:
        out_index, in_index = np.zeros(len(out_shape), int), np.zeros(len(in_shape), int)
        for ordinal in range(int(np.prod(out_shape))):
            to_index(ordinal, out_shape, out_index)
            broadcast_index(out_index, out_shape, in_shape, in_index)
            value = in_storage[index_to_position(in_index, in_strides)]
            out[index_to_position(out_index, out_strides)] = fn(value)

    return _map


def tensor_zip(fn: Callable[[float, float], float]) -> Any:
    def _zip(
        out: Storage,
        out_shape: Shape,
        out_strides: Strides,
        a_storage: Storage,
        a_shape: Shape,
        a_strides: Strides,
        b_storage: Storage,
        b_shape: Shape,
        b_strides: Strides,
    ) -> None:
        out_index, a_index, b_index = (np.zeros(len(shape), int) for shape in (out_shape, a_shape, b_shape))
        for ordinal in range(int(np.prod(out_shape))):
            to_index(ordinal, out_shape, out_index)
            broadcast_index(out_index, out_shape, a_shape, a_index)
            broadcast_index(out_index, out_shape, b_shape, b_index)
            a = a_storage[index_to_position(a_index, a_strides)]
            b = b_storage[index_to_position(b_index, b_strides)]
            out[index_to_position(out_index, out_strides)] = fn(a, b)

    return _zip


def tensor_reduce(fn: Callable[[float, float], float]) -> Any:
    def _reduce(
        out: Storage,
        out_shape: Shape,
        out_strides: Strides,
        a_storage: Storage,
        a_shape: Shape,
        a_strides: Strides,
        reduce_dim: int,
    ) -> None:
        index = np.zeros(len(out_shape), int)
        for ordinal in range(int(np.prod(out_shape))):
            to_index(ordinal, out_shape, index)
            position = index_to_position(index, out_strides)
            for n in range(a_shape[reduce_dim] - 1):
                index[reduce_dim] = n
                out[position] = fn(out[position], a_storage[index_to_position(index, a_strides)])

    return _reduce


SimpleBackend = TensorBackend(SimpleOps)
