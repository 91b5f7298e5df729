"""Values, gradients, fakes and traced graphs of the operator, compared with the same formula in torch on the judge's side."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
import torch

from autograder.judge.arrays import Numbers, to_numpy
from autograder.judge.checks import (
    SINGLE,
    TENSOR,
    Student,
    check,
    expect,
    expect_close,
    expect_equal,
    fail,
    probe,
    tensor,
    variety,
)
from autograder.judge.diagnosis import raises, symptom
from sandbox.wire import Array

LAYOUTS = ("contiguous", "transposed", "strided")
INPUTS = ("x", "y")
OPERATOR = "gradus.outer_tanh.default"


@probe
def called(student, cases):
    """The value for every case `(x, y, scale, how)`, from the file's own name or from the registered one."""
    import torch

    answers = []
    for x, y, scale, how in cases:
        if how == "own":
            answers.append(student.outer_tanh(x, y, scale))
        elif how == "registered":
            answers.append(torch.ops.gradus.outer_tanh(x, y, scale))
        else:
            answers.append(torch.ops.gradus.outer_tanh(scale=scale, y=y, x=x))
    return answers


@probe
def pulled(student, cases, direct):
    """Apply the operator in every case `(x, y, scale, g, need)`, and only then pull the gradients: through the engine, or
    directly. The inputs are part of the answer for the diagnosis alone."""
    import torch

    applied = []
    for x, y, scale, _, need in cases:
        x.requires_grad_("x" in need)
        y.requires_grad_("y" in need)
        applied.append(student.outer_tanh(x, x if need == "xx" else y, scale))
    answers = []
    for (x, y, scale, g, _), z in zip(cases, applied):
        if direct:
            grads = z.grad_fn.apply(g)
            grads = list(grads) if isinstance(grads, (tuple, list)) else [grads]
            grads = grads[:-1]  # the last one belongs to torch
        else:
            arriving = iter(torch.autograd.grad(z, [t for t in (x, y) if t.requires_grad], g))
            grads = [next(arriving) if t.requires_grad else None for t in (x, y)]
        asked = [t.detach().clone() for t in (x, y, g)]
        answers.append({"value": z, "grads": grads, "asked": asked, "scale": scale})
    return answers


class Pulled(msgspec.Struct):
    """What the probe says about one case."""

    value: Any
    grads: list[Any]
    asked: list[Any]
    scale: float


@probe
def described(student, cases, fake):
    """The description of the result for tensors without data: fake tensors, or tensors on the device meta."""
    import torch
    from torch._subclasses.fake_tensor import FakeTensorMode

    answers = []
    for n, m, dtype, scale in cases:
        kind = getattr(torch, dtype)
        if fake:
            with FakeTensorMode():
                x, y = torch.empty(n, dtype=kind), torch.empty(m, dtype=kind)
                z = student.outer_tanh(x, y, scale)
        else:
            x, y = (torch.empty(size, dtype=kind, device="meta") for size in (n, m))
            z = student.outer_tanh(x, y, scale)
        answers.append({"shape": list(z.shape), "dtype": str(z.dtype), "device": z.device.type})
    return answers


class Described(msgspec.Struct):
    shape: list[int]
    dtype: str
    device: str


@probe
def traced(student, cases):
    """Every case is a list of points `(x, y, scale, g)`. The value and the gradients are traced at the first one, on fake
    tensors, and the traced graph is run at all of them."""
    import torch
    from torch.fx.experimental.proxy_tensor import make_fx

    def at(scale):
        def value_and_gradients(x, y, g):
            x, y = x.detach().requires_grad_(), y.detach().requires_grad_()
            z = student.outer_tanh(x, y, scale)
            return [z.detach(), *torch.autograd.grad(z, (x, y), g)]

        return value_and_gradients

    answers = []
    for points in cases:
        x, y, scale, g = points[0]
        graph = make_fx(at(scale), tracing_mode="fake")(x, y, g)
        names = [str(node.target) for node in graph.graph.nodes if node.op == "call_function"]
        answers.append({"names": names, "results": [graph(x, y, g) for x, y, _, g in points]})
    return answers


class Traced(msgspec.Struct):
    names: list[str]
    results: list[list[Any]]


@probe
def edited_in_between(student, x, y, g):
    """Forward, then x or y is edited in place, then backward: whether it raises, or the gradients that came out."""
    import torch

    answers = []
    for place in range(2):
        leaves = [x.clone().requires_grad_(), y.clone().requires_grad_()]
        inputs = [leaf * 1 for leaf in leaves]
        z = student.outer_tanh(*inputs, 0.5)
        with torch.no_grad():
            inputs[place].mul_(2)
        try:
            grads = torch.autograd.grad(z, leaves, g)
        except RuntimeError:
            answers.append({"raised": True, "grads": []})
        else:
            answers.append({"raised": False, "grads": list(grads)})
    return answers


class Edited(msgspec.Struct):
    raised: bool
    grads: list[Any]


def reference(x: torch.Tensor, y: torch.Tensor, scale: float) -> torch.Tensor:
    return torch.tanh(scale * x[:, None] * y[None, :])


@dataclass(frozen=True)
class Point:
    """One call of the operator, and the upstream gradient of its result. `need` says which inputs require grad; with "xx", x is
    passed twice."""

    x: Numbers
    y: Numbers
    scale: float
    g: Numbers
    need: str = "xy"

    @property
    def shown(self) -> dict[str, Any]:
        return {"x": self.x, "y": self.x if self.need == "xx" else self.y, "scale": self.scale, "g": self.g}

    @property
    def tolerance(self) -> Any:
        return TENSOR if self.x.dtype == np.float64 else SINGLE

    def truth(self) -> tuple[torch.Tensor, list[torch.Tensor | None]]:
        x, y, g = (torch.from_numpy(t) for t in (self.x, self.y, self.g))
        x.requires_grad_("x" in self.need)
        y.requires_grad_("y" in self.need)
        z = reference(x, x if self.need == "xx" else y, self.scale)
        arriving = iter(torch.autograd.grad(z, [t for t in (x, y) if t.requires_grad], g))
        return z.detach(), [next(arriving) if t.requires_grad else None for t in (x, y)]


def sent(points: list[Point]) -> list[Any]:
    """The points in all memory layouts."""
    found = []
    for n, point in enumerate(points):
        x, y, g = (tensor(t, layout=LAYOUTS[(n + k) % 3]) for k, t in enumerate((point.x, point.y, point.g)))
        found.append([x, y, point.scale, g, point.need])
    return found


def expect_called(student: Student, points: list[Point]) -> None:
    cases = [(point, how) for point in points for how in ("own", "registered", "named")]
    arguments = [[*case[:3], how] for case, (_, how) in zip(sent([point for point, _ in cases]), cases, strict=True)]
    answers = student.run(called, arguments, returns=list[Any])
    expect(len(answers) == len(cases), "The results of outer_tanh could not be read.")
    for (point, how), given in zip(cases, answers, strict=True):
        z, _ = point.truth()
        what = {"own": "outer_tanh(x, y, scale)", "registered": "torch.ops.gradus.outer_tanh(x, y, scale)"}.get(how)
        what = what or "torch.ops.gradus.outer_tanh(scale=scale, y=y, x=x)"
        shown = {name: value for name, value in point.shown.items() if name != "g"}
        expect_close(given, z, what, shown, point.tolerance)


def expect_pulled(student: Student, points: list[Point], *, direct: bool = False) -> None:
    answers = student.run(pulled, sent(points), direct, returns=list[Pulled])
    expect(len(answers) == len(points), "The results of outer_tanh could not be read.")
    for point, answer in zip(points, answers, strict=True):
        z, truth = point.truth()
        expect_close(answer.value, z, "The value of outer_tanh", point.shown, point.tolerance)
        if direct and len(answer.grads) != 3:
            count = len(answer.grads)
            message = f"backward should return 3 values, one for each argument of the operator, but returned {count}."
            raise fail(message, "the values that backward returns", point.shown)
        expect(direct or len(answer.grads) == 2, "The gradients of outer_tanh could not be read.")
        who = {"x": ", where only x requires grad", "y": ", where only y requires grad", "xx": ", where y is x"}
        for name, given, expected in zip(INPUTS, answer.grads, truth, strict=False):
            if expected is not None:
                what = f"What backward returns for {name}" if direct else f"The gradient with respect to {name}"
                expect_close(given, expected, what + who.get(point.need, ""), point.shown, point.tolerance)
        if direct:
            expect(answer.grads[2] is None, "backward should return None for scale.", "the value for scale", point.shown)


def expect_described(student: Student, cases: list[tuple[int, int, str, float]], *, fake: bool) -> None:
    answers = student.run(described, [list(case) for case in cases], fake, returns=list[Described])
    expect(len(answers) == len(cases), "The descriptions of the result could not be read.")
    which = "fake tensors" if fake else "tensors on the device meta"
    for (n, m, dtype, scale), answer in zip(cases, answers, strict=True):
        shown = {"length of x": n, "length of y": m, "dtype": dtype, "scale": scale}
        expect_equal(answer.shape, [n, m], f"the shape of the result for {which}", shown)
        expect_equal(answer.dtype, f"torch.{dtype}", f"the dtype of the result for {which}", shown)
        expect_equal(answer.device, "cpu" if fake else "meta", f"the device of the result for {which}", shown)


def expect_traced(student: Student, cases: list[list[Point]]) -> None:
    asked = [[case[:4] for case in sent(points)] for points in cases]
    answers = student.run(traced, asked, returns=list[Traced])
    expect(len(answers) == len(cases), "The traced graphs could not be read.")
    for points, answer in zip(cases, answers, strict=True):
        message = "The traced graph should contain the operator gradus.outer_tanh, but does not."
        expect(OPERATOR in answer.names, message, "the operators of the traced graph", points[0].shown)
        expect(len(answer.results) == len(points), "The results of the traced graph could not be read.")
        for place, (point, given) in enumerate(zip(points, answer.results, strict=True)):
            expect(len(given) == 3, "The results of the traced graph could not be read.")
            z, truth = point.truth()
            where = "the traced graph" if place == 0 else "the traced graph, run with other numbers"
            for name, mine, expected in zip(("value", "gradient of x", "gradient of y"), given, [z, *truth], strict=True):
                expect_close(mine, expected, f"The {name} by {where}", point.shown, point.tolerance)


def numbers(rng: np.random.Generator, *shape: int, dtype: str = "float64") -> Numbers:
    return np.asarray(rng.choice([-1.0, 1.0], shape) * rng.uniform(0.4, 1.4, shape), dtype=dtype)


def point_at(
    rng: np.random.Generator, n: int, m: int, *, need: str = "xy", dtype: str = "float64", scale: float | None = None
) -> Point:
    scale = float(rng.choice([-1.0, 1.0]) * rng.uniform(0.5, 0.9)) if scale is None else scale
    m = n if need == "xx" else m
    return Point(numbers(rng, n, dtype=dtype), numbers(rng, m, dtype=dtype), scale, numbers(rng, n, m, dtype=dtype), need)


def special(rng: np.random.Generator) -> list[Point]:
    """Zeros of both signs in every argument next to ordinary numbers, equal vectors, and a scale of 0."""
    x, y, g = numbers(rng, 5), numbers(rng, 4), numbers(rng, 5, 4)
    x[0], x[1], y[1], y[2] = 0.0, -0.0, 0.0, -0.0
    g[2, 0], g[3, 3], g[4] = 0.0, -0.0, 0.0
    same = numbers(rng, 3)
    found = [Point(x, y, 0.8, g), Point(same, same.copy(), -1.0, numbers(rng, 3, 3)), point_at(rng, 3, 2, scale=0.0)]
    found.append(Point(np.zeros(3), np.zeros(2), 0.7, numbers(rng, 3, 2)))
    found.append(Point(1e3 * numbers(rng, 3), 1e-3 * numbers(rng, 4), 1.5, 1e4 * numbers(rng, 3, 4)))
    return [*found, Point(3 * numbers(rng, 3), 2 * numbers(rng, 3), 1.2, numbers(rng, 3, 3))]


@check("The value, under both names", points=1)
def value(student: Student, rng: np.random.Generator) -> None:
    expect_called(student, [point_at(rng, 3, 4), point_at(rng, 2, 2)])


@check("The gradients", points=2)
def gradients(student: Student, rng: np.random.Generator) -> None:
    expect_pulled(student, [point_at(rng, 3, 4), point_at(rng, 4, 2)])


@check("The result for tensors without data", points=1)
def without_data(student: Student, rng: np.random.Generator) -> None:
    n, m = (int(size) for size in rng.permutation(np.arange(2, 9))[:2])
    cases = [(n, m, "float64", 0.5), (m, m, "float64", -2.0)]
    expect_described(student, cases, fake=True)


@check("Any lengths, scale, layout and precision", points=1, hidden=True)
def lengths_and_types(student: Student, rng: np.random.Generator) -> None:
    lengths = [(1, 1), (1, 4), (4, 1), (3, 3), (0, 3), (3, 0), (0, 0)]
    points = [point_at(rng, n, m) for n, m in lengths]
    points += [point_at(rng, n, m, dtype="float32") for n, m in ((3, 4), (2, 2), (0, 2))]
    points += [point_at(rng, 3, 4, need="x"), point_at(rng, 3, 4, need="y"), point_at(rng, 4, 4, need="xx")]
    expect_called(student, [*points[:10], *special(rng)])
    expect_pulled(student, [*points, *special(rng)])


@check("The fake for any lengths, both dtypes and the device meta", points=1, hidden=True, seconds=1)
def described_anywhere(student: Student, rng: np.random.Generator) -> None:
    lengths = [(2, 3), (1, 6), (6, 1), (0, 3), (3, 0), (5, 5), (700, int(rng.integers(800, 999)))]
    for dtype in ("float64", "float32"):
        cases = [(n, m, dtype, float(rng.normal())) for n, m in lengths]
        expect_described(student, cases, fake=True)
        expect_described(student, cases, fake=False)


@check("What backward itself returns", points=1, hidden=True)
def direct(student: Student, rng: np.random.Generator) -> None:
    points = [point_at(rng, n, m) for n, m in ((3, 4), (3, 3), (1, 3), (3, 1), (1, 1), (0, 2), (2, 0))]
    points += [point_at(rng, 3, 2, need=need) for need in ("x", "y")]
    expect_pulled(student, [*points, *special(rng)], direct=True)


@check("Second derivatives", points=1, hidden=True)
def second_order(student: Student, rng: np.random.Generator) -> None:
    points = [point_at(rng, 3, 4), point_at(rng, 2, 2), point_at(rng, 1, 3), *special(rng)]
    weights = [(numbers(rng, len(point.x)), numbers(rng, len(point.y))) for point in points]
    weights[0][0][1], weights[0][1][2] = 0.0, -0.0
    asked = [
        [[tensor(p.x), tensor(p.y), p.scale], [tensor(p.g)], [tensor(of_x), tensor(of_y), None]]
        for p, (of_x, of_y) in zip(points, weights, strict=True)
    ]
    answers = student.operate("function.second_vjp", asked, name="outer_tanh")
    if not isinstance(answers, list) or len(answers) != len(points):
        raise fail("The second derivatives of outer_tanh could not be read.")
    for point, of, answer in zip(points, weights, answers, strict=True):
        shown = point.shown | dict(zip(("weights of dx", "weights of dy"), of, strict=True))
        if not isinstance(answer, list) or len(answer) != 4:
            raise fail("A second derivative of outer_tanh could not be read.", "second derivative", shown)
        found = [answer[0], answer[1], answer[3]]
        for name, given, truth in zip(("x", "y", "g"), found, second_derivatives(point, of), strict=True):
            given = tensor(np.zeros(truth.shape)) if given is None else given
            expect_close(given, truth, f"The second derivative with respect to {name}", shown)


def second_derivatives(point: Point, weights: tuple[Numbers, Numbers]) -> tuple[torch.Tensor, ...]:
    x, y, g = leaves = [torch.from_numpy(t.copy()).requires_grad_() for t in (point.x, point.y, point.g)]
    first = torch.autograd.grad(reference(x, y, point.scale), (x, y), g, create_graph=True)
    return torch.autograd.grad(first, leaves, [torch.from_numpy(w) for w in weights], materialize_grads=True)


@check("A traced program contains the operator and its backward pass", points=1.5, hidden=True, seconds=2)
def traced_program(student: Student, rng: np.random.Generator) -> None:
    cases = []
    for n, m in ((3, 4), (3, 3), (1, 2)):
        scale = float(rng.uniform(0.5, 0.9))
        cases.append([point_at(rng, n, m, scale=scale) for _ in range(3)])
    expect_traced(student, cases)


@check("An input modified in place before backward: an error, not a wrong gradient", points=0.5, hidden=True)
def edited(student: Student, rng: np.random.Generator) -> None:
    x, y, g = numbers(rng, 3), numbers(rng, 4), numbers(rng, 3, 4)
    answers = student.run(edited_in_between, tensor(x), tensor(y), tensor(g), returns=list[Edited])
    expect(len(answers) == 2, "The results of outer_tanh could not be read.")
    for name, answer in zip(INPUTS, answers, strict=True):
        message = f"{name} was modified in place between forward and backward, but backward did not raise RuntimeError."
        expect(answer.raised, message, f"in-place edit of {name}", {"x before": x, "y before": y, "g": g})


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    def drawn(*shape: int, dtype: str = "float64") -> Numbers:
        return np.asarray(rng.uniform(-2, 2, size=shape) * (rng.random(shape) < 0.8), dtype=dtype)

    points = []
    for need in ("xy", "x", "y", "xx", "xy"):
        n, m = (int(size) for size in rng.integers(0, 5, size=2))
        m = n if need == "xx" else m
        dtype = str(rng.choice(["float64", "float32"]))
        scale = float(rng.choice([0.0, 1.0, rng.uniform(-3, 3)]))
        points.append(Point(drawn(n, dtype=dtype), drawn(m, dtype=dtype), scale, drawn(n, m, dtype=dtype), need))
    arguments = sent(points)
    student.run(called, [[*case[:3], how] for case, how in zip(arguments, ("own", "registered", "named"), strict=False)])
    for directly in (False, True):
        student.run(pulled, arguments if not directly else [arguments[0], arguments[-1]], directly, returns=list[Pulled])
    for fake in (False, True):
        cases = [[*map(int, rng.integers(0, 9, size=2)), str(rng.choice(["float64", "float32"])), 0.5] for _ in range(3)]
        student.run(described, cases, fake, returns=list[Described])
    x, y, g = drawn(3), drawn(2), drawn(3, 2)
    asked = [[[tensor(x), tensor(y), 0.7], [tensor(g)], [tensor(drawn(3)), tensor(drawn(2)), None]]]
    student.operate("function.second_vjp", asked, name="outer_tanh")
    student.run(traced, [[[tensor(drawn(3)), tensor(drawn(2)), 0.7, tensor(drawn(3, 2))] for _ in range(2)]])
    student.run(edited_in_between, *map(tensor, (numbers(rng, 3), numbers(rng, 2), numbers(rng, 3, 2))))


# -- what a wrong answer shows -------------------------------------------------------------------------------------------

Formula = Callable[[Numbers, Numbers, Numbers, Numbers, float], tuple[Numbers, Numbers]]


def gradients_are(formula: Formula) -> Callable[[Any, Any], bool]:
    """Whether all gradients of a wrong answer are those of this formula of x, y, z, g and the scale."""

    def when(right: list[dict[str, Any]], given: list[dict[str, Any]]) -> bool:
        return all(
            mine is None or near(mine, wrong)
            for truth, answer in zip(right, given, strict=True)
            for mine, wrong in zip(answer["grads"], formula(*arguments_of(truth)), strict=False)
        )

    return when


def arguments_of(truth: dict[str, Any]) -> tuple[Numbers, Numbers, Numbers, Numbers, float]:
    x, y, g = (to_numpy(t) for t in truth["asked"])
    return x, y, to_numpy(truth["value"]), g, truth["scale"]


def near(mine: Any, wrong: Numbers) -> bool:
    loose = 1e-5 if wrong.dtype == np.float32 else 1e-8
    return (
        isinstance(mine, Array) and mine.shape == wrong.shape and np.allclose(to_numpy(mine), wrong, rtol=loose, atol=loose)
    )


def through(h: Numbers, x: Numbers, y: Numbers) -> tuple[Numbers, Numbers]:
    return h @ y, h.T @ x


FORMULAS: dict[str, Formula] = {
    "missing-scale": lambda x, y, z, g, s: through(g * (1 - z * z), x, y),
    "missing-upstream": lambda x, y, z, g, s: through(s * (1 - z * z), x, y),
    "missing-local-derivative": lambda x, y, z, g, s: through(s * g, x, y),
    "wrong-constant": lambda x, y, z, g, s: through(s * g * (1 - z), x, y),
    "wrong-sign": lambda x, y, z, g, s: through(s * g * (1 + z * z), x, y),
    "formula-of-output-at-input": lambda x, y, z, g, s: through(s * g * (1 - (s * np.outer(x, y)) ** 2), x, y),
}


def other_shape(right: list[dict[str, Any]], given: list[dict[str, Any]]) -> bool:
    return any(truth["shape"] != answer["shape"] for truth, answer in zip(right, given, strict=True))


def other(what: str) -> Callable[[Any, Any], bool]:
    """Only this part of the description is wrong, or the dtype and the device are."""

    def when(right: list[dict[str, Any]], given: list[dict[str, Any]]) -> bool:
        pairs = list(zip(right, given, strict=True))
        wrong = {part for truth, answer in pairs for part in truth if truth[part] != answer[part]}
        return what in wrong and "shape" not in wrong

    return when


def matrices(right: list[dict[str, Any]], given: list[dict[str, Any]]) -> bool:
    """A gradient is a matrix."""
    return any(isinstance(g, Array) and len(g.shape) == 2 for answer in given for g in answer["grads"])


def unnoticed(right: list[dict[str, Any]], given: list[dict[str, Any]]) -> bool:
    return not all(answer["raised"] for answer in given)


PULLING = ("gradients", "lengths-and-types", "direct")
for where in PULLING:
    for key, formula in FORMULAS.items():
        symptom(key, gradients_are(formula), check=where)
    symptom("missing-reduction", matrices, check=where)
    symptom("operands-swapped", raises("an invalid gradient at index"), check=where, raised=True)
for where in ("without-data", "described-anywhere"):
    symptom("fake-wrong-shape", other_shape, check=where)
    symptom("fake-wrong-dtype", other("dtype"), check=where)
    symptom("missing-fake", raises("There was no fake impl registered"), check=where, raised=True)
    words = ("no data", "numpy", "DataDependentOutputException", "meta tensors", "_local_scalar_dense")
    symptom("fake-reads-data", raises(*words), check=where, raised=True)
symptom("fake-wrong-device", lambda right, given: other("device")(right, given) and not other("dtype")(right, given))
for where in (*PULLING, "second-order", "traced-program", "edited"):
    symptom("missing-autograd", raises("no autograd formula was registered"), check=where, raised=True)
    symptom(
        "setup-context-names", raises("unexpected keyword argument 'inputs'", "argument 'output'"), check=where, raised=True
    )
for where in ("value", "traced-program"):
    symptom("not-registered", raises("object has no attribute 'outer_tanh'"), check=where, raised=True)
for where in ("second-order", "traced-program", *PULLING):
    symptom("numpy-in-backward", raises("numpy()", "DataDependent", "_local_scalar_dense"), check=where, raised=True)
    symptom("missing-transpose", raises("size mismatch"), check=where, raised=True)
symptom("ctx-attribute", unnoticed, check="edited")
