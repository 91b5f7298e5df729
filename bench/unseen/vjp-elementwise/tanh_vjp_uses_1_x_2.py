# Held out. Mistake: tanh_vjp uses 1 - x^2 with the input instead of 1 - tanh(x)^2
# True: formula-of-output-at-input
import numpy as np


def mul_vjp(g: np.ndarray, x: np.ndarray, y: np.ndarray):
    dx = np.multiply(g, y)
    dy = np.multiply(g, x)
    return (dx, dy)


def div_vjp(g: np.ndarray, x: np.ndarray, y: np.ndarray):
    dx = g * (1.0 / y)
    dy = g * (-x / (y * y))
    return (dx, dy)


def pow_vjp(g: np.ndarray, x: np.ndarray, *, n: float):
    if n == 0:
        local = np.zeros(np.shape(x))
    elif n == 1:
        local = np.ones(np.shape(x))
    else:
        local = n * np.power(x, n - 1)
    return (g * local,)


def sigmoid_vjp(g: np.ndarray, x: np.ndarray):
    z = np.exp(-np.abs(x))
    return (g * z / (1.0 + z) ** 2,)


def tanh_vjp(g: np.ndarray, x: np.ndarray):
    return (g * (1.0 - x ** 2),)


def sindot_vjp(g: np.ndarray, x: np.ndarray, y: np.ndarray):
    q = np.dot(x, y)
    return (g * np.cos(q) * y, g * np.cos(q) * x)
