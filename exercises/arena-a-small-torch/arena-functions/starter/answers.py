import numpy as np

Arr = np.ndarray


def log_back(grad_out: Arr, out: Arr, x: Arr) -> Arr:
    """The gradient with respect to x for out = np.log(x)."""
    raise NotImplementedError("write this function")


def unbroadcast(broadcasted: Arr, original: Arr) -> Arr:
    """Sums an array over all copies that broadcasting made, back to the shape of `original`."""
    raise NotImplementedError("write this function")


def multiply_back0(grad_out: Arr, out: Arr, x: Arr, y: Arr | float) -> Arr:
    """The gradient with respect to x for out = x * y."""
    raise NotImplementedError("write this function")


def multiply_back1(grad_out: Arr, out: Arr, x: Arr | float, y: Arr) -> Arr:
    """The gradient with respect to y for out = x * y."""
    raise NotImplementedError("write this function")


def forward_and_back(a: Arr, b: Arr, c: Arr) -> tuple[Arr, Arr, Arr]:
    """The gradients of g = log(a * b * log(c)) with respect to a, b and c."""
    d = a * b
    e = np.log(c)
    f = d * e
    g = np.log(f)
    raise NotImplementedError("write this function")


def negative_back(grad_out: Arr, out: Arr, x: Arr) -> Arr:
    """The gradient with respect to x for out = -x."""
    raise NotImplementedError("write this function")


def exp_back(grad_out: Arr, out: Arr, x: Arr) -> Arr:
    """The gradient with respect to x for out = np.exp(x)."""
    raise NotImplementedError("write this function")


def reshape_back(grad_out: Arr, out: Arr, x: Arr, new_shape: tuple[int, ...]) -> Arr:
    """The gradient with respect to x for out = np.reshape(x, new_shape)."""
    raise NotImplementedError("write this function")


def permute_back(grad_out: Arr, out: Arr, x: Arr, axes: tuple[int, ...]) -> Arr:
    """The gradient with respect to x for out = np.transpose(x, axes)."""
    raise NotImplementedError("write this function")


def sum_back(grad_out: Arr, out: Arr, x: Arr, dim=None, keepdim: bool = False) -> Arr:
    """The gradient with respect to x for out = np.sum(x, axis=dim, keepdims=keepdim)."""
    raise NotImplementedError("write this function")


def maximum_back0(grad_out: Arr, out: Arr, x: Arr, y: Arr | float) -> Arr:
    """The gradient with respect to x for out = np.maximum(x, y)."""
    raise NotImplementedError("write this function")


def maximum_back1(grad_out: Arr, out: Arr, x: Arr | float, y: Arr) -> Arr:
    """The gradient with respect to y for out = np.maximum(x, y)."""
    raise NotImplementedError("write this function")


def matmul2d_back0(grad_out: Arr, out: Arr, x: Arr, y: Arr) -> Arr:
    """The gradient with respect to x for out = x @ y."""
    raise NotImplementedError("write this function")


def matmul2d_back1(grad_out: Arr, out: Arr, x: Arr, y: Arr) -> Arr:
    """The gradient with respect to y for out = x @ y."""
    raise NotImplementedError("write this function")


def getitem_back(grad_out: Arr, out: Arr, x: Arr, index) -> Arr:
    """The gradient with respect to x for out = x[index]."""
    raise NotImplementedError("write this function")
