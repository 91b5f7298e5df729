# Held out. Mistake: Counts the consumers when operations are created, including results that do not lead to the output, so a node with such a consumer waits forever and never runs
# True: consumers-miscounted
class Value:
    def __init__(self, data, prev=()):
        self.data = data
        self.grad = 0.0
        self.prev = prev
        self.local = lambda: None
        self.consumers = 0
        for p in prev:
            p.consumers += 1

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
        ready = [self]
        while ready:
            v = ready.pop()
            v.local()
            for p in v.prev:
                p.consumers -= 1
                if p.consumers == 0:
                    ready.append(p)
