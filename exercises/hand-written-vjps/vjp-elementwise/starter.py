import numpy as np


def mul_vjp(g: np.ndarray, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(dx, dy) for z = x * y and the upstream gradient g, shaped like z."""
    raise NotImplementedError("your part")


def div_vjp(g: np.ndarray, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(dx, dy) for z = x / y."""
    raise NotImplementedError("your part")


def pow_vjp(g: np.ndarray, x: np.ndarray, *, n: float) -> tuple[np.ndarray]:
    """(dx,) for z = x ** n, with a constant number n."""
    raise NotImplementedError("your part")


def sigmoid_vjp(g: np.ndarray, x: np.ndarray) -> tuple[np.ndarray]:
    """(dx,) for z = 1 / (1 + exp(-x))."""
    raise NotImplementedError("your part")


def tanh_vjp(g: np.ndarray, x: np.ndarray) -> tuple[np.ndarray]:
    """(dx,) for z = tanh(x)."""
    raise NotImplementedError("your part")


def sindot_vjp(g: np.ndarray, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(dx, dy) for z = sin(x . y), with two vectors of one length; g is 0-d."""
    raise NotImplementedError("your part")
