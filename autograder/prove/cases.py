"""Writes a question of the variety, with the solution's answer, as a statement for a check."""

import math
from typing import Any

from autograder.explain.recorder import Exchange
from autograder.judge.arrays import Numbers, to_numpy, to_wire
from sandbox.wire import Array

MAX_ENTRIES = 40  # of all arrays in a statement: more is not a case that anybody would read
DTYPES = ("float64", "int64", "bool")  # of lists of Python numbers
INDENT = "    "


class Unwritable(Exception):
    """Raised for a question that cannot be asked in one statement."""


def statement_of(exchange: Exchange) -> str:
    """The statement; empty if the question is too large, was not answered, or needs a probe or a callback."""
    if exchange.raised is not None or exchange.what not in ("call", "op") or size_of(exchange) > MAX_ENTRIES:
        return ""
    method = "call" if exchange.what == "call" else "operate"
    try:
        arguments = [repr(exchange.name), *map(_written, exchange.args)]
        arguments += [f"{name}={_written(value)}" for name, value in exchange.options.items()]
        answer = _written(exchange.value)
    except Unwritable:
        return ""
    lines = (f"student.{method}({', '.join(arguments)}),", f"{answer},", f"{_name(exchange)!r},")
    return "\n".join(("expect_answer(", *(INDENT + line for line in lines), ")"))


def size_of(exchange: Exchange) -> int:
    """How many numbers and other values a question contains."""
    return _entries([exchange.args, exchange.options])


def _entries(value: Any) -> int:
    if isinstance(value, list | tuple):
        return sum(map(_entries, value))
    if isinstance(value, dict):
        return sum(map(_entries, value.values()))
    return math.prod(value.shape) if hasattr(value, "shape") else 1


def _name(exchange: Exchange) -> str:
    return str(exchange.options.get("name", exchange.name))


def _written(value: Any) -> str:
    if hasattr(value, "dtype"):
        return _written_array(value if isinstance(value, Array) else to_wire(value))
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {_written(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return f"[{', '.join(map(_written, value))}]"
    if isinstance(value, tuple):
        return f"({', '.join(map(_written, value))}{',' if len(value) == 1 else ''})"
    if value is None or type(value) in (bool, int, str):
        return repr(value)
    if type(value) is float:
        return _number(value)
    raise Unwritable


def _written_array(value: Array) -> str:
    numbers = to_numpy(value)
    if numbers.size > MAX_ENTRIES or value.dtype not in (*DTYPES, "float32"):
        raise Unwritable
    values = f"np.zeros({numbers.shape})" if not numbers.size else _nested(numbers)
    if value.dtype not in DTYPES or not (numbers.size or value.dtype == "float64"):
        values = f'np.array({values}, dtype="{value.dtype}")'
    options = ", requires_grad=True" if value.graph else ""
    if value.layout not in ("", "contiguous"):
        options += f", layout={value.layout!r}"
    return f"{'tensor' if value.kind == 'torch' else 'array'}({values}{options})"


def _nested(numbers: Numbers) -> str:
    if numbers.ndim:
        return f"[{', '.join(map(_nested, numbers))}]"
    value = numbers.item()
    return _number(value) if type(value) is float else repr(value)


def _number(value: float) -> str:
    if math.isfinite(value):
        return repr(value)
    return "np.nan" if math.isnan(value) else "np.inf" if value > 0 else "-np.inf"
