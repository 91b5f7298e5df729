"""Reads a forward function as a list of steps, each with one operation, and finds out the shape of each result.

Shapes are tuples of letters: `("n", "m")` is a matrix. Dimensions with the same letter have the same size.
"""

import ast
import keyword
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Library = Literal["numpy", "torch"]
Shape = tuple[str, ...]
Operand = str | float  # the name of a value, or a number
LONGEST_SOURCE = 4_000
MAX_STEPS = 60
PREFIXES = {"np": "numpy", "numpy": "numpy", "torch": "torch", "F": "torch", "torch.nn.functional": "torch"}
BINARY = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.Pow: "pow", ast.MatMult: "matmul"}
OF_NUMBERS: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "pow": math.pow,
    "sqrt": math.sqrt,
}
UNARY = (
    "exp",
    "log",
    "log1p",
    "expm1",
    "sqrt",
    "tanh",
    "sin",
    "cos",
    "abs",
    "square",
    "sigmoid",
    "relu",
    "softplus",
    "silu",
)
REDUCING = ("sum", "mean", "logsumexp")
ALONG_AN_AXIS = (*REDUCING, "softmax", "log_softmax")
ALIASES = {
    "absolute": "abs",
    "power": "pow",
    "multiply": "mul",
    "subtract": "sub",
    "divide": "div",
    "negative": "neg",
    "dot": "matmul",
    "mm": "matmul",
}
ONLY_TORCH = ("sigmoid", "relu", "softplus", "silu", "softmax", "log_softmax", "logsumexp")
CONSTANTS = {"pi": 3.141592653589793, "e": 2.718281828459045}


class Unsupported(Exception):
    """Raised for a function that cannot be read as steps. The message is a sentence with the line."""


@dataclass(frozen=True)
class Step:
    """`axes` are those of a sum or the like, counted from the front; None for an operation without axes."""

    name: str
    operation: str
    operands: tuple[Operand, ...]
    shape: Shape
    axes: tuple[int, ...] | None = None
    keepdims: bool = False


@dataclass(frozen=True)
class Forward:
    """A forward function. `inputs` are its parameters without a default, with their shapes."""

    name: str
    library: Library
    inputs: Mapping[str, Shape]
    steps: tuple[Step, ...]
    result: str
    source: str

    @property
    def shapes(self) -> dict[str, Shape]:
        return {**self.inputs, **{step.name: step.shape for step in self.steps}}

    @property
    def letters(self) -> tuple[str, ...]:
        """The sizes on which the inputs depend, in the order of their first use."""
        return tuple(dict.fromkeys(letter for shape in self.inputs.values() for letter in shape if letter != "1"))


def read(source: str, shapes: Mapping[str, Shape]) -> Forward:
    """The steps of the only function in `source`. Inputs without a given shape are matrices of the same shape."""
    if len(source) > LONGEST_SOURCE:
        raise Unsupported(f"The function is too long: at most {LONGEST_SOURCE:,} characters.")
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = f" in line {error.lineno}" if isinstance(error, SyntaxError) else ""
        raise Unsupported(f"This is not a Python function: there is a syntax error{line}.") from error
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    others = [node for node in tree.body if not isinstance(node, ast.FunctionDef | ast.Import | ast.ImportFrom)]
    if len(functions) != 1 or others:
        raise Unsupported("Paste one function, from its def to its return, with nothing else but imports.")
    return _Reader(functions[0], source, shapes).forward()


def shape_of(text: str) -> Shape:
    """`n, m` as a shape. Empty for a single number."""
    shape = tuple(word.strip() for word in text.replace("x", ",").replace("×", ",").split(",") if word.strip())
    for letter in shape:
        if not (letter == "1" or (len(letter) == 1 and letter.isascii() and letter.islower())):
            raise Unsupported(f"A shape is written with a letter for each dimension, such as n, m. {letter} is none.")
    if len(shape) > 3:
        raise Unsupported("At most three dimensions are supported.")
    return shape


@dataclass
class _Reader:
    function: ast.FunctionDef
    source: str
    given: Mapping[str, Shape]
    steps: list[Step] = field(default_factory=list)
    names: dict[str, Operand] = field(default_factory=dict)  # what the author's names stand for now
    shapes: dict[str, Shape] = field(default_factory=dict)
    libraries: set[str] = field(default_factory=set)

    def forward(self) -> Forward:
        inputs = self._inputs()
        *body, last = self._body()
        for statement in body:
            self._assign(statement)
        if not isinstance(last, ast.Return) or last.value is None:
            raise Unsupported("The function has to end with return and the result.")
        result = self._value(last.value)
        if not isinstance(result, str) or result in inputs:
            raise Unsupported("The function returns one of its inputs, or a number: there is no derivative to write.")
        if len(self.libraries) > 1:
            raise Unsupported("The function uses NumPy and torch. Use only one of them.")
        library: Library = "torch" if "torch" in self.libraries else "numpy"
        for step in self.steps:
            if step.operation in ONLY_TORCH and library == "numpy":
                raise Unsupported(f"NumPy has no {step.operation}. Write it with exp and log, or use torch.")
        return Forward(self.function.name, library, inputs, tuple(self.steps), result, self._pasted())

    def _inputs(self) -> dict[str, Shape]:
        about = self.function.args
        if about.vararg or about.kwarg or about.kwonlyargs or about.posonlyargs:
            raise Unsupported("The parameters have to be plain names: no *, ** or /.")
        needed = about.args[: len(about.args) - len(about.defaults)]
        for parameter, default in zip(about.args[len(needed) :], about.defaults, strict=True):
            if not isinstance(default, ast.Constant) or type(default.value) not in (int, float):
                raise Unsupported(f"The default of {parameter.arg} has to be a number.")
            self.names[parameter.arg] = default.value  # type: ignore[assignment]
        inputs = {parameter.arg: self.given.get(parameter.arg, ("n", "m")) for parameter in needed}
        if not inputs or len(inputs) > 4:
            raise Unsupported("The function needs one to four inputs without a default.")
        if not all(inputs.values()):
            raise Unsupported("Every input is an array with at least one dimension. Give a number a default.")
        for name, shape in inputs.items():
            if name == "g" or name.startswith("g_") or keyword.iskeyword(name):
                raise Unsupported(f"The name {name} is kept for gradients. Give the parameter another name.")
            self.names[name], self.shapes[name] = name, shape
        return inputs

    def _body(self) -> list[ast.stmt]:
        body = self.function.body
        first = body[0]
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
            body = body[1:]
        if not body:
            raise Unsupported("The function is empty.")
        return body

    def _pasted(self) -> str:
        """The function without annotations, decorators and docstring."""
        function = ast.parse(ast.unparse(self.function)).body[0]
        assert isinstance(function, ast.FunctionDef)
        function.decorator_list, function.returns = [], None
        for parameter in function.args.args:
            parameter.annotation = None
        function.body = self._body()
        return ast.unparse(function)

    # -- statements and expressions ----------------------------------------------------------------------------------------

    def _assign(self, statement: ast.stmt) -> None:
        if (
            not isinstance(statement, ast.Assign)
            or len(statement.targets) != 1
            or not isinstance(statement.targets[0], ast.Name)
        ):
            raise Unsupported(f"{_where(statement)} is no plain assignment. Only those and a final return can be read.")
        name = statement.targets[0].id
        value = self._value(statement.value, name)
        self.names[name] = value

    def _value(self, node: ast.expr, wanted: str = "") -> Operand:
        match node:
            case ast.Constant(value=int() | float() as number) if type(number) is not bool:
                return number
            case ast.Name(id=name):
                if name not in self.names:
                    raise Unsupported(f"{_where(node)} uses {name}, which the function does not define.")
                return self.names[name]
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                value = self._value(operand)
                return -value if not isinstance(value, str) else self._step("neg", [value], wanted, node)
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                return self._value(operand, wanted)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in BINARY:
                return self._step(BINARY[type(op)], [self._value(left), self._value(right)], wanted, node)
            case ast.Attribute(value=value, attr="T"):
                return self._step("transpose", [self._value(value)], wanted, node)
            case ast.Attribute(attr=name) if name in CONSTANTS and self._library(node):
                return CONSTANTS[name]
            case ast.Call():
                return self._call(node, wanted)
        raise Unsupported(f"{_where(node)} cannot be read: {ast.unparse(node)[:60]}.")

    def _library(self, node: ast.Attribute) -> str:
        """The library of `np.exp` and the like, which is noted; empty for a method."""
        found = PREFIXES.get(ast.unparse(node.value), "")
        if found:
            self.libraries.add(found)
        return found

    def _call(self, call: ast.Call, wanted: str) -> Operand:
        if not isinstance(call.func, ast.Attribute):
            raise Unsupported(f"{_where(call)} calls {ast.unparse(call.func)}, which is neither in NumPy nor in torch.")
        arguments = list(call.args)
        if not self._library(call.func):
            arguments.insert(0, call.func.value)
        operation = ALIASES.get(call.func.attr, call.func.attr)
        if operation in ALONG_AN_AXIS:
            return self._along_an_axis(operation, call, arguments, wanted)
        if call.keywords:
            raise Unsupported(f"{_where(call)}: {operation} with {call.keywords[0].arg}= has no rule here.")
        counts = {**dict.fromkeys(UNARY, 1), "neg": 1, **dict.fromkeys((*BINARY.values(), "maximum", "minimum"), 2)}
        if operation not in counts:
            raise Unsupported(f"{_where(call)}: {operation} has no rule here. Write it with other operations.")
        if len(arguments) != counts[operation]:
            raise Unsupported(f"{_where(call)}: {operation} takes {counts[operation]} arguments here.")
        return self._step(operation, [self._value(argument) for argument in arguments], wanted, call)

    def _along_an_axis(self, operation: str, call: ast.Call, arguments: list[ast.expr], wanted: str) -> Operand:
        options = {str(word.arg): word.value for word in call.keywords}
        axis = options.pop("axis", options.pop("dim", None))
        keepdims = options.pop("keepdims", options.pop("keepdim", None))
        if options or len(arguments) > 2 or (len(arguments) == 2 and axis is not None):
            raise Unsupported(f"{_where(call)}: {operation} takes an array, axis and keepdims here.")
        if len(arguments) == 2:
            axis = arguments[1]
        value = self._value(arguments[0])
        if not isinstance(value, str):
            raise Unsupported(f"{_where(call)}: {operation} of a number.")
        rank = len(self.shapes[value])
        axes = _axes(axis, rank, call)
        if operation in ("softmax", "log_softmax", "logsumexp") and len(axes) != 1:
            raise Unsupported(f"{_where(call)}: {operation} needs one axis.")
        kept = isinstance(keepdims, ast.Constant) and keepdims.value is True
        return self._step(operation, [value], wanted, call, axes, keepdims=kept)

    def _step(
        self,
        operation: str,
        operands: Sequence[Operand],
        wanted: str,
        node: ast.expr,
        axes: tuple[int, ...] | None = None,
        *,
        keepdims: bool = False,
    ) -> Operand:
        if not any(isinstance(operand, str) for operand in operands):
            return self._number(operation, operands, node)
        if operation == "pow" and (isinstance(operands[1], str) or not isinstance(operands[0], str)):
            raise Unsupported(f"{_where(node)}: an exponent has to be a number. Write other powers with exp.")
        if operation in ("maximum", "minimum") and not isinstance(operands[0], str):
            operands = operands[::-1]
        if len(self.steps) == MAX_STEPS:
            raise Unsupported(f"The function has more than {MAX_STEPS} operations.")
        shape = self._shape(operation, operands, node, axes, keepdims=keepdims)
        name = self._free(wanted)
        self.steps.append(Step(name, operation, tuple(operands), shape, axes, keepdims))
        self.shapes[name] = shape
        return name

    def _number(self, operation: str, operands: Sequence[Operand], node: ast.expr) -> float:
        """A number that is computed from numbers."""
        try:
            if operation in OF_NUMBERS:
                return float(OF_NUMBERS[operation](*map(float, operands)))
        except (ArithmeticError, TypeError, ValueError) as error:
            raise Unsupported(f"{_where(node)}: {ast.unparse(node)[:60]} is no number.") from error
        raise Unsupported(f"{_where(node)}: write {ast.unparse(node)[:60]} as a number.")

    def _free(self, wanted: str) -> str:
        """A name for a result: the author's, or the next letter."""
        taken = {*self.shapes, *self.names, self.function.name, "g", "np", "torch"}
        if wanted and wanted not in self.shapes and not wanted.startswith("g_") and wanted != "g":
            return wanted
        letters = (f"{letter}{number or ''}" for number in range(MAX_STEPS) for letter in "abcdehkpqrstuvz")
        return next(name for name in letters if name not in taken)

    def _shape(
        self, operation: str, operands: Sequence[Operand], node: ast.expr, axes: tuple[int, ...] | None, *, keepdims: bool
    ) -> Shape:
        shapes = [self.shapes[operand] if isinstance(operand, str) else () for operand in operands]
        if operation == "transpose":
            if len(shapes[0]) != 2:
                raise Unsupported(f"{_where(node)}: .T of an array that is no matrix.")
            return shapes[0][::-1]
        if operation == "matmul":
            return _shape_of_product(shapes[0], shapes[1], node)
        if operation in REDUCING:
            assert axes is not None
            kept = ["1" if n in axes else letter for n, letter in enumerate(shapes[0])]
            return tuple(kept) if keepdims else tuple(kept[n] for n in range(len(kept)) if n not in axes)
        if operation in ("softmax", "log_softmax"):
            return shapes[0]
        return broadcast(shapes, node)


def broadcast(shapes: Sequence[Shape], node: ast.expr) -> Shape:
    """The common shape of operands. A letter never stands for 1, so only what is written as 1 is stretched."""
    rank = max(map(len, shapes))
    padded = [("1",) * (rank - len(shape)) + shape for shape in shapes]
    found = []
    for letters in zip(*padded, strict=True):
        different = {letter for letter in letters if letter != "1"}
        if len(different) > 1:
            said = " and ".join(f"({', '.join(shape)})" for shape in shapes)
            raise Unsupported(f"{_where(node)}: the shapes {said} do not fit together.")
        found.append(different.pop() if different else "1")
    return tuple(found)


def _shape_of_product(left: Shape, right: Shape, node: ast.expr) -> Shape:
    if not left or not right or len(left) > 2 or len(right) > 2 or left[-1] != right[0]:
        said = f"({', '.join(left)}) @ ({', '.join(right)})"
        raise Unsupported(f"{_where(node)}: the shapes {said} do not fit, or are not those of matrices and vectors.")
    return (*left[:-1], *right[1:])


def _axes(axis: ast.expr | None, rank: int, node: ast.expr) -> tuple[int, ...]:
    if axis is None or (isinstance(axis, ast.Constant) and axis.value is None):
        return tuple(range(rank))
    try:
        value = ast.literal_eval(axis)
    except ValueError:
        value = ""
    axes = value if isinstance(value, tuple) else (value,)
    if not all(type(n) is int and -rank <= n < rank for n in axes):
        raise Unsupported(f"{_where(node)}: the axis does not fit an array with {rank} dimensions.")
    return tuple(sorted(n % rank for n in axes))


def _where(node: ast.AST) -> str:
    return f"Line {getattr(node, 'lineno', 1)}"
