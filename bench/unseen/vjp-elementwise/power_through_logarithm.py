# Mistake: the power is differentiated as exp(n * log(x)), so the gradient of pow is nan where x is negative, although whole exponents allow negative numbers.
# True: undefined-for-negatives
import numpy as np


def mul_vjp(g: np.ndarray, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    dx = g * y
    dy = g * x
    return (dx, dy)


def div_vjp(g: np.ndarray, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    z = x / y
    return (g / y, -g * z / y)


def pow_vjp(g: np.ndarray, x: np.ndarray, *, n: float) -> tuple[np.ndarray]:
    # x ** n = exp(n log x)
    if n == 0:
        return (0.0 * g,)
    if n == 1:
        return (1.0 * g,)
    return (g * n * np.exp((n - 1) * np.log(x)),)


def sigmoid_vjp(g: np.ndarray, x: np.ndarray) -> tuple[np.ndarray]:
    e = np.exp(-np.abs(x))  # the derivative is an even function
    return (g * e / (1 + e) ** 2,)


def tanh_vjp(g: np.ndarray, x: np.ndarray) -> tuple[np.ndarray]:
    return (g * (1 - np.tanh(x) ** 2),)


def sindot_vjp(g: np.ndarray, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    q = x @ y
    return (g * np.cos(q) * y, g * np.cos(q) * x)
