"""Runs straight-line programs on the student's scalar class, many per question.

A program is a list of instructions, each of which creates one slot: `["in", 3.0]`, `["+", 0, 1]`, `["*", 2, [1.7]]` (a list
holds a number instead of a slot), `["exp", 0]` (a method), `["**", 0, [3]]`. Three instructions create no slot:
`["backward", 4]`, `["read"]` (record every gradient now) and `["set grad", 0, 0.0]`. The data and gradients of every slot
are returned as numbers.
"""

import math
import operator
import types
from collections.abc import Callable
from typing import Any

import msgspec

as_float = math.ldexp  # accepts every real number type, but unlike float() no strings
encode = msgspec.msgpack.Encoder().encode
decode: Callable[[bytes], list[list[list[Any]]]] = msgspec.msgpack.Decoder(list[list[list[Any]]]).decode

UNSTEADY = "another number each time"  # reported in place of a type name if two readings of an attribute disagree

BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "**": operator.pow,
}


class Outcome(msgspec.Struct, array_like=True):
    """The result of one program. Slots whose value is not a number contain None, and `strange` names what they held instead."""

    data: list[float | None]
    grad: list[float | None]
    readings: list[list[float | None]]
    strange: dict[str, str]


def run(module: types.ModuleType, _: list[Any], options: dict[str, Any]) -> bytes:
    """Run every program. Programs and outcomes are packed with msgpack: hundreds of short lists of plain values."""
    make = getattr(module, options["class"])
    return encode([_program(make, program) for program in decode(options["programs"])])


def _program(make: Callable[[Any], Any], program: list[list[Any]]) -> Outcome:
    slots: list[Any] = []
    readings: list[list[float | None]] = []
    strange: dict[str, str] = {}
    for instruction in program:
        name, operands = instruction[0], instruction[1:]
        if name == "backward":
            slots[operands[0]].backward()
        elif name == "set grad":
            slots[operands[0]].grad = operands[1]
        elif name == "read":
            readings.append(steady(slots, "grad", strange))
        else:
            slots.append(value_of(make, name, operands, slots))
    return Outcome(steady(slots, "data", strange), steady(slots, "grad", strange), readings, strange)


def value_of(make: Callable[[Any], Any], name: str, operands: list[Any], slots: list[Any]) -> Any:
    """Execute an instruction that creates a slot and return the new value."""
    if name == "in":
        return make(operands[0])
    if name in BINARY:
        left, right = (item[0] if type(item) is list else slots[item] for item in operands)
        return BINARY[name](left, right)
    if name == "neg":
        return -slots[operands[0]]
    return getattr(slots[operands[0]], name)()


def steady(slots: list[Any], name: str, strange: dict[str, str]) -> list[float | None]:
    """Return `.data` or `.grad` of every slot after reading it twice. A value that changes between readings is not a number."""
    first, second = numbers(slots, name, strange), numbers(slots, name, strange)
    if first != second:
        for position, (one, other) in enumerate(zip(first, second, strict=True)):
            if one != other and not (one != one and other != other):  # nan equals nan here
                first[position], strange[f"{position}.{name}"] = None, UNSTEADY
    return first


def numbers(slots: list[Any], name: str, strange: dict[str, str]) -> list[float | None]:
    """Return `.data` or `.grad` of every slot as a float."""
    try:
        return [as_float(getattr(slot, name), 0) for slot in slots]
    # convert them one by one, to find out which is not a number
    except (TypeError, ValueError, OverflowError, AttributeError):
        return [_number(slot, name, position, strange) for position, slot in enumerate(slots)]


def _number(slot: Any, name: str, position: int, strange: dict[str, str]) -> float | None:
    """Return `.data` or `.grad` as a float. Anything that is not a number is recorded by its type."""
    value: Any = getattr(slot, name, None)
    try:
        return as_float(value, 0)
    except (TypeError, ValueError, OverflowError):
        strange[f"{position}.{name}"] = type(value).__name__[:64]
        return None
