import numpy as np


def shifted_exp(x: np.ndarray, axis: int) -> tuple[np.ndarray, np.ndarray]:
    """exp(x - peak), and the peak of each slice. The peak is 0 for a slice of only -inf, because -inf - -inf is nan."""
    peak = x.max(axis=axis, keepdims=True)
    peak = np.where(np.isneginf(peak), 0.0, peak)
    return np.exp(x - peak), peak


def softmax(x: np.ndarray, *, axis: int = -1) -> np.ndarray:
    e, _ = shifted_exp(x, axis)
    total = e.sum(axis=axis, keepdims=True)
    return e / np.where(total == 0, 1.0, total)


def lse(x: np.ndarray, *, axis: int = -1) -> np.ndarray:
    e, peak = shifted_exp(x, axis)
    with np.errstate(divide="ignore"):  # log(0) = -inf is correct for a slice of only -inf
        result = np.log(e.sum(axis=axis, keepdims=True)) + peak
    return result.squeeze(axis)


def softmax_vjp(g: np.ndarray, x: np.ndarray, *, axis: int = -1) -> tuple[np.ndarray]:
    p = softmax(x, axis=axis)
    mean = (g * p).sum(axis=axis, keepdims=True)
    return (p * (g - mean),)


def lse_vjp(g: np.ndarray, x: np.ndarray, *, axis: int = -1) -> tuple[np.ndarray]:
    """A complex step in one entry after the other. Entries of -inf are left out: their gradient is 0."""
    dx, stepped = np.zeros(x.shape), x.astype(complex)
    peak = np.where(np.isneginf(x.max(axis=axis, keepdims=True)), 0.0, x.max(axis=axis, keepdims=True))
    for place in np.ndindex(x.shape):
        if np.isneginf(x[place]):
            continue
        stepped[place] = x[place] + 1e-30j
        total = np.exp(stepped - peak).sum(axis=axis)
        total = np.where(total == 0, 1.0, total)
        dx[place] = (g * np.log(total).imag).sum() / 1e-30
        stepped[place] = x[place]
    return (dx,)
