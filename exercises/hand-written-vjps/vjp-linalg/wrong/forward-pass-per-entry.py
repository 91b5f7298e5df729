import numpy as np


def transposed(matrices: np.ndarray) -> np.ndarray:
    """Transpose each matrix; the batch axes keep their positions."""
    return np.swapaxes(matrices, -1, -2)


def by_steps(g: np.ndarray, forward, *inputs: np.ndarray) -> tuple[np.ndarray, ...]:
    gradients = []
    inputs = [values.astype(complex) for values in inputs]
    for values in inputs:
        gradient = np.zeros(values.shape)
        for place in np.ndindex(values.shape):
            values[place] += 1e-30j
            gradient[place] = (g * forward(*inputs).imag).sum() / 1e-30
            values[place] = values[place].real
        gradients.append(gradient)
    return tuple(gradients)


def inv_vjp(g: np.ndarray, a: np.ndarray) -> tuple[np.ndarray]:
    return by_steps(g, np.linalg.inv, a)


def logabsdet_vjp(g: np.ndarray, a: np.ndarray) -> tuple[np.ndarray]:
    return (g[..., None, None] * transposed(np.linalg.inv(a)),)


def cholesky_vjp(g: np.ndarray, a: np.ndarray) -> tuple[np.ndarray]:
    c = np.linalg.cholesky(a)
    m = transposed(c) @ g
    phi = (np.tril(m) + np.tril(m, -1)) / 2  # twice on the diagonal, once below it: the diagonal is halved
    z = np.linalg.inv(c)
    da = transposed(z) @ phi @ z
    return ((da + transposed(da)) / 2,)


def solve_vjp(g: np.ndarray, a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return by_steps(g, np.linalg.solve, a, b)
