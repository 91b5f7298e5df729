# Held out. Mistake: backward compares only the number of entries of the gradient with that of the tensor, not the shape, so a gradient of shape (3, 2) for a tensor of shape (2, 3) is not refused with a RuntimeError.
# True: unchecked-gradient-shape
import contextlib

import numpy as np

_state = {"on": True}


@contextlib.contextmanager
def no_grad():
    saved = _state["on"]
    _state["on"] = False
    try:
        yield
    finally:
        _state["on"] = saved


class Tensor:
    def __init__(self, data, requires_grad=False):
        self.data = np.asarray(data, dtype=np.float64)
        self.grad = None
        self.requires_grad = requires_grad
        self.operands = ()
        self.vjp = lambda g: ()

    @property
    def is_leaf(self):
        return len(self.operands) == 0

    def __add__(self, other):
        other = as_tensor(other)
        return result(self.data + other.data, (self, other), lambda g: (g, g))

    def __mul__(self, other):
        other = as_tensor(other)
        return result(self.data * other.data, (self, other), lambda g: (g * other.data, g * self.data))

    __radd__ = __add__
    __rmul__ = __mul__

    def backward(self, gradient=None):
        if not self.requires_grad:
            raise RuntimeError("this tensor does not require grad")
        if gradient is None:
            if self.data.size != 1:
                raise RuntimeError("a gradient is needed for a tensor with several entries")
            gradient = np.ones_like(self.data)
        if np.size(gradient) != self.data.size:
            raise RuntimeError("the gradient does not fit")
        totals = {self: gradient}
        for t in reversed(in_order(self)):
            g = totals.pop(t)
            if t.is_leaf:
                if t.requires_grad:
                    t.grad = np.array(g) if t.grad is None else t.grad + g
                continue
            for operand, part in zip(t.operands, t.vjp(g)):
                if operand in totals:
                    totals[operand] = totals[operand] + part
                else:
                    totals[operand] = part


def as_tensor(value):
    return value if isinstance(value, Tensor) else Tensor(value)


def result(data, operands, vjp):
    out = Tensor(data)
    if _state["on"]:
        out.requires_grad = any(o.requires_grad for o in operands)
    if out.requires_grad:
        out.operands = operands
        out.vjp = vjp
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
