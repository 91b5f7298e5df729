"""Which entries are dropped is read from the output; everything else follows from it. No mask is expected."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks import VJP, Student, check, describe, expect, expect_close, fail, to_numpy, variety
from autograder.judge.checks.layers import (
    Answered,
    Call,
    Layer,
    ask_layer,
    input_modified,
    only_last_call_right,
    returned_gradients,
    returned_outputs,
    upstream_modified,
)
from autograder.judge.diagnosis import reads_as, symptom
from sandbox.wire import Array

Shape = tuple[int, ...]

DROPOUT = Layer("dropout_forward", "dropout_backward", lambda x, dropout_param: x)  # of the right shape


def call(rng: np.random.Generator, shape: Shape, p: float, mode: str = "train", *, seeded: bool = True) -> Call:
    """Numbers of both signs, none of which is 0: a 0 in the output is an entry that was dropped."""
    x = rng.uniform(0.3, 2, size=shape) * rng.choice([-1.0, 1.0], size=shape)
    seed = {"seed": int(rng.integers(1, 1 << 31))} if seeded else {}
    return Call({"x": np.asarray(x)}, ({"mode": mode, "p": p} | seed,))


def output_of(answered: Answered) -> Numbers:
    (out,) = returned_outputs(answered)
    what, x = f"dropout_forward: out for {answered.words}", answered.call.inputs["x"]
    if not isinstance(out, Array) or out.shape != x.shape or out.dtype != "float64":
        message = f"{what} should be an array of shape {x.shape} and dtype float64, but is {describe(out)}."
        raise fail(message, what, answered.arguments, expected=x, given=out)
    return to_numpy(out)


def factors(answered: Answered, out: Numbers) -> Numbers:
    """What each entry has to be multiplied by, if the zeros of this output are the entries that were dropped."""
    (settings,) = answered.call.settings
    return np.ones(out.shape) if settings["mode"] == "test" else (out != 0) / settings["p"]


def expect_values(answers: Sequence[Answered]) -> None:
    for answered in answers:
        truth = answered.call.inputs["x"] * factors(answered, output_of(answered))
        what = f"dropout_forward: out for {answered.words}"
        expect_close(answered.reply.out[0], truth, what, answered.arguments, VJP)


def expect_gradients(answers: Sequence[Answered]) -> None:
    for answered in answers:
        truth = answered.upstreams["dout"] * factors(answered, output_of(answered))
        what = f"dropout_backward: the gradient with respect to x for {answered.words}"
        (dx,) = returned_gradients(answered, ["x"])
        expect_close(dx, truth, what, answered.arguments, VJP)


def expect_share(answers: Sequence[Answered]) -> None:
    """Expects about the right share of entries to be kept: within six standard deviations."""
    for answered in answers:
        p, kept = answered.call.settings[0]["p"], output_of(answered) != 0
        share = float(kept.mean())
        words = f"dropout_forward should keep about {p:.0%} of the entries, but kept {share:.1%} of {kept.size}."
        expect(abs(share - p) <= 6 * np.sqrt(p * (1 - p) / kept.size), words, "the share of entries kept")


LARGE = [(30, 40), (20, 60), (8, 3, 40)]


@check("The value in training", points=1.5)
def value_in_training(student: Student, rng: np.random.Generator) -> None:
    calls = [call(rng, shape, p) for shape, p in zip(LARGE, (0.25, 0.5, 0.8), strict=True)]
    answers = ask_layer(student, DROPOUT, calls)
    expect_share(answers)
    expect_values(answers)


@check("The gradient in training", points=1.5)
def gradient_in_training(student: Student, rng: np.random.Generator) -> None:
    calls = [call(rng, shape, p) for shape, p in (((4, 5), 0.25), ((3, 6), 0.8), ((5, 5), 0.6))]
    expect_gradients(ask_layer(student, DROPOUT, calls, rng))


@check("Test time", points=1)
def at_test_time(student: Student, rng: np.random.Generator) -> None:
    calls = [call(rng, shape, p, "test") for shape, p in (((4, 5), 0.25), ((3, 6), 0.8), ((5, 5), 0.6))]
    answers = ask_layer(student, DROPOUT, calls, rng)
    expect_values(answers)
    expect_gradients(answers)


@check("Every entry is dropped by itself", points=1, hidden=True)
def independent_entries(student: Student, rng: np.random.Generator) -> None:
    """If entries along an axis shared a random number, all of these slices would be equal."""
    for answered in ask_layer(student, DROPOUT, [call(rng, shape, 0.5) for shape in LARGE]):
        kept = output_of(answered) != 0
        for axis in range(kept.ndim):
            slices = np.moveaxis(kept, axis, 0)
            shared = bool((slices == slices[0]).all())
            expect(not shared, f"dropout_forward drops the same entries everywhere along axis {axis}.", "the mask")


@check("With and without a seed", points=1.5, hidden=True)
def seeds(student: Student, rng: np.random.Generator) -> None:
    first, other, free = call(rng, (8, 10), 0.5), call(rng, (8, 10), 0.5), call(rng, (8, 10), 0.5, seeded=False)
    other, free = Call(first.inputs, other.settings), Call(first.inputs, free.settings)
    outs = [output_of(answered) for answered in ask_layer(student, DROPOUT, [free, free, first, first, other])]
    expect(np.array_equal(outs[2], outs[3]), "Two calls with the same seed should return the same result.", "equal seeds")
    expect(not np.array_equal(outs[3], outs[4]), "Two calls with different seeds dropped the same entries.", "other seeds")
    expect(not np.array_equal(outs[0], outs[1]), "Two calls without a seed dropped the same entries.", "no seed")


@check("Arrays of any shape, and any probability", points=1.5, hidden=True)
def any_shape(student: Student, rng: np.random.Generator) -> None:
    sizes = [((6,), 0.5), ((1, 7), 0.3), ((7, 1), 0.9), ((2, 3, 2, 2), 0.4), ((1,), 0.5), ((3, 4), 1.0), ((3, 3), 0.05)]
    answers = ask_layer(student, DROPOUT, [call(rng, *size, seeded=False) for size in sizes], rng)
    expect_values(answers)
    expect_gradients(answers)
    expect_share(ask_layer(student, DROPOUT, [call(rng, (50, 30), p) for p in (0.1, 0.35, 0.95)]))


@check("Several layers, in both modes", points=2, hidden=True)
def several_layers(student: Student, rng: np.random.Generator) -> None:
    calls = [call(rng, (5, 6), 0.5) for _ in range(4)]
    expect_gradients(ask_layer(student, DROPOUT, calls, rng))
    calls[1:3] = [call(rng, (5, 6), 0.4, "test", seeded=False), call(rng, (5, 6), 0.7, seeded=False)]
    answers = ask_layer(student, DROPOUT, calls, rng)
    expect_values(answers)
    expect_gradients(answers)


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    for _ in range(3):
        shape = (6, *(int(size) for size in rng.integers(3, 7, size=int(rng.integers(1, 3)))))
        p, mode = float(rng.uniform(0.2, 0.9)), str(rng.choice(["train", "test"]))
        asked = call(rng, shape, p, mode, seeded=bool(rng.random() < 0.7))
        ask_layer(student, DROPOUT, [asked, asked], rng)
    ask_layer(student, DROPOUT, [call(rng, (50, 40), float(rng.uniform(0.2, 0.8)))])


# -- the same for every mask -------------------------------------------------------------------------------------------


def reading(replies: Any, *asked: Any) -> Any:
    """What the replies say apart from the mask itself, so that two submissions with other random numbers can be equal."""
    calls = asked[2]
    read = [
        _read(reply, *map(_numbers, (given[0][0], *given[2][:1])), given[1][0]["p"]) for reply, given in zip(replies, calls)
    ]
    masks = [_numbers(reply["out"][0]) for reply in replies]
    same = [one.shape == other.shape and bool((one == other).all()) for one, other in zip(masks, masks[1:])]
    return [*read, {"repeated": same}]


def _read(reply: dict[str, Any], x: Numbers, *upstream: Any) -> dict[str, Any]:
    *gs, p = upstream
    out = _numbers(reply["out"][0])
    read: dict[str, Any] = {"shape": list(out.shape), "factors": _distinct(out / x) if x.size > 15 else []}
    kept = out != 0
    read["share"] = x.size < 400 or bool(abs(kept.mean() - p) < 0.12)
    read["shared along"] = [
        bool((np.moveaxis(kept, axis, 0) == np.moveaxis(kept, axis, 0)[0]).all()) for axis in range(x.ndim)
    ]
    read["shared along"] = read["shared along"] if x.size > 400 else []
    read["modified"] = [
        not np.array_equal(_numbers(after), x) for name in ("inputs", "inputs_later") for after in reply[name]
    ]
    for g in gs:
        dx = _numbers(reply["gradients"])
        read["modified upstream"] = [not np.array_equal(_numbers(after), g) for after in reply["upstreams"]]
        read["gradient"] = g.size < 16 or bool(np.allclose(dx * x, g * out, rtol=1e-9))
        used = g != 0
        ratio = np.divide(dx, g, out=np.zeros(g.shape), where=used)
        read["factors of the gradient"] = _distinct(ratio[used]) if g.size > 15 else []
        read["blocked alike"] = g.size < 16 or bool(((dx == 0) == (out == 0))[used].all())
    return read


def _distinct(values: Numbers) -> list[float]:
    return sorted({float(f"{value:.6g}") + 0.0 for value in values.ravel()})[:6]


def _numbers(value: Any) -> Any:
    return to_numpy(value) if isinstance(value, Array) else value


reads_as("layer_calls", reading)
