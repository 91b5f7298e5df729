"""The formula is right, but what is saved is the input."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import minitorch

from . import operators
from .autodiff import Context
from .tensor_ops import SimpleBackend, TensorBackend

if TYPE_CHECKING:
    from .tensor import Tensor
    from .tensor_data import UserShape


class Function:
    @classmethod
    def _backward(cls, ctx: Context, grad_out: Tensor) -> tuple[Any, ...]:
        found = cls.backward(ctx, grad_out)  # type: ignore[attr-defined]
        return found if isinstance(found, tuple) else (found,)

    @classmethod
    def _forward(cls, ctx: Context, *inps: Tensor) -> Tensor:
        return cls.forward(ctx, *inps)  # type: ignore[attr-defined, no-any-return]

    @classmethod
    def apply(cls, *vals: Tensor) -> Tensor:
        need_grad = any(v.requires_grad() for v in vals)
        ctx = Context(not need_grad)
        result = cls._forward(ctx, *(v.detach() for v in vals))
        back = minitorch.History(cls, ctx, vals) if need_grad else None
        return minitorch.Tensor(result._tensor, back, backend=result.backend)


class Neg(Function):
    @staticmethod
    def forward(ctx: Context, t1: Tensor) -> Tensor:
        return t1.f.neg_map(t1)

    @staticmethod
    def backward(ctx: Context, grad_output: Tensor) -> Tensor:
        return grad_output.f.neg_map(grad_output)


class Inv(Function):
    @staticmethod
    def forward(ctx: Context, t1: Tensor) -> Tensor:
        ctx.save_for_backward(t1)
        return t1.f.inv_map(t1)

    @staticmethod
    def backward(ctx: Context, grad_output: Tensor) -> Tensor:
        (t1,) = ctx.saved_values
        return grad_output.f.inv_back_zip(t1, grad_output)


class Add(Function):
    @staticmethod
    def forward(ctx: Context, t1: Tensor, t2: Tensor) -> Tensor:
        return t1.f.add_zip(t1, t2)

    @staticmethod
    def backward(ctx: Context, grad_output: Tensor) -> tuple[Tensor, Tensor]:
        return grad_output, grad_output


class Mul(Function):
    @staticmethod
    def forward(ctx: Context, a: Tensor, b: Tensor) -> Tensor:
        ctx.save_for_backward(a, b)
        return a.f.mul_zip(a, b)

    @staticmethod
    def backward(ctx: Context, grad_output: Tensor) -> tuple[Tensor, Tensor]:
        a, b = ctx.saved_values
        return grad_output.f.mul_zip(grad_output, b), grad_output.f.mul_zip(grad_output, a)


class Sigmoid(Function):
    @staticmethod
    def forward(ctx: Context, t1: Tensor) -> Tensor:
        out = t1.f.sigmoid_map(t1)
        ctx.save_for_backward(t1)
        return out

    @staticmethod
    def backward(ctx: Context, grad_output: Tensor) -> Tensor:
        (out,) = ctx.saved_values
        return grad_output * out * (-out + 1.0)


class ReLU(Function):
    @staticmethod
    def forward(ctx: Context, t1: Tensor) -> Tensor:
        ctx.save_for_backward(t1)
        return t1.f.relu_map(t1)

    @staticmethod
    def backward(ctx: Context, grad_output: Tensor) -> Tensor:
        (t1,) = ctx.saved_values
        return grad_output.f.relu_back_zip(t1, grad_output)


class Log(Function):
    @staticmethod
    def forward(ctx: Context, t1: Tensor) -> Tensor:
        ctx.save_for_backward(t1)
        return t1.f.log_map(t1)

    @staticmethod
    def backward(ctx: Context, grad_output: Tensor) -> Tensor:
        (t1,) = ctx.saved_values
        return grad_output.f.log_back_zip(t1, grad_output)


class Exp(Function):
    @staticmethod
    def forward(ctx: Context, t1: Tensor) -> Tensor:
        out = t1.f.exp_map(t1)
        ctx.save_for_backward(out)
        return out

    @staticmethod
    def backward(ctx: Context, grad_output: Tensor) -> Tensor:
        (out,) = ctx.saved_values
        return grad_output.f.mul_zip(grad_output, out)


class Sum(Function):
    @staticmethod
    def forward(ctx: Context, a: Tensor, dim: Tensor) -> Tensor:
        return a.f.add_reduce(a, int(dim.item()))

    @staticmethod
    def backward(ctx: Context, grad_output: Tensor) -> tuple[Tensor, float]:
        return grad_output, 0.0


class All(Function):
    @staticmethod
    def forward(ctx: Context, a: Tensor, dim: Tensor) -> Tensor:
        return a.f.mul_reduce(a, int(dim.item()))


class LT(Function):
    @staticmethod
    def forward(ctx: Context, a: Tensor, b: Tensor) -> Tensor:
        return a.f.lt_zip(a, b)

    @staticmethod
    def backward(ctx: Context, grad_output: Tensor) -> tuple[Any, Any]:
        return 0.0, 0.0


class EQ(Function):
    @staticmethod
    def forward(ctx: Context, a: Tensor, b: Tensor) -> Tensor:
        return a.f.eq_zip(a, b)

    @staticmethod
    def backward(ctx: Context, grad_output: Tensor) -> tuple[Any, Any]:
        return 0.0, 0.0


class IsClose(Function):
    @staticmethod
    def forward(ctx: Context, a: Tensor, b: Tensor) -> Tensor:
        return a.f.is_close_zip(a, b)


class Permute(Function):
    @staticmethod
    def forward(ctx: Context, a: Tensor, order: Tensor) -> Tensor:
        axes = [int(order[n]) for n in range(order.size)]
        ctx.save_for_backward(axes)
        return a._new(a._tensor.permute(*axes))

    @staticmethod
    def backward(ctx: Context, grad_output: Tensor) -> tuple[Tensor, float]:
        (axes,) = ctx.saved_values
        back = [axes.index(n) for n in range(len(axes))]
        return grad_output._new(grad_output._tensor.permute(*back)), 0.0


class View(Function):
    @staticmethod
    def forward(ctx: Context, a: Tensor, shape: Tensor) -> Tensor:
        assert a._tensor.is_contiguous(), "only a contiguous tensor can be viewed"
        ctx.save_for_backward(a.shape)
        sizes = tuple(int(shape[n]) for n in range(shape.size))
        return minitorch.Tensor.make(a._tensor._storage, sizes, backend=a.backend)

    @staticmethod
    def backward(ctx: Context, grad_output: Tensor) -> tuple[Tensor, float]:
        (shape,) = ctx.saved_values
        return minitorch.Tensor.make(grad_output._tensor._storage, shape, backend=grad_output.backend), 0.0


class Copy(Function):
    @staticmethod
    def forward(ctx: Context, a: Tensor) -> Tensor:
        return a.f.id_map(a)

    @staticmethod
    def backward(ctx: Context, grad_output: Tensor) -> Tensor:
        return grad_output


def zeros(shape: UserShape, backend: TensorBackend = SimpleBackend) -> Tensor:
    return minitorch.Tensor.make([0.0] * int(operators.prod(shape)), shape, backend=backend)


def tensor(ls: Any, backend: TensorBackend = SimpleBackend, requires_grad: bool = False) -> Tensor:
    """A tensor with the numbers of nested lists."""
    shape, flat = [], ls
    while isinstance(flat, list | tuple):
        shape.append(len(flat))
        flat = flat[0]
    flat = ls
    for _ in shape[1:]:
        flat = [x for row in flat for x in row]
    made = minitorch.Tensor.make(list(flat), tuple(shape), backend=backend)
    if requires_grad:
        made.requires_grad_(True)
    return made
