"""The pass turns the graph around: a leaf asks its consumers for their parts, which ask theirs, up to the root; each
answer is remembered. The recording switch is a context variable."""

import contextlib
from collections import defaultdict
from contextvars import ContextVar
from functools import cache

import numpy as np

recording = ContextVar("recording", default=True)


@contextlib.contextmanager
def no_grad():
    token = recording.set(False)
    try:
        yield
    finally:
        recording.reset(token)


class Tensor:
    def __init__(self, data, requires_grad=False):
        self.data = np.asarray(data, dtype=np.float64)
        self.grad = None
        self.requires_grad = bool(requires_grad)
        self.history = None  # the operands, and for each the factor of its part

    @property
    def is_leaf(self):
        return self.history is None

    def __add__(self, other):
        other = as_tensor(other)
        return result(self.data + other.data, (self, other), (1.0, 1.0))

    def __mul__(self, other):
        other = as_tensor(other)
        return result(self.data * other.data, (self, other), (other.data, self.data))

    __radd__ = __add__
    __rmul__ = __mul__

    def backward(self, gradient=None):
        if not self.requires_grad:
            raise RuntimeError("this tensor does not require grad")
        if gradient is None and self.data.size != 1:
            raise RuntimeError("only a tensor with one entry can do without a gradient")
        seed = np.ones(self.data.shape) if gradient is None else np.asarray(gradient, dtype=np.float64)
        if seed.shape != self.data.shape:
            raise RuntimeError("the gradient has another shape than the tensor")

        consumers = graph_upside_down(self)

        @cache
        def total(tensor):
            parts = (total(consumer) * factor for consumer, factor in consumers[tensor])
            return sum(parts, seed if tensor is self else 0.0)

        pulled = {leaf: total(leaf) for leaf in list(consumers) if leaf.is_leaf and leaf.requires_grad}
        for leaf, g in pulled.items():
            leaf.grad = np.array(g) if leaf.grad is None else leaf.grad + g


def graph_upside_down(root):
    """For each tensor below the root, its consumers with their factors."""
    consumers, waiting = defaultdict(list, {root: []}), [root]
    while waiting:
        consumer = waiting.pop()
        for operand, factor in zip(*(consumer.history or ((), ()))):
            if operand not in consumers:
                waiting.append(operand)
            consumers[operand].append((consumer, factor))
    return consumers


def as_tensor(value):
    return value if isinstance(value, Tensor) else Tensor(value)


def result(data, operands, factors):
    out = Tensor(data, recording.get() and any(operand.requires_grad for operand in operands))
    if out.requires_grad:
        out.history = operands, factors
    return out
