"""Tensors carry numbers in order of creation; the newest one sends first. Gradients of results are stored, too."""

import contextlib
import heapq
import itertools

import numpy as np

_serial = itertools.count()
_recording = [True]


@contextlib.contextmanager
def no_grad():
    _recording.append(False)
    try:
        yield
    finally:
        _recording.pop()


class Tensor:
    def __init__(self, data, requires_grad=False):
        self.data = np.asarray(data, np.float64)
        self.grad = None
        self.requires_grad = requires_grad
        self.is_leaf = True
        self.serial = next(_serial)

    def __add__(self, other):
        return self._combine(other, np.add, lambda g, a, b: (g, g))

    def __mul__(self, other):
        return self._combine(other, np.multiply, lambda g, a, b: (g * b, g * a))

    __radd__ = __add__
    __rmul__ = __mul__

    def _combine(self, other, ufunc, pull):
        if not isinstance(other, Tensor):
            other = Tensor(np.full(self.data.shape, other))
        out = Tensor(ufunc(self.data, other.data))
        if _recording[-1] and (self.requires_grad or other.requires_grad):
            out.requires_grad, out.is_leaf = True, False
            out.parents, out.pull = (self, other), lambda g: pull(g, self.data, other.data)
        return out

    def backward(self, gradient=None):
        if not self.requires_grad:
            raise RuntimeError("no graph")
        if gradient is None:
            if self.data.size != 1:
                raise RuntimeError("no gradient")
            gradient = np.ones(self.data.shape)
        elif gradient.shape != self.data.shape:
            raise RuntimeError("shape")
        heap, sums = [(-self.serial, self)], {self.serial: gradient}
        while heap:
            _, tensor = heapq.heappop(heap)
            g = sums.pop(tensor.serial)
            if tensor.is_leaf:
                tensor.grad = np.add(g, 0.0 if tensor.grad is None else tensor.grad)
                continue
            tensor.grad = g
            for parent, part in zip(tensor.parents, tensor.pull(g)):
                if parent.requires_grad:
                    if parent.serial not in sums:
                        heapq.heappush(heap, (-parent.serial, parent))
                        sums[parent.serial] = part
                    else:
                        sums[parent.serial] = sums[parent.serial] + part
