"""Makes asserts of the test cells of Otter, whose outputs are what is expected."""

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass

from autograder.library.notebooks import magics
from autograder.library.notebooks.document import Cell, output_text, outputs_of
from autograder.library.notebooks.otter_settings import Settings, first_of, number_of, settings_of

_BEGIN_TEST = re.compile(r"\s*(?:\"{3}|'{3})\s*#\s*BEGIN TEST CONFIG\s*$", re.IGNORECASE)
_END_TEST = re.compile(r"\s*(?:\"{3}|'{3})\s*;?\s*#\s*END TEST CONFIG\s*$", re.IGNORECASE)
_HIDDEN = re.compile(r"\s*#\s*HIDDEN\s*$", re.IGNORECASE)
_IGNORED = re.compile(r"#\s*IGNORE\s*$", re.IGNORECASE)
_SCALAR = re.compile(r"np\.(?:bool|float|int)\w*\((.*)\)$")  # how numpy 2 shows a number


class CannotCarry(Exception):
    """Raised for a test that cannot become a check. The message says what it is."""


@dataclass(frozen=True)
class TestCell:
    """The code of a test, and what its first lines say about it."""

    code: str
    hidden: bool
    points: float | None


def test_cell_of(text: str) -> TestCell:
    """The code of a test cell, and what its first lines say about it."""
    lines = text.split("\n")
    hidden, settings = False, Settings()
    begin = next((n for n, line in enumerate(lines) if _BEGIN_TEST.match(line)), None)
    end = next((n for n, line in enumerate(lines) if _END_TEST.match(line)), None)
    if begin is not None and end is not None and begin < end:
        settings = settings_of("\n".join(lines[begin + 1 : end]))
        del lines[begin : end + 1]
    first = next((n for n, line in enumerate(lines) if line.strip()), 0)
    if lines and _HIDDEN.match(lines[first]):
        hidden = True
        del lines[first]
    code = "\n".join(line for line in lines if not _IGNORED.search(line)).strip("\n")
    return TestCell(code, hidden or first_of(settings, "hidden").lower() == "true", number_of(first_of(settings, "points")))


def comparison_of(code: str, cell: Cell) -> str:
    """A test whose last line must have the output that the notebook stores, as asserts."""
    outputs = [output for output in outputs_of(cell) if output.output_type != "error"]
    if any(output.output_type == "stream" for output in outputs):
        raise CannotCarry("a test that compares printed output")
    expected = "\n".join(output_text(output) for output in outputs)
    body = magics.parsed(code).body
    if not body:
        raise CannotCarry("a test without code")
    last = body[-1]
    if not isinstance(last, ast.Expr):
        if expected or not _asserts(body):
            raise CannotCarry("a test that ends neither with an expression and its output, nor with an assert")
        return code
    if not expected:
        if _asserts(body[:-1]) or isinstance(last.value, ast.Call):
            return code  # such as np.testing.assert_allclose(...)
        raise CannotCarry("a test without output: run the notebook, save it, and import it again")
    return "\n".join([*(ast.unparse(node) for node in body[:-1]), _comparison(last.value, expected)])


def _comparison(last: ast.expr, expected: str) -> str:
    """An assert that the value of an expression is shown like this."""
    if expected in ("True", "False"):
        return ast.unparse(ast.Assert(last if expected == "True" else ast.UnaryOp(ast.Not(), last), None))
    scalar = _SCALAR.match(expected)
    try:
        value = ast.literal_eval(scalar[1] if scalar else expected)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        last, value = ast.Call(ast.Name("repr"), [last], []), expected
    return ast.unparse(ast.Assert(ast.Compare(last, [ast.Eq()], [ast.Constant(value)]), None))


def call_of(code: str) -> str:
    """A test that is a function of names in the student's code, with the call that makes it run."""
    functions = [node for node in magics.parsed(code).body if isinstance(node, ast.FunctionDef)]
    if not functions:
        raise CannotCarry("a test without a test function")
    function = functions[-1]
    arguments = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
    if "env" in arguments or function.args.vararg or function.args.kwonlyargs:
        raise CannotCarry("a test function with other arguments than names in the student's code")
    return f"{code}\n\n{function.name}({', '.join(arguments)})"


def is_ignored(code: str) -> bool:
    """Whether a cell is only for Otter itself."""
    return bool(_IGNORED.search(code.split("\n")[0]))


def _asserts(body: Sequence[ast.stmt]) -> bool:
    return any(isinstance(inner, ast.Assert) for node in body for inner in ast.walk(node))
