# Held out. Mistake: the backward functions of exp and tanh use the saved value as a constant tensor without a history, so first derivatives are right but second derivatives through exp and tanh miss a term.
# True: saved-as-array
import contextlib

import numpy as np

recording = True


@contextlib.contextmanager
def no_grad():
    global recording
    before = recording
    recording = False
    try:
        yield
    finally:
        recording = before


class Tensor:
    def __init__(self, data, requires_grad=False):
        self.data = np.asarray(data, dtype=np.float64)
        self.grad = None
        self.requires_grad = requires_grad
        self.operands = ()
        self.vjp = lambda g: ()  # turns the gradient of this tensor into one gradient for each operand

    def __add__(self, other):
        other = as_tensor(other, self)
        return result(self.data + other.data, (self, other), lambda g: (g, g))

    def __mul__(self, other):
        other = as_tensor(other, self)
        return result(self.data * other.data, (self, other), lambda g: (g * other, g * self))

    def __truediv__(self, other):
        other = as_tensor(other, self)
        return result(self.data / other.data, (self, other), lambda g: (g / other, -g * self / (other * other)))

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
        value = np.exp(self.data)
        return result(value, (self,), lambda g: (g * Tensor(value),))

    def tanh(self):
        value = np.tanh(self.data)
        return result(value, (self,), lambda g: (g * Tensor(1 - value**2),))

    def sum(self):
        """The sum of all entries, of shape ()."""
        shape = self.data.shape
        return result(self.data.sum(), (self,), lambda g: (g.expand(shape),))

    def expand(self, shape):
        return result(np.broadcast_to(self.data, shape), (self,), lambda g: (g.sum(),))

    def permute(self, axes):
        inverse = tuple(int(i) for i in np.argsort(axes))
        return result(self.data.transpose(axes), (self,), lambda g: (g.permute(inverse),))

    def __matmul__(self, other):
        return result(
            self.data @ other.data,
            (self, other),
            lambda g: (g @ other.permute((1, 0)), self.permute((1, 0)) @ g),
        )

    def backward(self, gradient=None):
        start = Tensor(np.ones(self.data.shape) if gradient is None else gradient)
        with no_grad():
            sums = propagate(self, start)
        for tensor, g in sums.items():
            if not tensor.operands and tensor.requires_grad:
                tensor.grad = g.data.copy() if tensor.grad is None else tensor.grad + g.data


def propagate(root, start):
    sums = {root: start}
    for tensor in reversed(in_order(root)):
        if tensor.operands:
            for operand, part in zip(tensor.operands, tensor.vjp(sums[tensor])):
                sums[operand] = sums[operand] + part if operand in sums else part
    return sums


def grad(output, inputs, gradient=None, create_graph=False):
    """The gradients of the output with respect to the inputs: a list of tensors."""
    if gradient is None:
        if output.data.size != 1:
            raise RuntimeError("the output must have one entry")
        gradient = Tensor(np.ones(output.data.shape))
    if create_graph:
        sums = propagate(output, gradient)
    else:
        with no_grad():
            sums = propagate(output, Tensor(gradient.data))
    return [sums[x] if x in sums else Tensor(np.zeros(x.data.shape)) for x in inputs]

def as_tensor(value, like):
    """A tensor as it is, or a number as a constant of the shape of `like`."""
    return value if isinstance(value, Tensor) else Tensor(np.full(like.data.shape, value))


def result(data, operands, vjp):
    """The result of an operation. It remembers its operands if it needs a gradient."""
    out = Tensor(data, recording and any(operand.requires_grad for operand in operands))
    if out.requires_grad:
        out.operands, out.vjp = operands, vjp
    return out


def in_order(root):
    """The root and every tensor that it depends on, each after its operands."""
    order, seen = [], set()

    def visit(tensor):
        if tensor not in seen:
            seen.add(tensor)
            for operand in tensor.operands:
                visit(operand)
            order.append(tensor)

    visit(root)
    return order
