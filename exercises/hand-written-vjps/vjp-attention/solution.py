"""Scores, weights, values; and the same steps in reverse order."""

import numpy as np


def attention(q: np.ndarray, k: np.ndarray, v: np.ndarray, *, mask: np.ndarray | None = None) -> np.ndarray:
    return weights(q, k, mask) @ v


def attention_vjp(
    g: np.ndarray, q: np.ndarray, k: np.ndarray, v: np.ndarray, *, mask: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    p = weights(q, k, mask)
    dp = g @ transposed(v)
    ds = p * (dp - (dp * p).sum(axis=-1, keepdims=True)) / np.sqrt(q.shape[-1])
    return ds @ k, transposed(ds) @ q, transposed(p) @ g


def weights(q: np.ndarray, k: np.ndarray, mask: np.ndarray | None) -> np.ndarray:
    """The softmax of the scores over the keys. A row without allowed keys is 0."""
    scores = q @ transposed(k) / np.sqrt(q.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    peak = scores.max(axis=-1, keepdims=True)
    e = np.exp(scores - np.where(np.isneginf(peak), 0.0, peak))
    total = e.sum(axis=-1, keepdims=True)
    return e / np.where(total == 0, 1.0, total)


def transposed(matrices: np.ndarray) -> np.ndarray:
    return np.swapaxes(matrices, -1, -2)
