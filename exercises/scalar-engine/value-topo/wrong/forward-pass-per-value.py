class Value:
    def __init__(self, data, operands=(), operate=None):
        self.data, self.grad = data, 0.0
        self.sources, self.operate = operands, operate

    def __add__(self, other):
        return Value(self.data + other.data, (self, other), lambda a, b: a + b)

    def __mul__(self, other):
        return Value(self.data * other.data, (self, other), lambda a, b: a * b)

    def backward(self):
        """The derivative by a complex step in one value after the other: each time, the whole graph is computed again."""
        order, seen = [], set()

        def visit(value):
            if value not in seen:
                seen.add(value)
                for source in value.sources:
                    visit(source)
                order.append(value)

        visit(self)
        for moved in order:
            data = {}
            for value in order:
                data[value] = value.operate(*(data[source] for source in value.sources)) if value.sources else value.data
                if value is moved:
                    data[value] += 1e-30j
            moved.grad = data[self].imag / 1e-30
