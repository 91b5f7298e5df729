"""No closures: a node stores its operands with the local derivatives, and backward() does all the arithmetic."""


class Value:
    def __init__(self, data, links=()):
        self.data = data
        self.grad = 0.0
        self._links = links

    def __add__(self, other):
        other = _wrap(other)
        return Value(self.data + other.data, ((self, 1.0), (other, 1.0)))

    def __mul__(self, other):
        other = _wrap(other)
        return Value(self.data * other.data, ((self, other.data), (other, self.data)))

    __radd__ = __add__
    __rmul__ = __mul__

    def backward(self):
        self.grad = 1.0
        for node in reversed(_operands_first(self)):
            for operand, slope in node._links:
                operand.grad += slope * node.grad


def _wrap(thing):
    return thing if isinstance(thing, Value) else Value(thing)


def _operands_first(root):
    order, entered, todo = [], set(), [(root, False)]
    while todo:
        node, operands_done = todo.pop()
        if operands_done:
            order.append(node)
        elif id(node) not in entered:
            entered.add(id(node))
            todo.append((node, True))
            todo.extend((operand, False) for operand, _ in node._links)
    return order
