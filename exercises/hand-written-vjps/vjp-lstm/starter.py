import numpy as np

Gradients = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def lstm_step(
    x: np.ndarray, h: np.ndarray, c: np.ndarray, wx: np.ndarray, wh: np.ndarray, b: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The hidden state and the cell state after one step."""
    raise NotImplementedError("your part")


def lstm_step_vjp(
    gh: np.ndarray,
    gc: np.ndarray,
    x: np.ndarray,
    h: np.ndarray,
    c: np.ndarray,
    wx: np.ndarray,
    wh: np.ndarray,
    b: np.ndarray,
) -> Gradients:
    """(dx, dh, dc, dwx, dwh, db), given the upstream gradients gh and gc of the two results of lstm_step."""
    raise NotImplementedError("your part")


def lstm(
    x: np.ndarray, h0: np.ndarray, c0: np.ndarray, wx: np.ndarray, wh: np.ndarray, b: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The hidden states after each step, an array of shape (T, N, H), and the last cell state."""
    raise NotImplementedError("your part")


def lstm_vjp(
    g: np.ndarray,
    gc: np.ndarray,
    x: np.ndarray,
    h0: np.ndarray,
    c0: np.ndarray,
    wx: np.ndarray,
    wh: np.ndarray,
    b: np.ndarray,
) -> Gradients:
    """(dx, dh0, dc0, dwx, dwh, db), given the upstream gradients g of all hidden states and gc of the last cell state."""
    raise NotImplementedError("your part")
