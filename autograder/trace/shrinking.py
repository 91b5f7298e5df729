"""Finds the smallest tensor program on which a submission goes wrong in the same way.

Candidates are simpler versions of a failing program: another root, an intermediate result replaced by a leaf, smaller axes,
small whole numbers. All candidates of a round are asked in one question. The smallest one that fails begins the next round.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks.student import Student
from autograder.judge.checks.tensors import ComparedTensors, Shape, Slot, TensorProgram, ask_programs
from autograder.judge.simplify import shortened, whole_numbers

ROUNDS, CANDIDATES = 12, 60


@dataclass(frozen=True)
class Step:
    """One slot of a recipe: an input with its values, or an operation on earlier slots and plain numbers."""

    operation: str
    operands: tuple[Any, ...] = ()  # ("slot", number) or ("plain", value)
    options: tuple[tuple[str, Any], ...] = ()
    values: Numbers | None = None
    requires_grad: bool = True
    name: str = ""

    def sources(self) -> list[int]:
        return [value for kind, value in self.operands if kind == "slot"]


@dataclass(frozen=True)
class Recipe:
    """A program with one backward pass at its end, in a form that can be changed."""

    steps: tuple[Step, ...]
    root: int
    gradient: Numbers | None

    def size(self) -> tuple[int, int, int, float]:
        """What is compared to find the smallest: operations, inputs, entries, and how far the numbers are from small ones."""
        inputs = [step.values for step in self.steps if step.values is not None]
        arrays = [*inputs, *([] if self.gradient is None else [self.gradient])]
        unround = sum(float((array != np.round(array)).sum()) + 0.01 * float(np.abs(array).sum()) for array in arrays)
        return len(self.steps) - len(inputs), len(inputs), sum(array.size for array in arrays), unround

    def build(self) -> TensorProgram | None:
        """The program, or None if torch refuses it or its numbers are not finite."""
        program, slots = TensorProgram(), list[Slot]()
        try:
            for step in self.steps:
                if step.values is not None:
                    slots.append(program.input(step.values, step.name, step.requires_grad))
                    continue
                operands = [slots[value] if kind == "slot" else value for kind, value in step.operands]
                made = program.apply(step.operation, *operands, **dict(step.options))
                slots.append(program.name(step.name, made) if step.name else made)
            program.backward(slots[self.root], self.gradient)
        except (RuntimeError, IndexError, ValueError):
            return None
        arrays = [*program.data(), *(program.gradient(n) for n in range(len(slots)) if program.is_leaf(n))]
        return program if all(array is None or np.isfinite(array).all() for array in arrays) else None


def recipe_of(program: TensorProgram) -> Recipe | None:
    """The recipe of a program; None if it does more than compute a value and run one backward pass from it."""
    names = [name for name, *_ in program.instructions]
    special = {"clear", "no_grad", "grad enabled", "grads"}
    if special & set(names) or names.count("backward") != 1 or names[-1] != "backward":
        return None
    data, steps = program.data(), []
    for number, (operation, operands, options) in enumerate(program.steps):
        name = program.label(number)
        if operation == "in":
            steps.append(Step("in", values=data[number], requires_grad=program.is_leaf(number), name=name))
        else:
            sent = tuple(("slot", item.number) if isinstance(item, Slot) else ("plain", item) for item in operands)
            steps.append(Step(operation, sent, tuple(options.items()), name=name))
    root, *gradient = program.instructions[-1][1]
    return needed(Recipe(tuple(steps), root, gradient[0] if gradient else None))


def needed(recipe: Recipe) -> Recipe:
    """The recipe without steps on which its root does not depend."""
    wanted = {recipe.root}
    for number in range(recipe.root, -1, -1):
        if number in wanted:
            wanted.update(recipe.steps[number].sources())
    places = {old: new for new, old in enumerate(sorted(wanted))}
    steps = tuple(
        replace(
            recipe.steps[old],
            operands=tuple((kind, places[value] if kind == "slot" else value) for kind, value in recipe.steps[old].operands),
        )
        for old in places
    )
    return Recipe(steps, places[recipe.root], recipe.gradient)


def rooted(recipe: Recipe, root: int, shape: Shape) -> Recipe:
    """The same computation with the backward pass from another slot and a simple upstream gradient."""
    return needed(Recipe(recipe.steps, root, whole_numbers(shape, 1) if shape else None))


def cut(recipe: Recipe, number: int, value: Numbers) -> Recipe:
    """The recipe with an intermediate result replaced by a leaf of the same value."""
    steps = list(recipe.steps)
    steps[number] = Step("in", values=value, name=steps[number].name)
    return needed(Recipe(tuple(steps), recipe.root, recipe.gradient))


def alone(recipe: Recipe, program: TensorProgram, number: int, upstream: Numbers) -> Recipe:
    """One operation of a program, on leaves with the values of its operands."""
    data, step = program.data(), recipe.steps[number]
    sources = list(dict.fromkeys(step.sources()))
    leaves = [
        Step("in", values=data[n], requires_grad=bool(program.tensors[n].requires_grad), name=recipe.steps[n].name)
        for n in sources
    ]
    operands = tuple((kind, sources.index(value) if kind == "slot" else value) for kind, value in step.operands)
    return Recipe((*leaves, replace(step, operands=operands)), len(leaves), upstream)


def smaller(recipe: Recipe) -> Iterator[Recipe]:
    """Simpler versions of a recipe."""
    program = recipe.build()
    if program is None:
        return
    data = program.data()
    for number, step in enumerate(recipe.steps):
        if step.values is None:
            if number != recipe.root and program.tensors[number].requires_grad:
                yield rooted(recipe, number, data[number].shape)
                yield cut(recipe, number, data[number])
            if program.tensors[number].requires_grad:
                gradient = program.gradient(number)
                yield alone(recipe, program, number, np.ones(data[number].shape) if gradient is None else gradient)
    yield from _with_smaller_axes(recipe)
    yield from _with_whole_numbers(recipe)


def _with_smaller_axes(recipe: Recipe) -> Iterator[Recipe]:
    """Every axis size replaced with 2 or 1 wherever it occurs, also in the shapes among the options."""
    arrays = [step.values for step in recipe.steps if step.values is not None]
    sizes = {size for array in arrays for size in array.shape}
    for size in sorted(sizes, reverse=True):
        for to in (1, 2):
            if to < size:
                yield _resized(recipe, size, to)
    for number, step in enumerate(recipe.steps):  # fewer dimensions
        if step.values is not None and step.values.ndim and step.values.shape[0] == 1:
            steps = list(recipe.steps)
            steps[number] = replace(step, values=step.values[0])
            yield Recipe(tuple(steps), recipe.root, recipe.gradient)


def _resized(recipe: Recipe, size: int, to: int) -> Recipe:
    def smaller_option(key: str, value: Any) -> Any:
        return tuple(to if n == size else n for n in value) if key == "shape" else value

    steps = tuple(
        replace(
            step,
            values=None if step.values is None else shortened(step.values, size, to),
            options=tuple((key, smaller_option(key, value)) for key, value in step.options),
        )
        for step in recipe.steps
    )
    return Recipe(steps, recipe.root, None if recipe.gradient is None else shortened(recipe.gradient, size, to))


def _with_whole_numbers(recipe: Recipe) -> Iterator[Recipe]:
    """All inputs, or one of them, or the upstream gradient, as small whole numbers."""
    places = [number for number, step in enumerate(recipe.steps) if step.values is not None]

    def with_whole(chosen: Sequence[int], gradient: Numbers | None) -> Recipe:
        steps, first = list(recipe.steps), 1
        for number in chosen:
            values = steps[number].values
            assert values is not None
            steps[number] = replace(steps[number], values=whole_numbers(values.shape, first))
            first += min(values.size, 4)
        return Recipe(tuple(steps), recipe.root, gradient)

    upstream = None if recipe.gradient is None else whole_numbers(recipe.gradient.shape, 1)
    yield with_whole(places, upstream)
    for place in places:
        yield with_whole([place], recipe.gradient)
    if upstream is not None:
        yield with_whole([], upstream)
        if upstream.size == 1:
            yield Recipe(recipe.steps, recipe.root, np.ones(upstream.shape))


def shrink(student: Student, compared: ComparedTensors) -> tuple[ComparedTensors, Recipe] | None:
    """The smallest program found on which the submission gives a wrong answer or raises, as it does on this one."""
    recipe = recipe_of(compared.program)
    if recipe is None:
        return None
    (outcome,) = ask_programs(student, [compared], apart=True)
    kind = _kind(compared, outcome)
    if not kind:
        return None
    best: tuple[ComparedTensors, Recipe] = (compared, recipe)
    for _ in range(ROUNDS):
        found = _round(student, best, kind)
        if found is None:
            return best
        best = found
    return best


def _round(student: Student, best: tuple[ComparedTensors, Recipe], kind: str) -> tuple[ComparedTensors, Recipe] | None:
    compared, recipe = best
    limit = recipe.size()
    sizes = sorted(
        ((other.size(), n, other) for n, other in enumerate(smaller(recipe)) if other.size() < limit),
        key=lambda item: item[:2],
    )
    candidates = []
    for _, _, other in sizes[:CANDIDATES]:
        program = other.build()
        if program is not None:
            candidates.append((replace(compared, program=program), other))
    if not candidates:
        return None
    outcomes = ask_programs(student, [item for item, _ in candidates], apart=True)
    for candidate, outcome in zip(candidates, outcomes, strict=True):
        if _kind(candidate[0], outcome) == kind:
            return candidate
    return None


def _kind(compared: ComparedTensors, outcome: Any) -> str:
    """How a submission fails on a program: the name of an exception, or "wrong"; empty if it does not."""
    if isinstance(outcome, str):
        return f"raised {outcome}"
    return "wrong" if compared.differs(outcome) else ""
