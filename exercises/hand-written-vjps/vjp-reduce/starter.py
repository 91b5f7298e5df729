import numpy as np

Axis = int | tuple[int, ...] | None


def sum_vjp(g: np.ndarray, x: np.ndarray, *, axis: Axis = None, keepdims: bool = False) -> tuple[np.ndarray]:
    """(dx,) for x.sum(axis=axis, keepdims=keepdims) and the upstream gradient g, shaped like the result."""
    raise NotImplementedError("your part")


def mean_vjp(g: np.ndarray, x: np.ndarray, *, axis: Axis = None, keepdims: bool = False) -> tuple[np.ndarray]:
    """(dx,) for x.mean(axis=axis, keepdims=keepdims)."""
    raise NotImplementedError("your part")


def var_vjp(g: np.ndarray, x: np.ndarray, *, axis: Axis = None, ddof: int = 0, keepdims: bool = False) -> tuple[np.ndarray]:
    """(dx,) for x.var(axis=axis, ddof=ddof, keepdims=keepdims)."""
    raise NotImplementedError("your part")


def norm_vjp(g: np.ndarray, x: np.ndarray, *, axis: Axis = None, keepdims: bool = False) -> tuple[np.ndarray]:
    """(dx,) for the Euclidean norm of each slice; 0 for a slice of zeros."""
    raise NotImplementedError("your part")
