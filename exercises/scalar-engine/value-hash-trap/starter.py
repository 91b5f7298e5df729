from dataclasses import dataclass, field


@dataclass
class Value:
    data: float
    grad: float = 0.0
    made_of: set = field(default_factory=set)
    step: object = None

    def operands(self):
        return tuple(self.made_of)

    def __add__(self, other):
        out = Value(self.data + other.data, made_of={self, other})

        def step():
            self.grad += out.grad
            other.grad += out.grad
        out.step = step
        return out

    def __mul__(self, other):
        out = Value(self.data * other.data, made_of={self, other})

        def step():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad
        out.step = step
        return out

    def backward(self):
        order, seen = [], set()

        def visit(v):
            if v not in seen:
                seen.add(v)
                for w in v.made_of:
                    visit(w)
                order.append(v)
        visit(self)
        self.grad = 1.0
        for v in reversed(order):
            if v.step:
                v.step()
