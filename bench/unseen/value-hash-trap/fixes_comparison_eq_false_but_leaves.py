# Held out. Mistake: Fixes the comparison with eq=False but leaves made_of a set, so operands() loses duplicates and the order
# True: lost-multiplicity
from dataclasses import dataclass, field


@dataclass(eq=False)
class Value:
    data: float
    grad: float = 0.0
    made_of: set = field(default_factory=set)
    step: object = None

    def operands(self):
        return tuple(self.made_of)

    @staticmethod
    def _v(x):
        return x if isinstance(x, Value) else Value(x)

    def __add__(self, other):
        other = Value._v(other)
        out = Value(self.data + other.data, made_of={self, other})

        def step():
            self.grad += out.grad
            other.grad += out.grad
        out.step = step
        return out

    def __mul__(self, other):
        other = Value._v(other)
        out = Value(self.data * other.data, made_of={self, other})

        def step():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad
        out.step = step
        return out

    def __pow__(self, n):
        out = Value(self.data ** n, made_of={self})

        def step():
            self.grad += n * self.data ** (n - 1) * out.grad
        out.step = step
        return out

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def __neg__(self):
        return -1 * self

    def __sub__(self, other):
        return self + -1 * Value._v(other)

    def __rsub__(self, other):
        return Value._v(other) - self

    def __truediv__(self, other):
        return self * Value._v(other) ** -1

    def __rtruediv__(self, other):
        return Value._v(other) / self

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
