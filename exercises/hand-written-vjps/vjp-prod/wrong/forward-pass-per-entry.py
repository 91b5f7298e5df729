import numpy as np


def by_steps(g, x, forward):
    """A complex step in one entry after the other."""
    dx, stepped = np.zeros(x.shape), x.astype(complex)
    for place in np.ndindex(x.shape):
        stepped[place] += 1e-30j
        dx[place] = (g * forward(stepped).imag / 1e-30).sum()
        stepped[place] = x[place]
    return (dx,)


def prod_vjp(g, x, *, axis=None, keepdims=False):
    return by_steps(g, x, lambda values: np.prod(values, axis=axis, keepdims=keepdims))


def cumprod_vjp(g, x, *, axis):
    return by_steps(g, x, lambda values: np.cumprod(values, axis=axis))
