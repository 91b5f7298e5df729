"""Checks layers that are a pair of functions: `forward(*inputs, *settings)` returns `(out, cache)`, and
`backward(dout, cache)` the gradients.

All calls of a check are one question: first every forward, then the backwards in another order, each with its own cache. A
layer that keeps anything outside of its cache gives wrong gradients. The cache stays in the student's process. Every array is
sent in one of three memory layouts and read again after each call, because a layer must not modify what it receives.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec
import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks.arguments import is_unchanged
from autograder.judge.checks.compare import VJP, Tolerance, describe, expect, expect_close, expect_number, fail
from autograder.judge.checks.recording import upstream
from autograder.judge.checks.student import Student
from autograder.judge.checks.vjp import LAYOUTS, ask_unchanged, same_answer
from autograder.judge.probes import probe
from sandbox.wire import Array

STEP = 1e-30


@dataclass(frozen=True)
class Layer:
    """The names of the two functions and the truth of the value.

    `value(*inputs, *settings)` returns the output, or a tuple of all `outputs`. It must accept complex inputs: the truth of
    the gradients is its complex step. Inputs in `constant`, such as indices, have no gradient. Upstream gradients in
    `editable` may be modified by backward.
    """

    forward: str
    backward: str
    value: Callable[..., Any]
    outputs: tuple[str, ...] = ("out",)
    constant: tuple[str, ...] = ()
    editable: tuple[str, ...] = ()


@dataclass(frozen=True)
class Call:
    """The arguments of one forward: the named arrays, and after them the settings, such as `{"stride": 1, "pad": 0}`."""

    inputs: dict[str, Numbers]
    settings: tuple[Any, ...] = ()


class LayerReply(msgspec.Struct):
    """What one call returned, and the arguments afterwards."""

    out: Any
    inputs: list[Any]
    settings: list[Any]
    gradients: Any = None
    inputs_later: list[Any] = []
    upstreams: list[Any] = []


@dataclass(frozen=True)
class Answered:
    """A call with its upstream gradients, if any, and the reply."""

    layer: Layer
    call: Call
    upstreams: dict[str, Numbers]
    reply: LayerReply = field(repr=False)

    @property
    def arguments(self) -> dict[str, Numbers]:
        return {**self.upstreams, **self.call.inputs}

    @property
    def words(self) -> str:
        plain = [item for setting in self.call.settings for item in _plain(setting)]
        return ", ".join([*(f"{label}{values.shape}" for label, values in self.arguments.items()), *plain])


def _plain(setting: Any) -> Iterator[str]:
    if isinstance(setting, dict):
        yield from (f"{name}={value}" for name, value in setting.items() if isinstance(value, str | int | float))
    elif isinstance(setting, str | int | float):
        yield str(setting)


@probe
def layer_calls(student: Any, forward: str, backward: str, calls: list[Any], order: list[int]) -> list[dict[str, Any]]:
    """Run all forwards, then the backwards in this order, each on its own cache. Returns a reply for every call."""
    import copy

    import numpy as np

    def laid_out(values: Any, layout: str) -> Any:
        if layout == "transposed":
            return np.asfortranarray(values).copy(order="F")
        if layout == "strided" and values.ndim:
            wide = np.repeat(values, 2, axis=-1)
            wide[..., 1::2] = 77
            return wide[..., ::2]
        return values.copy()

    def copied(values: list[Any]) -> list[Any]:
        return [np.copy(value) if isinstance(value, np.ndarray) else value for value in values]

    replies: list[dict[str, Any]] = []
    caches: list[Any] = []
    passed: list[Any] = []
    for given, given_settings, _, layout in calls:
        inputs, settings = [laid_out(values, layout) for values in given], copy.deepcopy(given_settings)
        answer = getattr(student, forward)(*inputs, *settings)
        pair = isinstance(answer, tuple | list) and len(answer) > 1
        out = copied(answer[:-1]) if pair else (answer,)  # the judge rejects a tuple
        replies.append({"out": out, "inputs": copied(inputs), "settings": copy.deepcopy(settings)})
        caches.append(answer[-1] if pair else None)
        passed.append(inputs)
    for number in order:
        upstreams = [laid_out(values, calls[number][3]) for values in calls[number][2]]
        replies[number]["gradients"] = getattr(student, backward)(*upstreams, caches[number])
        replies[number].update(inputs_later=copied(passed[number]), upstreams=copied(upstreams))
    return replies


def ask_layer(
    student: Student, layer: Layer, calls: Sequence[Call], rng: np.random.Generator | None = None
) -> list[Answered]:
    """Runs all calls, with random upstream gradients if there is a generator. Compares nothing."""
    upstreams = [{} if rng is None else _upstreams(layer, call, rng) for call in calls]
    order = [] if rng is None else [*range(1, len(calls)), 0]
    sent = [
        [list(call.inputs.values()), list(call.settings), list(given.values()), LAYOUTS[number % len(LAYOUTS)]]
        for number, (call, given) in enumerate(zip(calls, upstreams, strict=True))
    ]
    replies = student.run(layer_calls, layer.forward, layer.backward, sent, order, returns=list[LayerReply])
    expect(len(replies) == len(calls), f"{layer.forward} was called {len(calls)} times, with another number of answers.")
    return [Answered(layer, *each) for each in zip(calls, upstreams, replies, strict=True)]


def layer_gradients(student: Student, layer: Layer, *settings: Any) -> Callable[[Numbers, dict[str, Numbers]], Any]:
    """For `backward_cost`: asks for the gradients of one call, with an upstream gradient for the first output only."""

    def ask(g: Numbers, inputs: dict[str, Numbers]) -> Any:
        upstreams = [g, *(np.zeros(g.shape) for _ in layer.outputs[1:])]
        sent = [[list(inputs.values()), list(settings), upstreams, "contiguous"]]
        replies = student.run(layer_calls, layer.forward, layer.backward, sent, [0], returns=list[LayerReply])
        expect(len(replies) == 1, f"{layer.forward} was called once, with another number of answers.")
        gradients = replies[0].gradients
        return gradients if isinstance(gradients, tuple | list) else (gradients,)

    return ask


def _upstreams(layer: Layer, call: Call, rng: np.random.Generator) -> dict[str, Numbers]:
    """A random upstream gradient for every output. One entry is 0 where there is room."""
    drawn = {}
    for label, out in zip(layer.outputs, outputs_of(layer, call), strict=True):
        g = drawn["dout" if label == "out" else f"d{label}"] = upstream(rng, out.shape)
        if g.size > 2:
            g.flat[int(rng.integers(g.size))] = 0.0
    return drawn


def outputs_of(layer: Layer, call: Call, **moved: Numbers) -> tuple[Numbers, ...]:
    """The true outputs, with some of the inputs replaced."""
    value = layer.value(*(call.inputs | moved).values(), *call.settings)
    return value if isinstance(value, tuple) else (value,)


def gradients_of(layer: Layer, call: Call, upstreams: Sequence[Numbers]) -> dict[str, Numbers]:
    """The true gradients: a small imaginary step in every entry of every input."""
    found = {}
    for label, values in call.inputs.items():
        if label in layer.constant:
            continue
        gradient = found[label] = np.zeros(values.shape)
        for index in np.ndindex(values.shape):
            moved = values.astype(np.complex128)
            moved[index] += STEP * 1j
            outputs = outputs_of(layer, call, **{label: moved})
            gradient[index] = sum((g * out.imag / STEP).sum() for g, out in zip(upstreams, outputs, strict=True))
    return found


def expect_forward(student: Student, layer: Layer, calls: Sequence[Call], *, tolerance: Tolerance = VJP) -> list[Answered]:
    """Expects every forward to return `(out, cache)` with the true outputs. The backward function is not called."""
    answers = ask_layer(student, layer, calls)
    for answered in answers:
        for place, (label, truth) in enumerate(zip(layer.outputs, outputs_of(layer, answered.call), strict=True)):
            given = returned_outputs(answered)[place]
            expect_close(given, truth, f"{layer.forward}: {label} for {answered.words}", answered.arguments, tolerance)
    return answers


def expect_backward(
    student: Student, layer: Layer, calls: Sequence[Call], rng: np.random.Generator, *, tolerance: Tolerance = VJP
) -> list[Answered]:
    """Expects every backward to return the true gradients, in the order of the inputs: an array if there is one gradient,
    else a tuple. The outputs are not compared."""
    answers = ask_layer(student, layer, calls, rng)
    for answered in answers:
        returned_outputs(answered)
        truth = gradients_of(layer, answered.call, list(answered.upstreams.values()))
        for given, (label, right) in zip(returned_gradients(answered, list(truth)), truth.items(), strict=True):
            what = f"{layer.backward}: the gradient with respect to {label} for {answered.words}"
            expect_close(given, right, what, answered.arguments, tolerance)
    return answers


def returned_outputs(answered: Answered) -> list[Any]:
    """The outputs of a forward that returned what it should and left its arguments alone."""
    layer, out = answered.layer, answered.reply.out
    _expect_unchanged(answered, layer.forward, answered.call.inputs, answered.reply.inputs)
    names = ", ".join([*layer.outputs, "cache"])
    if not isinstance(out, list):
        returned = describe(out[0]) if isinstance(out, tuple) and out else describe(out)
        raise fail(f"{layer.forward} should return a tuple ({names}), but returned {returned}.", "the returned value")
    count = len(layer.outputs) + 1
    message = f"{layer.forward} should return {count} values, ({names}), but returned {len(out) + 1}."
    expect(len(out) + 1 == count, message, "the returned value")
    return out


def returned_gradients(answered: Answered, labels: Sequence[str]) -> Sequence[Any]:
    """The gradients of a backward that returned as many as it should and left all arrays alone."""
    layer, reply = answered.layer, answered.reply
    _expect_unchanged(answered, layer.backward, answered.upstreams, reply.upstreams)
    _expect_unchanged(answered, layer.backward, answered.call.inputs, reply.inputs_later)
    if len(labels) == 1:
        return [reply.gradients]
    if not isinstance(reply.gradients, tuple | list) or len(reply.gradients) != len(labels):
        names = ", ".join(f"d{label}" for label in labels)
        message = f"{layer.backward} should return a tuple ({names}), but returned {describe(reply.gradients)}."
        raise fail(message, "the returned value", answered.arguments)
    return reply.gradients


def _expect_unchanged(answered: Answered, name: str, before: dict[str, Numbers], after: Sequence[Any]) -> None:
    for place, (label, value) in enumerate(before.items()):
        if label in answered.layer.editable:
            continue
        left = after[place] if place < len(after) else None
        if not is_unchanged(value, left):
            argument = "the upstream gradient" if label in answered.upstreams else "the array"
            kept = " that forward received" if name == answered.layer.backward and label not in answered.upstreams else ""
            what = f"{label} after the call"
            raise fail(f"{name} modified {argument} {label}{kept}.", what, answered.arguments, expected=value, given=left)


def expect_loss(
    student: Student,
    name: str,
    value: Callable[[Numbers, Numbers], Any],
    cases: Sequence[tuple[Numbers, Numbers]],
    *,
    gradient: bool = True,
    tolerance: Tolerance = VJP,
) -> None:
    """Expects `name(x, y)` to return `(loss, dx)`: the number `value(x, y)` and, with `gradient`, its gradient with respect
    to x. The truth of the gradient is a complex step, so `value` must accept a complex x."""
    for number, (x, y) in enumerate(cases):
        inputs = {"x": x, "y": y}
        answer = ask_unchanged(student, name, inputs, LAYOUTS[number % len(LAYOUTS)])
        if not isinstance(answer, tuple | list) or len(answer) != 2:
            message = f"{name} should return a tuple (loss, dx), but returned {describe(answer)}."
            raise fail(message, "the returned value", inputs)
        loss, dx = answer
        if not gradient:
            _expect_loss_value(loss, float(value(x, y)), f"{name}: the loss for x{x.shape}", inputs, tolerance)
            continue
        layer = Layer(name, name, lambda x, y: np.asarray(value(x, y)), constant=("y",))
        truth = gradients_of(layer, Call(inputs), [np.ones(())])["x"]
        expect_close(dx, truth, f"{name}: the gradient with respect to x for x{x.shape}", inputs, tolerance)


def _expect_loss_value(given: Any, truth: float, what: str, inputs: dict[str, Any], tolerance: Tolerance) -> None:
    """A loss may be a Python float or a numpy number."""
    if isinstance(given, Array):
        expect_close(given, np.asarray(truth), what, inputs, tolerance)
    else:
        expect_number(given, truth, what, inputs, tolerance)


# -- what a wrong answer shows, for `symptom` ---------------------------------------------------------------------------


def upstream_modified(right: Any, given: Any) -> bool:
    """A backward pass wrote into the upstream gradient."""
    return any(not same_answer(one["upstreams"], other["upstreams"]) for one, other in _calls(right, given))


def input_modified(right: Any, given: Any) -> bool:
    """A forward or backward pass wrote into the arrays that forward received."""
    kept = ("inputs", "inputs_later")
    return any(not same_answer(one.get(name), other.get(name)) for one, other in _calls(right, given) for name in kept)


def only_last_call_right(right: Any, given: Any) -> bool:
    """The last forward has the right gradients, and all earlier ones have wrong ones: they come from a shared state."""
    return len(right) > 1 and wrong_calls(right, given) == list(range(len(right) - 1))


def wrong_calls(right: Any, given: Any) -> list[int]:
    """The numbers of the calls with a wrong output or gradient."""
    kept = ("out", "gradients")
    pairs = enumerate(_calls(right, given))
    return [number for number, (one, other) in pairs if not all(_near(one[name], other[name]) for name in kept)]


def _calls(right: Any, given: Any) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    return list(zip(right, given, strict=True))


def _near(right: Any, given: Any) -> bool:
    if right is None:
        return given is None
    if isinstance(right, list | tuple):
        return isinstance(given, list | tuple) and len(given) == len(right) and all(map(_near, right, given))
    if not isinstance(right, Array) or not isinstance(given, Array) or right.shape != given.shape:
        return False
    return bool(np.allclose(np.frombuffer(right.data, right.dtype), np.frombuffer(given.data, given.dtype), rtol=1e-7))
