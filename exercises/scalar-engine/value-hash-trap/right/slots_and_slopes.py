"""A class with __slots__ instead of a dataclass. It stores a list of operands with local derivatives."""


class Value:
    __slots__ = ("_links", "data", "grad")

    def __init__(self, data, links=()):
        self.data = data
        self.grad = 0.0
        self._links = list(links)

    def operands(self):
        return tuple(operand for operand, _ in self._links)

    @staticmethod
    def _lift(thing):
        return thing if isinstance(thing, Value) else Value(thing)

    def __add__(self, other):
        other = Value._lift(other)
        return Value(self.data + other.data, [(self, 1.0), (other, 1.0)])

    def __sub__(self, other):
        other = Value._lift(other)
        return Value(self.data - other.data, [(self, 1.0), (other, -1.0)])

    def __mul__(self, other):
        other = Value._lift(other)
        return Value(self.data * other.data, [(self, other.data), (other, self.data)])

    def __truediv__(self, other):
        other = Value._lift(other)
        return Value(self.data / other.data, [(self, 1 / other.data), (other, -self.data / other.data**2)])

    def __radd__(self, number):
        return Value(number) + self

    def __rsub__(self, number):
        return Value(number) - self

    def __rmul__(self, number):
        return Value(number) * self

    def __rtruediv__(self, number):
        return Value(number) / self

    def __neg__(self):
        return Value(-self.data, [(self, -1.0)])

    def __pow__(self, n):
        return Value(self.data**n, [(self, n * self.data ** (n - 1))])

    def backward(self):
        order, entered, todo = [], set(), [(self, False)]
        while todo:
            node, left = todo.pop()
            if left:
                order.append(node)
            elif node not in entered:
                entered.add(node)
                todo.append((node, True))
                todo += [(operand, False) for operand in node.operands()]
        self.grad = 1.0
        while order:
            node = order.pop()
            for operand, slope in node._links:
                operand.grad += slope * node.grad
