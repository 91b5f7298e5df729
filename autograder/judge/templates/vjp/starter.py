# TODO(author): signatures and words for the student; no answer
import numpy as np


def scale_vjp(g: np.ndarray, x: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The gradients of x and w, when g arrives at z = x * w."""
    raise NotImplementedError("your part")
