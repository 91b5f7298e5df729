from collections.abc import Iterator

import numpy as np

Pair = tuple[int, int]


def zeros(x: np.ndarray, kernel: Pair, stride: Pair, padding: Pair) -> np.ndarray:
    """One entry for each window."""
    sizes = ((x.shape[axis + 2] + 2 * padding[axis] - kernel[axis]) // stride[axis] + 1 for axis in (0, 1))
    return np.zeros((*x.shape[:2], *sizes))


def windows(z: np.ndarray, kernel: Pair, stride: Pair, padding: Pair) -> Iterator[tuple[tuple, tuple]]:
    """For each window, the index of its entries in the result z and in the image."""
    for i, j in np.ndindex(z.shape[2:]):
        top, left = i * stride[0] - padding[0], j * stride[1] - padding[1]
        covered = slice(max(top, 0), top + kernel[0]), slice(max(left, 0), left + kernel[1])
        yield (..., i, j), (..., *covered)


def max_pool2d(x: np.ndarray, *, kernel: Pair, stride: Pair, padding: Pair) -> np.ndarray:
    z = zeros(x, kernel, stride, padding)
    for entry, covered in windows(z, kernel, stride, padding):
        z[entry] = x[covered].max(axis=(2, 3))
    return z


def by_steps(g, x, forward) -> tuple[np.ndarray]:
    """The average is linear in each entry, so the step need not be small."""
    dx = np.zeros(x.shape)
    below = forward(x)
    for place in np.ndindex(x.shape):
        above = x.copy()
        above[place] += 1.0
        dx[place] = (g * (forward(above) - below)).sum()
    return (dx,)


def max_pool2d_vjp(g: np.ndarray, x: np.ndarray, *, kernel: Pair, stride: Pair, padding: Pair) -> tuple[np.ndarray]:
    dx = np.zeros(x.shape)
    for entry, covered in windows(g, kernel, stride, padding):
        part = x[covered]
        flat = np.zeros((*part.shape[:2], part.shape[2] * part.shape[3]))
        first = part.reshape(flat.shape).argmax(axis=2)
        np.put_along_axis(flat, first[..., None], g[entry][..., None], axis=2)
        dx[covered] += flat.reshape(part.shape)
    return (dx,)


def size(part: np.ndarray, kernel: Pair, count_padding: bool) -> int:
    return kernel[0] * kernel[1] if count_padding else part.shape[2] * part.shape[3]


def avg_pool2d(x: np.ndarray, *, kernel: Pair, stride: Pair, padding: Pair, count_padding: bool = True) -> np.ndarray:
    z = zeros(x, kernel, stride, padding)
    for entry, covered in windows(z, kernel, stride, padding):
        z[entry] = x[covered].sum(axis=(2, 3)) / size(x[covered], kernel, count_padding)
    return z


def avg_pool2d_vjp(
    g: np.ndarray, x: np.ndarray, *, kernel: Pair, stride: Pair, padding: Pair, count_padding: bool = True
) -> tuple[np.ndarray]:
    options = {"kernel": kernel, "stride": stride, "padding": padding, "count_padding": count_padding}
    return by_steps(g, x, lambda values: avg_pool2d(values, **options))
