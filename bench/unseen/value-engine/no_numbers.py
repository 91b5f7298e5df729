# Mistake: numbers are not accepted as operands
# True: rejects-numbers
class Value:
    def __init__(self, data, operands=()):
        self.data = data
        self.grad = 0.0
        self.operands = operands
        self.push = lambda: None

    def __add__(self, other):
        out = Value(self.data + other.data, (self, other))

        def push():
            self.grad += out.grad
            other.grad += out.grad
        out.push = push
        return out

    def __mul__(self, other):
        out = Value(self.data * other.data, (self, other))

        def push():
            self.grad += out.grad * other.data
            other.grad += out.grad * self.data
        out.push = push
        return out

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
