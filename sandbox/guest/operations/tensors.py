"""Runs straight-line programs on the student's tensor class, many per question.

A program is a list of instructions `[name, operands, options]`. Most create one slot; an operand is the number of a slot, or
a list that holds a plain number. `["in", [array], {}]` creates a tensor, `["+", [0, 1], {}]` applies an operator,
`["sum", [2], {"axis": 0}]` calls a method, and `["Mul.apply", [0, 1], {"at": "module"}]` calls a function of the file.
`STATEMENTS` lists the instructions that create no slot. The data of every slot and the gradient of every leaf that requires
grad are returned as arrays. Engines may store anything as the gradient of a result, so it is not read.
"""

import contextlib
import operator
import types
from collections.abc import Callable, Container
from typing import Any

import numpy as np

OPERATORS: dict[str, Callable[..., Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "**": operator.pow,
    "@": operator.matmul,
    "neg": operator.neg,
    "getitem": operator.getitem,
}
STATEMENTS = ("backward", "clear", "no_grad", "grad enabled")
UNSTEADY = "another array each time"  # reported in place of an array if two readings of an attribute disagree


def run(module: types.ModuleType, args: list[Any], options: dict[str, Any]) -> list[Any]:
    """Run every program. Returns for each a list of the data and a list of the gradients of its slots.

    With the option `apart`, a program that raises is answered with the name of the exception, and the others run.
    """
    make = getattr(module, options["class"])
    run_one = _apart if options.get("apart") else _program
    return [run_one(module, make, program) for program in args[0]]


def _apart(module: types.ModuleType, make: Callable[..., Any], program: list[Any]) -> list[Any] | str:
    try:
        return _program(module, make, program)
    except Exception as error:
        return type(error).__name__[:64]


def _program(module: types.ModuleType, make: Callable[..., Any], program: list[Any]) -> list[Any]:
    slots: list[Any] = []
    leaves: set[int] = set()
    with contextlib.ExitStack() as blocks:
        for name, operands, options in program:
            if name == "no_grad":
                blocks.enter_context(module.no_grad())
            elif name == "grad enabled":
                blocks.close()
            elif name == "backward":
                slots[operands[0]].backward(*operands[1:])
            elif name == "clear":
                slots[operands[0]].grad = None
            elif name == "grads":
                slots += _grads(module, operands, options, slots)
            else:
                if name == "in" and options.get("requires_grad"):
                    leaves.add(len(slots))
                slots.append(_value(module, make, name, operands, options, slots))
    return [_read(slots, "data", range(len(slots))), _read(slots, "grad", leaves)]


def _value(
    module: types.ModuleType,
    make: Callable[..., Any],
    name: str,
    operands: list[Any],
    options: dict[str, Any],
    slots: list[Any],
) -> Any:
    if name == "in":
        return make(operands[0].copy(), **options)
    values = [item[0] if type(item) is list else slots[item] for item in operands]
    if name in OPERATORS:
        return OPERATORS[name](*values, *([_index(options["index"])] if name == "getitem" else []))
    given = {key: tuple(value) if type(value) is list else value for key, value in options.items()}
    if given.pop("at", "") != "module":
        return getattr(values[0], name)(*values[1:], **given)
    target: Any = module
    for part in name.split("."):
        target = getattr(target, part)
    return target(*values, **given)


def _grads(module: types.ModuleType, operands: list[Any], options: dict[str, Any], slots: list[Any]) -> list[Any]:
    """Call `grad(output, inputs, gradient, create_graph=...)`, with or without a gradient. Each of its results becomes a slot."""
    output, inputs, *gradient = operands
    found = module.grad(slots[output], [slots[item] for item in inputs], *(slots[item] for item in gradient), **options)
    if not isinstance(found, list | tuple) or len(found) != len(inputs):
        raise TypeError(f"grad should return {len(inputs)} tensors")
    return list(found)


def _index(parts: list[Any]) -> Any:
    """An index as it was written. In a program, a list of three stands for a slice and a string for `...`."""
    index = tuple(slice(*part) if type(part) is list else ... if type(part) is str else part for part in parts)
    return index[0] if len(index) == 1 else index


def _read(slots: list[Any], name: str, numbers: Container[int]) -> list[Any]:
    return [_steady(slot, name) if number in numbers else None for number, slot in enumerate(slots)]


def _steady(slot: Any, name: str) -> Any:
    """Return `.data` or `.grad` after reading it twice: a copy of an array, None, or the name of a type that is neither."""
    first, second = (_copy(getattr(slot, name, None)) for _ in range(2))
    if isinstance(first, np.ndarray) and not (
        isinstance(second, np.ndarray) and np.array_equal(first, second, equal_nan=True)
    ):
        return UNSTEADY
    return first


def _copy(value: Any) -> Any:
    if value is None:
        return None
    if not isinstance(value, np.ndarray | np.generic):
        return type(value).__name__[:64]
    if value.dtype != np.float64:
        return f"array of dtype {value.dtype}"[:64]
    return np.array(value)
