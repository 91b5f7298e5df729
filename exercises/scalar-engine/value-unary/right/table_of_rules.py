"""A table defines the value and the derivatives of each operation. Nodes are visited from newest to oldest."""

import itertools
import math

_numbers = itertools.count()

RULES = {
    "add": (lambda a, b: a + b, lambda a, b, y: (1, 1)),
    "sub": (lambda a, b: a - b, lambda a, b, y: (1, -1)),
    "mul": (lambda a, b: a * b, lambda a, b, y: (b, a)),
    "div": (lambda a, b: a / b, lambda a, b, y: (1 / b, -y / b)),
    "exp": (math.exp, lambda a, y: (y,)),
    "log": (math.log, lambda a, y: (1 / a,)),
}


class Value:
    def __init__(self, data):
        self.data = data
        self.grad = 0.0
        self.name, self.args = None, ()
        self.number = next(_numbers)

    def __neg__(self):
        return apply("sub", 0.0, self)

    def __pow__(self, n):
        out = Value(self.data**n)
        out.name, out.args = n, (self,)
        return out

    def exp(self):
        return apply("exp", self)

    def log(self):
        return apply("log", self)

    def slopes(self):
        values = [arg.data for arg in self.args]
        if isinstance(self.name, str):
            return RULES[self.name][1](*values, self.data)
        (base,) = values
        return (self.name * base ** (self.name - 1),)

    def backward(self):
        found, todo = {}, [self]
        while todo:
            node = todo.pop()
            if node.number not in found:
                found[node.number] = node
                todo += node.args
        self.grad = 1.0
        for number in sorted(found, reverse=True):
            node = found[number]
            if node.args:
                for arg, slope in zip(node.args, node.slopes(), strict=True):
                    arg.grad += slope * node.grad


def apply(name, *args):
    args = tuple(arg if isinstance(arg, Value) else Value(arg) for arg in args)
    out = Value(RULES[name][0](*(arg.data for arg in args)))
    out.name, out.args = name, args
    return out


def _operator(name, swapped):
    return lambda self, other: apply(name, other, self) if swapped else apply(name, self, other)


for _method, _name in (("add", "add"), ("sub", "sub"), ("mul", "mul"), ("truediv", "div")):
    setattr(Value, f"__{_method}__", _operator(_name, False))
    setattr(Value, f"__r{_method}__", _operator(_name, True))
