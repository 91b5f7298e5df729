"""Connects answers.py with the checks: the names of the course, and a class for the graders' programs."""

import operator

import numpy as np
import script

NAMES = (
    "Tensor", "Recipe", "BackwardFuncLookup", "BACK_FUNCS", "wrap_forward_fn", "topological_sort",
    "sorted_computational_graph", "backprop", "NoGrad", "relu", "cross_entropy", "log", "exp", "negative", "add", "subtract",
    "multiply", "true_divide", "maximum", "matmul", "sum", "reshape", "permute", "getitem", "eq",
)  # fmt: skip
answers, error = script.run()
if error and "Tensor" not in answers:
    raise error
globals().update({name: answers[name] if name in answers else script.missing(name, error) for name in NAMES})


def keep_double_precision(tensor_class):
    """Newer versions of the course round float64 arrays to float32. The checks compare more digits than that."""
    given = tensor_class.__init__

    def __init__(self, array, *args, **options):
        given(self, array, *args, **options)
        if isinstance(array, np.ndarray | np.generic | float | list | tuple) and self.array.dtype == np.float32:
            wide = np.asarray(array)
            self.array = wide if wide.dtype == np.float64 else self.array

    tensor_class.__init__ = __init__


class ProgramTensor:
    """A tensor of answers.py, with the names that the graders' programs use."""

    def __init__(self, data, requires_grad=False):
        self.tensor = Tensor(data, requires_grad=requires_grad)

    @property
    def data(self):
        return self.tensor.array

    @property
    def grad(self):
        grad = self.tensor.grad
        if grad is not None and not isinstance(grad, Tensor):
            raise TypeError(f"x.grad should be a Tensor or None, but is of type {type(grad).__name__}")
        return None if grad is None else grad.array

    @grad.setter
    def grad(self, value):
        self.tensor.grad = value

    def backward(self, gradient=None):
        if gradient is None:
            self.tensor.backward()
        else:
            self.tensor.backward(gradient)

    def exp(self):
        return wrapped(self.tensor.exp())

    def log(self):
        return wrapped(self.tensor.log())

    def relu(self):
        return wrapped(self.tensor.relu())

    def sum(self, axis=None, keepdims=False):
        return wrapped(self.tensor.sum(dim=axis, keepdim=keepdims))

    def reshape(self, shape):
        return wrapped(self.tensor.reshape(shape))

    def permute(self, axes):
        return wrapped(self.tensor.permute(axes))

    def __neg__(self):
        return wrapped(-self.tensor)

    def __getitem__(self, index):
        return wrapped(self.tensor[(index,) if isinstance(index, np.ndarray) else index])


def wrapped(result):
    if not isinstance(result, Tensor):
        raise TypeError(
            f"an operation on tensors should return a Tensor, but returned a value of type {type(result).__name__}"
        )
    program_tensor = ProgramTensor.__new__(ProgramTensor)
    program_tensor.tensor = result
    return program_tensor


def bare(value):
    return value.tensor if isinstance(value, ProgramTensor) else value


def operation(function):
    return lambda self, other: wrapped(function(self.tensor, bare(other)))


def reflected(function):
    return lambda self, other: wrapped(function(bare(other), self.tensor))


for name in ("add", "sub", "mul", "truediv", "matmul"):
    setattr(ProgramTensor, f"__{name}__", operation(getattr(operator, name)))
    setattr(ProgramTensor, f"__r{name}__", reflected(getattr(operator, name)))


def no_grad():
    return NoGrad()


if Tensor(np.array([0.1])).array.dtype == np.float32:
    keep_double_precision(Tensor)
