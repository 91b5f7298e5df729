"""Tensors: a Variable whose data is a TensorData, with the functions of tensor_functions.py as methods."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import operators
from .autodiff import Context, Variable, backpropagate
from .tensor_data import TensorData
from .tensor_functions import EQ, LT, Add, All, Copy, Exp, Inv, IsClose, Log, Mul, Neg, Permute, ReLU, Sigmoid, Sum, View

TensorLike = Any  # a Tensor, a float or an int


@dataclass
class History:
    """The function that made a Tensor, its context and its inputs. Those of a leaf are empty."""

    last_fn: Any = None
    ctx: Context | None = None
    inputs: Sequence[Tensor] = ()


_tensor_count = 0


class Tensor:
    def __init__(self, v: TensorData, back: History | None = None, name: str | None = None, backend: Any = None) -> None:
        global _tensor_count
        _tensor_count += 1
        self.unique_id = _tensor_count
        self.name = name or str(self.unique_id)
        self._tensor = v
        self.history = back
        self.backend = self.f = backend
        self.grad: Tensor | None = None

    def requires_grad_(self, x: bool) -> None:
        self.history = History() if x else None

    def requires_grad(self) -> bool:
        return self.history is not None

    @staticmethod
    def make(storage: Any, shape: Any, strides: Any = None, backend: Any = None) -> Tensor:
        return Tensor(TensorData(storage, shape, strides), backend=backend)

    def zeros(self, shape: Any = None) -> Tensor:
        shape = self.shape if shape is None else shape
        return Tensor.make([0.0] * int(operators.prod(shape)), shape, backend=self.backend)

    def detach(self) -> Tensor:
        return Tensor(self._tensor, backend=self.backend)

    def _new(self, tensor_data: TensorData) -> Tensor:
        return Tensor(tensor_data, backend=self.backend)

    def _type_(self, backend: Any) -> None:
        self.backend = self.f = backend

    def _ensure_tensor(self, b: TensorLike) -> Tensor:
        if isinstance(b, int | float | np.number):
            return Tensor.make([float(b)], (1,), backend=self.backend)
        b._type_(self.backend)
        return b  # type: ignore[no-any-return]

    # -- data

    @property
    def shape(self) -> Any:
        return self._tensor.shape

    @property
    def size(self) -> int:
        return self._tensor.size

    @property
    def dims(self) -> int:
        return self._tensor.dims

    def tuple(self) -> Any:
        return self._tensor.tuple()

    def to_numpy(self) -> Any:
        return self.contiguous()._tensor._storage.reshape(self.shape)

    def item(self) -> float:
        return float(self._tensor._storage[0])

    def __getitem__(self, key: Any) -> float:
        return self._tensor.get((key,) if isinstance(key, int) else key)

    def __setitem__(self, key: Any, val: float) -> None:
        self._tensor.set((key,) if isinstance(key, int) else key, val)

    def __repr__(self) -> str:
        return f"tensor({self.detach().to_numpy().tolist()})"

    # -- operations

    def __add__(self, b: TensorLike) -> Tensor:
        return Add.apply(self, self._ensure_tensor(b))

    def __sub__(self, b: TensorLike) -> Tensor:
        return Add.apply(self, -self._ensure_tensor(b))

    def __mul__(self, b: TensorLike) -> Tensor:
        return Mul.apply(self, self._ensure_tensor(b))

    def __truediv__(self, b: TensorLike) -> Tensor:
        return Mul.apply(self, Inv.apply(self._ensure_tensor(b)))

    def __radd__(self, b: TensorLike) -> Tensor:
        return self + b

    def __rmul__(self, b: TensorLike) -> Tensor:
        return self * b

    def __rtruediv__(self, b: TensorLike) -> Tensor:
        return Mul.apply(self._ensure_tensor(b), Inv.apply(self))

    def __neg__(self) -> Tensor:
        return Neg.apply(self)

    def __lt__(self, b: TensorLike) -> Tensor:
        return LT.apply(self, self._ensure_tensor(b))

    def __gt__(self, b: TensorLike) -> Tensor:
        return LT.apply(self._ensure_tensor(b), self)

    def __eq__(self, b: TensorLike) -> Tensor:  # type: ignore[override]
        return EQ.apply(self, self._ensure_tensor(b))

    def is_close(self, y: Tensor) -> Tensor:
        return IsClose.apply(self, y)

    def all(self, dim: int | None = None) -> Tensor:
        if dim is None:
            return All.apply(self.contiguous().view(self.size), self._ensure_tensor(0))
        return All.apply(self, self._ensure_tensor(dim))

    def sigmoid(self) -> Tensor:
        return Sigmoid.apply(self)

    def relu(self) -> Tensor:
        return ReLU.apply(self)

    def log(self) -> Tensor:
        return Log.apply(self)

    def exp(self) -> Tensor:
        return Exp.apply(self)

    def sum(self, dim: int | None = None) -> Tensor:
        if dim is None:
            return Sum.apply(self.contiguous().view(self.size), self._ensure_tensor(0))
        return Sum.apply(self, self._ensure_tensor(dim))

    def mean(self, dim: int | None = None) -> Tensor:
        return self.sum(dim) / (self.size if dim is None else self.shape[dim])

    def permute(self, *order: int) -> Tensor:
        return Permute.apply(self, Tensor.make(list(order), (len(order),), backend=self.backend))

    def view(self, *shape: int) -> Tensor:
        return View.apply(self, Tensor.make(list(shape), (len(shape),), backend=self.backend))

    def contiguous(self) -> Tensor:
        return Copy.apply(self)

    # -- derivatives

    def is_leaf(self) -> bool:
        return self.history is not None and self.history.last_fn is None

    def is_constant(self) -> bool:
        return self.history is None

    @property
    def parents(self) -> Iterable[Variable]:
        assert self.history is not None
        return self.history.inputs

    def accumulate_derivative(self, x: Any) -> None:
        assert self.is_leaf(), "only leaves have derivatives"
        self.grad = (self.zeros() if self.grad is None else self.grad) + x

    def expand(self, other: Tensor) -> Tensor:
        """A derivative in the shape of this tensor: repeated where it is smaller, and summed over axes along which this tensor
        was broadcast."""
        if self.shape == other.shape:
            return other
        shape = TensorData.shape_broadcast(self.shape, other.shape)
        out = self.zeros(shape)
        self.backend.id_map(other, out)
        own = (1,) * (len(shape) - len(self.shape)) + tuple(self.shape)
        for dim, size in enumerate(own):
            if size == 1 and shape[dim] != 1:
                out = self.backend.add_reduce(out, dim)
        return Tensor.make(out._tensor._storage, self.shape, backend=self.backend)

    def chain_rule(self, d_output: Any) -> Iterable[tuple[Variable, Any]]:
        h = self.history
        assert h is not None
        if not d_output._tensor.is_contiguous():
            d_output = d_output.contiguous()
        parts = h.last_fn._backward(h.ctx, d_output)
        pairs = zip(h.inputs, parts, strict=True)
        return [(v, v.expand(v._ensure_tensor(d))) for v, d in pairs if not v.is_constant()]

    def backward(self, grad_output: Tensor | None = None) -> None:
        if grad_output is None:
            assert self.shape == (1,), "only a tensor of shape (1,) has a default gradient"
            grad_output = Tensor.make([1.0], (1,), backend=self.backend)
        backpropagate(self, grad_output)

    def zero_grad_(self) -> None:
        self.grad = None
