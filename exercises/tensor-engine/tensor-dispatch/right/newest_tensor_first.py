"""No topological sort: tensors are numbered when they are made, and backward takes the newest from a heap.

Whatever uses a tensor is newer than the tensor, so its gradient is complete when its turn comes.
"""

import contextlib
import heapq
import itertools

import numpy as np

numbers = itertools.count()
recording = [True]


@contextlib.contextmanager
def no_grad():
    recording.append(False)
    try:
        yield
    finally:
        recording.pop()


FORWARD = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "neg": np.negative,
    "exp": np.exp,
    "log": np.log,
    "tanh": np.tanh,
    "relu": lambda x: np.where(x > 0, x, 0.0),
}
BACKWARD = {
    "add": lambda g, out, x, y: (g, g),
    "sub": lambda g, out, x, y: (g, -g),
    "mul": lambda g, out, x, y: (g * y, g * x),
    "div": lambda g, out, x, y: (g / y, -g * out / y),
    "neg": lambda g, out, x: (-g,),
    "exp": lambda g, out, x: (g * out,),
    "log": lambda g, out, x: (g / x,),
    "tanh": lambda g, out, x: (g * (1 - out**2),),
    "relu": lambda g, out, x: (np.where(x > 0, g, 0.0),),
}


def apply(name, *operands):
    operands = tuple(value if isinstance(value, Tensor) else Tensor(value) for value in operands)
    result = Tensor(FORWARD[name](*(operand.data for operand in operands)))
    if recording[-1] and any(operand.requires_grad for operand in operands):
        result.requires_grad, result.name, result.operands = True, name, operands
    return result


def method(name, reflected=False):
    return lambda *tensors: apply(name, *(reversed(tensors) if reflected else tensors))


class Tensor:
    __array_ufunc__ = None  # a NumPy number on the left leaves the operation to us

    def __init__(self, data, requires_grad=False):
        self.data = np.asarray(data, dtype=np.float64)
        self.grad = None
        self.requires_grad = requires_grad
        self.name = ""
        self.operands = ()
        self.number = next(numbers)

    __add__, __sub__, __mul__, __truediv__ = map(method, ("add", "sub", "mul", "div"))
    __radd__, __rsub__, __rmul__, __rtruediv__ = (method(name, reflected=True) for name in ("add", "sub", "mul", "div"))
    __neg__, exp, log, tanh, relu = map(method, ("neg", "exp", "log", "tanh", "relu"))

    def backward(self, gradient=None):
        if gradient is None:
            gradient = np.ones_like(self.data.reshape(1)).reshape(self.data.shape)
        waiting = [(-self.number, self)]
        sums = {self.number: gradient}
        while waiting:
            _, tensor = heapq.heappop(waiting)
            g = sums.pop(tensor.number)
            if tensor.operands:
                parts = BACKWARD[tensor.name](g, tensor.data, *(operand.data for operand in tensor.operands))
                for operand, part in zip(tensor.operands, parts, strict=True):
                    if not operand.requires_grad:
                        continue
                    if operand.number in sums:
                        sums[operand.number] = sums[operand.number] + part
                    else:
                        sums[operand.number] = part
                        heapq.heappush(waiting, (-operand.number, operand))
            elif tensor.requires_grad:
                tensor.grad = np.array(g) if tensor.grad is None else tensor.grad + g
