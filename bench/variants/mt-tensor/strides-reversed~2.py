"""The first index belongs to the last stride."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from typing_extensions import TypeAlias

from .operators import prod

MAX_DIMS = 32


class IndexingError(RuntimeError):
    """Shapes do not fit."""


Storage: TypeAlias = npt.NDArray[np.float64]
Index: TypeAlias = npt.NDArray[np.int64]
OutIndex: TypeAlias = npt.NDArray[np.int64]
Shape: TypeAlias = npt.NDArray[np.int64]
Strides: TypeAlias = npt.NDArray[np.int64]

UserIndex: TypeAlias = Sequence[int]
UserShape: TypeAlias = Sequence[int]
UserStrides: TypeAlias = Sequence[int]


def index_to_position(index: Index, strides: Strides) -> int:
    position = 0
    for k in range(len(index)):
        position += index[k] * strides[-1 - k]
    return int(position)


def to_index(ordinal: int, shape: Shape, out_index: OutIndex) -> None:
    rest = ordinal
    for axis in reversed(range(len(shape))):
        rest, out_index[axis] = divmod(rest, shape[axis])


def broadcast_index(big_index: Index, big_shape: Shape, shape: Shape, out_index: OutIndex) -> None:
    extra = len(big_shape) - len(shape)
    for axis, size in enumerate(shape):
        out_index[axis] = 0 if size == 1 else big_index[extra + axis]


def shape_broadcast(shape1: UserShape, shape2: UserShape) -> UserShape:
    dims = max(len(shape1), len(shape2))
    left = (1,) * (dims - len(shape1)) + tuple(shape1)
    right = (1,) * (dims - len(shape2)) + tuple(shape2)
    for a, b in zip(left, right, strict=True):
        if a != b and a != 1 and b != 1:
            raise IndexingError(f"{shape1} and {shape2} cannot be broadcast")
    return tuple(max(sizes) for sizes in zip(left, right, strict=True))


def strides_from_shape(shape: UserShape) -> UserStrides:
    strides: list[int] = []
    offset = 1
    for size in reversed(shape):
        strides.insert(0, offset)
        offset *= size
    return tuple(strides)


class TensorData:
    def __init__(self, storage: Any, shape: UserShape, strides: UserStrides | None = None) -> None:
        self._storage: Storage = np.asarray(storage, dtype=np.float64)
        self.shape = tuple(shape)
        self.strides = strides_from_shape(shape) if strides is None else tuple(strides)
        self._shape: Shape = np.array(self.shape)
        self._strides: Strides = np.array(self.strides)
        self.dims = len(self.shape)
        self.size = int(prod(shape))

    def tuple(self) -> tuple[Storage, Shape, Strides]:
        return self._storage, self._shape, self._strides

    def is_contiguous(self) -> bool:
        """Whether no stride is larger than the one before it."""
        return all(left >= right for left, right in zip(self.strides, self.strides[1:], strict=False))

    @staticmethod
    def shape_broadcast(shape_a: UserShape, shape_b: UserShape) -> UserShape:
        return shape_broadcast(shape_a, shape_b)

    def get(self, key: UserIndex) -> float:
        return float(self._storage[index_to_position(np.array(key), self._strides)])

    def set(self, key: UserIndex, val: float) -> None:
        self._storage[index_to_position(np.array(key), self._strides)] = val

    def permute(self, *order: int) -> TensorData:
        shape = tuple(self.shape[axis] for axis in order)
        return TensorData(self._storage, shape, tuple(self.strides[axis] for axis in order))
