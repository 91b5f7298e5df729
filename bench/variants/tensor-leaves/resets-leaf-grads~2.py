"""All gradients are cleared at the beginning of a pass."""

import numpy as np


class no_grad:
    enabled = True

    def __enter__(self):
        self.previous = no_grad.enabled
        no_grad.enabled = False

    def __exit__(self, *error):
        no_grad.enabled = self.previous


class Tensor:
    def __init__(self, data, requires_grad=False):
        self.data = np.array(data, dtype=np.float64)
        self.grad = None
        self.requires_grad = requires_grad
        self.is_leaf = True
        self.operands, self.vjp = (), None

    def __add__(self, other):
        other = other if isinstance(other, Tensor) else Tensor(other)
        return result(self.data + other.data, [self, other], lambda g: [g, g])

    def __mul__(self, other):
        other = other if isinstance(other, Tensor) else Tensor(other)
        return result(self.data * other.data, [self, other], lambda g: [g * other.data, g * self.data])

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def backward(self, gradient=None):
        if not self.requires_grad:
            raise RuntimeError("nothing to do for a constant")
        if gradient is None:
            if self.data.size != 1:
                raise RuntimeError("pass a gradient")
            gradient = np.ones_like(self.data)
        if np.shape(gradient) != self.data.shape:
            raise RuntimeError("shapes differ")
        order = in_order(self)
        for t in order:
            t.total = np.zeros_like(t.data)
            t.grad = None
        self.total = self.total + gradient
        for t in reversed(order):
            if t.is_leaf:
                if t.requires_grad:
                    t.grad = t.total if t.grad is None else t.grad + t.total
            else:
                for operand, part in zip(t.operands, t.vjp(t.total)):
                    if operand.requires_grad:
                        operand.total = operand.total + part


def result(data, operands, vjp):
    needed = no_grad.enabled and any(t.requires_grad for t in operands)
    out = Tensor(data, requires_grad=needed)
    if needed:
        out.is_leaf = False
        out.operands, out.vjp = operands, vjp
    return out


def in_order(root):
    order, seen = [], set()

    def visit(t):
        if id(t) not in seen:
            seen.add(id(t))
            for operand in t.operands:
                visit(operand)
            order.append(t)

    visit(root)
    return order
