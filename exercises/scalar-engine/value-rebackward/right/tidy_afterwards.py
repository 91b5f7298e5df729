"""The usual tutorial engine, but after each pass the gradients of all interior nodes are reset to 0."""


class Value:
    def __init__(self, data, sources=()):
        self.data = data
        self.grad = 0.0
        self.sources = sources
        self.send = None

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, [self, other])

        def send(upstream):
            for source in out.sources:
                source.grad += upstream

        out.send = send
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, [self, other])

        def send(upstream):
            self.grad += upstream * other.data
            other.grad += upstream * self.data

        out.send = send
        return out

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def backward(self):
        uses, found = {self: 0}, [self]
        for node in found:
            for source in node.sources:
                if source not in uses:
                    uses[source] = 0
                    found.append(source)
                uses[source] += 1
        self.grad += 1.0
        ready = [self]
        while ready:
            node = ready.pop()
            if node.send is None:
                continue
            node.send(node.grad)
            node.grad = 0.0
            for source in node.sources:
                uses[source] -= 1
                if not uses[source]:
                    ready.append(source)
