import numpy as np


def rnn(x: np.ndarray, h0: np.ndarray, wx: np.ndarray, wh: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The hidden states after each step, an array of shape (T, N, H)."""
    raise NotImplementedError("your part")


def rnn_vjp(
    g: np.ndarray, x: np.ndarray, h0: np.ndarray, wx: np.ndarray, wh: np.ndarray, b: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """(dx, dh0, dwx, dwh, db), given the upstream gradient g of all hidden states."""
    raise NotImplementedError("your part")
