"""Finds the function whose gradient a wrong VJP returns, or shows that there is none.

A VJP is linear in the upstream gradient, and for a fixed one its Jacobian is symmetric, because it is the Hessian of a
function. A submission that breaks one of these laws at a point where the reference obeys it returns the gradient of no
function. Otherwise its answers to random questions are compared with the numerical VJPs of a list of functions.
"""

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from autograder.judge.arrays import Numbers, array, to_numpy
from autograder.judge.checks.compare import show
from autograder.judge.checks.student import BadAnswer, Student, StudentRaised
from autograder.judge.checks.vjp import ComparedVjp
from autograder.judge.report import GradientOf, Shown
from autograder.judge.simplify import shortened, whole_numbers
from autograder.judge.text import number
from sandbox.wire import Array

TRIALS = 3
MAX_ENTRIES = 12  # of the inputs whose Jacobian is computed
MAX_ENTRIES_OF_CASE = 200  # of a case whose function is searched
STEPS = (1e-3, 5e-4)
Answers = Sequence[Numbers]
Function = Callable[..., Numbers]


def gradient_of(student: Student, case: ComparedVjp, smallest: ComparedVjp) -> GradientOf | None:
    """What the answers to a case are the gradient of, if that is certain. `smallest` is its smallest counterexample."""
    small = _small(case)
    with np.errstate(all="ignore"):
        return (
            _function(student, case)
            or _not_linear(student, smallest)
            or next((found for other in (smallest, _whole(small), small) if (found := _not_symmetric(student, other))), None)
        )


def _small(case: ComparedVjp) -> ComparedVjp:
    """The case with at most two entries along each axis, if it can be cut."""
    for size in sorted({size for value in case.arguments.values() for size in value.shape if size > 2}):
        inputs = {name: shortened(value, size, 2) for name, value in case.inputs.items()}
        case = replace(case, inputs=inputs, upstream=shortened(case.upstream, size, 2))
    return case


def _whole(case: ComparedVjp) -> ComparedVjp:
    """The case with small whole numbers."""
    inputs, first = {}, 1
    for name, value in case.inputs.items():
        inputs[name] = whole_numbers(value.shape, first)
        first += min(value.size, 4)
    return replace(case, inputs=inputs, upstream=whole_numbers(case.upstream.shape, 1))


# -- what is asked -----------------------------------------------------------------------------------------------------


def _answers(student: Student, case: ComparedVjp) -> Answers | None:
    """The gradients that the submission returns; None if they do not have the form of gradients."""
    try:
        answer = student.call(case.name, *(array(value) for value in case.arguments.values()), **case.options)
    except (StudentRaised, BadAnswer):
        return None
    if not isinstance(answer, tuple) or len(answer) != len(case.inputs):
        return None
    if not all(isinstance(part, Array) and part.dtype == "float64" for part in answer):
        return None
    found = [to_numpy(part) for part in answer]
    return found if _are_gradients(found, case) else None


def _truth(case: ComparedVjp) -> Answers | None:
    """The gradients of the reference; None if it refuses the case."""
    try:
        found = case.expected()
    except (ArithmeticError, IndexError, RuntimeError, TypeError, ValueError):
        return None
    return found if _are_gradients(found, case) else None


def _are_gradients(found: Answers, case: ComparedVjp) -> bool:
    shapes = [value.shape for value in case.inputs.values()]
    return [part.shape for part in found] == shapes and all(np.isfinite(part).all() for part in found)


def _equal(left: Answers, right: Answers, rtol: float) -> bool:
    scale = max((float(np.abs(part).max(initial=0.0)) for part in (*left, *right)), default=0.0)
    return all(bool((np.abs(a - b) <= rtol * scale).all()) for a, b in zip(left, right, strict=True))


# -- laws of all gradients ---------------------------------------------------------------------------------------------


def _not_linear(student: Student, case: ComparedVjp) -> GradientOf | None:
    doubled = replace(case, upstream=2 * case.upstream)
    once, twice, again = _answers(student, case), _answers(student, doubled), _answers(student, case)
    if once is None or twice is None or again is None or not _equal(once, again, 0.0):
        return None
    if _equal(twice, [2 * part for part in once], 1e-6):
        return None
    names = [entry for name, value in case.inputs.items() for entry in _entries(f"d{name}", value)]
    before, after = (np.concatenate([part.ravel() for part in parts]) for parts in (once, twice))
    at = int(np.argmax(np.abs(after - 2 * before)))
    numbers = (number(float(before[at])), number(float(after[at])))
    return GradientOf(law="linear", inputs=_shown(case), entries=(names[at],), numbers=numbers)


def _not_symmetric(student: Student, case: ComparedVjp) -> GradientOf | None:
    if any(value.dtype != np.float64 for value in case.inputs.values()):
        return None
    if not 2 <= sum(value.size for value in case.inputs.values()) <= MAX_ENTRIES:
        return None
    truth = _jacobian(_truth, case)
    if truth is None or _asymmetric(truth):  # at a kink
        return None
    found = _jacobian(lambda other: _answers(student, other), case)
    at = _asymmetric(found) if found is not None else None
    if found is None or at is None:
        return None
    row, column = at
    inputs = [entry for name, value in case.inputs.items() for entry in _entries(name, value)]
    entries = (f"d{inputs[row]}", inputs[column], f"d{inputs[column]}", inputs[row])
    numbers = (_rounded(found[row, column]), _rounded(found[column, row]))
    return GradientOf(law="symmetric", entries=entries, numbers=numbers, inputs=_shown(case))


def _jacobian(ask: Callable[[ComparedVjp], Answers | None], case: ComparedVjp) -> Numbers | None:
    """The derivatives of all gradients with respect to all inputs, if they do not depend on the step."""
    found = []
    for step in STEPS:
        columns = []
        for name, value in case.inputs.items():
            for place in range(value.size):
                sides = [ask(_moved(case, name, place, side)) for side in (step, -step)]
                if sides[0] is None or sides[1] is None:
                    return None
                right, left = (np.concatenate([part.ravel() for part in side]) for side in sides if side is not None)
                columns.append((right - left) / (2 * step))
        found.append(np.stack(columns, axis=1))
    scale = max(1.0, float(np.abs(found[0]).max()))
    return found[1] if bool((np.abs(found[0] - found[1]) <= 1e-4 * scale).all()) else None


def _moved(case: ComparedVjp, name: str, place: int, by: float) -> ComparedVjp:
    value = case.inputs[name].copy()
    value.flat[place] += by
    return replace(case, inputs={**case.inputs, name: value})


def _asymmetric(jacobian: Numbers) -> tuple[int, int] | None:
    """The pair of entries with the largest difference, if it is far beyond the error of the differences."""
    difference = np.abs(jacobian - jacobian.T)
    row, column = divmod(int(np.argmax(difference)), len(jacobian))
    return (row, column) if difference[row, column] > 0.01 * max(1.0, float(np.abs(jacobian).max())) else None


def _entries(name: str, value: Numbers) -> list[str]:
    return [f"{name}[{', '.join(map(str, index))}]" if index else name for index in np.ndindex(value.shape)]


def _shown(case: ComparedVjp) -> dict[str, Shown]:
    return {name: show(value) for name, value in case.arguments.items()}


def _rounded(value: float) -> str:
    return number(float(f"{value:.3g}") + 0.0)


# -- known functions ---------------------------------------------------------------------------------------------------


def _function(student: Student, case: ComparedVjp) -> GradientOf | None:
    """The only function of the list whose VJP the submission returns: in every trial with few entries, and in the case."""
    if case.entries > MAX_ENTRIES_OF_CASE or any(value.dtype != np.float64 for value in case.inputs.values()):
        return None
    rng = np.random.default_rng(1)
    trials = [_tried(student, other) for other in (*(_similar(_small(case), rng) for _ in range(TRIALS)), case)]
    known = [trial for trial in trials if trial is not None]
    if len(known) < len(trials):
        return None
    if not any(part.any() for trial in known for part in trial.found):
        return GradientOf(function="a constant")
    for factor, form in ((1.0, "{}"), (-1.0, "-{}"), (2.0, "2 * {}"), (0.5, "{} / 2")):
        names = [name for name, function in _functions(case) if all(trial.is_vjp_of(function, factor) for trial in known)]
        if all(_equal([factor * part for part in trial.truth], trial.found, 1e-6) for trial in known):
            options = [f"{key}={value!r}" for key, value in case.options.items()]
            names = [f"{case.name.removesuffix('_vjp')}({', '.join([*case.inputs, *options])})"]
        if names:
            return GradientOf(function=form.format(names[0])) if len(names) == 1 else None
    return None


@dataclass(frozen=True)
class _Trial:
    """A case with the gradients of the reference and those of the submission, which differ."""

    case: ComparedVjp
    truth: Answers
    found: Answers

    def is_vjp_of(self, function: Function, factor: float) -> bool:
        """Whether the submission returns the gradients of factor * function, computed with central differences."""
        inputs, upstream = list(self.case.inputs.values()), self.case.upstream
        for place, value in enumerate(inputs):
            for entry in range(value.size):
                step = 1e-6 * max(1.0, abs(float(value.flat[entry])))
                sides = []
                for side in (step, -step):
                    moved = value.copy()
                    moved.flat[entry] += side
                    try:
                        output = function(*inputs[:place], moved, *inputs[place + 1 :])
                    except ValueError:  # the shapes do not fit
                        return False
                    if np.shape(output) != upstream.shape:
                        return False
                    sides.append(output)
                truth = factor * float((upstream * (sides[0] - sides[1])).sum()) / (2 * step)
                if not abs(truth - float(self.found[place].flat[entry])) <= 1e-6 * max(1.0, abs(truth)):
                    return False
        return True


def _tried(student: Student, case: ComparedVjp) -> _Trial | None:
    truth, found = _truth(case), _answers(student, case)
    return None if truth is None or found is None or _equal(truth, found, 1e-6) else _Trial(case, truth, found)


def _similar(case: ComparedVjp, rng: np.random.Generator) -> ComparedVjp:
    """The case with other numbers of the same signs."""
    inputs = {name: value * rng.uniform(0.6, 1.4, value.shape) for name, value in case.inputs.items()}
    return replace(case, inputs=inputs, upstream=rng.normal(size=case.upstream.shape))


UNARY: dict[str, Function] = {
    "{}": lambda x: x,
    "{}**2": lambda x: x**2,
    "{}**3": lambda x: x**3,
    "1/{}": lambda x: 1 / x,
    "sqrt({})": np.sqrt,
    "exp({})": np.exp,
    "exp(-{})": lambda x: np.exp(-x),
    "log({})": np.log,
    "sin({})": np.sin,
    "cos({})": np.cos,
    "tan({})": np.tan,
    "tanh({})": np.tanh,
    "sigmoid({})": lambda x: 1 / (1 + np.exp(-x)),
    "softplus({})": lambda x: np.logaddexp(0.0, x),
    "arctan({})": np.arctan,
    "abs({})": np.abs,
    "relu({})": lambda x: np.maximum(x, 0.0),
}
BINARY: dict[str, Function] = {
    "{} + {}": np.add,
    "{} - {}": np.subtract,
    "{1} - {0}": lambda a, b: b - a,
    "{} * {}": np.multiply,
    "{} / {}": np.divide,
    "{1} / {0}": lambda a, b: b / a,
    "{} ** {}": np.power,
    "maximum({}, {})": np.maximum,
    "minimum({}, {})": np.minimum,
    "({}**2 + {}**2) / 2": lambda a, b: (a**2 + b**2) / 2,
    "{} @ {}": np.matmul,
    "{} @ {}.T": lambda a, b: a @ np.swapaxes(b, -1, -2),
    "{}.T @ {}": lambda a, b: np.swapaxes(a, -1, -2) @ b,
}
REDUCTIONS: dict[str, Function] = {
    "sum": np.sum,
    "mean": np.mean,
    "prod": np.prod,
    "max": np.max,
    "min": np.min,
    "var": np.var,
    "std": np.std,
    "norm": lambda x, axis, keepdims: np.sqrt(np.sum(x**2, axis=axis, keepdims=keepdims)),
    "sum_of_squares": lambda x, axis, keepdims: np.sum(x**2, axis=axis, keepdims=keepdims),
    "logsumexp": lambda x, axis, keepdims: np.log(np.sum(np.exp(x), axis=axis, keepdims=keepdims)),
}


def _functions(case: ComparedVjp) -> Iterator[tuple[str, Function]]:
    """The functions that a case could be about, with their names in its arguments."""
    names, output = list(case.inputs), case.upstream.shape
    if len(names) == 2:
        yield from ((name.format(*names), function) for name, function in BINARY.items())
    if len(names) != 1:
        return
    (shape,) = (value.shape for value in case.inputs.values())
    if output == shape:
        yield from ((name.format(*names), function) for name, function in UNARY.items())
        yield from _normalisations(names[0], len(shape))
    for axes in _axes(len(shape)):
        for keepdims in (False, True):
            if np.sum(np.zeros(shape), axis=axes, keepdims=keepdims).shape == output:
                yield from _reductions(names[0], axes, keepdims, whole=axes == tuple(range(len(shape))))


def _axes(dimensions: int) -> Iterator[tuple[int, ...]]:
    for count in range(1, dimensions + 1):
        yield from itertools.combinations(range(dimensions), count)


def _reductions(of: str, axes: tuple[int, ...], keepdims: bool, *, whole: bool) -> Iterator[tuple[str, Function]]:
    axis = "" if whole else f", axis={axes[0] if len(axes) == 1 else axes}"
    for name, function in REDUCTIONS.items():
        yield f"{name}({of}{axis})", lambda x, function=function: function(x, axis=axes, keepdims=keepdims)


def _normalisations(of: str, dimensions: int) -> Iterator[tuple[str, Function]]:
    for axis in range(dimensions):
        written = f", axis={axis}" if dimensions > 1 else ""
        yield f"softmax({of}{written})", lambda x, axis=axis: np.exp(x) / np.exp(x).sum(axis=axis, keepdims=True)
        yield (
            f"log_softmax({of}{written})",
            lambda x, axis=axis: x - np.log(np.exp(x).sum(axis=axis, keepdims=True)),
        )
        yield f"cumsum({of}{written})", lambda x, axis=axis: np.cumsum(x, axis=axis)
