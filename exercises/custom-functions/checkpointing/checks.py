"""Programs with blocks that draw random masks, count their runs and leave weak references to their inside. Values, gradients and
random numbers are computed here with torch, without checkpointing.
"""

from typing import Any

import msgspec
import numpy as np
import torch

from autograder.judge.arrays import Numbers
from autograder.judge.checks import (
    Student,
    check,
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

PROGRAMS = ("one", "mixed", "repeated", "shared", "result", "sequence", "twice", "identity", "nested")


@probe
def replayed(student, cases):
    """Run each program with checkpointing: value, gradients, runs of its blocks, random numbers, and what stays alive."""
    import gc
    import weakref

    import torch
    import torch.utils.checkpoint as library

    def refuse(*args, **options):
        raise RuntimeError("torch.utils.checkpoint is not available in this exercise")

    class Refused:
        apply = staticmethod(refuse)

    for name in ("checkpoint", "checkpoint_sequential", "_checkpoint_without_reentrant_generator"):
        setattr(library, name, refuse)
    library.CheckpointFunction = Refused
    used = [name for name, value in vars(student).items() if getattr(value, "__module__", None) == library.__name__]
    if used or any(value is library for value in vars(student).values()):
        refuse()

    ck, found = student.checkpoint, []
    for program, x, w, v, plain, order, upstream, seed, rate, old, recording in cases:
        leaves = [t.clone().requires_grad_() for t in (x, w, v)]
        leaf, w, v = leaves
        if old:
            for t in leaves:
                t.grad = torch.full_like(t, 0.25)
        calls, traces = [], []

        def block(name, t, weight):
            calls.append(name)
            mask = (torch.rand(t.shape, dtype=t.dtype) >= rate).to(t.dtype)
            sine = torch.sin(t * weight)
            traces.append(weakref.ref(sine))
            return sine * sine * mask + 0.5 * t

        torch.manual_seed(seed)
        with torch.set_grad_enabled(recording):
            if program == "one":
                y = ck(lambda t: block("a", t, w), leaf)
            elif program == "mixed":
                y = ck(lambda k, t, o, n, i: block("a", t, w)[i] * k + o, 1.5, leaf, plain, None, order)
            elif program == "repeated":
                y = ck(lambda s, t: block("a", s, w) * t, leaf, leaf)
            elif program == "shared":
                y = ck(lambda t: block("a", t, w), leaf) * v + leaf * leaf * w
            elif program == "result":
                y = ck(lambda t, s: block("a", t, w) + s, leaf * v, leaf * leaf)
            elif program == "sequence":
                y = ck(lambda t: block("b", t, v), ck(lambda t: block("a", t, w), leaf))
            elif program == "twice":
                f = lambda t: block("a", t, w)  # noqa: E731
                first, second = ck(f, leaf), ck(f, leaf * v)
                y = first * second
            elif program == "identity":
                y = ck(lambda t: t, leaf) * v
            elif program == "nested":
                y = ck(lambda t: block("a", ck(lambda s: block("b", s, v), t * 1.5), w), leaf)
        forward = list(calls)
        if any(trace() is not None for trace in traces):
            gc.collect()
        alive = sum(trace() is not None for trace in traces)
        answer = {
            "value": y.detach().clone(),
            "recorded": y.requires_grad,
            "forward": forward,
            "alive": alive,
            "between": torch.rand(3, dtype=x.dtype),
            "after": None,
            "backward": [],
            "grads": [],
        }
        if recording:
            y.backward(upstream.clone())
            answer["after"] = torch.rand(3, dtype=x.dtype)
            answer["backward"] = calls[len(forward) :]
            answer["grads"] = [t.grad for t in leaves]
        found.append(answer)
    return found


class Replayed(msgspec.Struct):
    """`forward` and `backward` are the runs of the blocks, `alive` is how many inner tensors are left in between; `between` and
    `after` are random numbers that the program draws."""

    value: Any
    recorded: bool
    forward: list[str]
    alive: int
    between: Any
    after: Any
    backward: list[str]
    grads: list[Any]


class Case(msgspec.Struct):
    program: str
    x: Numbers
    w: Numbers
    v: Numbers
    plain: Numbers
    order: Numbers
    upstream: Numbers
    seed: int
    rate: float
    old: bool = False
    recording: bool = True


def case(
    rng: np.random.Generator, program: str, *, rate: float = 0.0, old: bool = False, recording: bool = True, n: int = 4
) -> Case:
    """`rate` is the share of entries that a block drops."""

    def numbers() -> Numbers:
        return np.asarray(rng.uniform(0.4, 1.6, n) * rng.choice([-1.0, 1.0], n))

    x, w, v, plain, upstream = (numbers() for _ in range(5))
    if n > 1:
        x[0], upstream[-1] = 0.0, 0.0
    order = rng.permutation(n).astype("int64")
    return Case(program, x, w, v, plain, order, upstream, int(rng.integers(1, 1 << 30)), rate, old, recording)


def run(asked: Case) -> tuple[torch.Tensor, list[torch.Tensor], torch.Tensor, torch.Tensor]:
    """The plain program: value, gradients of x, w and v, and the random numbers after it."""
    generator = torch.Generator().manual_seed(asked.seed)
    x, w, v = (torch.tensor(t, requires_grad=True) for t in (asked.x, asked.w, asked.v))
    plain, order = torch.tensor(asked.plain), torch.tensor(asked.order)

    def block(t: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        mask = (torch.rand(t.shape, dtype=t.dtype, generator=generator) >= asked.rate).to(t.dtype)
        return torch.sin(t * weight) ** 2 * mask + 0.5 * t

    programs = {
        "one": lambda: block(x, w),
        "mixed": lambda: block(x, w)[order] * 1.5 + plain,
        "repeated": lambda: block(x, w) * x,
        "shared": lambda: block(x, w) * v + x * x * w,
        "result": lambda: block(x * v, w) + x * x,
        "sequence": lambda: block(block(x, w), v),
        "twice": lambda: block(x, w) * block(x * v, w),
        "identity": lambda: x * v,
        "nested": lambda: block(block(x * 1.5, v), w),
    }
    y = programs[asked.program]()
    grads = torch.autograd.grad(y, [x, w, v], torch.tensor(asked.upstream), allow_unused=True)
    dense = [torch.zeros_like(x) if g is None else g for g in grads]
    draws = [torch.rand(3, dtype=x.dtype, generator=generator) for _ in range(2)]
    return y.detach(), dense, draws[0], draws[1]


def look(student: Student, *cases: Case) -> list[Replayed]:
    """Values and gradients; the answers for further questions."""
    sent = [
        [c.program, *(tensor(t) for t in (c.x, c.w, c.v, c.plain, c.order, c.upstream)), c.seed, c.rate, c.old, c.recording]
        for c in cases
    ]
    answers = student.run(replayed, sent, returns=list[Replayed])
    expect_equal(len(answers), len(cases), "The number of answers")
    for asked, answer in zip(cases, answers, strict=True):
        shown: dict[str, Any] = {"program": DESCRIBED[asked.program], "x": asked.x, "w": asked.w, "v": asked.v}
        value, grads, _, _ = run(asked)
        expect_close(answer.value, value, "The value of the program", shown)
        if not asked.recording:
            expect(not answer.recorded, "Recording is off, so the result should not require grad.", "result", shown)
            continue
        shown["upstream"] = asked.upstream
        expect_equal(len(answer.grads), 3, "The number of gradients")
        for name, given, right in zip("xwv", answer.grads, grads, strict=True):
            what = f"The gradient of {name}" + (", which the program adds to what was there," if asked.old else "")
            expected = right + 0.25 if asked.old else right
            if given is None and bool(expected.any()):
                raise fail(f"{what} is missing: {name}.grad is None.", what, shown, expected=expected)
            if given is not None:
                expect_close(given, expected, what, shown)
    return answers


def expect_one_replay(answers: list[Replayed], cases: list[Case]) -> None:
    for asked, answer in zip(cases, answers, strict=True):
        shown = {"program": DESCRIBED[asked.program]}
        forward = {"sequence": ["a", "b"], "twice": ["a", "a"], "identity": [], "nested": ["b", "a"]}.get(
            asked.program, ["a"]
        )
        expect_equal(answer.forward, forward, "The runs of the blocks in the forward pass", shown)
        if asked.program == "nested" and asked.recording:
            expect_equal(answer.backward.count("a"), 1, "The number of runs of the outer block in the backward pass", shown)
        elif asked.recording:
            expect_equal(sorted(answer.backward), sorted(forward), "The runs of the blocks in the backward pass", shown)


def expect_freed(answers: list[Replayed], cases: list[Case]) -> None:
    for asked, answer in zip(cases, answers, strict=True):
        message = f"After the forward pass, {answer.alive} tensors that were made inside of fn are still alive."
        expect(answer.alive == 0, message, "memory", {"program": DESCRIBED[asked.program]})


def expect_draws(answers: list[Replayed], cases: list[Case]) -> None:
    for asked, answer in zip(cases, answers, strict=True):
        shown = {"program": DESCRIBED[asked.program]}
        _, _, between, after = run(asked)
        expect_close(answer.between, between, "Three random numbers that the program draws after the forward pass", shown)
        if asked.recording:
            expect_close(answer.after, after, "Three random numbers that the program draws after the backward pass", shown)


DESCRIBED = {
    "one": "checkpoint(f, x); f uses w",
    "mixed": "checkpoint(f, 1.5, x, a constant tensor, None, a permutation); f uses w",
    "repeated": "checkpoint(f, x, x); f uses w",
    "shared": "checkpoint(f, x) * v + x * x * w; f uses w",
    "result": "checkpoint(f, x * v, x * x); f uses w",
    "sequence": "checkpoint(g, checkpoint(f, x)); f uses w, g uses v",
    "twice": "checkpoint(f, x) * checkpoint(f, x * v); f uses w",
    "identity": "checkpoint(f, x) * v; f returns its argument",
    "nested": "checkpoint(f, x); f uses w and calls checkpoint(g, t); g uses v",
}


@check("Value and gradients, also of a captured tensor", points=3)
def simple(student: Student, rng: np.random.Generator) -> None:
    look(student, case(rng, "one"))


@check("fn runs twice, and its inside is freed in between", points=3)
def twice_and_freed(student: Student, rng: np.random.Generator) -> None:
    cases = [case(rng, "one")]
    answers = look(student, *cases)
    expect_freed(answers, cases)
    expect_one_replay(answers, cases)


@check("Dropout: the second run drops the same entries", points=2)
def dropout(student: Student, rng: np.random.Generator) -> None:
    look(student, case(rng, "one", rate=0.5, n=40))


@check("Any arguments: repeated, without a gradient, and results of other operations", points=2.5, hidden=True)
def arguments(student: Student, rng: np.random.Generator) -> None:
    look(
        student, *(case(rng, name, old=old) for name in ("mixed", "repeated", "result", "identity") for old in (False, True))
    )


@check("Several blocks in one program", points=2, hidden=True)
def several(student: Student, rng: np.random.Generator) -> None:
    cases = [case(rng, name, rate=rate, n=12) for name in ("shared", "sequence", "twice") for rate in (0.0, 0.5)]
    expect_one_replay(look(student, *cases), cases)


@check("Random numbers: in both runs, after the forward pass and after the backward pass", points=3, hidden=True)
def random_numbers(student: Student, rng: np.random.Generator) -> None:
    cases = [case(rng, name, rate=0.5, n=20) for name in ("one", "mixed", "sequence", "twice", "shared")]
    expect_draws(look(student, *cases), cases)


@check("Nested", points=2, hidden=True)
def nested(student: Student, rng: np.random.Generator) -> None:
    cases = [case(rng, "nested"), case(rng, "nested", rate=0.5, n=20, old=True)]
    answers = look(student, *cases)
    expect_one_replay(answers, cases)
    expect_draws(answers, cases)


@check("Nothing of the inside is kept, in any program", points=1.5, hidden=True)
def freed(student: Student, rng: np.random.Generator) -> None:
    cases = [case(rng, name, rate=0.3, n=int(rng.integers(2, 8))) for name in PROGRAMS]
    answers = look(student, *cases)
    expect_freed(answers, cases)
    expect_one_replay(answers, cases)


@check("Without recording", points=1, hidden=True)
def unrecorded(student: Student, rng: np.random.Generator) -> None:
    cases = [case(rng, name, rate=0.3, recording=False, n=6) for name in ("one", "mixed", "sequence", "nested")]
    answers = look(student, *cases)
    expect_one_replay(answers, cases)
    expect_draws(answers, cases)
    expect_freed(answers, cases)


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    cases = []
    for name in rng.choice(PROGRAMS, size=4, replace=False):
        rate, n = float(rng.choice([0.0, 0.5])), int(rng.integers(1, 6))
        asked = case(rng, str(name), rate=rate, old=bool(rng.random() < 0.3), recording=bool(rng.random() < 0.8), n=n)
        cases.append(asked)
    sent = [
        [c.program, *(tensor(t) for t in (c.x, c.w, c.v, c.plain, c.order, c.upstream)), c.seed, c.rate, c.old, c.recording]
        for c in cases
    ]
    student.run(replayed, sent, returns=list[Replayed])


# -- what the diagnosis can tell from wrong answers ----------------------------------------------------------------------


def reading(answers: list[dict[str, Any]], cases: list[Any]) -> list[dict[str, Any]]:
    """No gradient is as good as zeros; only the number of runs counts. With the answers: what an upstream of ones would give,
    the same on both sides."""
    found = []
    for answer, (program, x, w, v, plain, order, upstream, seed, rate, old, recording) in zip(answers, cases, strict=True):
        arrays = [np.array(to_numpy(t)) for t in (x, w, v, plain, order, upstream)]
        a, b, c, d, e, g = arrays
        asked = Case(program, a, b, c, d, e, np.ones_like(g), seed, rate, old, recording)
        grads = [np.zeros_like(a) if one is None else one for one in answer["grads"]]
        masks = [run(msgspec.structs.replace(asked, upstream=g, rate=r))[1][0].numpy() + 0.25 * old for r in (0.0, 2.0)]
        ones = [one.numpy() + 0.25 * old for one in run(asked)[1]]
        backward = [name for name in answer["backward"] if program != "nested" or name == "a"]
        facts = {"program": program, "ones": ones, "masks": masks, "old": 0.25 * old, "rate": rate}
        found.append({**answer, "grads": grads, "backward": sorted(backward), **facts})
    return found


def alike(one: Any, other: Any) -> bool:
    one, other = to_numpy(one), to_numpy(other)
    return one.shape == other.shape and bool(np.allclose(one, other, rtol=1e-7, atol=1e-10))


Answers = list[dict[str, Any]]


def same_values(right: Answers, given: Answers) -> bool:
    return all(alike(a["value"], b["value"]) for a, b in zip(right, given, strict=True))


def same_grads(right: Answers, given: Answers, *leaves: int) -> bool:
    pairs = zip(right, given, strict=True)
    return all(alike(a["grads"][n], b["grads"][n]) for a, b in pairs for n in leaves if len(a["grads"]) == 3)


def parameters_lost(right: Answers, given: Answers) -> bool:
    """x has the right gradient, and w has none of its own."""
    lost = all(alike(np.full_like(to_numpy(b["grads"][1]), b["old"]), b["grads"][1]) for b in given if b["grads"])
    return same_values(right, given) and same_grads(right, given, 0) and lost


def ones_for_the_upstream(right: Answers, given: Answers) -> bool:
    pairs = [(a["ones"][n], b["grads"][n]) for a, b in zip(right, given, strict=True) for n in range(3)]
    return same_values(right, given) and all(alike(a, b) for a, b in pairs)


def other_masks(right: Answers, given: Answers) -> bool:
    """In the program of one block: every entry is kept or dropped, but not always as it should be."""
    simple = [(a, b) for a, b in zip(right, given, strict=True) if a["program"] == "one" and a["rate"] > 0]
    wrong = [not alike(a["grads"][0], b["grads"][0]) for a, b in simple]
    if not same_values(right, given) or not any(wrong):
        return False
    either = [
        np.isclose(to_numpy(b["grads"][0]), to_numpy(a["masks"][0]))
        | np.isclose(to_numpy(b["grads"][0]), to_numpy(a["masks"][1]))
        for a, b in simple
    ]
    return all(bool(entries.all()) for entries in either)


def other_draws(right: Answers, given: Answers) -> bool:
    if not same_values(right, given) or not same_grads(right, given, 0, 1, 2):
        return False
    pairs = [
        (a[name], b[name]) for a, b in zip(right, given, strict=True) for name in ("between", "after") if a[name] is not None
    ]
    return not all(alike(a, b) for a, b in pairs)


def still_alive(right: Answers, given: Answers) -> bool:
    return same_values(right, given) and any(b["alive"] for b in given)


def more_runs(right: Answers, given: Answers) -> bool:
    freed = not any(b["alive"] for b in given)
    return freed and any(len(b["backward"]) > len(a["backward"]) for a, b in zip(right, given, strict=True))


reads_as("replayed", reading)
symptom("saves-everything", still_alive)
symptom("detaches-params", parameters_lost)
symptom("missing-upstream", ones_for_the_upstream)
symptom("replays-more-than-once", more_runs)
symptom("missing-enable-grad", raises("does not require grad", "can only change requires_grad flags"), raised=True)
symptom(
    "only-tensors", raises("floating point", "has no attribute 'detach'", "has no attribute 'requires_grad'"), raised=True
)
for place in ("dropout", "random-numbers", "freed"):
    symptom("other-random-mask", other_masks, check=place)
for place in ("random-numbers", "nested", "unrecorded"):
    symptom("rng-state-leaks", other_draws, check=place)
