"""The truth works on a table with one row per channel; its gradients are a complex step of the definition."""

from typing import Any

import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks import VJP, Student, array, check, describe, expect_close, fail, variety
from autograder.judge.checks.backward_cost import FEW, MANY, SECONDS, Inputs, expect_cheap_vjp
from autograder.judge.checks.recording import upstream
from autograder.judge.checks.vjp import LAYOUTS, ask_unchanged, expect_tuple
from autograder.judge.diagnosis import forward_of

Shape = tuple[int, ...]
Options = dict[str, Any]
Asked = tuple[dict[str, Numbers], Options]

STEP = 1e-30


def table(x: Numbers) -> Numbers:
    """One row per channel."""
    return np.stack([x[:, channel].reshape(-1) for channel in range(x.shape[1])])


def untable(rows: Numbers, shape: Shape) -> Numbers:
    result = np.empty(shape)
    for channel, row in enumerate(rows):
        result[:, channel] = row.reshape(shape[0], *shape[2:])
    return result


def statistics(rows: Numbers) -> tuple[Numbers, Numbers]:
    """The mean, and the sum of the squared differences from it, in the last axis."""
    mean = rows.sum(axis=-1) / rows.shape[-1]
    return mean, ((rows - mean[..., None]) ** 2).sum(axis=-1)


def value(rows: Numbers, gamma: Numbers, beta: Numbers, mean: Numbers, var: Numbers, training: bool, eps: float) -> Numbers:
    """Of real or complex numbers: channels in the last axis but one."""
    if training:
        mean, squares = statistics(rows)
        var = squares / rows.shape[-1]
    return np.asarray((rows - mean[..., None]) / np.sqrt(var + eps)[..., None] * gamma[..., None] + beta[..., None])


def forward_truth(asked: Asked) -> tuple[Numbers, Numbers, Numbers]:
    inputs, options = asked
    x, gamma, beta, mean, var = inputs.values()
    rows, momentum = table(x), options.get("momentum", 0.1)
    y = untable(value(rows, gamma, beta, mean, var, options["training"], options.get("eps", 1e-5)), x.shape)
    if options["training"]:
        batch_mean, squares = statistics(rows)
        mean = mean + momentum * (batch_mean - mean)
        var = var + momentum * (squares / (rows.shape[1] - 1) - var)
    return y, mean, var


def steps(values: Numbers) -> Numbers:
    """A small imaginary step in each entry, one after the other along a new first axis."""
    return (STEP * 1j * np.eye(values.size)).reshape(values.size, *values.shape)


def gradient_truth(g: Numbers, asked: Asked) -> tuple[Numbers, Numbers, Numbers]:
    inputs, options = asked
    x, gamma, beta, mean, var = inputs.values()
    rows, rest = table(x), (options["training"], options.get("eps", 1e-5))

    def pulled(moved: Numbers) -> Numbers:
        return np.asarray((table(g) * np.imag(moved) / STEP).sum(axis=(1, 2)))

    dx = pulled(value(rows + steps(rows), gamma, beta, mean, var, *rest)).reshape(rows.shape)
    dgamma = pulled(value(rows, gamma + steps(gamma), beta, mean, var, *rest))
    return untable(dx, x.shape), dgamma, pulled(value(rows, gamma, beta + steps(beta), mean, var, *rest))


def values_of(rng: np.random.Generator, shape: Shape) -> Numbers:
    """Channels with different means and spreads. Where there is room, one entry is 0."""
    own = (1, shape[1], *[1] * (len(shape) - 2))
    x = rng.uniform(0.5, 2, own) * rng.normal(size=shape) + rng.normal(size=own)
    if x.size > 3:
        x.flat[int(rng.integers(x.size))] = rng.choice([0.0, -0.0])
    return np.asarray(x)


def case(rng: np.random.Generator, x: Numbers, *, training: bool, **options: float) -> Asked:
    channels = x.shape[1]
    gamma = np.asarray(rng.uniform(0.4, 1.9, channels) * rng.permutation(np.resize([1.0, -1.0], channels)))
    if channels > 2:
        gamma[int(rng.integers(channels))] = 0.0
    beta, mean = np.asarray(rng.normal(size=channels)), np.asarray(rng.normal(size=channels))
    var = np.asarray(rng.uniform(0.5, 3, channels))
    inputs = {"x": x, "gamma": gamma, "beta": beta, "running_mean": mean, "running_var": var}
    return inputs, {"training": training, **options}


def words(asked: Asked) -> str:
    inputs, options = asked
    given = (
        f"{key}={setting:.6g}" if isinstance(setting, float) else f"{key}={setting}" for key, setting in options.items()
    )
    return f"x{inputs['x'].shape}, {', '.join(given)}"


def expect_forward(student: Student, cases: list[Asked], *, parts: tuple[int, ...] = (0, 1, 2)) -> None:
    names = ("the value y", "the new running mean", "the new running variance")
    for number, asked in enumerate(cases):
        inputs, options = asked
        answer = ask_unchanged(student, "batchnorm", inputs, LAYOUTS[number % len(LAYOUTS)], options)
        if not isinstance(answer, tuple) or len(answer) != 3:
            message = (
                f"batchnorm should return a tuple (y, new_running_mean, new_running_var), but returned {describe(answer)}."
            )
            raise fail(message, "the returned value", inputs)
        truths = forward_truth(asked)
        for part in parts:
            expect_close(answer[part], truths[part], f"batchnorm: {names[part]} for {words(asked)}", inputs, VJP)


def expect_gradients(student: Student, rng: np.random.Generator, cases: list[Asked], trials: int = 2) -> None:
    for number, asked in enumerate(cases):
        inputs, options = asked
        for trial in range(trials):
            g = upstream(rng, inputs["x"].shape)
            if trial:
                g.flat[int(rng.integers(g.size))] = 0.0
            shown = {"g": g} | inputs
            answer = ask_unchanged(student, "batchnorm_vjp", shown, LAYOUTS[(number + trial) % len(LAYOUTS)], options)
            expect_tuple(answer, 3, "batchnorm_vjp", inputs)
            for name, given, truth in zip(("x", "gamma", "beta"), answer, gradient_truth(g, asked), strict=True):
                what = f"batchnorm_vjp: the gradient with respect to {name} for {words(asked)}"
                expect_close(given, truth, what, shown, VJP)


SHAPES: list[Shape] = [
    (4, 2),
    (3, 3),
    (5, 1),
    (2, 3, 4),
    (3, 3, 3),
    (2, 3, 2, 4),
    (1, 2, 3, 2),
    (2, 2, 2, 2),
    (2, 2, 1, 2, 1),
]


def cases_of(rng: np.random.Generator, shapes: list[Shape], training: bool, **options: float) -> list[Asked]:
    return [case(rng, values_of(rng, shape), training=training, **options) for shape in shapes]


@check("The value in training", points=1)
def training_value(student: Student, rng: np.random.Generator) -> None:
    expect_forward(student, cases_of(rng, [(4, 2), (3, 2, 4)], True), parts=(0,))


@check("The running statistics in training", points=1)
def running_statistics(student: Student, rng: np.random.Generator) -> None:
    expect_forward(student, cases_of(rng, [(4, 2), (3, 2, 4)], True), parts=(1, 2))


@check("The gradients in training", points=1.5)
def training_gradients(student: Student, rng: np.random.Generator) -> None:
    expect_gradients(student, rng, cases_of(rng, [(4, 2), (3, 2, 2)], True))


@check("Value and gradients in evaluation", points=1)
def evaluation(student: Student, rng: np.random.Generator) -> None:
    cases = cases_of(rng, [(4, 2)], False)
    expect_forward(student, cases)
    expect_gradients(student, rng, cases)


@check("The value in training, with any number of spatial axes", points=1, hidden=True)
def training_values(student: Student, rng: np.random.Generator) -> None:
    expect_forward(student, cases_of(rng, SHAPES, True), parts=(0,))


@check("The running statistics for any momentum", points=1.5, hidden=True)
def any_momentum(student: Student, rng: np.random.Generator) -> None:
    expect_forward(student, cases_of(rng, [(2, 3), (3, 3), (2, 3, 2, 2), (1, 2, 3)], True), parts=(1, 2))
    for momentum in (0.0, 1.0, float(rng.uniform(0.2, 0.8))):
        expect_forward(student, cases_of(rng, [(4, 3), (2, 2, 3)], True, momentum=momentum))


@check("The gradients in training, with any number of spatial axes", points=2, hidden=True)
def gradients_of_any_shape(student: Student, rng: np.random.Generator) -> None:
    expect_gradients(student, rng, cases_of(rng, SHAPES, True))


@check("Evaluation, with any number of spatial axes", points=1.5, hidden=True)
def evaluation_of_any_shape(student: Student, rng: np.random.Generator) -> None:
    cases = cases_of(rng, SHAPES, False)
    momentum = float(rng.uniform(0.2, 1))
    expect_forward(student, [*cases, *cases_of(rng, [(3, 2)], False, momentum=momentum)])
    expect_gradients(student, rng, cases, trials=1)


@check("Any epsilon, constant channels, and channels far away from 0", points=1.5, hidden=True)
def unusual_channels(student: Student, rng: np.random.Generator) -> None:
    constant, far = values_of(rng, (4, 3)), values_of(rng, (4, 2, 2))
    constant[:, int(rng.integers(3))] = rng.choice([2.0, -0.5, 0.0])
    far += 1e6 * rng.choice([-1.0, 1.0], size=(1, 2, 1))
    large = float(rng.uniform(0.5, 2))
    small = values_of(rng, (4, 3))
    for training in (True, False):
        cases = [case(rng, 1e-2 * small, training=training, eps=1e-3), case(rng, 2e-3 * small, training=training)]
        cases += [case(rng, small, training=training, eps=large), case(rng, constant, training=training)]
        cases += [case(rng, far, training=training), case(rng, 30 * small, training=training, eps=1e-9)]
        narrow = case(rng, small, training=training)
        narrow[0]["running_var"] *= rng.permutation([0.0, 1e-5, 1.0])
        narrow[0]["running_mean"][int(rng.integers(3))] = rng.choice([0.0, -0.0])
        expect_forward(student, [*cases, narrow])
        expect_gradients(student, rng, [*cases, narrow], trials=1)


def normalised(x: Numbers, gamma: Numbers, beta: Numbers) -> Numbers:
    centred = x - x.mean(axis=0)
    return np.asarray(centred / np.sqrt((centred * centred).mean(axis=0) + 1e-5) * gamma + beta)


@check("The gradients of many channels, at the cost of a few forward passes", points=3, hidden=True, seconds=SECONDS)
def cost(student: Student, rng: np.random.Generator) -> None:
    def in_training(g: Numbers, inputs: Inputs) -> Any:
        channels = array(np.ones(g.shape[1]))
        return student.call("batchnorm_vjp", array(g), *map(array, inputs.values()), channels, channels, training=True)

    def layer(entries: int) -> Inputs:
        inputs, _ = case(rng, values_of(rng, (50, entries // 50)), training=True)
        return {name: inputs[name] for name in ("x", "gamma", "beta")}

    expect_cheap_vjp(student, "batchnorm_vjp", normalised, layer(MANY), rng, few=layer(FEW), ask=in_training)


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    for _ in range(3):
        spatial = tuple(int(size) for size in rng.integers(1, 4, size=int(rng.integers(3))))
        x = values_of(rng, (int(rng.integers(2, 5)), int(rng.integers(1, 4)), *spatial)) * rng.choice([0.0, 1e-2, 1.0, 30.0])
        options = {"eps": float(rng.choice([1e-7, 1e-3, 0.5]))} if rng.random() < 0.6 else {}
        inputs, asked = case(rng, x, training=bool(rng.integers(2)), **options)
        momentum = {"momentum": float(rng.choice([0.0, 0.4, 1.0]))} if rng.random() < 0.6 else {}
        g = np.asarray(rng.normal(size=x.shape) * (rng.random(x.shape) < 0.8))
        layout = str(rng.choice(LAYOUTS))
        sent = [array(values, layout=layout) for values in (g, *inputs.values())]
        student.call_and_see("batchnorm", *sent[1:], **asked, **momentum)
        student.call_and_see("batchnorm_vjp", *sent, **asked)


def forward(x: Any, gamma: Any, beta: Any, mean: Any, var: Any, training: bool, eps: float = 1e-5) -> Any:
    axes = [0, *range(2, x.dim())]
    own = [1, -1, *[1] * (x.dim() - 2)]
    m, v = mean.detach().reshape(own), var.detach().reshape(own)
    if training:
        m = x.mean(axes, keepdim=True)
        v = ((x - m) * (x - m)).mean(axes, keepdim=True)
    return (x - m) / (v + eps).sqrt() * gamma.reshape(own) + beta.reshape(own)


forward_of("batchnorm_vjp", forward)
