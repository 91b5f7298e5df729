import numpy as np


def linear_vjp(g: np.ndarray, x: np.ndarray, w: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, ...]:
    """(dx, dw, db) for y = x @ w.T + b and the upstream gradient g, shaped like y."""
    raise NotImplementedError("your part")


def mlp_vjp(
    g: np.ndarray, x: np.ndarray, w1: np.ndarray, b1: np.ndarray, w2: np.ndarray, b2: np.ndarray
) -> tuple[np.ndarray, ...]:
    """(dx, dw1, db1, dw2, db2) for y = relu(x @ w1.T + b1) @ w2.T + b2 and the upstream gradient g, shaped like y."""
    raise NotImplementedError("your part")
