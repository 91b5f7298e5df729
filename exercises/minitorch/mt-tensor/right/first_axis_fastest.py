"""Indices are counted with the first axis fastest, which the order of the storage need not match."""

from __future__ import annotations

import numba
import numba.cuda
import numpy as np
import numpy.typing as npt
from numpy import array, float64
from typing_extensions import TypeAlias

from . import operators

MAX_DIMS = 32
Storage: TypeAlias = npt.NDArray[np.float64]


class IndexingError(RuntimeError):
    pass


def index_to_position(index, strides):
    n = len(strides)
    return int(np.dot(np.asarray(index)[:n], strides))


def to_index(ordinal, shape, out_index):
    for i in range(len(shape)):
        out_index[i] = ordinal % shape[i]
        ordinal = ordinal // shape[i]


def broadcast_index(big_index, big_shape, shape, out_index):
    for back in range(1, len(shape) + 1):
        if shape[-back] == 1:
            out_index[len(shape) - back] = 0
        else:
            out_index[len(shape) - back] = big_index[len(big_shape) - back]


def shape_broadcast(shape1, shape2):
    if len(shape1) < len(shape2):
        shape1, shape2 = shape2, shape1
    result = list(shape1)
    for i in range(1, len(shape2) + 1):
        a, b = shape1[-i], shape2[-i]
        if a == 1:
            result[-i] = b
        elif b not in (1, a):
            raise IndexingError(f"axis {-i}: {a} and {b}")
    return tuple(result)


def strides_from_shape(shape):
    return tuple(int(operators.prod(shape[i + 1 :])) for i in range(len(shape)))


class TensorData:
    def __init__(self, storage, shape, strides=None):
        self._storage = storage if isinstance(storage, np.ndarray) else array(storage, dtype=float64)
        if strides is None:
            strides = strides_from_shape(shape)
        assert isinstance(strides, tuple), "Strides must be tuple"
        assert isinstance(shape, tuple), "Shape must be tuple"
        self._strides, self._shape = array(strides), array(shape)
        self.strides, self.shape, self.dims = strides, shape, len(strides)
        self.size = int(operators.prod(shape))
        assert len(self._storage) == self.size

    def to_cuda_(self):
        if not numba.cuda.is_cuda_array(self._storage):
            self._storage = numba.cuda.to_device(self._storage)

    def is_contiguous(self):
        last = 1e9
        for stride in self._strides:
            if stride > last:
                return False
            last = stride
        return True

    @staticmethod
    def shape_broadcast(a, b):
        return shape_broadcast(a, b)

    def index(self, index):
        return index_to_position(array(index), self._strides)

    def get(self, key):
        return self._storage[self.index(key)]

    def set(self, key, val):
        self._storage[self.index(key)] = val

    def tuple(self):
        return (self._storage, self._shape, self._strides)

    def permute(self, *order):
        assert sorted(order) == list(range(self.dims))
        return TensorData(self._storage, tuple(self._shape[list(order)]), tuple(self._strides[list(order)]))
