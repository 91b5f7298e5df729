# Held out. Mistake: the running maximum of a window starts at 0, so a window with only negative entries gives 0 and passes no gradient back.
# True: zero-as-smallest
import numpy as np


def max_pool_forward_naive(x, pool_param):
    height, width, stride = pool_param["pool_height"], pool_param["pool_width"], pool_param["stride"]
    N, C, H, W = x.shape
    out = np.zeros((N, C, 1 + (H - height) // stride, 1 + (W - width) // stride))
    where = {}
    for n, c, i, j in np.ndindex(*out.shape):
        best = 0.0
        for a in range(height):
            for e in range(width):
                v = x[n, c, i * stride + a, j * stride + e]
                if v > best:
                    best = v
                    where[n, c, i, j] = (n, c, i * stride + a, j * stride + e)
        out[n, c, i, j] = best
    return out, (x.shape, where)


def max_pool_backward_naive(dout, cache):
    shape, where = cache
    dx = np.zeros(shape)
    for position, target in where.items():
        dx[target] += dout[position]
    return dx
