"""The images are kept as an attribute."""

import numpy as np


def max_pool_forward_naive(x, pool_param):
    HH, WW, stride = pool_param["pool_height"], pool_param["pool_width"], pool_param["stride"]
    N, C, H, W = x.shape
    H_out = 1 + (H - HH) // stride
    W_out = 1 + (W - WW) // stride
    out = np.zeros((N, C, H_out, W_out))
    for n in range(N):
        for c in range(C):
            for i in range(H_out):
                for j in range(W_out):
                    h, v = i * stride, j * stride
                    out[n, c, i, j] = np.max(x[n, c, h : h + HH, v : v + WW])
    max_pool_forward_naive.x = x
    cache = (None, pool_param)
    return out, cache


def max_pool_backward_naive(dout, cache):
    x, pool_param = max_pool_forward_naive.x, cache[1]
    HH, WW, stride = pool_param["pool_height"], pool_param["pool_width"], pool_param["stride"]
    N, C, H_out, W_out = dout.shape
    dx = np.zeros_like(x)
    for n in range(N):
        for c in range(C):
            for i in range(H_out):
                for j in range(W_out):
                    h, v = i * stride, j * stride
                    window = x[n, c, h : h + HH, v : v + WW]
                    mask = window == np.max(window)
                    dx[n, c, h : h + HH, v : v + WW] += mask * dout[n, c, i, j]
    return dx
