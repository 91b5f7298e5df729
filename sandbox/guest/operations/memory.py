"""Measures what a forward pass saves for its backward pass, and which outputs stay alive after their last reference is gone."""

import gc
import types
import weakref
from typing import Any

import torch

from sandbox.guest.operations.functions import _leaves, _outputs, _target


def saved(module: types.ModuleType, args: list[Any], options: dict[str, Any]) -> dict[str, Any]:
    """Call an entry point. Returns the tensors it saved (size in bytes and owner of the storage) and the outputs that stay alive.

    `alive` is measured with the cycle collector off: an output that only the collector can free leaks a whole graph.
    """
    xs = _leaves(args)
    packed: list[torch.Tensor] = []

    def pack(tensor: torch.Tensor) -> torch.Tensor:
        packed.append(tensor)
        return tensor.detach()  # the tensor itself would keep its own graph alive

    gc.collect()
    gc.disable()
    try:
        with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
            outputs = _outputs(_target(module, options["name"])(*xs))
        places = {x.untyped_storage().data_ptr(): f"input {n}" for n, x in enumerate(xs) if torch.is_tensor(x)}
        places |= {y.untyped_storage().data_ptr(): f"output {n}" for n, y in enumerate(outputs)}
        kept = [
            {"bytes": t.numel() * t.element_size(), "of": places.get(t.untyped_storage().data_ptr(), "other")}
            for t in packed
        ]
        packed.clear()
        watched = [weakref.ref(y) for y in outputs]
        outputs.clear()
        return {"saved": kept, "alive": [n for n, ref in enumerate(watched) if ref() is not None]}
    finally:
        gc.enable()
