"""Depth-first search with an explicit stack. Nodes are listed on exit, not on entry."""


class Value:
    def __init__(self, data, prev=()):
        self.data = data
        self.grad = 0.0
        self.prev = prev
        self.local = lambda: None

    def __add__(self, other):
        out = Value(self.data + other.data, (self, other))

        def local():
            self.grad += out.grad
            other.grad += out.grad
        out.local = local
        return out

    def __mul__(self, other):
        out = Value(self.data * other.data, (self, other))

        def local():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad
        out.local = local
        return out

    def backward(self):
        order, entered = [], set()
        stack = [(self, False)]
        while stack:
            v, finished = stack.pop()
            if finished:
                order.append(v)
            elif id(v) not in entered:
                entered.add(id(v))
                stack.append((v, True))
                stack.extend((p, False) for p in v.prev)
        self.grad = 1.0
        while order:
            order.pop().local()
