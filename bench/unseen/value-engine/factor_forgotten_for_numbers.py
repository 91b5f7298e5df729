# Held out. Mistake: a product with a number passes the gradient on without the number
# True: missing-local-derivative, operation-*
class Value:
    def __init__(self, data, operands=()):
        self.data = data
        self.grad = 0.0
        self.operands = operands
        self.push = lambda: None

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other))

        def push():
            self.grad += out.grad
            other.grad += out.grad

        out.push = push
        return out

    def __mul__(self, other):
        if not isinstance(other, Value):
            out = Value(self.data * other, (self,))

            def push():
                self.grad += out.grad
        else:
            out = Value(self.data * other.data, (self, other))

            def push():
                self.grad += out.grad * other.data
                other.grad += out.grad * self.data

        out.push = push
        return out

    __radd__ = __add__
    __rmul__ = __mul__

    def backward(self):
        order, seen = [], set()

        def visit(v):
            if v not in seen:
                seen.add(v)
                for w in v.operands:
                    visit(w)
                order.append(v)

        visit(self)
        self.grad = 1.0
        for v in reversed(order):
            v.push()
