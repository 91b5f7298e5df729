"""No loops and no padded images: two tensors of zeros and ones say which pixel each window sees, and padding is never seen.

All four arrays meet in one einsum. Each gradient is the same einsum with another array after the arrow.
"""

import numpy as np


def selection(size, filter_size, stride, pad):
    """1 at (i, a, y) if entry a of window i is pixel y."""
    windows = 1 + (size + 2 * pad - filter_size) // stride
    i, a, y = np.ogrid[:windows, :filter_size, :size]
    return (stride * i + a - pad == y).astype(float)


def conv_forward_naive(x, w, b, conv_param):
    stride, pad = conv_param["stride"], conv_param["pad"]
    rows, columns = (selection(x.shape[k], w.shape[k], stride, pad) for k in (2, 3))
    out = np.einsum("ncyx,iay,jex,fcae->nfij", x, rows, columns, w, optimize=True)
    return out + b[:, None, None], (x, rows, columns, w)


def conv_backward_naive(dout, cache):
    x, rows, columns, w = cache
    dx = np.einsum("nfij,iay,jex,fcae->ncyx", dout, rows, columns, w, optimize=True)
    dw = np.einsum("ncyx,iay,jex,nfij->fcae", x, rows, columns, dout, optimize=True)
    return dx, dw, np.einsum("nfij->f", dout)
