"""The truth of the loss is its definition, term by term; that of the gradient is a complex step of the loss."""

from typing import Any

import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks import VJP, Student, array, check, expect_close, expect_number, fail, variety
from autograder.judge.checks.backward_cost import FEW, MANY, SECONDS, Inputs, expect_cheap_vjp
from autograder.judge.checks.recording import upstream
from autograder.judge.checks.vjp import LAYOUTS, expect_tuple, same_answer
from autograder.judge.diagnosis import forward_of
from sandbox.wire import Array

Options = dict[str, float]
Asked = tuple[Numbers, Numbers, Options]

STEP = 1e-30


def loss_truth(x: Numbers, t: Numbers, *, margin: float = 1.0) -> Numbers:
    """One loss for each table of logits in the last two axes of x, which can be complex."""
    total = np.zeros(x.shape[:-2], x.dtype)
    for sample, target in enumerate(t):
        for other in range(x.shape[-1]):
            missed = x[..., sample, other] - x[..., sample, target] + margin
            if other != target:
                total = total + np.where(missed.real > 0, missed, 0.0)
    return np.asarray(total / len(t) if len(t) else total)


def gradient_truth(x: Numbers, t: Numbers, *, margin: float = 1.0) -> Numbers:
    steps = (STEP * 1j * np.eye(x.size)).reshape(x.size, *x.shape)
    return np.asarray(np.imag(loss_truth(x + steps, t, margin=margin)) / STEP).reshape(x.shape)


def answer_of(student: Student, name: str, values: list[Numbers], options: Options, layout: str, shown: Any) -> Any:
    """The call fails the check if it changes an argument; a second call must give the same answer."""
    sent = [array(value, layout=layout) for value in values]
    answer = student.call(name, *sent, **options)
    if not same_answer(answer, student.call(name, *sent, **options)):
        message = f"{name} returned different results for two calls with the same arguments."
        raise fail(message, "second call with the same arguments", shown)
    return answer


def expect_losses(student: Student, cases: list[Asked]) -> None:
    for number, (x, t, options) in enumerate(cases):
        shown = {"x": x, "t": t, **options}
        answer = answer_of(student, "hinge", [x, t], options, LAYOUTS[number % len(LAYOUTS)], shown)
        truth, what = loss_truth(x, t, **options), f"hinge: the loss for x{x.shape}"
        if isinstance(answer, Array):
            expect_close(answer, truth, what, shown, VJP)
        else:
            expect_number(answer, float(truth), what, shown, VJP)


def expect_gradients(student: Student, rng: np.random.Generator, cases: list[Asked], trials: int = 2) -> None:
    for number, (x, t, options) in enumerate(cases):
        truth = gradient_truth(x, t, **options)
        for trial in range(trials):
            g = np.asarray(upstream(rng, ()) * (trial != 2))
            shown = {"g": g, "x": x, "t": t, **options}
            layout = LAYOUTS[(number + trial) % len(LAYOUTS)]
            answer = answer_of(student, "hinge_vjp", [g, x, t], options, layout, shown)
            expect_tuple(answer, 1, "hinge_vjp", shown)
            what = f"hinge_vjp: the gradient with respect to x for g(), x{x.shape}"
            expect_close(answer[0], g * truth, what, shown, VJP)


def targets(rng: np.random.Generator, samples: int, classes: int) -> Numbers:
    """At least two different classes where there is room."""
    return np.asarray(rng.permutation(np.arange(samples) % classes)).astype(np.int64)


def logits(rng: np.random.Generator, t: Numbers, classes: int, margin: float = 1.0) -> Numbers:
    """The numbers of active terms differ from sample to sample, from none to all, and no term is close to its kink."""
    own = rng.normal(size=len(t))
    x = np.empty((len(t), classes))
    for row, (target, start) in enumerate(zip(t, rng.permutation(len(t)), strict=True)):
        active = rng.permutation(classes - 1) < (start + 1) % classes
        missed = rng.uniform(0.2, 2.5, classes - 1) * np.where(active, 1, -1)
        x[row] = np.insert(own[row] - margin + missed, target, own[row])
    return x


def case(rng: np.random.Generator, samples: int, classes: int, **options: float) -> Asked:
    t = targets(rng, samples, classes)
    return logits(rng, t, classes, **options), t, options


@check("The loss with a margin of 1", points=1)
def loss(student: Student, rng: np.random.Generator) -> None:
    expect_losses(student, [case(rng, 4, 3), case(rng, 3, 5)])


@check("The gradient with a margin of 1", points=1.5)
def gradient(student: Student, rng: np.random.Generator) -> None:
    expect_gradients(student, rng, [case(rng, 4, 3), case(rng, 3, 5)])


def with_margins(rng: np.random.Generator) -> list[Asked]:
    """Also a margin of 0, and logits that are large in comparison with the margin."""
    sizes = ((4, 4), (5, 3), (3, 6), (4, 2), (2, 4))
    margins = (float(rng.uniform(0.2, 0.7)), float(rng.uniform(2, 5)), 0.0, float(rng.uniform(20, 90)), 1.0)
    cases = [case(rng, n, c, margin=margin) for (n, c), margin in zip(sizes, margins, strict=True)]
    wide = rng.choice([-1.0, 1.0], size=(5, 4)) * rng.uniform(10, 1e6, size=(5, 4))
    far, t = case(rng, 4, 4)[:2]
    same = np.full(4, int(rng.integers(3)))
    return [
        *cases,
        (wide, targets(rng, 5, 4), {"margin": float(rng.uniform(1e5, 5e5))}),
        (far + 9e5 * rng.choice([-1.0, 1.0], size=(4, 1)), t, {}),
        (logits(rng, same, 3), same, {}),
    ]


@check("The loss with other margins and with large logits", points=1, hidden=True)
def loss_with_margins(student: Student, rng: np.random.Generator) -> None:
    expect_losses(student, with_margins(rng))


@check("The gradient with other margins and with large logits", points=2, hidden=True)
def gradient_with_margins(student: Student, rng: np.random.Generator) -> None:
    expect_gradients(student, rng, with_margins(rng))


def at_kinks(rng: np.random.Generator, step: float) -> list[Asked]:
    """Terms of 0, of `step` and of -`step`, among others. All numbers are multiples of 1/8 or of the step, so that nothing
    rounds."""
    cases = []
    for margin in (1.0, 2.5, 0.0):
        t = targets(rng, 5, 4)
        missed = rng.permuted(np.tile([0.0, step, -step], (5, 1)), axis=1)
        missed[0], missed[1, 0], missed[2, 0], missed[3, 0] = 0.0, 1.25, -0.75, 0.625
        own = rng.integers(-16, 17, size=5) / 8
        rows = [np.insert(a - margin + row, target, a) for a, row, target in zip(own, missed, t, strict=True)]
        cases.append((np.array(rows), t, {} if margin == 1 else {"margin": margin}))
    return cases


@check("Terms exactly at the kink", points=1, hidden=True)
def kinks(student: Student, rng: np.random.Generator) -> None:
    equal = [(np.full((3, 4), value), targets(rng, 3, 4), {"margin": 0.0}) for value in (0.0, -0.0, 2.5)]
    zeros = np.zeros((3, 3)) * rng.choice([-1.0, 1.0], size=(3, 3))
    expect_gradients(student, rng, [*at_kinks(rng, 0.5), *equal, (zeros, targets(rng, 3, 3), {})], trials=1)


@check("Terms just above and just below the kink", points=0.5, hidden=True)
def near_kinks(student: Student, rng: np.random.Generator) -> None:
    cases = [asked for power in (-40, -24) for asked in at_kinks(rng, 2.0**power)]
    expect_gradients(student, rng, cases, trials=1)


def few(rng: np.random.Generator) -> list[Asked]:
    """A single sample, a single class, and no sample."""
    single = [case(rng, n, c, margin=float(rng.uniform(0.5, 3))) for n, c in ((1, 4), (1, 2), (1, 1), (3, 1))]
    nothing = np.zeros(0, np.int64)
    return [*single, (np.zeros((0, 3)), nothing, {}), (np.zeros((0, 1)), nothing, {"margin": 0.0})]


@check("The loss of a single sample or class, and of an empty batch", points=0.5, hidden=True)
def loss_of_few(student: Student, rng: np.random.Generator) -> None:
    expect_losses(student, few(rng))


@check("The gradient of a single sample or class, and of an empty batch", points=0.5, hidden=True)
def gradient_of_few(student: Student, rng: np.random.Generator) -> None:
    expect_gradients(student, rng, few(rng), trials=1)
    expect_gradients(student, rng, [case(rng, 3, 3)], trials=3)  # the last upstream gradient is 0


@check("The gradient of a large batch, at the cost of a few forward passes", points=2, hidden=True, seconds=SECONDS)
def cost(student: Student, rng: np.random.Generator) -> None:
    def loss_of(x: Numbers) -> Numbers:
        missed = x - x[np.arange(len(x)), np.arange(len(x)) % 50][:, None] + 1.0
        return np.asarray((missed * (missed.real > 0)).sum() / len(x) - 1.0)

    def gradient(g: Numbers, inputs: Inputs) -> Any:
        return student.call("hinge_vjp", array(g), array(inputs["x"]), array(np.arange(len(inputs["x"])) % 50))

    few, many = ({"x": rng.normal(size=(n // 50, 50))} for n in (FEW, MANY))
    expect_cheap_vjp(student, "hinge_vjp", loss_of, many, rng, few=few, ask=gradient)


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    for _ in range(5):
        samples, classes = (int(size) for size in (rng.choice([0, 1, 2, 4, 6]), rng.choice([1, 2, 3, 5])))
        options = {"margin": float(rng.choice([0.0, 0.5, 1.0, 3.0, rng.random()]))} if rng.random() < 0.7 else {}
        t = np.asarray(rng.integers(0, classes, size=samples))
        x = rng.choice([rng.integers(-4, 5, size=(samples, classes)) / 2, 1e3 * rng.normal(size=(samples, classes))])
        layout = str(rng.choice(LAYOUTS))
        g = np.asarray(rng.choice([0.0, 1.0, float(rng.normal())]))
        for name, values in (("hinge", [x, t]), ("hinge_vjp", [g, x, t])):
            student.call_and_see(name, *(array(value, layout=layout) for value in values), **options)


def torch_loss(x: Any, t: Any, margin: float = 1.0) -> Any:
    """In primitive steps. The slope of relu is 0 at 0."""
    wrong = x.detach() * 0 + 1
    wrong.scatter_(1, t[:, None], 0.0)
    missed = x - x.gather(1, t[:, None]) + margin
    return (missed.relu() * wrong).sum() / max(len(t), 1)


forward_of("hinge_vjp", torch_loss)
