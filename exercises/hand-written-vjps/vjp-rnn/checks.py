"""The truth is a complex step of the definition: no derivative is written down. Wrong answers are compared with habits."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks import VJP, Student, array, check, expect_close, to_numpy, variety
from autograder.judge.checks.backward_cost import SECONDS, expect_cheap_vjp
from autograder.judge.checks.recording import upstream
from autograder.judge.checks.vjp import LAYOUTS, Case, ask_unchanged, expect_tuple, expect_vjp
from autograder.judge.diagnosis import reads_as, symptom
from sandbox.wire import Array

Sizes = tuple[int, int, int, int]  # T, N, D and H

STEP = 1e-30


def values_of(x: Numbers, h0: Numbers, wx: Numbers, wh: Numbers, b: Numbers) -> Numbers:
    """Of real or complex numbers. Each input can have one more leading axis."""
    if x.shape[-2] != h0.shape[-2] or not wx.shape[-1] == b.shape[-1] == h0.shape[-1]:
        raise ValueError("shapes that do not fit")
    shape = np.broadcast_shapes(*(v.shape[:-k] for v, k in zip((x, h0, wx, wh, b), (3, 2, 2, 2, 1), strict=True)))
    out = np.zeros((*shape, x.shape[-3], *h0.shape[-2:]), np.result_type(x, h0, wx, wh, b))
    h = h0
    for t in range(x.shape[-3]):
        h = out[..., t, :, :] = np.tanh(x[..., t, :, :] @ wx + h @ wh + b[..., None, :])
    return out


def truth(g: Numbers, *inputs: Numbers) -> tuple[Numbers, ...]:
    gradients = []
    for place, values in enumerate(inputs):
        moved = [*inputs]
        moved[place] = values + (STEP * 1j * np.eye(values.size)).reshape(values.size, *values.shape)
        gradients.append((g * np.imag(values_of(*moved)) / STEP).sum(axis=(1, 2, 3)).reshape(values.shape))
    return tuple(gradients)


def numbers(rng: np.random.Generator, *shape: int) -> Numbers:
    """Where there is room for more, one of them is 0."""
    values = np.asarray(rng.normal(size=shape))
    if values.size > 2:
        values.flat[int(rng.integers(values.size))] = rng.choice([0.0, -0.0])
    return values


def case(rng: np.random.Generator, sizes: Sizes) -> Case:
    """The weights are so small that no state is saturated."""
    steps, samples, features, units = sizes
    inputs = {"x": numbers(rng, steps, samples, features), "h0": numbers(rng, samples, units)}
    inputs |= {"wx": 0.5 * numbers(rng, features, units), "wh": 0.6 * numbers(rng, units, units)}
    return Case(inputs | {"b": 0.5 * numbers(rng, units)}, (steps, samples, units))


def remembering(rng: np.random.Generator, steps: int, samples: int, units: int) -> Case:
    """Small states and a rotation for wh, so that the last states depend on the first inputs."""
    made = case(rng, (steps, samples, 2, units))
    rotation, _ = np.linalg.qr(rng.normal(size=(units, units)))
    small = {key: 0.1 * made.inputs[key] for key in ("x", "h0", "b")}
    return Case(made.inputs | small | {"wh": rotation}, made.output_shape)


def saturated(rng: np.random.Generator, sizes: Sizes) -> Case:
    """Pre-activations of about 1000 with either sign in some entries, and ordinary ones in the others."""
    made = case(rng, sizes)
    made.inputs["x"][..., 0] = rng.choice([-900.0, 0.0, 0.0, 900.0], size=made.inputs["x"].shape[:-1])
    made.inputs["x"][0, :2, 0] = 900.0, -900.0
    made.inputs["wx"][0] = rng.choice([-1.0, 1.0], size=sizes[3])
    return made


def expect_values(student: Student, cases: list[Case]) -> None:
    for number, asked in enumerate(cases):
        answer = ask_unchanged(student, "rnn", asked.inputs, LAYOUTS[number % len(LAYOUTS)])
        shapes = ", ".join(f"{key}{value.shape}" for key, value in asked.inputs.items())
        expect_close(answer, values_of(*asked.inputs.values()), f"rnn: the hidden states for {shapes}", asked.inputs, VJP)


def expect_gradients(student: Student, rng: np.random.Generator, cases: list[Case], trials: int = 3) -> None:
    expect_vjp(student, "rnn_vjp", truth, cases, rng, trials=trials)


@check("The hidden states of a few steps", points=1)
def hidden_states(student: Student, rng: np.random.Generator) -> None:
    expect_values(student, [case(rng, sizes) for sizes in ((1, 2, 3, 2), (3, 2, 4, 3), (4, 3, 3, 3))])


@check("The gradients of a single step", points=1)
def single_step(student: Student, rng: np.random.Generator) -> None:
    expect_gradients(student, rng, [case(rng, sizes) for sizes in ((1, 3, 4, 2), (1, 3, 3, 3))])


@check("The gradients of several steps", points=1.5)
def several_steps(student: Student, rng: np.random.Generator) -> None:
    expect_gradients(student, rng, [case(rng, sizes) for sizes in ((3, 2, 4, 3), (4, 3, 3, 3))])


SIZES: list[Sizes] = [
    (5, 4, 2, 3),
    (3, 3, 3, 3),
    (2, 5, 1, 4),
    (6, 1, 3, 2),
    (4, 2, 3, 1),
    (2, 2, 4, 4),
    (1, 1, 1, 1),
    (3, 1, 1, 1),
]


@check("The hidden states for any sizes, also saturated", points=1, hidden=True)
def any_states(student: Student, rng: np.random.Generator) -> None:
    large = [saturated(rng, sizes) for sizes in ((3, 4, 2, 3), (2, 3, 1, 3))]
    expect_values(student, [*(case(rng, sizes) for sizes in SIZES), *large, remembering(rng, 30, 2, 3)])


@check("The gradients for any sizes", points=2, hidden=True)
def any_sizes(student: Student, rng: np.random.Generator) -> None:
    expect_gradients(student, rng, [case(rng, sizes) for sizes in SIZES], trials=2)


@check("The upstream gradient is 0 except at one step", points=1, hidden=True)
def one_upstream(student: Student, rng: np.random.Generator) -> None:
    for sizes in ((4, 2, 3, 2), (3, 3, 3, 3)):
        for chosen in reversed(range(sizes[0])):
            asked = case(rng, sizes)
            expect_gradients_for(student, asked, upstream(rng, asked.output_shape) * one_hot(sizes[0], chosen))
    expect_gradients_for(student, asked, np.zeros(asked.output_shape))


def one_hot(steps: int, chosen: int) -> Numbers:
    return np.asarray(np.eye(steps)[chosen, :, None, None])


def expect_gradients_for(student: Student, asked: Case, g: Numbers) -> None:
    arguments = {"g": g, **asked.inputs}
    answer = ask_unchanged(student, "rnn_vjp", arguments, "contiguous")
    expect_tuple(answer, 5, "rnn_vjp", arguments)
    for label, given, right in zip(asked.inputs, answer, truth(g, *asked.inputs.values()), strict=True):
        shapes = ", ".join(f"{key}{value.shape}" for key, value in arguments.items())
        expect_close(given, right, f"rnn_vjp: the gradient with respect to {label} for {shapes}", arguments, VJP)


@check("Long sequences", points=1, hidden=True)
def long_sequences(student: Student, rng: np.random.Generator) -> None:
    """Where the last steps have an upstream gradient only, all of it passes through the earlier steps."""
    expect_gradients(student, rng, [remembering(rng, 25, 2, 3)], trials=2)
    asked = remembering(rng, 40, 2, 2)
    expect_gradients_for(student, asked, upstream(rng, asked.output_shape) * one_hot(40, 39))


@check("The gradients of saturated units", points=0.5, hidden=True)
def saturated_units(student: Student, rng: np.random.Generator) -> None:
    expect_gradients(student, rng, [saturated(rng, sizes) for sizes in ((3, 4, 2, 3), (1, 2, 1, 3))], trials=2)


@check("No steps, and no samples", points=0.5, hidden=True, fixed="all results are 0 or empty")
def empty(student: Student, rng: np.random.Generator) -> None:
    cases = [case(rng, sizes) for sizes in ((0, 3, 2, 4), (3, 0, 2, 4), (0, 0, 3, 2), (1, 0, 2, 2))]
    expect_values(student, cases)
    expect_gradients(student, rng, cases, trials=1)


@check("The gradients of a large batch, at the cost of a few forward passes", points=2.5, hidden=True, seconds=SECONDS)
def cost(student: Student, rng: np.random.Generator) -> None:
    few, many = (case(rng, sizes).inputs for sizes in ((5, 20, 20, 10), (10, 100, 30, 20)))
    expect_cheap_vjp(student, "rnn_vjp", values_of, many, rng, few=few)


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    for _ in range(4):
        steps, samples = (int(rng.choice(5, p=[0.1, 0.3, 0.2, 0.2, 0.2])) for _ in range(2))
        features, units = (int(size) for size in rng.integers(1, 4, size=2))
        asked = case(rng, (steps, samples, features, units))
        asked.inputs["x"] *= rng.choice([0.0, 1.0, 1.0, 500.0])
        g = np.asarray(rng.normal(size=asked.output_shape) * (rng.random(asked.output_shape) < 0.8))
        layout = str(rng.choice(LAYOUTS))
        sent = [array(values, layout=layout) for values in (g, *asked.inputs.values())]
        student.call_and_see("rnn", *sent[1:])
        student.call_and_see("rnn_vjp", *sent)


# -- habits: what people compute instead of the gradients ------------------------------------------------------------------

Gradients = Sequence[Numbers | None]  # None for a gradient that the habit does not affect
Carry = Callable[[Numbers, Numbers, Numbers], Numbers]
Through = Callable[[Numbers, Numbers, Numbers], Numbers]


class Question:
    """A question about gradients, with the forward pass and the right gradients of all pre-activations."""

    def __init__(self, g: Numbers, x: Numbers, h0: Numbers, wx: Numbers, wh: Numbers, b: Numbers) -> None:
        self.g, self.x, self.h0, self.wx, self.wh, self.b = g, x, h0, wx, wh, b
        self.steps = len(x)
        self.h = np.concatenate([h0[None], values_of(x, h0, wx, wh, b)])
        self.before = self.h[:-1]
        self.a = x @ wx + self.before @ wh + b
        self.slope = 1 - self.h[1:] ** 2
        self.da, self.dh0 = self.gradients()

    def gradients(
        self,
        *,
        g: Numbers | None = None,
        slope: Numbers | None = None,
        through: Through | None = None,
        carry: Carry | None = None,
        visited: Iterable[int] | None = None,
        start: Numbers | None = None,
    ) -> tuple[Numbers, Numbers]:
        """The gradients of the pre-activations and of the initial state, with some parts of the pass replaced. `through`
        receives the two parts of the gradient of a state, and the state. `carry` receives the gradients of a pre-activation,
        of its state, and of the state as far as later steps contribute."""
        g, slope = self.g if g is None else g, self.slope if slope is None else slope
        da, dh = np.zeros(self.g.shape), np.zeros(self.h0.shape) if start is None else start
        for t in reversed(range(self.steps)) if visited is None else visited:
            da[t] = (g[t] + dh) * slope[t] if through is None else through(g[t], dh, self.h[t + 1])
            dh = da[t] @ self.wh.T if carry is None else carry(da[t], g[t] + dh, dh)
        return da, dh

    def products(self, da: Numbers, dh: Numbers) -> tuple[Numbers, ...]:
        dwx, dwh = (np.einsum("tni,tnj->ij", values, da) for values in (self.x, self.before))
        return da @ self.wx.T, dh, dwx, dwh, da.sum(axis=(0, 1))

    def instead(self, **parts: Any) -> tuple[Numbers, ...]:
        return self.products(*self.gradients(**parts))

    def shares(self, x: Numbers, h: Numbers, da: Numbers) -> list[Numbers]:
        """The contribution of each step to the gradients of the parameters."""
        return [np.einsum("tni,tnj->tij", x, da), np.einsum("tni,tnj->tij", h, da), da.sum(axis=1)]


def one_upstream_only(q: Question) -> Iterator[Gradients]:
    for step in (q.steps - 1, 0):
        yield q.instead(g=q.g * one_hot(q.steps, step))
    yield q.instead(g=np.broadcast_to(q.g[-1:], q.g.shape))


def recurrent_path_cut(q: Question) -> Iterator[Gradients]:
    da = q.g * q.slope
    for dh in (da[0] @ q.wh.T, np.zeros(q.h0.shape), da.sum(axis=0) @ q.wh.T):
        yield q.products(da, dh)


def truncated(q: Question) -> Iterator[Gradients]:
    """Each upstream gradient goes back through a few steps only, or only the last few steps are visited."""
    far = np.zeros((q.steps, *q.g.shape))  # by distance: the part of da that comes from the state so many steps later
    arriving = q.g
    for distance in range(q.steps):
        left = q.steps - distance
        far[distance, :left] = arriving * q.slope[:left]
        arriving = far[distance, 1:left] @ q.wh.T
    for most in range(2, q.steps):
        da = far[:most].sum(axis=0)
        yield q.products(da, da[0] @ q.wh.T)
        yield q.products(da, far[: most - 1, 0].sum(axis=0) @ q.wh.T)
        yield q.instead(visited=range(q.steps - 1, q.steps - 1 - most, -1))


def step_left_out(q: Question) -> Iterator[Gradients]:
    for visited in (range(q.steps - 1, 0, -1), range(q.steps - 2, -1, -1), range(q.steps - 1, q.steps - 2, -1)):
        yield q.instead(visited=visited)


def wrong_direction(q: Question) -> Iterator[Gradients]:
    """The loop runs forwards, or two sequences are paired or returned in opposite orders."""
    yield q.instead(visited=range(q.steps))
    da, dh = q.gradients(visited=range(q.steps))
    yield q.products(da, da[0] @ q.wh.T)
    yield q.instead(g=q.g[::-1])
    yield q.products(q.da[::-1], q.dh0)
    yield (q.products(q.da[::-1], q.dh0)[0], *[None] * 4)


def another_step(q: Question) -> Iterator[Gradients]:
    """The state after a step for the state before it, a shifted upstream gradient, shifted inputs, or the same for all."""
    zeros = np.zeros((1, *q.h0.shape))
    ignored = np.concatenate([zeros, q.h[1:-1]])
    wrapped = np.concatenate([q.h[-1:], q.h[1:-1]])
    for h in (q.h[1:], ignored, wrapped, *(np.broadcast_to(q.h[t : t + 1], q.g.shape) for t in (0, 1, q.steps))):
        yield None, None, None, q.shares(q.x, h, q.da)[1].sum(axis=0), None
    for x in (q.x[:1], q.x[-1:]):
        yield None, None, q.shares(np.broadcast_to(x, q.x.shape), q.before, q.da)[0].sum(axis=0), None, None
    for g in (np.concatenate([zeros, q.g[:-1]]), np.concatenate([q.g[1:], zeros])):
        yield q.instead(g=g)
    for slope in (1 - q.before**2, np.concatenate([q.slope[1:], q.slope[-1:]])):
        yield q.instead(slope=slope)
    for now, other in ((slice(1, None), slice(None, -1)), (slice(None, -1), slice(1, None))):
        wx, wh, _ = q.shares(q.x[other], q.before[other], q.da[now])
        yield None, None, wx.sum(axis=0), wh.sum(axis=0), None


def initial_state_ignored(q: Question) -> Iterator[Gradients]:
    ignorant = Question(q.g, q.x, np.zeros(q.h0.shape), q.wx, q.wh, q.b)
    for dh in (ignorant.dh0, np.zeros(q.h0.shape)):
        yield ignorant.products(ignorant.da, dh)


def overwritten(q: Question) -> Iterator[Gradients]:
    wx, wh, b = q.shares(q.x, q.before, q.da)
    for step in (0, -1):
        yield None, None, wx[step], wh[step], b[step]


def averaged(q: Question) -> Iterator[Gradients]:
    right = q.products(q.da, q.dh0)
    for count in (q.steps, q.g.shape[1], q.steps * q.g.shape[1]):
        yield None, None, *(total / max(count, 1) for total in right[2:])
    yield None, None, None, None, np.full(q.b.shape, q.da.mean(axis=(1, 2)).sum())


def missing_factor(q: Question) -> Iterator[Gradients]:
    ones = np.ones(q.slope.shape)
    yield q.instead(slope=ones)
    carries: list[Carry] = [lambda da, dh, _: dh @ q.wh.T, lambda da, dh, _: da, lambda da, dh, _: dh]
    for carry in carries:
        yield q.instead(carry=carry)
    yield q.instead(through=lambda g, dh, h: g * (1 - h**2) + dh)
    yield q.instead(through=lambda g, dh, h: g + dh * (1 - h**2))
    dh = q.g + np.concatenate([q.da[1:] @ q.wh.T, np.zeros((1, *q.h0.shape))])
    yield q.products(dh, q.dh0)
    yield q.products(dh, dh[0] @ q.wh.T)
    yield None, dh[0] @ q.wh.T, None, None, None


def untransposed(q: Question) -> Iterator[Gradients]:
    yield q.instead(carry=lambda da, dh, _: da @ q.wh)
    yield None, q.da[0] @ q.wh, None, None, None
    if q.wx.shape[0] == q.wx.shape[1]:
        yield q.da @ q.wx, None, None, None, None
    right = q.products(q.da, q.dh0)
    yield None, None, right[2].T, right[3].T, None
    da, dh = q.gradients(carry=lambda da, dh, _: da @ q.wh)
    wrong = q.products(da, dh)
    yield None, None, wrong[2].T, wrong[3].T, None


def other_formula(*slopes: Callable[[Question], Numbers]) -> Callable[[Question], Iterator[Gradients]]:
    return lambda q: (q.instead(slope=slope(q)) for slope in slopes)


def missing_upstream(q: Question) -> Iterator[Gradients]:
    yield q.instead(g=np.ones(q.g.shape))
    yield q.instead(through=lambda g, dh, h: g + dh - h**2)
    yield q.instead(through=lambda g, dh, h: 1 - h**2 + dh)


def reduced_upstream(q: Question) -> Iterator[Gradients]:
    for axes in (0, 1, (0, 1), (0, 1, 2)):
        total = q.g.sum(axis=axes, keepdims=True)
        for g in (total, total * total.size / q.g.size):
            yield q.instead(g=np.broadcast_to(g, q.g.shape))


def other_weights(q: Question) -> Iterator[Gradients]:
    if q.wx.shape == q.wh.shape:
        yield q.instead(carry=lambda da, *_: da @ q.wx.T)
        yield q.da @ q.wh.T, q.da[0] @ q.wx.T, None, None, None


def accumulated(q: Question) -> Iterator[Gradients]:
    yield q.instead(carry=lambda da, dh, later: da @ q.wh.T + later)
    yield q.instead(carry=lambda da, dh, later: da @ q.wh.T + dh)
    yield q.instead(carry=lambda da, dh, later: 2 * da @ q.wh.T)


def not_from_zero(q: Question) -> Iterator[Gradients]:
    for start in (q.h0, q.g[-1], q.h[-1], np.ones(q.h0.shape)):
        yield q.instead(start=start)


def factor_twice(q: Question) -> Iterator[Gradients]:
    yield q.instead(slope=q.slope**2)
    yield q.instead(through=lambda g, dh, h: (g * (1 - h**2) + dh) * (1 - h**2))
    yield q.instead(through=lambda g, dh, h: (g + dh * (1 - h**2)) * (1 - h**2))
    yield q.instead(carry=lambda da, dh, _: da @ q.wh.T * np.divide(da, dh, out=np.ones(da.shape), where=dh != 0))
    yield q.products(q.da * q.slope, q.dh0)


def bias_not_summed(q: Question) -> Iterator[Gradients]:
    for axes in (0, 1, ()):
        yield None, None, None, None, q.da.sum(axis=axes)
    for part in (q.da[:, 0], q.da[:, -1]):
        yield None, None, None, None, part.sum(axis=0)


def negated(q: Question) -> Iterator[Gradients]:
    yield q.instead(carry=lambda da, dh, _: -da @ q.wh.T)
    yield q.instead(slope=q.h[1:] ** 2 - 1)
    yield q.instead(slope=1 + q.h[1:] ** 2)
    yield [-right for right in q.products(q.da, q.dh0) if right is not None]


HABITS: dict[str, Callable[[Question], Iterator[Gradients]]] = {
    "one-upstream-only": one_upstream_only,
    "recurrent-path-cut": recurrent_path_cut,
    "truncated": truncated,
    "step-left-out": step_left_out,
    "wrong-direction": wrong_direction,
    "value-of-another-step": another_step,
    "initial-state-ignored": initial_state_ignored,
    "overwrites-instead-of-accumulating": overwritten,
    "sum-vs-mean": averaged,
    "missing-local-derivative": missing_factor,
    "missing-transpose": untransposed,
    "formula-of-output-at-input": other_formula(lambda q: 1 - q.a**2),
    "output-for-input": other_formula(lambda q: 1 - np.tanh(q.h[1:]) ** 2),
    "wrong-local-derivative": other_formula(
        lambda q: q.h[1:] * (1 - q.h[1:]), lambda q: 1 - q.h[1:], lambda q: q.h[1:] ** 2
    ),
    "missing-upstream": missing_upstream,
    "upstream-reduced": reduced_upstream,
    "operands-swapped": other_weights,
    "double-counting": accumulated,
    "carry-not-from-zero": not_from_zero,
    "scaled-twice": factor_twice,
    "missing-unbroadcast": bias_not_summed,
    "wrong-sign": negated,
}


def reading(answer: Any, *asked: Any) -> Any:
    """Five gradients, together with the question."""
    return (*answer, list(asked)) if isinstance(answer, tuple) and len(answer) == 5 else answer


def wrong_gradients(right: Any, given: Any) -> dict[int, Numbers]:
    """The gradients that are wrong, by their place; nothing if one is not an array of floats."""
    found = {}
    for place, (one, other) in enumerate(zip(right[:5], given[:5], strict=True)):
        if not isinstance(other, Array) or other.dtype != "float64":
            return {}
        if not same(to_numpy(one), to_numpy(other)):
            found[place] = to_numpy(other)
    return found


def same(one: Numbers | None, other: Numbers) -> bool:
    return one is not None and one.shape == other.shape and bool(np.allclose(one, other, rtol=1e-7, atol=1e-10))


def shows(habit: Callable[[Question], Iterator[Gradients]]) -> Callable[[Any, Any], bool]:
    """Whether each wrong gradient is one that the habit gives."""

    def when(right: Any, given: Any) -> bool:
        if not isinstance(given, tuple) or len(given) != 6:
            return False
        wrong = wrong_gradients(right, given)
        question = Question(*map(to_numpy, given[5]))
        if not wrong or not question.g.size:
            return False
        with np.errstate(all="ignore"):
            predicted = list(habit(question))
        return all(any(same(gradients[place], found) for gradients in predicted) for place, found in wrong.items())

    return when


def only_initial_state(right: Any, given: Any) -> bool:
    """With several steps: a mistake in what a step sends back shows in the gradients of the steps before it."""
    return isinstance(given, tuple) and given[0].shape[0] > 1 and set(wrong_gradients(right, given)) == {1}


def without_entries(right: Any, given: Any) -> bool:
    """Whether the states are an empty array, whatever the answer."""
    raised_or_comparable = hasattr(given, "message") or type(given) is type(right)
    return raised_or_comparable and 0 in (right if isinstance(right, Array) else right[0]).shape


reads_as("rnn_vjp", reading)
for key, habit in HABITS.items():
    symptom(key, shows(habit))
symptom("initial-state-gradient", only_initial_state)
symptom("empty-sequence", without_entries, check="empty", raised=True)
