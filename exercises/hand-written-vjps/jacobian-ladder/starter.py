import numpy as np


def transpose_jacobian(x: np.ndarray) -> np.ndarray:
    """The Jacobian of x.T for a matrix x, entries numbered row by row."""
    raise NotImplementedError("your part")


def running_mean_jacobian(x: np.ndarray) -> np.ndarray:
    """The Jacobian of the means of x[:1], x[:2], ..., x."""
    raise NotImplementedError("your part")


def sort_jacobian(x: np.ndarray) -> np.ndarray:
    """The Jacobian of np.sort(x)."""
    raise NotImplementedError("your part")


def convolve_jacobian(x: np.ndarray, *, w: np.ndarray) -> np.ndarray:
    """The Jacobian of np.convolve(x, w) with respect to x."""
    raise NotImplementedError("your part")


def transpose_vjp(g: np.ndarray, x: np.ndarray) -> tuple[np.ndarray]:
    """(dx,) for x.T."""
    raise NotImplementedError("your part")


def running_mean_vjp(g: np.ndarray, x: np.ndarray) -> tuple[np.ndarray]:
    """(dx,) for the running mean of x."""
    raise NotImplementedError("your part")


def sort_vjp(g: np.ndarray, x: np.ndarray) -> tuple[np.ndarray]:
    """(dx,) for np.sort(x)."""
    raise NotImplementedError("your part")


def convolve_vjp(g: np.ndarray, x: np.ndarray, *, w: np.ndarray) -> tuple[np.ndarray]:
    """(dx,) for np.convolve(x, w)."""
    raise NotImplementedError("your part")
