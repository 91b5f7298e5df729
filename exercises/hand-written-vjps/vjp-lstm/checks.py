"""The truth is a complex step of the definition: no derivative is written down. Wrong answers are compared with habits."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks import VJP, Student, array, check, describe, expect_close, fail, to_numpy, variety
from autograder.judge.checks.backward_cost import SECONDS, expect_cheap_vjp
from autograder.judge.checks.recording import upstream
from autograder.judge.checks.vjp import LAYOUTS, ask_unchanged, expect_tuple
from autograder.judge.diagnosis import raises, reads_as, symptom
from sandbox.wire import Array

Sizes = tuple[int, int, int, int]  # T, N, D and H
Inputs = dict[str, Numbers]

STEP = 1e-30


def sigmoid(a: Numbers) -> Numbers:
    """Of real or complex numbers."""
    positive = a.real >= 0
    e = np.exp(np.where(positive, -a, a))
    return np.asarray(np.where(positive, 1, e) / (1 + e))


def values_of(x: Numbers, h: Numbers, c: Numbers, wx: Numbers, wh: Numbers, b: Numbers) -> tuple[Numbers, Numbers]:
    """All hidden states and the last cell state, of real or complex numbers. Each input can have one more leading axis."""
    units = wh.shape[-2]
    shapes = zip((x, h, c, wx, wh, b), (3, 2, 2, 2, 2, 1), strict=True)
    shape = np.broadcast_shapes(*(v.shape[:-k] for v, k in shapes))
    dtype = np.result_type(x, h, c, wx, wh, b)
    out = np.zeros((*shape, *x.shape[-3:-1], units), dtype)
    c = np.broadcast_to(c, (*shape, *c.shape[-2:])).astype(dtype)
    for t in range(x.shape[-3]):
        a = x[..., t, :, :] @ wx + h @ wh + b[..., None, :]
        i, f, u, o = (a[..., k * units : (k + 1) * units] for k in range(4))
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(u)
        h = out[..., t, :, :] = sigmoid(o) * np.tanh(c)
    return out, c


def truth(g: Numbers, gc: Numbers, *inputs: Numbers) -> tuple[Numbers, ...]:
    gradients = []
    for place, values in enumerate(inputs):
        moved = [*inputs]
        moved[place] = values + (STEP * 1j * np.eye(values.size)).reshape(values.size, *values.shape)
        hidden, cell = (np.imag(part) / STEP for part in values_of(*moved))
        gradients.append(((g * hidden).sum(axis=(1, 2, 3)) + (gc * cell).sum(axis=(1, 2))).reshape(values.shape))
    return tuple(gradients)


def step_values(x: Numbers, *rest: Numbers) -> tuple[Numbers, Numbers]:
    hidden, cell = values_of(x[None], *rest)
    return hidden[0], cell


def step_truth(gh: Numbers, gc: Numbers, x: Numbers, *rest: Numbers) -> tuple[Numbers, ...]:
    dx, *others = truth(gh[None], gc, x[None], *rest)
    return dx[0], *others


def numbers(rng: np.random.Generator, *shape: int) -> Numbers:
    """Where there is room for more, one of them is 0."""
    values = np.asarray(rng.normal(size=shape))
    if values.size > 2:
        values.flat[int(rng.integers(values.size))] = rng.choice([0.0, -0.0])
    return values


def sequence(rng: np.random.Generator, sizes: Sizes) -> Inputs:
    """The weights are so small that no gate is saturated."""
    steps, samples, features, units = sizes
    inputs = {"x": numbers(rng, steps, samples, features), "h0": numbers(rng, samples, units)}
    inputs |= {"c0": numbers(rng, samples, units), "wx": 0.5 * numbers(rng, features, 4 * units)}
    return inputs | {"wh": 0.6 * numbers(rng, units, 4 * units), "b": 0.5 * numbers(rng, 4 * units)}


def single(inputs: Inputs) -> Inputs:
    """The first step of a sequence, with the names of the arguments of lstm_step."""
    states = {"h": inputs["h0"], "c": inputs["c0"]}
    return {"x": inputs["x"][0]} | states | {name: inputs[name] for name in ("wx", "wh", "b")}


def remembering(rng: np.random.Generator, steps: int, samples: int, units: int) -> Inputs:
    """Forget gates close to 1, so that the last states depend on the first inputs."""
    inputs = sequence(rng, (steps, samples, 2, units))
    inputs["b"] = inputs["b"] + np.repeat([0.0, 4.0, 0.0, 1.0], units)
    return inputs


def saturated(rng: np.random.Generator, sizes: Sizes) -> Inputs:
    """Pre-activations of about 900 with either sign in some entries, and ordinary ones in the others."""
    inputs = sequence(rng, sizes)
    inputs["x"][..., 0] = rng.choice([-900.0, 0.0, 0.0, 900.0], size=inputs["x"].shape[:-1])
    inputs["x"][0, :2, 0] = 900.0, -900.0
    inputs["wx"][0] = rng.choice([-1.0, 0.0, 1.0], p=[0.4, 0.2, 0.4], size=4 * sizes[3])
    return inputs


def nothing_yet(rng: np.random.Generator, sizes: Sizes) -> Inputs:
    """All pre-activations of the first step are 0."""
    inputs = sequence(rng, sizes)
    return inputs | {name: np.zeros(inputs[name].shape) for name in ("x", "h0", "b")}


def in_words(arguments: Inputs) -> str:
    return ", ".join(f"{key}{value.shape}" for key, value in arguments.items())


def expect_values(student: Student, name: str, questions: list[Inputs]) -> None:
    truth_of, first = (step_values, "the hidden state") if name == "lstm_step" else (values_of, "the hidden states")
    for number, inputs in enumerate(questions):
        answer = ask_unchanged(student, name, inputs, LAYOUTS[number % len(LAYOUTS)])
        if not isinstance(answer, tuple) or len(answer) != 2:
            message = f"{name} should return a tuple of two arrays, but returned {describe(answer)}."
            raise fail(message, "the returned value", inputs)
        for given, right, what in zip(answer, truth_of(*inputs.values()), (first, "the cell state"), strict=True):
            expect_close(given, right, f"{name}: {what} for {in_words(inputs)}", inputs, VJP)


def expect_gradients(
    student: Student, name: str, inputs: Inputs, g: Numbers, gc: Numbers, layout: str = "contiguous"
) -> None:
    step = name == "lstm_step_vjp"
    arguments = {"gh" if step else "g": g, "gc": gc, **inputs}
    answer = ask_unchanged(student, name, arguments, layout)
    expect_tuple(answer, 6, name, arguments)
    right = (step_truth if step else truth)(g, gc, *inputs.values())
    for label, given, expected in zip(inputs, answer, right, strict=True):
        what = f"{name}: the gradient with respect to {label} for {in_words(arguments)}"
        expect_close(given, expected, what, arguments, VJP)


def expect_random(student: Student, rng: np.random.Generator, name: str, questions: list[Inputs], trials: int = 2) -> None:
    """Random upstream gradients. One entry of each is 0 in the last trial."""
    for number, inputs in enumerate(questions):
        cell = next(iter(inputs.values())).shape[-2], inputs["wh"].shape[0]
        for trial in range(trials):
            g = upstream(rng, cell if name == "lstm_step_vjp" else (inputs["x"].shape[0], *cell))
            gc = upstream(rng, cell)
            for values in (g, gc):
                if trial == trials - 1 and values.size > 1:
                    values.flat[int(rng.integers(values.size))] = 0.0
            expect_gradients(student, name, inputs, g, gc, LAYOUTS[(number + trial) % len(LAYOUTS)])


@check("The states after one step", points=1)
def one_step(student: Student, rng: np.random.Generator) -> None:
    sizes: list[Sizes] = [(1, 3, 4, 2), (1, 3, 3, 3), (1, 2, 5, 3)]
    expect_values(student, "lstm_step", [single(sequence(rng, size)) for size in sizes])


@check("The gradients of one step", points=1.5)
def one_step_gradients(student: Student, rng: np.random.Generator) -> None:
    sizes: list[Sizes] = [(1, 3, 4, 2), (1, 3, 3, 3)]
    expect_random(student, rng, "lstm_step_vjp", [single(sequence(rng, size)) for size in sizes], trials=3)


@check("The states of a sequence", points=1)
def states(student: Student, rng: np.random.Generator) -> None:
    sizes: list[Sizes] = [(1, 2, 3, 2), (3, 2, 4, 3), (4, 3, 3, 3)]
    expect_values(student, "lstm", [sequence(rng, size) for size in sizes])


@check("The gradients of a sequence", points=1.5)
def sequence_gradients(student: Student, rng: np.random.Generator) -> None:
    sizes: list[Sizes] = [(3, 2, 4, 3), (4, 3, 3, 3)]
    expect_random(student, rng, "lstm_vjp", [sequence(rng, size) for size in sizes], trials=3)


SIZES: list[Sizes] = [
    (5, 4, 2, 3),
    (3, 3, 3, 3),
    (2, 5, 1, 4),
    (6, 1, 3, 2),
    (4, 2, 3, 1),
    (2, 4, 4, 4),
    (1, 1, 1, 1),
    (3, 1, 1, 1),
]


@check("The states for any sizes, also saturated", points=1, hidden=True)
def any_states(student: Student, rng: np.random.Generator) -> None:
    large: list[Sizes] = [(3, 4, 2, 3), (2, 3, 1, 3)]
    many = [*(sequence(rng, size) for size in SIZES), *(saturated(rng, size) for size in large)]
    expect_values(student, "lstm_step", [single(inputs) for inputs in many])
    expect_values(student, "lstm", [*many, remembering(rng, 30, 2, 3)])


@check("The gradients of one step for any sizes", points=1, hidden=True)
def any_step(student: Student, rng: np.random.Generator) -> None:
    many = [*(sequence(rng, size) for size in SIZES), nothing_yet(rng, (1, 3, 2, 3))]
    expect_random(student, rng, "lstm_step_vjp", [single(inputs) for inputs in many])


@check("The gradients of a sequence for any sizes", points=1.5, hidden=True)
def any_sequence(student: Student, rng: np.random.Generator) -> None:
    many = [*(sequence(rng, size) for size in SIZES), nothing_yet(rng, (3, 2, 2, 3))]
    expect_random(student, rng, "lstm_vjp", many, trials=1)


def one_hot(steps: int, chosen: int) -> Numbers:
    return np.asarray(np.eye(steps)[chosen, :, None, None])


@check("Only one of the upstream gradients is not 0", points=1.5, hidden=True)
def one_upstream(student: Student, rng: np.random.Generator) -> None:
    """The last cell state alone, and the hidden state of each step alone."""
    inputs = sequence(rng, (4, 2, 3, 2))
    g, gc = upstream(rng, (4, 2, 2)), upstream(rng, (2, 2))
    expect_gradients(student, "lstm_vjp", inputs, np.zeros(g.shape), gc)
    for chosen in reversed(range(4)):
        expect_gradients(student, "lstm_vjp", inputs, g * one_hot(4, chosen), np.zeros(gc.shape))
    step = single(inputs)
    expect_gradients(student, "lstm_step_vjp", step, np.zeros(gc.shape), gc)
    expect_gradients(student, "lstm_step_vjp", step, g[0], np.zeros(gc.shape))


@check("Long sequences", points=1.5, hidden=True)
def long_sequences(student: Student, rng: np.random.Generator) -> None:
    """Where the last step has an upstream gradient only, all of it passes through the earlier steps."""
    expect_random(student, rng, "lstm_vjp", [remembering(rng, 25, 2, 3)], trials=1)
    g = upstream(rng, (40, 2, 2)) * one_hot(40, 39)
    expect_gradients(student, "lstm_vjp", remembering(rng, 40, 2, 2), g, np.zeros((2, 2)))


@check("The gradients of saturated gates", points=1, hidden=True)
def saturated_gates(student: Student, rng: np.random.Generator) -> None:
    many = [saturated(rng, size) for size in ((3, 4, 2, 3), (2, 3, 1, 3))]
    expect_random(student, rng, "lstm_step_vjp", [single(inputs) for inputs in many], trials=1)
    expect_random(student, rng, "lstm_vjp", many, trials=1)


@check("No steps, and no samples", points=0.5, hidden=True)
def empty(student: Student, rng: np.random.Generator) -> None:
    many = [sequence(rng, size) for size in ((0, 3, 2, 2), (3, 0, 2, 4), (0, 0, 3, 2), (1, 0, 2, 2))]
    expect_values(student, "lstm", many)
    expect_random(student, rng, "lstm_vjp", many, trials=1)
    none = [single(inputs) for inputs in many if len(inputs["x"])]
    expect_values(student, "lstm_step", none)
    expect_random(student, rng, "lstm_step_vjp", none, trials=1)


@check("The gradients of a large batch, at the cost of a few forward passes", points=3, hidden=True, seconds=SECONDS)
def cost(student: Student, rng: np.random.Generator) -> None:
    def gradients(g: Numbers, inputs: Inputs) -> Any:
        return student.call("lstm_vjp", array(g), array(np.zeros(inputs["c0"].shape)), *map(array, inputs.values()))

    few, many = (sequence(rng, sizes) for sizes in ((3, 10, 12, 6), (10, 100, 30, 20)))
    expect_cheap_vjp(student, "lstm_vjp", lambda *inputs: values_of(*inputs)[0], many, rng, few=few, ask=gradients)


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    for _ in range(3):
        steps, samples = (int(rng.choice(5, p=[0.1, 0.3, 0.2, 0.2, 0.2])) for _ in range(2))
        features, units = (int(size) for size in rng.integers(1, 4, size=2))
        inputs = sequence(rng, (steps, samples, features, units))
        inputs["x"] *= rng.choice([0.0, 1.0, 1.0, 400.0])
        g, gc = (np.asarray(rng.normal(size=n) * (rng.random(n) < 0.8)) for n in ((steps, samples, units), (samples, units)))
        layout = str(rng.choice(LAYOUTS))
        sent = [array(values, layout=layout) for values in (g, gc, *inputs.values())]
        student.call_and_see("lstm", *sent[2:])
        student.call_and_see("lstm_vjp", *sent)
        if steps:
            one = [array(values, layout=layout) for values in (g[0], gc, *single(inputs).values())]
            student.call_and_see("lstm_step", *one[2:])
            student.call_and_see("lstm_step_vjp", *one)


# -- habits: what people compute instead of the gradients ------------------------------------------------------------------

Gradients = Sequence[Numbers | None]  # None for a gradient that the habit does not affect
Part = Callable[["Question", int, Numbers, Numbers], Numbers]  # of the question, the step, and the gradients dh and dc


class Question:
    """A question about gradients of a sequence, or of a step as a sequence of one, with all gates and states."""

    def __init__(
        self, g: Numbers, gc: Numbers, x: Numbers, h0: Numbers, c0: Numbers, wx: Numbers, wh: Numbers, b: Numbers
    ) -> None:
        self.one_step = x.ndim == 2
        self.g, self.x = (g[None], x[None]) if self.one_step else (g, x)
        self.gc, self.h0, self.c0, self.wx, self.wh, self.b = gc, h0, c0, wx, wh, b
        self.steps, self.units = len(self.x), len(wh)
        hidden, cells, gates = [h0], [c0], []
        for inputs in self.x:
            i, f, u, o = np.split(inputs @ wx + hidden[-1] @ wh + b, 4, axis=1)
            gates.append((sigmoid(i), sigmoid(f), np.tanh(u), sigmoid(o)))
            i, f, u, o = gates[-1]
            cells.append(f * cells[-1] + i * u)
            hidden.append(o * np.tanh(cells[-1]))
        self.h, self.c, self.gates = np.array(hidden), np.array(cells), gates

    def instead(
        self,
        *,
        g: Numbers | None = None,
        gc: Numbers | None = None,
        dh0: Numbers | None = None,
        visited: Iterable[int] | None = None,
        shares: str = "sum",
        **parts: Part,
    ) -> Gradients:
        """The gradients, with some parts of the pass replaced: `into_cell` (what a hidden state sends to its cell state),
        `dc` (the full gradient of a cell state), `i`, `f`, `u` and `o` (the gradients of the pre-activations),
        `carry_h` and `carry_c` (what goes to the step before; of the gradients of the pre-activations and the cell state)."""
        g = self.g if g is None else g
        later_h, later_c = np.zeros(self.h0.shape) if dh0 is None else dh0, self.gc if gc is None else gc
        da = np.zeros((self.steps, len(self.h0), 4 * self.units))
        for t in reversed(range(self.steps)) if visited is None else visited:
            i, f, u, o = self.gates[t]
            dh, squashed, part = g[t] + later_h, np.tanh(self.c[t + 1]), parts.get("into_cell")
            into_cell = dh * o * (1 - squashed**2) if part is None else part(self, t, dh, later_c)
            part = parts.get("dc")
            dc = later_c + into_cell if part is None else part(self, t, into_cell, later_c)
            right = {"i": dc * u * i * (1 - i), "f": dc * self.c[t] * f * (1 - f), "u": dc * i * (1 - u**2)}
            right |= {"o": dh * squashed * o * (1 - o)}
            own = [parts[gate](self, t, dh, dc) if gate in parts else value for gate, value in right.items()]
            da[t] = np.concatenate(own, axis=1)
            part = parts.get("carry_h")
            later_h = da[t] @ self.wh.T if part is None else part(self, t, da[t], dh)
            part = parts.get("carry_c")
            later_c = dc * f if part is None else part(self, t, dc, later_c)
        return self.products(da, later_h, later_c, shares)

    def products(self, da: Numbers, dh: Numbers, dc: Numbers, shares: str = "sum") -> Gradients:
        parts = [np.einsum("tni,tnj->tij", self.x, da), np.einsum("tni,tnj->tij", self.h[:-1], da), da.sum(axis=1)]
        if shares == "sum":
            parts = [part.sum(axis=0) for part in parts]
        elif shares == "mean":
            parts = [part.mean(axis=0) for part in parts]
        else:
            parts = [part[0 if shares == "first" else -1] for part in parts]
        return self.as_asked((da @ self.wx.T, dh, dc, *parts))

    def again(self, h0: Numbers, c0: Numbers) -> "Question":
        """The same question with other initial states."""
        g, x = (self.g[0], self.x[0]) if self.one_step else (self.g, self.x)
        return Question(g, self.gc, x, h0, c0, self.wx, self.wh, self.b)

    def as_asked(self, gradients: Gradients) -> Gradients:
        dx, *others = gradients
        return (dx[0] if self.one_step and dx is not None else dx, *others)


def one_upstream_only(q: Question) -> Iterator[Gradients]:
    for step in (q.steps - 1, 0):
        yield q.instead(g=q.g * one_hot(q.steps, step))
    yield q.instead(g=np.broadcast_to(q.g[-1:], q.g.shape))
    yield q.instead(g=np.zeros(q.g.shape))


def recurrent_path_cut(q: Question) -> Iterator[Gradients]:
    zeros = np.zeros(q.h0.shape)
    yield q.instead(carry_h=lambda q, t, da, dh: zeros)
    yield q.instead(carry_h=lambda q, t, da, dh: da @ q.wh.T if t == 0 else zeros)


def cell_path_cut(q: Question) -> Iterator[Gradients]:
    zeros = np.zeros(q.c0.shape)
    yield q.instead(dc=lambda q, t, into, later: into)
    yield q.instead(carry_c=lambda q, t, dc, later: zeros)
    yield q.instead(carry_c=lambda q, t, dc, later: dc * q.gates[t][1] if t == 0 else zeros)
    yield q.instead(dc=lambda q, t, into, later: into if t < q.steps - 1 else into + later)


def both_paths_cut(q: Question) -> Iterator[Gradients]:
    zeros = np.zeros(q.c0.shape)
    yield q.instead(carry_h=lambda q, t, da, dh: zeros, carry_c=lambda q, t, dc, later: zeros)


def hidden_to_cell_cut(q: Question) -> Iterator[Gradients]:
    yield q.instead(dc=lambda q, t, into, later: later)


def cell_upstream_ignored(q: Question) -> Iterator[Gradients]:
    yield q.instead(gc=np.zeros(q.gc.shape))
    yield q.instead(gc=np.ones(q.gc.shape))


def cell_upstream_everywhere(q: Question) -> Iterator[Gradients]:
    yield q.instead(dc=lambda q, t, into, later: into + later + (q.gc if t < q.steps - 1 else 0))
    yield q.instead(dc=lambda q, t, into, later: into + q.gc)
    yield q.instead(carry_c=lambda q, t, dc, later: q.gc)


def forget_gate_left_out(q: Question) -> Iterator[Gradients]:
    yield q.instead(carry_c=lambda q, t, dc, later: dc)
    for gate in (0, 2, 3):
        yield q.instead(carry_c=lambda q, t, dc, later, gate=gate: dc * q.gates[t][gate])
    yield q.instead(carry_c=lambda q, t, dc, later: later * q.gates[t][1])


def missing_factor(q: Question) -> Iterator[Gradients]:
    slopes: dict[str, Part] = {
        "i": lambda q, t, dh, dc: dc * q.gates[t][2],
        "f": lambda q, t, dh, dc: dc * q.c[t],
        "u": lambda q, t, dh, dc: dc * q.gates[t][0],
        "o": lambda q, t, dh, dc: dh * np.tanh(q.c[t + 1]),
    }
    factors: dict[str, Part] = {
        "i": lambda q, t, dh, dc: dc * q.gates[t][0] * (1 - q.gates[t][0]),
        "f": lambda q, t, dh, dc: dc * q.gates[t][1] * (1 - q.gates[t][1]),
        "u": lambda q, t, dh, dc: dc * (1 - q.gates[t][2] ** 2),
        "o": lambda q, t, dh, dc: dh * q.gates[t][3] * (1 - q.gates[t][3]),
    }
    for gate in "ifuo":
        yield q.instead(**{gate: slopes[gate]})
        yield q.instead(**{gate: factors[gate]})
    yield q.instead(**slopes)
    yield q.instead(**{gate: slopes[gate] for gate in "ifo"})
    values: dict[str, Callable[[Question, int, Numbers, Numbers], tuple[Numbers, Numbers]]] = {
        "i": lambda q, t, dh, dc: (dc * q.gates[t][2], q.gates[t][0]),
        "f": lambda q, t, dh, dc: (dc * q.c[t], q.gates[t][1]),
        "o": lambda q, t, dh, dc: (dh * np.tanh(q.c[t + 1]), q.gates[t][3]),
    }
    for gates in ("i", "f", "o", "ifo"):
        yield q.instead(**{gate: halved(values[gate], False) for gate in gates})
        yield q.instead(**{gate: halved(values[gate], True) for gate in gates})
    yield q.instead(into_cell=lambda q, t, dh, dc: dh * q.gates[t][3])
    yield q.instead(into_cell=lambda q, t, dh, dc: dh * (1 - np.tanh(q.c[t + 1]) ** 2))
    yield q.instead(into_cell=lambda q, t, dh, dc: dh)


def halved(parts: Callable[..., tuple[Numbers, Numbers]], complement: bool) -> Part:
    """One of the two factors of the derivative of a sigmoid."""

    def gradient(q: Question, t: int, dh: Numbers, dc: Numbers) -> Numbers:
        upstream_of_gate, gate = parts(q, t, dh, dc)
        return upstream_of_gate * (1 - gate if complement else gate)

    return gradient


def wrong_slope(q: Question) -> Iterator[Gradients]:
    """The derivative of the sigmoid for tanh, or the other way round."""
    wrong: dict[str, Part] = {
        "i": lambda q, t, dh, dc: dc * q.gates[t][2] * (1 - q.gates[t][0] ** 2),
        "f": lambda q, t, dh, dc: dc * q.c[t] * (1 - q.gates[t][1] ** 2),
        "u": lambda q, t, dh, dc: dc * q.gates[t][0] * q.gates[t][2] * (1 - q.gates[t][2]),
        "o": lambda q, t, dh, dc: dh * np.tanh(q.c[t + 1]) * (1 - q.gates[t][3] ** 2),
    }
    for gate in "ifuo":
        yield q.instead(**{gate: wrong[gate]})
    yield q.instead(**{gate: wrong[gate] for gate in "ifo"})
    yield q.instead(**wrong)


def formula_of_output(q: Question) -> Iterator[Gradients]:
    yield q.instead(into_cell=lambda q, t, dh, dc: dh * q.gates[t][3] * (1 - q.c[t + 1] ** 2))


def output_for_input(q: Question) -> Iterator[Gradients]:
    yield q.instead(into_cell=lambda q, t, dh, dc: dh * q.gates[t][3] * (1 - q.h[t + 1] ** 2))
    yield q.instead(into_cell=lambda q, t, dh, dc: dh * q.gates[t][3] * (1 - np.tanh(q.h[t + 1]) ** 2))
    yield q.instead(into_cell=lambda q, t, dh, dc: dh * q.gates[t][3] * (1 - np.tanh(np.tanh(q.c[t + 1])) ** 2))


def cell_without_tanh(q: Question) -> Iterator[Gradients]:
    yield q.instead(o=lambda q, t, dh, dc: dh * q.c[t + 1] * q.gates[t][3] * (1 - q.gates[t][3]))
    yield q.instead(o=lambda q, t, dh, dc: dh * q.h[t + 1] * q.gates[t][3] * (1 - q.gates[t][3]))


def other_cell(q: Question) -> Iterator[Gradients]:
    """A state after the step where the state before it is due, or the other way round."""
    yield q.instead(f=lambda q, t, dh, dc: dc * q.c[t + 1] * q.gates[t][1] * (1 - q.gates[t][1]))
    yield q.instead(f=lambda q, t, dh, dc: dc * q.c[max(t - 1, 0)] * q.gates[t][1] * (1 - q.gates[t][1]))
    yield q.instead(f=lambda q, t, dh, dc: dc * q.h[t] * q.gates[t][1] * (1 - q.gates[t][1]))
    yield q.instead(o=lambda q, t, dh, dc: dh * np.tanh(q.c[t]) * q.gates[t][3] * (1 - q.gates[t][3]))
    yield q.instead(into_cell=lambda q, t, dh, dc: dh * q.gates[t][3] * (1 - np.tanh(q.c[t]) ** 2))
    for other in (1, -1):
        yield q.instead(carry_c=lambda q, t, dc, later, other=other: dc * q.gates[min(max(t + other, 0), q.steps - 1)][1])
    shifted = q.again(q.h0, q.c0)
    fixed = (np.broadcast_to(q.h[t : t + 1], q.h.shape) for t in (0, 1, q.steps))
    for h in (np.concatenate([q.h[1:], q.h[-1:]]), np.concatenate([q.h[:1], q.h[:-1]]), *fixed):
        shifted.h = h
        yield shifted.instead()


def swapped(q: Question) -> Iterator[Gradients]:
    """The operands of a product, or the two carried gradients."""
    yield q.instead(
        i=lambda q, t, dh, dc: dc * q.gates[t][0] * q.gates[t][0] * (1 - q.gates[t][0]),
        u=lambda q, t, dh, dc: dc * q.gates[t][2] * (1 - q.gates[t][2] ** 2),
    )
    yield q.instead(
        i=lambda q, t, dh, dc: dc * q.c[t] * q.gates[t][0] * (1 - q.gates[t][0]),
        f=lambda q, t, dh, dc: dc * q.gates[t][2] * q.gates[t][1] * (1 - q.gates[t][1]),
    )
    right = list(q.instead())
    yield (right[0], right[2], right[1], *right[3:])
    if q.wx.shape == q.wh.shape:
        yield q.instead(carry_h=lambda q, t, da, dh: da @ q.wx.T)


def gate_order(q: Question) -> Iterator[Gradients]:
    """The gradients of the gates are joined in another order."""
    forms: dict[str, Part] = {
        "i": lambda q, t, dh, dc: dc * q.gates[t][2] * q.gates[t][0] * (1 - q.gates[t][0]),
        "f": lambda q, t, dh, dc: dc * q.c[t] * q.gates[t][1] * (1 - q.gates[t][1]),
        "u": lambda q, t, dh, dc: dc * q.gates[t][0] * (1 - q.gates[t][2] ** 2),
        "o": lambda q, t, dh, dc: dh * np.tanh(q.c[t + 1]) * q.gates[t][3] * (1 - q.gates[t][3]),
    }
    for order in ("ifou", "fiuo", "iufo", "iouf", "oifu", "ofiu", "oufi", "fiou", "uifo", "ufio", "iofu", "fuio", "foiu"):
        yield q.instead(**dict(zip("ifuo", (forms[gate] for gate in order), strict=True)))


def accumulated(q: Question) -> Iterator[Gradients]:
    yield q.instead(carry_c=lambda q, t, dc, later: dc * q.gates[t][1] + later)
    yield q.instead(carry_c=lambda q, t, dc, later: dc * q.gates[t][1] + dc)
    yield q.instead(carry_h=lambda q, t, da, dh: da @ q.wh.T + dh)
    yield q.instead(carry_h=lambda q, t, da, dh: da @ q.wh.T + dh - q.g[t])
    yield q.instead(dc=lambda q, t, into, later: 2 * into + later)
    yield q.instead(dc=lambda q, t, into, later: into + 2 * later)


def wrong_direction(q: Question) -> Iterator[Gradients]:
    yield q.instead(visited=range(q.steps))
    yield q.instead(g=q.g[::-1])
    dx, *others = q.instead()
    yield dx if dx is None or q.one_step else dx[::-1], *others


def step_left_out(q: Question) -> Iterator[Gradients]:
    for visited in (range(q.steps - 1, 0, -1), range(q.steps - 2, -1, -1), range(q.steps - 1, q.steps - 2, -1)):
        yield q.instead(visited=visited)


def initial_state_ignored(q: Question) -> Iterator[Gradients]:
    zeros = np.zeros(q.h0.shape)
    for h0, c0 in ((zeros, q.c0), (q.h0, zeros), (zeros, zeros), (q.c0, q.h0)):
        yield q.again(h0, c0).instead()


def overwritten(q: Question) -> Iterator[Gradients]:
    yield q.instead(shares="first")
    yield q.instead(shares="last")


def averaged(q: Question) -> Iterator[Gradients]:
    yield q.instead(shares="mean")
    right = q.instead()
    for count in (len(q.h0), q.steps * len(q.h0)):
        yield None, None, None, *(None if total is None else total / max(count, 1) for total in right[3:])


def untransposed(q: Question) -> Iterator[Gradients]:
    right = q.instead()
    yield None, None, None, *(None if total is None else total.T for total in right[3:])


def not_from_zero(q: Question) -> Iterator[Gradients]:
    for start in (q.h0, q.g[-1], q.h[-1], np.ones(q.h0.shape), q.gc):
        yield q.instead(dh0=start)


def negated(q: Question) -> Iterator[Gradients]:
    yield q.instead(into_cell=lambda q, t, dh, dc: dh * q.gates[t][3] * (1 + np.tanh(q.c[t + 1]) ** 2))
    yield q.instead(into_cell=lambda q, t, dh, dc: -dh * q.gates[t][3] * (1 - np.tanh(q.c[t + 1]) ** 2))
    yield q.instead(u=lambda q, t, dh, dc: dc * q.gates[t][0] * (1 + q.gates[t][2] ** 2))
    yield q.instead(i=lambda q, t, dh, dc: dc * q.gates[t][2] * q.gates[t][0] * (1 + q.gates[t][0]))
    yield q.instead(f=lambda q, t, dh, dc: dc * q.c[t] * q.gates[t][1] * (1 + q.gates[t][1]))
    yield q.instead(o=lambda q, t, dh, dc: dh * np.tanh(q.c[t + 1]) * q.gates[t][3] * (1 + q.gates[t][3]))


def bias_not_summed(q: Question) -> Iterator[Gradients]:
    for samples in (slice(0, 1), slice(-1, None)):
        g = q.g * 0
        g[:, samples] = q.g[:, samples]
        gc = q.gc * 0
        gc[samples] = q.gc[samples]
        yield *[None] * 5, q.instead(g=g, gc=gc)[5]


def upstream_of_ones(q: Question) -> Iterator[Gradients]:
    yield q.instead(g=np.ones(q.g.shape))
    yield q.instead(g=np.ones(q.g.shape), gc=np.ones(q.gc.shape))


HABITS: dict[str, Callable[[Question], Iterator[Gradients]]] = {
    "one-upstream-only": one_upstream_only,
    "recurrent-path-cut": recurrent_path_cut,
    "cell-path-cut": cell_path_cut,
    "both-paths-cut": both_paths_cut,
    "hidden-to-cell-cut": hidden_to_cell_cut,
    "cell-upstream-ignored": cell_upstream_ignored,
    "cell-upstream-at-every-step": cell_upstream_everywhere,
    "forget-gate-left-out": forget_gate_left_out,
    "missing-local-derivative": missing_factor,
    "wrong-local-derivative": wrong_slope,
    "formula-of-output-at-input": formula_of_output,
    "output-for-input": output_for_input,
    "missing-function": cell_without_tanh,
    "value-of-another-step": other_cell,
    "operands-swapped": swapped,
    "gate-order": gate_order,
    "double-counting": accumulated,
    "wrong-direction": wrong_direction,
    "step-left-out": step_left_out,
    "initial-state-ignored": initial_state_ignored,
    "overwrites-instead-of-accumulating": overwritten,
    "sum-vs-mean": averaged,
    "missing-transpose": untransposed,
    "carry-not-from-zero": not_from_zero,
    "wrong-sign": negated,
    "missing-unbroadcast": bias_not_summed,
    "missing-upstream": upstream_of_ones,
}


def reading(answer: Any, *asked: Any) -> Any:
    """Six gradients, together with the question."""
    return (*answer, list(asked)) if isinstance(answer, tuple) and len(answer) == 6 else answer


def wrong_gradients(right: Any, given: Any) -> dict[int, Numbers]:
    """The gradients that are wrong, by their place; nothing if one is not an array of floats."""
    found = {}
    for place, (one, other) in enumerate(zip(right[:6], given[:6], strict=True)):
        if not isinstance(other, Array) or other.dtype != "float64":
            return {}
        if not same(to_numpy(one), to_numpy(other)):
            found[place] = to_numpy(other)
    return found


def same(one: Numbers | None, other: Numbers) -> bool:
    return one is not None and one.shape == other.shape and bool(np.allclose(one, other, rtol=1e-7, atol=1e-10))


def shows(habit: Callable[[Question], Iterator[Gradients]]) -> Callable[[Any, Any], bool]:
    """Whether all wrong gradients together are those that the habit gives in one of its forms."""

    def when(right: Any, given: Any) -> bool:
        if not isinstance(given, tuple) or len(given) != 7:
            return False
        wrong = wrong_gradients(right, given)
        asked = [to_numpy(value) for value in given[6]]
        if not wrong or not all(value.size for value in asked):
            return False
        with np.errstate(all="ignore"):
            return any(
                all(same(gradients[place], found) for place, found in wrong.items()) for gradients in habit(Question(*asked))
            )

    return when


for entry_point in ("lstm_step_vjp", "lstm_vjp"):
    reads_as(entry_point, reading)
for key, habit in HABITS.items():
    symptom(key, shows(habit))
without_entries = raises("zero-size", "size 0", "empty", "at least one", "out of range", "division by zero")
symptom("empty-sequence", without_entries, check="empty", raised=True)
