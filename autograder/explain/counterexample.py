"""Finds the smallest input on which a hand-written VJP is wrong in the same way as in a failed check.

The failed case is simplified step by step: smaller axes, small whole numbers. Every candidate is computed by the check's
reference and asked of the submission, so what is reported is exact. Candidates that the reference refuses are left out.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from autograder.explain.gradient_of import gradient_of
from autograder.judge.arrays import Numbers, array, to_numpy
from autograder.judge.check_run import run_check
from autograder.judge.checks.compare import close, show
from autograder.judge.checks.recording import recording
from autograder.judge.checks.registry import Check
from autograder.judge.checks.student import BadAnswer, Student, StudentRaised
from autograder.judge.checks.vjp import ComparedVjp, expect_vjp
from autograder.judge.report import Counterexample
from autograder.judge.simplify import shortened, whole_numbers
from sandbox.errors import JobEnded, OutOfTime
from sandbox.wire import Array

ROUNDS, CANDIDATES = 8, 24
MAX_ENTRIES = 12  # a larger one says less than the case of the check


def compares_vjps(check: Check) -> bool:
    """Whether the module that declares a check compares VJPs."""
    return any(value is expect_vjp for value in getattr(check.run, "__globals__", {}).values())


def counterexample(student: Student, check: Check, seed: int) -> Counterexample | None:
    """The smallest counterexample to a failed check, or None if it does not compare a VJP or none is small enough."""
    with recording() as recorded:
        run = run_check(check, student, seed)
    if run.ending != "failed" or recorded.vjp is None:
        return None
    try:
        found = _smallest(student, recorded.vjp)
        if found is None or found.case.entries > MAX_ENTRIES:
            return None
        field = gradient_of(student, recorded.vjp, found.case)
    except (JobEnded, OutOfTime):
        return None
    case = found.case
    inputs = {name: show(value) for name, value in case.arguments.items()}
    call = f"{case.name}({', '.join([*case.arguments, *(f'{key}={value!r}' for key, value in case.options.items())])})"
    return Counterexample(check.id, call, case.of, inputs, show(found.expected), show(found.given), field)


@dataclass(frozen=True)
class _Wrong:
    """A case that a submission gets wrong, and how: in shape or in value."""

    case: ComparedVjp
    expected: Numbers
    given: Array

    @property
    def how(self) -> str:
        return "shape" if self.given.shape != self.expected.shape else "value"


def _smallest(student: Student, case: ComparedVjp) -> _Wrong | None:
    best = _ask(student, case)
    if best is None:
        return None
    for _ in range(ROUNDS):
        smaller = sorted((other for other in _simpler(best.case) if _size(other) < _size(best.case)), key=_size)
        found = next(
            (wrong for other in smaller[:CANDIDATES] if (wrong := _ask(student, other)) and wrong.how == best.how), None
        )
        if found is None:
            break
        best = found
    return best


def _ask(student: Student, case: ComparedVjp) -> _Wrong | None:
    """The case with both sides if the submission gets it wrong; None if it is right or cannot be compared."""
    try:
        with np.errstate(all="ignore"):
            expected = case.expected()
    except (ArithmeticError, IndexError, RuntimeError, TypeError, ValueError):
        return None
    inputs = list(case.inputs.values())
    if len(expected) != len(inputs) or any(
        truth.shape != value.shape for truth, value in zip(expected, inputs, strict=True)
    ):
        return None
    truth = expected[case.place]
    if not np.isfinite(truth).all():
        return None
    try:
        answer = student.call(case.name, *(array(value) for value in case.arguments.values()), **case.options)
    except (StudentRaised, BadAnswer):
        return None
    given = answer[case.place] if isinstance(answer, tuple) and len(answer) == len(inputs) else None
    if not isinstance(given, Array) or given.dtype != str(truth.dtype):
        return None
    right = given.shape == truth.shape and close(to_numpy(given), truth, case.tolerance)
    return None if right else _Wrong(case, truth, given)


def _size(case: ComparedVjp) -> tuple[int, float]:
    """What is compared to find the smallest case: the entries, and how far they are from small whole numbers."""
    values = case.arguments.values()
    unround = sum(float((value != np.round(value)).sum()) + 0.01 * float(np.abs(value).sum()) for value in values)
    return case.entries, unround


def _simpler(case: ComparedVjp) -> Iterator[ComparedVjp]:
    """Simpler versions of a case. Indices and other inputs that are not floats stay as they are, and so do the shapes then."""
    floats = [name for name, value in case.inputs.items() if value.dtype.kind == "f"]
    if len(floats) == len(case.inputs):
        sizes = {size for value in case.arguments.values() for size in value.shape}
        for size in sorted(sizes, reverse=True):
            for to in (1, 2):
                if to < size:
                    yield _resized(case, size, to)
        if case.upstream.shape[:1] == (1,):
            yield _without_first_axis(case)
    yield _with_whole(case, floats, whole_numbers(case.upstream.shape, 1))
    yield _with_whole(case, floats, np.ones(case.upstream.shape))
    yield _with_whole(case, [], whole_numbers(case.upstream.shape, 1))
    for place in range(min(case.upstream.size, 4)):
        yield replace(case, upstream=_one_hot(case.upstream.shape, place))
    for name in floats:
        yield _with_whole(case, [name], case.upstream)


def _resized(case: ComparedVjp, size: int, to: int) -> ComparedVjp:
    inputs = {name: shortened(value, size, to) for name, value in case.inputs.items()}
    return replace(case, inputs=inputs, upstream=shortened(case.upstream, size, to))


def _without_first_axis(case: ComparedVjp) -> ComparedVjp:
    """The case without the first axis of the output, which has size 1, and of the inputs that have it too."""
    dimensions = case.upstream.ndim
    inputs = {name: value[0] if value.ndim == dimensions else value for name, value in case.inputs.items()}
    return replace(case, inputs=inputs, upstream=case.upstream[0])


def _with_whole(case: ComparedVjp, names: Sequence[str], upstream: Numbers) -> ComparedVjp:
    inputs, first = dict(case.inputs), 1
    for name in names:
        inputs[name] = whole_numbers(inputs[name].shape, first)
        first += min(inputs[name].size, 4)
    return replace(case, inputs=inputs, upstream=upstream)


def _one_hot(shape: tuple[int, ...], place: int) -> Numbers:
    found = np.zeros(shape)
    found.flat[place] = 1.0
    return found
