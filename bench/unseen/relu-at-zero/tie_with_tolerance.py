# Held out. Mistake: maximum0 looks for its kink with np.isclose, so tiny nonzero inputs such as 1e-300 are treated as ties and get half the gradient.
# True: near-zero-as-zero
import numpy as np


def _select(conditions, values):
    return (np.asarray(np.select(conditions, values, default=0.0)),)


def relu_vjp(g: np.ndarray, x: np.ndarray) -> tuple[np.ndarray]:
    return _select([x > 0], [g])


def leaky_relu_vjp(g: np.ndarray, x: np.ndarray, *, slope: float) -> tuple[np.ndarray]:
    if slope == 0:
        return relu_vjp(g, x)
    return _select([x > 0, x <= 0], [g, slope * g])


def abs_vjp(g: np.ndarray, x: np.ndarray) -> tuple[np.ndarray]:
    return _select([x > 0, x < 0], [g, -g])


def clamp_min_vjp(g: np.ndarray, x: np.ndarray, *, lo: float) -> tuple[np.ndarray]:
    return _select([x >= lo], [g])


def maximum0_vjp(g: np.ndarray, x: np.ndarray) -> tuple[np.ndarray]:
    return _select([np.isclose(x, 0.0), x > 0], [0.5 * g, g])
