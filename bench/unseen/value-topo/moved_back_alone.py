# Mistake: a breadth-first list in which a node that is met again is moved to the end, but without the nodes below it
# True: bfs-order
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
        queue = [self]
        order = {self: None}            # a dict remembers the order of insertion
        for v in queue:                 # the queue grows while we walk it
            for p in v.prev:
                if p in order:
                    # a longer way leads here too: it has to run later
                    del order[p]
                else:
                    queue.append(p)
                order[p] = None
        self.grad = 1.0
        for v in order:
            v.local()
