"""The public names of core.py, and a backward pass for programs that run line by line."""

import itertools

import numpy
import numpy as array_api

from .backend_numpy import Device, all_devices, cpu
from .core import NDArray, Op, Tensor, TensorOp, TensorTuple, TensorTupleOp, Value

_numbers = itertools.count()
_init = Value._init


def _numbered(self, *args, **options):
    _init(self, *args, **options)
    self.number = next(_numbers)


Value._init = _numbered


def compute_gradient_of_variables(output_tensor, out_grad):
    """A node is always newer than what it was computed from, so no order has to be found."""
    received = {output_tensor: [out_grad]}
    reached, waiting = set(), [output_tensor]
    while waiting:
        node = waiting.pop()
        if node not in reached:
            reached.add(node)
            waiting.extend(node.inputs)
    for node in sorted(reached, key=lambda node: node.number, reverse=True):
        first, *others = received[node]
        node.grad = first
        for part in others:
            node.grad = node.grad + part
        if node.op is not None:
            for value, part in zip(node.inputs, node.op.gradient_as_tuple(node.grad, node), strict=True):
                received.setdefault(value, []).append(part)
