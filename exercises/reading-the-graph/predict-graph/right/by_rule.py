"""A miniature of the recorder: operators build nodes with slots, and the answers are read from them."""


class Node:
    def __init__(self, name, *slots):
        self.name, self.slots = name, slots


class Tensor:
    def __init__(self, node=None, output=0):
        self.node, self.output = node, output

    def detach(self):
        return Tensor()

    def mean(self):
        return record("Mean", self)

    def __add__(self, other):
        return record("Add", self, other)

    def __mul__(self, other):
        return record("Mul", self, other)

    def __truediv__(self, other):
        return record("Div", self, other)

    def __rsub__(self, number):
        return record("Rsub", self)

    def __pow__(self, number):
        return record("Pow", self)

    __rpow__ = __pow__

    def __rtruediv__(self, number):
        return record("Reciprocal", self) * number


def record(name, *operands):
    tensors = [operand if isinstance(operand, Tensor) else Tensor() for operand in operands]
    return Tensor(Node(name, *((t.node, t.output) for t in tensors)))


def leaf():
    return Tensor(Node("AccumulateGrad"))


def linear(rows, rank):
    out = record("Addmm", leaf(), rows, record("T", leaf()))
    return out if rank == 2 else record("View", out)


def read(result):
    return result.node.name, [node and node.name for node, _ in result.node.slots]


x, y, P = leaf(), leaf(), leaf()
unbind = Node("Unbind", (P.node, 0))
a, b = Tensor(unbind, 0), Tensor(unbind, 1)
results = [x * 2, x + y, x**2, 1 - x, 2**x, 1 / x, x * Tensor(), x.detach() * y, linear(Tensor(), 2), linear(Tensor(), 1)]
answers = {f"g{n}": read(result) for n, result in enumerate(results, 1)}
answers["g11"] = [output for _, output in (b * a).node.slots]
answers |= {"g12": read(x * x), "g13": read(x / 2), "g14": read((x * y + 1).mean())}
