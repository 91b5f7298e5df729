"""Writes programs for scalar engines, runs them on the student's class in one question, and compares every value.

    p = Program()
    a, b = p.input(3.0, "a"), p.input(-2.0, "b")
    f = p.name("f", (a + b) * (b + 1))
    p.backward(f)
    expect_programs(student, [p])

The judge does not read the student's graph. It evaluates the same program in float64 and compares the data and gradient of
every value.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np

from autograder.judge.checks.compare import SCALAR, CheckFailed, Tolerance, fail
from autograder.judge.checks.recording import record_expected, record_programs, record_subject
from autograder.judge.checks.student import Student
from autograder.judge.text import number, pair
from sandbox.guest.operations.engine import UNSTEADY, Outcome

Number = int | float

NESTED, STEPS_SHOWN = 6, 12
MOST_DESCRIBED = 200  # values of a program that is described by its expressions
WRONG_SHOWN = 12  # values of a larger one
SYMBOLS = ("+", "-", "*", "/", "**")
PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2, "neg": 3, "**": 4}

# the value of each operation and its local derivative with respect to each operand
RULES: dict[str, tuple[Callable[..., float], Callable[..., tuple[float, ...]]]] = {
    "+": (lambda a, b: a + b, lambda a, b: (1.0, 1.0)),
    "-": (lambda a, b: a - b, lambda a, b: (1.0, -1.0)),
    "*": (lambda a, b: a * b, lambda a, b: (b, a)),
    "/": (lambda a, b: a / b, lambda a, b: (1 / b, -a / b**2)),
    "**": (lambda a, n: a**n, lambda a, n: (0.0 if n == 0 else n * a ** (n - 1), 0.0)),
    "neg": (lambda a: -a, lambda a: (-1.0,)),
    "exp": (math.exp, lambda a: (math.exp(a),)),
    "log": (math.log, lambda a: (1 / a,)),
    "tanh": (math.tanh, lambda a: ((1 - math.tanh(a)) * (1 + math.tanh(a)),)),
    "relu": (lambda a: max(a, 0.0), lambda a: (1.0 if a > 0 else 0.0,)),
    "square": (lambda a: a * a, lambda a: (2 * a,)),
}


def _operator(symbol: str) -> "Callable[[Slot, Slot | Number], Slot]":
    return lambda slot, other: slot.program.apply(symbol, slot, other)


def _reflected(symbol: str) -> "Callable[[Slot, Number], Slot]":
    return lambda slot, other: slot.program.apply(symbol, other, slot)


class Slot:
    """One value of a program. Arithmetic on slots appends instructions."""

    __slots__ = ("number", "program")

    def __init__(self, program: "Program", number: int) -> None:
        self.program, self.number = program, number

    __add__, __radd__ = _operator("+"), _reflected("+")
    __sub__, __rsub__ = _operator("-"), _reflected("-")
    __mul__, __rmul__ = _operator("*"), _reflected("*")
    __truediv__, __rtruediv__ = _operator("/"), _reflected("/")
    __pow__ = _operator("**")

    def __neg__(self) -> "Slot":
        return self.program.apply("neg", self)

    def call(self, method: str) -> "Slot":
        """Calls a method of the engine: exp, log, tanh, relu or square."""
        return self.program.apply(method, self)


class Program:
    """A straight-line program that runs on the student's class and in the judge."""

    def __init__(self) -> None:
        self.instructions: list[list[Any]] = []
        self._slots: list[tuple[str, tuple[Slot | Number, ...]]] = []
        self._names: dict[int, str] = {}

    def input(self, value: Number, name: str = "") -> Slot:
        return self._new("in", (value,), ["in", value], name)

    def apply(self, operation: str, *operands: "Slot | Number") -> Slot:
        sent = [operand.number if isinstance(operand, Slot) else [operand] for operand in operands]
        return self._new(operation, operands, [operation, *sent], "")

    def name(self, name: str, slot: Slot) -> Slot:
        """Names a value in messages."""
        self._names[slot.number] = name
        return slot

    def backward(self, slot: Slot) -> None:
        self.instructions.append(["backward", slot.number])

    def read(self) -> None:
        """Reads every gradient at this point."""
        self.instructions.append(["read"])

    def set_grad(self, slot: Slot, value: Number) -> None:
        self.instructions.append(["set grad", slot.number, value])

    def _new(self, operation: str, operands: tuple["Slot | Number", ...], instruction: list[Any], name: str) -> Slot:
        slot = Slot(self, len(self._slots))
        self._slots.append((operation, operands))
        self.instructions.append(instruction)
        if name:
            self._names[slot.number] = name
        return slot

    # -- evaluation ---------------------------------------------------------------------------------------------

    def evaluate(self) -> tuple[list[float], list[float], list[list[float]]]:
        """Data and final gradient of every slot, and the gradients at every `read`. Gradients accumulate over passes."""
        data: list[float] = []
        grads: list[float] = []
        readings: list[list[float]] = []
        for name, *operands in self.instructions:
            if name == "backward":
                for number, adjoint in enumerate(self.adjoints(operands[0], data)):
                    grads[number] += adjoint
            elif name == "set grad":
                grads[operands[0]] = operands[1]
            elif name == "read":
                readings.append(list(grads))
            else:
                data.append(self.value_of(len(data), data))
                grads.append(0.0)
        return data, grads, readings

    def step(self, number: int) -> tuple[str, tuple[int | None, ...]]:
        """The operation of a slot and its operands; None stands for an operand that is a plain number."""
        operation, operands = self._slots[number]
        return operation, tuple(item.number if isinstance(item, Slot) else None for item in operands)

    def value_of(self, number: int, data: list[float]) -> float:
        """The value of a slot, computed from its operands."""
        operation, operands = self._slots[number]
        values = [data[item.number] if isinstance(item, Slot) else float(item) for item in operands]
        return values[0] if operation == "in" else RULES[operation][0](*values)

    def slopes_of(self, number: int, data: list[float]) -> tuple[float, ...]:
        """The derivative of a slot with respect to each of its operands."""
        operation, operands = self._slots[number]
        if operation == "in":
            return ()
        return RULES[operation][1](*[data[item.number] if isinstance(item, Slot) else float(item) for item in operands])

    def adjoints(self, root: int, data: list[float]) -> list[float]:
        """The derivative of slot `root` with respect to every slot, computed in reverse order of the instructions."""
        adjoints = [0.0] * len(data)
        adjoints[root] = 1.0
        for position in range(root, -1, -1):
            upstream = adjoints[position]
            if upstream != 0.0:
                for operand, slope in zip(self._slots[position][1], self.slopes_of(position, data), strict=False):
                    if isinstance(operand, Slot):
                        adjoints[operand.number] += slope * upstream
        return adjoints

    # -- labels ---------------------------------------------------------------------------------------------

    @property
    def large(self) -> bool:
        """Whether there are too many values to show."""
        return len(self._slots) > MOST_DESCRIBED

    def label(self, number: int) -> str:
        """A slot as an expression in terms of the named slots; of a large program, by its number."""
        return self._names.get(number) or (f"v{number}" if self.large else self._expression(number))

    def name_shared(self) -> None:
        """Names intermediate values that are shared or deeply nested, so that expressions stay short."""
        uses = Counter(item.number for _, operands in self._slots for item in operands if isinstance(item, Slot))
        depth = [0] * len(self._slots)
        for n, (operation, operands) in enumerate(self._slots):
            depth[n] = 1 + max((depth[item.number] for item in operands if isinstance(item, Slot)), default=-1)
            if operation != "in" and (uses[n] > 1 or depth[n] >= NESTED):
                self._names.setdefault(n, f"v{n}")
            if n in self._names:
                depth[n] = 0

    def describe(self) -> str:
        """The program in one line, as a student would write it."""
        if self.large:
            return f"a program of {len(self._slots):,} values (v0 to v{len(self._slots) - 1} in the order of their creation)"
        last = max((i[1] for i in self.instructions if i[0] == "backward"), default=len(self._slots) - 1)
        if self._slots and self._slots[last][0] == "in":
            return self.label(last)
        named = [f"{self._names[n]} = {self._expression(n)}" for n in sorted(self._names) if self._slots[n][0] != "in"]
        if last not in self._names:
            named.append(self._expression(last))
        if len(named) > STEPS_SHOWN:
            named = ["...", *named[-STEPS_SHOWN:]]
        return "; ".join(named)

    def is_input(self, number: int) -> bool:
        return self._slots[number][0] == "in"

    def inputs(self) -> dict[str, Number]:
        return {
            self.label(n): operands[0]  # type: ignore[misc]
            for n, (operation, operands) in enumerate(self._slots)
            if operation == "in"
        }

    def _expression(self, number: int) -> str:
        operation, operands = self._slots[number]
        if operation == "in":
            return self._names.get(number, f"Value({operands[0]})")
        texts = [self._operand(item, operation, position) for position, item in enumerate(operands)]
        if operation in SYMBOLS:
            return f"{texts[0]} {operation} {texts[1]}"
        return f"-{texts[0]}" if operation == "neg" else f"{texts[0]}.{operation}()"

    def _operand(self, item: "Slot | Number", operation: str, position: int) -> str:
        if not isinstance(item, Slot):
            return f"({item})" if item < 0 else str(item)
        text = self.label(item.number)
        inner = self._slots[item.number][0]
        bare = item.number in self._names or inner not in PRECEDENCE
        if bare or PRECEDENCE[inner] > PRECEDENCE.get(operation, 9) - (position == 0 and operation != "**"):
            return text
        return f"({text})"


@dataclass(frozen=True)
class Compared:
    """A program to be compared, with the options of the comparison."""

    program: Program
    class_name: str
    look_at: str
    tolerance: Tolerance

    def with_outcome(self, outcome: Outcome) -> None:
        """Raises CheckFailed if the outcome is wrong."""
        _compare(self.program, outcome, self.look_at, self.tolerance)

    def is_compared(self, number: int) -> bool:
        """Whether the gradient of a slot is compared."""
        return self.look_at != "leaves" or self.program.is_input(number)


def look_alikes(rng: np.random.Generator) -> list[Program]:
    """Programs in which several values have equal data but different gradients, to detect engines that confuse them.

    The data is of magnitude one, tiny or huge, or 0 of either sign. Only `+` and `*` are used, which every engine has."""
    programs = []
    for size in (1.0, 0.0, 1e-100, 1e100):
        program = Program()
        value = size * float(rng.uniform(0.4, 1.6) * rng.choice([-1.0, 1.0]))
        a, b = program.input(value, "a"), program.input(value if size else -value, "b")
        c = program.input(float(rng.uniform(1.2, 1.8)), "c")
        p, q, r = program.name("p", a * c), program.name("q", a * c), program.name("r", b * c)
        program.backward(program.name("f", p * c + (q + q) + (r + b) * b))
        programs.append(program)
    return programs


def expect_programs(
    student: Student,
    programs: Iterable[Program],
    *,
    class_name: str = "Value",
    look_at: str = "all",
    tolerance: Tolerance = SCALAR,
) -> None:
    """Runs programs on the student's class in one question and compares gradients: of `all` values or of the `leaves`."""
    programs = list(programs)
    packed = msgspec.msgpack.encode([program.instructions for program in programs])
    compared = [Compared(program, class_name, look_at, tolerance) for program in programs]
    record_programs(compared)
    answer = student.operate("engine.run", **{"class": class_name, "programs": packed})
    for comparison, outcome in zip(compared, _outcomes(answer, len(programs)), strict=True):
        record_subject(comparison)
        comparison.with_outcome(outcome)


def _outcomes(answer: Any, count: int) -> list[Outcome]:
    """Decodes one outcome per program from the answer of an untrusted process."""
    try:
        outcomes = msgspec.msgpack.decode(answer, type=list[Outcome])
    except (msgspec.DecodeError, TypeError, RecursionError) as error:
        raise fail("The results of the programs could not be read.") from error
    if len(outcomes) != count:
        raise fail("The results of the programs could not be read.")
    return outcomes


def _compare(program: Program, outcome: Outcome, look_at: str, tolerance: Tolerance) -> None:
    data, grads, readings = program.evaluate()
    record_expected([*data, *grads, *(number for reading in readings for number in reading)])
    if len(outcome.readings) != len(readings):
        raise fail("The results of the programs could not be read.")
    for given, expected in zip(outcome.readings, readings, strict=True):
        _compare_row(program, "grad", given, expected, look_at, tolerance, outcome.strange, " at this point")
    _compare_row(program, "data", outcome.data, data, "all", tolerance, outcome.strange)
    _compare_row(program, "grad", outcome.grad, grads, look_at, tolerance, outcome.strange)


def _compare_row(
    program: Program,
    what: str,
    given: list[float | None],
    expected: list[float],
    look_at: str,
    tolerance: Tolerance,
    strange: dict[str, str],
    when: str = "",
) -> None:
    """Compares one number per slot. A reading taken before the end has fewer slots than the program."""
    if len(given) != len(expected):
        raise fail("The results of the programs could not be read.")
    wrong = [n for n, (value, truth) in enumerate(zip(given, expected, strict=True)) if not _close(value, truth, tolerance)]
    if look_at == "leaves":
        wrong = [n for n in wrong if program.is_input(n)]
    if not wrong:
        return
    if not program.large:
        program.name_shared()
    # of several wrong gradients, report the one nearest to the output: the backward pass went wrong there first
    first = wrong[-1] if what == "grad" else wrong[0]
    label = program.label(first)
    label = f"({label})" if " " in label else label
    value = given[first]
    if value is None:
        kind = strange.get(f"{first}.{what}", "")[:64]
        if kind == UNSTEADY:
            got = "is a different number each time it is read"
        else:
            got = f"is of type {kind}, not a number" if kind else "is missing"
        right = number(expected[first])
    else:
        right, mine = pair(expected[first], value)
        got = f"is {mine}"
    shown = wrong[::-1][:WRONG_SHOWN] if program.large else range(len(expected))
    error = fail(
        f"In {program.describe()}, {label}.{what} should be {right}{when}, but {got}.",
        f".{what} of every value",
        {} if program.large else program.inputs(),
        expected=[expected[n] for n in shown],
        given=[given[n] for n in shown],
        note=program.describe(),
    )
    differing = tuple(place for place, n in enumerate(shown) if n in wrong)
    raise _with_names(error, tuple(program.label(n) for n in shown), differing)


def _with_names(error: CheckFailed, names: tuple[str, ...], wrong: tuple[int, ...]) -> CheckFailed:
    detail = error.detail
    assert detail is not None and detail.expected is not None and detail.given is not None
    error.detail = msgspec.structs.replace(
        detail,
        expected=msgspec.structs.replace(detail.expected, names=names),
        given=msgspec.structs.replace(detail.given, names=names),
        differing=wrong,
    )
    return error


def _close(given: float | None, truth: float, tolerance: Tolerance) -> bool:
    return given is not None and abs(given - truth) <= tolerance.rtol * abs(truth) + tolerance.atol
