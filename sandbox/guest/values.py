"""Converts the student's objects to wire values and back. Numbers are sent as raw bytes; unknown objects only as a type name.

The functions that read a tensor are captured before any student code runs. This makes tampering harder but guarantees
nothing: a process that lies about its tensors has merely answered with wrong numbers.
"""

import sys
from collections.abc import Callable
from typing import Any

from sandbox.wire import ITEM_SIZES, NAME_LIMIT, Array, Callback, Opaque, seal


def describe_type(value: object) -> str:
    kind = type(value)
    module = kind.__module__ if type(kind.__module__) is str else "?"
    name = kind.__qualname__ if type(kind.__qualname__) is str else "?"
    return (name if module in ("builtins", "submission") else f"{module}.{name}")[:NAME_LIMIT]


class Values:
    """Converts values for one profile: `python` has no arrays, `numpy` has arrays, `torch` has arrays and tensors."""

    def __init__(self, profile: str) -> None:
        self._encoders: dict[type, Callable[[Any], Any]] = {}
        self.writers: dict[type, Callable[[Any, Any], Any]] = {}  # write an array into another one
        self._builders: dict[str, Callable[[Array], Any]] = {}
        self._same: dict[type, Callable[[Array, Any], bool]] = {}
        if profile in ("numpy", "torch"):
            self._learn_numpy()
        if profile == "torch":
            self._learn_torch()

    def to_wire(self, value: Any) -> Any:
        return seal(value, self._foreign)

    def from_wire(self, value: Any, callback: Callable[[int], Any] | None = None) -> Any:
        """`callback` makes the function that stands for a callback of the host."""
        kind = type(value)
        if kind is Array:
            builder = self._builders.get(value.kind)
            if builder is None:
                raise TypeError(f"this profile has no {value.kind}")
            return builder(value)
        if kind is list:
            return [self.from_wire(item, callback) for item in value]
        if kind is tuple:
            return tuple(self.from_wire(item, callback) for item in value)
        if kind is dict:
            return {name: self.from_wire(item, callback) for name, item in value.items()}
        return callback(value.number) if kind is Callback and callback is not None else value

    def unchanged(self, sent: Any, passed: Any) -> bool:
        """Return whether every array in `passed`, which was built from `sent`, still has its type, shape, dtype and bytes.

        Cheaper than converting `passed` to the wire format, so that it can be checked after every call.
        """
        kind = type(sent)
        if kind is Array:
            same = self._same.get(type(passed))
            return same is not None and same(sent, passed)
        if kind is list or kind is tuple:
            return type(passed) is kind and len(passed) == len(sent) and all(map(self.unchanged, sent, passed))
        if kind is dict:
            return (
                type(passed) is kind
                and passed.keys() == sent.keys()
                and all(map(self.unchanged, sent.values(), passed.values()))
            )
        return True

    def _foreign(self, value: Any) -> Any:
        encode = self._encoders.get(type(value))
        return encode(value) if encode is not None else Opaque(describe_type(value))

    def _learn_numpy(self) -> None:
        import numpy as np

        contiguous, generic = np.ascontiguousarray, np.generic

        def encode(array: Any) -> Any:
            name = str(array.dtype)
            if name not in ITEM_SIZES or not array.dtype.isnative:
                return Opaque(f"numpy array of {name[:40]}")
            return Array("numpy", name, tuple(array.shape), contiguous(array).tobytes())

        def build(array: Array) -> Any:
            return _lay_out(np.frombuffer(array.data, dtype=array.dtype).reshape(array.shape), array.layout)

        def _lay_out(flat: Any, layout: str) -> Any:
            if layout == "transposed" and flat.ndim:
                return np.asfortranarray(flat).copy(order="F")
            if layout == "strided" and flat.ndim:
                wide = np.full((*flat.shape[:-1], 2 * flat.shape[-1]), 77, dtype=flat.dtype)
                wide[..., ::2] = flat
                return wide[..., ::2]
            return flat.copy()

        self._encoders[np.ndarray], self.writers[np.ndarray] = encode, np.copyto
        for kind in {type(np.zeros((), name)[()]) for name in ITEM_SIZES if name != "bfloat16"}:
            if issubclass(kind, generic):
                self._encoders[kind] = lambda scalar: encode(np.asarray(scalar))
        dtypes = {name: np.dtype(name) for name in ITEM_SIZES if name != "bfloat16"}

        def unchanged(sent: Array, array: Any) -> bool:
            return bool(array.dtype == dtypes[sent.dtype] and array.shape == sent.shape and array.tobytes() == sent.data)

        self._builders["numpy"] = build
        self._same[np.ndarray] = unchanged

    def _learn_torch(self) -> None:
        import numpy as np
        import torch

        tensor, detach, contiguous = torch.Tensor, torch.Tensor.detach, torch.Tensor.contiguous
        to_numpy, resolve_conj, resolve_neg = torch.Tensor.numpy, torch.Tensor.resolve_conj, torch.Tensor.resolve_neg
        clone, copy_ = torch.Tensor.clone, torch.Tensor.copy_
        strided, cpu, bfloat16, int16 = torch.strided, torch.device("cpu"), torch.bfloat16, torch.int16
        names = {getattr(torch, name): name for name in ITEM_SIZES}

        def encode(value: Any) -> Any:
            name = names.get(value.dtype)
            if name is None or value.layout is not strided or value.device != cpu:
                return Opaque(f"{str(value.layout).removeprefix('torch.')} tensor of {value.dtype} on {value.device}")
            graph = bool(value.requires_grad)
            # the clone materialises the zeros of a ZeroTensor
            plain = clone(contiguous(resolve_neg(resolve_conj(detach(value)))))
            data = to_numpy(plain.view(int16) if value.dtype is bfloat16 else plain).tobytes()
            return Array("torch", name, tuple(value.shape), data, graph)

        def build(array: Array) -> Any:
            name = "int16" if array.dtype == "bfloat16" else array.dtype
            flat = torch.from_numpy(np.frombuffer(array.data, dtype=name).reshape(array.shape).copy())
            flat = flat.view(bfloat16) if array.dtype == "bfloat16" else flat
            return _lay_out(flat, array.layout).requires_grad_(array.graph)

        def _lay_out(flat: Any, layout: str) -> Any:
            if layout == "transposed":
                axes = tuple(range(flat.dim()))[::-1]
                return flat.permute(axes).contiguous().permute(axes)
            if layout == "strided" and flat.dim():
                wide = torch.full((*flat.shape[:-1], 2 * flat.shape[-1]), 77, dtype=flat.dtype)
                wide[..., ::2] = flat
                return wide[..., ::2]
            return flat

        def unchanged(sent: Array, value: Any) -> bool:
            if value.shape != sent.shape or names.get(value.dtype) != sent.dtype or value.layout is not strided:
                return False
            plain = detach(value)
            plain = plain.view(int16) if value.dtype is bfloat16 else plain
            try:
                return bool(to_numpy(plain).tobytes() == sent.data)
            # negative bit, conjugate bit or another device: converted and compared by the caller
            except (RuntimeError, TypeError):
                return False

        self._same[tensor] = unchanged
        self._encoders[tensor], self.writers[tensor] = encode, lambda old, new: copy_(detach(old), new)
        self._encoders[torch.nn.Parameter] = encode
        self._builders["torch"] = build


def forget(*names: str) -> None:
    """Remove modules from the import system. Existing references keep working, but a submission cannot import them."""
    for name in list(sys.modules):
        if name.split(".")[0] in names:
            del sys.modules[name]
