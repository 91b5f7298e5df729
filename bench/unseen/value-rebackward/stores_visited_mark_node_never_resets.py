# Held out. Mistake: Stores the visited mark on the node and never resets it, so a later pass skips all nodes of an earlier pass
# True: forbids-second-call
class Value:
    def __init__(self, data, operands=()):
        self.data = data
        self.grad = 0.0
        self.operands = operands
        self.visited = False
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
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other))

        def push():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out.push = push
        return out

    __radd__ = __add__
    __rmul__ = __mul__

    def _collect(self, order):
        if self.visited:
            return
        self.visited = True
        for op in self.operands:
            op._collect(order)
        order.append(self)

    def backward(self):
        if not self.operands:
            self.grad += 1.0
            return
        order = []
        self._collect(order)
        for v in order:
            if v.operands:
                v.grad = 0.0
        self.grad = 1.0
        for v in reversed(order):
            v.push()
