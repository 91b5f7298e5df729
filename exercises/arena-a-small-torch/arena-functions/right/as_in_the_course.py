"""A file with the surroundings of the course: its imports, its folder, its tests, and a main block."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import einops
import numpy as np
import torch as t
from jaxtyping import Float
from torch.utils.data import DataLoader
from tqdm.auto import tqdm

Arr = np.ndarray
grad_tracking_enabled = True

folder = next(p for p in Path.cwd().parents if (p / "chapter0_fundamentals").exists())
sys.path.append(str(folder / "chapter0_fundamentals" / "exercises"))
MAIN = __name__ == "__main__"

import part4_backprop.tests as tests
from part4_backprop.utils import get_mnist, visualize
from plotly_utils import line


def log_back(grad_out: Arr, out: Arr, x: Arr) -> Arr:
    return (1 / x) * grad_out


tests.test_log_back(log_back)


def unbroadcast(broadcasted: Float[Arr, "..."], original: Arr) -> Arr:
    while len(broadcasted.shape) > len(original.shape):
        broadcasted = np.sum(broadcasted, axis=0)
    for axis in range(len(original.shape)):
        if original.shape[axis] == 1:
            broadcasted = np.sum(broadcasted, axis=axis, keepdims=True)
    assert broadcasted.shape == original.shape
    return broadcasted


if MAIN:
    tests.test_unbroadcast(unbroadcast)


def multiply_back0(grad_out, out, x, y):
    y = np.array(y) if not isinstance(y, Arr) else y
    return unbroadcast(y * grad_out, x)


def multiply_back1(grad_out, out, x, y):
    return multiply_back0(grad_out=grad_out, out=out, x=y, y=x)


def forward_and_back(a, b, c):
    d = a * b
    e = np.log(c)
    f = d * e
    g = np.log(f)
    df = log_back(np.ones_like(g), g, f)
    dd, de = multiply_back0(df, f, d, e), multiply_back1(df, f, d, e)
    return (multiply_back0(dd, d, a, b), multiply_back1(dd, d, a, b), log_back(de, e, c))


def negative_back(grad_out, out, x):
    return np.full_like(x, -1) * grad_out


def exp_back(grad_out, out, x):
    return np.exp(x) * grad_out


def reshape_back(grad_out, out, x, new_shape):
    return np.reshape(grad_out, x.shape)


def invert_transposition(axes: tuple) -> tuple:
    return tuple(axes.index(n) for n in range(len(axes)))


def permute_back(grad_out, out, x, axes):
    return np.transpose(grad_out, invert_transposition(axes))


def sum_back(grad_out, out, x, dim=None, keepdim=False):
    dims = range(x.ndim) if dim is None else [dim] if isinstance(dim, int) else dim
    kept = [1 if n in {d % x.ndim for d in dims} else size for n, size in enumerate(x.shape)]
    return np.ones_like(x) * np.reshape(grad_out, kept)


def maximum_back0(grad_out, out, x, y):
    return unbroadcast(np.where(x == y, grad_out / 2, np.where(x > y, grad_out, 0.0)), x)


def maximum_back1(grad_out, out, x, y):
    return maximum_back0(grad_out, out, y, x)


def matmul2d_back0(grad_out, out, x, y):
    return np.einsum("nm,km->nk", grad_out, y)


def matmul2d_back1(grad_out, out, x, y):
    return np.einsum("nk,nm->km", x, grad_out)


def getitem_back(grad_out, out, x, index):
    places = np.asarray(np.arange(x.size).reshape(x.shape)[index])
    flat = np.bincount(places.ravel(), weights=np.broadcast_to(grad_out, places.shape).ravel(), minlength=x.size)
    return flat.reshape(x.shape)


if MAIN:
    train_loader, test_loader = get_mnist()
    visualize(train_loader)
    for data, target in tqdm(train_loader):
        print(f"{data.shape[0]:.3f}")
    line([1.0, 2.0], width=800)
    print(len(test_loader.dataset), t.ones(3))
    raise RuntimeError("the training at the end of the file does not matter")
