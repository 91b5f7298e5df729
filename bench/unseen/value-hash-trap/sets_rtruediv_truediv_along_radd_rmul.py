# Held out. Mistake: Sets __rtruediv__ = __truediv__ along with __radd__ and __rmul__, so 6 / b computes b / 6
# True: reflected-order
class Value:
    def __init__(self, data, made_of=(), step=None):
        self.data = data
        self.grad = 0.0
        self.made_of = made_of
        self.step = step

    def __repr__(self):
        return f"Value(data={self.data}, grad={self.grad})"

    def operands(self):
        return tuple(self.made_of)

    def __add__(self, other):
        if not isinstance(other, Value):
            other = Value(other)
        out = Value(self.data + other.data, (self, other))

        def step():
            self.grad += out.grad
            other.grad += out.grad
        out.step = step
        return out

    def __mul__(self, other):
        if not isinstance(other, Value):
            other = Value(other)
        out = Value(self.data * other.data, (self, other))

        def step():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad
        out.step = step
        return out

    def __truediv__(self, other):
        if not isinstance(other, Value):
            other = Value(other)
        out = Value(self.data / other.data, (self, other))

        def step():
            self.grad += out.grad / other.data
            other.grad -= out.grad * self.data / other.data ** 2
        out.step = step
        return out

    def __pow__(self, n):
        out = Value(self.data ** n, (self,))

        def step():
            self.grad += out.grad * n * self.data ** (n - 1)
        out.step = step
        return out

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + other * -1

    def __rsub__(self, other):
        return self * -1 + other

    # number on the left
    __radd__ = __add__
    __rmul__ = __mul__
    __rtruediv__ = __truediv__

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
