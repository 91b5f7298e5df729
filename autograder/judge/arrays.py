"""Converts arrays and tensors between the judge and the wire format.

The judge reads every array from raw bytes with NumPy. Torch is used only when a caller passes a tensor, so grading a
`python` exercise never imports it.
"""

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sandbox.wire import Array, seal

if TYPE_CHECKING:
    import torch

Numbers = npt.NDArray[Any]


def array(values: npt.ArrayLike, *, layout: str = "contiguous") -> Array:
    """A NumPy array for the student, with the memory layout that `layout` names."""
    return _wire("numpy", np.asarray(values), False, layout)


def tensor(values: npt.ArrayLike, *, requires_grad: bool = False, layout: str = "contiguous") -> Array:
    """A torch tensor for the student, created from numbers without importing torch."""
    return _wire("torch", np.asarray(values), requires_grad, layout)


def to_wire(value: Any, foreign: Callable[[Any], Any] | None = None) -> Any:
    """Plain data, NumPy arrays and torch tensors as wire values. `foreign` converts anything else."""
    return seal(value, lambda other: _foreign(other, foreign))


def to_numpy(value: Any) -> Numbers:
    """The numbers of an `Array`, a tensor, an array or a plain number as a NumPy array."""
    if isinstance(value, Array):
        if value.dtype == "bfloat16":  # a bfloat16 is the upper half of a float32
            wide = np.frombuffer(value.data, dtype="uint16").astype("uint32") << 16
            return wide.view("float32").reshape(value.shape)
        return np.frombuffer(value.data, dtype=value.dtype).reshape(value.shape)
    if _is_tensor(value):
        return np.asarray(value.detach().resolve_conj().resolve_neg().contiguous().numpy())
    return np.asarray(value)


def to_torch(value: Array) -> "torch.Tensor":
    """A tensor with the numbers of an `Array`, for use in the judge."""
    import torch

    return torch.from_numpy(to_numpy(value).copy())


def _wire(kind: str, values: Numbers, graph: bool, layout: str) -> Array:
    return Array(kind, str(values.dtype), values.shape, np.ascontiguousarray(values).tobytes(), graph, layout)


def _foreign(value: Any, foreign: Callable[[Any], Any] | None) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        return array(value)
    if _is_tensor(value):
        return tensor(to_numpy(value), requires_grad=bool(value.requires_grad))
    if foreign is not None:
        return foreign(value)
    raise TypeError(f"a {type(value).__name__} cannot be sent to a submission")


def _is_tensor(value: object) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)
