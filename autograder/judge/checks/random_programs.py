"""Draws random programs for tensor classes."""

import math
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks.tensors import Shape, Slot, TensorProgram

BINARY = ("+", "-", "*", "/")
UNARY = ("neg", "exp", "log", "tanh", "relu")
REDUCTIONS = ("sum", "mean", "max")
SMALLEST, GAP, MAX_ENTRIES, TRIES = 0.2, 1e-3, 60, 20


def random_program(
    rng: np.random.Generator,
    operations: Collection[str],
    *,
    steps: int = 6,
    axes: int = 3,
    broadcasting: bool = True,
    numbers: bool = True,
) -> TensorProgram:
    """A program of random steps that use and reuse each other's results. All values are of magnitude one and away from kinks.

    Without `broadcasting`, the operands of an operator have equal shapes; without `numbers`, none is a plain number.
    """
    writer = _Writer(rng, sorted(operations), broadcasting, numbers)
    shape = tuple(int(size) for size in rng.integers(1, 4, size=int(rng.integers(1, axes + 1))))
    for _ in range(2):
        writer.new_input(shape)
    for _ in range(steps):
        writer.add_step()
    program, root = writer.program, writer.slots[-1]
    program.backward(program.name("y", root), None if root.shape == () else drawn(rng, root.shape))
    return program


def drawn(rng: np.random.Generator, shape: Shape) -> Numbers:
    """Numbers of magnitude one and of both signs."""
    return np.asarray(rng.uniform(0.4, 1.8, size=shape) * rng.choice([-1.0, 1.0], size=shape))


@dataclass
class _Writer:
    """A program while it is drawn. The last slot is used most."""

    rng: np.random.Generator
    operations: list[str]
    broadcasting: bool
    numbers: bool
    program: TensorProgram = field(default_factory=TensorProgram)
    slots: list[Slot] = field(default_factory=list)
    names: list[str] = field(default_factory=lambda: list("utsrqponmlkjihfedcba"))

    def new_input(self, shape: Shape) -> Slot:
        slot = self.program.input(drawn(self.rng, shape), self.names.pop())
        self.slots.append(slot)
        return slot

    def add_step(self) -> None:
        for _ in range(TRIES):
            made = self._step()
            if made is not None:
                self.slots.append(made)
                return

    def _step(self) -> Slot | None:
        """One more step, or None if the operation that was drawn does not fit the tensor that was drawn."""
        rng, operation = self.rng, str(self.rng.choice(self.operations))
        slot = self.slots[-1] if rng.random() < 0.7 else self.slots[int(rng.integers(len(self.slots)))]
        if operation in UNARY:
            return slot.call(operation) if _is_safe(operation, slot.value) else None
        if operation in BINARY:
            return self._binary(operation, slot)
        if not slot.shape or math.prod(slot.shape) > MAX_ENTRIES:
            return None
        if operation == "@":
            return self._binary(operation, slot)
        if operation in REDUCTIONS:
            axis = None if rng.random() < 0.2 else int(rng.integers(-len(slot.shape), len(slot.shape)))
            if operation == "max" and not _is_untied(slot.value, axis):
                return None
            return slot.call(operation, axis=axis, keepdims=bool(rng.random() < 0.4))
        return self._view(operation, slot)

    def _view(self, operation: str, slot: Slot) -> Slot:
        rng, shape = self.rng, slot.shape
        if operation == "reshape":
            return slot.call("reshape", shape=_reshaped(rng, shape))
        if operation == "permute":
            return slot.call("permute", axes=tuple(int(axis) for axis in rng.permutation(len(shape))))
        if operation == "expand":
            stretched = tuple(int(rng.integers(2, 4)) if size == 1 else size for size in shape)
            return slot.call("expand", shape=(2, *stretched) if rng.random() < 0.3 else stretched)
        assert operation == "getitem", operation
        return slot.at(*_random_index(rng, shape))

    def _binary(self, operation: str, slot: Slot) -> Slot | None:
        rng = self.rng
        if self.numbers and operation != "@" and rng.random() < 0.15:
            return self.program.apply(operation, slot, round(float(drawn(rng, ())), 2))
        if self.names and rng.random() < 0.4:
            return self.program.apply(operation, slot, self.new_input(self._partner(operation, slot.shape)))
        others = [
            other
            for other in self.slots
            if self._fits(operation, slot.shape, other.shape) and _is_safe(operation, other.value)
        ]
        return self.program.apply(operation, slot, others[int(rng.integers(len(others)))]) if others else None

    def _fits(self, operation: str, left: Shape, right: Shape) -> bool:
        try:
            if operation == "@":
                np.matmul(np.zeros(left), np.zeros(right))
                return True
            size = math.prod(np.broadcast_shapes(left, right))
        except ValueError:
            return False
        return size <= MAX_ENTRIES and (self.broadcasting or left == right)

    def _partner(self, operation: str, shape: Shape) -> Shape:
        """A shape for a new right operand."""
        rng = self.rng
        if operation == "@":
            batch = tuple(size if rng.random() < 0.6 else 1 for size in shape[:-2])
            return shape[-1:] if rng.random() < 0.2 else (*batch, shape[-1], int(rng.integers(1, 4)))
        if not self.broadcasting:
            return shape
        kept = shape[int(rng.integers(len(shape) + 1)) :]
        return tuple(1 if rng.random() < 0.35 else size for size in kept)


def _is_safe(operation: str, value: Numbers) -> bool:
    """Whether an operation with this operand (the right one of two) is away from its kinks and singularities."""
    if operation == "log":
        return bool((value > SMALLEST).all())
    if operation == "/":
        return bool((np.abs(value) > SMALLEST).all())
    if operation == "exp":
        return bool((value < 2.0).all())
    return operation != "relu" or bool((np.abs(value) > GAP).all())


def _is_untied(value: Numbers, axis: int | None) -> bool:
    ordered = np.sort(value, axis=axis)
    return bool((np.diff(ordered, axis=-1 if axis is None else axis) > GAP).all())


def _reshaped(rng: np.random.Generator, shape: Shape) -> Shape:
    """Another shape with as many entries."""
    size = math.prod(shape)
    first = int(rng.choice([n for n in range(1, size + 1) if size % n == 0]))
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
