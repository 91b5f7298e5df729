from dataclasses import dataclass


@dataclass
class Value:
    data: float
    grad: float = 0.0
    made_of: tuple = ()
    step: object = None

    def __eq__(self, other):
        return self is other

    def __hash__(self):
        return hash((self.data, self.grad))

    def operands(self):
        return self.made_of

    def _binary(self, other, data, da, db):
        out = Value(data, made_of=(self, other))

        def step():
            self.grad += da * out.grad
            other.grad += db * out.grad
        out.step = step
        return out

    def __add__(self, other):
        other = as_value(other)
        return self._binary(other, self.data + other.data, 1.0, 1.0)

    def __sub__(self, other):
        other = as_value(other)
        return self._binary(other, self.data - other.data, 1.0, -1.0)

    def __mul__(self, other):
        other = as_value(other)
        return self._binary(other, self.data * other.data, other.data, self.data)

    def __truediv__(self, other):
        other = as_value(other)
        return self._binary(other, self.data / other.data, 1 / other.data, -self.data / other.data ** 2)

    def __radd__(self, other):
        return as_value(other) + self

    def __rsub__(self, other):
        return as_value(other) - self

    def __rmul__(self, other):
        return as_value(other) * self

    def __rtruediv__(self, other):
        return as_value(other) / self

    def __neg__(self):
        return as_value(0.0) - self

    def __pow__(self, n):
        out = Value(self.data ** n, made_of=(self,))

        def step():
            self.grad += n * self.data ** (n - 1) * out.grad
        out.step = step
        return out

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


def as_value(x):
    return x if isinstance(x, Value) else Value(x)
