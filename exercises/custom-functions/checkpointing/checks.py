"""Programs with blocks that draw random masks and report their runs to the judge. Values, gradients and random numbers are
computed here with torch, without checkpointing.

Two claims of a submission need evidence that it cannot make up. That fn ran again: in marked programs, the derivative of a block
has a factor that the judge draws for every phase, so a gradient tells which run it belongs to. That its inside is freed: the
kernel says how much memory the process has after a forward pass with large tensors.
"""

from typing import Any, NamedTuple

import msgspec
import numpy as np
import torch

from autograder.judge.arrays import Numbers
from autograder.judge.checks import (
    Callback,
    CheckFailed,
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
from autograder.judge.checks.costs import LARGE, LARGE_MEGABYTES, Megabytes
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
    for program, x, w, v, plain, order, upstream, seed, rate, old, recording, runs in cases:
        leaves = [t.clone().requires_grad_() for t in (x, w, v)]
        leaf, w, v = leaves
        if old:
            for t in leaves:
                t.grad = torch.full_like(t, 0.25)
        traces = []

        def block(name, t, weight):
            factor = runs(name)
            mask = (torch.rand(t.shape, dtype=t.dtype) >= rate).to(t.dtype)
            sine = torch.sin(t * weight)
            traces.append(weakref.ref(sine))
            if factor != 1.0:  # for the derivative alone
                factor = torch.full_like(sine, factor)
                sine = sine.detach() + factor * (sine - sine.detach())
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
        runs("")
        if any(trace() is not None for trace in traces):
            gc.collect()
        alive = sum(trace() is not None for trace in traces)
        answer = {
            "value": y.detach().clone(),
            "recorded": y.requires_grad,
            "alive": alive,
            "between": torch.rand(3, dtype=x.dtype),
            "after": None,
            "grads": [],
        }
        if recording:
            y.backward(upstream.clone())
            answer["after"] = torch.rand(3, dtype=x.dtype)
            answer["grads"] = [t.grad for t in leaves]
        found.append(answer)
    return found


class Replayed(msgspec.Struct):
    """`alive` is how many inner tensors are left after the forward pass; `between` and `after` are random numbers that the
    program draws."""

    value: Any
    recorded: bool
    alive: int
    between: Any
    after: Any
    grads: list[Any]


class Runs(Callback):
    """Called at each run of a block: gives the factor of its derivative. The name "" ends the forward pass."""

    def __init__(self, factors: tuple[float, float]) -> None:
        super().__init__("runs", self.begin)
        self.phases: list[list[str]] = [[]]
        self.factors = factors

    def begin(self, name: Any) -> float:
        self.phases += [[]] if name == "" else []
        self.phases[-1] += [str(name)] if name else []
        return self.factors[min(len(self.phases), 2) - 1]


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
    factors: tuple[float, float] = (1.0, 1.0)  # of the derivative of a block, in the forward and in the backward pass

    def sent(self) -> list[Any]:
        tensors = [tensor(t) for t in (self.x, self.w, self.v, self.plain, self.order, self.upstream)]
        return [self.program, *tensors, self.seed, self.rate, self.old, self.recording, Runs(self.factors)]


def case(
    rng: np.random.Generator,
    program: str,
    *,
    rate: float = 0.0,
    old: bool = False,
    recording: bool = True,
    n: int = 4,
    marked: bool = False,
) -> Case:
    """`rate` is the share of entries that a block drops."""

    def numbers() -> Numbers:
        return np.asarray(rng.uniform(0.4, 1.6, n) * rng.choice([-1.0, 1.0], n))

    x, w, v, plain, upstream = (numbers() for _ in range(5))
    if n > 1:
        x[0], upstream[-1] = 0.0, 0.0
    order = rng.permutation(n).astype("int64")
    seed = int(rng.integers(1, 1 << 30))
    factors = tuple(rng.permutation([rng.uniform(0.3, 0.6), rng.uniform(1.5, 2.5)]).tolist()) if marked else (1.0, 1.0)
    return Case(program, x, w, v, plain, order, upstream, seed, rate, old, recording, factors)


def run(asked: Case, factor: float = 1.0) -> tuple[torch.Tensor, list[torch.Tensor], torch.Tensor, torch.Tensor]:
    """The plain program: value, gradients of x, w and v with this factor of the derivative of a block, and the random numbers
    after it."""
    generator = torch.Generator().manual_seed(asked.seed)
    x, w, v = (torch.tensor(t, requires_grad=True) for t in (asked.x, asked.w, asked.v))
    plain, order = torch.tensor(asked.plain), torch.tensor(asked.order)

    def block(t: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        mask = (torch.rand(t.shape, dtype=t.dtype, generator=generator) >= asked.rate).to(t.dtype)
        sine = torch.sin(t * weight)
        sine = sine.detach() + factor * (sine - sine.detach())
        return sine * sine * mask + 0.5 * t

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


class Look(NamedTuple):
    asked: Case
    answer: Replayed
    forward: list[str]  # the runs of the blocks
    backward: list[str]

    @property
    def shown(self) -> dict[str, Any]:
        return {"program": DESCRIBED[self.asked.program]}


def look(student: Student, *cases: Case) -> list[Look]:
    """Values and gradients; the answers for further questions."""
    sent = [asked.sent() for asked in cases]
    answers = student.run(replayed, sent, returns=list[Replayed])
    expect_equal(len(answers), len(cases), "The number of answers")
    looks = []
    for asked, (*_, runs), answer in zip(cases, sent, answers, strict=True):
        expect_equal(len(runs.phases), 2, "The number of passes")
        looks.append(Look(asked, answer, *runs.phases))
        shown: dict[str, Any] = {**looks[-1].shown, "x": asked.x, "w": asked.w, "v": asked.v}
        value, grads, _, _ = run(asked, asked.factors[1])
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
            if given is not None and asked.factors != (1.0, 1.0):
                expect(close(given, expected), f"{what} was not computed with the second run of fn.", what, looks[-1].shown)
            elif given is not None:
                expect_close(given, expected, what, shown)
    return looks


def close(given: Any, expected: torch.Tensor) -> bool:
    try:
        expect_close(given, expected, "")
    except CheckFailed:
        return False
    return True


def expect_one_replay(looks: list[Look]) -> None:
    for asked, _, forward, backward in looks:
        shown = {"program": DESCRIBED[asked.program]}
        once = {"sequence": ["a", "b"], "twice": ["a", "a"], "identity": [], "nested": ["b", "a"]}.get(asked.program, ["a"])
        expect_equal(forward, once, "The runs of the blocks in the forward pass", shown)
        if asked.program == "nested" and asked.recording:
            expect_equal(backward.count("a"), 1, "The number of runs of the outer block in the backward pass", shown)
        elif asked.recording:
            expect_equal(sorted(backward), sorted(once), "The runs of the blocks in the backward pass", shown)


def expect_freed(looks: list[Look]) -> None:
    for one in looks:
        message = f"After the forward pass, {one.answer.alive} tensors that were made inside of fn are still alive."
        expect(one.answer.alive == 0, message, "memory", one.shown)


@probe
def large(student, n, megabytes):
    """A forward pass with tensors of n entries, before and after which the judge reads how much memory is in use."""
    import torch

    x = torch.full((n,), 0.7, dtype=torch.float64, requires_grad=True)
    w = torch.full((n,), 1.3, dtype=torch.float64, requires_grad=True)
    megabytes()
    y = student.checkpoint(lambda t: t * w * t * w, x)
    megabytes()
    return y[:1].detach().clone()


def expect_memory_freed(student: Student) -> None:
    """As the kernel counts it."""
    megabytes = Megabytes(student)
    value = student.run(large, LARGE, megabytes, returns=Any)
    expect_equal(len(megabytes.read), 2, "The number of passes")
    expect_close(value, torch.tensor([(0.7 * 1.3) ** 2], dtype=torch.float64), "The value")
    before, after = megabytes.read
    more = after - before - LARGE_MEGABYTES
    message = f"After a forward pass with tensors of {LARGE_MEGABYTES:.0f} MB, the process needs {more:.0f} MB more than for the result."
    expect(more < LARGE_MEGABYTES / 2, message, "memory")


def expect_draws(looks: list[Look]) -> None:
    for one in looks:
        _, _, between, after = run(one.asked)
        expect_close(
            one.answer.between, between, "Three random numbers that the program draws after the forward pass", one.shown
        )
        if one.asked.recording:
            expect_close(
                one.answer.after, after, "Three random numbers that the program draws after the backward pass", one.shown
            )


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


@check("fn runs twice, and its inside is freed in between", points=3, seconds=3)
def twice_and_freed(student: Student, rng: np.random.Generator) -> None:
    for marked in (False, True):
        looks = look(student, case(rng, "one", marked=marked))
        expect_freed(looks)
        expect_one_replay(looks)
    expect_memory_freed(student)


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
    expect_one_replay(look(student, *cases))


@check("Random numbers: in both runs, after the forward pass and after the backward pass", points=3, hidden=True)
def random_numbers(student: Student, rng: np.random.Generator) -> None:
    expect_draws(
        look(student, *(case(rng, name, rate=0.5, n=20) for name in ("one", "mixed", "sequence", "twice", "shared")))
    )


@check("Nested", points=2, hidden=True)
def nested(student: Student, rng: np.random.Generator) -> None:
    looks = look(student, case(rng, "nested"), case(rng, "nested", rate=0.5, n=20, old=True))
    expect_one_replay(looks)
    expect_draws(looks)


@check("Nothing of the inside is kept, in any program", points=1.5, hidden=True, seconds=4)
def freed(student: Student, rng: np.random.Generator) -> None:
    for marked in (False, True):
        cases = [case(rng, name, rate=0.3, n=int(rng.integers(2, 8)), marked=marked) for name in PROGRAMS]
        looks = look(student, *cases)
        expect_freed(looks)
        expect_one_replay(looks)
    expect_memory_freed(student)


@check("Without recording", points=1, hidden=True)
def unrecorded(student: Student, rng: np.random.Generator) -> None:
    looks = look(
        student,
        *(case(rng, name, rate=0.3, recording=False, n=6) for name in ("one", "mixed", "sequence", "nested")),
    )
    expect_one_replay(looks)
    expect_draws(looks)
    expect_freed(looks)


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    cases = []
    for name in rng.choice(PROGRAMS, size=4, replace=False):
        rate, n = float(rng.choice([0.0, 0.5])), int(rng.integers(1, 6))
        asked = case(rng, str(name), rate=rate, old=bool(rng.random() < 0.3), recording=bool(rng.random() < 0.8), n=n)
        cases.append(asked)
    student.run(replayed, [asked.sent() for asked in cases], returns=list[Replayed])


# -- what the diagnosis can tell from wrong answers ----------------------------------------------------------------------


def reading(answers: list[dict[str, Any]], cases: list[Any]) -> list[dict[str, Any]]:
    """No gradient is as good as zeros; only the number of runs counts. With the answers: what an upstream of ones would give,
    the same on both sides."""
    found = []
    for answer, (program, x, w, v, plain, order, upstream, seed, rate, old, recording, runs) in zip(
        answers, cases, strict=True
    ):
        arrays = [np.array(to_numpy(t)) for t in (x, w, v, plain, order, upstream)]
        a, b, c, d, e, g = arrays
        asked = Case(program, a, b, c, d, e, np.ones_like(g), seed, rate, old, recording)
        grads = [np.zeros_like(a) if one is None else one for one in answer["grads"]]
        masks = [run(msgspec.structs.replace(asked, upstream=g, rate=r))[1][0].numpy() + 0.25 * old for r in (0.0, 2.0)]
        ones = [one.numpy() + 0.25 * old for one in run(asked)[1]]
        forward, backward = [*runs.phases, []][:2]
        backward = [name for name in backward if program != "nested" or name == "a"]
        facts = {"program": program, "ones": ones, "masks": masks, "old": 0.25 * old, "rate": rate}
        found.append({**answer, "grads": grads, "forward": forward, "backward": sorted(backward), **facts})
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
