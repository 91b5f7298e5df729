import numpy as np


def amax_vjp(
    g: np.ndarray, x: np.ndarray, *, axis: int | tuple[int, ...] | None = None, keepdims: bool = False
) -> tuple[np.ndarray]:
    """(dx,) for the maximum of each slice; tied entries share the upstream gradient equally."""
    raise NotImplementedError("your part")


def max_first_vjp(g: np.ndarray, x: np.ndarray, *, axis: int, keepdims: bool = False) -> tuple[np.ndarray]:
    """(dx,) for the maximum along the axis; the first of several tied entries receives everything."""
    raise NotImplementedError("your part")


def maximum_vjp(g: np.ndarray, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(dx, dy) for np.maximum(x, y); at a tie each operand receives half."""
    raise NotImplementedError("your part")
