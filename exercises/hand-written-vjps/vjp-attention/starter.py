import numpy as np


def attention(q: np.ndarray, k: np.ndarray, v: np.ndarray, *, mask: np.ndarray | None = None) -> np.ndarray:
    """Scaled dot-product attention of the queries q to the keys k with the values v."""
    raise NotImplementedError("your part")


def attention_vjp(
    g: np.ndarray, q: np.ndarray, k: np.ndarray, v: np.ndarray, *, mask: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(dq, dk, dv), given the upstream gradient g of attention."""
    raise NotImplementedError("your part")
