"""Pull instead of push: every node knows its consumers and requests their gradients, which are cached."""


class Value:
    def __init__(self, data):
        self.data = data
        self.grad = 0.0
        self.consumers = []
        self.operands = ()

    def _made_from(self, pairs):
        self.operands = tuple(operand for operand, _ in pairs)
        for operand, slope in pairs:
            operand.consumers.append((self, slope))
        return self

    def __add__(self, other):
        return Value(self.data + other.data)._made_from([(self, 1.0), (other, 1.0)])

    def __mul__(self, other):
        return Value(self.data * other.data)._made_from([(self, other.data), (other, self.data)])

    def backward(self):
        below, todo = {self}, [self]
        while todo:
            for operand in todo.pop().operands:
                if operand not in below:
                    below.add(operand)
                    todo.append(operand)
        known = {self: 1.0}

        def ask(node):
            if node not in known:
                total = 0.0
                for consumer, slope in node.consumers:
                    if consumer in below:
                        total += slope * ask(consumer)
                known[node] = total
            return known[node]

        for node in below:
            node.grad = ask(node)
