# Held out. Mistake: "visited" is a flag stored on the node and never reset, so a later pass skips every node that an earlier pass has visited and nothing more reaches the leaves.
class Value:
    def __init__(self, data, operands=(), derivs=()):
        self.data = data
        self.grad = 0.0
        self.operands = operands
        self.derivs = derivs
        self.visited = False

    def __add__(self, other):
        if not isinstance(other, Value):
            other = Value(other)
        return Value(self.data + other.data, (self, other), (1, 1))

    def __mul__(self, other):
        if not isinstance(other, Value):
            other = Value(other)
        return Value(self.data * other.data, (self, other), (other.data, self.data))

    __radd__ = __add__
    __rmul__ = __mul__

    def is_leaf(self):
        return len(self.operands) == 0

    def _collect(self, order):
        if self.visited:
            return
        self.visited = True
        for w in self.operands:
            w._collect(order)
        order.append(self)

    def backward(self):
        order = []
        self._collect(order)
        local = {v: 0.0 for v in order}      # gradients of this pass only
        local[self] = 1.0
        for v in reversed(order):
            g = local[v]
            if v.is_leaf():
                v.grad += g
            for w, d in zip(v.operands, v.derivs):
                if w in local:
                    local[w] += d * g
