"""The function is recorded as a graph whose slopes are nodes, too, and the graph is differentiated from the result down."""

import math


class Node:
    def __init__(self, data, *links):
        self.data, self.links = data, links  # pairs of an operand and a function that computes the slope

    def __add__(self, other):
        other = node(other)
        return Node(self.data + other.data, (self, lambda: 1.0), (other, lambda: 1.0))

    def __mul__(self, other):
        other = node(other)
        return Node(self.data * other.data, (self, lambda: other), (other, lambda: self))

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self):
        return self * -1.0

    def __sub__(self, other):
        return self + node(other) * -1.0

    def __rsub__(self, other):
        return node(other) - self

    def __truediv__(self, other):
        return self * node(other) ** -1.0

    def __rtruediv__(self, other):
        return node(other) / self

    def __pow__(self, n):
        return Node(self.data ** n, (self, lambda: n * self ** (n - 1) if n != 0 else 0.0))

    def __lt__(self, other):
        return self.data < node(other).data

    def __gt__(self, other):
        return self.data > node(other).data

    def __le__(self, other):
        return self.data <= node(other).data

    def __ge__(self, other):
        return self.data >= node(other).data


def node(x):
    return x if isinstance(x, Node) else Node(float(x))


def tangents(out, seeds):
    """The tangent of a node, where those of some nodes are known."""
    found = dict(seeds)

    def visit(n):
        if id(n) not in found:
            total = 0.0
            for operand, slope in n.links:
                t = visit(operand)
                if isinstance(t, Node) or t != 0.0:
                    total = t * slope() + total
            found[id(n)] = total
        return found[id(n)]

    return visit(out)


def jvp(f, xs, vs):
    nested = any(isinstance(x, Node) for x in (*xs, *vs))
    fresh = [Node(node(x).data, (node(x), lambda: 1.0)) if isinstance(x, Node) else Node(float(x)) for x in xs]
    out = f(*fresh)
    if not isinstance(out, Node):
        return out, 0.0
    tangent = tangents(out, {id(n): v for n, v in zip(fresh, vs)})
    if nested or inside[0]:
        return out, tangent
    return out.data, tangent.data if isinstance(tangent, Node) else float(tangent)


inside = [0]
plain_jvp = jvp


def jvp(f, xs, vs):
    def counted(*args):
        inside[0] += 1
        try:
            return f(*args)
        finally:
            inside[0] -= 1

    return plain_jvp(counted, xs, vs)


def derivative(f, x):
    return jvp(f, [x], [1.0])[1]


def sin(x):
    return Node(math.sin(x.data), (x, lambda: cos(x))) if isinstance(x, Node) else math.sin(x)


def cos(x):
    return Node(math.cos(x.data), (x, lambda: -sin(x))) if isinstance(x, Node) else math.cos(x)


def exp(x):
    return Node(math.exp(x.data), (x, lambda: exp(x))) if isinstance(x, Node) else math.exp(x)


def log(x):
    return Node(math.log(x.data), (x, lambda: 1 / x)) if isinstance(x, Node) else math.log(x)
