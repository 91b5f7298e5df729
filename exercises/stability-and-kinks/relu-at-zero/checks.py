"""The truth is the table of the statement: the slopes below, at and above the kink. A slope of 0 blocks every upstream."""

from typing import Any

import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks import VJP, Student, array, check, expect_close, to_numpy, variety
from autograder.judge.checks.vjp import LAYOUTS, ask_unchanged, expect_tuple
from autograder.judge.diagnosis import forward_of, symptom
from sandbox.wire import Array

Shape = tuple[int, ...]
Options = dict[str, float]

TABLE: dict[str, tuple[float, float, float]] = {  # nan stands for the parameter slope
    "relu_vjp": (0.0, 0.0, 1.0),
    "leaky_relu_vjp": (np.nan, np.nan, 1.0),
    "abs_vjp": (-1.0, 0.0, 1.0),
    "maximum0_vjp": (0.0, 0.5, 1.0),
    "clamp_min_vjp": (0.0, 1.0, 1.0),
}


def truth(name: str, g: Numbers, x: Numbers, *, slope: float = 0.0, lo: float = 0.0) -> Numbers:
    below, at, above = (slope if value != value else value for value in TABLE[name])
    local = np.select([x < lo, x > lo], [below, above], at)
    return np.where(local == 0, 0.0, np.where(local == 0, 1.0, g) * local)


def options_of(name: str, rng: np.random.Generator) -> Options:
    if name == "leaky_relu_vjp":
        return {"slope": float(rng.uniform(0.05, 0.6))}
    return {"lo": float(rng.uniform(0.3, 2) * rng.choice([-1, 1]))} if name == "clamp_min_vjp" else {}


def expect_kink(student: Student, name: str, g: Numbers, x: Numbers, options: Options, layout: str = "contiguous") -> None:
    shown = {"g": g, "x": x}
    answer = ask_unchanged(student, name, shown, layout, options)
    expect_tuple(answer, 1, name, shown)
    parameters = "".join(f", {key}={value:.6g}" for key, value in options.items())
    what = f"{name}: the gradient with respect to x for g{g.shape}, x{x.shape}{parameters}"
    expect_close(answer[0], truth(name, g, x, **options), what, shown, VJP, nonfinite=True)


def around(rng: np.random.Generator, lo: float = 0.0) -> Numbers:
    """Ordinary numbers on both sides of the kink, and the kink itself twice. No upstream has the sign of its x everywhere."""
    far = rng.uniform(0.2, 2.0, 5)
    return rng.permutation(np.concatenate([lo + far[:3], lo - far[2:], [lo, lo]]))


def mixed(rng: np.random.Generator, shape: Shape) -> Numbers:
    """Of both signs: at least one of each where there is room."""
    values = np.asarray(rng.uniform(0.2, 2.0, shape))
    signs = np.resize([1.0, -1.0], values.size)
    return np.asarray(values * rng.permutation(signs).reshape(shape))


def each_with_each(rng: np.random.Generator, xs: Numbers, gs: Numbers) -> tuple[Numbers, Numbers]:
    """Every x with every g, in a random order of rows and columns."""
    x, g = np.meshgrid(rng.permutation(xs), rng.permutation(gs))
    return np.asarray(g), np.asarray(x)


def upstreams(rng: np.random.Generator, *more: float) -> Numbers:
    return np.concatenate([rng.uniform(0.5, 2, 2), rng.uniform(-2, -0.5, 2), more])


def expect_around(student: Student, rng: np.random.Generator, name: str) -> None:
    options = options_of(name, rng)
    g, x = each_with_each(rng, around(rng, options.get("lo", 0.0)), upstreams(rng))
    expect_kink(student, name, g, x, options)


@check("relu and leaky_relu, also at 0", points=1.5)
def relu_and_leaky(student: Student, rng: np.random.Generator) -> None:
    for name in ("relu_vjp", "leaky_relu_vjp"):
        expect_around(student, rng, name)


@check("abs, maximum0 and clamp_min, also at the kink", points=1.5)
def other_kinks(student: Student, rng: np.random.Generator) -> None:
    for name in ("abs_vjp", "maximum0_vjp", "clamp_min_vjp"):
        expect_around(student, rng, name)


@check("Zeros of both signs, and numbers as close to the kink as possible", points=1.5, hidden=True)
def close_to_the_kink(student: Student, rng: np.random.Generator) -> None:
    tiny = np.array([5e-324, 1e-300, 1e-12, 1e-7])
    zeros = np.array([0.0, -0.0, 0.0, -0.0])
    for name in TABLE:
        options = options_of(name, rng)
        g, x = each_with_each(rng, np.concatenate([zeros, tiny, -tiny, [1.0, -1.0]]), upstreams(rng, 0.0))
        expect_kink(student, name, g, x, options | ({"lo": 0.0} if options.get("lo") else {}))
        lo = options.get("lo", 0.0)
        near = np.array([lo, np.nextafter(lo, np.inf), np.nextafter(lo, -np.inf), lo + 1e-12, lo - 1e-12])
        g, x = each_with_each(rng, near, upstreams(rng))
        expect_kink(student, name, g, x, options, "transposed")


@check("Infinite upstream gradients", points=1.5, hidden=True)
def infinite_upstreams(student: Student, rng: np.random.Generator) -> None:
    inf = np.inf
    for name in TABLE:
        options = options_of(name, rng)
        lo = options.get("lo", 0.0)
        xs = np.append(around(rng, lo), [0.0, -0.0, -inf, inf])
        g, x = each_with_each(rng, xs, upstreams(rng, inf, -inf, 0.0))
        expect_kink(student, name, g, x, options, "strided")
        expect_kink(student, name, np.asarray(rng.choice([inf, -inf])), np.asarray(lo), options)
    g, x = each_with_each(rng, np.append(around(rng), -0.0), upstreams(rng, inf, -inf))
    expect_kink(student, "leaky_relu_vjp", g, x, {"slope": 0.0})


@check("Every value of slope and lo", points=1, hidden=True)
def parameters(student: Student, rng: np.random.Generator) -> None:
    for slope in (0.0, 0.01, float(rng.uniform(0.2, 0.8)), 1.0, float(rng.uniform(1.2, 3))):
        g, x = each_with_each(rng, around(rng), upstreams(rng))
        expect_kink(student, "leaky_relu_vjp", g, x, {"slope": slope}, "transposed")
    size = float(rng.uniform(0.5, 2))
    for lo in (size, -size, 1e3 * size, 0.0, -0.0, 1e-9 * size):
        g, x = each_with_each(rng, np.concatenate([around(rng, lo), around(rng)]), upstreams(rng))
        expect_kink(student, "clamp_min_vjp", g, x, {"lo": lo}, "strided")


@check("Arrays of every shape", points=1, hidden=True)
def shapes(student: Student, rng: np.random.Generator) -> None:
    for turn, name in enumerate(TABLE):
        options = options_of(name, rng)
        every: list[Shape] = [(), (1,), (3, 1, 2), (2, 3, 4), (2, 0)]
        for number, shape in enumerate(every):
            x = mixed(rng, shape)
            if x.size > 2:
                x.flat[int(rng.integers(x.size))] = options.get("lo", 0.0)
            expect_kink(student, name, mixed(rng, shape), x, options, LAYOUTS[(turn + number) % len(LAYOUTS)])
        expect_kink(student, name, mixed(rng, ()), np.asarray(options.get("lo", 0.0)), options)


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    for name in TABLE:
        for _ in range(2):
            options = {key: float(rng.choice([0.0, value])) for key, value in options_of(name, rng).items()}
            lo = options.get("lo", 0.0)
            shape = tuple(int(size) for size in rng.integers(0, 5, size=int(rng.integers(0, 4))))
            special = [0.0, -0.0, lo, lo, np.nextafter(lo, 9), np.nextafter(lo, -9), 1e-300, -1e-300, np.inf, -np.inf]
            x = np.where(rng.random(shape) < 0.5, rng.choice(special, shape), rng.normal(size=shape))
            g = np.where(rng.random(shape) < 0.3, rng.choice([0.0, np.inf, -np.inf], shape), rng.normal(size=shape))
            layout = str(rng.choice(LAYOUTS))
            student.call_and_see(name, array(g, layout=layout), array(x, layout=layout), **options)


def nan_where_blocked(right: Any, given: Any) -> bool:
    """nan only where the right answer is 0; all other entries are right."""
    if not isinstance(right, tuple) or not isinstance(given, tuple) or len(given) != 1 or not isinstance(given[0], Array):
        return False
    expected, answer = to_numpy(right[0]), to_numpy(given[0])
    lost = np.isnan(answer) if expected.shape == answer.shape else np.zeros(0, bool)
    return bool(lost.any() and (expected[lost] == 0).all() and np.allclose(answer[~lost], expected[~lost]))


forward_of("relu_vjp", lambda x: x.relu())
forward_of("leaky_relu_vjp", lambda x, slope: x.where(x > 0, slope * x))
forward_of("abs_vjp", lambda x: x.abs())
forward_of("clamp_min_vjp", lambda x, lo: x.clamp_min(lo))
forward_of("maximum0_vjp", lambda x: x.maximum(x.new_zeros(())))
symptom("zero-times-inf", nan_where_blocked, check="infinite-upstreams")
