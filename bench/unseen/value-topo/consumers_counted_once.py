# Mistake: x * x counts as one consumer of x but is signed off twice, so x may run before its other consumers
# True: consumers-miscounted
class Value:
    def __init__(self, data, prev=()):
        self.data = data
        self.grad = 0.0
        self.prev = prev
        self.local = None

    def __add__(self, other):
        out = Value(self.data + other.data, (self, other))

        def local(g):
            self.grad += g
            other.grad += g
        out.local = local
        return out

    def __mul__(self, other):
        out = Value(self.data * other.data, (self, other))

        def local(g):
            self.grad += other.data * g
            other.grad += self.data * g
        out.local = local
        return out

    def backward(self):
        # who uses whom, below this result
        consumers = {self: set()}
        todo = [self]
        while todo:
            v = todo.pop()
            for p in v.prev:
                if p not in consumers:
                    consumers[p] = set()
                    todo.append(p)
                consumers[p].add(v)
        missing = {v: len(c) for v, c in consumers.items()}

        self.grad = 1.0
        ready = [self]
        while ready:
            v = ready.pop(0)
            if v.local:
                v.local(v.grad)
            for p in v.prev:
                missing[p] -= 1
                if missing[p] == 0:
                    ready.append(p)
