"""The gradients of a pass are stored in a dictionary for that pass. Only the .grad of leaves is modified."""


class Value:
    def __init__(self, data, links=()):
        self.data = data
        self.grad = 0.0
        self.links = links

    def __add__(self, other):
        other = _wrap(other)
        return Value(self.data + other.data, ((self, 1.0), (other, 1.0)))

    def __mul__(self, other):
        other = _wrap(other)
        return Value(self.data * other.data, ((self, other.data), (other, self.data)))

    __radd__ = __add__
    __rmul__ = __mul__

    def backward(self):
        order, met = [], {self}
        todo = [(self, iter(self.links))]
        while todo:
            node, links = todo[-1]
            for operand, _ in links:
                if operand not in met:
                    met.add(operand)
                    todo.append((operand, iter(operand.links)))
                    break
            else:
                order.append(node)
                todo.pop()
        arrived = dict.fromkeys(order, 0.0)
        arrived[self] = 1.0
        for node in reversed(order):
            for operand, slope in node.links:
                arrived[operand] += slope * arrived[node]
            if not node.links:
                node.grad += arrived[node]


def _wrap(thing):
    return thing if isinstance(thing, Value) else Value(thing)
