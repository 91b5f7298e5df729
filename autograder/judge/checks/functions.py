"""Runs the real `torch.autograd.gradcheck` and `gradgradcheck` here, on a Function whose steps are questions to the student.

Patching torch beside the student's code gains nothing: the numbers are compared by the torch of this process. The points
that gradcheck is going to ask for are known in advance (each entry plus and minus eps, each basis cotangent), so they are
fetched in one question each, twice and in different order: two answers to one question that differ are a failure too.
"""

import random
import re
from collections.abc import Callable, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch.autograd.gradcheck import GradcheckError, gradcheck, gradgradcheck

from autograder.judge.arrays import Numbers, tensor, to_torch
from autograder.judge.checks.compare import ENTRIES_SHOWN, TENSOR, CheckFailed, Tolerance, describe, expect_close, fail, show
from autograder.judge.report import Detail
from sandbox.wire import Array, Opaque

if TYPE_CHECKING:
    from autograder.judge.student import Student

EPS = 1e-6
ENTRIES_LIMIT = 256  # a Jacobian of so many rows is more than anybody reads; a submission chooses the size of its output
Matrix = Numbers
Tensors = tuple[torch.Tensor, ...]
Point = tuple[Tensors, ...]


class Oracle:
    """What a student's Function answers at a point: outputs, gradients, gradients of those. Remembers."""

    def __init__(self, student: "Student", name: str) -> None:
        self._student, self.name = student, name
        self._known: dict[tuple[Any, ...], tuple[torch.Tensor | None, ...]] = {}
        self.misses = 0

    def forward(self, xs: Tensors) -> tuple[torch.Tensor | None, ...]:
        return self._at("forward", (xs,))

    def vjp(self, xs: Tensors, gs: Tensors) -> tuple[torch.Tensor | None, ...]:
        return self._at("vjp", (xs, gs))

    def second_vjp(self, xs: Tensors, gs: Tensors, ggs: Tensors) -> tuple[torch.Tensor | None, ...]:
        return self._at("second_vjp", (xs, gs, ggs))

    def prefetch(self, kind: str, points: Sequence[Point]) -> None:
        """Ask for many points in one question, each twice, the second time in another order."""
        order = list(range(len(points))) + random.Random(len(points)).sample(range(len(points)), len(points))
        answers = self._fetch(kind, [points[n] for n in order])
        for n, answer in zip(order, answers, strict=True):
            key = _key(kind, points[n])
            if key in self._known and not _same(self._known[key], answer):
                message = f"{self.name} gave two different answers to the same question: it is not deterministic."
                raise fail(message, "determinism", {"x": points[n][0][0]})
            self._known[key] = answer

    def _at(self, kind: str, point: Point) -> tuple[torch.Tensor | None, ...]:
        key = _key(kind, point)
        if key not in self._known:
            self.misses += 1
            self._known[key] = self._fetch(kind, [point])[0]
        # fresh tensors: autograd writes its history on what a Function returns
        return tuple(None if answer is None else answer.clone() for answer in self._known[key])

    def _fetch(self, kind: str, points: Sequence[Point]) -> list[tuple[torch.Tensor | None, ...]]:
        sent: list[Any] = [[list(part) for part in point] for point in points]
        if kind == "forward":
            sent = [point[0] for point in sent]
        answers = self._student.operate(f"function.{kind}", sent, name=self.name)
        if not isinstance(answers, list) or len(answers) != len(points):
            raise fail(f"{self.name} could not be asked for its values.")
        if kind == "forward":
            return [self._outputs(answer, xs[0].dtype) for (xs, *_), answer in zip(points, answers, strict=True)]
        what = "gradient" if kind == "vjp" else "second derivative"
        found = [self._gradients(answer) if kind == "vjp" else self._tensors(answer, what) for answer in answers]
        for (xs, gs, *_), grads in zip(points, found, strict=True):
            self._fit(what, grads, xs if kind == "vjp" else (*xs, *gs))
        return found

    def _fit(self, what: str, grads: tuple[torch.Tensor | None, ...], inputs: Tensors) -> None:
        """One gradient per input, of its shape and type. The engine sees to that; an answer that is made up need not."""
        pairs = zip(grads, inputs, strict=False)
        if len(grads) != len(inputs) or any(g is not None and (g.shape, g.dtype) != (x.shape, x.dtype) for g, x in pairs):
            raise fail(f"The {what} of {self.name} does not have the shape and type of what it is taken by.")

    def _outputs(self, answer: Any, dtype: torch.dtype) -> tuple[torch.Tensor | None, ...]:
        outputs = self._tensors(answer, "output")
        if not outputs or any(output is None or output.dtype != dtype for output in outputs):
            raise fail(f"The output of {self.name} should be a tensor of {str(dtype).removeprefix('torch.')}.", "value")
        return outputs

    def _gradients(self, answer: Any) -> tuple[torch.Tensor | None, ...]:
        if not isinstance(answer, list) or len(answer) != 2:
            raise fail(f"{self.name} could not be asked for its gradients.")
        return self._tensors(answer[1], "gradient")

    def _tensors(self, values: Any, what: str) -> tuple[torch.Tensor | None, ...]:
        if not isinstance(values, list) or not all(v is None or isinstance(v, Array | Opaque) for v in values):
            raise fail(f"The {what} of {self.name} should be a tensor, but is {describe(values)}.")
        for value in values:
            if isinstance(value, Opaque) or (value is not None and value.kind != "torch"):
                raise fail(f"The {what} of {self.name} should be a tensor, but is {describe(value)}.")
        return tuple(None if value is None else to_torch(value) for value in values)


class _Forward(torch.autograd.Function):
    """The student's Function, as the judge's autograd sees it."""

    @staticmethod
    def forward(ctx: Any, oracle: Oracle, *xs: torch.Tensor) -> Any:
        ctx.oracle = oracle
        ctx.save_for_backward(*xs)
        outputs = oracle.forward(xs)
        return outputs[0] if len(outputs) == 1 else outputs

    @staticmethod
    def backward(ctx: Any, *gs: torch.Tensor) -> Any:
        xs = ctx.saved_tensors
        grads = _Backward.apply(ctx.oracle, len(xs), *xs, *gs)  # type: ignore[no-untyped-call]
        return (None, *(grads if isinstance(grads, tuple) else (grads,)))


class _Backward(torch.autograd.Function):
    """The student's backward, as a function of inputs and upstream that can itself be differentiated."""

    @staticmethod
    def forward(ctx: Any, oracle: Oracle, count: int, *tensors: torch.Tensor) -> Any:
        ctx.oracle, ctx.count = oracle, count
        ctx.save_for_backward(*tensors)
        grads = oracle.vjp(tensors[:count], tensors[count:])
        return tuple(torch.zeros_like(x) if g is None else g for g, x in zip(grads, tensors[:count], strict=True))

    @staticmethod
    def backward(ctx: Any, *ggs: torch.Tensor) -> Any:
        tensors = ctx.saved_tensors
        second = ctx.oracle.second_vjp(tensors[: ctx.count], tensors[ctx.count :], ggs)
        return (None, None, *second)


def _on(oracle: Oracle) -> Callable[..., Any]:
    """The function that gradcheck is given."""
    return lambda *args: _Forward.apply(oracle, *args)  # type: ignore[no-untyped-call]


def expect_gradcheck(student: "Student", name: str, *xs: torch.Tensor, oracle: Oracle | None = None) -> None:
    """First derivatives: the real gradcheck on the student's Function, numeric against analytical."""
    oracle = oracle or Oracle(student, name)
    inputs = tuple(x.detach().requires_grad_() for x in xs)
    plain = tuple(x.detach() for x in xs)
    outputs = _prefetch_forward(oracle, plain)
    oracle.prefetch("vjp", [(plain, gs) for gs in (*_basis(outputs), _zeros(outputs))])
    _checked(name, "gradcheck", inputs, lambda: gradcheck(_on(oracle), inputs, eps=EPS))


def expect_gradgradcheck(
    student: "Student", name: str, *xs: torch.Tensor, upstream: Tensors, oracle: Oracle | None = None
) -> None:
    """Second derivatives: the real gradgradcheck, with the upstream given and differentiated too."""
    oracle = oracle or Oracle(student, name)
    inputs = tuple(x.detach().requires_grad_() for x in xs)
    gs = tuple(g.detach().requires_grad_() for g in upstream)
    plain, plain_gs = tuple(x.detach() for x in xs), tuple(g.detach() for g in upstream)
    _prefetch_forward(oracle, plain)
    count = len(plain)
    moved = [(point[:count], point[count:]) for point in _around((*plain, *plain_gs))]
    oracle.prefetch("vjp", [(plain, plain_gs), *moved])
    grads = tuple(torch.zeros_like(x) for x in plain)
    oracle.prefetch("second_vjp", [(plain, plain_gs, ggs) for ggs in (*_basis(grads), _zeros(grads))])
    run = lambda: gradgradcheck(_on(oracle), inputs, gs, eps=EPS)  # noqa: E731
    _checked(name, "gradgradcheck", inputs, run)


def expect_outputs(student: "Student", name: str, xs: Tensors, *, count: int) -> list[Any]:
    """What `apply` returns at a point: so many outputs, each still to be compared."""
    answer = student.operate("function.forward", [list(xs)], name=name)
    outputs = answer[0] if isinstance(answer, list) and len(answer) == 1 else None
    if not isinstance(outputs, list) or len(outputs) != count:
        raise fail(f"{name}.apply should return {'a tensor' if count == 1 else f'{count} tensors'}.", "value", {"x": xs[0]})
    return outputs


def expect_function_vjp(
    student: "Student",
    name: str,
    points: Sequence[Point],
    reference: Callable[..., Any],
    tolerance: Tolerance = TENSOR,
) -> None:
    """Value and gradients at `(inputs, upstreams)` against a trusted forward, differentiated here."""
    answers = student.operate("function.vjp", [[list(xs), list(gs)] for xs, gs in points], name=name)
    if not isinstance(answers, list) or len(answers) != len(points):
        raise fail(f"{name} could not be asked for its gradients.")
    for (xs, gs), answer in zip(points, answers, strict=True):
        leaves = tuple(x.detach().requires_grad_() for x in xs)
        outputs = reference(*leaves)
        outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        truth = torch.autograd.grad(outputs, leaves, gs, allow_unused=True)
        shown = {f"x{n}" if len(xs) > 1 else "x": x for n, x in enumerate(xs)}
        for given, expected in zip(_pair(answer, 0, len(outputs)), outputs, strict=True):
            expect_close(given, expected, f"The value of {name}", shown, tolerance)
        upstream = {f"upstream {n}" if len(gs) > 1 else "upstream": g for n, g in enumerate(gs)}
        for n, (given, expected) in enumerate(zip(_pair(answer, 1, len(leaves)), truth, strict=True)):
            what = f"The gradient of {name}" + (f" by input {n + 1}" if len(leaves) > 1 else "")
            expect_close(
                given, torch.zeros_like(leaves[n]) if expected is None else expected, what, shown | upstream, tolerance
            )


def expect_second_vjp(
    student: "Student",
    name: str,
    points: Sequence[Point],
    reference: Callable[..., Any],
    tolerance: Tolerance = TENSOR,
) -> None:
    """The gradients of the first gradients, weighted, at `(inputs, upstreams, weights)`, by every input and upstream, against
    a trusted forward differentiated twice here: exact where gradgradcheck has no difference quotient to trust."""
    answers = student.operate("function.second_vjp", [[list(part) for part in point] for point in points], name=name)
    if not isinstance(answers, list) or len(answers) != len(points):
        raise fail(f"{name} could not be asked for its second derivatives.")
    for (xs, gs, weights), answer in zip(points, answers, strict=True):
        leaves = tuple(t.detach().requires_grad_() for t in (*xs, *gs))
        inputs, upstreams = leaves[: len(xs)], leaves[len(xs) :]
        first = torch.autograd.grad(reference(*inputs), inputs, upstreams, create_graph=True)
        truth = torch.autograd.grad(first, leaves, weights, allow_unused=True)
        shown = {"x": xs[0], "upstream": gs[0], "weights": weights[0]}
        if not isinstance(answer, list) or len(answer) != len(leaves):
            raise fail(f"The second derivative of {name} could not be read.", "second derivative", shown)
        for n, (given, expected, leaf) in enumerate(zip(answer, truth, leaves, strict=True)):
            by = f"input {n + 1}" if n < len(xs) else f"upstream {n + 1 - len(xs)}"
            given = tensor(np.zeros(leaf.shape, str(leaf.dtype)[6:])) if given is None else given
            right = torch.zeros_like(leaf) if expected is None else expected
            expect_close(given, right, f"The second derivative of {name} by {by}", shown, tolerance)


def expect_direct_backward(
    student: "Student", name: str, points: Sequence[Point], reference: Callable[..., Any], tolerance: Tolerance = TENSOR
) -> None:
    """What the student's own `backward` returns, unseen by the engine: one gradient per argument, of its exact shape."""
    answers = student.operate("function.backward", [[list(xs), list(gs)] for xs, gs in points], name=name)
    if not isinstance(answers, list) or len(answers) != len(points):
        raise fail(f"The backward of {name} could not be called.")
    for (xs, gs), answer in zip(points, answers, strict=True):
        leaves = tuple(x.detach().requires_grad_() for x in xs)
        truth = torch.autograd.grad(reference(*leaves), leaves, gs)
        shown = {"x": xs[0], "upstream": gs[0]}
        if not isinstance(answer, list) or len(answer) != len(leaves):
            count = len(answer) if isinstance(answer, list) else "something else"
            message = (
                f"backward of {name} should return one gradient for each of {len(leaves)} inputs, but returned {count}."
            )
            raise fail(message, "arity of backward", shown)
        for given, expected in zip(answer, truth, strict=True):
            expect_close(given, expected, f"What backward of {name} returned", shown, tolerance)


def _pair(answer: Any, position: int, count: int) -> list[Any]:
    if not isinstance(answer, list) or len(answer) != 2:
        raise fail("The Function's answer could not be read.")
    values = answer[position]
    if not isinstance(values, list) or len(values) != count:
        got = len(values) if isinstance(values, list) else 0
        raise fail(f"The Function should give {count} {('outputs', 'gradients')[position]}, but gave {got}.")
    return values


def _prefetch_forward(oracle: Oracle, xs: Tensors) -> Tensors:
    oracle.prefetch("forward", [(xs,), *((point,) for point in _around(xs))])
    outputs = tuple(output for output in oracle.forward(xs) if output is not None)
    entries = sum(output.numel() for output in outputs)
    if entries > ENTRIES_LIMIT:
        raise fail(
            f"{oracle.name}.apply returned {entries} numbers for {sum(x.numel() for x in xs)}.", "value", {"x": xs[0]}
        )
    return outputs


def _around(xs: Tensors) -> list[Tensors]:
    """The points of central differences: each entry minus and plus eps, computed as gradcheck computes them."""
    points = []
    for position, x in enumerate(xs):
        for index in product(*(range(n) for n in x.shape)):
            middle = x[index].item()
            for value in (middle - EPS, middle + EPS):
                moved = x.clone()
                moved[index] = value
                points.append((*xs[:position], moved, *xs[position + 1 :]))
    return points


def _basis(outputs: Tensors) -> list[Tensors]:
    """Every unit cotangent."""
    points = []
    for position, output in enumerate(outputs):
        for index in product(*(range(n) for n in output.shape)):
            unit = torch.zeros_like(output)
            unit[index] = 1.0
            points.append((*_zeros(outputs[:position]), unit, *_zeros(outputs[position + 1 :])))
    return points


def _zeros(tensors: Tensors) -> Tensors:
    return tuple(torch.zeros_like(tensor) for tensor in tensors)


def _checked(name: str, check: str, xs: Tensors, run: Callable[[], Any]) -> None:
    order = "first" if check == "gradcheck" else "second"
    try:
        run()
    except GradcheckError as error:
        text = str(error)
        message = f"torch.autograd.{check} on {name}: the {order} derivative from backward is not the one of the values."
        numerical, analytical = _matrix(text, "numerical:", "analytical:"), _matrix(text, "analytical:", "")
        if numerical is None or analytical is None:
            message = f"torch.autograd.{check} on {name} says: {text.strip().splitlines()[0][:300]}"
        raise CheckFailed(message, _jacobians(check, xs[0], numerical, analytical)) from error


def _jacobians(check: str, x: torch.Tensor, numerical: Matrix | None, analytical: Matrix | None) -> Detail:
    """The two Jacobians side by side: by differences of the values, and by backward. Entries that differ are marked."""
    differing = ()
    if numerical is not None and analytical is not None and numerical.shape == analytical.shape:
        differing = tuple(np.flatnonzero(~np.isclose(analytical, numerical, rtol=1e-3, atol=1e-3))[:ENTRIES_SHOWN].tolist())
    expected, given = (None if matrix is None else show(matrix) for matrix in (numerical, analytical))
    note = "expected: by differences of the values; given: by backward; a row for each input, a column for each output"
    return Detail(f"Jacobian ({check})", {"x": show(x.detach())}, expected, given, differing, note)


def _matrix(text: str, start: str, end: str) -> Matrix | None:
    """A Jacobian that torch printed: its rows as numbers, None if it cannot be read."""
    _, found, rest = text.partition(start)
    rows = re.findall(r"\[([^\[\]]+)\]", rest.partition(end)[0] if end else rest)
    try:
        matrix = np.array([[float(entry) for entry in row.split(",")] for row in rows])
    except ValueError:
        return None
    return matrix if found and matrix.ndim == 2 and matrix.size else None


def _key(kind: str, point: Point) -> tuple[Any, ...]:
    return (kind, *((tuple(t.shape), t.detach().contiguous().numpy().tobytes()) for part in point for t in part))


def _same(one: tuple[torch.Tensor | None, ...], other: tuple[torch.Tensor | None, ...]) -> bool:
    return len(one) == len(other) and all(_identical(a, b) for a, b in zip(one, other, strict=True))


def _identical(one: torch.Tensor | None, other: torch.Tensor | None) -> bool:
    if one is None or other is None:
        return one is other
    return one.dtype == other.dtype and one.shape == other.shape and one.numpy().tobytes() == other.numpy().tobytes()
