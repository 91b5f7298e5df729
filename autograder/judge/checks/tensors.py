"""Writes programs for tensor classes, runs them on the student's class in one question, and compares every array.

    p = TensorProgram()
    a, b = p.input(rng.normal(size=(2, 3)), "a"), p.input(rng.normal(size=3), "b")
    p.backward(p.name("y", (a * b).sum(axis=0)), rng.normal(size=3))
    expect_tensor_programs(student, [p])

A program is executed with torch while it is written, so the expected arrays do not come from code of ours. Compared are the
data of every value and the gradients of the leaves.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from autograder.judge.arrays import Numbers, to_numpy
from autograder.judge.checks.compare import TENSOR, CheckFailed, Tolerance, close, differing, fail
from autograder.judge.checks.recording import record_expected, record_programs, record_subject
from autograder.judge.checks.student import Student
from autograder.judge.text import neutralise, pair
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


def _getitem(x: "torch.Tensor", index: Sequence[Any]) -> "torch.Tensor":
    """The entries that numpy selects. Torch has no slices with a negative step, and orders some axes differently."""
    import torch

    selected = np.asarray(np.arange(x.numel()).reshape(tuple(x.shape))[python_index(index)])
    return x.reshape(-1)[torch.from_numpy(selected.copy())]


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
    "clamp": lambda a, lo, hi: a.clamp(lo, hi),
    "sum": _reduce("sum"),
    "mean": _reduce("mean"),
    "max": _amax,
    "reshape": lambda a, shape: a.reshape(shape),
    "permute": lambda a, axes: a.permute(axes),
    "expand": lambda a, shape: a.expand(shape),
    "getitem": _getitem,
}


def python_index(parts: Sequence[Any]) -> Any:
    """An index of a program in Python's own form: a list of three stands for a slice, a string for `...`."""
    index = tuple(_index_part(part) for part in parts)
    return index[0] if len(index) == 1 else index


def _index_part(part: Any) -> Any:
    if isinstance(part, list):
        return slice(*part)
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

    def call(self, method: str, *numbers: float, **options: Any) -> "Slot":
        """Calls a method: exp, log, tanh or relu; clamp with two numbers; sum, mean or max with `axis` and `keepdims`; reshape,
        permute or expand."""
        return self.program.apply(method, self, *numbers, **options)

    def sum(self, axis: Any = None, keepdims: bool = False) -> "Slot":
        return self.call("sum", axis=axis, keepdims=keepdims)

    def at(self, *index: Any) -> "Slot":
        """Indexes with numbers, None, "...", lists of three that stand for slices, or arrays of numbers or booleans."""
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

    def grads(
        self, output: Slot, inputs: Sequence[Slot], gradient: Slot | None = None, create_graph: bool = True
    ) -> list[Slot]:
        """Calls `grad(output, inputs, gradient, create_graph=...)`, whose results are tensors of the program. They are zeros for
        inputs on which the output does not depend."""
        import torch

        root, wanted = self.tensors[output.number], [self.tensors[item.number] for item in inputs]
        found = [torch.zeros_like(tensor) for tensor in wanted]
        if root.requires_grad:
            given = None if gradient is None else self.tensors[gradient.number]
            options = {"create_graph": create_graph, "retain_graph": True, "materialize_grads": True}
            found = list(torch.autograd.grad(root, wanted, given, **options))
        sent = [output.number, [item.number for item in inputs], *([] if gradient is None else [gradient.number])]
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
        written = [
            *map(str, operands[1:]),
            *(f"{key}={value}" for key, value in options.items() if value not in (None, False)),
        ]
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
        right, mine = pair(truth.item(), numbers.item())
        return f"should be {right}, but is {mine}"
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
