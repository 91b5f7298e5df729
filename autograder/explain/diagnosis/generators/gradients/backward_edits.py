"""Single edits of a backward pass: of the upstream gradient, of one edge of the graph, or of how copies are reduced."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from torch.overrides import TorchFunctionMode

from autograder.explain.diagnosis.generators.relations import sum_to
from autograder.judge.arrays import Numbers

Call = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]
Make = Callable[[Call, int], torch.Tensor]
IGNORED = {"__get__", "__set__", "size", "dim", "numel", "detach", "clone"}


class Editing(TorchFunctionMode):
    """Runs a forward function with one operand of one operation edited. Operations are counted in the order of their calls."""

    def __init__(self, operation: int, operand: int, make: Make | None) -> None:
        super().__init__()
        self.operation, self.operand, self.make = operation, operand, make
        self.calls: list[tuple[int, ...]] = []

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        operands = tuple(n for n, a in enumerate(args) if isinstance(a, torch.Tensor) and a.requires_grad)
        if not operands or getattr(func, "__name__", "") in IGNORED:
            return func(*args, **kwargs)
        self.calls.append(operands)
        if len(self.calls) - 1 == self.operation and self.operand in operands and self.make is not None:
            return self.make((func, args, kwargs), self.operand)
        return func(*args, **kwargs)


def edges(forward: Callable[..., Any], inputs: tuple[Any, ...]) -> Iterator[tuple[int, int]]:
    """Every operand through which a gradient flows."""
    with Editing(-1, -1, None) as editing:
        forward(*inputs)
    for operation, operands in enumerate(editing.calls):
        for operand in operands:
            yield operation, operand


class _Tap(torch.autograd.Function):
    """The identity, with an edited backward."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, edit: Callable[[torch.Tensor], torch.Tensor]) -> torch.Tensor:
        ctx.edit = edit
        return x.view_as(x)

    @staticmethod
    def backward(ctx: Any, *gs: torch.Tensor) -> Any:
        return ctx.edit(gs[0]), None


class _Side(torch.autograd.Function):
    """Adds zero in the forward pass and `upstream * slope` in the backward pass."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, like: torch.Tensor, slope: torch.Tensor) -> torch.Tensor:
        ctx.slope, ctx.shape = slope, x.shape
        return torch.zeros_like(like)

    @staticmethod
    def backward(ctx: Any, *gs: torch.Tensor) -> Any:
        return (gs[0] * ctx.slope).sum_to_size(ctx.shape), None, None


def _tapped(edit: Callable[[torch.Tensor], torch.Tensor]) -> Make:
    """Edits the gradient along one edge."""

    def make(call: Call, n: int) -> torch.Tensor:
        func, args, kwargs = call
        tapped = _Tap.apply(args[n], edit)  # type: ignore[no-untyped-call]
        return func(*args[:n], tapped, *args[n + 1 :], **kwargs)  # type: ignore[no-any-return]

    return make


def _local(slope: Callable[[torch.Tensor, torch.Tensor, Any], torch.Tensor]) -> Make:
    """Replaces the local derivative with respect to one operand by a function of operand x, result y and the other operand."""

    def make(call: Call, n: int) -> torch.Tensor:
        func, args, kwargs = call
        y = func(*args[:n], args[n].detach(), *args[n + 1 :], **kwargs)
        other = args[1 - n] if len(args) == 2 else 1.0
        other = other.detach() if isinstance(other, torch.Tensor) else other
        replaced = slope(args[n].detach(), y.detach(), other)
        return y + _Side.apply(args[n], y.detach(), replaced)  # type: ignore[no-any-return, no-untyped-call]

    return make


def _of_slope(edit: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]) -> Make:
    """Replaces the gradient along an elementwise edge by a function of the upstream gradient and the true local derivative."""

    def make(call: Call, n: int) -> torch.Tensor:
        func, args, kwargs = call
        x = args[n].detach().requires_grad_()
        others = [a.detach() if isinstance(a, torch.Tensor) else a for a in args]
        with torch.enable_grad():
            y = func(*others[:n], x, *others[n + 1 :], **kwargs)
            if y.shape != x.shape:
                raise ValueError("not elementwise")
            (slope,) = torch.autograd.grad(y.sum(), x)
        return _tapped(lambda g: edit(g, slope))(call, n)

    return make


def _with_ones(g: torch.Tensor) -> torch.Tensor:
    return torch.ones_like(g)


EDGES: tuple[tuple[str, str, Make], ...] = (
    ("drop-term", "edge cut", _tapped(lambda g: g * 0)),
    ("sign", "edge negated", _tapped(lambda g: -g)),
    ("twice", "edge doubled", _tapped(lambda g: 2 * g)),
    ("constant", "edge halved", _tapped(lambda g: g / 2)),
    ("reduction", "edge divided by its size", _tapped(lambda g: g / g.numel())),
    ("reduction", "edge times its size", _tapped(lambda g: g * g.numel())),
    ("transpose", "edge transposed", _tapped(lambda g: g.transpose(-1, -2))),
    ("drop-factor", "local derivative 1", _local(lambda x, y, o: torch.ones_like(y))),
    ("swap-names", "local derivative x", _local(lambda x, y, o: x + 0 * y)),
    ("wrong-local-derivative", "local derivative y", _local(lambda x, y, o: y)),
    ("wrong-local-derivative", "local derivative 1 - y", _local(lambda x, y, o: 1 - y)),
    ("wrong-local-derivative", "local derivative y (1 - y)", _local(lambda x, y, o: y * (1 - y))),
    ("wrong-local-derivative", "local derivative 1 - y^2", _local(lambda x, y, o: 1 - y * y)),
    ("formula-of-output-at-input", "local derivative 1 - x^2", _local(lambda x, y, o: 1 - x * x + 0 * y)),
    ("formula-of-output-at-input", "local derivative x (1 - x)", _local(lambda x, y, o: x * (1 - x) + 0 * y)),
    ("wrong-local-derivative", "local derivative f(x)", _local(lambda x, y, o: y / x)),
    ("constant", "factor of the power missing", _local(lambda x, y, o: x ** (o - 1))),
    ("constant", "exponent not lowered", _local(lambda x, y, o: o * x**o)),
    ("constant", "factor lowered with the exponent", _local(lambda x, y, o: (o - 1) * x ** (o - 1))),
    ("wrong-local-derivative", "local derivative y^2", _local(lambda x, y, o: y * y)),
    ("sign", "local derivative y (1 + y)", _local(lambda x, y, o: y * (1 + y))),
    ("sign", "local derivative 1 + y^2", _local(lambda x, y, o: 1 + y * y)),
    ("mul-div", "divided by the local derivative", _of_slope(lambda g, slope: g / (slope * slope))),
    ("drop-factor", "the sign of the local derivative", _of_slope(lambda g, slope: g / slope.abs())),
    ("factor-twice", "the local derivative squared", _of_slope(lambda g, slope: g * slope)),
    ("mask-inverted", "mask inverted", _local(lambda x, y, o: (x <= 0).to(y.dtype))),
    ("upstream", "upstream of one step is ones", _tapped(_with_ones)),
)

UPSTREAMS: tuple[tuple[str, str, Callable[[torch.Tensor], torch.Tensor]], ...] = (
    ("upstream", "ones for the upstream", _with_ones),
    ("upstream-squared", "the upstream squared", lambda g: g * g),
    ("upstream-reduced", "the sum of the upstream", lambda g: g.sum().expand_as(g)),
    ("upstream-reduced", "the mean of the upstream", lambda g: g.mean().expand_as(g)),
    ("wrong-upstream", "the size of the upstream without its sign", lambda g: g.abs()),
    ("transpose", "the upstream transposed", lambda g: g.transpose(-1, -2)),
)


def _axes(full: Numbers, shape: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The axes of the full array that broadcasting prepended, and those that it expanded from size 1."""
    added = full.ndim - len(shape)
    return tuple(range(added)), tuple(added + i for i, n in enumerate(shape) if n == 1 and full.shape[added + i] != 1)


def _mean(which: str) -> Callable[[Numbers, tuple[int, ...]], Numbers | None]:
    def edit(full: Numbers, shape: tuple[int, ...]) -> Numbers | None:
        front, stretched = _axes(full, shape)
        axes = {"both": front + stretched, "front": front, "stretched": stretched}[which]
        count = int(np.prod([full.shape[axis] for axis in axes]))
        summed = sum_to(full, shape)
        return None if summed is None else summed / count

    return edit


def _slice(at: int) -> Callable[[Numbers, tuple[int, ...]], Numbers]:
    def edit(full: Numbers, shape: tuple[int, ...]) -> Numbers:
        front, stretched = _axes(full, shape)
        kept = tuple(
            at if a in front else slice(at, None if at else 1) if a in stretched else slice(None) for a in range(full.ndim)
        )
        return full[kept].reshape(shape)

    return edit


def _front_only(full: Numbers, shape: tuple[int, ...]) -> Numbers:
    return np.asarray(full.sum(axis=_axes(full, shape)[0]))


def _stretched_only(full: Numbers, shape: tuple[int, ...]) -> Numbers:
    return np.asarray(full.sum(axis=_axes(full, shape)[1], keepdims=True))


def _kept_by_size(full: Numbers, shape: tuple[int, ...]) -> Numbers:
    """Matches axes by size from the left: an axis belongs to the operand if it has the size of the operand's next axis."""
    wanted = [size for size in shape if size != 1]
    copied = []
    for axis, size in enumerate(full.shape):
        if wanted and size == wanted[0]:
            wanted.pop(0)
        else:
            copied.append(axis)
    return np.asarray(full.sum(axis=tuple(copied))).reshape(shape)


def _padded_right(full: Numbers, shape: tuple[int, ...]) -> Numbers:
    """Treats missing axes as if they were trailing."""
    padded = (*shape, *[1] * (full.ndim - len(shape)))
    copied = tuple(axis for axis, (size, whole) in enumerate(zip(padded, full.shape, strict=True)) if size != whole)
    return np.asarray(full.sum(axis=copied)).reshape(shape)


COPIES: tuple[tuple[str, str, Callable[[Numbers, tuple[int, ...]], Numbers | None]], ...] = (
    ("no-reduction", "the copies are not summed", lambda full, shape: full),
    ("no-reduction", "the first copy is taken", _slice(0)),
    ("no-reduction", "the last copy is taken", _slice(-1)),
    ("leading", "only axes in front are summed", _front_only),
    ("aligned-left", "axes of equal size are kept, from the left", _kept_by_size),
    ("aligned-left", "shapes are aligned at the left", _padded_right),
    ("no-reduction", "only stretched axes are summed", _stretched_only),
    ("reduction", "the mean of all copies", _mean("both")),
    ("reduction", "the mean over axes in front", _mean("front")),
    ("reduction", "the mean over stretched axes", _mean("stretched")),
    ("reshape-instead-of-sum-axis", "folded in front", lambda full, shape: full.reshape(-1, *shape).sum(axis=0)),
    ("reshape-instead-of-sum-axis", "folded behind", lambda full, shape: full.reshape(*shape, -1).sum(axis=-1)),
)
