"""An engine in the style of every tutorial, changed in one place at a time, and the program of the player's mock."""

from collections.abc import Callable
from textwrap import dedent

from autograder.judge.checks.compare import SCALAR
from autograder.judge.checks.engine import Compared, Program
from autograder.judge.checks.student import Student
from autograder.trace.model import Trace
from autograder.trace.program_trace import trace_program

Enter = Callable[..., Student]

ENGINE = dedent("""\
    class Value:
        def __init__(self, data, operands=()):
            self.data, self.grad = data, 0
            self.operands, self.push = operands, lambda: None

        def __add__(self, other):
            out = Value(self.data + other.data, (self, other))

            def push():
                self.grad += out.grad
                other.grad += out.grad

            out.push = push
            return out

        def __mul__(self, other):
            out = Value(self.data * other.data, (self, other))

            def push():
                self.grad += other.data * out.grad
                other.grad += self.data * out.grad

            out.push = push
            return out

        def backward(self):
            order, seen = [], set()

            def visit(v):
                if v not in seen:
                    seen.add(v)
                    for w in v.operands:
                        visit(w)
                    order.append(v)

            visit(self)
            self.grad = 1
            for v in reversed(order):
                v.push()
    """)


def changed(*edits: tuple[str, str]) -> str:
    source = ENGINE
    for old, new in edits:
        assert old in source, old
        source = source.replace(old, new)
    return source


def shared() -> Program:
    """f = (x * x) * w at x = 3, w = -2."""
    program = Program()
    x, w = program.input(3, "x"), program.input(-2, "w")
    program.backward(program.name("f", (x * x) * w))
    return program


def chain() -> Program:
    """p = a * b; f = p * c at 2, 3 and 5: nothing is shared, and no two numbers are alike."""
    program = Program()
    a, b, c = program.input(2, "a"), program.input(3, "b"), program.input(5, "c")
    program.backward(program.name("f", program.name("p", a * b) * c))
    return program


def crossing() -> Program:
    """p = a * b; f = p * (p + b) at 2 and 3: p is consumed by two values, one of which is made of the other."""
    program = Program()
    a, b = program.input(2, "a"), program.input(3, "b")
    p = program.name("p", a * b)
    program.backward(program.name("f", p * program.name("q", p + b)))
    return program


def traced(enter: Enter, source: str, program: Program, look_at: str = "all") -> Trace:
    trace = trace_program(enter(source, "python"), "shared-value", Compared(program, "Value", look_at, SCALAR))
    assert trace is not None
    return trace
