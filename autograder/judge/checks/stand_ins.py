"""Stand-ins: objects of the judge for objects in the process of the student's code, which do there what is done with them.

Plain data (numbers, strings, lists, tuples, dictionaries, arrays, tensors) is copied; everything else stays in its process.

A submission can make a stand-in answer anything, as it can with its functions. So nothing that decides happens there. A stand-in
is compared by its number or its array, for which the judge asks: an object whose `__eq__` is always true passes no test. The
number of a sum or a difference is computed in the judge from those of its operands: an object whose `__sub__` returns 0 is not
close to everything. Special attributes are never asked for, because numpy would read memory at an address in
`__array_interface__`. And an argument that the code modifies fails the check, because a test may compare with it later.

`trusting` is for programs that nobody wants to cheat with, such as mutants: then objects compare themselves, arguments may be
modified, and tensors keep their graph.
"""

import builtins
import importlib
import marshal
import operator
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from autograder.judge.arrays import Numbers, to_numpy, to_torch
from autograder.judge.checks.compare import CheckFailed
from autograder.judge.checks.student import BadAnswer, Student, StudentRaised
from autograder.judge.probes import probe
from sandbox.wire import Array

PLAIN = (type(None), bool, int, float, str, bytes)
OPERATORS = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor", "lshift", "rshift"]
UNARY_OPERATORS = ["neg", "pos", "abs", "invert"]
COMPARISONS = ["lt", "le", "gt", "ge", "eq", "ne"]
JUDGED_HERE = {"allclose", "isclose", "equal", *COMPARISONS}  # torch functions that compare
READABLE = {"__name__", "__qualname__", "__doc__"}  # special attributes that a test may read
INVALID = "The process of your code returned an invalid answer."
MODIFIED = "Your code modified an array that it received."


class Remote:
    """Sends operations to the process of the student's code, and turns the answers into values and stand-ins."""

    def __init__(self, student: Student, *, trusting: bool = False, in_place: bool = False) -> None:
        self._student = student
        self.trusting = trusting
        self.in_place = in_place or trusting
        self._known = {0: StandIn(self, 0)}

    def code(self) -> "StandIn":
        """The module that the submission defines."""
        return self._known[0]

    def module(self, name: str, names: Collection[str]) -> ModuleType:
        """A module of the submission, with those of these names that it defines."""
        module = ModuleType(name)
        module.__path__ = []
        found = self.do("module", name, list(names))
        vars(module).update({key: found[key] for key in names if key in found})
        return module

    def do(self, action: str, *operands: Any) -> Any:
        sent = [self._sent(operand) for operand in operands]
        try:
            answer, afterwards = self._student.run_and_see(_do, action, sent, self.trusting)
        except StudentRaised as error:
            raise _alike(error) from None
        if afterwards and not self.in_place:
            raise CheckFailed(MODIFIED)
        if afterwards:
            for operand, after in zip(operands, afterwards[1], strict=True):
                _write_back(operand, after)
        return self._received(answer)

    def plain(self, action: str, *operands: Any) -> Any:
        """The answer to an operation that returns no object."""
        answer = self.do(action, *operands)
        if isinstance(answer, StandIn):
            raise BadAnswer(INVALID)
        return answer

    def _sent(self, value: Any) -> Any:
        """A value for the other side: a list that begins with its kind."""
        if isinstance(value, StandIn):
            return ["held", value._number]
        if isinstance(value, list | tuple):
            return ["list" if isinstance(value, list) else "tuple", [self._sent(item) for item in value]]
        if isinstance(value, dict):
            return ["dict", [[self._sent(key), self._sent(item)] for key, item in value.items()]]
        if isinstance(value, slice):
            return ["slice", [self._sent(part) for part in (value.start, value.stop, value.step)]]
        if isinstance(value, np.generic):
            return ["scalar", value]
        if value is Ellipsis:
            return ["name", "builtins", "Ellipsis"]
        named = _name_of(value)
        if named is not None:
            return ["name", *named]
        if isinstance(value, PLAIN) or hasattr(value, "__array__"):
            return ["plain", value]
        if isinstance(value, FunctionType):
            return ["function", *self._function(value)]
        raise TypeError(f"an object of the test's type {type(value).__name__} cannot be passed to the student's code")

    def _function(self, function: FunctionType) -> tuple[bytes, Any, Any, Any]:
        """A function of the test and the values that it uses. It runs beside the student's code."""
        names = {name for code in _codes(function.__code__) for name in code.co_names}
        used = {name: function.__globals__[name] for name in sorted(names) if name in function.__globals__}
        cells = [cell.cell_contents for cell in function.__closure__ or ()]
        return marshal.dumps(function.__code__), self._sent(used), self._sent(cells), self._sent(function.__defaults__)

    def _received(self, value: Any) -> Any:
        try:
            match value:
                case ["held", int(number)]:
                    return self._known.setdefault(number, StandIn(self, number))
                case ["plain", plain]:
                    return _read(plain)
                case ["list", list(items)]:
                    return [self._received(item) for item in items]
                case ["tuple", list(items)]:
                    return tuple(self._received(item) for item in items)
                case ["dict", list(items)]:
                    return {self._received(key): self._received(item) for key, item in items}
        except (TypeError, ValueError) as error:
            raise BadAnswer(INVALID) from error
        raise BadAnswer(INVALID)


class StandIn:
    """An object in the process of the student's code. What is done with it is done there.

    `computed` holds the number of the result of an operator, computed in the judge; it is None for every other object.
    """

    __slots__ = ("_computed", "_number", "_remote")
    _remote: Remote
    _number: int
    _computed: "Computed | None"

    def __init__(self, remote: Remote, number: int, computed: "Computed | None" = None) -> None:
        object.__setattr__(self, "_remote", remote)
        object.__setattr__(self, "_number", number)
        object.__setattr__(self, "_computed", computed)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name not in READABLE:
            raise AttributeError(name)
        return self._remote.do("getattr", self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        self._remote.do("setattr", self, name, value)

    def __call__(self, *args: Any, **options: Any) -> Any:
        return self._remote.do("call", self, args, options)

    def __getitem__(self, key: Any) -> Any:
        return self._remote.do("getitem", self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        self._remote.do("setitem", self, key, value)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._remote.plain("list", self))

    def __len__(self) -> int:
        return int(self._remote.plain("len", self))

    def __bool__(self) -> bool:
        return bool(self._remote.plain("bool", self) if self._remote.trusting else self._value())

    def __float__(self) -> float:
        return float(self._value())

    def __int__(self) -> int:
        return int(self._value())

    def __index__(self) -> int:
        return int(self._remote.plain("index", self))

    def __hash__(self) -> int:
        return hash((id(self._remote), self._number))

    def __repr__(self) -> str:
        return str(self._remote.plain("repr", self))

    def __str__(self) -> str:
        return str(self._remote.plain("str", self))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Numbers:
        return np.asarray(to_numpy(self._value()), dtype=dtype)

    def __instancecheck__(self, instance: Any) -> bool:
        return isinstance(instance, StandIn) and bool(self._remote.plain("isinstance", instance, self))

    @classmethod
    def __torch_function__(cls, function: Any, _types: Any, args: Any = (), options: Any = None) -> Any:
        """A torch function that a test calls with stand-ins. It runs beside the graph only if the code is trusted."""
        options = options or {}
        remote = next(_remotes([*args, *options.values()]))
        name = function.__name__.strip("_")
        if name in JUDGED_HERE or not remote.trusting:
            return function(*map(_fetched, args), **{key: _fetched(value) for key, value in options.items()})
        owner = "Tensor" if getattr(function, "__objclass__", None) or name in UNARY_OPERATORS + OPERATORS else ""
        return remote.do("torch", f"{owner}.{function.__name__}".lstrip("."), list(args), options)

    def _value(self) -> Any:
        """The number or the array that the object is. Anything else cannot be compared."""
        if self._computed is None or self._remote.trusting:
            return self._remote.plain("value", self)
        if self._computed.value is None:
            raise TypeError("an object is not a number and not an array")
        return self._computed.value


@dataclass(frozen=True)
class Computed:
    """What an operator gives for the numbers of its operands; None if one of them has none."""

    value: Any

    @classmethod
    def by(cls, name: str, operands: Sequence[Any]) -> "Computed":
        try:
            return cls(getattr(operator, f"__{name}__")(*map(_number_or_array, operands)))
        except (TypeError, ValueError, ArithmeticError, StudentRaised):
            return cls(None)


def _operator(name: str, reflected: bool = False) -> Callable[..., Any]:
    def operate(self: StandIn, *others: Any) -> Any:
        operands = (*others, self) if reflected else (self, *others)
        if self._remote.trusting:
            return self._remote.do("operator", name, *operands)
        computed, known = Computed.by(name, operands), {*self._remote._known}
        result = self._remote.do("operator", name, *operands)
        if isinstance(result, StandIn):
            made = StandIn(self._remote, result._number, computed)
            if result._number not in known:
                self._remote._known[result._number] = made
            return made
        if computed.value is None:
            raise TypeError(f"{type(result).__name__} is the result of an operator on an object without a number")
        return computed.value

    return operate


def _comparison(name: str) -> Callable[[StandIn, Any], Any]:
    def compare(self: StandIn, other: Any) -> Any:
        if self._remote.trusting:
            return self._remote.do("operator", name, self, other)
        if name in ("eq", "ne") and isinstance(other, StandIn) and self._number == other._number:
            return name == "eq"
        return getattr(operator, name)(self._value(), _number_or_array(other))

    return compare


def _number_or_array(value: Any) -> Any:
    return value._value() if isinstance(value, StandIn) else value


for _name in OPERATORS:
    setattr(StandIn, f"__{_name}__", _operator(_name))
    setattr(StandIn, f"__r{_name}__", _operator(_name, reflected=True))
for _name in UNARY_OPERATORS:
    setattr(StandIn, f"__{_name}__", _operator(_name))
for _name in COMPARISONS:
    setattr(StandIn, f"__{_name}__", _comparison(_name))


def _remotes(values: list[Any]) -> Iterator[Remote]:
    for value in values:
        if isinstance(value, StandIn):
            yield value._remote
        elif isinstance(value, list | tuple):
            yield from _remotes(list(value))


def _fetched(value: Any) -> Any:
    if isinstance(value, StandIn):
        return value._value()
    return type(value)(map(_fetched, value)) if isinstance(value, list | tuple) else value


def _read(value: Any) -> Any:
    if isinstance(value, Array):
        if value.kind == "torch":
            return to_torch(value)
        numbers = to_numpy(value).copy()
        return numbers if value.shape else numbers[()]
    if isinstance(value, PLAIN):
        return value
    raise TypeError(f"{type(value).__name__} is not plain")


def _write_back(operand: Any, after: Any) -> None:
    """Copies what the student's code has written into the arrays of the test."""
    match after:
        case ["plain", Array() as changed] if hasattr(operand, "shape") and tuple(operand.shape) == tuple(changed.shape):
            if isinstance(operand, np.ndarray):
                operand[...] = to_numpy(changed)
            else:
                operand.detach().copy_(to_torch(changed))
        case ["list" | "tuple", list(items)] if isinstance(operand, list | tuple):
            for item, changed in zip(operand, items, strict=False):
                _write_back(item, changed)
        case ["dict", list(items)] if isinstance(operand, dict):
            for item, (_, changed) in zip(operand.values(), items, strict=False):
                _write_back(item, changed)


def _alike(error: StudentRaised) -> StudentRaised:
    """The student's exception, which `except` and `pytest.raises` also catch as the built-in exception of its name."""
    kind = getattr(builtins, error.raised.type_name, None)
    if not (isinstance(kind, type) and issubclass(kind, Exception)):
        return error
    return type(kind.__name__, (StudentRaised, kind), {})(error.raised)  # type: ignore[no-any-return]


def _codes(code: Any) -> Iterator[Any]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, type(code)):
            yield from _codes(constant)


def _name_of(value: Any) -> tuple[str, str] | None:
    """Module and name of what also exists on the other side: modules, functions and types of libraries."""
    if isinstance(value, ModuleType):
        return (value.__name__, "") if _is_library(value.__name__) else None
    module = getattr(value, "__module__", None) or ("numpy" if isinstance(value, np.ufunc) else None)
    name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
    if not (isinstance(module, str) and isinstance(name, str) and _is_library(module)):
        return None
    try:
        found = operator.attrgetter(name)(importlib.import_module(module))
    except (ImportError, AttributeError):
        return None
    return (module, name) if found is value else None


def _is_library(module: str) -> bool:
    top = module.partition(".")[0]
    return top in sys.stdlib_module_names or top in ("numpy", "torch")


@probe
def _do(module: Any, action: str, sent: list[Any], graphs: bool, objects: list[Any] = []) -> Any:  # noqa: B006
    """One operation. `graphs` keeps tensors that have a graph. `objects` are those that the judge knows by number; the default
    value keeps them between calls.
    """
    import builtins
    import importlib
    import marshal
    import operator
    import sys
    import types

    if not objects:
        objects.append(module)
    numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")

    def named(module_name: str, name: str) -> Any:
        found = importlib.import_module(module_name)
        return operator.attrgetter(name)(found) if name else found

    def value_of(item: Any) -> Any:
        kind, *rest = item
        if kind == "held":
            return objects[rest[0]]
        if kind == "plain":
            return rest[0]
        if kind == "scalar":
            return rest[0][()]
        if kind == "list":
            return [value_of(part) for part in rest[0]]
        if kind == "tuple":
            return tuple(value_of(part) for part in rest[0])
        if kind == "dict":
            return {value_of(key): value_of(part) for key, part in rest[0]}
        if kind == "slice":
            return slice(*(value_of(part) for part in rest[0]))
        if kind == "name":
            return named(*rest)
        code, used, cells, defaults = rest
        scope = {"__builtins__": builtins, **value_of(used)}
        closure = tuple(types.CellType(cell) for cell in value_of(cells))
        return types.FunctionType(marshal.loads(code), scope, None, value_of(defaults), closure)  # noqa: S302 - from the judge

    def is_array(value: Any) -> bool:
        return numpy is not None and (type(value) is numpy.ndarray or isinstance(value, numpy.generic))

    def is_tensor(value: Any) -> bool:
        return torch is not None and type(value) in (torch.Tensor, torch.nn.Parameter)

    def answer_of(value: Any, depth: int = 0) -> Any:
        kind = type(value)
        if value is None or kind in (bool, int, float, str, bytes):
            return ["plain", value]
        if is_array(value) and value.dtype.kind in "biuf":
            return ["plain", value]
        if is_tensor(value) and not (graphs and value.requires_grad):
            return ["plain", value.detach()]
        if depth < 8 and kind in (list, tuple):
            return ["list" if kind is list else "tuple", [answer_of(item, depth + 1) for item in value]]
        if depth < 8 and kind is dict:
            return ["dict", [[answer_of(key, depth + 1), answer_of(item, depth + 1)] for key, item in value.items()]]
        for number, known in enumerate(objects):
            if known is value:
                return ["held", number]
        objects.append(value)
        return ["held", len(objects) - 1]

    def number_or_array(value: Any) -> Any:
        if is_tensor(value):
            return value.detach()
        for convert in (float, getattr(numpy, "asarray", float)):
            try:
                found: Any = convert(value)
            except (TypeError, ValueError):
                continue
            if type(found) is float or (is_array(found) and found.dtype.kind in "biuf"):
                return found
        raise TypeError(f"{type(value).__name__} is not a number and not an array")

    operands = [value_of(item) for item in sent]
    if action == "call":
        function, args, options = operands
        return answer_of(function(*args, **options))
    if action == "torch":
        name, args, options = operands
        return answer_of(named("torch", name)(*args, **options))
    if action == "module":
        name, names = operands
        found = sys.modules.get(name) or importlib.import_module(name)
        return answer_of({key: getattr(found, key) for key in names if hasattr(found, key)})
    if action == "operator":
        name, *rest = operands
        return answer_of(getattr(operator, f"__{name}__")(*rest))
    if action in ("getitem", "setitem", "index"):
        return answer_of(getattr(operator, action)(*operands))
    if action == "value":
        return answer_of(number_or_array(operands[0]))
    return answer_of(getattr(builtins, action)(*operands))
