"""The model keeps a diary: which batch each call was given, and in which mode. The whole training is repeated here with numpy
and derivatives by hand, and compared with every number of the state that remains.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks import (
    Student,
    check,
    describe,
    expect,
    expect_close,
    expect_equal,
    expect_number,
    fail,
    probe,
    tensor,
    to_numpy,
    variety,
)
from autograder.judge.diagnosis import raises, reads_as, symptom

EPS, MOMENTUM = 1e-5, 0.1


@probe
def trained(student, weights, batches, epochs, lr, norm, training, old, frozen):
    """Build a model from these weights and train it; losses, state, diary, and what else became of it."""
    import torch
    from torch import nn

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            hidden, inputs = weights["first.weight"].shape
            self.first = nn.Linear(inputs, hidden)
            self.norm = nn.BatchNorm1d(hidden) if norm else nn.Identity()
            self.last = nn.Linear(hidden, len(weights["last.bias"]))
            if "idle" in weights:
                self.idle = nn.Parameter(torch.zeros(2))

        def forward(self, x):
            calls.append(
                [next((n for n, (given, _) in enumerate(batches) if torch.equal(given, x)), -1), self.norm.training]
            )
            return self.last(torch.tanh(self.norm(self.first(x))))

    calls = []
    batches = [(x, y) for x, y in batches]  # the very tensors that were sent: they have to come back unchanged
    model = Model().double().train(training)
    params = dict(model.named_parameters())
    with torch.no_grad():
        for name, p in params.items():
            p.copy_(weights[name])
            p.requires_grad_(name not in frozen)
            if old:
                p.grad = torch.full_like(p, 0.3)
    losses = student.train(model, batches, epochs, lr)
    after = dict(model.named_parameters())
    state = {name: value.detach().clone() for name, value in model.state_dict().items()}
    return {
        "losses": losses,
        "state": state,
        "again": {name: value.detach().clone() for name, value in model.state_dict().items()},
        "calls": calls,
        "modes": [m.training for m in model.modules()],
        "same": list(after) == list(params) and all(after[name] is params[name] for name in params),
        "flags": [p.requires_grad == (name not in frozen) for name, p in after.items()],
    }


class Trained(msgspec.Struct):
    """`calls` has the batch and the mode of each call of the model; `modes` are those of its modules on return."""

    losses: Any
    state: dict[str, Any]
    again: dict[str, Any]
    calls: list[tuple[int, bool]]
    modes: list[bool]
    same: bool
    flags: list[bool]


@dataclass(frozen=True)
class Case:
    """Batches of these sizes, and how the model arrives."""

    sizes: tuple[int, ...]
    outputs: int = 1
    epochs: int = 2
    norm: bool = False
    training: bool = True
    old: bool = False
    frozen: tuple[str, ...] = ()
    idle: bool = False
    lr: float = 0.1


Batches = list[tuple[Numbers, Numbers]]


def drawn(rng: np.random.Generator, case: Case, inputs: int = 3, hidden: int = 4) -> tuple[dict[str, Numbers], Batches]:
    weights = {
        "first.weight": rng.normal(size=(hidden, inputs)),
        "first.bias": rng.normal(size=hidden),
        "last.weight": rng.normal(size=(case.outputs, hidden)),
        "last.bias": rng.normal(size=case.outputs),
    }
    if case.idle:
        weights["idle"] = rng.normal(size=2)
    if case.norm:
        weights |= {"norm.weight": rng.uniform(0.5, 1.5, hidden), "norm.bias": rng.normal(size=hidden)}
    batches = [(rng.normal(size=(n, inputs)), 2 * rng.normal(size=(n, case.outputs)) + 1) for n in case.sizes]
    batches[0][0].flat[0] = 0.0
    return weights, batches


def slopes_of(state: dict[str, Numbers], x: Numbers, y: Numbers) -> tuple[float, dict[str, Numbers], Numbers]:
    """The loss of a batch, its derivatives, and what batch normalisation is given."""
    h = x @ state["first.weight"].T + state["first.bias"]
    norm = "norm.weight" in state
    scale = 1 / np.sqrt(h.var(0) + EPS) if norm else np.ones(h.shape[1])
    hat = (h - h.mean(0)) * scale if norm else h
    t = np.tanh(hat * state["norm.weight"] + state["norm.bias"] if norm else hat)
    error = t @ state["last.weight"].T + state["last.bias"] - y
    by_out = 2 * error / error.size
    by_t = (by_out @ state["last.weight"]) * (1 - t * t)
    slopes = {"last.weight": by_out.T @ t, "last.bias": by_out.sum(0)}
    if norm:
        slopes |= {"norm.weight": (by_t * hat).sum(0), "norm.bias": by_t.sum(0)}
        by_hat = by_t * state["norm.weight"]
        by_t = scale * (by_hat - by_hat.mean(0) - hat * (by_hat * hat).mean(0))
    slopes |= {"first.weight": by_t.T @ x, "first.bias": by_t.sum(0)}
    return float((error * error).mean()), slopes, h


def truth(weights: dict[str, Numbers], batches: Batches, case: Case, *, cleared: str = "") -> tuple[list[list[float]], Any]:
    """The losses of the batches of each epoch, and the state after the last one. `cleared` is for mistakes: gradients are cleared `never`,
    at the beginning (`once`), or once per `epoch`."""
    state, history, count = dict(weights), [], 0
    hidden = len(weights["first.bias"])
    mean, var = np.zeros(hidden), np.ones(hidden)
    learned = [name for name in state if name not in case.frozen]
    begin = {name: np.full_like(value, 0.3) if case.old else np.zeros_like(value) for name, value in state.items()}
    zeros = {name: np.zeros_like(value) for name, value in state.items()}
    grads = begin if cleared == "never" else zeros
    for _ in range(case.epochs):
        losses = []
        grads = zeros if cleared == "epoch" else grads
        for x, y in batches:
            loss, slopes, h = slopes_of(state, x, y)
            losses.append(loss)
            if case.norm:
                mean = (1 - MOMENTUM) * mean + MOMENTUM * h.mean(0)
                var = (1 - MOMENTUM) * var + MOMENTUM * h.var(0, ddof=1)
                count += 1
            grads = {name: (grads if cleared else zeros)[name] + slopes.get(name, 0.0) for name in state}
            state |= {name: state[name] - case.lr * grads[name] for name in learned}
        history.append(losses)
    if case.norm:
        state |= {"norm.running_mean": mean, "norm.running_var": var, "norm.num_batches_tracked": np.asarray(count)}
    return history, state


def look(student: Student, rng: np.random.Generator, case: Case) -> Trained:
    """Train, and compare losses and state; the answer for further questions."""
    weights, batches = drawn(rng, case)
    sent = [[tensor(x), tensor(y)] for x, y in batches]
    answer = student.run(
        trained,
        {name: tensor(value) for name, value in weights.items()},
        sent,
        case.epochs,
        case.lr,
        case.norm,
        case.training,
        case.old,
        list(case.frozen),
        returns=Trained,
    )
    losses, state = truth(weights, batches, case)
    shown: dict[str, Any] = {
        "batch sizes": list(case.sizes),
        "outputs": case.outputs,
        "epochs": case.epochs,
        "lr": case.lr,
        "arrives in": "training mode" if case.training else "evaluation mode",
    }
    expect_losses(answer.losses, [float(np.mean(part)) for part in losses], shown)
    expect_equal(sorted(answer.state), sorted(state), "The names in the state of the model")
    expect_equal(sorted(answer.again), sorted(state), "The names in the state of the model")
    for name, value in state.items():
        what = f"{name} after {case.epochs} epochs of {len(batches)} batches"
        expect_close(answer.state[name], tensor(value), what, shown)
        expect_close(answer.again[name], tensor(value), what, shown)
    return answer


def expect_losses(given: Any, history: list[float], shown: dict[str, Any]) -> None:
    if not isinstance(given, list) or len(given) != len(history):
        message = f"train should return a list of {len(history)} floats, but returned {describe(given)}."
        raise fail(message, "losses", shown, given=given)
    for epoch, (mine, right) in enumerate(zip(given, history, strict=True), 1):
        message = f"The loss of epoch {epoch} should be a float, but is {describe(mine)}."
        expect(type(mine) is float, message, "losses", shown)
        expect_number(mine, right, f"The loss of epoch {epoch}", shown)


def expect_diary(answer: Trained, case: Case) -> None:
    batches = len(case.sizes)
    message = f"The model should be called {case.epochs * batches} times, but was called {len(answer.calls)} times."
    expect(len(answer.calls) == case.epochs * batches, message, "calls of the model")
    expect([n for n, _ in answer.calls] == list(range(batches)) * case.epochs, "The batches were not used in order.")
    expect(all(mode for _, mode in answer.calls), "The model was called in evaluation mode.", "calls of the model")


def expect_handed_back(answer: Trained, case: Case) -> None:
    name = "training" if case.training else "evaluation"
    message = f"The model arrived in {name} mode and should leave in {name} mode."
    expect(all(mode == case.training for mode in answer.modes), message, "mode on return")
    expect(answer.same, "The parameters should be the same objects as before.", "parameters on return")
    expect(all(answer.flags), "The requires_grad of a parameter has changed.", "parameters on return")


@check("Two epochs of three equal batches", points=2)
def simple(student: Student, rng: np.random.Generator) -> None:
    look(student, rng, Case((4, 4, 4)))


@check("Batch normalisation: a model that arrives in evaluation mode", points=2.5)
def evaluation_mode(student: Student, rng: np.random.Generator) -> None:
    case = Case((4, 5), norm=True, training=False)
    expect_handed_back(look(student, rng, case), case)


@check("Three epochs, batches of unequal size, several outputs", points=2, hidden=True)
def unequal(student: Student, rng: np.random.Generator) -> None:
    look(student, rng, Case((5, 2, int(rng.integers(6, 9))), 2, 3, norm=True, lr=float(rng.uniform(0.02, 0.2))))
    look(student, rng, Case((1, 4, 2), 3, 3, lr=float(rng.uniform(0.02, 0.2))))


@check("The mode of the model during training and on return", points=1.5, hidden=True)
def modes(student: Student, rng: np.random.Generator) -> None:
    for training in (True, False):
        for norm, epochs in ((True, 3), (False, 0)):
            case = Case((3, 4), 2, epochs, norm, training)
            answer = look(student, rng, case)
            expect_diary(answer, case)
            expect_handed_back(answer, case)


@check("Old gradients, frozen parameters, and parameters that the loss does not depend on", points=2.5, hidden=True)
def old_and_frozen(student: Student, rng: np.random.Generator) -> None:
    for case in (
        Case((3, 3), 2, idle=True),
        Case((3, 3), 2, old=True, idle=True),
        Case((4, 2), old=True, frozen=("first.bias",)),
        Case((2, 3), old=True, frozen=("last.weight", "idle"), idle=True, training=False),
    ):
        expect_handed_back(look(student, rng, case), case)


@check("Every batch is used once per epoch and in order", points=1.5, hidden=True)
def diary(student: Student, rng: np.random.Generator) -> None:
    for sizes, outputs, epochs in (((2, 2, 2, 2), 1, 3), ((6,), 3, 4), ((3, 1), 1, 0)):
        case = Case(sizes, outputs, epochs, lr=float(rng.choice([0.0, 0.05])))
        expect_diary(look(student, rng, case), case)


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    for norm in (False, True):
        sizes = tuple(int(n) for n in rng.integers(2 if norm else 1, 6, size=int(rng.integers(1, 4))))
        frozen = [name for name in ("first.weight", "first.bias", "last.bias", "idle") if rng.random() < 0.3]
        idle, lr = bool(rng.random() < 0.5), float(rng.choice([0.0, 0.1, 0.3]))
        case = Case(sizes, int(rng.integers(1, 4)), int(rng.integers(0, 4)), norm, idle=idle, lr=lr)
        weights, batches = drawn(rng, case)
        named = {name: tensor(value) for name, value in weights.items()}
        sent = [[tensor(x), tensor(y)] for x, y in batches]
        training, old = bool(rng.random() < 0.5), bool(rng.random() < 0.5)
        student.run(trained, named, sent, case.epochs, case.lr, norm, training, old, frozen, returns=Trained)


# -- what the diagnosis can tell from wrong answers ----------------------------------------------------------------------


def reading(
    answer: dict[str, Any],
    weights: dict[str, Any],
    batches: list[Any],
    epochs: int,
    lr: float,
    norm: bool,
    training: bool,
    old: bool,
    frozen: list[str],
) -> dict[str, Any]:
    """The answer, with the states that would be left if gradients were not cleared, and other reports of the losses. These are
    the same on both sides."""
    arrays = {name: to_numpy(value) for name, value in weights.items()}
    pairs = [(to_numpy(x), to_numpy(y)) for x, y in batches]
    case = Case((), 1, epochs, norm, training, old, tuple(frozen), lr=lr)
    losses, sizes = truth(arrays, pairs, case)[0], [len(x) for x, _ in pairs]
    return {
        **answer,
        "uncleared": [truth(arrays, pairs, case, cleared=how)[1] for how in ("never", "once", "epoch")],
        "weighted": [float(np.average(part, weights=sizes)) for part in losses],
        "last": [part[-1] for part in losses],
    }


def same_numbers(state: dict[str, Any], given: dict[str, Any]) -> bool:
    pairs = [(value, given["state"][name]) for name, value in state.items()]
    return all(np.allclose(to_numpy(a), to_numpy(b), rtol=1e-9, atol=1e-12) for a, b in pairs)


def same_state(right: dict[str, Any], given: dict[str, Any]) -> bool:
    """All parameters and running averages are right, whatever the losses and the modes are."""
    return same_numbers(right["state"], given)


def same_losses(right: dict[str, Any], given: dict[str, Any]) -> bool:
    return bool(np.allclose(right["losses"], [to_numpy(x).item() for x in given["losses"]], rtol=1e-9))


def reports(name: str) -> Callable[[Any, Any], bool]:
    """The state is right, and other losses are reported."""

    def when(right: dict[str, Any], given: dict[str, Any]) -> bool:
        return same_state(right, given) and bool(np.allclose(right[name], given["losses"], rtol=1e-9))

    return when


def uncleared(right: dict[str, Any], given: dict[str, Any]) -> bool:
    return not same_state(right, given) and any(same_numbers(state, given) for state in right["uncleared"])


def in_evaluation_mode(right: dict[str, Any], given: dict[str, Any]) -> bool:
    return len(given["calls"]) == len(right["calls"]) and not all(mode for _, mode in given["calls"])


def left_in_another_mode(right: dict[str, Any], given: dict[str, Any]) -> bool:
    return given["modes"] != right["modes"] and same_state(right, given) and same_losses(right, given)


def tensors(right: dict[str, Any], given: dict[str, Any]) -> bool:
    return any(type(loss) is not float for loss in given["losses"]) and same_losses(right, given)


reads_as("trained", reading)
symptom("missing-zero-grad", uncleared)
symptom("eval-mode-left-on", in_evaluation_mode)
symptom("mode-not-restored", left_in_another_mode)
symptom("extra-forward", lambda right, given: len(given["calls"]) > len(right["calls"]))
symptom("tensors-in-log", tensors)
symptom("weights-by-batch-size", reports("weighted"))
symptom("last-loss-only", reports("last"))
symptom("none-grad-crash", raises("NoneType"), raised=True)
