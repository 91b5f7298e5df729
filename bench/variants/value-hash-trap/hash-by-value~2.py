"""unsafe_hash makes the error go away: hash and == are generated from the fields."""

from dataclasses import dataclass


@dataclass(unsafe_hash=True)
class Value:
    data: float
    grad: float = 0.0
    made_of: tuple = ()
    step: object = None

    def operands(self):
        return self.made_of

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, made_of=(self, other))

        def step():
            self.grad += out.grad
            other.grad += out.grad

        out.step = step
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, made_of=(self, other))

        def step():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out.step = step
        return out

    def __pow__(self, n):
        out = Value(self.data**n, made_of=(self,))

        def step():
            self.grad += n * self.data ** (n - 1) * out.grad

        out.step = step
        return out

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + -other

    def __truediv__(self, other):
        return self * other**-1

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def __rsub__(self, other):
        return Value(other) - self

    def __rtruediv__(self, other):
        return Value(other) / self

    def backward(self):
        order, seen = [], set()

        def visit(v):
            if v not in seen:
                seen.add(v)
                for w in v.made_of:
                    visit(w)
                order.append(v)

        visit(self)
        self.grad = 1.0
        for v in reversed(order):
            if v.step:
                v.step()
