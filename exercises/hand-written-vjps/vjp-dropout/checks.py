"""The truth is entry by entry: dropped or divided. The judge draws the masks of a layer itself, from the same seed."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autograder.judge.arrays import Numbers, to_numpy
from autograder.judge.checks import VJP, Student, array, check, describe, expect_close, fail, probe, variety
from autograder.judge.checks.backward_cost import SECONDS, expect_cheap_vjp
from autograder.judge.checks.recording import upstream
from autograder.judge.checks.vjp import LAYOUTS, ask_unchanged, expect_tuple
from autograder.judge.diagnosis import raises, symptom
from sandbox.wire import Array

Shape = tuple[int, ...]
Inputs = dict[str, Numbers]


def kept(values: Numbers, mask: Numbers, p: float) -> Numbers:
    """`values` where the mask is True, divided by the probability to keep an entry. An axis of size 1 of the mask is shared."""
    out = np.zeros(values.shape)
    for place in np.ndindex(*values.shape):
        if mask[tuple(0 if size == 1 else at for at, size in zip(place, mask.shape, strict=True))]:
            out[place] = values[place] / (1 - p)
    return out


def dropout_truth(x: Numbers, mask: Numbers, *, p: float) -> Numbers:
    return kept(x, mask, p)


def dropout_vjp_truth(g: Numbers, x: Numbers, mask: Numbers, *, p: float) -> tuple[Numbers, ...]:
    return (kept(g, mask, p),)


def dropconnect_truth(x: Numbers, w: Numbers, b: Numbers, mask: Numbers, *, p: float) -> Numbers:
    return np.asarray(np.einsum("nd,dk->nk", x, kept(w, mask, p)) + b)


def dropconnect_vjp_truth(g: Numbers, x: Numbers, w: Numbers, b: Numbers, mask: Numbers, *, p: float) -> tuple[Numbers, ...]:
    dx = np.einsum("nk,dk->nd", g, kept(w, mask, p))
    return dx, kept(np.einsum("nd,nk->dk", x, g), mask, p), np.einsum("nk->k", g)


def numbers(rng: np.random.Generator, *shape: int) -> Numbers:
    """Where there is room for more, one of them is 0."""
    values = np.asarray(rng.normal(size=shape))
    if values.size > 2:
        values.flat[int(rng.integers(values.size))] = rng.choice([0.0, -0.0])
    return values


def mask_of(rng: np.random.Generator, shape: Shape) -> Numbers:
    """About half of the entries are kept. Where there is room, at least one is and one is not."""
    mask = np.asarray(rng.random(shape) < 0.5)
    if mask.size > 1:
        one, other = rng.choice(mask.size, 2, replace=False)
        mask.flat[int(one)], mask.flat[int(other)] = True, False
    return mask


def in_words(arguments: Inputs, p: float) -> str:
    return ", ".join([*(f"{key}{value.shape}" for key, value in arguments.items()), f"p={p:.6g}"])


@dataclass(frozen=True)
class Question:
    inputs: Inputs
    p: float


def entries(rng: np.random.Generator, shape: Shape, p: float, shared: Shape = ()) -> Question:
    """A question about dropout, with a mask that is shared along some axes. With p = 0 all entries are kept."""
    mask = mask_of(rng, tuple(1 if axis in shared else size for axis, size in enumerate(shape)))
    mask = np.full(mask.shape, True) if p == 0 else np.full(mask.shape, False) if p == 1 else mask
    return Question({"x": numbers(rng, *shape), "mask": mask}, p)


def weights(rng: np.random.Generator, samples: int, features: int, units: int, p: float) -> Question:
    layer = entries(rng, (features, units), p)
    inputs = {"x": numbers(rng, samples, features), "w": layer.inputs["x"], "b": numbers(rng, units)}
    return Question(inputs | {"mask": layer.inputs["mask"]}, p)


VALUES: dict[str, Any] = {"dropout": dropout_truth, "dropconnect": dropconnect_truth}
GRADIENTS: dict[str, Any] = {"dropout": dropout_vjp_truth, "dropconnect": dropconnect_vjp_truth}


def expect_values(student: Student, name: str, questions: list[Question]) -> None:
    for number, asked in enumerate(questions):
        answer = ask_unchanged(student, name, asked.inputs, LAYOUTS[number % len(LAYOUTS)], {"p": asked.p})
        right = VALUES[name](*asked.inputs.values(), p=asked.p)
        expect_close(answer, right, f"{name} for {in_words(asked.inputs, asked.p)}", asked.inputs, VJP)


def expect_gradients(
    student: Student, rng: np.random.Generator, name: str, questions: list[Question], trials: int = 2
) -> None:
    """Random upstream gradients. One entry of the last is 0."""
    for number, asked in enumerate(questions):
        shape = VALUES[name](*asked.inputs.values(), p=asked.p).shape
        for trial in range(trials):
            g = upstream(rng, shape)
            if trial == trials - 1 and g.size > 1:
                g.flat[int(rng.integers(g.size))] = 0.0
            arguments = {"g": g, **asked.inputs}
            layout = LAYOUTS[(number + trial) % len(LAYOUTS)]
            answer = ask_unchanged(student, f"{name}_vjp", arguments, layout, {"p": asked.p})
            right = GRADIENTS[name](g, *asked.inputs.values(), p=asked.p)
            expect_tuple(answer, len(right), f"{name}_vjp", arguments)
            for label, given, expected in zip(asked.inputs, answer, right, strict=False):
                what = f"{name}_vjp: the gradient with respect to {label} for {in_words(arguments, asked.p)}"
                expect_close(given, expected, what, arguments, VJP)


# -- layers ----------------------------------------------------------------------------------------------------------------


@probe
def results(student, seed, layers, steps):
    """The results of all steps, of layers that share one generator."""
    import numpy as np

    rng = np.random.default_rng(seed)
    made = [student.Dropout(p, rng, shared=tuple(shared)) if shared else student.Dropout(p, rng) for p, shared in layers]
    found = []
    for number, what, values in steps:
        layer = made[number]
        if what == "backward":
            found.append(layer.backward(values))
        else:
            found.append(layer.forward(values) if what == "training" else layer.forward(values, training=False))
    return found


@dataclass
class Run:
    """Layers, as pairs of p and the shared axes, and their steps: the number of a layer, what it does, and an array."""

    layers: list[tuple[float, Shape]]
    seed: int
    steps: list[tuple[int, str, Numbers]] = field(default_factory=list)

    def truth(self) -> list[Numbers]:
        rng = np.random.default_rng(self.seed)
        masks: dict[int, Numbers | None] = {}
        found = []
        for number, what, values in self.steps:
            p, shared = self.layers[number]
            if what == "training":
                masks[number] = rng.random([1 if axis in shared else n for axis, n in enumerate(values.shape)]) >= p
            elif what == "evaluation":
                masks[number] = None
            mask = masks[number]
            found.append(values if mask is None else kept(values, mask, p))
        return found

    def sent(self, layout: str) -> list[Any]:
        steps = [[number, what, array(values, layout=layout)] for number, what, values in self.steps]
        return [self.seed, [[p, list(shared)] for p, shared in self.layers], steps]


def seed_of(rng: np.random.Generator) -> int:
    return int(rng.integers(1, 2**31))


def expect_run(student: Student, run: Run, layout: str = "contiguous") -> None:
    answer = student.run(results, *run.sent(layout))
    if not isinstance(answer, list) or len(answer) != len(run.steps):
        raise fail(f"The steps of the layers should give a list of results, but gave {describe(answer)}.", "the results")
    passes = {"training": "forward in training mode", "evaluation": "forward in evaluation mode", "backward": "backward"}
    for place, (given, right) in enumerate(zip(answer, run.truth(), strict=True)):
        number, what, values = run.steps[place]
        p, shared = run.layers[number]
        which = f" of layer {number + 1}" if len(run.layers) > 1 else ""
        along = f", shared={shared}" if shared else ""
        name = f"{passes[what]}{which}, step {place + 1} of {len(run.steps)}, for p={p:.6g}{along}"
        earlier = {f"step {n + 1}: {w} of layer {k + 1}": v for n, (k, w, v) in enumerate(run.steps[:place])}
        expect_close(given, right, name, {**earlier, "g" if what == "backward" else "x": values}, VJP)


def probability(rng: np.random.Generator) -> float:
    """Not close to one half, where keeping and dropping look the same."""
    return float(rng.choice([rng.uniform(0.15, 0.35), rng.uniform(0.6, 0.8)]))


def pair(rng: np.random.Generator, shape: Shape, layer: int = 0, mode: str = "training") -> list[tuple[int, str, Numbers]]:
    """A forward and a backward pass of a layer."""
    return [(layer, mode, numbers(rng, *shape)), (layer, "backward", upstream(rng, shape))]


@check("A given mask: the value and the gradient", points=1)
def given_mask(student: Student, rng: np.random.Generator) -> None:
    questions = [entries(rng, shape, probability(rng)) for shape in ((4, 5), (3, 3))]
    expect_values(student, "dropout", questions)
    expect_gradients(student, rng, "dropout", questions)


@check("A layer in training mode: forward and backward", points=1.5)
def layer(student: Student, rng: np.random.Generator) -> None:
    for p in (float(rng.uniform(0.2, 0.35)), float(rng.uniform(0.6, 0.75))):
        expect_run(student, Run([(p, ())], seed_of(rng), pair(rng, (4, 5))))


@check("A layer in evaluation mode: forward and backward", points=1)
def evaluation(student: Student, rng: np.random.Generator) -> None:
    expect_run(student, Run([(probability(rng), ())], seed_of(rng), pair(rng, (4, 5), mode="evaluation")))


@check("Dropped weights: the value and the gradients", points=1)
def dropped_weights(student: Student, rng: np.random.Generator) -> None:
    questions = [weights(rng, *sizes, probability(rng)) for sizes in ((3, 4, 5), (3, 3, 3))]
    expect_values(student, "dropconnect", questions)
    expect_gradients(student, rng, "dropconnect", questions)


@check("Given masks of any shape, also shared ones", points=1.5, hidden=True)
def any_mask(student: Student, rng: np.random.Generator) -> None:
    shapes: list[tuple[Shape, Shape]] = [
        ((6,), ()),
        ((3, 4), (0,)),
        ((4, 3), (1,)),
        ((3, 3), (0,)),
        ((2, 3, 4), (1,)),
        ((2, 3, 2, 3), (2, 3)),
        ((3, 2, 4), (0, 2)),
        ((2, 3), (0, 1)),
        ((1,), ()),
        ((2, 1, 3), ()),
    ]
    questions = [entries(rng, shape, probability(rng), shared) for shape, shared in shapes]
    expect_values(student, "dropout", questions)
    expect_gradients(student, rng, "dropout", questions)


@check("No dropping, nearly everything, and everything", points=1.5, hidden=True)
def extreme_probabilities(student: Student, rng: np.random.Generator) -> None:
    extremes = [0.0, 1 - 2.0**-10, 0.999, 1e-3, 1.0]
    questions = [entries(rng, (3, 4), p) for p in extremes]
    expect_values(student, "dropout", questions)
    expect_gradients(student, rng, "dropout", questions, trials=1)
    linear = [weights(rng, 3, 4, 2, p) for p in extremes]
    expect_values(student, "dropconnect", linear)
    expect_gradients(student, rng, "dropconnect", linear, trials=1)
    for p in extremes:
        expect_run(student, Run([(p, ())], seed_of(rng), [*pair(rng, (30, 20)), *pair(rng, (2, 3))]))


@check("A layer over several passes", points=1.5, hidden=True)
def several_passes(student: Student, rng: np.random.Generator) -> None:
    """New masks, other shapes, two backward passes, and evaluation in between, which draws nothing."""
    p, shape = probability(rng), (3, 5)
    again = [*pair(rng, shape), (0, "backward", upstream(rng, shape)), *pair(rng, shape), *pair(rng, (2, 3, 4))]
    expect_run(student, Run([(p, ())], seed_of(rng), again))
    between = [*pair(rng, shape), *pair(rng, shape, mode="evaluation"), *pair(rng, shape)]
    expect_run(student, Run([(p, ())], seed_of(rng), between), "transposed")
    twice = [(0, "training", numbers(rng, *shape)), *pair(rng, shape), (0, "evaluation", numbers(rng, *shape))]
    expect_run(student, Run([(p, ())], seed_of(rng), [*twice, (0, "backward", upstream(rng, shape))]), "strided")


@check("Two layers with one generator", points=1, hidden=True)
def two_layers(student: Student, rng: np.random.Generator) -> None:
    """The backward passes are in the opposite order. A layer with p = 0 draws, too."""
    for first, second in ((probability(rng), probability(rng)), (0.0, probability(rng)), (probability(rng), 1.0)):
        forward = [(0, "training", numbers(rng, 4, 3)), (1, "training", numbers(rng, 4, 3))]
        back = [(1, "backward", upstream(rng, (4, 3))), (0, "backward", upstream(rng, (4, 3)))]
        steps = [*forward, *back, *pair(rng, (4, 3)), *pair(rng, (4, 3), layer=1)]
        expect_run(student, Run([(first, ()), (second, ())], seed_of(rng), steps))


@check("A layer that shares its mask along some axes", points=1.5, hidden=True)
def shared_axes(student: Student, rng: np.random.Generator) -> None:
    shapes: list[tuple[Shape, Shape]] = [
        ((6, 3), (0,)),
        ((5, 4), (1,)),
        ((4, 4), (0,)),
        ((2, 3, 4, 2), (2, 3)),
        ((4, 3, 3), (1,)),
    ]
    for number, (shape, shared) in enumerate(shapes):
        steps = [*pair(rng, shape), *pair(rng, shape), *pair(rng, shape, mode="evaluation")]
        expect_run(student, Run([(probability(rng), shared)], seed_of(rng), steps), LAYOUTS[number % len(LAYOUTS)])


@check("Dropped weights for any sizes", points=1, hidden=True)
def any_weights(student: Student, rng: np.random.Generator) -> None:
    sizes = ((5, 2, 3), (1, 4, 2), (4, 4, 4), (2, 3, 1), (3, 1, 2), (1, 1, 1), (6, 3, 3))
    questions = [weights(rng, *size, probability(rng)) for size in sizes]
    expect_values(student, "dropconnect", questions)
    expect_gradients(student, rng, "dropconnect", questions)


@check("No entries, and no samples", points=0.5, hidden=True)
def empty(student: Student, rng: np.random.Generator) -> None:
    questions = [
        entries(rng, shape, probability(rng), shared) for shape, shared in (((0,), ()), ((0, 3), (0,)), ((2, 0), ()))
    ]
    expect_values(student, "dropout", questions)
    expect_gradients(student, rng, "dropout", questions, trials=1)
    linear = [weights(rng, 0, 3, 2, probability(rng))]
    expect_values(student, "dropconnect", linear)
    expect_gradients(student, rng, "dropconnect", linear, trials=1)
    expect_run(student, Run([(probability(rng), ())], seed_of(rng), [*pair(rng, (0, 3)), *pair(rng, (2, 3))]))


@check("The gradients of large weights, at the cost of a few forward passes", points=3, hidden=True, seconds=SECONDS)
def cost(student: Student, rng: np.random.Generator) -> None:
    inputs = weights(rng, 150, 150, 150, 0.5).inputs
    mask = inputs.pop("mask")

    def dropconnect(x: Numbers, w: Numbers, b: Numbers) -> Numbers:
        return np.asarray(x @ (2 * w * mask) + b)

    def gradients(g: Numbers, inputs: Inputs) -> Any:
        return student.call("dropconnect_vjp", array(g), *map(array, inputs.values()), array(mask), p=0.5)

    expect_cheap_vjp(student, "dropconnect_vjp", dropconnect, inputs, rng, ask=gradients)


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    for _ in range(3):
        shape = tuple(int(size) for size in rng.choice(4, size=int(rng.integers(1, 4)), p=[0.1, 0.3, 0.3, 0.3]))
        shared = tuple(axis for axis in range(len(shape)) if rng.random() < 0.3)
        p = float(rng.choice([0.0, 0.2, 0.7, 0.999, 1.0]))
        layout = str(rng.choice(LAYOUTS))
        asked = entries(rng, shape, p, shared)
        linear = weights(rng, *(int(size) for size in rng.integers(1, 4, size=3)), p)
        for name, question in (("dropout", asked), ("dropconnect", linear)):
            sent = [array(values, layout=layout) for values in question.inputs.values()]
            right = VALUES[name](*question.inputs.values(), p=p).shape
            g = np.asarray(rng.normal(size=right) * (rng.random(right) < 0.8))
            student.call_and_see(name, *sent, p=p)
            student.call_and_see(f"{name}_vjp", array(g, layout=layout), *sent, p=p)
        run = Run([(p, shared), (0.4, ())], seed_of(rng))
        for mode in rng.choice(["training", "training", "evaluation"], size=3):
            run.steps += pair(rng, shape, int(rng.integers(2)), str(mode))
        student.run(results, *run.sent(layout))


def nan_where_all_is_dropped(right: Any, given: Any) -> bool:
    """Whether a result that is 0 everywhere is nan instead."""
    parts = zip([right], [given], strict=True) if isinstance(right, Array) else zip(right, given, strict=True)
    return any(not to_numpy(one).any() and np.isnan(to_numpy(other)).any() for one, other in parts)


without_entries = raises("zero-size", "size 0", "empty", "at least one", "out of range", "division by zero")
symptom("empty-batch", without_entries, check="empty", raised=True)
symptom("everything-dropped", nan_where_all_is_dropped, check="extreme-probabilities")
