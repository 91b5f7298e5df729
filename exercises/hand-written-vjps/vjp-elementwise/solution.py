"""Six small VJPs: the upstream gradient times the local derivative."""

import numpy as np


def mul_vjp(g: np.ndarray, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return g * y, g * x


def div_vjp(g: np.ndarray, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return g / y, -g * x / (y * y)


def pow_vjp(g: np.ndarray, x: np.ndarray, *, n: float) -> tuple[np.ndarray]:
    if n == 0:  # the general formula would be 0 * (1 / x), which is nan where x is 0
        return (np.zeros_like(x),)
    return (g * n * x ** (n - 1),)


def sigmoid_vjp(g: np.ndarray, x: np.ndarray) -> tuple[np.ndarray]:
    e = np.exp(-np.abs(x))  # at most 1: nothing overflows, and the slope is the same on both sides of 0
    return (g * e / (1 + e) ** 2,)


def tanh_vjp(g: np.ndarray, x: np.ndarray) -> tuple[np.ndarray]:
    t = np.tanh(x)
    return (g * (1 - t * t),)


def sindot_vjp(g: np.ndarray, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    slope = g * np.cos(x @ y)
    return slope * y, slope * x
