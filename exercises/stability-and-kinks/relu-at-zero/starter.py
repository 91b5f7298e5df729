import numpy as np


def relu_vjp(g: np.ndarray, x: np.ndarray) -> tuple[np.ndarray]:
    """(dx,) for max(x, 0); the derivative at 0 is 0."""
    raise NotImplementedError("your part")


def leaky_relu_vjp(g: np.ndarray, x: np.ndarray, *, slope: float) -> tuple[np.ndarray]:
    """(dx,) for x where x > 0 and slope * x elsewhere; the derivative at 0 is slope."""
    raise NotImplementedError("your part")


def abs_vjp(g: np.ndarray, x: np.ndarray) -> tuple[np.ndarray]:
    """(dx,) for |x|; the derivative at 0 is 0."""
    raise NotImplementedError("your part")


def clamp_min_vjp(g: np.ndarray, x: np.ndarray, *, lo: float) -> tuple[np.ndarray]:
    """(dx,) for max(x, lo); the derivative at lo is 1."""
    raise NotImplementedError("your part")


def maximum0_vjp(g: np.ndarray, x: np.ndarray) -> tuple[np.ndarray]:
    """(dx,) for max(x, 0) with a shared tie; the derivative at 0 is 1/2."""
    raise NotImplementedError("your part")
