"""Both derivatives use the output: (1 - y) * (1 + y) for tanh, and whether y is positive for relu."""

import math


class Value:
    def __init__(self, data, *sources):
        self.data = data
        self.grad = 0
        self.sources = sources

    def push(self):
        pass

    def __add__(self, other):
        return Sum.of(self, other)

    def __mul__(self, other):
        return Product.of(self, other)

    __radd__ = __add__
    __rmul__ = __mul__

    def tanh(self):
        return Tanh(math.tanh(self.data), self)

    def relu(self):
        return Relu(self.data if self.data > 0 else 0, self)

    def backward(self):
        waiting = {}
        todo, met = [self], {id(self)}
        while todo:
            for source in todo.pop().sources:
                waiting[id(source)] = waiting.get(id(source), 0) + 1
                if id(source) not in met:
                    met.add(id(source))
                    todo.append(source)
        self.grad = 1
        ready = [self]
        while ready:
            node = ready.pop()
            node.push()
            for source in node.sources:
                waiting[id(source)] -= 1
                if not waiting[id(source)]:
                    ready.append(source)


class Sum(Value):
    @classmethod
    def of(cls, a, b):
        b = b if isinstance(b, Value) else Value(b)
        return cls(a.data + b.data, a, b)

    def push(self):
        for source in self.sources:
            source.grad += self.grad


class Product(Value):
    @classmethod
    def of(cls, a, b):
        b = b if isinstance(b, Value) else Value(b)
        return cls(a.data * b.data, a, b)

    def push(self):
        a, b = self.sources
        a.grad, upstream = a.grad + b.data * self.grad, self.grad
        b.grad += a.data * upstream


class Tanh(Value):
    def push(self):
        self.sources[0].grad += (1 - self.data) * (1 + self.data) * self.grad


class Relu(Value):
    def push(self):
        if self.data:
            self.sources[0].grad += self.grad
