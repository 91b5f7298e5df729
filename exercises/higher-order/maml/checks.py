"""Meta-losses and their gradients against products of dense matrices I - lr H, computed along the inner steps in the judge."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec
import numpy as np
import torch

from autograder.judge.arrays import Numbers, to_numpy
from autograder.judge.checks import Student, Tolerance, check, expect, expect_close, fail, probe, tensor, variety
from autograder.judge.diagnosis import raises, reads_as, symptom
from sandbox.wire import Array

META = Tolerance(1e-8, 1e-11)
LAYOUTS = ("contiguous", "transposed", "strided")


@probe
def meta_losses(student, cases):
    """Every case `(name, values, tasks, options, factor, how)` is computed twice before the gradients are. The two results,
    the gradients of both, and what became of the list, of the tensors in it and of a tensor that loss_fn uses."""
    import torch

    build = {
        "line": lambda p, b: ((b[0] @ p[0] + p[1] - b[1]) ** 2).mean(),
        "network": lambda p, b: ((torch.tanh(b[0] @ p[0] + p[1]) @ p[2] - b[1]) ** 2).mean(),
        "waves": lambda p, b: torch.sin(p[0] * b).sum() + (p[1] ** 3).sum() * b.mean(),
        "spare": lambda p, b: ((torch.tanh(b[0] @ p[0]) * p[2] - b[1]) ** 2).mean(),
        "heads": lambda p, b: ((torch.tanh(b["x"] @ p[0]) @ p[1 + b["head"]] - b["y"]) ** 2).mean(),
        "power": lambda p, b: (p[0] * b[0] if b[1] == 1 else (p[0] * b[0]) ** b[1]).sum() + 0.5 * p[1].sum(),
    }

    def copy(t):
        return None if t is None else t.detach().clone()

    def attempt(given, sources):
        """A result and its gradients. None where there is no path."""
        if not isinstance(given, torch.Tensor):
            return [given, [None] * len(sources)]
        if not given.requires_grad or given.dim():
            return [given.detach(), [None] * len(sources)]
        found = torch.autograd.grad(given, sources, allow_unused=True, retain_graph=True)
        return [given.detach(), [copy(g) for g in found]]

    answers = []
    for name, sources, tasks, options, factor, how in cases:
        held = [*sources, factor]
        for t in held if how else sources:
            t.requires_grad_()
        for t in held if how == "grad" else []:
            t.grad = torch.full_like(t, 0.5)
        params = [2 * s for s in sources] if how == "computed" else list(sources)
        before = list(params)

        def loss_fn(p, batch, name=name, factor=factor):
            return factor * build[name](p, batch)

        first = student.maml_loss(loss_fn, params, tasks, **options)
        second = student.maml_loss(loss_fn, params, tasks, **options)
        answers.append(
            {
                "first": attempt(first, sources),
                "second": attempt(second, sources),
                "listed": [copy(t) for t in params],
                "data": [copy(t) for t in before],
                "grads": [copy(t.grad) for t in held],
                "flags": [t.requires_grad for t in [*before, *held]],
            }
        )
    return answers


class Answer(msgspec.Struct):
    """What the probe says about one case. A result and its gradients are a pair."""

    first: tuple[Any, list[Any]]
    second: tuple[Any, list[Any]]
    listed: list[Any]
    data: list[Any]
    grads: list[Any]
    flags: list[bool]


# -- the cases -------------------------------------------------------------------------------------------------------------


Batch = Any
Task = tuple[Batch, Batch]
Loss = Callable[[list[torch.Tensor], Batch], torch.Tensor]


def squared_errors(predicted: list[torch.Tensor], y: Numbers) -> torch.Tensor:
    return torch.stack([(p - float(t)) ** 2 for p, t in zip(predicted, y, strict=True)]).mean()


def rows(x: Numbers) -> list[torch.Tensor]:
    return list(torch.from_numpy(x))


LOSSES: dict[str, Loss] = {
    "line": lambda p, b: squared_errors([(row * p[0]).sum() + p[1] for row in rows(b[0])], b[1]),
    "network": lambda p, b: squared_errors([((p[0].T @ row + p[1]).tanh() * p[2]).sum() for row in rows(b[0])], b[1]),
    "waves": lambda p, b: (p[0] * torch.from_numpy(b)).sin().sum() + p[1].pow(3).sum() * b.mean(),
    "spare": lambda p, b: squared_errors([(row * p[0]).sum().tanh() * p[2] for row in rows(b[0])], b[1]),
    "heads": lambda p, b: squared_errors([((p[0].T @ r).tanh() * p[1 + b["head"]]).sum() for r in rows(b["x"])], b["y"]),
    "power": lambda p, b: (p[0] * torch.from_numpy(b[0])).pow(b[1]).sum() + p[1].sum() / 2,
}


@dataclass(frozen=True)
class Case:
    """A loss, the parameters before `how` is applied, tasks, and the options of the call."""

    name: str
    values: list[Numbers]
    tasks: list[Task]
    lr: float
    steps: int
    first_order: bool | None
    factor: float
    how: str = ""

    @property
    def times(self) -> float:
        return 2.0 if self.how == "computed" else 1.0

    @property
    def options(self) -> dict[str, Any]:
        options: dict[str, Any] = {"inner_lr": self.lr, "inner_steps": self.steps}
        return options if self.first_order is None else {**options, "first_order": self.first_order}

    def split(self, flat: torch.Tensor) -> list[torch.Tensor]:
        sizes = [v.size for v in self.values]
        return [part.reshape(v.shape) for part, v in zip(flat.split(sizes), self.values, strict=True)]

    def blocks(self) -> list[Numbers]:
        """For each parameter, which entries of the flat vector belong to it."""
        owner = np.repeat(np.arange(len(self.values)), [v.size for v in self.values])
        return [np.asarray(owner == n, dtype=np.float64) for n in range(len(self.values))]

    def start(self) -> Numbers:
        return self.times * np.concatenate([v.ravel() for v in self.values])

    def loss(self, at: Numbers, batch: Batch) -> float:
        return float(self.factor * LOSSES[self.name](self.split(torch.from_numpy(at)), batch))

    def slope(self, at: Numbers, batch: Batch) -> Numbers:
        flat = torch.from_numpy(at.copy()).requires_grad_()
        value = self.factor * LOSSES[self.name](self.split(flat), batch)
        return np.asarray(torch.autograd.grad(value, flat)[0].numpy())

    def curvature(self, at: Numbers, batch: Batch) -> Numbers:
        def value(flat: torch.Tensor) -> torch.Tensor:
            return self.factor * LOSSES[self.name](self.split(flat), batch)

        return np.asarray(torch.autograd.functional.hessian(value, torch.from_numpy(at.copy())).numpy())

    def gradients(self, flat: Numbers) -> list[Numbers]:
        return [self.times * part.numpy() for part in self.split(torch.from_numpy(flat))]

    def truth(self) -> tuple[Numbers, list[Numbers]]:
        """The meta-loss, and its gradients with respect to the sources of the parameters."""
        losses, slopes = [], []
        for support, query in self.tasks:
            at, change = self.start(), np.eye(len(self.start()))
            for _ in range(self.steps):
                if not self.first_order:
                    change = change - self.lr * self.curvature(at, support) @ change
                at = at - self.lr * self.slope(at, support)
            losses.append(self.loss(at, query))
            slopes.append(change.T @ self.slope(at, query))
        return np.asarray(np.mean(losses)), self.gradients(np.mean(slopes, axis=0))


def numbers(rng: np.random.Generator, *shape: int) -> Numbers:
    return np.asarray(rng.choice([-1.0, 1.0], shape) * rng.uniform(0.4, 1.2, shape))


def batch(rng: np.random.Generator, name: str, size: int, d: int, head: int = 0, power: int = 1) -> Batch:
    x, y = numbers(rng, size, d), numbers(rng, size)
    return {"waves": x[0], "heads": {"x": x, "y": y, "head": head}, "power": (x[0], power)}.get(name, (x, y))


def case(
    rng: np.random.Generator,
    name: str,
    steps: int = 1,
    first_order: bool | None = None,
    sizes: tuple[tuple[int, int], ...] = ((3, 4), (2, 3)),
    d: int = 2,
    how: str = "",
) -> Case:
    """One task for each pair of sizes, of the support and of the query."""
    hidden = 2
    shapes: dict[str, list[tuple[int, ...]]] = {
        "line": [(d,), ()],
        "network": [(d, hidden), (hidden,), (hidden,)],
        "waves": [(d,), (1, 2)],
        "spare": [(d,), (2, 2), ()],
        "heads": [(d, hidden), (hidden,), (hidden,), (hidden,)],
        "power": [(d,), (2, 1)],
    }
    values = [numbers(rng, *shape) for shape in shapes[name]]
    tasks: list[Task] = []
    for n, (support, query) in enumerate(sizes):
        given = batch(rng, name, support, d, n % 3, 1)
        tasks.append((given, batch(rng, name, query, d, (n + n // 2) % 3, 2 + n % 2)))
    lr, factor = float(rng.uniform(0.15, 0.3)), float(rng.uniform(0.8, 1.2))
    return Case(name, values, tasks, lr, steps, first_order, factor, how)


def sent(part: Case, number: int = 0) -> list[Any]:
    def moved(value: Any, place: int) -> Any:
        if isinstance(value, np.ndarray):
            return tensor(value, layout=LAYOUTS[(number + place) % 3])
        if isinstance(value, dict):
            return {key: moved(item, n) for n, (key, item) in enumerate(value.items())}
        return tuple(moved(item, n) for n, item in enumerate(value)) if isinstance(value, tuple) else value

    tasks = [moved(task, n) for n, task in enumerate(part.tasks)]
    values = [moved(value, n) for n, value in enumerate(part.values)]
    return [part.name, values, tasks, part.options, tensor(np.asarray(part.factor)), part.how]


def expect_result(part: Case, found: tuple[Any, list[Any]], call: str, shown: dict[str, Any]) -> None:
    value, grads = part.truth()
    loss, given = found
    expect_close(loss, tensor(value), f"The result of {call}", shown, META)
    expect(len(given) == len(grads), "The gradients could not be read.")
    for n, (mine, right) in enumerate(zip(given, grads, strict=True)):
        what = f"The gradient of {call} with respect to params[{n}]"
        if mine is None and right.any():
            raise fail(f"{what} is missing: no gradient arrives there.", what, shown, expected=tensor(right))
        if mine is not None:
            expect_close(mine, tensor(right), what, shown, META)


def expect_kept(part: Case, answer: Answer, call: str, shown: dict[str, Any]) -> None:
    """The judge compares the list and the tensors after the calls with what it sent."""
    count = len(part.values)
    expect(len(answer.listed) == len(answer.data) == count, f"After {call}, the list params has another length.", call)
    for where, tensors in (("The list params", answer.listed), ("The parameters", answer.data)):
        for n, (value, after) in enumerate(zip(part.values, tensors, strict=True)):
            what = f"{where} after {call}, entry {n},"
            expect_close(after, tensor(part.times * value), what, shown, Tolerance(1e-15, 0.0))
    expect(
        answer.flags == [*[True] * 2 * count, part.how != ""],
        f"{call} changed requires_grad of a tensor of the caller.",
        call,
    )
    expect(len(answer.grads) == count + 1, "The gradients of the caller could not be read.")
    for value, after in zip([*part.values, np.asarray(part.factor)], answer.grads, strict=True):
        message = f"{call} changed .grad of a parameter, or of a tensor that loss_fn uses."
        expect((after is None) == (part.how != "grad"), message, call, shown)
        if after is not None:
            expect_close(after, tensor(np.full(value.shape, 0.5)), f".grad of a tensor of the caller after {call}", shown)


def expect_meta(student: Student, cases: list[Case], *, kept: bool = True) -> None:
    answers = student.run(meta_losses, [sent(part, n) for n, part in enumerate(cases)], returns=list[Answer])
    expect(len(answers) == len(cases), "The results could not be read.")
    for part, answer in zip(cases, answers, strict=True):
        tasks = f"{len(part.tasks)} task{'s' if len(part.tasks) > 1 else ''}"
        order = ", first_order=True" if part.first_order else ""
        call = f"maml_loss for the loss {part.name!r} and {tasks}, inner_steps={part.steps}{order},"
        shown = {f"params[{n}]": part.times * value for n, value in enumerate(part.values)} | {"inner_lr": part.lr}
        expect_result(part, answer.first, call, shown)
        expect_result(part, answer.second, f"a second call of {call}", shown)
        if kept:
            expect_kept(part, answer, call.removesuffix(","), shown)


# -- the checks ------------------------------------------------------------------------------------------------------------


@check("One task: value and gradient", points=3)
def one_task(student: Student, rng: np.random.Generator) -> None:
    cases = [case(rng, name, steps, sizes=((3, 4),)) for name in ("line", "network") for steps in (1, 2)]
    expect_meta(student, cases)


@check("Several tasks", points=2)
def several_tasks(student: Student, rng: np.random.Generator) -> None:
    expect_meta(student, [case(rng, "line", 1), case(rng, "network", 2, sizes=((3, 2), (4, 1), (2, 5)))])


@check("First order", points=2, seconds=1)
def first_order(student: Student, rng: np.random.Generator) -> None:
    expect_meta(student, [case(rng, name, steps, True) for name in ("line", "network") for steps in (1, 2)])


@check("Other losses, sizes and numbers of steps", points=3, hidden=True, seconds=1.5)
def other_sizes(student: Student, rng: np.random.Generator) -> None:
    many = ((1, 5), (4, 1), (2, 2), (1, 1))
    cases = [case(rng, name, steps, False) for name in ("network", "waves") for steps in (0, 1, 3)]
    cases += [case(rng, name, 3, False, many, d) for name, d in (("line", 1), ("waves", 3), ("network", 4))]
    zeros = case(rng, "network", 2)
    zeros.values[1][:], zeros.values[2][0] = 0.0, -0.0
    zeros.tasks[0][0][0][0] = 0.0
    same = case(rng, "network", 2)
    again = same.tasks[0][0]
    expect_meta(student, [*cases, zeros, replace(same, tasks=[(again, again)] * 2), replace(case(rng, "waves", 2), lr=0.0)])


@check("First order for other losses, sizes and numbers of steps", points=1, hidden=True, seconds=1)
def other_first_order(student: Student, rng: np.random.Generator) -> None:
    cases = [case(rng, name, steps, True) for name in ("network", "waves") for steps in (0, 1, 3)]
    expect_meta(student, [*cases, case(rng, "heads", 2, True), case(rng, "power", 1, True), case(rng, "spare", 2, True)])


@check("Parameters that a loss ignores, and linear losses", points=2, hidden=True, seconds=1.25)
def ignored(student: Student, rng: np.random.Generator) -> None:
    cases = [case(rng, name, steps) for name in ("spare", "heads", "power") for steps in (0, 1, 2)]
    five = ((2, 3), (3, 1), (1, 2), (2, 2), (4, 1))
    expect_meta(student, [*cases, case(rng, "heads", 2, False, five), case(rng, "power", 2, False, five)])


@check("Parameters with a history or with a gradient", points=1, hidden=True, seconds=1)
def callers(student: Student, rng: np.random.Generator) -> None:
    hows, flags = ("grad", "computed"), (False, True)
    expect_meta(student, [case(rng, name, 2, flag, how=how) for how in hows for name in ("line", "spare") for flag in flags])


@probe
def meta_trained(student, values, rounds, options, rate):
    """Gradient descent on the meta-loss of a network, with other tasks in each round. The losses, and the parameters at the end."""
    import torch

    def loss_fn(p, batch):
        return ((torch.tanh(batch[0] @ p[0] + p[1]) @ p[2] - batch[1]) ** 2).mean()

    params = [v.clone().requires_grad_() for v in values]
    losses = []
    for tasks in rounds:
        loss = student.maml_loss(loss_fn, params, tasks, **options)
        loss.backward()
        losses.append(loss.detach())
        with torch.no_grad():
            for p in params:
                p -= rate * p.grad
                p.grad = None
    return {"losses": losses, "params": [p.detach() for p in params]}


class Trained(msgspec.Struct):
    losses: list[Any]
    params: list[Any]


def rounds_of(rng: np.random.Generator, first_order: bool) -> list[Case]:
    """The same parameters with other tasks for each round."""
    part = case(rng, "network", 2, first_order)
    sizes = ((2, 3), (3, 2), (1, 2))
    return [replace(part, factor=1.0, tasks=case(rng, "network", sizes=sizes).tasks) for _ in range(5)]


def ask_trained(student: Student, rounds: list[Case], rate: float) -> Trained:
    tasks = [sent(part)[2] for part in rounds]
    return student.run(meta_trained, [tensor(v) for v in rounds[0].values], tasks, rounds[0].options, rate, returns=Trained)


@check("A few steps of meta-training", points=1, hidden=True, seconds=2)
def meta_training(student: Student, rng: np.random.Generator) -> None:
    for flag in (False, True):
        rounds, rate = rounds_of(rng, flag), float(rng.uniform(0.1, 0.2))
        answer = ask_trained(student, rounds, rate)
        expect(
            len(answer.losses) == len(rounds) and len(answer.params) == 3, "The results of the training could not be read."
        )
        values = rounds[0].values
        for n, part in enumerate(rounds):
            loss, slopes = replace(rounds[0], values=values, tasks=part.tasks).truth()
            what = f"The meta-loss in round {n + 1} of a training with first_order={flag}"
            expect_close(answer.losses[n], tensor(loss), what, None, META)
            values = [value - rate * slope for value, slope in zip(values, slopes, strict=True)]
        for n, (given, right) in enumerate(zip(answer.params, values, strict=True)):
            expect_close(given, tensor(right), f"params[{n}] after {len(rounds)} rounds of training", None, META)


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    cases = []
    for name in ("line", "network", "waves", "spare", "heads", "power"):
        sizes = tuple((int(a), int(b)) for a, b in rng.integers(1, 4, size=(int(rng.integers(1, 4)), 2)))
        flag = (None, False, True)[int(rng.integers(3))]
        how = str(rng.choice(["", "grad", "computed"]))
        part = case(rng, name, int(rng.integers(0, 4)), flag, sizes, int(rng.integers(1, 4)), how)
        part.values[0][:] *= rng.choice([0.0, 1.0, 1.0], part.values[0].shape)
        cases.append(part)
    student.run(meta_losses, [sent(part, n) for n, part in enumerate(cases)], returns=list[Answer])
    ask_trained(student, rounds_of(rng, bool(rng.integers(2))), 0.1)


# -- what a wrong answer shows -------------------------------------------------------------------------------------------


Habit = dict[str, Any]


class Path:
    """Where a task is after some inner steps, and the derivative of that with respect to the parameters."""

    def __init__(self, part: Case, habit: Habit) -> None:
        self.part, self.habit = part, habit
        self.at, self.start, self.change = part.start(), part.start(), np.eye(len(part.start()))

    def follow(self, supports: list[Batch], query: Batch) -> None:
        """All steps of one task. The support loss is the sum of these batches, times a weight."""
        part, habit = self.part, self.habit
        steps = habit.get("steps", lambda count: count)(part.steps)
        first, one, rate = self.at.copy(), self.change.copy(), habit.get("rate", part.lr)
        for k in range(steps):
            given = [query] if habit.get("support") == "query" else supports
            blocks = part.blocks() if habit.get("one by one") else [np.ones_like(self.at)]
            for block in blocks:
                stale = habit.get("gradient") == "start"
                place, bound = (first, one) if stale else (self.at, self.change)
                weight = habit.get("weight", 1.0) / (1 if habit.get("summed") else len(given))
                move = sum((weight * part.slope(place, b) for b in given), np.zeros_like(place)) * block
                bend = sum((weight * part.curvature(place, b) for b in given), np.zeros((len(place),) * 2))
                curved = habit.get("curved", lambda flag, k, steps: not flag)(bool(part.first_order), k, steps)
                at, change = (first, one) if habit.get("base") == "start" else (self.at, self.change)
                self.at = at - rate * move
                self.change = change - (rate * block[:, None] * bend @ bound if curved else 0.0)

    def result(self, support: Batch, query: Batch) -> tuple[float, Numbers]:
        kind = self.habit.get("result", "query")
        if kind == "query at start":
            return self.part.loss(self.start, query), self.part.slope(self.start, query)
        batches = {"query": [query], "support": [support], "both": [query, support]}[kind]
        loss = sum(self.part.loss(self.at, b) for b in batches)
        return loss, sum((self.change.T @ self.part.slope(self.at, b) for b in batches), np.zeros_like(self.at))


def simulated(part: Case, habit: Habit) -> tuple[Numbers, list[Numbers]]:
    """The result and the gradients of a program with one other rule."""
    results = []
    path = Path(part, habit)
    for n, (support, query) in enumerate(part.tasks):
        if habit.get("tasks") not in ("chained", "chained data", "chained leaves", "joint"):
            path = Path(part, habit)
        if habit.get("tasks") == "chained data":
            path.change = np.eye(len(path.at))
        if habit.get("tasks") == "chained leaves" and n > 0:
            path.change = np.zeros_like(path.change)
        if habit.get("tasks") != "joint":
            path.follow([support], query)
        elif n == 0:
            path.follow([given for given, _ in part.tasks], query)
        results.append(path.result(support, query))
    losses, slopes = [loss for loss, _ in results], [slope for _, slope in results]
    kept = {"last": slice(-1, None), "first": slice(1)}.get(habit.get("kept", ""), slice(None))
    divisor = {"sum": 1, "all": len(part.tasks)}.get(habit.get("mean", ""), len(losses[kept]))
    total = sum(slopes[kept], np.zeros_like(slopes[0])) / divisor
    return np.asarray(sum(losses[kept]) / divisor), part.gradients(total)


def asked(question: Any) -> Case:
    name, values, tasks, options, factor, how = question

    def plain(value: Any) -> Any:
        if isinstance(value, Array):
            return to_numpy(value)
        if isinstance(value, dict):
            return {key: plain(item) for key, item in value.items()}
        return tuple(plain(item) for item in value) if isinstance(value, list | tuple) else value

    given = [(plain(support), plain(query)) for support, query in tasks]
    flag = options.get("first_order")
    numbers_ = [np.array(to_numpy(v)) for v in values]
    return Case(name, numbers_, given, options["inner_lr"], options["inner_steps"], flag, float(to_numpy(factor)), how)


def equal(result: Sequence[Any], loss: Numbers, grads: list[Numbers]) -> bool:
    given, found = result
    if not isinstance(given, Array) or given.shape != loss.shape or len(found) != len(grads):
        return False
    pairs = [(to_numpy(given), loss)]
    for mine, right in zip(found, grads, strict=True):
        pairs.append((np.zeros_like(right) if mine is None else to_numpy(mine), right))
    return all(a.shape == b.shape and np.allclose(a, b, rtol=1e-7, atol=1e-10) for a, b in pairs)


def with_habit(**habit: Any) -> Callable[[Any, Any], bool]:
    """All results and gradients are those of a program with this habit, and some of them are wrong."""

    def when(right: dict[str, Any], given: dict[str, Any]) -> bool:
        differs = False
        for question, mine, truth in zip(right["cases"], given["answers"], right["answers"], strict=True):
            loss, grads = simulated(asked(question), habit)
            if not equal(mine["first"], loss, grads):
                return False
            differs |= not equal(truth["first"], loss, grads)
        return differs

    return when


HABITS: dict[str, list[Habit]] = {
    "missing-create-graph": [{"curved": lambda flag, k, steps: False}],
    "first-order-ignored": [{"curved": lambda flag, k, steps: True}],
    "first-order-by-default": [{"curved": lambda flag, k, steps: flag}],
    "second-order-of-one-step": [
        {"curved": lambda flag, k, steps: not flag and k == steps - 1},
        {"curved": lambda flag, k, steps: not flag and k == 0},
    ],
    "tasks-not-independent": [{"tasks": kind} for kind in ("chained", "chained data", "chained leaves")],
    "one-adaptation-for-all": [{"tasks": "joint"}, {"tasks": "joint", "summed": True}],
    "tasks-left-out": [{"kept": "last"}, {"kept": "first"}, {"kept": "last", "mean": "all"}],
    "sum-vs-mean": [{"mean": "sum"}],
    "support-loss-as-result": [{"result": "support"}],
    "query-used-for-adaptation": [{"support": "query"}, {"support": "query", "result": "support"}],
    "query-at-initial-parameters": [{"result": "query at start"}],
    "losses-added": [{"result": "both"}],
    "stale-parameters": [{"gradient": "start"}, {"base": "start"}],
    "one-parameter-at-a-time": [{"one by one": True}],
    "wrong-sign": [{"weight": -1.0}],
    "missing-learning-rate": [{"rate": 1.0}],
    "wrong-step-count": [
        {"steps": lambda count: 1},
        {"steps": lambda count: min(count, 1)},
        {"steps": lambda count: max(count, 1)},
        {"steps": lambda count: count + 1},
        {"steps": lambda count: max(count - 1, 0)},
    ],
}


def any_of(habits: list[Habit]) -> Callable[[Any, Any], bool]:
    tests = [with_habit(**habit) for habit in habits]
    return lambda right, given: any(test(right, given) for test in tests)


def reading(answers: list[dict[str, Any]], cases: Any) -> dict[str, Any]:
    """A gradient of zeros is as good as none."""

    def plain(result: Any) -> list[Any]:
        value, grads = result
        return [value, [g if isinstance(g, Array) and to_numpy(g).any() else None for g in grads]]

    both = [{**entry, "first": plain(entry["first"]), "second": plain(entry["second"])} for entry in answers]
    return {"answers": both, "cases": cases}


def lost(condition: Callable[[Any, list[bool], list[bool]], bool]) -> Callable[[Any, Any], bool]:
    """All values are right, gradients are missing somewhere, and where they are is as the condition says. Its arguments are the
    options of the call, which gradients should exist, and which do."""

    def when(right: dict[str, Any], given: dict[str, Any]) -> bool:
        missing = False
        for question, mine, truth in zip(right["cases"], given["answers"], right["answers"], strict=True):
            (value, grads), (wanted, due) = mine["first"], truth["first"]
            if not equal([value, []], to_numpy(wanted), []) or len(grads) != len(due):
                return False
            exist, should = [g is not None for g in grads], [g is not None for g in due]
            if not condition(question[3], should, exist):
                return False
            missing |= exist != should
        return missing

    return when


def any_differs(field: str) -> Callable[[Any, Any], bool]:
    def same(left: Any, right: Any) -> bool:
        if left is None or right is None:
            return left is right
        return left.shape == right.shape and bool(np.allclose(to_numpy(left), to_numpy(right), rtol=1e-12, atol=0.0))

    def when(right: dict[str, Any], given: dict[str, Any]) -> bool:
        pairs = [(truth[field], mine[field]) for truth, mine in zip(right["answers"], given["answers"], strict=True)]
        return any(len(a) != len(b) or not all(map(same, a, b)) for a, b in pairs)

    return when


moved_list, moved_data, other_grads = any_differs("listed"), any_differs("data"), any_differs("grads")


def second_differs(right: dict[str, Any], given: dict[str, Any]) -> bool:
    if moved_list(right, given) or moved_data(right, given):
        return False
    values = [(to_numpy(mine["first"][0]), to_numpy(mine["second"][0])) for mine in given["answers"]]
    return any(not np.allclose(a, b, rtol=1e-9, atol=0.0) for a, b in values)


reads_as("meta_losses", reading)
for key, habits in HABITS.items():
    symptom(key, any_of(habits))
symptom("graphless-result", lost(lambda options, should, exist: not any(exist)))
symptom(
    "first-order-detached",
    lost(lambda options, should, exist: not any(exist) if options.get("first_order") else exist == should),
)
symptom(
    "detached-inner-step",
    lost(lambda options, should, exist: not any(exist) if options["inner_steps"] > 1 else exist == should),
)
symptom("ignored-parameter-lost", lost(lambda options, should, exist: any(exist)), check="ignored")
symptom("in-place-update", lambda right, given: moved_list(right, given) or moved_data(right, given))
symptom("writes-grad", other_grads, check="callers")
symptom("state-between-calls", second_differs)
for where in ("one-task", "several-tasks", "first-order", "other-sizes", "callers"):
    symptom("in-place-update", raises("modified by an inplace operation"), check=where, raised=True)
for where in ("ignored", "other-first-order", "callers"):
    symptom("ignored-parameter-crashes", raises("not to have been used", "NoneType"), check=where, raised=True)
symptom("crash-when-constant", raises("element 0 of tensors does not require grad"), check="ignored", raised=True)
