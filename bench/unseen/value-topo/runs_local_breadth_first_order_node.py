# Held out. Mistake: Runs local() in breadth-first order, so a node near the output can run before a longer path to it has delivered its contribution
# True: bfs-order
from collections import deque


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
        self.grad = 1.0
        queue = deque([self])
        seen = {self}
        while queue:
            node = queue.popleft()
            node.local()
            for operand in node.prev:
                if operand not in seen:
                    seen.add(operand)
                    queue.append(operand)
