"""A complete tensor engine in numpy, as a student could write one, to be broken on purpose by tests."""

SOURCE = """
import contextlib
import numpy as np

recording = [True]

@contextlib.contextmanager
def no_grad():
    before, recording[0] = recording[0], False
    try:
        yield
    finally:
        recording[0] = before

def unbroadcast(g, shape):
    g = g.sum(axis=tuple(range(g.ndim - len(shape))))
    stretched = tuple(axis for axis, size in enumerate(shape) if size == 1 and g.shape[axis] != 1)
    return g.sum(axis=stretched, keepdims=True)

class Tensor:
    def __init__(self, data, requires_grad=False):
        self.data = np.asarray(data, dtype=np.float64)
        self.grad = None
        self.requires_grad = requires_grad
        self.operands, self.pull = (), None

    def backward(self, gradient=None):
        order, seen = [], set()
        def visit(tensor):
            if tensor not in seen:
                seen.add(tensor)
                for operand in tensor.operands:
                    visit(operand)
                order.append(tensor)
        visit(self)
        arrived = {self: np.ones(self.data.shape) if gradient is None else gradient}
        for tensor in reversed(order):
            g = arrived.pop(tensor, None)
            if g is None:
                continue
            if not tensor.operands and tensor.requires_grad:
                tensor.grad = g.copy() if tensor.grad is None else tensor.grad + g
            for operand, part in zip(tensor.operands, tensor.pull(g) if tensor.operands else ()):
                if operand.requires_grad:
                    arrived[operand] = part if operand not in arrived else arrived[operand] + part

    def __add__(self, other):
        other = lift(other)
        return result(self.data + other.data, (self, other),
                      lambda g: (unbroadcast(g, self.data.shape), unbroadcast(g, other.data.shape)))

    def __mul__(self, other):
        other = lift(other)
        return result(self.data * other.data, (self, other),
                      lambda g: (unbroadcast(g * other.data, self.data.shape), unbroadcast(g * self.data, other.data.shape)))

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self):
        return self * -1.0

    def __sub__(self, other):
        return self + -lift(other)

    def __rsub__(self, other):
        return lift(other) + -self

    def __pow__(self, n):
        return result(self.data ** n, (self,), lambda g: (g * n * self.data ** (n - 1),))

    def __truediv__(self, other):
        return self * lift(other) ** -1

    def __rtruediv__(self, other):
        return lift(other) * self ** -1

    def __matmul__(self, other):
        return result(self.data @ other.data, (self, other), lambda g: (g @ other.data.T, self.data.T @ g))

    def exp(self):
        value = np.exp(self.data)
        return result(value, (self,), lambda g: (g * value,))

    def log(self):
        return result(np.log(self.data), (self,), lambda g: (g / self.data,))

    def tanh(self):
        value = np.tanh(self.data)
        return result(value, (self,), lambda g: (g * (1 - value * value),))

    def relu(self):
        return result(np.maximum(self.data, 0.0), (self,), lambda g: (g * (self.data > 0),))

    def sum(self, axis=None, keepdims=False):
        return result(self.data.sum(axis=axis, keepdims=keepdims), (self,),
                      lambda g: (np.broadcast_to(kept(g, axis, keepdims, self.data), self.data.shape),))

    def mean(self, axis=None, keepdims=False):
        total = self.sum(axis, keepdims)
        return total * (total.data.size / self.data.size)

    def max(self, axis=None, keepdims=False):
        first = self.data == self.data.max(axis=axis, keepdims=True)
        share = first / first.sum(axis=axis, keepdims=True)
        return result(self.data.max(axis=axis, keepdims=keepdims), (self,),
                      lambda g: (kept(g, axis, keepdims, self.data) * share,))

    def reshape(self, shape):
        return result(self.data.reshape(shape), (self,), lambda g: (g.reshape(self.data.shape),))

    def permute(self, axes):
        return result(self.data.transpose(axes), (self,), lambda g: (g.transpose(np.argsort(axes)),))

    def expand(self, shape):
        return result(np.broadcast_to(self.data, shape), (self,), lambda g: (unbroadcast(g, self.data.shape),))

    def __getitem__(self, index):
        def pull(g):
            into = np.zeros(self.data.shape)
            np.add.at(into, index, g)
            return (into,)
        return result(self.data[index], (self,), pull)

def kept(g, axis, keepdims, data):
    if keepdims:
        return g
    axes = range(data.ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
    return np.expand_dims(g, tuple(a % data.ndim for a in axes)) if data.ndim else g

def lift(value):
    return value if isinstance(value, Tensor) else Tensor(value)

def result(data, operands, pull):
    tensor = Tensor(data, recording[0] and any(operand.requires_grad for operand in operands))
    if tensor.requires_grad:
        tensor.operands, tensor.pull = operands, pull
    return tensor
"""


def broken(old: str, new: str) -> bytes:
    """The engine with one mistake."""
    assert old in SOURCE, old
    return SOURCE.replace(old, new).encode()
