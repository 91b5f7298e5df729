"""Checks that are plain asserts, in which the student's functions, classes and objects are used as in any Python program.

    @check("relu of negative numbers", points=1)
    def negative_numbers(student, rng):
        with asserted(student) as code:
            assert code.relu(-2.0) == 0.0

The asserts run in the judge, so hidden ones stay secret. `stand_ins` says how they use what is in another process.
"""

import ast
import linecache
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from autograder.judge.checks import stand_ins
from autograder.judge.checks.compare import CheckFailed
from autograder.judge.checks.stand_ins import Remote, StandIn
from autograder.judge.checks.student import BadAnswer, Student, StudentRaised
from sandbox.errors import SandboxError

LONGEST_TEXT = 300
OURS = {__file__, stand_ins.__file__, contextmanager.__code__.co_filename}


@contextmanager
def asserted(student: Student, *, in_place: bool = False) -> Iterator[StandIn]:
    """The student's code as an object with its names as attributes. An assert that does not hold fails the check, and so does a
    call that modifies an array of the test, unless `in_place` allows it.

    Every other exception that the asserts raise fails it too, such as a TypeError because a function returned None: a test
    that stops is a test that does not pass.
    """
    try:
        yield Remote(student, in_place=in_place).code()
    except (SandboxError, StudentRaised, CheckFailed, BadAnswer):
        raise
    except Exception as error:
        raise CheckFailed(message_of(error)) from error


def message_of(error: Exception, file: str = "") -> str:
    """What a test that stopped says to a student: the assert, its message, and the values that it compares. Without `file`, the
    test is in the first file of the traceback that is not ours.
    """
    text = " ".join(str(error).split())[: 2 * LONGEST_TEXT]
    frames = list(zip(traceback.walk_tb(error.__traceback__), traceback.extract_tb(error.__traceback__), strict=True))
    frames = [(place, line) for place, line in frames if line.filename not in OURS]
    file = file or (frames[0][1].filename if frames else "")
    frames = [(place, line) for place, line in frames if line.filename == file]
    if not frames:
        return text or type(error).__name__
    (frame, _), line = frames[-1]
    numbers = range(line.lineno or 0, (line.end_lineno or line.lineno or 0) + 1)
    source = " ".join("".join(linecache.getline(line.filename, number) for number in numbers).split())
    if not isinstance(error, AssertionError):
        return f"The test {_quoted(source)} stopped with {type(error).__name__}: {text}"
    said = f" {text}" if text else ""
    if not source.startswith("assert"):
        return f"The test {_quoted(source)} does not pass.{said}"
    return f"{_quoted(source)} does not hold.{said}{_values(source, frame.f_globals, frame.f_locals)}"


def _quoted(source: str) -> str:
    return f"`{source[:LONGEST_TEXT]}{'…' if len(source) > LONGEST_TEXT else ''}`"


def _values(source: str, scope: dict[str, Any], names: dict[str, Any]) -> str:
    """The values of the first two operands of the assert, computed again."""
    try:
        operands = _operands(ast.parse(source).body[0].test)  # type: ignore[attr-defined]
        shown = [(ast.unparse(operand), _shown(operand, scope, names)) for operand in operands]
    except Exception:
        return ""  # the values only help; the failure is already certain
    return "".join(f"\n{text} is {value}." for text, value in shown if text != value)


def _operands(condition: ast.expr) -> list[ast.expr]:
    """What a condition compares: `a` and `b` in `a == b`, `f(a, b)`, `abs(a - b) < c`, and their negations."""
    match condition:
        case ast.UnaryOp(operand=operand):
            return _operands(operand)
        case ast.Compare(left=ast.Call(func=ast.Name("abs"), args=[ast.BinOp(left=left, right=right)])):
            return [left, right]
        case ast.Compare(left=left, comparators=[right, *_]):
            return [left, right]
        case ast.Call(args=arguments):
            return [argument for argument in arguments[:2] if not isinstance(argument, ast.Starred)]
    return []


def _shown(operand: ast.expr, scope: dict[str, Any], names: dict[str, Any]) -> str:
    value = eval(compile(ast.Expression(operand), "<assert>", "eval"), scope, names)  # noqa: S307 - the author's own assert
    return " ".join(repr(value).split())[:LONGEST_TEXT]
