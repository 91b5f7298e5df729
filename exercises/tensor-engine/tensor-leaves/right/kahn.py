"""Consumers are counted first, and a tensor sends when the last of them has run. Numbers multiply without becoming tensors."""

from contextlib import ContextDecorator

import numpy as np

STATE = {"off": 0}


class no_grad(ContextDecorator):
    def __enter__(self):
        STATE["off"] += 1
        return self

    def __exit__(self, *_):
        STATE["off"] -= 1
        return False


class Tensor:
    __slots__ = ("data", "grad", "links", "requires_grad")

    def __init__(self, data, requires_grad=False):
        self.data = np.array(data).astype("float64")
        self.grad = None
        self.requires_grad = bool(requires_grad)
        self.links = None

    is_leaf = property(lambda self: self.links is None)

    def _made(self, data, links):
        out = Tensor(data)
        links = [(tensor, slope) for tensor, slope in links if tensor.requires_grad]
        if links and not STATE["off"]:
            out.requires_grad, out.links = True, links
        return out

    def __add__(self, other):
        if isinstance(other, Tensor):
            return self._made(self.data + other.data, [(self, 1.0), (other, 1.0)])
        return self._made(self.data + other, [(self, 1.0)])

    def __mul__(self, other):
        if isinstance(other, Tensor):
            return self._made(self.data * other.data, [(self, other.data), (other, self.data)])
        return self._made(self.data * other, [(self, float(other))])

    __radd__, __rmul__ = __add__, __mul__

    def backward(self, gradient=None):
        if gradient is None and self.data.size == 1:
            gradient = np.full_like(self.data, 1.0)
        if gradient is None or gradient.shape != self.data.shape or not self.requires_grad:
            raise RuntimeError("backward needs a tensor that requires grad, and a gradient of its shape")
        uses, stack = {self: 0}, [self]
        while stack:
            for operand, _ in stack.pop().links or ():
                if operand not in uses:
                    uses[operand] = 0
                    stack.append(operand)
                uses[operand] += 1
        total, ready = {self: gradient * 1.0}, [self]
        while ready:
            tensor = ready.pop()
            g = total.pop(tensor)
            if tensor.links is None:
                tensor.grad = np.array(g + (0.0 if tensor.grad is None else tensor.grad))
            for operand, slope in tensor.links or ():
                total[operand] = total.get(operand, 0.0) + slope * g
                uses[operand] -= 1
                if not uses[operand]:
                    ready.append(operand)
