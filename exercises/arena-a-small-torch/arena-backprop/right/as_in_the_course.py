"""A file with the surroundings of the course: its imports and folder, arrays of float32, definitions that only a script
makes, and a training loop at the end."""

import os
import re
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Iterable, Iterator

import numpy as np
import torch as t
from torch.utils.data import DataLoader
from tqdm.auto import tqdm

Arr = np.ndarray
grad_tracking_enabled = True

chapter, section = "chapter0_fundamentals", "part4_backprop"
root_dir = next(p for p in [Path.cwd(), *Path.cwd().parents] if (p / chapter).exists())
sys.path.append(str(root_dir / chapter / "exercises"))
MAIN = __name__ == "__main__"

import part4_backprop.tests as tests
from part4_backprop.utils import get_mnist, visualize
from plotly_utils import line


def log_back(grad_out: Arr, out: Arr, x: Arr) -> Arr:
    return grad_out / x


def unbroadcast(broadcasted: Arr, original: Arr) -> Arr:
    added = broadcasted.ndim - original.ndim
    summed = broadcasted.sum(axis=tuple(range(added)))
    stretched = tuple(axis for axis, size in enumerate(original.shape) if size == 1)
    return summed.sum(axis=stretched, keepdims=True)


def multiply_back0(grad_out: Arr, out: Arr, x: Arr, y: Arr | float) -> Arr:
    return unbroadcast(grad_out * y, x)


def multiply_back1(grad_out: Arr, out: Arr, x: Arr | float, y: Arr) -> Arr:
    return unbroadcast(grad_out * x, y)


def negative_back(grad_out: Arr, out: Arr, x: Arr) -> Arr:
    return -grad_out


def exp_back(grad_out: Arr, out: Arr, x: Arr) -> Arr:
    return grad_out * out


def reshape_back(grad_out: Arr, out: Arr, x: Arr, new_shape: tuple[int, ...]) -> Arr:
    return grad_out.reshape(x.shape)


def permute_back(grad_out: Arr, out: Arr, x: Arr, axes: tuple[int, ...]) -> Arr:
    return grad_out.transpose(np.argsort(axes))


def sum_back(grad_out: Arr, out: Arr, x: Arr, dim=None, keepdim: bool = False) -> Arr:
    if dim is not None and not keepdim:
        grad_out = np.expand_dims(grad_out, dim)
    return np.broadcast_to(grad_out, x.shape)


def maximum_back0(grad_out: Arr, out: Arr, x: Arr, y: Arr | float) -> Arr:
    return unbroadcast(grad_out * ((x > y) + 0.5 * (x == y)), x)


def maximum_back1(grad_out: Arr, out: Arr, x: Arr | float, y: Arr) -> Arr:
    return unbroadcast(grad_out * ((y > x) + 0.5 * (x == y)), y)


def matmul2d_back0(grad_out: Arr, out: Arr, x: Arr, y: Arr) -> Arr:
    return grad_out @ y.T


def matmul2d_back1(grad_out: Arr, out: Arr, x: Arr, y: Arr) -> Arr:
    return x.T @ grad_out


@dataclass(frozen=True)
class Recipe:
    func: Callable
    args: tuple
    kwargs: dict[str, Any]
    parents: dict[int, "Tensor"]


class BackwardFuncLookup:
    def __init__(self) -> None:
        self.of_function = {}

    def add_back_func(self, forward_fn: Callable, arg_position: int, back_fn: Callable) -> None:
        self.of_function.setdefault(forward_fn, {})[arg_position] = back_fn

    def get_back_func(self, forward_fn: Callable, arg_position: int) -> Callable:
        return self.of_function[forward_fn][arg_position]


if MAIN:
    BACK_FUNCS = BackwardFuncLookup()
    BACK_FUNCS.add_back_func(np.log, 0, log_back)
    BACK_FUNCS.add_back_func(np.multiply, 0, multiply_back0)
    BACK_FUNCS.add_back_func(np.multiply, 1, multiply_back1)
    assert BACK_FUNCS.get_back_func(np.log, 0) == log_back


class Tensor:
    def __init__(self, array, requires_grad: bool = False) -> None:
        self.array = array if isinstance(array, Arr) else np.array(array)
        if self.array.dtype == np.float64:
            self.array = self.array.astype(np.float32)
        self.requires_grad = requires_grad
        self.grad = None
        self.recipe = None

    def __neg__(self) -> "Tensor":
        return negative(self)

    def __add__(self, other) -> "Tensor":
        return add(self, other)

    def __radd__(self, other) -> "Tensor":
        return add(other, self)

    def __sub__(self, other) -> "Tensor":
        return subtract(self, other)

    def __rsub__(self, other) -> "Tensor":
        return subtract(other, self)

    def __mul__(self, other) -> "Tensor":
        return multiply(self, other)

    def __rmul__(self, other) -> "Tensor":
        return multiply(other, self)

    def __truediv__(self, other) -> "Tensor":
        return true_divide(self, other)

    def __rtruediv__(self, other) -> "Tensor":
        return true_divide(other, self)

    def __matmul__(self, other) -> "Tensor":
        return matmul(self, other)

    def __getitem__(self, index) -> "Tensor":
        return getitem(self, index)

    def __eq__(self, other) -> "Tensor":
        """Compares entries, as in torch. Do not search tensors in lists: use sets and dictionaries."""
        return eq(self, other)

    def __hash__(self) -> int:
        return id(self)

    def __bool__(self) -> bool:
        return bool(self.item())

    def __repr__(self) -> str:
        return f"Tensor({self.array!r}, requires_grad={self.requires_grad})"

    def log(self) -> "Tensor":
        return log(self)

    def exp(self) -> "Tensor":
        return exp(self)

    def sum(self, dim=None, keepdim: bool = False) -> "Tensor":
        return sum(self, dim=dim, keepdim=keepdim)

    def reshape(self, new_shape: tuple[int, ...]) -> "Tensor":
        return reshape(self, new_shape)

    def permute(self, axes: tuple[int, ...]) -> "Tensor":
        return permute(self, axes)

    def maximum(self, other) -> "Tensor":
        return maximum(self, other)

    def relu(self) -> "Tensor":
        return relu(self)

    def backward(self, end_grad=None) -> None:
        backprop(self, Tensor(end_grad) if isinstance(end_grad, Arr) else end_grad)

    def add_(self, other: "Tensor", alpha: float = 1.0) -> "Tensor":
        return add_(self, other, alpha=alpha)

    def __isub__(self, other: "Tensor") -> "Tensor":
        return add_(self, other, alpha=-1.0)

    def __len__(self) -> int:
        return self.array.shape[0]

    def item(self) -> float:
        return self.array.item()

    @property
    def shape(self) -> tuple[int, ...]:
        return self.array.shape

    @property
    def ndim(self) -> int:
        return self.array.ndim

    @property
    def is_leaf(self) -> bool:
        """Only a tensor that requires grad and was computed from others is no leaf."""
        return not (self.requires_grad and self.recipe and self.recipe.parents)


def multiply_forward(a, b):
    """A function that the wrapper replaces below."""
    arrays = [x.array if isinstance(x, Tensor) else x for x in (a, b)]
    flags = [x.requires_grad for x in (a, b) if isinstance(x, Tensor)]
    out = Tensor(arrays[0] * arrays[1], grad_tracking_enabled and any(flags))
    if out.requires_grad:
        parents = {n: x for n, x in enumerate((a, b)) if isinstance(x, Tensor)}
        out.recipe = Recipe(np.multiply, tuple(arrays), {}, parents)
    return out


multiply = multiply_forward
tests.test_multiply(Tensor, multiply_forward)
grad_tracking_enabled = False
assert not multiply_forward(Tensor([1.0], requires_grad=True), 2.0).requires_grad
grad_tracking_enabled = True


def wrap_forward_fn(numpy_func: Callable, is_differentiable=True) -> Callable:
    def tensor_func(*args: Any, **kwargs: Any) -> Tensor:
        arg_arrays = tuple([(a.array if isinstance(a, Tensor) else a) for a in args])
        out_arr = numpy_func(*arg_arrays, **kwargs)
        flag = grad_tracking_enabled and is_differentiable
        out = Tensor(out_arr, flag and any([isinstance(a, Tensor) and a.requires_grad for a in args]))
        if out.requires_grad:
            out.recipe = Recipe(numpy_func, arg_arrays, kwargs, {n: a for n, a in enumerate(args) if isinstance(a, Tensor)})
        return out

    return tensor_func


def _sum(x: Arr, dim=None, keepdim=False) -> Arr:
    return np.sum(x, axis=dim, keepdims=keepdim)


if MAIN:
    log = wrap_forward_fn(np.log)
    multiply = wrap_forward_fn(np.multiply)
    eq = wrap_forward_fn(np.equal, is_differentiable=False)
    sum = wrap_forward_fn(_sum)
    tests.test_sum(Tensor)


class Node:
    def __init__(self, *children):
        self.children = list(children)


def topological_sort(node, get_children: Callable) -> list:
    result, state = [], {}

    def visit(cur):
        if state.get(cur) == "done":
            return
        assert cur not in state, "not a DAG"
        state[cur] = "open"
        for child in get_children(cur):
            visit(child)
        state[cur] = "done"
        result.append(cur)

    visit(node)
    return result


def sorted_computational_graph(tensor: Tensor) -> list[Tensor]:
    order = topological_sort(tensor, lambda t: list(t.recipe.parents.values()) if t.recipe else [])
    return list(reversed(order))


def backprop(end_node: Tensor, end_grad: Tensor | None = None) -> None:
    grads = {end_node: np.ones_like(end_node.array) if end_grad is None else end_grad.array}
    for node in sorted_computational_graph(end_node):
        outgrad = grads.pop(node)
        if node.is_leaf:
            if node.requires_grad:
                node.grad = Tensor(outgrad) if node.grad is None else node.grad + outgrad
        else:
            for argnum, parent in node.recipe.parents.items():
                back = BACK_FUNCS.get_back_func(node.recipe.func, argnum)
                part = back(outgrad, node.array, *node.recipe.args, **node.recipe.kwargs)
                grads[parent] = part if parent not in grads else grads[parent] + part


add = wrap_forward_fn(np.add)
subtract = wrap_forward_fn(np.subtract)
true_divide = wrap_forward_fn(np.true_divide)
Index = int | tuple[int, ...] | tuple[Arr] | tuple[Tensor]


def coerce_index(index: Index):
    if isinstance(index, tuple) and all(isinstance(i, Tensor) for i in index):
        return tuple([i.array for i in index])
    return index


def _getitem(x: Arr, index: Index) -> Arr:
    return x[coerce_index(index)]


def getitem_back(grad_out: Arr, out: Arr, x: Arr, index: Index):
    grad = np.full_like(x, 0)
    np.add.at(grad, coerce_index(index), grad_out)
    return grad


def _matmul2d(x: Arr, y: Arr) -> Arr:
    return x @ y


if MAIN:
    negative = wrap_forward_fn(np.negative)
    BACK_FUNCS.add_back_func(np.negative, 0, negative_back)
    exp = wrap_forward_fn(np.exp)
    BACK_FUNCS.add_back_func(np.exp, 0, exp_back)
    reshape = wrap_forward_fn(np.reshape)
    BACK_FUNCS.add_back_func(np.reshape, 0, reshape_back)
    BACK_FUNCS.add_back_func(np.transpose, 0, permute_back)
    permute = wrap_forward_fn(np.transpose)
    sum = wrap_forward_fn(_sum)
    BACK_FUNCS.add_back_func(_sum, 0, sum_back)
    BACK_FUNCS.add_back_func(np.add, 0, lambda grad_out, out, x, y: unbroadcast(grad_out, x))
    BACK_FUNCS.add_back_func(np.add, 1, lambda grad_out, out, x, y: unbroadcast(grad_out, y))
    BACK_FUNCS.add_back_func(np.subtract, 0, lambda grad_out, out, x, y: unbroadcast(grad_out, x))
    BACK_FUNCS.add_back_func(np.subtract, 1, lambda grad_out, out, x, y: -unbroadcast(grad_out, y))
    BACK_FUNCS.add_back_func(np.true_divide, 0, lambda grad_out, out, x, y: unbroadcast(grad_out / y, x))
    BACK_FUNCS.add_back_func(np.true_divide, 1, lambda grad_out, out, x, y: unbroadcast(grad_out * (-x / y**2), y))
    getitem = wrap_forward_fn(_getitem)
    BACK_FUNCS.add_back_func(_getitem, 0, getitem_back)
    maximum = wrap_forward_fn(np.maximum)
    BACK_FUNCS.add_back_func(np.maximum, 0, maximum_back0)
    BACK_FUNCS.add_back_func(np.maximum, 1, maximum_back1)
    matmul = wrap_forward_fn(_matmul2d)
    BACK_FUNCS.add_back_func(_matmul2d, 0, matmul2d_back0)
    BACK_FUNCS.add_back_func(_matmul2d, 1, matmul2d_back1)


def add_(x: Tensor, other: Tensor, alpha: float = 1.0) -> Tensor:
    np.add(x.array, other.array * alpha, out=x.array)
    return x


def relu(x: Tensor) -> Tensor:
    return maximum(x, 0.0)


class Parameter(Tensor):
    def __init__(self, tensor: Tensor, requires_grad=True):
        return super().__init__(tensor.array, requires_grad=requires_grad)


class Linear:
    def __init__(self, inputs: int, outputs: int):
        self.weight = Parameter(Tensor(np.random.rand(outputs, inputs) - 0.5))

    def __call__(self, x: Tensor) -> Tensor:
        return x @ self.weight.permute((1, 0))


def arange(start: int, end: int, step=1) -> Tensor:
    return Tensor(np.arange(start, end, step=step))


def cross_entropy(logits: Tensor, true_labels: Tensor) -> Tensor:
    logprobs = logits - logits.exp().sum(-1, keepdim=True).log()
    return -logprobs[arange(0, logits.shape[0]), true_labels]


class NoGrad:
    was_enabled: bool

    def __enter__(self):
        global grad_tracking_enabled
        self.was_enabled = grad_tracking_enabled
        grad_tracking_enabled = False

    def __exit__(self, type, value, traceback):
        global grad_tracking_enabled
        grad_tracking_enabled = self.was_enabled


def train(model: Linear, train_loader: DataLoader, epoch: int):
    progress_bar = tqdm(train_loader)
    for data, target in progress_bar:
        loss = cross_entropy(model(Tensor(data.numpy())), Tensor(target.numpy())).sum()
        loss.backward()
        progress_bar.set_description(f"loss {loss.item():.3f}")
        with NoGrad():
            model.weight -= model.weight.grad * 0.01


if MAIN:
    train_loader, test_loader = get_mnist()
    visualize(train_loader)
    model, begin = Linear(4, 3), time.time()
    for epoch in range(3):
        train(model, train_loader, epoch)
    x = Tensor(np.ones((2, 4)))
    cross_entropy(model(x), Tensor(np.array([0, 2]))).sum().backward()
    print("accuracy", 1 / len(test_loader.dataset), model.weight.grad.array.dtype)
    line([1.0, 2.0], use_secondary_yaxis=True, width=800)
