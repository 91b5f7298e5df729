"""No closures: nodes store local derivatives and a creation number, and the newest reachable node runs next."""

import heapq


class Value:
    created = 0

    def __init__(self, data, links=()):
        Value.created += 1
        self.data, self.grad = data, 0
        self._links, self._age = links, -Value.created

    def __lt__(self, other):
        return self._age < other._age

    def __add__(self, other):
        return Value(self.data + other.data, ((self, 1), (other, 1)))

    def __mul__(self, other):
        return Value(self.data * other.data, ((self, other.data), (other, self.data)))

    def backward(self):
        self.grad = 1
        heap, pushed = [self], {self._age}
        while heap:
            node = heapq.heappop(heap)
            for operand, slope in node._links:
                operand.grad += slope * node.grad
                if operand._age not in pushed:
                    pushed.add(operand._age)
                    heapq.heappush(heap, operand)
