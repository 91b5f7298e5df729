"""Another engine: every operation stores a closure that adds to totals, and one step numbers the tensors by age."""

import numpy as np

state = {"recording": True, "count": 0}


class no_grad:
    def __enter__(self):
        self.before = state["recording"]
        state["recording"] = False

    def __exit__(self, *_):
        state["recording"] = self.before


def back_to(g, shape):
    lead = g.ndim - len(shape)
    axes = [n for n in range(g.ndim) if n < lead or (shape[n - lead] == 1 and g.shape[n] != 1)]
    return g.sum(tuple(axes)).reshape(shape)


class Tensor:
    def __init__(self, data, requires_grad=False, *sources):
        self.data = np.array(data, dtype=np.float64)
        self.requires_grad = requires_grad
        self.grad = None
        self.sources = sources
        state["count"] += 1
        self.age = state["count"]

    def made(self, data, *sources):
        sources = [(t, f) for t, f in sources if t.requires_grad] if state["recording"] else []
        return Tensor(data, bool(sources), *sources)

    def pair(self, other, f, left, right):
        other = other if isinstance(other, Tensor) else Tensor(other)
        a, b = self.data, other.data
        return self.made(
            f(a, b), (self, lambda g: back_to(left(g, a, b), a.shape)), (other, lambda g: back_to(right(g, a, b), b.shape))
        )

    def __add__(self, other):
        return self.pair(other, np.add, lambda g, a, b: g, lambda g, a, b: g)

    def __sub__(self, other):
        return self.pair(other, np.subtract, lambda g, a, b: g, lambda g, a, b: -g)

    def __mul__(self, other):
        return self.pair(other, np.multiply, lambda g, a, b: g * b, lambda g, a, b: g * a)

    def __truediv__(self, other):
        return self.pair(other, np.divide, lambda g, a, b: g / b, lambda g, a, b: -g * a / (b * b))

    __radd__, __rmul__ = __add__, __mul__

    def __rsub__(self, other):
        return Tensor(other) - self

    def __rtruediv__(self, other):
        return Tensor(other) / self

    def __neg__(self):
        return self.made(-self.data, (self, lambda g: -g))

    def exp(self):
        y = np.exp(self.data)
        return self.made(y, (self, lambda g: g * y))

    def tanh(self):
        y = np.tanh(self.data)
        return self.made(y, (self, lambda g: g * (1 - y) * (1 + y)))

    def reshape(self, shape):
        return self.made(self.data.reshape(shape), (self, lambda g: g.reshape(self.data.shape)))

    def permute(self, axes):
        data = self.data.transpose(axes)
        back = sorted(range(len(axes)), key=lambda n: axes[n] % len(axes))
        return self.made(data, (self, lambda g: g.transpose(back)))

    def expand(self, shape):
        return self.made(np.broadcast_to(self.data, shape), (self, lambda g: back_to(g, self.data.shape)))

    def backward(self, gradient=None):
        totals = {self: np.ones_like(self.data) if gradient is None else np.array(gradient)}
        while totals:
            newest = max(totals, key=lambda t: t.age)
            g = totals.pop(newest)
            for t, f in newest.sources:
                totals[t] = totals.get(t, 0) + f(g)
            if not newest.sources and newest.requires_grad:
                newest.grad = np.array(g) if newest.grad is None else newest.grad + g
