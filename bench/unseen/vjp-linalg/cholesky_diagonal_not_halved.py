# Held out. Mistake: the function Phi in the backward pass of the Cholesky factor keeps the diagonal instead of halving it, so the gradient of the matrix is wrong whenever C^T G has a diagonal that is not 0.
# True: diagonal-not-halved
import numpy as np


def transpose(m):
    return np.moveaxis(m, -1, -2)


def sum_to(grad, like):
    while grad.ndim > like.ndim:
        grad = grad.sum(axis=0)
    for axis in range(like.ndim - 2):
        if like.shape[axis] == 1:
            grad = grad.sum(axis=axis, keepdims=True)
    return grad


def inv_vjp(g: np.ndarray, a: np.ndarray) -> tuple[np.ndarray]:
    zt = transpose(np.linalg.inv(a))
    return (-(zt @ g @ zt),)


def logabsdet_vjp(g: np.ndarray, a: np.ndarray) -> tuple[np.ndarray]:
    return (np.reshape(g, np.shape(g) + (1, 1)) * transpose(np.linalg.inv(a)),)


def phi(m):
    return np.tril(m)


def cholesky_vjp(g: np.ndarray, a: np.ndarray) -> tuple[np.ndarray]:
    c = np.linalg.cholesky(a)
    inverse = np.linalg.inv(c)
    middle = phi(transpose(c) @ g)
    da = transpose(inverse) @ middle @ inverse
    return ((da + transpose(da)) / 2,)


def solve_vjp(g: np.ndarray, a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    x = np.linalg.solve(a, b)
    w = np.linalg.solve(transpose(a), g)
    return sum_to(-(w @ transpose(x)), a), sum_to(w, b)
