"""The model tells the judge which rows each call was given, and when a gradient came back. Value and gradients of the mean over
all rows are computed here with numpy and derivatives by hand. Whether a graph is freed before the next one is built is also read
from the memory that the kernel counts.
"""

from typing import Any

import msgspec
import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks import (
    Callback,
    Student,
    check,
    describe,
    expect,
    expect_close,
    expect_number,
    fail,
    probe,
    tensor,
    to_numpy,
    variety,
)
from autograder.judge.checks.costs import LARGE, LARGE_MEGABYTES, Megabytes
from autograder.judge.checks.pictures import Reference, show_backward
from autograder.judge.diagnosis import reads_as, symptom


@probe
def portioned(student, w, u, x, y, size, diary):
    """Call the student's function; what it returned, and the gradients."""
    import torch

    params = [w.clone().requires_grad_(), u.clone().requires_grad_()]
    kept = [t.clone() for t in (w, u, x, y)]
    inputs, targets = x.clone(), y.clone()

    def mean_loss(xb, yb):
        call = diary("called", xb.detach(), yb.detach())
        w, u = params
        loss = ((torch.tanh(xb @ w) * u - yb) ** 2).mean()
        loss.register_hook(lambda g: diary("returned", call))
        return loss

    value = student.accumulate_grads(mean_loss, inputs, targets, size)
    now = [p.detach() for p in params] + [inputs, targets]
    return {
        "value": value,
        "grads": [p.grad if p.grad is p.grad else "another tensor each time" for p in params],
        "kept": all(bool((a == b).all()) for a, b in zip(kept, now)),
    }


class Portioned(msgspec.Struct):
    value: Any
    grads: tuple[Any, Any]
    kept: bool


class Diary(Callback):
    """`portions` holds the rows of each call; `returned` the calls that a gradient came back to; `early` those that were still
    waiting for theirs when another one began."""

    def __init__(self) -> None:
        super().__init__("mean_loss", self.note)
        self.portions: list[tuple[Any, Any]] = []
        self.returned: list[int] = []
        self.early: set[int] = set()

    def note(self, what: str, *about: Any) -> int | None:
        if what == "returned":
            (call,) = about
            self.returned.append(int(call))
            return None
        self.early |= set(range(len(self.portions))) - set(self.returned)
        rows, targets = about
        self.portions.append((rows, targets))
        return len(self.portions) - 1


@probe
def costly(student, entries, megabytes):
    """Two micro-batches of one row, whose graph is large. The judge reads how much memory is in use when each begins."""
    import torch

    w = torch.ones((), dtype=torch.float64, requires_grad=True)
    x = torch.ones((1, entries), dtype=torch.float64).expand(2, entries)

    def mean_loss(xb, yb):
        megabytes()
        scaled = xb * w
        return (scaled * scaled).mean() + 0 * yb.sum()

    return student.accumulate_grads(mean_loss, x, torch.zeros(2, dtype=torch.float64), 1)


def expect_memory_freed(student: Student) -> None:
    megabytes = Megabytes(student)
    value = student.run(costly, LARGE, megabytes, returns=Any)
    if type(value) is not float or len(megabytes.read) != 2:
        raise fail("accumulate_grads should call mean_loss once for each of 2 rows and return a float.", "rows in all")
    expect_number(value, 1.0, "The mean loss over 2 rows in micro-batches of 1")
    first, second = megabytes.read
    more = second - first
    message = f"When the next micro-batch begins, the process still holds {more:.0f} MB of the graph before it."
    expect(more < LARGE_MEGABYTES / 2, message, "memory")


def truth(w: Numbers, u: float, x: Numbers, y: Numbers) -> tuple[float, Numbers, Numbers]:
    t = np.tanh(x @ w)
    error = t * u - y
    slope = 2 * error / len(x)
    return float((error**2).mean()), x.T @ (slope * u * (1 - t * t)), np.asarray((slope * t).sum())


def reference(w: Numbers, u: Numbers, x: Numbers, y: Numbers, size: int) -> Reference:
    """The loss of each portion, weighted by its share of the rows, on tensors of the judge's own."""
    import torch

    leaves = {name: torch.tensor(value, requires_grad=True) for name, value in (("w", w), ("u", u))}
    losses = []
    for start in range(0, len(x), size):
        rows, targets = torch.tensor(x[start : start + size]), torch.tensor(y[start : start + size])
        loss = ((torch.tanh(rows @ leaves["w"]) * leaves["u"] - targets) ** 2).mean()
        losses.append(loss * (len(rows) / len(x)))
    return Reference(losses, leaves)


def expect_portions(student: Student, rng: np.random.Generator, n: int, size: int) -> None:
    w, u = rng.normal(size=3), np.asarray(rng.uniform(0.5, 1.5))
    x, y = rng.normal(size=(n, 3)), rng.normal(size=n) * np.linspace(0.5, 3.0, n)
    picture = show_backward(f"{n} rows in micro-batches of {size}", lambda: reference(w, u, x, y, size))
    diary = Diary()
    answer = student.run(portioned, *(tensor(t) for t in (w, u, x, y)), size, diary, returns=Portioned)
    picture.answered(dict(zip("wu", answer.grads, strict=True)))
    where: dict[str, Any] = {"N": n, "size": size}
    expect_rows(diary.portions, x, y, size, where)
    unfinished = sorted(set(range(len(diary.portions))) - set(diary.returned))
    expect(not unfinished, "There was no backward pass for one of the micro-batches.", "backward", where)
    message = f"Micro-batches whose backward pass had not run when mean_loss was called again: {len(diary.early)}."
    expect(not diary.early, message, "backward before the next micro-batch", where)
    value, by_w, by_u = truth(w, float(u), x, y)
    for name, given, expected in zip("wu", answer.grads, (by_w, by_u), strict=True):
        if given is None:
            raise fail(f"{name}.grad is still None.", f"{name}.grad", where, expected=expected)
        expect_close(given, tensor(expected), f"{name}.grad for {n} rows in micro-batches of {size}", where)
    if type(answer.value) is not float:
        raise fail(f"accumulate_grads should return a float, but returned {describe(answer.value)}.", "value", where)
    expect_number(answer.value, value, f"The mean loss over {n} rows in micro-batches of {size}", where)
    expect(answer.kept, "The parameters, X and Y must not change.", "nothing else changed", where)


def expect_rows(calls: list[tuple[Any, Any]], x: Numbers, y: Numbers, size: int, where: dict[str, Any]) -> None:
    """Each call had consecutive rows of X with their rows of Y, at most `size` of them; together they had every row once."""
    place = {row.tobytes(): n for n, row in enumerate(x)}
    seen: list[int] = []
    for xb, yb in calls:
        rows, targets = to_numpy(xb), to_numpy(yb)
        expect(
            rows.ndim == 2 and targets.shape == rows.shape[:1],
            "mean_loss needs rows of X and the same number of rows of Y.",
            "rows",
            where,
        )
        found = [place.get(row.tobytes(), -1) for row in rows]
        message = f"mean_loss was given {len(found)} rows at once; at most {size} are allowed."
        expect(len(found) <= size, message, "rows of a micro-batch", where)
        expect(-1 not in found, "mean_loss was given a row that is not in X.", "rows of a micro-batch", where)
        consecutive = found == list(range(found[0], found[0] + len(found))) if found else False
        expect(
            consecutive,
            f"A micro-batch should consist of consecutive rows of X, but it has the rows {found}.",
            "rows of a micro-batch",
            where,
        )
        expect(
            bool((targets == y[found]).all()),
            "A micro-batch has rows of Y that do not match its rows of X.",
            "rows of a micro-batch",
            where,
        )
        seen += found
    message = (
        f"mean_loss should get each of {len(x)} rows once, but got {len(seen)} rows, {len(set(seen))} of them distinct."
    )
    expect(sorted(seen) == list(range(len(x))), message, "rows in all", where)


def reading(answer: dict[str, Any], w: Any, u: Any, x: Any, y: Any, size: int, diary: Diary) -> dict[str, Any]:
    """Portions may have any order and any size that is not too large: which rows were seen, whatever the portions."""
    seen = sorted(tuple(row) for xb, yb in diary.portions for row in np.column_stack([to_numpy(xb), to_numpy(yb)]).tolist())
    last = len(to_numpy(x)) % size
    return {
        **{key: answer[key] for key in ("value", "grads", "kept")},
        "calls": [list(row) for row in seen],
        "returned": len(diary.portions) - len(set(diary.returned)),
        "early": bool(diary.early),
        "large": any(len(to_numpy(xb)) > size for xb, _ in diary.portions),
        "left over": 0 if last == len(to_numpy(x)) else last,
    }


def rest_lost(right: dict[str, Any], given: dict[str, Any]) -> bool:
    """The rows that do not fill a portion are missing, and no others."""
    return 0 < right["left over"] == len(right["calls"]) - len(given["calls"])


reads_as("portioned", reading)
symptom("keeps-graphs", lambda right, given: given["early"] and not given["returned"])
symptom("one-big-batch", lambda right, given: given["large"] and given["calls"] == right["calls"])
symptom("drops-last-partial", rest_lost)


@check("Equal micro-batches", points=2)
def equal(student: Student, rng: np.random.Generator) -> None:
    expect_portions(student, rng, 12, 4)


@check("All rows in one micro-batch, and a smaller last micro-batch", points=1.5)
def one_and_two(student: Student, rng: np.random.Generator) -> None:
    expect_portions(student, rng, 5, 5)
    expect_portions(student, rng, 5, 3)


@check("Smaller last micro-batches of other sizes", points=2.5, hidden=True)
def partial(student: Student, rng: np.random.Generator) -> None:
    size = int(rng.integers(3, 6))
    for n in (2 * size + 1, 3 * size - 1, size + int(rng.integers(1, size))):
        expect_portions(student, rng, n, size)


@check("Other numbers of equal micro-batches, including micro-batches of one row", points=2, hidden=True, seconds=8)
def many_equal(student: Student, rng: np.random.Generator) -> None:
    expect_portions(student, rng, int(rng.integers(4, 9)), 1)
    size, portions = int(rng.integers(2, 6)), int(rng.integers(2, 6))
    expect_portions(student, rng, size * portions, size)
    expect_memory_freed(student)


@check("A size larger than the batch, and a single row", points=2, hidden=True)
def large(student: Student, rng: np.random.Generator) -> None:
    n = int(rng.integers(3, 8))
    expect_portions(student, rng, n, n + int(rng.integers(1, 20)))
    expect_portions(student, rng, 1, 1)
    expect_portions(student, rng, 1, int(rng.integers(2, 6)))


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    for _ in range(4):
        n = int(rng.integers(1, 12))
        size = int(rng.integers(1, n + 4))
        w, u, x, y = rng.normal(size=3), np.asarray(rng.normal()), rng.normal(size=(n, 3)), rng.normal(size=n)
        student.run(portioned, *(tensor(t) for t in (w, u, x, y)), size, Diary(), returns=Portioned)
