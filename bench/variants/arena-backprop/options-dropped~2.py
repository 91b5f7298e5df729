"""The recipe does not contain the options."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Arr = np.ndarray
grad_tracking_enabled = True


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


def coerce_index(index):
    """An index whose tensors are replaced with their arrays."""
    if isinstance(index, tuple):
        return tuple(part.array if isinstance(part, Tensor) else part for part in index)
    return index


def getitem_back(grad_out: Arr, out: Arr, x: Arr, index) -> Arr:
    grad = np.zeros_like(x)
    np.add.at(grad, coerce_index(index), grad_out)
    return grad


def add_back0(grad_out: Arr, out: Arr, x: Arr, y: Arr | float) -> Arr:
    return unbroadcast(grad_out, x)


def add_back1(grad_out: Arr, out: Arr, x: Arr | float, y: Arr) -> Arr:
    return unbroadcast(grad_out, y)


def subtract_back0(grad_out: Arr, out: Arr, x: Arr, y: Arr | float) -> Arr:
    return unbroadcast(grad_out, x)


def subtract_back1(grad_out: Arr, out: Arr, x: Arr | float, y: Arr) -> Arr:
    return unbroadcast(-grad_out, y)


def true_divide_back0(grad_out: Arr, out: Arr, x: Arr, y: Arr | float) -> Arr:
    return unbroadcast(grad_out / y, x)


def true_divide_back1(grad_out: Arr, out: Arr, x: Arr | float, y: Arr) -> Arr:
    return unbroadcast(-grad_out * x / y**2, y)


@dataclass(frozen=True)
class Recipe:
    """How the array of a tensor was computed: func(*args, **kwargs), and which arguments were tensors."""

    func: Callable
    args: tuple
    kwargs: dict[str, Any]
    parents: dict[int, "Tensor"]


class BackwardFuncLookup:
    def __init__(self) -> None:
        self.back_funcs = {}

    def add_back_func(self, forward_fn: Callable, arg_position: int, back_fn: Callable) -> None:
        self.back_funcs[forward_fn, arg_position] = back_fn

    def get_back_func(self, forward_fn: Callable, arg_position: int) -> Callable:
        return self.back_funcs[forward_fn, arg_position]


class Tensor:
    def __init__(self, array, requires_grad: bool = False) -> None:
        self.array = array if isinstance(array, Arr) else np.array(array)
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
        return self.recipe is None


def wrap_forward_fn(numpy_func: Callable, is_differentiable: bool = True) -> Callable:
    def tensor_func(*args: Any, **kwargs: Any) -> Tensor:
        arrays = tuple(arg.array if isinstance(arg, Tensor) else arg for arg in args)
        parents = {position: arg for position, arg in enumerate(args) if isinstance(arg, Tensor)}
        needed = any(parent.requires_grad for parent in parents.values())
        out = Tensor(numpy_func(*arrays, **kwargs), grad_tracking_enabled and is_differentiable and needed)
        if out.requires_grad:
            out.recipe = Recipe(numpy_func, arrays, {}, parents)
        return out

    return tensor_func


def topological_sort(node: Any, get_children: Callable) -> list:
    order, done, open_nodes = [], set(), set()

    def visit(current: Any) -> None:
        if current in done:
            return
        if current in open_nodes:
            raise ValueError("the graph has a cycle")
        open_nodes.add(current)
        for child in get_children(current):
            visit(child)
        done.add(current)
        order.append(current)

    visit(node)
    return order


def sorted_computational_graph(tensor: Tensor) -> list[Tensor]:
    def get_parents(current: Tensor) -> list[Tensor]:
        return [] if current.recipe is None else list(current.recipe.parents.values())

    return topological_sort(tensor, get_parents)[::-1]


def backprop(end_node: Tensor, end_grad: Tensor | None = None) -> None:
    grads = {end_node: np.ones_like(end_node.array) if end_grad is None else end_grad.array}
    for node in sorted_computational_graph(end_node):
        outgrad = grads.pop(node)
        if node.recipe is None:
            if node.requires_grad:
                node.grad = Tensor(outgrad if node.grad is None else node.grad.array + outgrad)
            continue
        recipe = node.recipe
        for position, parent in recipe.parents.items():
            back_fn = BACK_FUNCS.get_back_func(recipe.func, position)
            in_grad = back_fn(outgrad, node.array, *recipe.args, **recipe.kwargs)
            grads[parent] = grads[parent] + in_grad if parent in grads else in_grad


class NoGrad:
    def __enter__(self) -> None:
        global grad_tracking_enabled
        self.was_enabled = grad_tracking_enabled
        grad_tracking_enabled = False

    def __exit__(self, *error: object) -> None:
        global grad_tracking_enabled
        grad_tracking_enabled = self.was_enabled


def _sum(x: Arr, dim=None, keepdim: bool = False) -> Arr:
    return np.sum(x, axis=dim, keepdims=keepdim)


def _getitem(x: Arr, index) -> Arr:
    return x[coerce_index(index)]


log = wrap_forward_fn(np.log)
exp = wrap_forward_fn(np.exp)
negative = wrap_forward_fn(np.negative)
add = wrap_forward_fn(np.add)
subtract = wrap_forward_fn(np.subtract)
multiply = wrap_forward_fn(np.multiply)
true_divide = wrap_forward_fn(np.true_divide)
maximum = wrap_forward_fn(np.maximum)
matmul = wrap_forward_fn(np.matmul)
sum = wrap_forward_fn(_sum)
reshape = wrap_forward_fn(np.reshape)
permute = wrap_forward_fn(np.transpose)
getitem = wrap_forward_fn(_getitem)
eq = wrap_forward_fn(np.equal, is_differentiable=False)

BACK_FUNCS = BackwardFuncLookup()
BACK_FUNCS.add_back_func(np.log, 0, log_back)
BACK_FUNCS.add_back_func(np.exp, 0, exp_back)
BACK_FUNCS.add_back_func(np.negative, 0, negative_back)
BACK_FUNCS.add_back_func(np.multiply, 0, multiply_back0)
BACK_FUNCS.add_back_func(np.multiply, 1, multiply_back1)
BACK_FUNCS.add_back_func(np.maximum, 0, maximum_back0)
BACK_FUNCS.add_back_func(np.maximum, 1, maximum_back1)
BACK_FUNCS.add_back_func(np.matmul, 0, matmul2d_back0)
BACK_FUNCS.add_back_func(np.matmul, 1, matmul2d_back1)
BACK_FUNCS.add_back_func(_sum, 0, sum_back)
BACK_FUNCS.add_back_func(np.reshape, 0, reshape_back)
BACK_FUNCS.add_back_func(np.transpose, 0, permute_back)
BACK_FUNCS.add_back_func(_getitem, 0, getitem_back)
BACK_FUNCS.add_back_func(np.add, 0, add_back0)
BACK_FUNCS.add_back_func(np.add, 1, add_back1)
BACK_FUNCS.add_back_func(np.subtract, 0, subtract_back0)
BACK_FUNCS.add_back_func(np.subtract, 1, subtract_back1)
BACK_FUNCS.add_back_func(np.true_divide, 0, true_divide_back0)
BACK_FUNCS.add_back_func(np.true_divide, 1, true_divide_back1)


def relu(x: Tensor) -> Tensor:
    return maximum(x, 0.0)


def cross_entropy(logits: Tensor, true_labels: Tensor) -> Tensor:
    log_probabilities = logits - logits.exp().sum(-1, keepdim=True).log()
    rows = Tensor(np.arange(logits.shape[0]))
    return -log_probabilities[rows, true_labels]
