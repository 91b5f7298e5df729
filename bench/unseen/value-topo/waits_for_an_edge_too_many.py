# Mistake: uses are counted with repetition and taken off without
# True: consumers-miscounted
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
        uses, stack, met = {}, [self], {self}
        while stack:
            v = stack.pop()
            for w in v.prev:
                uses[w] = uses.get(w, 0) + 1
                if w not in met:
                    met.add(w)
                    stack.append(w)
        self.grad = 1.0
        ready = [self]
        while ready:
            v = ready.pop()
            v.local()
            for w in set(v.prev):
                uses[w] -= 1
                if uses[w] == 0:
                    ready.append(w)
