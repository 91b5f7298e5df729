import numpy as np


def conv2d(
    x: np.ndarray, w: np.ndarray, b: np.ndarray, *, stride: int = 1, padding: int = 0, dilation: int = 1, groups: int = 1
) -> np.ndarray:
    images, kernels = in_groups(padded(x, padding), groups, 1), in_groups(w, groups, 0)
    rows, columns = (
        (size + 2 * padding - dilation * (reach - 1) - 1) // stride + 1
        for size, reach in zip(x.shape[2:], w.shape[2:], strict=True)
    )
    z = np.zeros((len(x), groups, len(w) // groups, rows, columns))
    for a, e in np.ndindex(*w.shape[2:]):
        z += np.einsum("ngchw,goc->ngohw", images[grid(a, e, z, stride, dilation)], kernels[..., a, e])
    return z.reshape(len(x), len(w), rows, columns) + b[:, None, None]


def conv2d_vjp(g: np.ndarray, *inputs: np.ndarray, **options: int) -> tuple[np.ndarray, ...]:
    """The result is linear in each entry, so a step of 1 gives the slope up to rounding."""
    gradients = []
    inputs = [np.array(values) for values in inputs]
    below = conv2d(*inputs, **options)
    for values in inputs:
        gradient = np.zeros(values.shape)
        for place in np.ndindex(values.shape):
            own = values[place]
            values[place] = own + 1.0
            gradient[place] = (g * (conv2d(*inputs, **options) - below)).sum()
            values[place] = own
        gradients.append(gradient)
    return tuple(gradients)


def padded(x: np.ndarray, padding: int) -> np.ndarray:
    return np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))


def in_groups(array: np.ndarray, groups: int, axis: int) -> np.ndarray:
    """Splits an axis of channels into groups and channels of a group."""
    shape = array.shape
    return array.reshape(*shape[:axis], groups, shape[axis] // groups, *shape[axis + 1 :])


def grid(a: int, e: int, z: np.ndarray, stride: int, dilation: int) -> tuple:
    """The pixels that entry (a, e) of the kernel touches, one for each entry of the result z."""
    rows, columns = z.shape[-2:]
    top, left = a * dilation, e * dilation
    return (..., slice(top, top + stride * (rows - 1) + 1, stride), slice(left, left + stride * (columns - 1) + 1, stride))
