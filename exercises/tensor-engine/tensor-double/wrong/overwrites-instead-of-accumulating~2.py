"""The first contribution stays, the later ones are lost."""

import contextlib

import numpy as np

recording = True

@contextlib.contextmanager
def recording_set(value):
    global recording
    before = recording
    recording = value
    try:
        yield
    finally:
        recording = before

def no_grad():
    return recording_set(False)

class Tensor:

    def __init__(self, data, requires_grad=False):
        self.data = np.asarray(data, dtype=np.float64)
        self.grad = None
        self.requires_grad = requires_grad
        self.operands = ()
        self.vjp = lambda g: ()

    def __add__(self, other):
        other = as_tensor(other, self)
        return result(self.data + other.data, (self, other), lambda g: (g, g))

    def __mul__(self, other):
        other = as_tensor(other, self)
        return result(self.data * other.data, (self, other), lambda g: (g * other, g * self))

    def __truediv__(self, other):
        other = as_tensor(other, self)
        return result(self.data / other.data, (self, other), lambda g: (g / other, -(g * self / (other * other))))

    def __neg__(self):
        return result(-self.data, (self,), lambda g: (-g,))

    def __sub__(self, other):
        return self + -as_tensor(other, self)

    def __rsub__(self, other):
        return as_tensor(other, self) - self

    def __rtruediv__(self, other):
        return as_tensor(other, self) / self
    __radd__ = __add__
    __rmul__ = __mul__

    def exp(self):
        out = result(np.exp(self.data), (self,), lambda g: (g * out,))
        return out

    def tanh(self):
        out = result(np.tanh(self.data), (self,), lambda g: (g * (1.0 - out * out),))
        return out

    def sum(self):
        return result(self.data.sum(), (self,), lambda g: (g.expand(self.data.shape),))

    def expand(self, shape):
        return result(np.broadcast_to(self.data, shape), (self,), lambda g: (g.sum(),))

    def permute(self, axes):
        return result(self.data.transpose(axes), (self,), lambda g: (g.permute(tuple(np.argsort(axes))),))

    def __matmul__(self, other):
        return result(self.data @ other.data, (self, other), lambda g: (g @ other.permute((1, 0)), self.permute((1, 0)) @ g))

    def backward(self, gradient=None):
        start = None if gradient is None else Tensor(gradient)
        leaves = [tensor for tensor in in_order(self) if tensor.requires_grad and (not tensor.operands)]
        for leaf, total in zip(leaves, grad(self, leaves, start)):
            leaf.grad = total.data.copy() if leaf.grad is None else leaf.grad + total.data

def grad(output, inputs, gradient=None, create_graph=False):
    if gradient is None:
        if output.data.size != 1:
            raise RuntimeError('a gradient is needed unless the output has exactly one entry')
        gradient = Tensor(np.ones(output.data.shape))
    with recording_set(create_graph):
        sums = {output: gradient}
        for tensor in reversed(in_order(output)):
            for operand, part in zip(tensor.operands, tensor.vjp(sums[tensor])):
                sums.setdefault(operand, part)
    found = [sums[item] if item in sums else Tensor(np.zeros(item.data.shape)) for item in inputs]
    return found if create_graph else [Tensor(total.data) for total in found]

def as_tensor(value, like):
    return value if isinstance(value, Tensor) else Tensor(np.full(like.data.shape, value))

def result(data, operands, vjp):
    out = Tensor(data, recording and any((operand.requires_grad for operand in operands)))
    if out.requires_grad:
        out.operands, out.vjp = (operands, vjp)
    return out

def in_order(root):
    order = []
    seen = set()

    def visit(tensor):
        if tensor not in seen:
            seen.add(tensor)
            for operand in tensor.operands:
                visit(operand)
            order.append(tensor)
    visit(root)
    return order
