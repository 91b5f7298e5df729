"""A small tape: every operation records how to send its gradient back. No derivative of the whole step is written down."""

import numpy as np


class Node:
    def __init__(self, value, pulls=()):
        self.value, self.pulls = value, pulls
        self.grad = np.zeros(value.shape)


class Tape:
    def __init__(self):
        self.nodes = []

    def put(self, value, *pulls):
        node = Node(value, pulls)
        self.nodes.append(node)
        return node

    def matmul(self, a, w):
        return self.put(a.value @ w.value, (a, lambda g: g @ w.value.T), (w, lambda g: a.value.T @ g))

    def add(self, a, b):
        return self.put(a.value + b.value, (a, lambda g: g), (b, lambda g: g if b.value.ndim == 2 else g.sum(axis=0)))

    def mul(self, a, b):
        return self.put(a.value * b.value, (a, lambda g: g * b.value), (b, lambda g: g * a.value))

    def tanh(self, a):
        y = np.tanh(a.value)
        return self.put(y, (a, lambda g: g * (1 - y**2)))

    def sigmoid(self, a):
        y = np.exp(-np.logaddexp(0.0, -a.value))
        return self.put(y, (a, lambda g: g * y * (1 - y)))

    def columns(self, a, k, size):
        def back(g):
            full = np.zeros(a.value.shape)
            full[:, k * size : (k + 1) * size] = g
            return full

        return self.put(a.value[:, k * size : (k + 1) * size], (a, back))

    def step(self, x, h, c, wx, wh, b):
        a = self.add(self.add(self.matmul(x, wx), self.matmul(h, wh)), b)
        parts = [self.columns(a, k, wh.value.shape[0]) for k in range(4)]
        i, f, o = (self.sigmoid(parts[k]) for k in (0, 1, 3))
        c = self.add(self.mul(f, c), self.mul(i, self.tanh(parts[2])))
        return self.mul(o, self.tanh(c)), c

    def backward(self):
        for node in reversed(self.nodes):
            for operand, pull in node.pulls:
                operand.grad = operand.grad + pull(node.grad)


def lstm_step(x, h, c, wx, wh, b):
    h, c = Tape().step(*map(Node, (x, h, c, wx, wh, b)))
    return h.value, c.value


def lstm_step_vjp(gh, gc, x, h, c, wx, wh, b):
    leaves = [Node(value) for value in (x, h, c, wx, wh, b)]
    tape = Tape()
    hidden, cell = tape.step(*leaves)
    hidden.grad, cell.grad = gh, gc
    tape.backward()
    return tuple(leaf.grad for leaf in leaves)


def unrolled(x, h0, c0, wx, wh, b):
    tape, rows = Tape(), [Node(row) for row in x]
    leaves = [Node(value) for value in (h0, c0, wx, wh, b)]
    h, c, *weights = leaves
    hidden = []
    for row in rows:
        h, c = tape.step(row, h, c, *weights)
        hidden.append(h)
    return tape, rows, leaves, hidden, c


def lstm(x, h0, c0, wx, wh, b):
    *_, hidden, c = unrolled(x, h0, c0, wx, wh, b)
    return np.array([h.value for h in hidden]).reshape(len(x), *h0.shape), c.value


def lstm_vjp(g, gc, x, h0, c0, wx, wh, b):
    tape, rows, leaves, hidden, c = unrolled(x, h0, c0, wx, wh, b)
    c.grad = gc
    for h, upstream in zip(hidden, g):
        h.grad = upstream
    tape.backward()
    dx = np.array([row.grad for row in rows]).reshape(x.shape)
    return (dx, *(leaf.grad for leaf in leaves))
