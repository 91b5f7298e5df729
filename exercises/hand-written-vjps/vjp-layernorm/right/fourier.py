"""Fourier series: a row loses its mean by losing the constant frequency, and Parseval's theorem gives its variance."""

import numpy as np


def waves(x):
    """The coefficients of the real Fourier series of each row, without the constant."""
    f = np.fft.rfft(x - x[..., :1], norm="ortho")
    f[..., 0] = 0
    return f


def mean_product(f, h, n):
    """The mean over a row of the product of two series. All waves but the middle one of an even row occur twice."""
    times = np.full(f.shape[-1], 2.0)
    if n % 2 == 0:
        times[-1] = 1
    return (times * (f * h.conj()).real).sum(axis=-1, keepdims=True) / n


def normalised(x, eps):
    """The series of each normalised row, and the number by which it was divided."""
    f = waves(x)
    s = np.sqrt(mean_product(f, f, x.shape[-1]) + eps)
    return f / s, s


def layernorm(x, gamma, beta, *, eps=1e-5):
    f, _ = normalised(x, eps)
    return gamma * np.fft.irfft(f, x.shape[-1], norm="ortho") + beta


def layernorm_vjp(g, x, gamma, beta, *, eps=1e-5):
    n = x.shape[-1]
    f, s = normalised(x, eps)
    h = waves(gamma * g)
    dx = np.fft.irfft((h - f * mean_product(f, h, n)) / s, n, norm="ortho")
    x_hat = np.fft.irfft(f, n, norm="ortho")
    return dx, (g * x_hat).reshape(-1, n).sum(axis=0), g.reshape(-1, n).sum(axis=0)
