"""Functions whose Hessians are known by formula, computed here with numpy. The functions themselves are built beside the student's code."""

from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks import Callback, Student, Tolerance, check, expect, expect_close, probe, tensor, variety
from autograder.judge.checks.costs import cpu_seconds
from autograder.judge.diagnosis import raises, second_order_of, symptom

CLOSE = Tolerance(1e-9, 1e-11)
FLAT = ("linear", "constant", "linear with learned coefficients", "learned constant")


class Product(msgspec.Struct):
    """What the probe says about one call of hvp."""

    result: Any
    kept: bool
    flags: bool


@probe
def product(student, name, x, v, constants, how, called):
    """Build f, call hvp(f, x, v), and tell what became of the arguments. f tells the judge when it is called."""
    import torch

    learned = constants.clone().requires_grad_()
    build = {
        "cubic form": lambda t: (t[:-1] * t[1:] ** 2).sum() + (t**3).sum() / 6,
        "logsumexp": lambda t: torch.logsumexp(t, 0),
        "scalar": lambda t: t.sin() * t,
        "linear": lambda t: (constants * t).sum(),
        "constant": lambda t: torch.ones((), dtype=t.dtype),
        "linear with learned coefficients": lambda t: (learned * t).sum(),
        "learned constant": lambda t: (learned * learned).sum(),
        "partly unused": lambda t: (t[0] ** 3) * t[1],
        "matrix": lambda t: (t @ t.T).sum() + (t**3).sum(),
        "steep": lambda t: torch.sin(30 * t).sum() * t[0] + 1e4 * t.sum(),
    }

    def f(t):
        called()
        return build[name](t)

    x = x.clone()
    if how == "x requires grad":
        x.requires_grad_()
        x.grad = torch.full_like(x, 0.5)
    if how == "v is x":
        x.requires_grad_()
        v = x
    if how == "v from x":
        x.requires_grad_()
        v = 2 * x
    if how == "v requires grad":
        v = v.clone().requires_grad_()
    before = [x.detach().clone(), v.detach().clone(), x.requires_grad, v.requires_grad]
    result = student.hvp(f, x, v)
    kept = bool((x == before[0]).all()) and bool((v == before[1]).all())
    flags = [x.requires_grad, v.requires_grad] == before[2:]
    if how == "x requires grad":
        flags = flags and x.grad is not None and bool((x.grad == 0.5).all())
    elif x.is_leaf:
        flags = flags and x.grad is None
    return {
        "result": result.detach() if torch.is_tensor(result) else result,
        "kept": kept,
        "flags": flags,
    }


@probe
def work(student, x, v, layers):
    """Numbers computed while hvp runs on a deep elementwise f, as many times those of one f: a claim, but an exact one."""
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode

    class Count(TorchDispatchMode):
        entries = 0

        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            out = func(*args, **(kwargs or {}))
            if torch.is_tensor(out):
                self.entries += out.numel()
            return out

    def f(t):
        for _ in range(layers):
            t = torch.sin(t) * 1.1
        return (t * t.roll(1)).sum()

    with Count() as one:
        f(x)
    with Count() as count:
        student.hvp(f, x, v)
    return count.entries / one.entries


@probe
def timed(student, x, v, layers, differentiated):
    """The same f or its hvp, for the judge to measure."""
    import torch

    def f(t):
        for _ in range(layers):
            t = torch.sin(t) * 1.1
        return (t * t.roll(1)).sum()

    return (student.hvp(f, x, v) if differentiated else f(x)).detach()


@probe
def large(student, x, v):
    """A function of many variables with a Hessian of three diagonals."""
    return student.hvp(lambda t: (t**4).sum() / 12 + (t[:-1] * t[1:]).sum(), x, v).detach()


def hessian(name: str, x: Numbers) -> Numbers:
    n = x.size
    flat = x.reshape(-1)
    if name == "cubic form":
        result = np.diag(flat.copy())
        for i in range(n - 1):
            result[i, i + 1] += 2 * flat[i + 1]
            result[i + 1, i] += 2 * flat[i + 1]
            result[i + 1, i + 1] += 2 * flat[i]
        return result
    if name == "logsumexp":
        p = np.exp(flat - flat.max())
        p /= p.sum()
        return np.diag(p) - np.outer(p, p)
    if name == "scalar":
        return np.array([[2 * np.cos(flat[0]) - flat[0] * np.sin(flat[0])]])
    if name == "partly unused":
        result = np.zeros((n, n))
        result[0, 0], result[0, 1], result[1, 0] = 6 * flat[0] * flat[1], 3 * flat[0] ** 2, 3 * flat[0] ** 2
        return result
    if name == "matrix":
        rows, columns = x.shape
        same_column = np.kron(np.ones((rows, rows)), np.eye(columns))
        return 2 * same_column + np.diag(6 * flat)
    if name == "steep":
        result = np.diag(-900 * np.sin(30 * flat) * flat[0])
        result[0, :] += 30 * np.cos(30 * flat)
        result[:, 0] += 30 * np.cos(30 * flat)
        return result
    return np.zeros((n, n))


def expect_product(
    student: Student,
    rng: np.random.Generator,
    name: str,
    shape: tuple[int, ...],
    *,
    how: str = "",
    scale: float = 1.0,
    zeros: int = 0,
) -> None:
    """`scale` is the length of the direction, `zeros` how many of the first entries of x are 0."""
    x = np.asarray(rng.uniform(0.4, 1.6, size=shape) * rng.choice([-1.0, 1.0], size=shape))
    x.flat[:zeros] = 0.0
    v = np.asarray(scale * rng.normal(size=shape))
    constants = np.asarray(rng.normal(size=shape))
    called = Callback("f", lambda: None)
    answer = student.run(product, name, tensor(x), tensor(v), tensor(constants), how, called, returns=Product)
    direction = x if how == "v is x" else 2 * x if how == "v from x" else v
    truth = (hessian(name, x) @ direction.reshape(-1)).reshape(shape)
    shown: dict[str, Any] = {"f": name, "x": x, "v": direction}
    what = f"hvp for f = {name}"
    expect_close(answer.result, truth, what + (f" ({how})" if how else ""), shown, CLOSE)
    expect(1 <= called.calls <= 2, f"f may be called at most twice, but was called {called.calls} times.", what)
    expect(answer.kept, "hvp changed the values of x or v.", what, shown)
    expect(answer.flags, "hvp changed .grad or requires_grad of x or v.", what, shown)


def expect_cheap(student: Student, rng: np.random.Generator) -> None:
    x, v = rng.uniform(0.5, 1.5, size=100), rng.normal(size=100)
    ratio = student.run(work, tensor(x), tensor(v), 20, returns=float)
    message = (
        f"hvp computed {ratio:.0f} times as many numbers as f itself. A Hessian-vector product costs only a few gradients."
    )
    expect(ratio <= 60, message, "cost")
    points = [[tensor(rng.uniform(0.5, 1.5, size=1000)), tensor(rng.normal(size=1000))] for _ in range(3)]

    def seconds(differentiated: bool) -> float:
        return cpu_seconds(student, lambda n: student.run(timed, *points[n], 20, differentiated))

    ratio = seconds(True) / seconds(False)
    message = f"hvp took {ratio:.0f} times as long as f itself. A Hessian-vector product costs only a few gradients."
    expect(ratio <= 300, message, "cost")  # at most 50 if it is right, about 1,000 for the whole Hessian


@check("A non-diagonal Hessian at the cost of a few gradients", points=2)
def not_diagonal(student: Student, rng: np.random.Generator) -> None:
    expect_product(student, rng, "cubic form", (5,))
    expect_cheap(student, rng)


@check("A scalar x", points=1)
def one_number(student: Student, rng: np.random.Generator) -> None:
    expect_product(student, rng, "scalar", ())


@check("Other functions and shapes", points=2, hidden=True)
def other_functions(student: Student, rng: np.random.Generator) -> None:
    expect_product(student, rng, "logsumexp", (6,))
    expect_product(student, rng, "matrix", (3, 2))
    expect_product(student, rng, "partly unused", (4,))


@check("Linear and constant functions give zeros", points=2, hidden=True, fixed="a flat function has no second derivative")
def flat_functions(student: Student, rng: np.random.Generator) -> None:
    for how in ("", "x requires grad", "v is x"):
        for name in FLAT:
            expect_product(student, rng, name, (4,), how=how)


@check("Directions with a large, small or zero norm", points=1, hidden=True)
def scaled_directions(student: Student, rng: np.random.Generator) -> None:
    for scale in (1e3, 1e-3):
        expect_product(student, rng, "cubic form", (5,), scale=scale)
        expect_product(student, rng, "steep", (4,), scale=scale)
    for scale in (0.0, 1e100):
        expect_product(student, rng, "cubic form", (5,), scale=scale)


@check("The direction is x itself, or computed from x", points=1.5, hidden=True)
def direction_is_x(student: Student, rng: np.random.Generator) -> None:
    for how in ("v is x", "v from x"):
        expect_product(student, rng, "cubic form", (5,), how=how)
        expect_product(student, rng, "logsumexp", (4,), how=how)


@check("The caller's tensors are not modified", points=1, hidden=True)
def caller_untouched(student: Student, rng: np.random.Generator) -> None:
    for how in ("", "x requires grad"):
        expect_product(student, rng, "cubic form", (4,), how=how, zeros=2)


@check("The cost of a few gradients for any size of x", points=1.5, hidden=True, seconds=2)
def cost(student: Student, rng: np.random.Generator) -> None:
    expect_cheap(student, rng)
    x, v = rng.uniform(0.5, 1.5, size=3000), rng.normal(size=3000)
    neighbours = np.concatenate([v[1:], [0.0]]) + np.concatenate([[0.0], v[:-1]])
    expect_close(student.run(large, tensor(x), tensor(v)), x**2 * v + neighbours, "hvp for 3000 elements", {}, CLOSE)


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    n, rows, columns = int(rng.integers(2, 7)), int(rng.integers(1, 4)), int(rng.integers(1, 4))
    shapes: list[tuple[str, tuple[int, ...]]] = [
        *((name, (n,)) for name in ("cubic form", "logsumexp", "partly unused", "steep")),
        ("scalar", ()),
        ("matrix", (rows, columns)),
        *((name, shape) for name in FLAT for shape in ((), (n,), (rows, columns))),
    ]
    for name, shape in (shapes[int(number)] for number in rng.choice(len(shapes), size=8, replace=False)):
        how = str(rng.choice(["", "x requires grad", "v is x", "v from x", "v requires grad"]))
        x, v, constants = (np.asarray(rng.normal(size=shape)) for _ in range(3))
        x = x * (rng.random(shape) < 0.8)
        scale = float(rng.choice([0.0, 1e-3, 1.0, 1e3]))
        called = Callback("f", lambda: None)
        student.run(product, name, tensor(x), tensor(scale * v), tensor(constants), how, called, returns=Product)


def asked(name: str, x: Any, v: Any, constants: Any, how: str, called: Any) -> tuple[Callable[[Any], Any], Any, Any]:
    """f, x and the direction of one question. What else f has learned is a constant for its Hessian."""
    import torch

    functions: dict[str, Callable[[Any], Any]] = {
        "cubic form": lambda t: (t[:-1] * t[1:] ** 2).sum() + (t**3).sum() / 6,
        "logsumexp": lambda t: torch.logsumexp(t, 0),
        "scalar": lambda t: t.sin() * t,
        "linear": lambda t: (constants.detach() * t).sum(),
        "linear with learned coefficients": lambda t: (constants.detach() * t).sum(),
        "learned constant": lambda t: (constants.detach() ** 2).sum(),
        "constant": lambda t: torch.ones((), dtype=t.dtype),
        "partly unused": lambda t: (t[0] ** 3) * t[1],
        "matrix": lambda t: (t @ t.T).sum() + (t**3).sum(),
        "steep": lambda t: torch.sin(30 * t).sum() * t[0] + 1e4 * t.sum(),
    }
    direction = x if how == "v is x" else 2 * x if how == "v from x" else v.detach()
    return functions[name], x, direction


second_order_of("product", asked, answer=("result",))
symptom("writes-grad", lambda right, given: given["flags"] is False and given["kept"] is True)
for where in ("caller-untouched", "cost", "direction-is-x", "not-diagonal", "one-number", "scaled-directions"):
    # of a flat function it may be right that the gradient has no graph
    symptom("missing-create-graph", raises("does not require grad"), check=where, raised=True)
for where in ("cost", "not-diagonal"):
    symptom("full-hessian", lambda right, given: given > 60 > right, check=where)
