"""Comparisons of index grids for the Jacobians; the convolution through Fourier transforms."""

import numpy as np


def transpose_jacobian(x):
    (m, n), r, c = x.shape, *np.ogrid[: x.size, : x.size]
    return ((r // m == c % n) & (r % m == c // n)) * 1.0


def running_mean_jacobian(x):
    k, i = np.ogrid[: x.size, : x.size]
    return np.where(i <= k, 1.0, 0.0) / (k + 1)


def sort_jacobian(x):
    before = (x[None, :] < x[:, None]) | ((x[None, :] == x[:, None]) & (np.arange(x.size)[None, :] < np.arange(x.size)[:, None]))
    rank = before.sum(axis=1)
    return (np.arange(x.size)[:, None] == rank[None, :]).astype(np.float64)


def convolve_jacobian(x, *, w):
    k, i = np.ogrid[: x.size + w.size - 1, : x.size]
    lag = k - i
    return np.where((lag >= 0) & (lag < w.size), w[np.clip(lag, 0, w.size - 1)], 0.0)


def transpose_vjp(g, x):
    return (np.einsum("ji->ij", g),)


def running_mean_vjp(g, x):
    return (np.flip(np.add.accumulate(np.flip(g / np.linspace(1, g.size, g.size)))),)


def sort_vjp(g, x):
    rank = np.argsort(np.argsort(x, kind="stable"), kind="stable")
    return (g[rank],)


def convolve_vjp(g, x, *, w):
    size = g.size + w.size
    spectrum = np.fft.rfft(g, size) * np.conj(np.fft.rfft(w, size))
    return (np.fft.irfft(spectrum, size)[: x.size],)
