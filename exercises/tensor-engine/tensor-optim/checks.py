"""Whole runs of optimisers with prescribed gradients. The reference has no recurrences: the velocity of a parameter is a sum
over all gradients that it has received, and the corrected averages of Adam are weighted means of them.
"""

from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np

from autograder.judge.arrays import Numbers, to_numpy
from autograder.judge.checks import Student, array, check, expect, expect_close, probe, variety
from autograder.judge.checks.random_programs import drawn, random_program
from autograder.judge.checks.recording import record_expected
from autograder.judge.checks.tensors import ComparedTensors, TensorProgram, ask_programs, expect_tensor_programs
from autograder.judge.diagnosis import raises, reads_as, symptom

Shape = tuple[int, ...]


class Round(msgspec.Struct):
    """One step of the optimiser with this number, with the gradients of all its parameters. A new learning rate is assigned
    before it. Afterwards the arrays of the gradients are overwritten, and the next round can reuse them."""

    optimiser: int
    grads: list[Numbers | None]
    lr: float | None = None


class Run(msgspec.Struct):
    """Optimisers as pairs of a name and arguments, the numbers of their parameters, and their rounds."""

    data: list[Numbers]
    optimisers: list[tuple[str, dict[str, Any], list[int]]]
    rounds: list[Round]
    reuses_arrays: bool = False
    from_generator: bool = False
    by_position: bool = False

    @property
    def sent(self) -> dict[str, Any]:
        rounds = [[r.optimiser, [None if g is None else array(g) for g in r.grads], r.lr] for r in self.rounds]
        flags = [self.reuses_arrays, self.from_generator, self.by_position]
        return {"data": [array(d) for d in self.data], "optimisers": self.optimisers, "rounds": rounds, "flags": flags}


def asked(sent: dict[str, Any]) -> Run:
    """The run of a question."""
    rounds = [Round(n, [None if g is None else to_numpy(g) for g in grads], lr) for n, grads, lr in sent["rounds"]]
    return Run([to_numpy(d) for d in sent["data"]], [tuple(o) for o in sent["optimisers"]], rounds, *sent["flags"])


@probe
def stepped(student, runs):
    """The data of all parameters after each round, whether they are the same arrays, and the gradients after the step."""
    import numpy as np

    answer = []
    for run in runs:
        reuses_arrays, from_generator, by_position = run["flags"]
        params = [student.Tensor(np.array(values), requires_grad=True) for values in run["data"]]
        held = [p.data for p in params]
        optimisers = []
        for name, options, numbers in run["optimisers"]:
            own = [params[n] for n in numbers]
            given = (p for p in own) if from_generator else own
            positional = list(options.values()) if by_position else []
            optimisers.append((getattr(student, name)(given, *positional, **({} if by_position else options)), own))
        rounds = []
        buffers = {}
        for number, grads, lr in run["rounds"]:
            optimiser, own = optimisers[number]
            if lr is not None:
                optimiser.lr = lr
            for p, g in zip(own, grads):
                p.grad = None if g is None else np.array(g)
                if reuses_arrays and g is not None:
                    p.grad = buffers.setdefault(id(p), p.grad)
                    p.grad[...] = g
            given = [p.grad for p in own]
            optimiser.step()
            rounds.append(
                {
                    "data": [np.array(p.data) for p in params],
                    "same": [p.data is before for p, before in zip(params, held)],
                    "held": [np.array(before) for before in held],
                    "kept": [p.grad is g for p, g in zip(own, given)],
                    "grads": [None if g is None else np.array(g) for g in given],
                }
            )
            for g in given:
                if g is not None:
                    g[...] = g * -3.0 + 0.5
        answer.append(rounds)
    return answer


class After(msgspec.Struct):
    data: list[Any]
    same: list[bool]
    held: list[Any]
    kept: list[bool]
    grads: list[Any]


# -- the reference -----------------------------------------------------------------------------------------------------------


def weighted_sum(grads: list[Numbers], beta: float) -> Numbers:
    """The last gradient, plus beta times the one before, and so on."""
    return np.asarray(sum(beta**age * g for age, g in enumerate(reversed(grads))))


def sgd_step(grads: list[Numbers], lr: float, momentum: float = 0.0) -> Numbers:
    return lr * weighted_sum(grads, momentum)


def adam_step(
    grads: list[Numbers], lr: float = 0.001, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8
) -> Numbers:
    ones = [np.ones(())] * len(grads)
    mean = weighted_sum(grads, betas[0]) / weighted_sum(ones, betas[0])
    square = weighted_sum([g * g for g in grads], betas[1]) / weighted_sum(ones, betas[1])
    return lr * mean / (np.sqrt(square) + eps)


def truth(run: Run) -> list[list[Numbers]]:
    """The data of all parameters after each round."""
    data, rates = list(run.data), [options.get("lr") for _, options, _ in run.optimisers]
    received: dict[tuple[int, int], list[Numbers]] = {}
    found = []
    for part in run.rounds:
        name, options, numbers = run.optimisers[part.optimiser]
        if part.lr is not None:
            rates[part.optimiser] = part.lr
        rate = rates[part.optimiser]
        settings = {**options, **({} if rate is None else {"lr": rate})}
        for n, g in zip(numbers, part.grads, strict=True):
            if g is not None:
                grads = received.setdefault((part.optimiser, n), [])
                grads.append(g)
                data[n] = data[n] - (sgd_step if name == "SGD" else adam_step)(grads, **settings)
        found.append(list(data))
    return found


def words(run: Run, optimiser: int) -> str:
    """The call that created an optimiser, for messages."""
    name, options, numbers = run.optimisers[optimiser]
    settings = "".join(f", {key}={value!r}" for key, value in options.items())
    return f"{name}([{', '.join(f'p{n}' for n in numbers)}]{settings})"


def expect_steps(student: Student, runs: list[Run]) -> None:
    answers = student.run(stepped, [run.sent for run in runs], returns=list[list[After]])
    expect(len(answers) == len(runs), "The results of the steps could not be read.")
    for run, rounds in zip(runs, answers, strict=True):
        truths = truth(run)
        expect(len(rounds) == len(truths), "The results of the steps could not be read.")
        for place, (right, after) in enumerate(zip(truths, rounds, strict=True)):
            expect_one(run, place, right, after)


def expect_one(run: Run, place: int, right: list[Numbers], after: After) -> None:
    part = run.rounds[place]
    numbers = run.optimisers[part.optimiser][2]
    count = len(run.data)
    lengths = [len(after.data), len(after.same), len(after.held)]
    expect(lengths == [count] * 3, "The results of the steps could not be read.")
    expect(len(after.kept) == len(after.grads) == len(numbers), "The results of the steps could not be read.")
    when = f"step {place + 1}, a step of {words(run, part.optimiser)}"
    for n, (mine, value) in enumerate(zip(after.data, right, strict=True)):
        shown: dict[str, Any] = {f"p{n} in the beginning": run.data[n]}
        for step, earlier in enumerate(run.rounds[: place + 1]):
            own = run.optimisers[earlier.optimiser][2]
            if n in own and step > place - 4:
                shown[f"p{n}.grad in step {step + 1}"] = earlier.grads[own.index(n)]
            if earlier.lr is not None:
                shown[f"lr from step {step + 1} on"] = earlier.lr
        expect_close(mine, value, f"p{n}.data after {when},", shown)
        expect(after.same[n], f"p{n}.data should be the same array object as before {when}.", f"p{n}.data", shown)
        expect_close(after.held[n], value, f"The array that p{n}.data was in the beginning, after {when},", shown)
    for n, kept, mine, g in zip(numbers, after.kept, after.grads, part.grads, strict=True):
        expect(kept, f"p{n}.grad should be the same object as before {when}.", f"p{n}.grad")
        record_expected(g)
        if g is not None:
            expect_close(mine, g, f"The array p{n}.grad after {when},")


# -- runs --------------------------------------------------------------------------------------------------------------------


def run_of(
    rng: np.random.Generator,
    name: str,
    options: dict[str, Any],
    shapes: list[Shape],
    steps: int,
    *,
    skips: float = 0.0,
    rates: bool = False,
    **flags: bool,
) -> Run:
    """Random gradients for one optimiser. Some parameters have none, and the learning rate changes, if that is asked for."""
    rounds = []
    for step in range(steps):
        grads: list[Numbers | None] = [None if rng.random() < skips else drawn(rng, shape) for shape in shapes]
        rounds.append(Round(0, grads, rate(rng) if rates and step else None))
    data = [drawn(rng, shape) for shape in shapes]
    return Run(data, [(name, options, list(range(len(shapes))))], rounds, **flags)


def rate(rng: np.random.Generator) -> float:
    return round(float(rng.uniform(0.05, 0.5)), 3)


def betas(rng: np.random.Generator) -> tuple[float, float]:
    """Two different numbers, the larger one in either place."""
    first, second = round(float(rng.uniform(0.3, 0.6)), 2), round(float(rng.uniform(0.7, 0.95)), 2)
    return (first, second) if rng.random() < 0.7 else (second, first)


@check("Plain gradient descent", points=1)
def plain(student: Student, rng: np.random.Generator) -> None:
    expect_steps(student, [run_of(rng, "SGD", {"lr": rate(rng)}, [(3,), (2, 2)], 3)])


@check("Momentum", points=2)
def momentum(student: Student, rng: np.random.Generator) -> None:
    options = {"lr": rate(rng), "momentum": round(float(rng.uniform(0.3, 0.8)), 2)}
    expect_steps(student, [run_of(rng, "SGD", options, [(2,), (2,)], 4)])


@check("Adam", points=2)
def adam(student: Student, rng: np.random.Generator) -> None:
    options = {"lr": rate(rng), "betas": betas(rng), "eps": round(float(rng.uniform(0.1, 0.5)), 2)}
    expect_steps(student, [run_of(rng, "Adam", options, [(2,), (2,)], 4), run_of(rng, "Adam", {"lr": 0.1}, [(3,)], 3)])


def momentum_runs(rng: np.random.Generator) -> list[Run]:
    """Learning rates that change, among them 0; gradients of zeros; a momentum of 0 and near 1."""
    changing = run_of(rng, "SGD", {"lr": rate(rng), "momentum": 0.7}, [(2,), (1, 3)], 5, rates=True)
    changing.rounds[2].lr = 0.0
    zeros = run_of(rng, "SGD", {"lr": rate(rng), "momentum": 0.6}, [(2,), (3,)], 4)
    zeros.rounds[1].grads = [np.zeros(2), drawn(rng, (3,)) * [0.0, 1.0, 0.0]]
    zeros.rounds[2].grads[1] = np.zeros(3)
    plain_rates = run_of(rng, "SGD", {"lr": 1, "momentum": 0.0}, [(2,)], 3, rates=True)
    strong = run_of(rng, "SGD", {"lr": rate(rng), "momentum": 0.99}, [(), (2, 0)], 8)
    placed = run_of(rng, "SGD", {"lr": rate(rng), "momentum": 0.5}, [(2,)], 3, by_position=True)
    return [changing, zeros, plain_rates, strong, placed]


@check("Momentum with other rates and gradients", points=1.5, hidden=True)
def other_momentum(student: Student, rng: np.random.Generator) -> None:
    expect_steps(student, momentum_runs(rng))


def adam_runs(rng: np.random.Generator) -> list[Run]:
    """All settings; gradients of zeros, tiny and huge ones; betas of 0; many steps."""
    random = [
        run_of(rng, "Adam", {"lr": rate(rng), "betas": betas(rng), "eps": eps}, [(2, 2), (3,)], 4, rates=eps == 0.3)
        for eps in (0.3, 1e-3, 1e-8)
    ]
    defaults = run_of(rng, "Adam", {}, [(2,)], 4)
    tiny = run_of(rng, "Adam", {"lr": rate(rng)}, [(3,)], 4)
    for part in tiny.rounds:
        part.grads = [drawn(rng, (3,)) * [1e-8, 1e-9, 1e6]]
    zeros = run_of(rng, "Adam", {"lr": rate(rng), "betas": betas(rng), "eps": 0.1}, [(2,), (2,)], 5)
    zeros.rounds[0].grads[0], zeros.rounds[2].grads = np.zeros(2), [np.zeros(2), -np.zeros(2)]
    without = [
        run_of(rng, "Adam", {"lr": rate(rng), "betas": pair}, [(2,)], 3) for pair in ((0.0, 0.9), (0.9, 0.0), (0.0, 0.0))
    ]
    long = run_of(rng, "Adam", {"lr": rate(rng), "betas": (0.9, 0.99), "eps": 1e-4}, [(), (0,), (1, 2)], 30)
    placed = run_of(rng, "Adam", {"lr": rate(rng), "betas": betas(rng), "eps": 0.2}, [(2,)], 3, by_position=True)
    return [*random, defaults, tiny, zeros, *without, long, placed]


@check("Adam with other settings and gradients", points=1.5, hidden=True)
def other_adam(student: Student, rng: np.random.Generator) -> None:
    expect_steps(student, adam_runs(rng))


def skipping(rng: np.random.Generator) -> list[Run]:
    """One parameter without a gradient in the beginning, in the middle, at the end, or always; random ones."""
    runs = []
    settings: list[tuple[str, dict[str, Any]]] = [
        ("SGD", {"lr": rate(rng), "momentum": 0.6}),
        ("SGD", {"lr": rate(rng)}),
        ("Adam", {"lr": rate(rng), "betas": betas(rng), "eps": 0.1}),
    ]
    for name, options in settings:
        for missing in ((0, 1), (2,), (1, 2), (0, 1, 2, 3, 4)):
            run = run_of(rng, name, options, [(2,), (2,)], 5)
            for step in missing:
                run.rounds[step].grads[0] = None
            runs.append(run)
        runs.append(run_of(rng, name, options, [(2,), (1,), (2, 2)], 6, skips=0.4))
    return runs


@check("Parameters without a gradient", points=1.5, hidden=True)
def without_gradient(student: Student, rng: np.random.Generator) -> None:
    expect_steps(student, skipping(rng))


def reusing(rng: np.random.Generator) -> list[Run]:
    """All steps of a parameter find their gradient in the same array."""
    options: dict[str, Any] = {"lr": rate(rng), "momentum": 0.6}
    first = run_of(rng, "SGD", options, [(2,), (2, 2), ()], 4, reuses_arrays=True)
    second = run_of(rng, "Adam", {"lr": rate(rng), "betas": betas(rng), "eps": 0.1}, [(2,), ()], 4, reuses_arrays=True)
    return [first, second, run_of(rng, "SGD", {"lr": rate(rng)}, [(2,), ()], 2, reuses_arrays=True)]


@check("Arrays of gradients that are used again", points=1, hidden=True)
def reused_arrays(student: Student, rng: np.random.Generator) -> None:
    expect_steps(student, reusing(rng))


def together(rng: np.random.Generator) -> list[Run]:
    """Several optimisers in turn, for different parameters and for the same; equal data; parameters from a generator."""
    runs = []
    adam_options = {"lr": rate(rng), "betas": betas(rng), "eps": 0.1}
    sgd_options = {"lr": rate(rng), "momentum": 0.6}
    for left, right in (("SGD", "SGD"), ("Adam", "Adam"), ("SGD", "Adam")):
        for shared in (False, True):
            chosen = [(name, adam_options if name == "Adam" else sgd_options) for name in (left, right)]
            numbers = [[0, 1], [0, 1] if shared else [2, 3]]
            optimisers = [(name, options, own) for (name, options), own in zip(chosen, numbers, strict=True)]
            rounds = [Round(n, [drawn(rng, (2,)) for _ in range(2)]) for n in (0, 1, 1, 0, 1)]
            runs.append(Run([drawn(rng, (2,)) for _ in range(4)], optimisers, rounds))
    for name, options in (("SGD", sgd_options), ("Adam", adam_options)):
        alike = run_of(rng, name, options, [(2,), (2,), (2,)], 3, from_generator=True)
        alike.data = [alike.data[0]] * 3
        runs += [alike, run_of(rng, name, options, [(3,), ()], 3, from_generator=True)]
    return runs


@check("Several optimisers, equal parameters, generators", points=0.75, hidden=True)
def independent(student: Student, rng: np.random.Generator) -> None:
    expect_steps(student, together(rng))


@probe
def descended(student, name, options, p, q, a, steps):
    """Minimises the sum of (p * a + q) ** 2. Data after every step, gradients before and after zero_grad, flags."""
    import numpy as np

    p, q = (student.Tensor(np.array(values), requires_grad=True) for values in (p, q))
    other = student.Tensor(np.array(a), requires_grad=True)
    other.grad = np.array(a)
    optimiser = getattr(student, name)([p, q], **options)
    data, grads, cleared, flags = [], [], [], []
    for _ in range(steps):
        optimiser.zero_grad()
        cleared += [p.grad is None, q.grad is None]
        error = p * student.Tensor(a) + q
        loss = error * error
        loss.backward(np.ones(loss.data.shape))
        held = p.grad
        optimiser.step()
        data += [np.array(p.data), np.array(q.data)]
        grads += [np.array(p.grad), np.array(q.grad)]
        flags += [p.requires_grad is True, q.requires_grad is True]
        optimiser.zero_grad()
        grads[-2] = np.array(held)
    return {"data": data, "grads": grads, "cleared": cleared, "flags": flags, "other": np.array(other.grad)}


class Descended(msgspec.Struct):
    data: list[Any]
    grads: list[Any]
    cleared: list[bool]
    flags: list[bool]
    other: Any


def engine_programs(rng: np.random.Generator) -> list[TensorProgram]:
    programs = [random_program(rng, ("+", "*"), steps=6) for _ in range(12)]
    program = TensorProgram()
    a, b = program.input(drawn(rng, (2, 3)), "a"), program.input(drawn(rng, (3,)), "b")
    program.no_grad()
    fixed = a * b
    program.grad_enabled()
    y = program.name("y", 0.5 * a * fixed + (2.0 + b) * 3)
    for _ in range(2):
        program.backward(y, drawn(rng, (2, 3)))
    programs.append(program)
    for shape in ((), (1, 1)):
        program = TensorProgram()
        program.backward(program.name("y", program.input(drawn(rng, shape), "a") * 3))
        programs.append(program)
    return programs


@check("Minimising a function with the engine", points=0.75, hidden=True)
def with_the_engine(student: Student, rng: np.random.Generator) -> None:
    steps = 4
    for name, options in (("SGD", {"lr": 0.05, "momentum": 0.7}), ("Adam", {"lr": 0.1, "eps": 0.01})):
        p, q, a = (drawn(rng, (3,)) for _ in range(3))
        answer = student.run(descended, name, options, array(p), array(q), array(a), steps, returns=Descended)
        lengths = [len(answer.data), len(answer.grads), len(answer.cleared), len(answer.flags)]
        expect(lengths == [2 * steps] * 4, "The results of the steps could not be read.")
        run = Run([p, q], [(name, options, [0, 1])], [])
        now = [p, q]
        for step in range(steps):
            error = now[0] * a + now[1]
            grads: list[Numbers | None] = [2 * error * a, 2 * error]
            run.rounds.append(Round(0, grads))
            now = truth(run)[-1]
            for n, label in enumerate("pq"):
                what = f"step {step + 1} of {name} that minimises the sum of (p * a + q)²"
                place = 2 * step + n
                expect(answer.cleared[place], f"After zero_grad(), {label}.grad should be None.", f"{label}.grad")
                expect_close(answer.grads[place], grads[n], f"{label}.grad after {what}", {"p": p, "q": q, "a": a})
                expect_close(answer.data[place], now[n], f"{label}.data after {what}", {"p": p, "q": q, "a": a})
                expect(answer.flags[place], f"{label} should still require grad after {what}.", f"{label}.requires_grad")
        expect_close(answer.other, a, "The gradient of a tensor that the optimiser does not have, after zero_grad(),")
    expect_tensor_programs(student, engine_programs(rng))


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    runs = [*momentum_runs(rng), *adam_runs(rng), *skipping(rng), *reusing(rng), *together(rng)]
    student.run(stepped, [run.sent for run in runs])
    for name in ("SGD", "Adam"):
        p, q, a = (array(drawn(rng, (2,))) for _ in range(3))
        student.run(descended, name, {"lr": rate(rng)}, p, q, a, 3)
    ask_programs(student, [ComparedTensors(program) for program in engine_programs(rng)])


# -- what the diagnosis can tell from wrong answers ----------------------------------------------------------------------------

Habit = dict[str, Any]


def simulated(run: Run, habit: Habit) -> list[list[Numbers]]:
    """The data after each round of an optimiser with one other rule."""
    data = [np.array(values) for values in run.data]
    rates = [options.get("lr", 0.001) for _, options, _ in run.optimisers]
    memory: dict[Any, dict[str, Any]] = {}
    counts = [0] * len(run.optimisers)
    updates = [0] * len(run.optimisers)
    found = []
    for part in run.rounds:
        name, options, numbers = run.optimisers[part.optimiser]
        if part.lr is not None and not habit.get("fixed_rate"):
            rates[part.optimiser] = part.lr
        counts[part.optimiser] += 1
        for n, g in zip(numbers, part.grads, strict=True):
            owner = 0 if habit.get("shared_memory") else part.optimiser
            state = memory.setdefault((owner, n), {"v": 0.0, "m": 0.0, "s": 0.0, "t": 0})
            if g is None and habit.get("none") == "zeros":
                g = np.zeros(run.data[n].shape)
            if g is None or (habit.get("skips_zeros") and not g.any()):
                if habit.get("none") == "forgets":
                    memory.pop((owner, n))
                if habit.get("none") == "stops":
                    break
                continue
            updates[part.optimiser] += 1
            state["t"] += 1
            shared = {"steps": counts, "updates": updates}.get(habit.get("t", ""))
            t = state["t"] if shared is None else shared[part.optimiser]
            move = sgd_moved if name == "SGD" else adam_moved
            step = move(state, g, rates[part.optimiser], {**options, **habit.get("options", {})}, t, habit)
            data[n] = data[n] + step if habit.get("ascends") else data[n] - step
            if habit.get("alias") and state["t"] == 1:
                state["v"] = g * -3.0 + 0.5
        found.append([np.array(values) for values in data])
    return found


def sgd_moved(state: dict[str, Any], g: Numbers, lr: float, options: dict[str, Any], t: int, habit: Habit) -> Numbers:
    mu, v = options.get("momentum", 0.0), state["v"]
    kind = habit.get("sgd", "")
    first = state["t"] == 1
    state["v"] = {
        "ignored": g,
        "damped": mu * v + (1 - mu) * g,
        "damped later": g if first else mu * v + (1 - mu) * g,
        "rate inside": mu * v + lr * g,
        "reversed": v + mu * g,
        "swapped": (1 - mu) * v + mu * g,
        "all": mu * (v + g),
    }.get(kind, mu * v + g)
    used = state["v"]
    if kind == "nesterov":
        used = g + mu * used
    elif kind == "previous only":
        state["v"], used = g, g + mu * v
    elif kind == "old velocity":
        used = v + 0.0 * g
    if kind == "rate inside" or habit.get("no_rate"):
        return np.asarray(used)
    return np.asarray(lr * used)


def adam_moved(state: dict[str, Any], g: Numbers, lr: float, options: dict[str, Any], t: int, habit: Habit) -> Numbers:
    (b1, b2), eps = options.get("betas", (0.9, 0.999)), options.get("eps", 1e-8)
    if habit.get("betas") == "swapped":
        b1, b2 = b2, b1
    kind = habit.get("adam", "")
    weights = {"no complement": (1.0, 1.0), "first complement": (1.0, 1 - b2), "second complement": (1 - b1, 1.0)}
    w1, w2 = weights.get(kind, (1 - b1, 1 - b2))
    square = {"abs": np.abs(g), "mean": np.mean(g * g), "norm": np.sum(g * g)}.get(kind, g * g)
    if kind == "square of the average":
        state["m"] = b1 * state["m"] + w1 * g
        state["s"] = b2 * state["s"] + w2 * state["m"] ** 2
    elif kind == "weights swapped":
        state["m"], state["s"] = (1 - b1) * state["m"] + b1 * g, (1 - b2) * state["s"] + b2 * square
    else:
        state["m"], state["s"] = b1 * state["m"] + w1 * g, b2 * state["s"] + w2 * square
    m, s, t = state["m"], state["s"], t + habit.get("later", 0)
    t = 1 if habit.get("t") == "always 1" else t
    c1, c2 = 1 - b1**t, 1 - b2**t
    correction = habit.get("correction", "both")
    c1, c2 = (c1 if correction in ("both", "m") else 1.0), (c2 if correction in ("both", "s") else 1.0)
    if correction == "swapped":
        c1, c2 = 1 - b2**t, 1 - b1**t
    if correction == "kept":
        m = state["m"] = m / (1 - b1**t)
        s = state["s"] = s / (1 - b2**t)
    m, s = m / c1, s / c2
    if kind == "gradient itself":
        m = g
    eps_kind = habit.get("eps", "")
    if eps_kind == "inside":
        below = np.sqrt(s + eps)
    elif eps_kind == "before":
        below = (np.sqrt(s * c2) + eps) / np.sqrt(c2)
    elif eps_kind == "squared":
        below = np.sqrt(s) + eps**2
    elif eps_kind == "none":
        below = np.sqrt(s)
    elif eps_kind == "maximum":
        below = np.maximum(np.sqrt(s), eps)
    else:
        below = (s if kind == "no root" else np.sqrt(s)) + eps
    return np.asarray(m / below if habit.get("no_rate") else lr * m / below)


def with_habit(**habit: Any) -> Callable[[Any, Any], bool]:
    """All data are those of an optimiser with this habit, and some of them are wrong."""

    def when(right: dict[str, Any], given: dict[str, Any]) -> bool:
        differs = False
        for question, rounds, truths in zip(right["runs"], given["rounds"], right["rounds"], strict=True):
            with np.errstate(all="ignore"):
                wanted = simulated(asked(question), habit)
            for row, after, before in zip(wanted, rounds, truths, strict=True):
                for value, mine, correct in zip(row, after["data"], before["data"], strict=True):
                    if not np.allclose(to_numpy(mine), value, rtol=1e-9, atol=1e-12, equal_nan=True):
                        return False
                    differs |= not np.allclose(value, to_numpy(correct), rtol=1e-7, atol=1e-12)
        return differs

    return when


HABITS: dict[str, list[Habit]] = {
    "momentum-ignored": [{"sgd": "ignored"}],
    "momentum-damped": [{"sgd": "damped"}, {"sgd": "damped later"}, {"sgd": "swapped"}],
    "rate-inside-velocity": [{"sgd": "rate inside"}],
    "another-momentum": [{"sgd": kind} for kind in ("nesterov", "previous only", "old velocity", "reversed", "all")],
    "bias-correction": [
        *({"correction": kind} for kind in ("none", "m", "s", "swapped", "kept")),
        {"t": "always 1"},
        {"later": 1},
    ],
    "shared-step-count": [{"t": "steps"}, {"t": "updates"}],
    "epsilon-misplaced": [{"eps": kind} for kind in ("inside", "before", "none", "maximum", "squared")],
    "settings-ignored": [
        {"options": {"eps": 1e-8}},
        {"options": {"betas": (0.9, 0.999)}},
        {"options": {"eps": 1e-8, "betas": (0.9, 0.999)}},
        {"betas": "swapped"},
    ],
    "averages-wrong": [
        {"adam": kind}
        for kind in (
            "no complement",
            "first complement",
            "second complement",
            "abs",
            "weights swapped",
            "gradient itself",
            "no root",
            "square of the average",
        )
    ],
    "one-rate-per-parameter": [{"adam": "mean"}, {"adam": "norm"}],
    "skipped-parameter-moves": [{"none": "zeros"}],
    "skipped-parameter-forgets": [{"none": "forgets"}],
    "none-stops-step": [{"none": "stops"}],
    "zero-gradient-skipped": [{"skips_zeros": True}],
    "rate-fixed": [{"fixed_rate": True}],
    "state-shared": [{"shared_memory": True}],
    "missing-learning-rate": [{"no_rate": True}],
    "wrong-sign": [{"ascends": True}],
    "aliases-grad": [{"alias": True}],
}


def any_of(habits: list[Habit]) -> Callable[[Any, Any], bool]:
    tests = [with_habit(**habit) for habit in habits]
    return lambda right, given: any(test(right, given) for test in tests)


def all_data_right(right: dict[str, Any], given: dict[str, Any]) -> bool:
    return all(
        np.allclose(to_numpy(mine), to_numpy(value), rtol=1e-7, atol=1e-12)
        for rounds, truths in zip(given["rounds"], right["rounds"], strict=True)
        for after, before in zip(rounds, truths, strict=True)
        for mine, value in zip(after["data"], before["data"], strict=True)
    )


def replaced(right: dict[str, Any], given: dict[str, Any]) -> bool:
    return all_data_right(right, given) and not all(all(after["same"]) for rounds in given["rounds"] for after in rounds)


def gradient_changed(right: dict[str, Any], given: dict[str, Any]) -> bool:
    """The first step that can be seen in a gradient, or in whether it is the same object."""
    pairs = [
        (after, before)
        for rounds, truths in zip(given["rounds"], right["rounds"], strict=True)
        for after, before in zip(rounds, truths, strict=True)
    ]
    return any(
        not all(after["kept"])
        or any(
            mine is not None and not np.allclose(to_numpy(mine), to_numpy(g), rtol=1e-9, atol=1e-12)
            for mine, g in zip(after["grads"], before["grads"], strict=True)
        )
        for after, before in pairs
    )


def never_moves_again(right: dict[str, Any], given: dict[str, Any]) -> bool:
    """In runs with a generator, nothing moves."""
    runs = [(q, rounds) for q, rounds in zip(right["runs"], given["rounds"], strict=True) if q["flags"][1]]
    first = [np.concatenate([to_numpy(d).ravel() for d in q["data"]]) for q, _ in runs]
    last = [np.concatenate([to_numpy(d).ravel() for d in rounds[-1]["data"]]) for _, rounds in runs]
    one = [np.concatenate([to_numpy(d).ravel() for d in rounds[0]["data"]]) for _, rounds in runs]
    still = all(np.array_equal(a, b) for a, b in zip(one, last, strict=True))
    return bool(runs) and (still or all(np.array_equal(a, b) for a, b in zip(first, last, strict=True)))


reads_as("stepped", lambda answer, runs: {"rounds": answer, "runs": runs})
for key, habits in HABITS.items():
    symptom(key, any_of(habits))
symptom("array-replaced", replaced)
symptom("gradient-changed", gradient_changed)
symptom("iterator-exhausted", never_moves_again, check="independent")
symptom("none-grad-crash", raises("NoneType"), raised=True)
