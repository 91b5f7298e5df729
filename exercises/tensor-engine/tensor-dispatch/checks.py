"""The entries of the tables are asked directly, the operators in programs, and new operations are registered by probes."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from autograder.judge.arrays import Numbers, to_numpy
from autograder.judge.checks import VJP, Student, array, check, describe, expect, expect_close, fail, probe, variety
from autograder.judge.checks.random_programs import drawn, random_program
from autograder.judge.checks.tensors import ComparedTensors, TensorProgram, ask_programs, expect_tensor_programs
from autograder.judge.diagnosis import raises, refuses_numbers, symptom

if TYPE_CHECKING:
    import torch

BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
}
UNARY: dict[str, Callable[["torch.Tensor"], "torch.Tensor"]] = {
    "neg": lambda x: -x,
    "exp": lambda x: x.exp(),
    "log": lambda x: x.log(),
    "tanh": lambda x: x.tanh(),
    "relu": lambda x: x.relu(),
}
OPERATIONS = ("+", "-", "*", "/", "neg", "exp", "log", "tanh", "relu")
Call = tuple[str, list[Numbers], Numbers]


# -- the entries --------------------------------------------------------------------------------------------------


@probe
def entries(student, calls, layout):
    """The value and the gradients of every call, and the type of what BACKWARD returned. Arguments are compared afterwards."""
    import numpy as np

    def laid_out(values):
        return np.asfortranarray(values) if layout == "transposed" else values

    answer = []
    for name, arrays, g in calls:
        arrays = [laid_out(values) for values in arrays]
        out = student.FORWARD[name](*arrays)
        before = [np.array(values) for values in (g, out, *arrays)]
        found = student.BACKWARD[name](g, out, *arrays)
        same = all(np.array_equal(a, b, equal_nan=True) for a, b in zip(before, (g, out, *arrays)))
        parts = list(found) if isinstance(found, tuple | list) else [found]
        answer.append([np.array(out), type(found).__name__, parts, same])
    return answer


def truth_of(name: str, arrays: Sequence[Numbers], g: Numbers) -> tuple[Numbers, list[Numbers]]:
    import torch

    leaves = [torch.from_numpy(values.copy()).requires_grad_() for values in arrays]
    out = BINARY[name](*leaves) if name in BINARY else UNARY[name](*leaves)
    found = torch.autograd.grad(out, leaves, torch.from_numpy(g.copy()))
    return to_numpy(out), [to_numpy(part) for part in found]


def expect_entries(student: Student, calls: list[Call], layout: str = "contiguous") -> None:
    sent = [[name, [array(values) for values in arrays], array(g)] for name, arrays, g in calls]
    answers = student.run(entries, sent, layout, returns=list[tuple[Any, str, list[Any], bool]])
    expect(len(answers) == len(calls), "The results of the entries could not be read.")
    for (name, arrays, g), (out, kind, parts, same) in zip(calls, answers, strict=True):
        shown = {"g": g, **dict(zip("xy", arrays, strict=False))}
        value, gradients = truth_of(name, arrays, g)
        expect_close(out, value, f'FORWARD["{name}"]({", ".join("xy"[: len(arrays)])})', shown, VJP)
        what = f'BACKWARD["{name}"](g, out, {", ".join("xy"[: len(arrays)])})'
        if kind != "tuple":
            message = (
                f"{what} should be a tuple, but is {describe(parts[0]) if len(parts) == 1 else f'of type {kind[:64]}'}."
            )
            raise fail(message, what, shown)
        expect(len(parts) == len(arrays), f"{what} should have {len(arrays)} entries, but has {len(parts)}.", what, shown)
        for place, (given, gradient) in enumerate(zip(parts, gradients, strict=True)):
            expect_close(given, gradient, f"{what}[{place}]", shown, VJP)
        expect(same, f"{what} modified one of its arguments.", what, shown)


def calls_of(rng: np.random.Generator, shape: tuple[int, ...]) -> list[Call]:
    calls: list[Call] = []
    for name in (*BINARY, *UNARY):
        arrays = [drawn(rng, shape) for _ in range(2 if name in BINARY else 1)]
        calls.append((name, [np.asarray(np.abs(arrays[0]))] if name == "log" else arrays, drawn(rng, shape)))
    return calls


@check("The entries of the tables", points=2)
def table_entries(student: Student, rng: np.random.Generator) -> None:
    expect_entries(student, [*calls_of(rng, (4,)), *calls_of(rng, (2, 3))])


@check("The operators", points=1.5)
def operators(student: Student, rng: np.random.Generator) -> None:
    programs = []
    for operation in OPERATIONS:
        for left, right in ((None, None), (2.5, None), (None, 3)):
            program = TensorProgram()
            a = program.input(np.abs(drawn(rng, (3,))) if operation == "log" else drawn(rng, (3,)), "a")
            b = program.input(drawn(rng, (3,)), "b")
            if operation in ("+", "-", "*", "/"):
                operands = (a, b) if left is right else (a, right) if left is None else (left, a)
                y = program.apply(operation, *operands)
            else:
                y = program.apply(operation, a)
            program.backward(program.name("y", y), drawn(rng, (3,)))
            programs.append(program)
    expect_tensor_programs(student, programs)


# -- new operations -----------------------------------------------------------------------------------------------


@probe
def new_operation(student, x, y, g):
    """Registers an operation with two operands and one with one operand, and uses both."""
    import numpy as np

    student.FORWARD["hypot"] = lambda x, y: np.hypot(x, y)
    student.BACKWARD["hypot"] = lambda g, out, x, y: (g * x / out, g * y / out)
    student.FORWARD["cube"] = lambda x: x**3
    student.BACKWARD["cube"] = lambda g, out, x: (3 * g * x * x,)
    a, b = (student.Tensor(values.copy(), requires_grad=True) for values in (x, y))
    h = student.apply("hypot", a, b)
    z = student.apply("cube", h) * a
    z.backward(g)
    return [np.asarray(value) for value in (h.data, z.data, a.grad, b.grad)]


@check("Two operations that are added to the tables", points=2)
def added(student: Student, rng: np.random.Generator) -> None:
    import torch

    x, y, g = (drawn(rng, (3,)) for _ in range(3))
    answer = student.run(new_operation, array(x), array(y), array(g), returns=list[Any])
    a, b = (torch.from_numpy(values.copy()).requires_grad_() for values in (x, y))
    h = torch.hypot(a, b)
    z = h**3 * a
    z.backward(torch.from_numpy(g.copy()))
    expect_all(answer, [h, z, a.grad, b.grad], ["hypot(a, b)", "cube(hypot(a, b)) * a", "a.grad", "b.grad"], {"g": g})


def expect_all(answer: list[Any], truths: list[Any], names: list[str], shown: dict[str, Any]) -> None:
    expect(len(answer) == len(truths), "The results could not be read.")
    for given, truth, name in zip(answer, truths, names, strict=True):
        expect_close(given, to_numpy(truth), name, shown)


@check("The entries at special points", points=1.5, hidden=True)
def special_entries(student: Student, rng: np.random.Generator) -> None:
    """Zeros of both signs, large and tiny numbers, no axes, no entries."""
    calls: list[Call] = []
    values = np.array([0.0, -0.0, 1.3, -1.7, 30.0, -30.0, 1e-9, -1e-9])
    for name in ("neg", "tanh", "relu", "exp"):
        calls.append((name, [values], drawn(rng, (8,))))
    calls.append(("relu", [values], np.array([1.5, -2.5, 0.0, 3.5, -0.0, 1.5, -1.2, 2.0])))
    calls.append(("log", [np.array([1e-9, 1.0, 50.0])], drawn(rng, (3,))))
    ones = drawn(rng, (8,))
    calls += [(name, [values, ones], drawn(rng, (8,)) * (values != 0)) for name in BINARY]
    calls += [(name, [ones, values], drawn(rng, (8,))) for name in ("add", "sub", "mul")]
    calls += [*calls_of(rng, ()), *calls_of(rng, (1,)), *calls_of(rng, (0, 3)), *calls_of(rng, (2, 1, 2))]
    expect_entries(student, calls)
    expect_entries(student, calls_of(rng, (3, 4)), "transposed")


@check("Larger programs", points=1.5, hidden=True)
def larger(student: Student, rng: np.random.Generator) -> None:
    programs = [random_program(rng, OPERATIONS, steps=8, axes=2, broadcasting=False) for _ in range(24)]
    expect_tensor_programs(student, [*programs, *numbers_in_the_middle(rng)])


def numbers_in_the_middle(rng: np.random.Generator) -> list[TensorProgram]:
    programs = []
    for shape in ((), (1,), (2, 2)):
        program = TensorProgram()
        a, b = program.input(drawn(rng, shape), "a"), program.input(drawn(rng, shape), "b")
        y = 2 / (1 - a * b * 0.1) + (3 * a - 1.5) * (0.5 + b)
        program.backward(program.name("y", y), None if y.value.size == 1 else drawn(rng, shape))
        programs.append(program)
    return programs


@probe
def many_new_operations(student, x, y, w, g, mask):
    """A rule with three operands, rules that change the shape, one that is no derivative, one that draws its output."""
    import numpy as np

    F, B = student.FORWARD, student.BACKWARD
    calls = []

    def mixed(x, y, w):
        calls.append("mixed")
        return x * y + w

    F["mixed"], B["mixed"] = mixed, lambda g, out, x, y, w: (g * y, g * x, g)
    F["dot"] = lambda x, y: np.asarray((x * y).sum())
    B["dot"] = lambda g, out, x, y: (g * y, g * x)
    F["round"], B["round"] = lambda x: np.round(x), lambda g, out, x: (g,)
    draws = [mask * 7.0, mask]

    def dropout(x):
        calls.append("dropout")
        return x * draws.pop()

    F["dropout"], B["dropout"] = dropout, lambda g, out, x: (g * out / x,)
    a, b, c = (student.Tensor(values.copy(), requires_grad=True) for values in (x, y, w))
    first = student.apply("mixed", a, b, c)
    second = student.apply("mixed", first, 2.0 * b, a)
    step = student.apply("round", second) + student.apply("dropout", a)
    step.backward(g)
    answer = [first.data, second.data, step.data, a.grad, b.grad, c.grad]
    total = student.apply("dot", a, second)
    total.backward()
    answer += [total.data, a.grad, b.grad, c.grad, float(len(calls))]
    return [np.array(value) for value in answer]


@probe
def replaced(student, x, y, g):
    """Replaces every entry with a scaled one, and asks the operators. Restores the tables afterwards."""
    import numpy as np

    F, B = student.FORWARD, student.BACKWARD
    kept = dict(F), dict(B)
    a, b = (student.Tensor(values.copy(), requires_grad=True) for values in (x, y))
    answer = []
    try:
        for place, name in enumerate(("add", "sub", "mul", "div", "neg", "exp", "log", "tanh", "relu")):
            scale = 2.0 + place
            if place < 4:
                F[name] = lambda x, y, scale=scale: x * scale + y
                B[name] = lambda g, out, x, y, scale=scale: (g * scale, g + 0.0 * y)
            else:
                F[name] = lambda x, scale=scale: x * scale
                B[name] = lambda g, out, x, scale=scale: (g * (scale + 0.5),)
        results = [a + b, a - b, a * b, a / b, -a, a.exp(), a.log(), a.tanh(), a.relu()]
        for out in results:
            a.grad = None
            out.backward(g)
            answer += [np.array(out.data), np.array(a.grad)]
    finally:
        F.update(kept[0])
        B.update(kept[1])
    return answer


@probe
def unknown_names(student, x):
    found = []
    for name in ("nothing", "", "Exp"):
        try:
            student.apply(name, student.Tensor(x.copy(), requires_grad=True))
            found.append("no exception")
        except KeyError:
            found.append("KeyError")
        except Exception as error:
            found.append(type(error).__name__[:64])
    return found


@check("Operations of all kinds that are added", points=2, hidden=True)
def all_kinds(student: Student, rng: np.random.Generator) -> None:
    x, y, w, g, mask = (drawn(rng, (3,)) for _ in range(5))
    given = student.run(many_new_operations, *(array(values) for values in (x, y, w, g, mask)), returns=list[Any])
    first = x * y + w
    second = first * 2 * y + x
    step = np.round(second) + x * mask
    da, db, dc = g * (2 * y * y + 1 + mask), g * (2 * x * y + 2 * first), g * 2 * y
    total = np.asarray((x * second).sum())
    more = [da + second + x * (2 * y * y + 1), db + x * (2 * x * y + 2 * first), dc + x * 2 * y]
    names = ["mixed(a, b, c)", "mixed(mixed(a, b, c), 2 * b, a)", "round(...) + dropout(a)", "a.grad", "b.grad", "c.grad"]
    names += ["dot(a, ...)", "a.grad", "b.grad", "c.grad", "the number of calls of forward rules"]
    truths = [first, second, step, da, db, dc, total, *more, np.asarray(3.0)]
    expect_all(given, truths, names, {"x": x, "y": y, "w": w, "g": g})
    for name, outcome in zip(("nothing", "", "Exp"), student.run(unknown_names, array(x), returns=list[str]), strict=False):
        expect(outcome == "KeyError", f'apply("{name}", ...) should raise a KeyError, but: {outcome[:64]}.', "apply")


@check("Every operator uses its entry", points=1, hidden=True)
def entries_replaced(student: Student, rng: np.random.Generator) -> None:
    x, y, g = (np.abs(drawn(rng, (2,))) for _ in range(3))
    truths: list[Numbers] = []
    names = []
    for place, text in enumerate(("a + b", "a - b", "a * b", "a / b", "-a", "exp", "log", "tanh", "relu")):
        scale = 2.0 + place
        truths += [x * scale + (y if place < 4 else 0.0), g * (scale if place < 4 else scale + 0.5)]
        names += [
            f"the result of {text} after its entry was replaced",
            f"the gradient of {text} after its entry was replaced",
        ]
    expect_all(student.run(replaced, array(x), array(y), array(g), returns=list[Any]), truths, names, {"x": x, "g": g})


@probe
def flags(student, x):
    """Which results require grad: with recording, in a no_grad block and behind it, and of constants."""
    a, k = student.Tensor(x.copy(), requires_grad=True), student.Tensor(x.copy())
    with student.no_grad():
        blocked = student.apply("mul", a, a)
    return [bool(tensor.requires_grad) for tensor in (student.apply("mul", a, k), blocked, blocked * k, a + blocked, -k)]


FLAGS = (
    ("the product of a leaf and a constant", True),
    ("a product in a no_grad block", False),
    ("the product of a result of a no_grad block and a constant", False),
    ("the sum of a leaf and a result of a no_grad block", True),
    ("-k of a constant k", False),
)


@check("Shared tensors, several passes and constants", points=0.5, hidden=True)
def shared(student: Student, rng: np.random.Generator) -> None:
    programs = []
    for operation in ("+", "-", "*", "/"):
        program = TensorProgram()
        a, b = program.input(drawn(rng, (3,)), "a"), program.input(drawn(rng, (3,)), "b")
        k = program.input(drawn(rng, (3,)), "k", requires_grad=False)
        h = program.name("h", program.apply(operation, k, a) + a)
        p = program.name("p", program.apply(operation, a, a) + h.call("tanh"))
        program.no_grad()
        c = program.name("c", p * a)
        program.grad_enabled()
        y = program.name("y", p * c + (h + b) * h)
        program.backward(y, drawn(rng, (3,)))
        program.backward(p, drawn(rng, (3,)))
        program.clear(b)
        program.backward(y, drawn(rng, (3,)))
        programs.append(program)
    for later in (False, True):  # a sum may pass one array on to both operands, which receive more afterwards
        program = TensorProgram()
        a, b = program.input(drawn(rng, (3,)), "a"), program.input(drawn(rng, (3,)), "b")
        product, total = a * b, a + b
        y = total + product if later else product + total
        program.backward(program.name("y", y), drawn(rng, (3,)))
        programs.append(program)
    alike = TensorProgram()  # leaves and results of equal data
    values = drawn(rng, (2,))
    a, b = alike.input(values, "a"), alike.input(values, "b")
    alike.backward(alike.name("y", a.call("exp") * b + b.call("exp") * (b - a)), drawn(rng, (2,)))
    expect_tensor_programs(student, [*programs, alike])
    x = drawn(rng, (3,))
    seen = student.run(flags, array(x), returns=list[bool])
    expect(len(seen) == len(FLAGS), "The flags could not be read.")
    for given, (what, truth) in zip(seen, FLAGS, strict=True):
        expect(given is truth, f"requires_grad of {what} should be {truth}, but is {given}.", "requires_grad", {"a": x})


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    programs = [random_program(rng, OPERATIONS, steps=5, axes=2, broadcasting=False) for _ in range(5)]
    programs += numbers_in_the_middle(rng)
    ask_programs(student, [ComparedTensors(program) for program in programs])
    shape = tuple(int(size) for size in rng.integers(0, 3, size=int(rng.integers(0, 3))))
    calls = calls_of(rng, shape)
    calls += [(name, [rng.choice([0.0, -0.0, 1.0, -25.0], 4)], drawn(rng, (4,))) for name in ("relu", "tanh", "neg", "exp")]
    student.run(entries, [[name, [array(a) for a in arrays], array(g)] for name, arrays, g in calls], "transposed")
    x, y, w, g, mask = (array(np.abs(drawn(rng, (3,)))) for _ in range(5))
    student.run(new_operation, x, y, g)
    student.run(many_new_operations, x, y, w, g, mask)
    student.run(replaced, x, y, g)
    student.run(unknown_names, x)
    student.run(flags, x)


for where in ("operators", "larger"):
    symptom("rejects-numbers", refuses_numbers, check=where, raised=True)
symptom("hard-coded-names", raises(type_name="KeyError"), check="added", raised=True)
