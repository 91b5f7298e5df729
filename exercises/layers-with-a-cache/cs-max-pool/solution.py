"""Each upstream gradient is added at the position of the largest entry of its window."""

from typing import Any

import numpy as np


def window(pool_param: dict[str, int], n: int, c: int, i: int, j: int) -> tuple[Any, ...]:
    top, left = i * pool_param["stride"], j * pool_param["stride"]
    return n, c, slice(top, top + pool_param["pool_height"]), slice(left, left + pool_param["pool_width"])


def max_pool_forward_naive(x: np.ndarray, pool_param: dict[str, int]) -> tuple[np.ndarray, Any]:
    height = (x.shape[2] - pool_param["pool_height"]) // pool_param["stride"] + 1
    width = (x.shape[3] - pool_param["pool_width"]) // pool_param["stride"] + 1
    out = np.zeros((*x.shape[:2], height, width))
    for index in np.ndindex(out.shape):
        out[index] = x[window(pool_param, *index)].max()
    return out, (x, out, pool_param)


def max_pool_backward_naive(dout: np.ndarray, cache: Any) -> np.ndarray:
    x, out, pool_param = cache
    dx = np.zeros(x.shape)
    for index in np.ndindex(dout.shape):
        place = window(pool_param, *index)
        dx[place] += dout[index] * (x[place] == out[index])
    return dx
