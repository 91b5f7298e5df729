import numpy as np


def prod_vjp(g: np.ndarray, x: np.ndarray, *, axis: int | None = None, keepdims: bool = False) -> tuple[np.ndarray]:
    """(dx,) for np.prod(x, axis=axis, keepdims=keepdims) and the upstream gradient g, shaped like the product."""
    raise NotImplementedError("your part")


def cumprod_vjp(g: np.ndarray, x: np.ndarray, *, axis: int) -> tuple[np.ndarray]:
    """(dx,) for np.cumprod(x, axis) and the upstream gradient g, shaped like x."""
    raise NotImplementedError("your part")
