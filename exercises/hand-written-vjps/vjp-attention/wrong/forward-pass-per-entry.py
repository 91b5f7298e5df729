import numpy as np


def attention(q: np.ndarray, k: np.ndarray, v: np.ndarray, *, mask: np.ndarray | None = None) -> np.ndarray:
    return weights(q, k, mask) @ v


def attention_vjp(
    g: np.ndarray, q: np.ndarray, k: np.ndarray, v: np.ndarray, *, mask: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    gradients = []
    inputs = [values.astype(complex) for values in (q, k, v)]
    for values in inputs:
        gradient = np.zeros(values.shape)
        for place in np.ndindex(values.shape):
            values[place] += 1e-30j
            gradient[place] = (g * attention(*inputs, mask=mask).imag).sum() / 1e-30
            values[place] = values[place].real
        gradients.append(gradient)
    return tuple(gradients)


def weights(q: np.ndarray, k: np.ndarray, mask: np.ndarray | None) -> np.ndarray:
    """The softmax of the scores over the keys. A row without allowed keys is 0."""
    scores = q @ transposed(k) / np.sqrt(q.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    peak = scores.real.max(axis=-1, keepdims=True)
    e = np.exp(scores - np.where(np.isneginf(peak), 0.0, peak))
    total = e.sum(axis=-1, keepdims=True)
    return e / np.where(total == 0, 1.0, total)


def transposed(matrices: np.ndarray) -> np.ndarray:
    return np.swapaxes(matrices, -1, -2)
