"""Checks a student's Function with `torch.autograd.gradcheck` and `gradgradcheck`, which run in the judge.

The Function given to gradcheck asks the student's code for every value, so patching torch in the sandbox has no effect. The
points that gradcheck evaluates are known in advance (each entry plus and minus eps, each basis cotangent). They are fetched
in batches, each point twice and in different order; different answers for the same point fail the check.
"""

import random
import re
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np
import torch
from torch.autograd.gradcheck import GradcheckError, gradcheck, gradgradcheck

from autograder.judge.arrays import Numbers, tensor, to_torch
from autograder.judge.checks.compare import ENTRIES_SHOWN, TENSOR, CheckFailed, Tolerance, describe, expect_close, fail, show
from autograder.judge.checks.student import Student
from autograder.judge.report import Detail
from sandbox.wire import Array, Opaque

EPS = 1e-6
ENTRIES_LIMIT = 256  # rows of a Jacobian; a submission chooses the size of its output
Matrix = Numbers
Tensors = tuple[torch.Tensor, ...]
Point = tuple[Tensors, ...]


class Oracle:
    """Asks a student's Function for outputs, gradients and second derivatives at given points, and caches the answers."""

    def __init__(self, student: Student, name: str) -> None:
        self._student, self.name = student, name
        self._known: dict[tuple[Any, ...], tuple[torch.Tensor | None, ...]] = {}

    def forward(self, xs: Tensors) -> tuple[torch.Tensor | None, ...]:
        return self._at("forward", (xs,))

    def vjp(self, xs: Tensors, gs: Tensors) -> tuple[torch.Tensor | None, ...]:
        return self._at("vjp", (xs, gs))

    def second_vjp(self, xs: Tensors, gs: Tensors, ggs: Tensors) -> tuple[torch.Tensor | None, ...]:
        return self._at("second_vjp", (xs, gs, ggs))

    def prefetch(self, kind: str, points: Sequence[Point]) -> None:
        """Asks for many points in one question, each twice, the second time in a different order."""
        order = list(range(len(points))) + random.Random(len(points)).sample(range(len(points)), len(points))
        answers = self._fetch(kind, [points[n] for n in order])
        for n, answer in zip(order, answers, strict=True):
            key = _key(kind, points[n])
            if key in self._known and not _same(self._known[key], answer):
                message = f"{self.name} returned different results for the same inputs: it is not deterministic."
                raise fail(message, "determinism", {"x": points[n][0][0]})
            self._known[key] = answer

    def _at(self, kind: str, point: Point) -> tuple[torch.Tensor | None, ...]:
        key = _key(kind, point)
        if key not in self._known:
            self._known[key] = self._fetch(kind, [point])[0]
        # clone, because autograd attaches a graph to the tensors that a Function returns
        return tuple(None if answer is None else answer.clone() for answer in self._known[key])

    def _fetch(self, kind: str, points: Sequence[Point]) -> list[tuple[torch.Tensor | None, ...]]:
        sent: list[Any] = [[list(part) for part in point] for point in points]
        if kind == "forward":
            sent = [point[0] for point in sent]
        answers = self._student.operate(f"function.{kind}", sent, name=self.name)
        if not isinstance(answers, list) or len(answers) != len(points):
            raise fail(f"The outputs of {self.name} could not be read.")
        if kind == "forward":
            return [self._outputs(answer, xs[0].dtype) for (xs, *_), answer in zip(points, answers, strict=True)]
        what = "gradient" if kind == "vjp" else "second derivative"
        found = [self._gradients(answer) if kind == "vjp" else self._tensors(answer, what) for answer in answers]
        for (xs, gs, *_), grads in zip(points, found, strict=True):
            self._fit(what, grads, xs if kind == "vjp" else (*xs, *gs))
        return found

    def _fit(self, what: str, grads: tuple[torch.Tensor | None, ...], inputs: Tensors) -> None:
        """Expects one gradient per input, of the same shape and dtype. Autograd guarantees this, but a forged answer may not."""
        pairs = zip(grads, inputs, strict=False)
        if len(grads) != len(inputs) or any(g is not None and (g.shape, g.dtype) != (x.shape, x.dtype) for g, x in pairs):
            raise fail(f"The {what} of {self.name} should have the same shape and dtype as the corresponding input.")

    def _outputs(self, answer: Any, dtype: torch.dtype) -> tuple[torch.Tensor | None, ...]:
        outputs = self._tensors(answer, "output")
        if not outputs or any(output is None or output.dtype != dtype for output in outputs):
            message = f"The output of {self.name} should be a tensor of dtype {str(dtype).removeprefix('torch.')}."
            raise fail(message, "value")
        return outputs

    def _gradients(self, answer: Any) -> tuple[torch.Tensor | None, ...]:
        if not isinstance(answer, list) or len(answer) != 2:
            raise fail(f"The gradients of {self.name} could not be read.")
        return self._tensors(answer[1], "gradient")

    def _tensors(self, values: Any, what: str) -> tuple[torch.Tensor | None, ...]:
        if not isinstance(values, list) or not all(v is None or isinstance(v, Array | Opaque) for v in values):
            raise fail(f"The {what} of {self.name} should be a tensor, but is {describe(values)}.")
        for value in values:
            if isinstance(value, Opaque) or (value is not None and value.kind != "torch"):
                raise fail(f"The {what} of {self.name} should be a tensor, but is {describe(value)}.")
        return tuple(None if value is None else to_torch(value) for value in values)


class _Forward(torch.autograd.Function):
    """A Function that forwards to the student's Function."""

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
    """The student's backward as a differentiable function of the inputs and the upstream gradients."""

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
    """The function to pass to gradcheck."""
    return lambda *args: _Forward.apply(oracle, *args)  # type: ignore[no-untyped-call]


def expect_gradcheck(student: Student, name: str, *xs: torch.Tensor) -> None:
    """Checks first derivatives with `torch.autograd.gradcheck`."""
    oracle = Oracle(student, name)
    inputs = tuple(x.detach().requires_grad_() for x in xs)
    plain = tuple(x.detach() for x in xs)
    outputs = _prefetch_forward(oracle, plain)
    oracle.prefetch("vjp", [(plain, gs) for gs in (*_basis(outputs), _zeros(outputs))])
    _checked(name, "gradcheck", inputs, lambda: gradcheck(_on(oracle), inputs, eps=EPS))


def expect_gradgradcheck(student: Student, name: str, *xs: torch.Tensor, upstream: Tensors) -> None:
    """Checks second derivatives with `torch.autograd.gradgradcheck`, also with respect to the upstream gradients."""
    oracle = Oracle(student, name)
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


def expect_outputs(student: Student, name: str, xs: Tensors, *, count: int) -> list[Any]:
    """The outputs of `apply` at a point. Expects `count` of them; the caller compares their values."""
    answer = student.operate("function.forward", [list(xs)], name=name)
    outputs = answer[0] if isinstance(answer, list) and len(answer) == 1 else None
    if not isinstance(outputs, list) or len(outputs) != count:
        raise fail(f"{name}.apply should return {'a tensor' if count == 1 else f'{count} tensors'}.", "value", {"x": xs[0]})
    return outputs


def expect_function_vjp(
    student: Student,
    name: str,
    points: Sequence[Point],
    reference: Callable[..., Any],
    tolerance: Tolerance = TENSOR,
) -> None:
    """Compares values and gradients at `(inputs, upstreams)` with a trusted forward function and its derivatives."""
    answers = student.operate("function.vjp", [[list(xs), list(gs)] for xs, gs in points], name=name)
    if not isinstance(answers, list) or len(answers) != len(points):
        raise fail(f"The gradients of {name} could not be read.")
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
            what = f"The gradient of {name}" + (f" with respect to input {n + 1}" if len(leaves) > 1 else "")
            expect_close(
                given, torch.zeros_like(leaves[n]) if expected is None else expected, what, shown | upstream, tolerance
            )


def expect_second_vjp(
    student: Student,
    name: str,
    points: Sequence[Point],
    reference: Callable[..., Any],
    tolerance: Tolerance = TENSOR,
) -> None:
    """Compares second derivatives at `(inputs, upstreams, weights)` with a trusted forward function differentiated twice.

    These are the gradients of the weighted first gradients with respect to every input and upstream gradient. They are
    exact also where the finite differences of gradgradcheck are unreliable."""
    answers = student.operate("function.second_vjp", [[list(part) for part in point] for point in points], name=name)
    if not isinstance(answers, list) or len(answers) != len(points):
        raise fail(f"The second derivatives of {name} could not be read.")
    for (xs, gs, weights), answer in zip(points, answers, strict=True):
        leaves = tuple(t.detach().requires_grad_() for t in (*xs, *gs))
        inputs, upstreams = leaves[: len(xs)], leaves[len(xs) :]
        first = torch.autograd.grad(reference(*inputs), inputs, upstreams, create_graph=True)
        truth = torch.autograd.grad(first, leaves, weights, allow_unused=True)
        shown = {"x": xs[0], "upstream": gs[0], "weights": weights[0]}
        if not isinstance(answer, list) or len(answer) != len(leaves):
            raise fail(f"The second derivative of {name} could not be read.", "second derivative", shown)
        for n, (given, expected, leaf) in enumerate(zip(answer, truth, leaves, strict=True)):
            variable = f"input {n + 1}" if n < len(xs) else f"upstream gradient {n + 1 - len(xs)}"
            given = tensor(np.zeros(leaf.shape, str(leaf.dtype)[6:])) if given is None else given
            right = torch.zeros_like(leaf) if expected is None else expected
            what = f"The second derivative of {name} with respect to {variable}"
            expect_close(given, right, what, shown, tolerance)


def expect_direct_backward(
    student: Student,
    name: str,
    points: Sequence[Point],
    reference: Callable[..., Any],
    tolerance: Tolerance = TENSOR,
    *,
    by_formula: bool = False,
) -> None:
    """Calls the student's `backward` directly and expects one gradient per argument, of exactly its shape.

    With `by_formula`, autograd records nothing during the call, so that a `backward` that leaves the derivative to autograd fails.
    """
    sent = [[list(xs), list(gs)] for xs, gs in points]
    answers = student.operate("function.backward", sent, name=name, by_formula=by_formula)
    if not isinstance(answers, list) or len(answers) != len(points):
        raise fail(f"backward of {name} could not be called.")
    for (xs, gs), answer in zip(points, answers, strict=True):
        leaves = tuple(x.detach().requires_grad_() for x in xs)
        truth = torch.autograd.grad(reference(*leaves), leaves, gs)
        shown = {"x": xs[0], "upstream": gs[0]}
        if not isinstance(answer, list) or len(answer) != len(leaves):
            count = len(answer) if isinstance(answer, list) else "something else"
            message = (
                f"backward of {name} should return {len(leaves)} gradient{'' if len(leaves) == 1 else 's'}, "
                f"one for each input, but returned {count}."
            )
            raise fail(message, "arity of backward", shown)
        for given, expected in zip(answer, truth, strict=True):
            expect_close(given, expected, f"The gradient returned by backward of {name}", shown, tolerance)


def _pair(answer: Any, position: int, count: int) -> list[Any]:
    if not isinstance(answer, list) or len(answer) != 2:
        raise fail("The Function's answer could not be read.")
    values = answer[position]
    if not isinstance(values, list) or len(values) != count:
        got = len(values) if isinstance(values, list) else 0
        what = f"{('output', 'gradient')[position]}{'' if count == 1 else 's'}"
        raise fail(f"The Function should return {count} {what}, but returned {got}.")
    return values


def _prefetch_forward(oracle: Oracle, xs: Tensors) -> Tensors:
    oracle.prefetch("forward", [(xs,), *((point,) for point in _around(xs))])
    outputs = tuple(output for output in oracle.forward(xs) if output is not None)
    entries = sum(output.numel() for output in outputs)
    if entries > ENTRIES_LIMIT:
        inputs = sum(x.numel() for x in xs)
        message = f"{oracle.name}.apply returned {entries} entries for {inputs} input entries, which is too many to check."
        raise fail(message, "value", {"x": xs[0]})
    return outputs


def _around(xs: Tensors) -> list[Tensors]:
    """The points of central differences: each entry minus and plus eps, computed exactly as in gradcheck."""
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
    """Every basis cotangent."""
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
        message = f"torch.autograd.{check} on {name}: the {order} derivative does not match finite differences."
        numerical, analytical = _matrix(text, "numerical:", "analytical:"), _matrix(text, "analytical:", "")
        if numerical is None or analytical is None:
            message = f"torch.autograd.{check} on {name} reports: {text.strip().splitlines()[0][:300]}"
        raise CheckFailed(message, _jacobians(check, xs[0], numerical, analytical)) from error


def _jacobians(check: str, x: torch.Tensor, numerical: Matrix | None, analytical: Matrix | None) -> Detail:
    """Both Jacobians, by finite differences and by backward, with the entries that differ."""
    differing = ()
    if numerical is not None and analytical is not None and numerical.shape == analytical.shape:
        differing = tuple(np.flatnonzero(~np.isclose(analytical, numerical, rtol=1e-3, atol=1e-3))[:ENTRIES_SHOWN].tolist())
    expected, given = (None if matrix is None else show(matrix) for matrix in (numerical, analytical))
    note = "expected: finite differences; given: backward; one row per input entry, one column per output entry"
    return Detail(f"Jacobian ({check})", {"x": show(x.detach())}, expected, given, differing, note)


def _matrix(text: str, start: str, end: str) -> Matrix | None:
    """The matrix of a Jacobian that torch printed; None if it cannot be parsed."""
    _, found, rest = text.partition(start)
    rows = re.findall(r"\[([^\[\]]+)\]", rest.partition(end)[0] if end else rest)
    try:
        matrix = np.array([[float(entry) for entry in row.split(",")] for row in rows])
    except ValueError:
        return None
    return matrix if found and matrix.ndim == 2 and matrix.size else None


def _key(kind: str, point: Point) -> tuple[Any, ...]:
    return (kind, *((tuple(t.shape), t.detach().contiguous().numpy().tobytes()) for part in point for t in part))


def _same(left: tuple[torch.Tensor | None, ...], right: tuple[torch.Tensor | None, ...]) -> bool:
    return len(left) == len(right) and all(_identical(a, b) for a, b in zip(left, right, strict=True))


def _identical(left: torch.Tensor | None, right: torch.Tensor | None) -> bool:
    if left is None or right is None:
        return left is right
    return left.dtype == right.dtype and left.shape == right.shape and left.numpy().tobytes() == right.numpy().tobytes()
