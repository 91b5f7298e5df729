"""Another engine: results keep a list of edges, and the pass counts the consumers that are still missing."""

import numpy as np

GRAD = {"on": True}


class no_grad:
    def __enter__(self):
        self.before, GRAD["on"] = GRAD["on"], False

    def __exit__(self, *_):
        GRAD["on"] = self.before


def fit(g, like):
    while np.ndim(g) > like.ndim:
        g = np.sum(g, 0)
    for a, n in enumerate(like.shape):
        if n == 1:
            g = np.sum(g, a, keepdims=True)
    return g


class Tensor:
    __array_ufunc__ = None

    def __init__(self, data, requires_grad=False):
        self.data = np.array(data, dtype=float)
        self.requires_grad, self.grad, self.edges = bool(requires_grad), None, []

    @classmethod
    def of(cls, value, *edges):
        out = cls(value)
        out.edges = [(t, f) for t, f in edges if isinstance(t, Tensor) and t.requires_grad] if GRAD["on"] else []
        out.requires_grad = bool(out.edges)
        return out

    def _two(self, other, value, left, right):
        there = other.data if isinstance(other, Tensor) else np.float64(other)
        return Tensor.of(
            value(self.data, there),
            (self, lambda g: fit(left(g, self.data, there), self.data)),
            (other, lambda g: fit(right(g, self.data, there), there)),
        )

    def __add__(self, other):
        return self._two(other, np.add, lambda g, a, b: g, lambda g, a, b: g)

    def __sub__(self, other):
        return self._two(other, np.subtract, lambda g, a, b: g, lambda g, a, b: -g)

    def __mul__(self, other):
        return self._two(other, np.multiply, lambda g, a, b: g * b, lambda g, a, b: g * a)

    def __truediv__(self, other):
        return self._two(other, np.divide, lambda g, a, b: g / b, lambda g, a, b: -g * a / b / b)

    def __neg__(self):
        return 0 - self

    def __rsub__(self, other):
        return Tensor(other) - self

    def __rtruediv__(self, other):
        return Tensor(other) / self

    __radd__, __rmul__ = __add__, __mul__

    def exp(self):
        y = np.exp(self.data)
        return Tensor.of(y, (self, lambda g: g * y))

    def tanh(self):
        y = np.tanh(self.data)
        return Tensor.of(y, (self, lambda g: g - g * y * y))

    def sum(self, axis=None, keepdims=False):
        whole = np.indices(self.data.shape).reshape(self.data.ndim, self.data.size)
        axes = range(self.data.ndim) if axis is None else [axis] if isinstance(axis, int) else axis
        for a in axes:
            whole[a] = 0
        kept = self.data.sum(axis, keepdims=True).shape

        def pick(g):
            return g.reshape(kept)[tuple(whole)].reshape(self.data.shape)

        return Tensor.of(self.data.sum(axis, keepdims=keepdims), (self, pick))

    def mean(self, axis=None, keepdims=False):
        n = self.data.size // self.data.sum(axis).size
        return self.sum(axis, keepdims) * n**-1

    def max(self, axis=None, keepdims=False):
        above = self.data - self.data.max(axis, keepdims=True)
        hit = Tensor(above >= 0)
        return (self * hit).sum(axis, keepdims) / hit.sum(axis, keepdims)

    def backward(self, gradient=None):
        consumers, stack, seen = {}, [self], {id(self)}
        while stack:
            for t, _ in stack.pop().edges:
                consumers[id(t)] = consumers.get(id(t), 0) + 1
                if id(t) not in seen:
                    seen.add(id(t))
                    stack.append(t)
        start = np.ones_like(self.data) if gradient is None else np.array(gradient, dtype=float)
        total, ready = {id(self): start}, [self]
        while ready:
            t = ready.pop()
            g = total.pop(id(t))
            if not t.edges:
                if t.requires_grad:
                    t.grad = 0.0 * t.data + g + (0.0 if t.grad is None else t.grad)
                continue
            for operand, f in t.edges:
                total[id(operand)] = total.get(id(operand), 0.0) + f(g)
                consumers[id(operand)] -= 1
                if not consumers[id(operand)]:
                    ready.append(operand)
