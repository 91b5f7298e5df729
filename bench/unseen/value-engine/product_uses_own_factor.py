# Held out. Mistake: in a product each operand receives its own data times the upstream gradient instead of the other operand's.
# True: operands-swapped
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
            for v in out.operands:
                v.grad += out.grad
        out.push = push
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other))

        def push():
            for v in out.operands:
                v.grad += v.data * out.grad
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
