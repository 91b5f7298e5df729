"""Networks with one hidden layer, against numpy and derivatives by hand: predictions, losses, every gradient, and whole
trajectories of gradient descent.

The probes create the parameters and keep them: what counts after training is the number in the objects that were passed in.
"""

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import msgspec
import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks import Student, check, describe, expect, expect_equal, expect_number, fail, probe, variety
from autograder.judge.checks.engine import Program, Slot, expect_programs, look_alikes
from autograder.judge.diagnosis import reads_as, symptom


class Network(msgspec.Struct):
    """The parameters as numbers, samples as rows, and their targets."""

    W1: Numbers
    b1: Numbers
    W2: Numbers
    b2: float
    xs: Numbers
    ys: Numbers

    @property
    def names(self) -> list[str]:
        h, d = self.W1.shape
        rows = [f"W1[{j}][{i}]" for j in range(h) for i in range(d)]
        return [*rows, *(f"b1[{j}]" for j in range(h)), *(f"W2[{j}]" for j in range(h)), "b2"]

    @property
    def flat(self) -> list[float]:
        return [*self.W1.ravel().tolist(), *self.b1.tolist(), *self.W2.tolist(), self.b2]

    @property
    def sent(self) -> list[Any]:
        """Parameters and data as a probe takes them."""
        params = {"W1": self.W1.tolist(), "b1": self.b1.tolist(), "W2": self.W2.tolist(), "b2": self.b2}
        return [params, [tuple(x) for x in self.xs.tolist()], self.ys.tolist()]

    @property
    def shown(self) -> dict[str, Any]:
        return {"W1": self.W1, "b1": self.b1, "W2": self.W2, "b2": self.b2, "xs": self.xs, "ys": self.ys}

    def predictions(self) -> Numbers:
        return np.asarray(np.tanh(self.xs @ self.W1.T + self.b1) @ self.W2 + self.b2)

    def loss(self) -> float:
        return float(((self.predictions() - self.ys) ** 2).mean())

    def pulled(self, upstream: Numbers) -> list[float]:
        """The gradient of the sum of the predictions, weighted by `upstream`, in the order of `names`."""
        hidden = np.tanh(self.xs @ self.W1.T + self.b1)
        inner = upstream[:, None] * self.W2 * (1 - hidden) * (1 + hidden)
        return [*(inner.T @ self.xs).ravel().tolist(), *inner.sum(0).tolist(), *(upstream @ hidden).tolist(), upstream.sum()]

    def gradient(self) -> list[float]:
        return self.pulled(2 * (self.predictions() - self.ys) / len(self.ys))

    def moved(self, lr: float) -> "Network":
        """After one step of gradient descent."""
        return self.with_parameters(np.array(self.flat) - lr * np.array(self.gradient()))

    def with_parameters(self, flat: Numbers) -> "Network":
        h, d = self.W1.shape
        parts = np.split(flat, [h * d, h * d + h, h * d + 2 * h])
        return Network(parts[0].reshape(h, d), parts[1], parts[2], float(parts[3][0]), self.xs, self.ys)


def network(rng: np.random.Generator, h: int, d: int, n: int) -> Network:
    """Of size one, so that tanh is neither linear nor saturated."""

    def numbers(*shape: int) -> Numbers:
        return np.asarray(rng.uniform(0.3, 1.2, size=shape) * rng.choice([-1.0, 1.0], size=shape))

    return Network(numbers(h, d), numbers(h), numbers(h), float(numbers()), numbers(n, d), 2 * numbers(n))


@probe
def evaluated(student, networks):
    """For each network, with fresh parameters for every backward pass: the predictions and their gradients, the loss, its
    gradients, and the numbers in the parameters afterwards. Predictions, losses and gradients are read twice."""

    def fresh(numbers):
        value = student.Value
        params = {key: [value(n) for n in numbers[key]] for key in ("b1", "W2")}
        params["W1"] = [[value(n) for n in row] for row in numbers["W1"]]
        params["b2"] = value(numbers["b2"])
        return params, [*(w for row in params["W1"] for w in row), *params["b1"], *params["W2"], params["b2"]]

    answer = []
    for numbers, xs, ys in networks:
        predictions, pulled = [], []
        for x in xs:
            params, flat = fresh(numbers)
            twice = [student.predict(params, x) for _ in range(2)]
            predictions.append([float(out.data) for out in twice])
            twice[1].backward()
            pulled.append([float(p.grad) for p in flat])
        params, flat = fresh(numbers)
        out = student.loss(params, xs, ys)
        untouched = [float(p.grad) for p in flat]
        losses = [float(out.data), float(out.data)]
        out.backward()
        grads = [[float(p.grad) for p in flat] for _ in range(2)]
        kept = [float(p.data) for p in flat]
        answer.append([predictions, pulled, losses, grads, untouched, kept])
    return answer


@probe
def trained(student, numbers, xs, ys, lr, rounds, old):
    """Calls train once per entry of `rounds`; `old` says what is in the gradients on entry."""
    value = student.Value
    w1 = [[value(n) for n in row] for row in numbers["W1"]]
    b1, w2, b2 = [value(n) for n in numbers["b1"]], [value(n) for n in numbers["W2"]], value(numbers["b2"])
    held = [*(w for row in w1 for w in row), *b1, *w2, b2]
    params = {"W1": w1, "b1": b1, "W2": w2, "b2": b2}
    if old == "assigned":
        for n, p in enumerate(held):
            p.grad = 0.7 - 0.4 * n
    elif old == "left behind":
        student.loss(params, xs, ys).backward()
    losses = [student.train(params, xs, ys, steps, lr) for steps in rounds]
    now = [*(w for row in params["W1"] for w in row), *params["b1"], *params["W2"], params["b2"]]
    return {
        "losses": losses,
        "held": [[float(p.data), float(p.data)] for p in held],
        "same": len(now) == len(held) and all(p is q for p, q in zip(now, held)),
        "after": float(student.loss(params, xs, ys).data),
        "cleared": [getattr(p, "grad", None) == 0 for p in held] == [True] * len(held),
    }


Pair = tuple[float, float]
Evaluated = tuple[list[Pair], list[list[float]], Pair, tuple[list[float], list[float]], list[float], list[float]]


class Trained(msgspec.Struct):
    """`held` has the numbers of the parameters that were passed in, `same` says whether the dictionary still contains them,
    `after` is the loss of the trained parameters. `cleared` says whether all gradients are 0, which only the diagnosis uses."""

    losses: list[Any]
    held: list[Pair]
    same: bool
    after: float
    cleared: bool


def expect_row(given: Sequence[float], expected: Sequence[float], names: list[str], what: str, net: Network) -> None:
    """One number per parameter. Of several wrong ones the last is reported: it is nearest to the output."""
    expect_equal(len(given), len(expected), f"The number of parameters of {what}")
    for name, mine, right in reversed(list(zip(names, given, expected, strict=True))):
        expect_number(mine, right, f"{name}{what}", net.shown)


def expect_evaluated(student: Student, networks: list[Network], *, gradients: bool = True) -> None:
    answers = student.run(evaluated, [net.sent for net in networks], returns=list[Evaluated])
    expect_equal(len(answers), len(networks), "The number of results")
    for net, (predictions, pulled, losses, grads, untouched, kept) in zip(networks, answers, strict=True):
        n = len(net.ys)
        expect_equal((len(predictions), len(pulled)), (n, n), "The number of predictions")
        for i, (pair, right) in enumerate(zip(predictions, net.predictions().tolist(), strict=True)):
            for mine in pair:
                expect_number(mine, right, f"predict(params, xs[{i}])", net.shown)
        for mine in losses:
            expect_number(mine, net.loss(), "loss(params, xs, ys)", net.shown)
        expect_row(kept, net.flat, net.names, ".data after loss and backward", net)
        if gradients:
            expect_row(untouched, [0.0] * len(net.names), net.names, ".grad before backward", net)
            for row in grads:
                expect_row(row, net.gradient(), net.names, ".grad for the loss", net)
            for i, row in enumerate(pulled):
                expect_row(row, net.pulled(np.eye(n)[i]), net.names, f".grad for predict(params, xs[{i}])", net)


def expect_trained(student: Student, net: Network, lr: float, rounds: list[int], old: str = "") -> None:
    answer = student.run(trained, *net.sent, lr, rounds, old, returns=Trained)
    shown = {**net.shown, "lr": lr, "steps": rounds}
    expect_equal(len(answer.losses), len(rounds), "The number of answers")
    end, losses = net, []
    for steps, part in zip(rounds, answer.losses, strict=True):
        if not isinstance(part, list) or len(part) != steps:
            message = f"train should return a list of {steps} losses, but returned {describe(part)}."
            raise fail(message, "losses", shown, given=part)
        for mine in part:
            losses.append(end.loss())
            expect_number(mine, losses[-1], f"The loss before update {len(losses)}", shown)
            end = end.moved(lr)
    expect_equal(len(answer.held), len(end.names), "The number of parameters")
    for name, pair, right in zip(end.names, answer.held, end.flat, strict=True):
        for number in pair:
            expect_number(number, right, f"{name}.data after {sum(rounds)} steps", shown)
    expect(
        answer.same, "After train, params should still contain the Value objects that it contained before.", "params", shown
    )
    expect_number(answer.after, end.loss(), f"The loss after {sum(rounds)} steps", shown)


def reading(answer: dict[str, Any], *asked: Any) -> dict[str, Any]:
    """The gradients that are left say something only if no parameter has moved."""
    moved = [pair[0] for pair in answer["held"]] != asked_network(asked).flat
    return {**answer, "cleared": answer["cleared"] and not moved, "asked": list(asked)}


def asked_network(asked: Sequence[Any]) -> Network:
    """The network of a question to `trained`."""
    numbers, xs, ys = asked[:3]
    w1, b1, w2 = (np.array(numbers[key]) for key in ("W1", "b1", "W2"))
    return Network(w1, b1, w2, numbers["b2"], np.array(xs), np.array(ys))


def uncleared(asked: Sequence[Any], kept: Sequence[str]) -> list[float]:
    """The parameters at the end if the gradients of some keys of `params` are never cleared."""
    net, (lr, rounds, old) = asked_network(asked), asked[3:]
    left: Numbers = np.zeros(len(net.names))
    if old == "assigned":
        left = 0.7 - 0.4 * np.arange(len(left))
    elif old == "left behind":
        left = np.array(net.gradient())
    stays = np.array([name.partition("[")[0] in kept for name in net.names])
    for _ in range(sum(rounds)):
        left = left * stays + net.gradient()
        net = net.with_parameters(np.array(net.flat) - lr * left)
    return net.flat


def never_cleared(right: dict[str, Any], given: dict[str, Any]) -> bool:
    """Gradients of all or of some keys accumulate over the steps."""
    held = [pair[0] for pair in given["held"]]
    subsets = [kept for size in range(4, 0, -1) for kept in combinations(("W1", "b1", "W2", "b2"), size)]
    return any(np.allclose(held, uncleared(right["asked"], kept), rtol=1e-7, atol=1e-9) for kept in subsets)


def never_moved(right: dict[str, Any], given: dict[str, Any]) -> bool:
    """Some parameters still have their first number, and others do not."""
    start = asked_network(right["asked"]).flat
    still = [
        mine[0] == first for mine, end, first in zip(given["held"], right["held"], start, strict=True) if end[0] != first
    ]
    return any(still) and not all(still)


def cleared_too_late(right: dict[str, Any], given: dict[str, Any]) -> bool:
    """No parameter moves, all gradients are 0, and every loss is the right first one."""
    first = right["losses"][0][0]
    return (
        given["cleared"]
        and not right["cleared"]
        and all(abs(loss - first) <= 1e-7 * first for part in given["losses"] for loss in part)
    )


reads_as("trained", reading)
symptom("zero-between-backward-and-step", cleared_too_late)
symptom("missing-zero-grad", never_cleared)
symptom("not-all-parameters", never_moved)
symptom("rebinds-parameter", lambda right, given: right["same"] and not given["same"])
symptom(
    "values-in-log",
    lambda right, given: any(type(loss).__name__ == "Opaque" for part in given["losses"] for loss in part),
)


@check("Predictions and losses", points=2)
def predictions(student: Student, rng: np.random.Generator) -> None:
    expect_evaluated(student, [network(rng, 2, 3, 1), network(rng, 3, 2, 4)], gradients=False)


@check("The gradients of the loss", points=2)
def gradients(student: Student, rng: np.random.Generator) -> None:
    expect_evaluated(student, [network(rng, 2, 3, 3)])


@check("Three steps of training", points=2)
def three_steps(student: Student, rng: np.random.Generator) -> None:
    expect_trained(student, network(rng, 2, 2, 3), 0.05, [3])


@check("Networks and batches of other sizes", points=2, hidden=True)
def other_sizes(student: Student, rng: np.random.Generator) -> None:
    sizes = ((1, 1, 1), (1, 3, 2), (4, 1, 3), (3, 3, int(rng.integers(4, 8))), (2, 4, 1))
    expect_evaluated(student, [network(rng, *size) for size in sizes])


def special(rng: np.random.Generator) -> list[Network]:
    """Equal parameters and equal samples; zeros of either sign among parameters and data; predictions without an error; a
    hidden unit that is saturated."""
    alike, zeros, perfect, saturated = (network(rng, 2, 2, 3) for _ in range(4))
    alike.W1[:], alike.b1[:], alike.W2[:], alike.b2 = alike.b2, alike.b2, alike.b2, alike.b2
    alike.xs[:], alike.ys[1:] = alike.xs[0, 0], alike.ys[0]
    zeros.W1[0], zeros.b1[0], zeros.W2[1], zeros.b2 = 0.0, -0.0, 0.0, 0.0
    zeros.xs[0], zeros.xs[1, 0], zeros.ys[2] = 0.0, -0.0, 0.0
    perfect.ys[:2] = perfect.predictions()[:2]
    saturated.b1[:] = 30.0, -float(rng.uniform(20.0, 40.0))
    return [alike, zeros, perfect, saturated]


@check("Equal parameters, zeros, a perfect fit, and saturated units", points=1, hidden=True)
def special_points(student: Student, rng: np.random.Generator) -> None:
    expect_evaluated(student, special(rng))


@check("Three steps, then four more in a second call", points=3, hidden=True)
def two_calls(student: Student, rng: np.random.Generator) -> None:
    expect_trained(student, network(rng, 3, 2, 4), float(rng.uniform(0.02, 0.06)), [3, 4])
    expect_trained(student, network(rng, 1, 2, 2), float(rng.uniform(0.02, 0.06)), [1, 0, 2])
    expect_trained(student, special(rng)[0], 0.05, [2, 1])


@check("Parameters that arrive with old gradients", points=2, hidden=True)
def old_gradients(student: Student, rng: np.random.Generator) -> None:
    for old in ("assigned", "left behind"):
        expect_trained(student, network(rng, 2, 3, 3), float(rng.uniform(0.02, 0.06)), [1, 2], old)


STEPS: tuple[Callable[[Slot, Slot, float], Slot], ...] = (
    lambda p, q, n: p + q * n,
    lambda p, q, n: n + p * q,
    lambda p, q, n: p.call("tanh") + q,
    lambda p, q, n: n * (p + q).call("tanh"),
)


@check("The engine: sums, products and tanh with shared values", points=1, hidden=True)
def engine(student: Student, rng: np.random.Generator) -> None:
    programs = []
    for _ in range(4):
        program = Program()
        slots = [program.input(float(rng.uniform(0.3, 1.4) * rng.choice([-1.0, 1.0])), name) for name in "abc"]
        for step in range(8):
            left, right = (slots[int(rng.integers(max(0, len(slots) - 4), len(slots)))] for _ in range(2))
            slots.append(STEPS[step % 4](left, right, float(rng.uniform(0.3, 0.9))))
        program.backward(program.name("f", slots[-1] + slots[-2] * slots[-2]))
        programs.append(program)
    expect_programs(student, [*programs, *look_alikes(rng)])


@probe
def outcomes(student, programs):
    """Data and gradients of programs as plain numbers: which contribution is added first may show in the last digit."""
    import operator

    symbols = {"+": operator.add, "*": operator.mul}
    answer = []
    for program in programs:
        slots = []
        for name, *operands in program:
            if name == "in":
                slots.append(student.Value(*operands))
            elif name == "backward":
                slots[operands[0]].backward()
            else:
                operate = symbols.get(name) or operator.methodcaller(name)
                slots.append(operate(*(item[0] if isinstance(item, list) else slots[item] for item in operands)))
        answer.append([[float(slot.data), float(slot.grad)] for slot in slots])
    return answer


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    """Networks and batches of any size, zeros anywhere, any number of calls and steps; programs over all three operations."""
    networks = []
    for _ in range(3):
        net = network(rng, *(int(size) for size in rng.integers(1, 5, size=3)))
        for values in (net.W1, net.b1, net.W2, net.xs, net.ys):
            values *= rng.random(values.shape) < 0.8
        networks.append(net)
    student.run(evaluated, [net.sent for net in [*networks, *special(rng)]])
    for old in ("", "assigned", "left behind"):
        net = networks[int(rng.integers(3))]
        rounds = [int(steps) for steps in rng.integers(0, 4, size=int(rng.integers(1, 4)))]
        student.run(trained, *net.sent, float(rng.choice([0.0, 0.01, 0.05])), rounds, old)
    programs = []
    for _ in range(6):
        program = Program()
        draws = [int(rng.integers(-3, 4)), float(rng.normal()), 0.0, -0.0, 1]
        slots = [program.input(draws[int(rng.integers(5))]) for _ in range(int(rng.integers(1, 4)))]
        for _ in range(int(rng.integers(0, 9))):
            one, other = (slots[int(rng.integers(len(slots)))] for _ in range(2))
            operands: list[Slot | int | float] = [one, other]
            if rng.random() < 0.4:
                operands[int(rng.integers(2))] = draws[int(rng.integers(5))]
            operation = ("+", "*", "tanh")[int(rng.integers(3))]
            slots.append(one.call("tanh") if operation == "tanh" else program.apply(operation, *operands))
        program.backward(slots[-1] if rng.random() < 0.7 else slots[int(rng.integers(len(slots)))])
        programs.append(program.instructions)
    student.run(outcomes, programs)
