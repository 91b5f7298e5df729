"""Programs around both functions, with gradients by formula, computed here with numpy. Entries of a log are copied when they
appear, and compared again at the end, when everything that could share memory with them has been overwritten.
"""

from collections.abc import Callable
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
    fail,
    probe,
    tensor,
    to_numpy,
    variety,
)
from autograder.judge.diagnosis import raises, reads_as, symptom

# -- scaled --------------------------------------------------------------------------------------------------------------


@probe
def flowed(student, cases):
    """Each case is a program around scaled: its value, the gradients at t and at a neighbour, and what became of the rest."""
    import torch

    found = []
    for program, kind, t, w, v, upstream, c, d in cases:
        leaf = t.clone().requires_grad_(kind != "constant")
        t = leaf * 1.0 if kind == "result" else leaf
        other = v.clone().requires_grad_()
        before = t.detach().clone()
        s = student.scaled(t, c)
        value = s.detach().clone() if torch.is_tensor(s) else s
        needs = s.requires_grad if torch.is_tensor(s) else None
        if program == "alone":
            out = s * w
        elif program == "beside":
            out = s * w + t * t * v
        elif program == "sum":
            out = other + s
        elif program == "twice":
            out = s * w + s * s * v
        elif program == "nested":
            out = student.scaled(s, d) * w
        elif program == "later":
            out = t * w
        grads = [None, None]
        u = upstream.clone()
        if out.requires_grad:
            grads = list(
                torch.autograd.grad(out, [leaf, other], u, allow_unused=True) if leaf.requires_grad else [None, None]
            )
        found.append(
            {
                "value": value,
                "needs": needs,
                "grads": [None if g is None else g.clone() for g in grads],
                "upstream": bool((u == upstream).all()),
                "kept": bool((t.detach() == before).all()),
            }
        )
    return found


class Flowed(msgspec.Struct):
    """`needs`: whether the result requires grad; `upstream` and `kept`: these have not changed."""

    value: Any
    needs: Any
    grads: tuple[Any, Any]
    upstream: bool
    kept: bool


Case = tuple[str, str, Numbers, Numbers, Numbers, Numbers, float, float]


def case(rng: np.random.Generator, program: str, c: float, kind: str = "leaf", shape: tuple[int, ...] = (3,)) -> Case:
    """Where there is more than one entry, the first one of t and the last one of the upstream are 0."""

    def numbers() -> Numbers:
        return np.asarray(rng.uniform(0.4, 1.8, shape) * rng.choice([-1.0, 1.0], shape))

    t, u = numbers(), numbers()
    if t.size > 1:
        t.flat[0], u.flat[-1] = 0.0, 0.0
    return (program, kind, t, numbers(), numbers(), u, c, float(rng.uniform(0.3, 0.8)))


def slopes(
    program: str, kind: str, t: Numbers, w: Numbers, v: Numbers, u: Numbers, c: float, d: float, mistake: str = ""
) -> list[Numbers | None]:
    """The gradients at t and at the neighbour. `mistake`: `none` scales nothing, `all` scales what t gets in any
    way, `cut` lets nothing through."""
    through, factor = {"none": (1.0, 1.0), "all": (1.0, c), "cut": (0.0, 1.0)}.get(mistake, (c, 1.0))
    if mistake == "none":
        d = 1.0
    other = u if program == "sum" else None
    by_t = {
        "alone": through * w * u,
        "beside": through * w * u + 2 * t * v * u,
        "sum": through * u,
        "twice": through * (w + 2 * t * v) * u,
        "nested": through * d * w * u,
        "later": w * u,
    }[program]
    return [None if kind == "constant" else by_t * factor, other if kind != "constant" else None]


def expect_flow(student: Student, cases: list[Case]) -> None:
    sent = [[program, kind, tensor(t), tensor(w), tensor(v), tensor(u), c, d] for program, kind, t, w, v, u, c, d in cases]
    answers = student.run(flowed, sent, returns=list[Flowed])
    expect_equal(len(answers), len(cases), "The number of answers")
    formulas = {
        "alone": "s * w",
        "beside": "s * w + t * t * v",
        "sum": "a + s",
        "twice": "s * w + s * s * v",
        "nested": "scaled(s, d) * w",
        "later": "t * w",
    }
    for answer, (program, kind, t, w, v, u, c, d) in zip(answers, cases, strict=True):
        shown: dict[str, Any] = {
            "t": t,
            "c": c,
            "y": f"{formulas[program]}, where s = scaled(t, c)",
            "w": w,
            "v": v,
            "upstream": u,
        }
        expect_close(answer.value, tensor(t), "The value of scaled(t, c)", {"t": t, "c": c})
        expect(answer.kept, "scaled modified its argument.", "t after the call", shown)
        if kind == "constant":
            expect(answer.needs is False, "t does not require grad, so the result should not either.", "result", shown)
            continue
        own, other = slopes(program, kind, t, w, v, u, c, d)
        assert own is not None
        given = answer.grads[0]
        if given is None and own.any():
            raise fail(f"No gradient reaches t from y = {formulas[program]}.", "The gradient of t", shown, expected=own)
        if given is not None:
            expect_close(given, tensor(own), f"The gradient of t from y = {formulas[program]}", shown)
        if other is not None:
            if answer.grads[1] is None:
                raise fail("No gradient reaches a from y = a + s.", "The gradient of a", shown, expected=other)
            expect_close(answer.grads[1], tensor(other), "The gradient of a from y = a + s", shown)
        expect(answer.upstream, "The upstream gradient was modified.", "the upstream gradient", shown)


def factor(rng: np.random.Generator) -> float:
    return float(rng.uniform(0.2, 0.7) * rng.choice([-1.0, 1.0]))


# -- record --------------------------------------------------------------------------------------------------------------


@probe
def recorded(student, t, kind, steps):
    """Record t, take the steps, and copy the new entries after each; at the end the log once more."""
    import torch

    leaf = t.clone().requires_grad_()
    t = leaf + leaf if kind == "result" else leaf
    other = torch.ones(2, dtype=leaf.dtype, requires_grad=True)
    log, handle = student.record(t)
    begin = len(log) if type(log) is list else None
    if begin is None:
        return {"begin": None, "entries": [], "gradients": [], "log": []}
    entries, gradients, overwritten = [], [], []
    for step, w in steps:
        count, gradient = len(log), None
        if step == "backward":
            old = None if leaf.grad is None else leaf.grad.clone()
            (w * t * t + w * t).sum().backward()
            gradient = leaf.grad.clone() if old is None else leaf.grad - old
        elif step == "grad":
            (gradient,) = torch.autograd.grad((w * t).sum(), t)
        elif step == "source":
            (gradient,) = torch.autograd.grad((w * t * t).sum(), leaf)
        elif step == "create":
            (first,) = torch.autograd.grad((w * t * t * t).sum(), t, create_graph=True)
            (gradient,) = torch.autograd.grad((first * w).sum(), t) if first.requires_grad else (None,)
        elif step == "itself":
            upstream = w.clone()
            (gradient,) = torch.autograd.grad(t, leaf, upstream)
            gradient = gradient.clone()
            overwritten.append(upstream)
        elif step == "elsewhere":
            (other * other).sum().backward()
        elif step == "clear":
            if leaf.grad is not None:
                leaf.grad.zero_()
        elif step == "remove":
            handle.remove()
        new = log[count:]
        entries.append([e.detach().clone() if torch.is_tensor(e) else e for e in new])
        gradients.append(gradient if gradient is None else gradient.detach().clone())
        for tensor in overwritten:
            tensor.fill_(7.0)
    if leaf.grad is not None:
        leaf.grad.fill_(7.0)
    return {"begin": begin, "entries": entries, "gradients": gradients, "log": list(log)}


class Recorded(msgspec.Struct):
    """The entries that each step has added, the gradients that the program got, and the whole log at the end."""

    begin: Any
    entries: list[list[Any]]
    gradients: list[Any]
    log: list[Any]


Step = tuple[str, Numbers]


def entries_of(step: str, t: Numbers, w: Numbers) -> list[Numbers]:
    return {
        "backward": [2 * w * t + w],
        "grad": [w],
        "source": [2 * w * t],
        "create": [3 * w * t * t, 6 * w * w * t],
        "itself": [w],
    }.get(step, [])


def expect_log(
    student: Student, rng: np.random.Generator, names: str, kind: str = "leaf", shape: tuple[int, ...] = (3,)
) -> None:
    """Take these steps; everything after `remove` must leave no entry."""

    def numbers() -> Numbers:
        return np.asarray(rng.uniform(0.4, 1.8, shape) * rng.choice([-1.0, 1.0], shape))

    leaf, steps = numbers(), [(name, numbers()) for name in names.split()]
    t = 2 * leaf if kind == "result" else leaf
    answer = student.run(recorded, tensor(leaf), kind, [[name, tensor(w)] for name, w in steps], returns=Recorded)
    shown: dict[str, Any] = {"t": t, "passes": ", ".join(DESCRIBED[name] for name, _ in steps)}
    if answer.begin is None or len(answer.entries) != len(steps) or len(answer.gradients) != len(steps):
        raise fail("record should return a list and a handle.", "result", shown)
    expect(answer.begin == 0, "The list should be empty at first.", "the list", shown)
    everything: list[Numbers] = []
    removed = False
    for (name, w), added, gradient in zip(steps, answer.entries, answer.gradients, strict=True):
        removed = removed or name == "remove"
        due = entries_of(name, t, w)
        what = f"The entry of a pass ({DESCRIBED[name]})"
        if due and kind == "leaf" or name in ("grad", "create"):
            expect_gradient(gradient, due[-1], name, shown)
        elif due:
            expect_gradient(gradient, 2 * due[-1], name, shown)
        due = [] if removed else due
        if len(added) != len(due):
            message = f"A pass ({DESCRIBED[name]}) should append {counted(len(due))}, but appended {counted(len(added))}."
            raise fail(message, "entries of a pass", shown, expected=len(due), given=len(added))
        for given, right in zip(added, due, strict=True):
            expect_close(given, tensor(right), what, shown)
        everything += due
    if len(answer.log) != len(everything):
        raise fail(f"The list should have {len(everything)} entries at the end.", "the list", shown)
    for n, (given, right) in enumerate(zip(answer.log, everything, strict=True), 1):
        expect_close(
            given,
            tensor(right),
            f"Entry {n} at the end, when .grad and the upstream gradients have changed,",
            shown,
            plain=True,
        )


def counted(number: int) -> str:
    return "no entry" if number == 0 else "one entry" if number == 1 else f"{number} entries"


def expect_gradient(given: Any, right: Numbers, name: str, shown: dict[str, Any]) -> None:
    what = f"The gradient that the program gets from a pass ({DESCRIBED[name]})"
    if given is None:
        raise fail(f"{what} is missing: the pass cannot be differentiated again.", what, shown, expected=right)
    expect_close(given, tensor(right), what, shown)


DESCRIBED = {
    "backward": "backward",
    "grad": "autograd.grad with respect to t",
    "source": "autograd.grad with respect to the source of t",
    "create": "create_graph=True, then the second derivative",
    "itself": "t itself as the output",
    "elsewhere": "a graph without t",
    "clear": ".grad is set to zero",
    "remove": "handle.remove()",
}


@probe
def several(student, a, b, w):
    """Two tensors are recorded, one of them twice; then one handle is removed."""
    import torch

    a, b = a.clone().requires_grad_(), b.clone().requires_grad_()
    pairs = [student.record(a), student.record(b), student.record(a)]
    logs = [log for log, _ in pairs]
    if not all(type(log) is list for log in logs):
        return []
    lengths = []
    for n in range(3):
        (w * a * b).sum().backward()
        lengths.append([len(log) for log in logs])
        pairs[n][1].remove()
    return [{"lengths": lengths, "first": [log[0].clone() if log and torch.is_tensor(log[0]) else None for log in logs]}]


class Several(msgspec.Struct):
    lengths: list[list[int]]
    first: list[Any]


# -- the checks ----------------------------------------------------------------------------------------------------------


@check("scaled: the value, and the gradient through the returned tensor", points=2)
def scaled_simple(student: Student, rng: np.random.Generator) -> None:
    c = factor(rng)
    expect_flow(student, [case(rng, "alone", c), case(rng, "beside", c)])


@check("record: one entry per pass, with the complete gradient", points=2)
def record_simple(student: Student, rng: np.random.Generator) -> None:
    expect_log(student, rng, "backward grad")


@check("scaled: other uses of t, its neighbours and the upstream gradient are not affected", points=2, hidden=True)
def scaled_neighbours(student: Student, rng: np.random.Generator) -> None:
    cases = []
    for kind in ("leaf", "result"):
        for program in ("sum", "beside", "twice", "later"):
            cases.append(case(rng, program, factor(rng), kind))
    expect_flow(student, cases)


@check("scaled: any factor and shape, nested, and without a gradient", points=1.5, hidden=True)
def scaled_everywhere(student: Student, rng: np.random.Generator) -> None:
    cases = [case(rng, "alone", factor(rng), "constant"), case(rng, "nested", factor(rng))]
    cases += [case(rng, program, 0.0) for program in ("alone", "beside", "sum")]
    cases += [case(rng, "beside", c) for c in (1.0, -1.0, 1e6, -1e-6)]
    cases += [case(rng, "beside", factor(rng), "result", shape) for shape in ((), (1,), (2, 3))]
    expect_flow(student, cases)


@check("record: entries never change, and gradients are as without it", points=1.5, hidden=True)
def entries_stay(student: Student, rng: np.random.Generator) -> None:
    expect_log(student, rng, "backward backward clear backward")
    expect_log(student, rng, "itself backward elsewhere itself")
    expect_log(student, rng, "itself backward backward", "result")


@check("record: autograd.grad, create_graph, other shapes, and passes that do not reach t", points=1.5, hidden=True)
def every_pass(student: Student, rng: np.random.Generator) -> None:
    expect_log(student, rng, "grad create grad")
    expect_log(student, rng, "create source elsewhere backward", "result")
    expect_log(student, rng, "source backward", "result", ())
    expect_log(student, rng, "elsewhere grad backward", "leaf", (2, 1, 3))


@check("record: after remove, and several tensors at the same time", points=1.5, hidden=True)
def remove_and_several(student: Student, rng: np.random.Generator) -> None:
    for kind in ("leaf", "result"):
        expect_log(student, rng, "backward remove grad backward", kind)
    a, b, w = (rng.uniform(0.4, 1.8, 3) * rng.choice([-1.0, 1.0], 3) for _ in range(3))
    answers = student.run(several, tensor(a), tensor(b), tensor(w), returns=list[Several])
    if len(answers) != 1:
        raise fail("record should return a list and a handle.", "result")
    (answer,) = answers
    shown: dict[str, Any] = {"a": a, "b": b, "w": w}
    what = "The lengths of three lists (a, b, a again), when their handles are removed one after the other"
    expect_equal(answer.lengths, [[1, 1, 1], [1, 2, 2], [1, 2, 3]], what, shown)
    expect_equal(len(answer.first), 3, "The number of lists", shown)
    for given, right in zip(answer.first, (w * b, w * a, w * b), strict=True):
        if given is None:
            raise fail(f"An entry should be a tensor, but is {describe(given)}.", "an entry", shown)
        expect_close(given, tensor(right), "The first entry of a list", shown)


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    programs, kinds = ("alone", "beside", "sum", "twice", "nested", "later"), ("leaf", "result", "constant")
    cases = []
    for _ in range(6):
        shape = tuple(int(n) for n in rng.integers(1, 4, size=int(rng.integers(0, 3))))
        c = float(rng.choice([0.0, 1.0, -1.0, 0.5, -3.0]))
        program, kind, t, w, v, u, c, d = case(rng, str(rng.choice(programs)), c, str(rng.choice(kinds)), shape)
        cases.append([program, kind, tensor(t * (rng.random(shape) < 0.8)), tensor(w), tensor(v), tensor(u), c, d])
    student.run(flowed, cases, returns=list[Flowed])
    for kind in ("leaf", "result"):
        shape = tuple(int(n) for n in rng.integers(1, 4, size=int(rng.integers(0, 3))))
        steps = [str(name) for name in rng.choice(list(DESCRIBED), size=5)]
        sent = [[name, tensor(np.asarray(rng.normal(size=shape)))] for name in steps]
        student.run(recorded, tensor(np.asarray(rng.normal(size=shape))), kind, sent, returns=Recorded)


# -- what the diagnosis can tell from wrong answers ----------------------------------------------------------------------


def reading(answers: list[dict[str, Any]], cases: list[Any]) -> list[dict[str, Any]]:
    """No gradient is as good as zeros. With the answers: what common mistakes would give, the same on both sides."""
    found = []
    for answer, (program, kind, t, w, v, u, c, d) in zip(answers, cases, strict=True):
        asked = (program, kind, to_numpy(t), to_numpy(w), to_numpy(v), to_numpy(u), c, d)
        mistakes = {name: [0.0 if g is None else g for g in slopes(*asked, mistake=name)] for name in ("none", "all", "cut")}
        grads = [0.0 if g is None or not to_numpy(g).any() else g for g in answer["grads"]]
        found.append({**answer, "grads": grads, "value scaled": asked[2] * c, **mistakes})
    return found


def alike(one: Any, other: Any) -> bool:
    one, other = to_numpy(one), to_numpy(other)
    same = one.shape == other.shape or 1 in (one.size, other.size)
    return same and bool(np.allclose(one, other, rtol=1e-7, atol=1e-12))


def all_alike(ones: list[Any], others: list[Any]) -> bool:
    return len(ones) == len(others) and all(map(alike, ones, others))


def gradients_as(mistake: str) -> Callable[[Any, Any], bool]:
    def when(right: list[dict[str, Any]], given: list[dict[str, Any]]) -> bool:
        return all(
            all_alike(a[mistake], b["grads"]) and alike(a["value"], b["value"]) for a, b in zip(right, given, strict=True)
        )

    return when


def in_place(right: list[dict[str, Any]], given: list[dict[str, Any]]) -> bool:
    """An upstream gradient has changed, or a neighbour has got what t should have got."""
    neighbours = [(a["grads"], b["grads"]) for a, b in zip(right, given, strict=True)]
    spoiled = any(alike(a[0], b[0]) and not alike(a[1], b[1]) for a, b in neighbours)
    return not all(b["upstream"] for b in given) or spoiled


def value_scaled(right: list[dict[str, Any]], given: list[dict[str, Any]]) -> bool:
    return all(alike(a["value scaled"], b["value"]) for a, b in zip(right, given, strict=True))


def forced(right: list[dict[str, Any]], given: list[dict[str, Any]]) -> bool:
    return any(a["needs"] is False and b["needs"] is True for a, b in zip(right, given, strict=True))


def entries(answer: dict[str, Any]) -> list[Any]:
    return [entry for added in answer["entries"] for entry in added]


def right_at_first(right: dict[str, Any], given: dict[str, Any]) -> bool:
    """Every entry was right when it was appended."""
    counts = [len(added) for added in right["entries"]] == [len(added) for added in given["entries"]]
    return counts and all_alike(entries(right), entries(given))


def changed_later(right: dict[str, Any], given: dict[str, Any]) -> bool:
    return right_at_first(right, given) and not all_alike(right["log"], given["log"])


def with_graph(right: dict[str, Any], given: dict[str, Any]) -> bool:
    return right_at_first(right, given) and any(entry.graph for entry in given["log"])


def other_gradients(right: dict[str, Any], given: dict[str, Any]) -> bool:
    pairs = [(a, b) for a, b in zip(right["gradients"], given["gradients"], strict=True) if a is not None]
    return any(b is None or not alike(a, b) for a, b in pairs)


def read_log(answer: dict[str, Any], _t: Any, _kind: str, steps: list[Any]) -> dict[str, Any]:
    """The answer, with the names of the steps, which are the same on both sides."""
    return {**answer, "steps": [name for name, _ in steps]}


def only_backward(right: dict[str, Any], given: dict[str, Any]) -> bool:
    """Passes through backward have left an entry, and passes through autograd.grad have not."""
    counts = {
        (name.startswith("backward"), len(a) - len(b))
        for name, a, b in zip(right["steps"], right["entries"], given["entries"], strict=True)
        if a
    }
    return any(not is_backward and missing for is_backward, missing in counts) and not any(b and m for b, m in counts)


def nothing(right: dict[str, Any], given: dict[str, Any]) -> bool:
    return bool(entries(right)) and not entries(given)


def goes_on(right: dict[str, Any], given: dict[str, Any]) -> bool:
    return len(entries(given)) > len(entries(right)) and all_alike(entries(right), entries(given)[: len(entries(right))])


reads_as("flowed", reading)
reads_as("recorded", read_log)
symptom("scales-value", value_scaled)
symptom("hook-in-place", in_place, check="scaled-neighbours")
symptom("needs-grad", raises("doesn't require gradient", "does not require grad"), check="scaled-everywhere", raised=True)
symptom("needs-grad", forced, check="scaled-everywhere")
for place in ("scaled-simple", "scaled-neighbours", "scaled-everywhere"):
    symptom("hook-returns-none", gradients_as("none"), check=place)
    symptom("hook-wrong-tensor", gradients_as("all"), check=place)
    symptom("detached-branch", gradients_as("cut"), check=place)
for place in ("entries-stay", "record-simple"):
    symptom("aliases-grad", changed_later, check=place)
symptom("records-with-graph", with_graph, check="every-pass")
for place in ("every-pass", "entries-stay", "record-simple"):
    symptom("hook-changes-grad", other_gradients, check=place)
for place in ("record-simple", "every-pass"):
    symptom("misses-autograd-grad", only_backward, check=place)
for place in ("record-simple", "entries-stay", "every-pass"):
    symptom("hook-returns-none", nothing, check=place)
symptom("handle-does-nothing", goes_on, check="remove-and-several")
