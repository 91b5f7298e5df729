# Held out. Mistake: consumers are counted once per operand slot but ticked off once per consumer, so the operand of x * x or x + x never becomes ready and nothing below it runs.
# True: consumers-miscounted
from collections import defaultdict, deque


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
        waiting_for = defaultdict(int)
        known, stack = {self}, [self]
        while stack:
            node = stack.pop()
            for p in node.prev:
                waiting_for[p] += 1
                if p not in known:
                    known.add(p)
                    stack.append(p)

        self.grad = 1.0
        ready = deque([self])
        while ready:
            node = ready.popleft()
            node.local()
            for p in set(node.prev):
                waiting_for[p] -= 1
                if not waiting_for[p]:
                    ready.append(p)
