"""The truth of the loss is its definition, sample by sample; that of the gradient is a complex step of the loss."""

from typing import Any

import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks import VJP, Student, array, check, expect_close, expect_number, fail, variety
from autograder.judge.checks.backward_cost import FEW, MANY, SECONDS, Inputs, expect_cheap_vjp
from autograder.judge.checks.recording import upstream
from autograder.judge.checks.vjp import LAYOUTS, expect_tuple, same_answer
from autograder.judge.diagnosis import forward_of, raises, symptom
from sandbox.wire import Array

Options = dict[str, Any]
Asked = tuple[Numbers, Numbers, Options]

STEP = 1e-30


def loss_truth(
    x: Numbers, t: Numbers, *, weight: Numbers | None = None, ignore_index: int = -100, label_smoothing: float = 0.0
) -> Numbers:
    """One loss for each table of logits in the last two axes of x, which can be complex."""
    classes = x.shape[-1]
    weights = np.ones(classes) if weight is None else weight
    peak = x.real.max(axis=-1, keepdims=True, initial=-np.inf)
    surprise = np.log(np.exp(x - peak).sum(axis=-1, keepdims=True)) + peak - x  # - log p
    total, count = np.zeros(x.shape[:-2], x.dtype), 0.0
    for sample, target in enumerate(t):
        if target != ignore_index:
            every = (surprise[..., sample, :] * weights).sum(axis=-1) / classes
            total += (1 - label_smoothing) * weights[target] * surprise[..., sample, target] + label_smoothing * every
            count += float(weights[target])
    return np.asarray(total / count if count else 0 * total)


def gradient_truth(x: Numbers, t: Numbers, **options: Any) -> Numbers:
    steps = (STEP * 1j * np.eye(x.size)).reshape(x.size, *x.shape)
    return np.asarray(np.imag(loss_truth(x + steps, t, **options)) / STEP).reshape(x.shape)


def shown_of(asked: Asked) -> dict[str, Any]:
    x, t, options = asked
    return {"x": x, "t": t} | {key: value for key, value in options.items() if value is not None}


def answer_of(student: Student, name: str, values: list[Numbers], options: Options, layout: str, shown: Options) -> Any:
    """The call fails the check if it changes an argument; a second call must give the same answer."""
    sent = [array(value, layout=layout) for value in values]
    answer = student.call(name, *sent, **options)
    if not same_answer(answer, student.call(name, *sent, **options)):
        message = f"{name} returned different results for two calls with the same arguments."
        raise fail(message, "second call with the same arguments", shown)
    return answer


def expect_losses(student: Student, cases: list[Asked]) -> None:
    for number, (x, t, options) in enumerate(cases):
        shown = shown_of((x, t, options))
        answer = answer_of(student, "cross_entropy", [x, t], options, LAYOUTS[number % len(LAYOUTS)], shown)
        truth, what = loss_truth(x, t, **options), f"cross_entropy: the loss for x{x.shape}"
        if isinstance(answer, Array):
            expect_close(answer, truth, what, shown, VJP)
        else:
            expect_number(answer, float(truth), what, shown, VJP)


def expect_gradients(student: Student, rng: np.random.Generator, cases: list[Asked], trials: int = 2) -> None:
    for number, (x, t, options) in enumerate(cases):
        truth = gradient_truth(x, t, **options)
        for trial in range(trials):
            g = np.asarray(upstream(rng, ()) * (trial != 2))
            shown = {"g": g} | shown_of((x, t, options))
            layout = LAYOUTS[(number + trial) % len(LAYOUTS)]
            answer = answer_of(student, "cross_entropy_vjp", [g, x, t], options, layout, shown)
            expect_tuple(answer, 1, "cross_entropy_vjp", shown)
            what = f"cross_entropy_vjp: the gradient with respect to x for g(), x{x.shape}"
            expect_close(answer[0], g * truth, what, shown, VJP)


def logits(rng: np.random.Generator, samples: int, classes: int) -> Numbers:
    values = np.asarray(1.5 * rng.normal(size=(samples, classes)))
    if values.size > 2:
        values.flat[int(rng.integers(values.size))] = rng.choice([0.0, -0.0])
    return values


def targets(rng: np.random.Generator, samples: int, classes: int) -> Numbers:
    """At least two different classes where there is room."""
    return np.asarray(rng.permutation(np.arange(samples) % classes)).astype(np.int64)


def some_ignored(rng: np.random.Generator, t: Numbers, ignore_index: int) -> Numbers:
    """A third of the targets, but not all, replaced by the index."""
    ignored = rng.permutation(t.size)[: max(1, t.size // 3)]
    return np.where(np.isin(np.arange(t.size), ignored), ignore_index, t)


def weights(rng: np.random.Generator, classes: int) -> Numbers:
    return np.asarray(rng.permutation(np.linspace(0.3, 2.5, classes)) * rng.uniform(0.8, 1.2, classes))


@check("The loss without options", points=1.5)
def loss(student: Student, rng: np.random.Generator) -> None:
    expect_losses(student, [(logits(rng, n, c), targets(rng, n, c), {}) for n, c in ((4, 3), (3, 5))])


@check("The gradient without options", points=1.5)
def gradient(student: Student, rng: np.random.Generator) -> None:
    expect_gradients(student, rng, [(logits(rng, n, c), targets(rng, n, c), {}) for n, c in ((4, 3), (3, 5))])


def ignoring(rng: np.random.Generator, samples: int, classes: int, index: int | None, **options: Any) -> Asked:
    """Some samples have the target `index`; None stands for the default."""
    t = some_ignored(rng, targets(rng, samples, classes), -100 if index is None else index)
    return logits(rng, samples, classes), t, ({} if index is None else {"ignore_index": index}) | options


@check("Class weights and ignored samples", points=1.5)
def weights_and_ignored(student: Student, rng: np.random.Generator) -> None:
    plain = (logits(rng, 5, 3), targets(rng, 5, 3), {"weight": weights(rng, 3)})
    expect_losses(student, [plain, ignoring(rng, 6, 4, None)])
    expect_gradients(student, rng, [plain, ignoring(rng, 6, 4, None)], trials=1)


def with_options(rng: np.random.Generator) -> list[Asked]:
    """Each combination of weights and smoothing, with and without ignored samples."""
    smoothing = {"label_smoothing": float(rng.uniform(0.1, 0.4))}
    cases: list[Asked] = []
    for n, c in ((4, 4), (5, 3), (3, 6)):
        weight = {"weight": weights(rng, c)}
        cases += [(logits(rng, n, c), targets(rng, n, c), options) for options in ({}, weight, smoothing)]
        cases += [
            (logits(rng, n, c), targets(rng, n, c), weight | smoothing),
            ignoring(rng, n, c, None, **weight, **smoothing),
        ]
    everything = {"label_smoothing": 1.0, "weight": weights(rng, 3)}
    return [*cases, ignoring(rng, 6, 3, None), (logits(rng, 4, 3), targets(rng, 4, 3), everything)]


@check("The loss with weights, label smoothing and ignored samples", points=1.5, hidden=True)
def loss_with_options(student: Student, rng: np.random.Generator) -> None:
    expect_losses(student, with_options(rng))


@check("The gradient with weights, label smoothing and ignored samples", points=2, hidden=True)
def gradient_with_options(student: Student, rng: np.random.Generator) -> None:
    expect_gradients(student, rng, with_options(rng))


def with_every_index(rng: np.random.Generator) -> list[Asked]:
    """The last class, the first one, another one; negative numbers; numbers above. Each of them also without effect."""
    both = {"weight": weights(rng, 4), "label_smoothing": float(rng.uniform(0.1, 0.4))}
    cases = [ignoring(rng, 6, 4, index, **both) for index in (0, 2, 3, -1, -3, 4, 255, -(10**9))]
    cases += [ignoring(rng, 5, 3, index) for index in (1, -1, -100)]
    t = targets(rng, 5, 4)
    cases += [(logits(rng, 5, 4), t, both | {"ignore_index": index}) for index in (-1, 7)]
    return [*cases, (logits(rng, 5, 4), t, both)]


@check("Every kind of ignore_index", points=1.5, hidden=True)
def every_index(student: Student, rng: np.random.Generator) -> None:
    cases = with_every_index(rng)
    expect_losses(student, cases)
    expect_gradients(student, rng, cases, trials=1)


def large(rng: np.random.Generator) -> list[Asked]:
    """A table of large numbers; rows near 1e4 and -1e4 in one table; rows that span the whole range, with a target that is out of the question."""
    levels = rng.permutation([1e4 - 8, -1e4 + 8, 3.0, -700.0])[:, None] + rng.uniform(-3, 3, (4, 3))
    spans = rng.permuted(np.array([[1e4, -1e4, 30.0, 9990.0], [-1e4, -9e3, -9.5e3, 1e4], [900, 100, -2e3, 5.0]]), axis=1)
    unlikely, likely = spans.argmin(axis=1), spans.argmax(axis=1)
    both = {"weight": weights(rng, 4), "label_smoothing": float(rng.uniform(0.1, 0.4))}
    ties = np.full((3, 4), float(rng.choice([-1e4, 1e4])))
    steep = 30 * rng.normal(size=(4, 3))
    cases: list[Asked] = [(spans, unlikely, {}), (spans, unlikely, both), (spans, likely, both), (ties, likely, both)]
    above = 9e3 + logits(rng, 4, 3)  # first, so that a missing shift can be told apart from one shift for all rows
    return [(table, targets(rng, 4, 3), {}) for table in (above, levels, steep)] + cases


@check("Large logits", points=1.5, hidden=True)
def large_logits(student: Student, rng: np.random.Generator) -> None:
    cases = large(rng)
    expect_losses(student, cases)
    expect_gradients(student, rng, cases, trials=1)


@check("A single sample or class, and no kept sample", points=1, hidden=True)
def few(student: Student, rng: np.random.Generator) -> None:
    both = {"weight": weights(rng, 3), "label_smoothing": 0.2}
    single: list[Asked] = [(logits(rng, n, c), targets(rng, n, c), {}) for n, c in ((1, 4), (1, 1), (3, 1))]
    single.append((logits(rng, 1, 3), targets(rng, 1, 3), both))
    ignored: list[Asked] = [(logits(rng, 3, 3), np.full(3, i), both | {"ignore_index": i}) for i in (-100, 1, -1)]
    ignored.append((logits(rng, 1, 3), np.full(1, -100), {}))
    empty: list[Asked] = [(np.zeros((0, 3)), np.zeros(0, np.int64), options) for options in ({}, both)]
    cases = [*single, *ignored, *empty, ignoring(rng, 3, 1, None), (logits(rng, 2, 1), np.full(2, -100), {})]
    expect_losses(student, cases)
    expect_gradients(student, rng, cases, trials=1)
    expect_gradients(student, rng, [single[-1]], trials=3)  # the last upstream gradient is 0


@check("The gradient of a large batch, at the cost of a few forward passes", points=3, hidden=True, seconds=SECONDS)
def cost(student: Student, rng: np.random.Generator) -> None:
    def loss_of(x: Numbers) -> Numbers:
        own = x[np.arange(len(x)), np.arange(len(x)) % 50]
        return np.asarray((np.log(np.exp(x).sum(axis=1)) - own).mean())

    def gradient(g: Numbers, inputs: Inputs) -> Any:
        return student.call("cross_entropy_vjp", array(g), array(inputs["x"]), array(np.arange(len(inputs["x"])) % 50))

    few, many = ({"x": logits(rng, n // 50, 50)} for n in (FEW, MANY))
    expect_cheap_vjp(student, "cross_entropy_vjp", loss_of, many, rng, few=few, ask=gradient)


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    for _ in range(5):
        samples, classes = (int(size) for size in (rng.choice([0, 1, 2, 4, 6]), rng.choice([1, 2, 3, 5])))
        index = int(rng.choice([-100, -1, 0, classes - 1, classes, 40]))
        t = targets(rng, samples, classes)
        t = np.where(rng.random(samples) < rng.choice([0.0, 0.3, 1.0]), index, t)
        options: Options = {"ignore_index": index}
        options |= {"weight": weights(rng, classes)} if rng.random() < 0.6 else {}
        options |= {"label_smoothing": float(rng.choice([0.0, 1.0, rng.random()]))} if rng.random() < 0.6 else {}
        if index == -100 and rng.random() < 0.5:
            del options["ignore_index"]
        x = np.clip(rng.choice([0.0, 1.0, 30.0, 9e3]) * logits(rng, samples, classes), -1e4, 1e4)
        layout = str(rng.choice(LAYOUTS))
        g = np.asarray(rng.choice([0.0, 1.0, float(rng.normal())]))
        for name, values in (("cross_entropy", [x, t]), ("cross_entropy_vjp", [g, x, t])):
            student.call_and_see(name, *(array(value, layout=layout) for value in values), **options)


def torch_loss(x: Any, t: Any, weight: Any = None, ignore_index: int = -100, label_smoothing: float = 0.0, **_: Any) -> Any:
    """In primitive steps: every -log p times its share."""
    numbers = t.detach().numpy() if hasattr(t, "numpy") else t
    kept = numbers != ignore_index
    w = np.ones(x.shape[1]) if weight is None else np.asarray(weight)
    table = np.outer(kept, label_smoothing / x.shape[1] * w)
    rows = np.flatnonzero(kept)
    table[rows, numbers[rows]] += (1 - label_smoothing) * w[numbers[rows]]
    shares = x.new_tensor((table / w[numbers[rows]].sum()).tolist()) if rows.size else x.detach() * 0
    shifted = x - x.detach().amax(1, keepdim=True)
    surprise = shifted.exp().sum(1, keepdim=True).log() - shifted
    return (surprise * shares).sum()


forward_of("cross_entropy_vjp", torch_loss)
for where in ("weights-and-ignored", "gradient-with-options", "loss-with-options", "every-index", "few"):
    symptom("ignored-target-indexed", raises("out of bounds", type_name="IndexError"), check=where, raised=True)
