"""The number of rows."""

import contextlib

import numpy as np

recording = True


@contextlib.contextmanager
def no_grad():
    global recording
    before = recording
    recording = False
    try:
        yield
    finally:
        recording = before


class Tensor:
    __array_ufunc__ = None  # lets arrays and NumPy scalars be left operands

    def __init__(self, data, requires_grad=False):
        self.data = np.asarray(data, dtype=np.float64)
        self.grad = None
        self.requires_grad = requires_grad
        self.operands = ()
        self.vjp = lambda g: ()  # turns the gradient of this tensor into one gradient for each operand

    def __add__(self, other):
        other = as_tensor(other)
        a, b = self.data, other.data
        return result(a + b, (self, other), lambda g: (unbroadcast(g, a.shape), unbroadcast(g, b.shape)))

    def __mul__(self, other):
        other = as_tensor(other)
        a, b = self.data, other.data
        return result(a * b, (self, other), lambda g: (unbroadcast(g * b, a.shape), unbroadcast(g * a, b.shape)))

    __radd__ = __add__
    __rmul__ = __mul__

    def __neg__(self):
        return self * -1.0

    def __sub__(self, other):
        return self + as_tensor(other) * -1.0

    def __rsub__(self, other):
        return as_tensor(other) - self

    def __matmul__(self, other):
        a, b = self.data, other.data
        return result(a @ b, (self, other), lambda g: (g @ b.T, a.T @ g))

    def tanh(self):
        value = np.tanh(self.data)
        return result(value, (self,), lambda g: (g * (1 - value**2),))

    def exp(self):
        value = np.exp(self.data)
        return result(value, (self,), lambda g: (g * value,))

    def log(self):
        x = self.data
        return result(np.log(x), (self,), lambda g: (g / x,))

    def sum(self, axis=None, keepdims=False):
        shape = self.data.shape
        kept = self.data.sum(axis=axis, keepdims=True).shape
        data = self.data.sum(axis=axis, keepdims=keepdims)
        return result(data, (self,), lambda g: (np.broadcast_to(g.reshape(kept), shape),))

    def backward(self, gradient=None):
        sums = {self: np.ones(self.data.shape) if gradient is None else gradient}
        for tensor in reversed(in_order(self)):
            g = sums[tensor]
            if not tensor.operands and tensor.requires_grad:
                tensor.grad = g.copy() if tensor.grad is None else tensor.grad + g
            for operand, part in zip(tensor.operands, tensor.vjp(g)):
                sums[operand] = sums[operand] + part if operand in sums else part


def as_tensor(value):
    return value if isinstance(value, Tensor) else Tensor(value)


def result(data, operands, vjp):
    """The result of an operation. It remembers its operands if it needs a gradient."""
    out = Tensor(data, recording and any(operand.requires_grad for operand in operands))
    if out.requires_grad:
        out.operands, out.vjp = operands, vjp
    return out


def in_order(root):
    """The root and every tensor that it depends on, each after its operands."""
    order, seen = [], set()

    def visit(tensor):
        if tensor not in seen:
            seen.add(tensor)
            for operand in tensor.operands:
                visit(operand)
            order.append(tensor)

    visit(root)
    return order


def unbroadcast(g, shape):
    """The sum of g over all axes that broadcasting added or stretched, in this shape."""
    g = g.sum(axis=tuple(range(g.ndim - len(shape))))
    return g.sum(axis=tuple(axis for axis, size in enumerate(shape) if size == 1), keepdims=True)


class Parameter(Tensor):
    """A tensor that is trained. It holds the given array, not a copy."""

    def __init__(self, data):
        super().__init__(data, requires_grad=True)


class Module:
    def __call__(self, *args):
        return self.forward(*args)

    def parameters(self):
        """The parameters in attributes, in modules and in lists, each once."""
        found = []

        def search(value):
            if isinstance(value, Parameter):
                if value not in found:
                    found.append(value)
            elif isinstance(value, Module):
                search(list(vars(value).values()))
            elif isinstance(value, list):
                for item in value:
                    search(item)

        search(self)
        return found


class SGD:
    """Gradient descent with momentum. A step changes the arrays of the parameters in place."""

    def __init__(self, parameters, lr, momentum=0.0):
        self.parameters, self.lr, self.momentum = parameters, lr, momentum
        self.velocities = [np.zeros(p.data.shape) for p in parameters]

    def zero_grad(self):
        for p in self.parameters:
            p.grad = None

    def step(self):
        for p, v in zip(self.parameters, self.velocities):
            if p.grad is not None:
                v *= self.momentum
                v += p.grad
                p.data -= self.lr * v


class Linear(Module):
    def __init__(self, weight, bias):
        self.weight, self.bias = (Parameter(values.copy()) for values in (weight, bias))

    def forward(self, x):
        return x @ self.weight + self.bias


class Network(Module):
    def __init__(self, arrays):
        self.first = [Linear(*pair) for pair in arrays[:-1]]
        self.last = Linear(*arrays[-1])

    def forward(self, x):
        for layer in self.first:
            x = layer(x).tanh()
        return self.last(x)


def log_softmax(z):
    top = Tensor(z.data.max(axis=1, keepdims=True))
    return z - top - (z - top).exp().sum(axis=1, keepdims=True).log()


def cross_entropy(logits, targets):
    chosen = np.zeros(logits.data.shape)
    chosen[np.arange(len(targets)), targets] = 1.0
    losses = -(log_softmax(logits) * chosen).sum(axis=1)
    return losses.sum() * (1 / len(targets))


def batches(order, size):
    return [order[n : n + size] for n in range(0, len(order), size)]


def train(network, x, targets, orders, *, batch_size, lr, momentum=0.0):
    sgd = SGD(network.parameters(), lr=lr, momentum=momentum)
    history = []
    for order in orders:
        losses = []
        for rows in batches(order, batch_size):
            logits = network(Tensor(x[rows]))
            loss = cross_entropy(logits, targets[rows])
            sgd.zero_grad()
            loss.backward()
            sgd.step()
            losses += [loss.data.item()] * len(rows)
        history.append(sum(losses) / len(losses))
    return history


def evaluate(network, x, targets):
    with no_grad():
        logits = network(Tensor(x))
        loss = cross_entropy(logits, targets).data.item()
    right = [int(np.argmax(row)) == target for row, target in zip(logits.data, targets)]
    return loss, float(sum(right))
