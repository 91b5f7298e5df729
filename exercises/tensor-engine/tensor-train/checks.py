"""Whole trainings, repeated in the judge with derivatives from complex steps through the formula of the loss. What a network learns
is measured in the judge, on the parameters that it is given."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec
import numpy as np

from autograder.judge.arrays import Numbers, to_numpy
from autograder.judge.checks import (
    Student,
    Tolerance,
    array,
    check,
    describe,
    expect,
    expect_close,
    expect_number,
    fail,
    probe,
    variety,
)
from autograder.judge.checks.random_programs import drawn, random_program
from autograder.judge.checks.tensors import ComparedTensors, TensorProgram, ask_programs, expect_tensor_programs
from autograder.judge.diagnosis import reads_as, symptom
from sandbox.wire import Array

TRAINED = Tolerance(1e-7, 1e-10)
LAYOUTS = ("contiguous", "transposed", "strided")
STEP = 1e-30  # of a complex step


# -- the formulas ----------------------------------------------------------------------------------------------------------


def logits_of(kind: str, params: list[Numbers], x: Numbers, habit: str = "") -> Numbers:
    if kind == "gated":
        u, v, s = params[:3]
        return np.tanh(x @ u) @ v * s + s
    for n in range(0, len(params), 2):
        x = x @ params[n] + params[n + 1]
        last = n == len(params) - 2
        if (not last and habit != "no activation") or (last and habit == "activation at the end"):
            x = np.tanh(x)
    return x


def row_losses(z: Numbers, targets: Numbers, habit: str = "") -> Numbers:
    found = []
    for row, target in zip(z, targets, strict=True):
        top = row.real.max()
        total = np.log(np.exp(row - top).sum())
        total = total.real if habit == "constant normaliser" else total
        found.append(total + top - row[target])
    return np.array(found)


def slopes_of(loss: Callable[[list[Numbers]], Any], params: list[Numbers]) -> list[Numbers]:
    """The gradient of a function of arrays, one complex step per entry."""
    slopes = []
    for n, p in enumerate(params):
        slope = np.zeros(p.shape)
        for place in np.ndindex(p.shape):
            moved = p.astype(complex)
            moved[place] += STEP * 1j
            slope[place] = loss([*params[:n], moved, *params[n + 1 :]]).imag / STEP
        slopes.append(slope)
    return slopes


@dataclass(frozen=True)
class Run:
    """One call of train. `old` are gradients that the parameters have before."""

    kind: str
    params: list[Numbers]
    x: Numbers
    targets: Numbers
    orders: list[Numbers]
    batch_size: int
    lr: float
    momentum: float | None = None
    old: bool = False

    @property
    def options(self) -> dict[str, Any]:
        options = {"batch_size": self.batch_size, "lr": self.lr}
        return options if self.momentum is None else {**options, "momentum": self.momentum}

    def sent(self, number: int = 0) -> list[Any]:
        def moved(values: Numbers, place: int) -> Array:
            return array(values, layout=LAYOUTS[(number + place) % 3])

        params = [moved(p, n) for n, p in enumerate(self.params)]
        orders = [array(order) for order in self.orders]
        return [self.kind, params, moved(self.x, 0), moved(self.targets, 1), orders, self.options, self.old]


Habit = dict[str, Any]


@dataclass
class Training:
    """What a training does: the losses of the epochs, the parameters at the end, the rows of every batch."""

    losses: list[float] = field(default_factory=list)
    params: list[Numbers] = field(default_factory=list)
    batches: list[Numbers] = field(default_factory=list)


def batches_of(run: Run, order: Numbers, habit: Habit) -> list[tuple[Numbers, Numbers]]:
    """The rows of each batch, in the data and in the targets."""
    order = np.arange(len(order)) if habit.get("order") == "ignored" else order
    kept = len(order) // run.batch_size * run.batch_size if habit.get("drops") else len(order)
    own = np.arange(len(order)) if habit.get("order") == "data only" else order
    parts = [slice(start, start + run.batch_size) for start in range(0, kept, run.batch_size)]
    return [(order[part], own[part]) for part in parts]


def trained_by(run: Run, habit: Habit | None = None) -> Training:
    """The training of the statement, or one with another habit."""
    habit = habit or {}
    params, found = [p.copy() for p in run.params], Training()
    state = Descent(run, habit, params)
    for order in run.orders:
        losses, sizes = [], []
        if habit.get("velocity") == "each epoch":
            state.forget()
        if habit.get("clears") == "each epoch":
            state.clear()
        for rows, own in batches_of(run, order, habit):
            x, targets = run.x[rows], run.targets[own]

            def rated(at: list[Numbers], x: Numbers = x, targets: Numbers = targets) -> Numbers:
                each = row_losses(logits_of(run.kind, at, x, habit.get("network", "")), targets, habit.get("loss", ""))
                return np.asarray(each.mean() if habit.get("scale") != "sum" else each.sum())

            before = float(rated(params).real)
            state.batch(rated)
            losses.append(float(rated(params).real) if habit.get("logs") == "after" else before)
            sizes.append(len(rows))
            found.batches.append(rows)
        state.end_of_epoch()
        found.losses.append(logged(losses, sizes, habit))
    found.params = params
    return found


def logged(losses: list[float], sizes: list[int], habit: Habit) -> float:
    kind = habit.get("epoch", "rows")
    if not losses:
        return 0.0
    if kind == "batches":
        return float(np.mean(losses))
    if kind in ("last", "sum"):
        return losses[-1] if kind == "last" else float(np.sum(losses))
    return float(np.average(losses, weights=sizes))


class Descent:
    """Gradient descent with momentum on a list of arrays, which it changes in place."""

    def __init__(self, run: Run, habit: Habit, params: list[Numbers]) -> None:
        self.run, self.habit, self.params = run, habit, params
        self.velocities = [np.zeros(p.shape) for p in params]
        keeps = run.old and habit.get("clears") in ("never", "after")
        self.grads = [np.full(p.shape, 0.5 if keeps else 0.0) for p in params]
        self.seen = [keeps] * len(params)

    def forget(self) -> None:
        self.velocities = [np.zeros(p.shape) for p in self.params]

    def clear(self) -> None:
        self.grads = [np.zeros(p.shape) for p in self.params]

    def batch(self, rated: Callable[[list[Numbers]], Any]) -> None:
        if self.habit.get("clears", "each batch") == "each batch" and not self.habit.get("one step"):
            self.clear()
        slopes = slopes_of(rated, self.params)
        self.grads = [g + s for g, s in zip(self.grads, slopes, strict=True)]
        if not self.habit.get("one step"):
            self.step()
        if self.habit.get("clears") == "after":
            self.clear()

    def end_of_epoch(self) -> None:
        if self.habit.get("one step"):
            self.step()
            self.clear()

    def step(self) -> None:
        if self.habit.get("velocity") == "each batch":
            self.forget()
        for p, v, g in zip(self.params, self.velocities, self.grads, strict=True):
            v *= self.run.momentum or 0.0
            v += g
            if not self.habit.get("rests"):
                p -= self.run.lr * v


# -- the questions ---------------------------------------------------------------------------------------------------------


@probe
def trained(student, runs, times):
    """Trains a network for each run, `times` times in a row. The losses, the parameters after each, and what the network saw."""
    import numpy as np

    class Gated(student.Module):
        def __init__(self, arrays):
            super().__init__()
            u, v, s, spare = (np.array(values) for values in arrays)
            self.parts = [student.Parameter(u), student.Parameter(v)]
            self.s, self.spare = student.Parameter(s), student.Parameter(spare)
            self.seen = []

        def forward(self, x):
            self.seen.append(np.array(x.data))
            u, v = self.parts
            return (x @ u).tanh() @ v * self.s + self.s

    def plain(value):
        """A NumPy scalar as a Python number. Everything else as it is, also tensors."""
        return float(value) if isinstance(value, (np.floating, np.ndarray)) and np.ndim(value) == 0 else value

    answers = []
    for kind, arrays, x, targets, orders, options, old in runs:
        pairs = [(arrays[n], arrays[n + 1]) for n in range(0, len(arrays), 2)]
        network = Gated(arrays) if kind == "gated" else student.Network(pairs)
        if old:
            for p in network.parameters():
                p.grad = np.full(p.data.shape, 0.5)
        losses, params = [], []
        for _ in range(times):
            found = student.train(network, x, targets, orders, **options)
            losses.append([plain(value) for value in found] if isinstance(found, list) else found)
            params.append([np.array(p.data) for p in network.parameters()])
        answers.append({"losses": losses, "params": params, "seen": network.seen if kind == "gated" else None})
    return answers


class Trained(msgspec.Struct):
    losses: list[Any]
    params: list[list[Any]]
    seen: list[Any] | None


def drawn_params(rng: np.random.Generator, kind: str, sizes: tuple[int, ...]) -> list[Numbers]:
    if kind == "gated":
        inputs, hidden, classes = sizes
        shapes: tuple[tuple[int, ...], ...] = ((inputs, hidden), (hidden, classes), (), (2,))
        return [drawn(rng, shape) for shape in shapes]
    return [drawn(rng, shape) for a, b in zip(sizes, sizes[1:], strict=False) for shape in ((a, b), (b,))]


def run_of(
    rng: np.random.Generator,
    sizes: tuple[int, ...] = (2, 3, 2),
    rows: int = 6,
    batch_size: int = 2,
    epochs: int = 2,
    momentum: float | None = None,
    kind: str = "network",
    old: bool = False,
) -> Run:
    x, targets = drawn(rng, (rows, sizes[0])), rng.integers(sizes[-1], size=rows)
    orders = [rng.permutation(rows) for _ in range(epochs)]
    params = drawn_params(rng, kind, sizes)
    return Run(kind, params, x, targets, orders, batch_size, float(rng.uniform(0.2, 0.4)), momentum, old)


def expect_trained(student: Student, runs: list[Run], times: int = 1) -> None:
    answers = student.run(trained, [run.sent(n) for n, run in enumerate(runs)], times, returns=list[Trained])
    expect(len(answers) == len(runs), "The results of train could not be read.")
    for run, answer in zip(runs, answers, strict=True):
        expect(len(answer.losses) == len(answer.params) == times, "The results of train could not be read.")
        seen: list[Numbers] = []
        for turn in range(times):
            truth = trained_by(run)
            expect_training(run, truth, answer.losses[turn], answer.params[turn], "" if turn == 0 else " in a second call")
            seen += [run.x[rows] for rows in truth.batches]
            run = replace(run, params=truth.params)
        if run.kind == "gated":
            expect_seen(seen, answer.seen)


def expect_training(run: Run, truth: Training, losses: Any, params: list[Any], when: str) -> None:
    name = "a network of the caller" if run.kind == "gated" else "a Network"
    settings = ", ".join(f"{key}={value:.4g}" for key, value in run.options.items())
    call = f"train for {name}, {len(run.x)} rows, {len(run.orders)} epochs, {settings}{when}"
    shown = {"x": run.x, "targets": run.targets} | {f"orders[{n}]": order for n, order in enumerate(run.orders[:3])}
    if not isinstance(losses, list) or len(losses) != len(run.orders):
        message = f"{call}: the result should be a list with one loss per epoch, but is {describe(losses)}."
        raise fail(message, call, shown, expected=truth.losses, given=losses)
    for n, (given, right) in enumerate(zip(losses, truth.losses, strict=True)):
        what = f"{call}: the loss of epoch {n + 1}"
        expect_number(given, right, what, shown, TRAINED)
    message = f"{call}: parameters() should list {len(truth.params)} parameters, but lists {len(params)}."
    expect(len(params) == len(truth.params), message, call)
    for n, (given, right) in enumerate(zip(params, truth.params, strict=True)):
        expect_close(given, right, f"{call}: the data of parameter {n} after the training", shown, TRAINED)


def expect_seen(truth: list[Numbers], seen: list[Any] | None) -> None:
    seen = seen or []
    message = f"train called the network {len(seen)} times for {len(truth)} batches. It should call it once per batch."
    expect(len(seen) == len(truth), message, "calls of the network", expected=len(truth), given=len(seen))
    for n, (given, right) in enumerate(zip(seen, truth, strict=True)):
        expect_close(given, right, f"The rows that the network was given in batch {n + 1}")


@probe
def passed(student, cases):
    """The logits and the gradients of every network for an upstream gradient, and the arrays of its parameters."""
    import numpy as np

    answers = []
    for arrays, x, g in cases:
        pairs = [(arrays[n], arrays[n + 1]) for n in range(0, len(arrays), 2)]
        network = student.Network(pairs) if len(pairs) > 1 else student.Linear(*pairs[0])
        before = [np.array(p.data) for p in network.parameters()]
        logits = network(student.Tensor(x))
        logits.backward(g)
        grads = [None if p.grad is None else np.array(p.grad) for p in network.parameters()]
        answers.append({"logits": np.array(logits.data), "params": before, "grads": grads})
    return answers


class Passed(msgspec.Struct):
    logits: Any
    params: list[Any]
    grads: list[Any]


def expect_networks(student: Student, sizes: list[tuple[int, ...]], rows: int, rng: np.random.Generator) -> None:
    cases = []
    for size in sizes:
        cases.append((drawn_params(rng, "network", size), drawn(rng, (rows, size[0])), drawn(rng, (rows, size[-1]))))
    sent = [
        [[array(p) for p in params], array(x, layout=LAYOUTS[n % 3]), array(g)] for n, (params, x, g) in enumerate(cases)
    ]
    answers = student.run(passed, sent, returns=list[Passed])
    expect(len(answers) == len(cases), "The logits could not be read.")
    for (params, x, g), answer in zip(cases, answers, strict=True):
        name = "Network" if len(params) > 2 else "Linear"
        shapes = ", ".join(str(p.shape) for p in params)
        message = (
            f"{name} with arrays of shapes {shapes} should have {len(params)} parameters, but has {len(answer.params)}."
        )
        expect(len(answer.params) == len(answer.grads) == len(params), message, "parameters()")
        for n, (given, right) in enumerate(zip(answer.params, params, strict=True)):
            expect_close(given, right, f"The data of parameter {n} of a new {name}")
        what = f"The result of {name} with arrays of shapes {shapes}"
        expect_close(answer.logits, logits_of("network", params, x), what, {"x": x})

        def weighted(at: list[Numbers], x: Numbers = x, g: Numbers = g) -> Any:
            return (logits_of("network", at, x) * g).sum()

        for n, (given, right) in enumerate(zip(answer.grads, slopes_of(weighted, params), strict=True)):
            expect_close(given, right, f"The gradient of parameter {n} of {name} with arrays of shapes {shapes}", {"x": x})


@probe
def rated(student, cases):
    """The loss of every case, and the gradient of the logits. With a factor they are a result of other operations."""
    import numpy as np

    answers = []
    for values, targets, factor in cases:
        leaf = student.Tensor(np.array(values), requires_grad=True)
        loss = student.cross_entropy(leaf if factor is None else leaf * factor, targets)
        number = np.array(loss.data)
        if factor is None:
            loss.backward()
        else:
            (loss * factor).backward()
        answers.append([number, None if leaf.grad is None else np.array(leaf.grad)])
    return answers


LossCase = tuple[Numbers, Numbers, float | None]


def expect_losses(student: Student, cases: list[LossCase]) -> None:
    sent = [[array(z, layout=LAYOUTS[n % 3]), array(t), factor] for n, (z, t, factor) in enumerate(cases)]
    answers = student.run(rated, sent, returns=list[tuple[Any, Any]])
    expect(len(answers) == len(cases), "The losses could not be read.")
    for (values, targets, factor), (loss, grad) in zip(cases, answers, strict=True):
        times = 1.0 if factor is None else factor
        shown = {"logits": values * times, "targets": targets}
        call = "cross_entropy(logits, targets)"
        expect_close(loss, np.asarray(row_losses(values * times, targets).mean()), call, shown)
        parts = []
        for row, target in zip(values * times, targets, strict=True):
            weights = [1 / np.exp(np.minimum(row - z, 700.0)).sum() for z in row]
            parts.append(np.array(weights) - (np.arange(len(row)) == target))
        if grad is None:
            raise fail(f"No gradient of {call} arrives at the logits.", call, shown, expected=np.array(parts))
        expect_close(grad, np.array(parts) / len(values) * times**2, f"The gradient of {call}", shown)


@probe
def evaluated(student, kind, arrays, x, targets, old):
    """Two evaluations, one in a no_grad block. Their results, what backward finds in the logits, and the recording after each."""
    import numpy as np

    class Watched(student.Module):
        def __init__(self, inner):
            super().__init__()
            self.inner, self.outputs = inner, []

        def forward(self, x):
            out = self.inner(x)
            self.outputs.append(out)
            return out

    def plain(given):
        """NumPy scalars in a result as Python numbers. Everything else as it is, also tensors."""
        if not isinstance(given, (tuple, list)):
            return given
        kinds = (np.floating, np.ndarray)
        return [float(value) if isinstance(value, kinds) and np.ndim(value) == 0 else value for value in given]

    def copies(network):
        return [None if p.grad is None else np.array(p.grad) for p in network.parameters()]

    def slope():
        p = student.Parameter(np.array(3.0))
        (p * p).backward(np.array(1.0))
        return None if p.grad is None else np.array(p.grad)

    network = Watched(student.Network([(arrays[n], arrays[n + 1]) for n in range(0, len(arrays), 2)]))
    if old:
        for p in network.parameters():
            p.grad = np.full(p.data.shape, 0.5)
    first = plain(student.evaluate(network, x, targets))
    outside, after = slope(), copies(network)
    with student.no_grad():
        second = plain(student.evaluate(network, x, targets))
        inside = slope()
    for out in network.outputs:
        out.backward(np.ones(out.data.shape))
    data = [np.array(p.data) for p in network.parameters()]
    slopes = [outside, inside, slope()]
    return {"results": [first, second], "slopes": slopes, "grads": after, "pulled": copies(network), "data": data}


class Evaluated(msgspec.Struct):
    results: list[Any]
    slopes: list[Any]
    grads: list[Any]
    pulled: list[Any]
    data: list[Any]


def expect_result(given: Any, logits: Numbers, targets: Numbers, shown: dict[str, Any]) -> None:
    loss = float(row_losses(logits, targets).mean())
    hits = [int(row.tolist().index(max(row)) == target) for row, target in zip(logits, targets, strict=True)]
    message = f"evaluate should return a tuple of a loss and an accuracy, but returns {describe(given)}."
    expect(isinstance(given, tuple | list) and len(given) == 2, message, "evaluate(network, x, targets)", shown, given=given)
    for name, value, right in (("loss", given[0], loss), ("accuracy", given[1], sum(hits) / len(hits))):
        what = f"The {name} of evaluate(network, x, targets)"
        expect_number(value, right, what, shown, TRAINED)


Question = tuple[list[Numbers], Numbers, Numbers]


def question(rng: np.random.Generator, sizes: tuple[int, ...], rows: int) -> Question:
    return drawn_params(rng, "network", sizes), drawn(rng, (rows, sizes[0])), rng.integers(sizes[-1], size=rows)


def ask_evaluated(student: Student, asked: Question, old: bool = False) -> Evaluated:
    params, x, targets = asked
    arrays = [array(p) for p in params]
    return student.run(evaluated, "network", arrays, array(x), array(targets), old, returns=Evaluated)


# -- the checks ------------------------------------------------------------------------------------------------------------


def logits_case(rng: np.random.Generator, rows: int, classes: int, factor: float | None = None) -> LossCase:
    return drawn(rng, (rows, classes)), rng.integers(classes, size=rows), factor


@check("The network: logits and gradients", points=1)
def networks(student: Student, rng: np.random.Generator) -> None:
    expect_networks(student, [(2, 3), (2, 4, 3)], 3, rng)


@check("The cross-entropy and its gradient", points=2)
def loss(student: Student, rng: np.random.Generator) -> None:
    expect_losses(student, [logits_case(rng, 1, 2), logits_case(rng, 3, 4), logits_case(rng, 4, 3, 2.0)])


@check("Training for a few steps", points=3)
def few_steps(student: Student, rng: np.random.Generator) -> None:
    expect_trained(student, [run_of(rng), run_of(rng, rows=5, momentum=0.5), run_of(rng, (3, 2), 4, 3, 3, 0.9)])


@check("Evaluation: loss and accuracy", points=1)
def evaluation(student: Student, rng: np.random.Generator) -> None:
    for rows in (4, 5):
        asked = question(rng, (2, 3, 2), rows)
        params, x, targets = asked
        answer = ask_evaluated(student, asked)
        expect(len(answer.results) == 2, "The results of evaluate could not be read.")
        for given in answer.results:
            expect_result(given, logits_of("network", params, x), targets, {"x": x, "targets": targets})


@check("Networks of other sizes", points=1, hidden=True)
def other_networks(student: Student, rng: np.random.Generator) -> None:
    expect_networks(student, [(1, 1), (3, 1, 2), (4, 2, 3, 2), (1, 3, 1), (2, 2, 2, 2, 2)], 4, rng)
    expect_networks(student, [(3, 2, 2), (2, 1)], 1, rng)
    expect_tensor_programs(student, engine_programs(rng))


@check("The cross-entropy of large logits and other shapes", points=1.5, hidden=True)
def large_logits(student: Student, rng: np.random.Generator) -> None:
    cases = [logits_case(rng, rows, classes) for rows, classes in ((1, 1), (5, 1), (1, 5), (6, 2))]
    for size in (30.0, 1000.0, 1e6):
        z, targets, _ = logits_case(rng, 4, 3)
        cases += [(size * z, targets, None), (z + size * np.array([[1.0], [-1.0], [0.0], [0.5]]), targets, -1.5)]
    zeros = np.zeros((3, 3))
    cases += [(zeros, np.array([2, 0, 1]), None), (np.array([[0.0, -900.0], [5.0, 5.0]]), np.array([1, 1]), None)]
    expect_losses(student, cases)


@check("Training with other batches, momenta and old gradients", points=2, hidden=True)
def trainings(student: Student, rng: np.random.Generator) -> None:
    runs = [run_of(rng, momentum=momentum, old=old) for momentum in (0.0, 0.8) for old in (False, True)]
    runs += [run_of(rng, (2, 3), 7, size, 3, 0.6, old=size == 3) for size in (1, 3, 4, 7, 20)]
    runs += [run_of(rng, (1, 1, 1), 1, 1), run_of(rng, (3, 2, 3, 3), 5, 2, 2, 0.5), run_of(rng, epochs=0)]
    runs[0].params[0][0], runs[0].x[1], runs[1].params[1][:] = 0.0, 0.0, -0.0
    expect_trained(student, runs)


@check("Networks of the caller, and several calls of train", points=1.5, hidden=True)
def several_calls(student: Student, rng: np.random.Generator) -> None:
    runs = [run_of(rng, momentum=0.7, rows=5, kind="gated", old=old) for old in (False, True)]
    runs += [run_of(rng, (1, 2, 3), 4, 3, 1, kind="gated"), run_of(rng, momentum=0.7)]
    runs[1].params[3][:] = 0.0
    expect_trained(student, runs, times=2)


@check("Evaluation records nothing and changes nothing", points=1, hidden=True)
def nothing_recorded(student: Student, rng: np.random.Generator) -> None:
    for old in (False, True):
        asked = question(rng, (2, 3, 3), 4)
        params, x, targets = asked
        answer = ask_evaluated(student, asked, old)
        expect(
            len(answer.grads) == len(answer.pulled) == len(answer.data) == len(params), "The parameters could not be read."
        )
        expect(len(answer.results) == 2 and len(answer.slopes) == 3, "The results of evaluate could not be read.")
        for given in answer.results:
            expect_result(given, logits_of("network", params, x), targets, {"x": x, "targets": targets})
        outside, inside, later = answer.slopes
        for given, when in (
            (outside, "after evaluate"),
            (later, "after evaluate in a no_grad() block, and after the block"),
        ):
            message = f"Recording should be on {when}, but the gradient of p * p does not arrive."
            expect(given is not None, message, "p.grad", expected=np.asarray(6.0))
            expect_close(given, np.asarray(6.0), f"The gradient of p * p for p = 3 {when}")
        expect(inside is None, "evaluate turned recording on in a no_grad() block of the caller.", "p.grad", given=inside)
        for p, data, kept, pulled in zip(params, answer.data, answer.grads, answer.pulled, strict=True):
            expect_close(data, p, "The data of a parameter after evaluate")
            for given, what in (
                (kept, "evaluate changed .grad of a parameter."),
                (pulled, "evaluate recorded the network."),
            ):
                expect((given is None) == (not old), what, ".grad of a parameter", given=given)
                if given is not None:
                    expect_close(
                        given, np.full(p.shape, 0.5), ".grad of a parameter after evaluate" if given is kept else what
                    )


def ties(rng: np.random.Generator) -> list[Question]:
    """All logits are equal, or two of them; one row, one class; a wrong class only."""
    params, x, _ = question(rng, (2, 3), 5)
    equal = [np.zeros((2, 3)), np.full(3, 0.5)]
    two = [params[0][:, [0, 1, 1]], np.array([-20.0, 3.0, 3.0])]
    order = rng.permutation([0, 1, 2, 1, 0])
    single = [question(rng, sizes, rows) for sizes, rows in (((2, 2), 1), ((3, 2, 1), 3))]
    wrong = question(rng, (2, 2), 6)
    other = np.argmin(logits_of("network", wrong[0], wrong[1]), axis=1)
    return [(equal, x, order), (two, x, order), *single, (wrong[0], wrong[1], other)]


@check("Evaluation of ties and other sizes", points=1, hidden=True)
def other_evaluations(student: Student, rng: np.random.Generator) -> None:
    for asked in ties(rng):
        params, x, targets = asked
        answer = ask_evaluated(student, asked)
        expect(len(answer.results) == 2, "The results of evaluate could not be read.")
        for given in answer.results:
            expect_result(given, logits_of("network", params, x), targets, {"x": x, "targets": targets})


def quadrants(rng: np.random.Generator, rows: int) -> tuple[Numbers, Numbers]:
    """Points of the plane, and whether their coordinates have the same sign."""
    x = rng.uniform(0.25, 1.0, (rows, 2)) * rng.choice([-1.0, 1.0], (rows, 2))
    return x, np.asarray((x[:, 0] * x[:, 1] > 0).astype(np.int64))


def learning(rng: np.random.Generator, epochs: int = 40) -> Run:
    x, targets = quadrants(rng, 60)
    params = [rng.normal(size=(2, 8)), rng.normal(size=8) / 2, rng.normal(size=(8, 2)) / 2, np.zeros(2)]
    return Run("network", params, x, targets, [rng.permutation(60) for _ in range(epochs)], 12, 0.3, 0.9)


@check("The network learns", points=1, hidden=True, seconds=1.5)
def learns(student: Student, rng: np.random.Generator) -> None:
    run = learning(rng)
    (answer,) = student.run(trained, [run.sent()], 1, returns=list[Trained]) or [None]
    expect(answer is not None and len(answer.params) == 1, "The results of train could not be read.")
    params = answer.params[0]
    shapes = [p.shape if isinstance(p, Array) else None for p in params]
    expect(shapes == [p.shape for p in run.params], "The parameters should have the shapes of the arrays.", "parameters()")
    x, targets = quadrants(rng, 300)
    given = logits_of("network", [to_numpy(p) for p in params], x)
    accuracy = float((given.argmax(1) == targets).mean())
    message = f"After the training, the accuracy on other points is {accuracy:.0%}. It should be at least 85 %."
    expect(accuracy >= 0.85, message, "accuracy on 300 other points", expected=0.85, given=accuracy)


def engine_programs(rng: np.random.Generator) -> list[TensorProgram]:
    operations = ("+", "*", "-", "neg", "exp", "log", "tanh", "sum")
    programs = [random_program(rng, operations, steps=6) for _ in range(16)]
    program = TensorProgram()
    a, b = program.input(drawn(rng, (2, 3)), "a"), program.input(drawn(rng, (3, 2)), "b")
    program.no_grad()
    fixed = a @ b
    program.grad_enabled()
    y = program.name("y", (1.5 - a @ b) * fixed + (2.0 + (b @ a).sum(axis=0).sum()) * 3)
    for _ in range(2):
        program.backward(y, drawn(rng, (2, 2)))
    programs.append(program)
    for shape in ((), (1, 1)):
        program = TensorProgram()
        program.backward(program.name("y", program.input(drawn(rng, shape), "a") * 3))
        programs.append(program)
    return programs


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    kinds = ("network", "gated")
    runs = []
    for kind in kinds:
        a, b, c, rows, size, epochs = (int(n) for n in rng.integers(1, 5, size=6))
        momentum = (None, 0.0, 0.5)[int(rng.integers(3))]
        runs.append(run_of(rng, (a, b, c), rows, size, epochs - 1, momentum, kind, bool(rng.integers(2))))
    student.run(trained, [run.sent(n) for n, run in enumerate(runs)], 2, returns=list[Trained])
    ask_evaluated(student, question(rng, (2, 2, 3), 3), bool(rng.integers(2)))
    for asked in ties(rng)[:2]:
        ask_evaluated(student, asked)
    cases = [logits_case(rng, 2, 3, factor) for factor in (None, 2.0, 1000.0)]
    student.run(rated, [[array(z), array(t), factor] for z, t, factor in cases], returns=list[Any])
    ask_programs(student, [ComparedTensors(program) for program in engine_programs(rng)])


# -- what a wrong answer shows -------------------------------------------------------------------------------------------


HABITS: dict[str, list[Habit]] = {
    "sum-vs-mean": [{"scale": "sum"}],
    "normaliser-constant": [{"loss": "constant normaliser"}],
    "activation-at-the-end": [{"network": "activation at the end"}],
    "no-activation": [{"network": "no activation"}],
    "missing-zero-grad": [{"clears": when} for when in ("never", "each epoch", "after")],
    "zero-between-backward-and-step": [{"rests": True}],
    "velocity-lost": [{"velocity": "each epoch"}, {"velocity": "each batch"}],
    "one-step-per-epoch": [{"one step": True}],
    "drops-last-partial": [{"drops": True}],
    "order-ignored": [{"order": "ignored"}],
    "targets-not-shuffled": [{"order": "data only"}],
    "loss-after-update": [{"logs": "after"}],
    "last-loss-only": [{"epoch": "last"}],
    "batches-count-equally": [{"epoch": "batches"}, {"epoch": "sum"}],
}


def asked(question: Any) -> Run:
    kind, params, x, targets, orders, options, old = question
    arrays = [np.array(to_numpy(p)) for p in params]
    rows = [np.array(to_numpy(order)) for order in orders]
    size, lr, momentum = options["batch_size"], options["lr"], options.get("momentum")
    return Run(kind, arrays, np.array(to_numpy(x)), np.array(to_numpy(targets)), rows, size, lr, momentum, old)


def trained_equally(answer: Any, losses: list[float], params: list[Numbers]) -> bool:
    """Whether the first call gave these losses and parameters."""
    mine, given = answer["losses"][0], answer["params"][0]
    if not isinstance(mine, list) or len(mine) != len(losses) or len(given) != len(params):
        return False
    if not all(isinstance(value, float) for value in mine) or not np.allclose(mine, losses, rtol=1e-7, atol=1e-10):
        return False
    return all(
        isinstance(g, Array) and g.shape == p.shape and np.allclose(to_numpy(g), p, rtol=1e-7, atol=1e-10)
        for g, p in zip(given, params, strict=True)
    )


def with_habit(habit: Habit) -> Callable[[Any, Any], bool]:
    """All trainings are those of a program with this habit, and some of them are wrong."""

    def when(right: dict[str, Any], given: dict[str, Any]) -> bool:
        differs = False
        for question, mine, truth in zip(right["runs"], given["answers"], right["answers"], strict=True):
            found = trained_by(asked(question), habit)
            if not trained_equally(mine, found.losses, found.params):
                return False
            differs |= not trained_equally(truth, found.losses, found.params)
        return differs

    return when


def any_of(habits: list[Habit]) -> Callable[[Any, Any], bool]:
    tests = [with_habit(habit) for habit in habits]
    return lambda right, given: any(test(right, given) for test in tests)


def tensors_logged(right: dict[str, Any], given: dict[str, Any]) -> bool:
    logs = [log for answer in given["answers"] for log in answer["losses"] if isinstance(log, list)]
    return any(log for log in logs) and all(not isinstance(value, float | int) for log in logs for value in log)


def called_too_often(right: dict[str, Any], given: dict[str, Any]) -> bool:
    """The numbers are right, and networks of the caller saw more batches than there are."""
    pairs = list(zip(right["answers"], given["answers"], strict=True))
    same = all(trained_equally(mine, truth["losses"][0], [to_numpy(p) for p in truth["params"][0]]) for truth, mine in pairs)
    return same and any(len(mine["seen"] or []) > len(truth["seen"] or []) for truth, mine in pairs)


def accuracy_alone(right: dict[str, Any], given: dict[str, Any]) -> bool:
    """The losses are right and the accuracies are wrong."""
    pairs = [(a, b) for a, b in zip(right["results"], given["results"], strict=True) if isinstance(b, list) and len(b) == 2]
    numbers = all(isinstance(value, float | int) for _, mine in pairs for value in mine)
    if not numbers or len(pairs) != len(given["results"]):
        return False
    same = all(np.isclose(mine[0], truth[0], rtol=1e-7) for truth, mine in pairs)
    return bool(same and any(not np.isclose(mine[1], truth[1]) for truth, mine in pairs))


def as_expected(found: list[Any], due: list[Any]) -> bool:
    if len(found) != len(due) or any((a is None) != (b is None) for a, b in zip(found, due, strict=True)):
        return False
    return all(a is None or np.array_equal(to_numpy(a), to_numpy(b)) for a, b in zip(found, due, strict=True))


def recording_changed(right: dict[str, Any], given: dict[str, Any]) -> bool:
    return not as_expected(given["slopes"], right["slopes"])


def recorded(right: dict[str, Any], given: dict[str, Any]) -> bool:
    """Recording is restored and the gradients are kept, but a backward pass through the logits reaches the parameters."""
    kept = as_expected(given["slopes"], right["slopes"]) and as_expected(given["grads"], right["grads"])
    return kept and not as_expected(given["pulled"], right["pulled"])


def gradients_changed(right: dict[str, Any], given: dict[str, Any]) -> bool:
    return as_expected(given["slopes"], right["slopes"]) and not as_expected(given["grads"], right["grads"])


reads_as("trained", lambda answers, runs, times: {"answers": answers, "runs": runs})
for key, habits in HABITS.items():
    for where in ("few-steps", "trainings"):
        symptom(key, any_of(habits), check=where)
for where in ("few-steps", "trainings", "several-calls"):
    symptom("tensors-in-log", tensors_logged, check=where)
symptom("extra-forward", called_too_often, check="several-calls")
for where in ("evaluation", "other-evaluations", "nothing-recorded"):
    symptom("accuracy-wrong", accuracy_alone, check=where)
symptom("recording-not-restored", recording_changed, check="nothing-recorded")
symptom("evaluation-recorded", recorded, check="nothing-recorded")
symptom("writes-grad", gradients_changed, check="nothing-recorded")
