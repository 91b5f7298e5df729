"""Gradients as exact fractions, accumulated in a dictionary during the pass and stored at its end."""

from fractions import Fraction


class Value:
    def __init__(self, data, parts=None):
        self.data = data
        self.grad = Fraction(0)
        self.parts = parts or []

    @staticmethod
    def of(thing):
        return thing if isinstance(thing, Value) else Value(thing)

    def __add__(self, other):
        other = Value.of(other)
        return Value(self.data + other.data, [(self, Fraction(1)), (other, Fraction(1))])

    def __mul__(self, other):
        other = Value.of(other)
        return Value(self.data * other.data, [(self, Fraction(other.data)), (other, Fraction(self.data))])

    def __radd__(self, other):
        return Value.of(other) + self

    def __rmul__(self, other):
        return Value.of(other) * self

    def backward(self):
        finished = []
        self._finish(finished, set())
        ledger = {node: [] for node in finished}
        ledger[self].append(Fraction(1))
        for node in reversed(finished):
            node.grad = sum(ledger[node], Fraction(0))
            for operand, slope in node.parts:
                ledger[operand].append(slope * node.grad)

    def _finish(self, finished, met):
        met.add(self)
        for operand, _ in self.parts:
            if operand not in met:
                operand._finish(finished, met)
        finished.append(self)
