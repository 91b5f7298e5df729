# TODO(author): a correct solution that is unusual
"""Row by row, with a running sum."""

import numpy as np


def scale_vjp(g, x, w):
    of_w = np.zeros(w.shape)
    for upstream, row in zip(g, x, strict=True):
        of_w += upstream * row
    return np.stack([row * w for row in g]), of_w
