"""Writes programs for tensor classes, runs them on the student's class in one question, and compares every array.

    p = TensorProgram()
    a, b = p.input(rng.normal(size=(2, 3)), "a"), p.input(rng.normal(size=3), "b")
    p.backward(p.name("y", (a * b).sum(axis=0)), rng.normal(size=3))
    expect_tensor_programs(student, [p])

A program is executed with torch while it is written, so the expected arrays do not come from code of ours. Compared are the
data of every value and the gradients of the leaves.
"""

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from autograder.judge.arrays import Numbers, to_numpy
from autograder.judge.checks.compare import TENSOR, CheckFailed, Tolerance, close, differing, fail
from autograder.judge.checks.recording import record_expected, record_programs, record_subject
from autograder.judge.checks.student import Student
from autograder.judge.text import neutralise
from sandbox.guest.operations.tensors import UNSTEADY
from sandbox.wire import Array

if TYPE_CHECKING:
    import torch

Shape = tuple[int, ...]
Instruction = list[Any]
OPERATORS = ("+", "-", "*", "/", "**", "@")
STEPS_SHOWN = 12


def _amax(x: "torch.Tensor", axis: Any = None, keepdims: bool = False) -> "torch.Tensor":
    """The maximum, whose ties share the gradient equally."""
    return x.amax(tuple(range(x.ndim)) if axis is None else axis, keepdims)


def _reduce(name: str) -> Callable[..., "torch.Tensor"]:
    def reduced(x: "torch.Tensor", axis: Any = None, keepdims: bool = False) -> "torch.Tensor":
        return getattr(x, name)(tuple(range(x.ndim)) if axis is None else axis, keepdims)  # type: ignore[no-any-return]

    return reduced


# how torch executes an operation; the student's class has a method of the same name, or the operator
RULES: dict[str, Callable[..., "torch.Tensor"]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "**": lambda a, n: a**n,
    "@": lambda a, b: a @ b,
    "neg": lambda a: -a,
    "exp": lambda a: a.exp(),
    "log": lambda a: a.log(),
    "tanh": lambda a: a.tanh(),
    "relu": lambda a: a.relu(),
    "sum": _reduce("sum"),
    "mean": _reduce("mean"),
    "max": _amax,
    "reshape": lambda a, shape: a.reshape(shape),
    "permute": lambda a, axes: a.permute(axes),
    "expand": lambda a, shape: a.expand(shape),
    "getitem": lambda a, index: a[python_index(index)],
}


def python_index(parts: Sequence[Any]) -> Any:
    """An index of a program in Python's own form: a list of three stands for a slice, an array for a list of numbers."""
    index = tuple(_index_part(part) for part in parts)
    return index[0] if len(index) == 1 else index


def _index_part(part: Any) -> Any:
    if isinstance(part, list):
        return slice(*part)
    if isinstance(part, np.ndarray):
        import torch

        return torch.from_numpy(part)
    return ... if isinstance(part, str) else part


class Slot:
    """One tensor of a program. Arithmetic and methods append instructions."""

    __slots__ = ("number", "program")

    def __init__(self, program: "TensorProgram", number: int) -> None:
        self.program, self.number = program, number

    @property
    def value(self) -> Numbers:
        return to_numpy(self.program.tensors[self.number])

    @property
    def shape(self) -> Shape:
        return tuple(self.program.tensors[self.number].shape)

    def __add__(self, other: "Slot | float") -> "Slot":
        return self.program.apply("+", self, other)

    def __radd__(self, other: float) -> "Slot":
        return self.program.apply("+", other, self)

    def __sub__(self, other: "Slot | float") -> "Slot":
        return self.program.apply("-", self, other)

    def __rsub__(self, other: float) -> "Slot":
        return self.program.apply("-", other, self)

    def __mul__(self, other: "Slot | float") -> "Slot":
        return self.program.apply("*", self, other)

    def __rmul__(self, other: float) -> "Slot":
        return self.program.apply("*", other, self)

    def __truediv__(self, other: "Slot | float") -> "Slot":
        return self.program.apply("/", self, other)

    def __rtruediv__(self, other: float) -> "Slot":
        return self.program.apply("/", other, self)

    def __pow__(self, exponent: float) -> "Slot":
        return self.program.apply("**", self, exponent)

    def __matmul__(self, other: "Slot") -> "Slot":
        return self.program.apply("@", self, other)

    def __neg__(self) -> "Slot":
        return self.program.apply("neg", self)

    def call(self, method: str, **options: Any) -> "Slot":
        """Calls a method: exp, log, tanh or relu; sum, mean or max with `axis` and `keepdims`; reshape, permute or expand."""
        return self.program.apply(method, self, **options)

    def sum(self, axis: Any = None, keepdims: bool = False) -> "Slot":
        return self.call("sum", axis=axis, keepdims=keepdims)

    def at(self, *index: Any) -> "Slot":
        """Indexes with numbers, None, "...", lists of three that stand for slices, or arrays of numbers."""
        return self.program.apply("getitem", self, index=list(index))


class TensorProgram:
    """A straight-line program that runs on the student's class and, while it is written, on torch."""

    def __init__(self) -> None:
        self.instructions: list[Instruction] = []
        self.tensors: list[torch.Tensor] = []
        self.steps: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []  # operation, operands and options of every slot
        self._names: dict[int, str] = {}
        self._grads_enabled = True

    def input(self, values: Any, name: str = "", requires_grad: bool = True) -> Slot:
        import torch

        numbers = np.array(values, dtype=np.float64)
        leaf = torch.from_numpy(numbers.copy()).requires_grad_(requires_grad)
        self.instructions.append(["in", [numbers], {"requires_grad": requires_grad}])
        return self._new(("in", (), {}), leaf, name)

    def apply(self, operation: str, *operands: "Slot | float", **options: Any) -> Slot:
        import torch

        values = [self.tensors[item.number] if isinstance(item, Slot) else item for item in operands]
        with torch.set_grad_enabled(self._grads_enabled):
            result = RULES[operation](*values, **options)
        if result.requires_grad:
            result.retain_grad()
        sent = [item.number if isinstance(item, Slot) else [item] for item in operands]
        plain = {key: list(value) if isinstance(value, tuple) else value for key, value in options.items()}
        self.instructions.append([operation, sent, plain])
        return self._new((operation, operands, options), result, "")

    def name(self, name: str, slot: Slot) -> Slot:
        """Names a tensor in messages."""
        self._names[slot.number] = name
        return slot

    def backward(self, slot: Slot, gradient: Any = None) -> None:
        """Calls `backward()` on a tensor with one entry, or `backward(gradient)`."""
        import torch

        given = [] if gradient is None else [np.array(gradient, dtype=np.float64)]
        self.tensors[slot.number].backward(  # type: ignore[no-untyped-call]
            torch.from_numpy(given[0].copy()) if given else None, retain_graph=True
        )
        self.instructions.append(["backward", [slot.number, *given], {}])

    def clear(self, slot: Slot) -> None:
        """Sets the gradient of a leaf to None."""
        self.tensors[slot.number].grad = None
        self.instructions.append(["clear", [slot.number], {}])

    def no_grad(self) -> None:
        """What follows is executed in a `no_grad()` block."""
        self._grads_enabled = False
        self.instructions.append(["no_grad", [], {}])

    def grad_enabled(self) -> None:
        """Ends the `no_grad()` block."""
        self._grads_enabled = True
        self.instructions.append(["grad enabled", [], {}])

    def grads(self, output: Slot, inputs: Sequence[Slot], gradient: Slot, create_graph: bool = True) -> list[Slot]:
        """Calls `grad(output, inputs, gradient, create_graph=...)`, whose results are tensors of the program."""
        import torch

        root, wanted = self.tensors[output.number], [self.tensors[item.number] for item in inputs]
        found = torch.autograd.grad(
            root, wanted, self.tensors[gradient.number], create_graph=create_graph, retain_graph=True
        )
        sent = [output.number, [item.number for item in inputs], gradient.number]
        self.instructions.append(["grads", sent, {"create_graph": create_graph}])
        return [
            self._new(("grad", (output, item), {}), tensor, f"grad of {self.label(item.number)}")
            for item, tensor in zip(inputs, found, strict=True)
        ]

    def _new(self, step: tuple[str, tuple[Any, ...], dict[str, Any]], tensor: "torch.Tensor", name: str) -> Slot:
        slot = Slot(self, len(self.tensors))
        self.tensors.append(tensor)
        self.steps.append(step)
        if name:
            self._names[slot.number] = name
        return slot

    # -- expected arrays -------------------------------------------------------------------------------------------

    def data(self) -> list[Numbers]:
        return [to_numpy(tensor) for tensor in self.tensors]

    def is_leaf(self, number: int) -> bool:
        """Whether a slot is an input whose gradient is recorded."""
        return self.steps[number][0] == "in" and bool(self.tensors[number].requires_grad)

    def gradient(self, number: int) -> Numbers | None:
        """The gradient of a slot, also of an intermediate result; None if no backward pass reached it."""
        gradient = self.tensors[number].grad
        return None if gradient is None else to_numpy(gradient)

    # -- labels ----------------------------------------------------------------------------------------------------

    def label(self, number: int) -> str:
        return self._names.get(number) or f"v{number}"

    def line(self, number: int) -> str:
        """The instruction that creates a slot, as a student would write it."""
        operation, operands, options = self.steps[number]
        texts = [self.label(item.number) if isinstance(item, Slot) else _plain(item) for item in operands]
        if operation in OPERATORS:
            return f"{texts[0]} {operation} {texts[1]}"
        if operation == "neg":
            return f"-{texts[0]}"
        if operation == "getitem":
            return f"{texts[0]}[{', '.join(_index_text(part) for part in options['index'])}]"
        if operation == "grad":
            return f"grad({texts[0]}, {texts[1]})"
        written = [f"{key}={value}" for key, value in options.items() if value not in (None, False)]
        return f"{texts[0]}.{operation}({', '.join(written)})"

    def describe(self) -> str:
        """The program in one line."""
        lines = [f"{self.label(n)} = {self.line(n)}" for n, step in enumerate(self.steps) if step[0] != "in"]
        for name, operands, _ in self.instructions:
            if name == "backward":
                lines.append(f"{self.label(operands[0])}.backward({'g' if len(operands) > 1 else ''})")
        return "; ".join(["...", *lines[-STEPS_SHOWN:]] if len(lines) > STEPS_SHOWN else lines)

    def inputs(self) -> dict[str, Numbers]:
        """The inputs, and the upstream gradient if there is one."""
        found = {self.label(n): to_numpy(self.tensors[n]) for n, step in enumerate(self.steps) if step[0] == "in"}
        for name, operands, _ in self.instructions:
            if name == "backward" and len(operands) > 1:
                found["g"] = operands[1]
        return found


def _plain(value: Any) -> str:
    return f"({value})" if isinstance(value, int | float) and value < 0 else str(value)


def _index_text(part: Any) -> str:
    if isinstance(part, list):
        begin, end, step = ("" if item is None else str(item) for item in part)
        return f"{begin}:{end}" + (f":{step}" if step else "")
    return str(part.tolist()) if isinstance(part, np.ndarray) else str(part)


@dataclass(frozen=True)
class ComparedTensors:
    """A tensor program to be compared, with the options of the comparison."""

    program: TensorProgram
    class_name: str = "Tensor"
    spelling: tuple[tuple[str, str], ...] = ()
    tolerance: Tolerance = TENSOR

    def sent(self) -> list[Instruction]:
        """The instructions, with the operations spelled as the student's file does."""
        spelled = dict(self.spelling)
        return [
            [spelled[name], operands, {**options, "at": "module"}] if name in spelled else [name, operands, options]
            for name, operands, options in self.program.instructions
        ]

    def with_outcome(self, outcome: Any) -> None:
        """Raises CheckFailed if the outcome is wrong."""
        data, grads = rows_of(outcome, len(self.program.tensors))
        program = self.program
        for number, (given, truth) in enumerate(zip(data, program.data(), strict=True)):
            self._compare(number, "data", given, truth)
        for number in reversed(range(len(grads))):  # the leaf nearest to the output comes first
            if program.is_leaf(number):
                self._compare(number, "grad", grads[number], program.gradient(number))

    def differs(self, outcome: Any) -> bool:
        try:
            self.with_outcome(outcome)
        except CheckFailed:
            return True
        return False

    def _compare(self, number: int, what: str, given: Any, truth: Numbers | None) -> None:
        program = self.program
        record_expected(truth)
        if truth is None and given is None:
            return
        label = f"{program.label(number)}.{what}"
        if program.steps[number][0] != "in" and what == "data":
            label = f"({program.line(number)}).data"
        problem = problem_of(given, truth, self.tolerance)
        if not problem:
            return
        evidence = {side: value for side, value in (("expected", truth), ("given", given)) if value is not None}
        raise fail(
            f"In {program.describe()}, {label} {problem}.", label, program.inputs(), note=program.describe(), **evidence
        )


def problem_of(given: Any, truth: Numbers | None, tolerance: Tolerance) -> str:
    """What is wrong with an array, to be read after its name; empty if nothing is."""
    if truth is None:
        return "should be None, because no gradient reaches it" if isinstance(given, Array) else "should be None"
    if given is None:
        return "is None"
    if given == UNSTEADY:
        return "is another array each time it is read"
    if not isinstance(given, Array):
        return f"should be an array, but is of type {neutralise(str(given), 64)}"
    if given.shape != truth.shape:
        return f"should have shape {truth.shape}, but has shape {given.shape}"
    if given.dtype != "float64" or given.kind != "numpy":
        return f"should be an array of dtype float64, but has dtype {given.dtype}"
    numbers = to_numpy(given)
    if close(numbers, truth, tolerance):
        return ""
    if numbers.size == 1:
        return f"should be {truth.item():g}, but is {numbers.item():g}"
    wrong = len(differing(numbers, truth, tolerance)) or truth.size
    return f"is wrong in {wrong} of {truth.size} entries"


def rows_of(outcome: Any, count: int) -> tuple[list[Any], list[Any]]:
    """The data and gradients of one outcome, which comes from an untrusted process."""
    if (
        not isinstance(outcome, list)
        or len(outcome) != 2
        or not all(isinstance(row, list) and len(row) == count for row in outcome)
    ):
        raise fail("The results of the programs could not be read.")
    return outcome[0], outcome[1]


def expect_tensor_programs(
    student: Student,
    programs: Iterable[TensorProgram],
    *,
    class_name: str = "Tensor",
    spelling: dict[str, str] | None = None,
    tolerance: Tolerance = TENSOR,
) -> None:
    """Runs programs on the student's class in one question, and compares all data and the gradients of the leaves.

    `spelling` says which functions of the file stand for operations: `{"*": "Mul.apply"}`.
    """
    compared = [ComparedTensors(program, class_name, tuple((spelling or {}).items()), tolerance) for program in programs]
    record_programs(compared)
    outcomes = ask_programs(student, compared)
    for comparison, outcome in zip(compared, outcomes, strict=True):
        record_subject(comparison)
        comparison.with_outcome(outcome)


def ask_programs(student: Student, compared: Sequence[ComparedTensors], *, apart: bool = False) -> list[Any]:
    """The outcome of every program, from one question. If they run `apart`, one that raises has the exception's name instead."""
    options = {"class": compared[0].class_name, **({"apart": True} if apart else {})}
    answer = student.operate("tensors.run", [item.sent() for item in compared], **options)
    if not isinstance(answer, list) or len(answer) != len(compared):
        raise fail("The results of the programs could not be read.")
    return answer


# -- random programs -----------------------------------------------------------------------------------------------

BINARY, UNARY, REDUCTIONS, VIEWS = (
    ("+", "-", "*", "/"),
    ("neg", "exp", "log", "tanh", "relu"),
    ("sum", "mean", "max"),
    ("reshape", "permute", "expand"),
)
SMALLEST, GAP, MOST_ENTRIES = 0.2, 1e-3, 60


def random_program(
    rng: np.random.Generator, operations: Collection[str], *, steps: int = 6, broadcasting: bool = True, axes: int = 3
) -> TensorProgram:
    """A program of random steps that use and reuse each other's results. All values are of magnitude one and away from kinks.

    Without `broadcasting`, the operands of an operator have equal shapes.
    """
    program = TensorProgram()
    shape = tuple(int(size) for size in rng.integers(1, 4, size=int(rng.integers(1, axes + 1))))
    slots = [program.input(_drawn(rng, shape), "a"), program.input(_drawn(rng, shape), "b")]
    names = iter("cdefhijklmnopqrstu")
    for _ in range(steps):
        for _attempt in range(20):
            made = _random_step(program, rng, operations, slots, names, broadcasting)
            if made is not None:
                slots.append(made)
                break
    root = program.name("y", slots[-1])
    program.backward(root, None if root.shape == () else _drawn(rng, root.shape))
    return program


def _drawn(rng: np.random.Generator, shape: Shape) -> Numbers:
    return np.asarray(rng.uniform(0.4, 1.8, size=shape) * rng.choice([-1.0, 1.0], size=shape))


def _random_step(
    program: TensorProgram,
    rng: np.random.Generator,
    operations: Collection[str],
    slots: list[Slot],
    names: Any,
    broadcasting: bool,
) -> Slot | None:
    """One more step, or None if the operation that was drawn fits none of the tensors. Recent results are used most."""
    operation = str(rng.choice(sorted(operations)))
    slot = slots[-1] if rng.random() < 0.7 else slots[int(rng.integers(len(slots)))]
    if operation in BINARY or (operation == "@" and slot.shape):
        return _random_binary(program, rng, operation, slot, slots, names, broadcasting)
    if operation in UNARY:
        return slot.call(operation) if _is_safe(operation, slot.value) else None
    if not slot.shape or math.prod(slot.shape) > MOST_ENTRIES:
        return None
    if operation in REDUCTIONS:
        axis = None if rng.random() < 0.2 else int(rng.integers(-len(slot.shape), len(slot.shape)))
        if operation == "max" and not _is_untied(slot.value, axis):
            return None
        return slot.call(operation, axis=axis, keepdims=bool(rng.random() < 0.4))
    if operation == "reshape":
        return slot.call("reshape", shape=_reshaped(rng, slot.shape))
    if operation == "permute":
        return slot.call("permute", axes=tuple(int(axis) for axis in rng.permutation(len(slot.shape))))
    if operation == "expand":
        shape = tuple(int(rng.integers(2, 4)) if size == 1 else size for size in slot.shape)
        return slot.call("expand", shape=(2, *shape) if rng.random() < 0.3 else shape)
    assert operation == "getitem"
    return slot.at(*_random_index(rng, slot.shape))


def _random_binary(
    program: TensorProgram,
    rng: np.random.Generator,
    operation: str,
    slot: Slot,
    slots: list[Slot],
    names: Any,
    broadcasting: bool,
) -> Slot | None:
    if operation != "@" and rng.random() < 0.15:
        number = round(float(_drawn(rng, ())), 2)
        return program.apply(operation, slot, number)
    others = [
        other
        for other in slots
        if _fits(operation, slot.shape, other.shape, broadcasting) and _is_safe(operation, other.value)
    ]
    if (not others or rng.random() < 0.4) and (name := next(names, "")):
        others = [program.input(_drawn(rng, _partner(rng, operation, slot.shape, broadcasting)), name)]
        slots.append(others[0])
    if not others:
        return None
    return program.apply(operation, slot, others[int(rng.integers(len(others)))])


def _fits(operation: str, left: Shape, right: Shape, broadcasting: bool) -> bool:
    try:
        if operation == "@":
            np.matmul(np.zeros(left), np.zeros(right))
        elif math.prod(np.broadcast_shapes(left, right)) > MOST_ENTRIES:
            return False
    except ValueError:
        return False
    return operation == "@" or broadcasting or left == right


def _partner(rng: np.random.Generator, operation: str, shape: Shape, broadcasting: bool) -> Shape:
    """A shape for a new right operand."""
    if operation == "@":
        inner = shape[-1] if shape else 1
        matrix = (inner, int(rng.integers(1, 4)))
        batch = tuple(size if rng.random() < 0.6 else 1 for size in shape[:-2]) if len(shape) > 2 else ()
        return (inner,) if rng.random() < 0.2 else (*batch, *matrix)
    if not broadcasting:
        return shape
    kept = shape[int(rng.integers(len(shape) + 1)) :]
    return tuple(1 if rng.random() < 0.35 else size for size in kept)


def _is_safe(operation: str, value: Numbers) -> bool:
    if operation == "log":
        return bool((value > SMALLEST).all())
    if operation == "/":
        return bool((np.abs(value) > SMALLEST).all())
    if operation == "exp":
        return bool((value < 2.0).all())
    return operation != "relu" or bool((np.abs(value) > GAP).all())


def _is_untied(value: Numbers, axis: int | None) -> bool:
    ordered = np.sort(value.reshape(-1) if axis is None else value, axis=-1 if axis is None else axis)
    gaps = np.diff(ordered, axis=-1 if axis is None else axis)
    return bool((gaps > GAP).all())


def _reshaped(rng: np.random.Generator, shape: Shape) -> Shape:
    """Another shape with as many entries."""
    size = math.prod(shape)
    divisors = [n for n in range(1, size + 1) if size % n == 0]
    first = int(rng.choice(divisors))
    return (first, size // first) if rng.random() < 0.7 else (size,)


def _random_index(rng: np.random.Generator, shape: Shape) -> list[Any]:
    """Numbers and slices for the first axes, or slices and one array of numbers, some of them repeated."""
    count = int(rng.integers(1, len(shape) + 1))
    array_at = int(rng.integers(count)) if rng.random() < 0.5 else None
    parts: list[Any] = []
    for axis, size in enumerate(shape[:count]):
        if axis == array_at:
            parts.append(rng.integers(size, size=int(rng.integers(2, 5))))
        elif array_at is None and rng.random() < 0.4:
            parts.append(int(rng.integers(-size, size)))
        else:
            parts.append([int(rng.integers(size)), None, None] if rng.random() < 0.5 else [None, None, 2])
    return parts
