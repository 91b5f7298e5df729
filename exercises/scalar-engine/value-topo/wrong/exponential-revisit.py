"""Every path is walked by itself with the product of its slopes: right numbers, in exponential time."""


class Value:
    def __init__(self, data, prev=(), slopes=()):
        self.data = data
        self.grad = 0.0
        self.prev = prev
        self.slopes = slopes

    def __add__(self, other):
        return Value(self.data + other.data, (self, other), (1.0, 1.0))

    def __mul__(self, other):
        return Value(self.data * other.data, (self, other), (other.data, self.data))

    def backward(self):
        def send(v, upstream):
            v.grad += upstream
            for p, slope in zip(v.prev, v.slopes, strict=True):
                send(p, slope * upstream)

        send(self, 1.0)
