"""Programs for scalar engines: what the judge believes about them agrees with torch, and what it prints is Python."""

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from autograder.judge.checks.engine import Program, Slot

EXPONENTS = (2, 3, 0, 1, -1, -2, 0.5)
METHODS = ("exp", "log", "tanh", "relu", "square")
NAMES = "abc"
LARGE = 1e3

finite = st.floats(-3, 3).filter(lambda x: x == 0 or abs(x) > 1e-3)


class Shadow:
    """A random program and, beside it, the same computation on tensors."""

    def __init__(self) -> None:
        self.program, self.slots, self.tensors = Program(), list[Slot](), list[torch.Tensor]()

    def add(self, slot: Slot, tensor: torch.Tensor) -> None:
        tensor.retain_grad()
        self.slots.append(slot)
        self.tensors.append(tensor)

    def backward(self, n: int) -> None:
        self.program.backward(self.slots[n])
        if self.tensors[n].requires_grad:
            self.tensors[n].backward(retain_graph=True)  # type: ignore[no-untyped-call]

    def set_grad(self, n: int, value: float) -> None:
        self.program.set_grad(self.slots[n], value)
        self.tensors[n].grad = torch.tensor(value, dtype=torch.float64)

    def grads(self) -> list[float]:
        return [0.0 if t.grad is None else t.grad.item() for t in self.tensors]


def apply(operation: str, a: Any, b: Any) -> Any:
    """One operation on slots or tensors, as a student would write it."""
    match operation:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "/":
            return a / b
        case "**":
            return a**b
        case "neg":
            return -a
    return a.call(operation) if isinstance(a, Slot) else getattr(torch, operation)(a)


def allowed(operation: str, a: float, b: float) -> bool:
    """Within the domain, and away from where float64 or torch would give nothing to compare."""
    if operation == "log":
        return a > 0.01
    if operation == "/":
        return abs(b) > 0.01
    if operation == "**":
        return (abs(b) in (1, 2, 3) and (b > 0 or abs(a) > 0.01)) or b == 0 or a > 0.01
    return operation != "exp" or a < 6


@st.composite
def shadows(draw: st.DrawFn, steps: int = 9) -> Shadow:
    shadow = Shadow()
    for name in NAMES[: draw(st.integers(1, 3))]:
        value = draw(finite)
        shadow.add(shadow.program.input(value, name), torch.tensor(value, dtype=torch.float64, requires_grad=True))
    for _ in range(draw(st.integers(1, steps))):
        operation = draw(st.sampled_from(("+", "-", "*", "/", "**", "neg", *METHODS)))
        n = draw(st.integers(0, len(shadow.slots) - 1))
        kind = draw(st.sampled_from(("slot", "number", "left number")))
        slot: list[Any] = [shadow.slots[n], None]
        real: list[Any] = [shadow.tensors[n], None]
        if operation == "**":
            slot[1] = real[1] = draw(st.sampled_from(EXPONENTS))
        elif operation in "+-*/" and kind == "slot":
            m = draw(st.integers(0, len(shadow.slots) - 1))
            slot[1], real[1] = shadow.slots[m], shadow.tensors[m]
        elif operation in "+-*/":
            slot[1] = real[1] = draw(finite)
            if kind == "left number":
                slot.reverse()
                real.reverse()
        a, b = (0.0 if x is None else float(x.detach() if isinstance(x, torch.Tensor) else x) for x in real)
        if allowed(operation, a, b):
            result = apply(operation, *real)
            if abs(result.item()) < LARGE:
                shadow.add(apply(operation, *slot), result)
    return shadow


def agree(mine: list[float], truth: list[float]) -> bool:
    return len(mine) == len(truth) and all(
        math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9) for a, b in zip(mine, truth, strict=True)
    )


# -- what is true --------------------------------------------------------------------------------------------------


@given(shadows())
def test_data_and_gradients_are_those_of_torch(shadow: Shadow) -> None:
    shadow.backward(len(shadow.slots) - 1)
    data, grads, _ = shadow.program.evaluate()
    assert agree(data, [t.item() for t in shadow.tensors])
    assert agree(grads, shadow.grads())


@given(shadows(), st.data())
def test_gradients_add_up_over_two_backward_passes(shadow: Shadow, data: st.DataObject) -> None:
    for _ in range(2):
        shadow.backward(data.draw(st.integers(0, len(shadow.slots) - 1)))
    assert agree(shadow.program.evaluate()[1], shadow.grads())


@given(shadows(), st.data(), finite)
def test_a_gradient_set_by_hand_is_added_to(shadow: Shadow, data: st.DataObject, value: float) -> None:
    shadow.set_grad(data.draw(st.integers(0, len(shadow.slots) - 1)), value)
    shadow.backward(len(shadow.slots) - 1)
    assert agree(shadow.program.evaluate()[1], shadow.grads())


@given(shadows())
def test_a_reading_is_taken_where_it_stands(shadow: Shadow) -> None:
    shadow.program.read()
    shadow.backward(len(shadow.slots) - 1)
    between = shadow.grads()
    shadow.program.read()
    shadow.backward(len(shadow.slots) - 1)
    before, middle = shadow.program.evaluate()[2]
    assert before == [0.0] * len(shadow.slots)
    assert agree(middle, between)


def test_a_reading_has_only_the_values_made_so_far() -> None:
    p = Program()
    a = p.input(2.0)
    p.read()
    p.backward(a * a)
    p.read()
    assert [len(reading) for reading in p.evaluate()[2]] == [1, 2]


def test_values_made_after_backward_get_no_gradient() -> None:
    p = Program()
    a = p.input(3.0)
    p.backward(a * a)
    _ = a * 7
    assert p.evaluate() == ([3.0, 9.0, 21.0], [6.0, 1.0, 0.0], [])


def test_the_slope_of_relu_at_zero_is_zero() -> None:
    p = Program()
    a = p.input(0.0)
    p.backward(a.call("relu"))
    assert p.evaluate()[1] == [0.0, 1.0]


# -- how it reads --------------------------------------------------------------------------------------------------


class Plain(float):
    """A float with the methods of an engine, and nothing but floats as results."""

    def __pow__(self, n: Any, _: Any = None) -> "Plain":
        return Plain(float(self) ** n)

    def exp(self) -> "Plain":
        return Plain(math.exp(self))

    def log(self) -> "Plain":
        return Plain(math.log(self))

    def tanh(self) -> "Plain":
        return Plain(math.tanh(self))

    def relu(self) -> "Plain":
        return Plain(max(self, 0.0))

    def square(self) -> "Plain":
        return Plain(float(self) * float(self))


for _name in ("add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "neg"):
    _plain: Callable[..., float] = getattr(float, f"__{_name}__")
    setattr(Plain, f"__{_name}__", lambda *operands, plain=_plain: Plain(plain(*operands)))


def computed(program: Program) -> float:
    """The value of a described program: what Python makes of the line."""
    scope: dict[str, Any] = {"Value": Plain} | {name: Plain(value) for name, value in program.inputs().items()}
    *steps, last = program.describe().split("; ")
    for step in steps:
        exec(step, scope)
    return float(eval(last.rpartition(" = ")[2], scope))


@given(shadows(steps=7), st.booleans(), st.data())
def test_a_described_program_is_python_with_the_same_value(shadow: Shadow, shared: bool, data: st.DataObject) -> None:
    program = shadow.program
    for n in data.draw(st.sets(st.integers(0, len(shadow.slots) - 1), max_size=2)):
        if shadow.tensors[n].grad_fn is not None:
            program.name(f"named{n}", shadow.slots[n])
    if shared:
        program.name_shared()
    assert math.isclose(computed(program), shadow.tensors[-1].item(), rel_tol=1e-9, abs_tol=1e-9)


@pytest.mark.parametrize(
    ("write", "text"),
    [
        (lambda a, b: a + b * a, "a + b * a"),
        (lambda a, b: (a + b) * a, "(a + b) * a"),
        (lambda a, b: a - (b - a), "a - (b - a)"),
        (lambda a, b: a - b - a, "a - b - a"),
        (lambda a, b: a / (b / a), "a / (b / a)"),
        (lambda a, b: a / b / a, "a / b / a"),
        (lambda a, b: -(a + b), "-(a + b)"),
        (lambda a, b: -a + b, "-a + b"),
        (lambda a, b: -(a**2), "-a ** 2"),
        (lambda a, b: (-a) ** 2, "(-a) ** 2"),
        (lambda a, b: (a**2) ** 3, "(a ** 2) ** 3"),
        (lambda a, b: (a * b) ** 2, "(a * b) ** 2"),
        (lambda a, b: (a + b).call("tanh"), "(a + b).tanh()"),
        (lambda a, b: (-a).call("exp"), "(-a).exp()"),
        (lambda a, b: a.call("exp").call("log") * b, "a.exp().log() * b"),
        (lambda a, b: a * (-2), "a * (-2)"),
        (lambda a, b: 1.5 - a, "1.5 - a"),
    ],
)
def test_parentheses_stand_where_they_must_and_nowhere_else(write: Callable[[Slot, Slot], Slot], text: str) -> None:
    p = Program()
    a, b = p.input(2.0, "a"), p.input(3.0, "b")
    p.backward(write(a, b))
    assert p.describe() == text
    assert math.isclose(computed(p), p.evaluate()[0][-1])


def test_named_values_are_written_as_steps() -> None:
    p = Program()
    a, b = p.input(1.0, "a"), p.input(2.0, "b")
    s = p.name("s", a + b)
    p.backward(p.name("f", s * s))
    assert p.describe() == "s = a + b; f = s * s"


def test_shared_values_can_be_given_names() -> None:
    p = Program()
    a = p.input(1.0, "a")
    shared = a * 2
    p.backward(shared + shared.call("exp"))
    p.name_shared()
    assert p.describe() == "v1 = a * 2; v1 + v1.exp()"


def test_inputs_and_values_used_once_keep_their_expressions() -> None:
    p = Program()
    a = p.input(1.0, "a")
    p.backward((a * 2) + a)
    p.name_shared()
    assert p.describe() == "a * 2 + a"


def test_an_unnamed_input_is_written_as_a_value() -> None:
    p = Program()
    p.backward(p.input(1.5) * 2)
    assert p.describe() == "Value(1.5) * 2"
    assert p.inputs() == {"Value(1.5)": 1.5}


def test_a_program_whose_output_is_an_input_names_it() -> None:
    p = Program()
    p.backward(p.input(1.5, "a"))
    assert p.describe() == "a"
