"""Gradients come from tensor programs; flags come from scenes with nested no_grad blocks, which torch executes as well."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import msgspec
import numpy as np

from autograder.judge.arrays import Numbers, to_numpy
from autograder.judge.checks import Student, array, check, expect, expect_close, fail, probe, variety
from autograder.judge.checks.random_programs import drawn, random_program
from autograder.judge.checks.recording import record_expected
from autograder.judge.checks.tensor_cost import ENTRIES, SECONDS
from autograder.judge.checks.tensors import ComparedTensors, Slot, TensorProgram, ask_programs, expect_tensor_programs
from autograder.judge.diagnosis import refuses_numbers, symptom

OPERATIONS = ("+", "*")


def inputs(program: TensorProgram, rng: np.random.Generator, names: str, shape: tuple[int, ...] = (3,)) -> list[Slot]:
    return [program.input(drawn(rng, shape), name) for name in names]


@check("One operation", points=1)
def one_operation(student: Student, rng: np.random.Generator) -> None:
    programs = []
    for operation in OPERATIONS:
        for second in ("leaf", "constant", 3, "same"):
            program = TensorProgram()
            a, b = inputs(program, rng, "a")[0], program.input(drawn(rng, (3,)), "b", requires_grad=second == "leaf")
            other = a if second == "same" else 3 if second == 3 else b
            program.backward(program.name("y", program.apply(operation, a, other)), drawn(rng, (3,)))
            programs.append(program)
    expect_tensor_programs(student, programs)


# -- scenes: flags ------------------------------------------------------------------------------------------------


class Scene:
    """Statements for the probe `flags`, with the flags that torch gives the same tensors."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.statements: list[Any] = []
        self.lines: list[str] = []
        self.depth = 0
        self.tensors: dict[str, Any] = {}
        self.body = self.statements

    def leaf(self, name: str, requires_grad: bool) -> None:
        import torch

        values = drawn(self.rng, (2,))
        self.tensors[name] = torch.from_numpy(values.copy()).requires_grad_(requires_grad)
        self._add(["leaf", name, values, requires_grad], f"{name} = Tensor(..., requires_grad={requires_grad})")

    def apply(self, name: str, left: str | float, operation: str, right: str | float) -> None:
        a, b = (self.tensors[item] if isinstance(item, str) else item for item in (left, right))
        self.tensors[name] = a + b if operation == "+" else a * b
        self._add([operation, name, left, right], f"{name} = {left} {operation} {right}")

    def backward(self, name: str) -> None:
        import torch

        gradient = drawn(self.rng, (2,))
        self.tensors[name].backward(torch.from_numpy(gradient.copy()), retain_graph=True)
        self._add(["backward", name, gradient], f"{name}.backward(g)")

    @contextmanager
    def no_grad(self, fails: bool = False) -> Iterator[None]:
        import torch

        outer, self.body = self.body, []
        outer.append(["no_grad", self.body, fails])
        self.lines.append("    " * self.depth + "with no_grad():")
        self.depth += 1
        with torch.no_grad():
            yield
        if not self.body:
            self.lines.append("    " * self.depth + "pass")
        if fails:
            self.lines.append("    " * self.depth + "raise an error, which is caught outside")
        self.depth -= 1
        self.body = outer

    def _add(self, statement: list[Any], line: str) -> None:
        self.body.append(statement)
        self.lines.append("    " * self.depth + line)

    def expected(self) -> dict[str, "Flags"]:
        """Whether a gradient is stored is free for results that require grad."""
        return {
            name: Flags(tensor.requires_grad, tensor.is_leaf, tensor.is_leaf and tensor.grad is not None)
            for name, tensor in self.tensors.items()
        }


class Flags(msgspec.Struct, frozen=True):
    requires_grad: bool
    is_leaf: bool
    has_grad: bool


class Seen(msgspec.Struct):
    """What the probe returns for one scene. Flags that are not bools are names of types."""

    flags: dict[str, list[bool | str]]
    swallowed: bool


@probe
def flags(student, scenes):
    """Runs every scene. Answers with the flags of its tensors, and whether no_grad swallowed an exception."""

    def execute(statements, tensors, swallowed):
        for name, *operands in statements:
            if name == "no_grad":
                body, fails = operands
                try:
                    with student.no_grad():
                        execute(body, tensors, swallowed)
                        if fails:
                            raise KeyError("raised in the block")
                    if fails:
                        swallowed.append(True)
                except KeyError:
                    pass
            elif name == "leaf":
                tensors[operands[0]] = student.Tensor(operands[1].copy(), requires_grad=operands[2])
            elif name == "backward":
                tensors[operands[0]].backward(operands[1])
            else:
                left, right = (tensors[item] if isinstance(item, str) else item for item in operands[1:])
                tensors[operands[0]] = left + right if name == "+" else left * right

    def bare(value):
        return value if type(value) is bool else type(value).__name__

    answer = []
    for statements in scenes:
        tensors, swallowed = {}, []
        execute(statements, tensors, swallowed)
        seen = {}
        for name, t in tensors.items():
            held = bare(t.requires_grad), bare(t.is_leaf)
            seen[name] = [*held, t.grad is not None and held != (True, False)]
        answer.append({"flags": seen, "swallowed": bool(swallowed)})
    return answer


def expect_flags(student: Student, scenes: list[Scene]) -> None:
    answers = student.run(flags, [scene.statements for scene in scenes], returns=list[Seen])
    expect(len(answers) == len(scenes), "The flags could not be read.")
    for scene, seen in zip(scenes, answers, strict=True):
        code = "\n".join(scene.lines)
        expect(not seen.swallowed, f"An exception in a no_grad block does not reach the caller of this program:\n{code}")
        for name, expected in scene.expected().items():
            given = seen.flags.get(name, [])
            expect(len(given) == 3, "The flags could not be read.")
            for flag, value, truth in (
                ("requires_grad", given[0], expected.requires_grad),
                ("is_leaf", given[1], expected.is_leaf),
            ):
                record_expected(truth)
                if value is not truth:
                    words = str(value)[:64] if isinstance(value, bool) else f"of type {str(value)[:64]}"
                    message = f"{name}.{flag} should be {truth}, but is {words}, after this program:\n{code}"
                    raise fail(message, f"{name}.{flag}", expected=truth, given=value)
            wrong = "is None, although a gradient reaches it" if expected.has_grad else "should be None"
            expect(given[2] is expected.has_grad, f"{name}.grad {wrong}, after this program:\n{code}", f"{name}.grad")


@check("Which tensors require grad, and which are leaves", points=1, fixed="the flags are the rules of the statement")
def requires_grad_and_leaves(student: Student, rng: np.random.Generator) -> None:
    scenes = []
    for left, right in ((True, True), (True, False), (False, True), (False, False)):
        scene = Scene(rng)
        scene.leaf("a", left)
        scene.leaf("b", right)
        scene.apply("c", "a", "+" if left else "*", "b")
        scene.apply("d", "c", "*", 2.0)
        scenes.append(scene)
    scene = Scene(rng)
    scene.leaf("a", True)
    with scene.no_grad():
        scene.apply("b", "a", "*", "a")
    scene.apply("c", "b", "+", "b")
    scene.apply("d", "a", "+", "b")
    expect_flags(student, [*scenes, scene])


@check("The example", points=1, fixed="it is the example of the statement")
def example(student: Student, rng: np.random.Generator) -> None:
    program = TensorProgram()
    a, b = program.input([1.0, 2.0], "a"), program.input([3.0, 5.0], "b", requires_grad=False)
    c = program.name("c", a * b)
    program.no_grad()
    d = program.name("d", c + a)
    program.grad_enabled()
    y = program.name("y", c * d)
    for _ in range(2):
        program.backward(y, [1.0, 10.0])
    expect_tensor_programs(student, [program])


@check(
    "A no_grad block inside another one, and a block that raises",
    points=0.5,
    fixed="the flags are the rules of the statement",
)
def nested_and_failing(student: Student, rng: np.random.Generator) -> None:
    nested, failing = Scene(rng), Scene(rng)
    for scene in (nested, failing):
        scene.leaf("a", True)
    with nested.no_grad():
        with nested.no_grad():
            nested.leaf("b", True)
        nested.apply("c", "a", "*", "b")
    nested.apply("d", "a", "+", "b")
    with failing.no_grad(fails=True):
        failing.apply("b", "a", "*", "a")
    failing.apply("c", "a", "+", "b")
    expect_flags(student, [nested, failing])


@check("Larger programs", points=1, hidden=True)
def larger(student: Student, rng: np.random.Generator) -> None:
    programs = [random_program(rng, OPERATIONS, steps=7, axes=2, broadcasting=False) for _ in range(20)]
    doubled = TensorProgram()
    x = doubled.input(drawn(rng, (2,)), "x")
    y = x
    for n in range(24):
        y = doubled.name(f"y{n + 1}", y + (y * 0.5 if n % 2 else y))
    doubled.backward(y * 1e-6, drawn(rng, (2,)))
    chain = TensorProgram()
    x, c = inputs(chain, rng, "xc", (1,))
    y = x * c
    for _ in range(180):
        y = y + c
    chain.backward(y)
    alike = TensorProgram()  # leaves and results that hold equal data, zeros of both signs among them
    values = drawn(rng, (3,)) * [1.0, 0.0, 1.0]
    a, b, d = (alike.input(values * sign, name) for sign, name in ((1.0, "a"), (1.0, "b"), (-1.0, "d")))
    p, q = a * d, b * d
    alike.backward(p * a + q * (q + b) + d, drawn(rng, (3,)))
    for order in (0, 1):  # a sum may pass one array on to both operands, which receive more afterwards
        program = TensorProgram()
        a, b = inputs(program, rng, "ab")
        terms = (a * b, a + b)
        program.backward(program.name("y", terms[order] + terms[1 - order]), drawn(rng, (3,)))
        programs.append(program)
    nothing = TensorProgram()
    a, b = inputs(nothing, rng, "ab", (0, 2))
    nothing.backward(a * b + a, np.zeros((0, 2)))
    expect_tensor_programs(student, [*programs, alike, chain, nothing, doubled])


@check("Gradients accumulate in leaves, and only there", points=1, hidden=True)
def several_passes(student: Student, rng: np.random.Generator) -> None:
    """The same root again, other roots of the same graph, a leaf as root, results built later, cleared leaves."""
    programs = []
    for order in ("yy", "yz", "zy", "uy", "yuz", "ay", "yau", "yya"):
        program = TensorProgram()
        a, b, unused = inputs(program, rng, "abc")
        k = program.input(drawn(rng, (3,)), "k", requires_grad=False)
        u = program.name("u", a * b)
        y = program.name("y", u * u + k * b)
        z = program.name("z", u * 1.5 + (k + 2))
        roots = {"a": a, "u": u, "y": y, "z": z}
        for number, name in enumerate(order):
            program.backward(roots[name], drawn(rng, (3,)))
            if number == 0 and order != "yy":
                program.clear(b)
        later = program.name("l", y * a)
        program.backward(later, drawn(rng, (3,)))
        if order == "yy":
            program.backward(program.name("w", unused * k), drawn(rng, (3,)))
        programs.append(program)
    expect_tensor_programs(student, [*programs, *one_entry(rng)])


def one_entry(rng: np.random.Generator) -> list[TensorProgram]:
    """Passes that start without a gradient."""
    programs = []
    for shape in ((), (1,), (1, 1)):
        program = TensorProgram()
        a, b = inputs(program, rng, "ab", shape)
        y = program.name("y", a * b + a * 0.3)
        for root in (y, y, b):
            program.backward(root)
        programs.append(program)
        leaf = TensorProgram()
        (c,) = inputs(leaf, rng, "c", shape)
        leaf.backward(c)
        programs.append(leaf)
    return programs


@check("no_grad blocks in larger programs", points=1, hidden=True)
def no_grad_blocks(student: Student, rng: np.random.Generator) -> None:
    """Nested, one after the other, after an exception; leaves and backward passes inside."""
    scenes = [Scene(rng) for _ in range(4)]
    nested, failing, inside, fresh = scenes
    for scene in scenes:
        scene.leaf("a", True)
        scene.leaf("b", True)
        scene.leaf("k", False)
        scene.apply("c", "a", "*", "b")
    with nested.no_grad():
        with nested.no_grad():
            nested.apply("d", "a", "+", "c")
        nested.apply("e", "a", "*", "c")
        with nested.no_grad():
            pass
        nested.apply("f", "c", "+", 1.5)
    nested.apply("h", "c", "*", "e")
    nested.backward("h")
    with failing.no_grad():
        with failing.no_grad(fails=True):
            failing.apply("d", "a", "+", "b")
        failing.apply("e", "a", "+", "b")
    with failing.no_grad(fails=True):
        failing.apply("f", "a", "*", "a")
    failing.apply("h", "a", "*", "f")
    failing.backward("h")
    with inside.no_grad():
        inside.backward("c")
        inside.apply("d", "c", "*", 2.0)
    with fresh.no_grad():
        fresh.leaf("l", True)
        fresh.leaf("m", False)
        fresh.apply("n", "l", "*", "a")
    fresh.apply("o", "l", "*", "n")
    fresh.backward("o")
    expect_flags(student, scenes)
    expect_tensor_programs(student, [program_with_block(rng, inside) for inside in (False, True)])


def program_with_block(rng: np.random.Generator, inside: bool) -> TensorProgram:
    program = TensorProgram()
    a, b = inputs(program, rng, "ab")
    y = program.name("y", a * b + a)
    program.no_grad()
    z = program.name("z", y * a + 2)
    if inside:
        program.backward(y, drawn(rng, (3,)))
    program.grad_enabled()
    program.backward(program.name("f", z * y + b), drawn(rng, (3,)))
    return program


@check("Flags in larger programs", points=0.5, hidden=True)
def larger_flags(student: Student, rng: np.random.Generator) -> None:
    scenes = []
    for _ in range(12):
        scene = random_scene(rng, 8)
        roots = [name for name, tensor in scene.tensors.items() if tensor.requires_grad]
        if roots:
            scene.backward(roots[-1])
        scenes.append(scene)
    expect_flags(student, scenes)


def random_scene(rng: np.random.Generator, steps: int) -> Scene:
    scene = Scene(rng)
    for name in "abc":
        scene.leaf(name, bool(rng.random() < 0.4))
    fresh = iter("defghijklmnopqrstuvwxyz")

    def some(count: int) -> None:
        for _ in range(count):
            names = list(scene.tensors)
            left, right = (names[int(rng.integers(len(names)))] for _ in range(2))
            if rng.random() < 0.2 and scene.depth < 2:
                with scene.no_grad(fails=bool(rng.random() < 0.3)):
                    some(int(rng.integers(1, 3)))
            else:
                scene.apply(next(fresh), left, str(rng.choice(OPERATIONS)), right if rng.random() < 0.8 else 1.5)

    some(steps)
    return scene


# -- what backward refuses, memory, types --------------------------------------------------------------------------


@probe
def refused(student, x, gradients):
    """The name of what each call raises that should be refused, the gradient after these calls, and after one that is right."""
    import numpy as np

    def outcome(tensor, *given):
        try:
            tensor.backward(*given)
        except RuntimeError:
            return "RuntimeError"
        except Exception as error:
            return type(error).__name__[:64]
        return "no exception"

    a = student.Tensor(x.copy(), requires_grad=True)
    y = a * 2.0
    with student.no_grad():
        constant = a * a
    empty = student.Tensor(np.zeros((0, 2)), requires_grad=True)
    one = student.Tensor(x[:1].copy())
    found = [outcome(y), outcome(a), outcome(empty + empty), outcome(one), outcome(one * 2), outcome(constant, x)]
    found += [outcome(y, gradient) for gradient in gradients]
    before = a.grad
    y.backward(x)
    return [found, before, np.asarray(a.grad)]


@check("Calls of backward that are refused", points=0.75, hidden=True)
def refusals(student: Student, rng: np.random.Generator) -> None:
    x = drawn(rng, (3,))
    shapes = [(), (1,), (4,), (1, 3), (3, 1)]
    found, before, after = student.run(
        refused, array(x), [array(drawn(rng, shape)) for shape in shapes], returns=tuple[list[str], Any, Any]
    )
    calls = [
        "y.backward(), where y has 3 entries",
        "a.backward() on a leaf with 3 entries",
        "backward() on a tensor without entries",
        "backward() on a leaf that does not require grad",
        "backward() on the result of constants",
        "backward(g) on a result of a no_grad block",
        *(f"y.backward(g) with a gradient of shape {shape} for a tensor of shape (3,)" for shape in shapes),
    ]
    expect(len(found) == len(calls), "The outcomes could not be read.")
    for call, outcome in zip(calls, found, strict=True):
        expect(
            outcome == "RuntimeError",
            f"{call} should raise a RuntimeError, but the outcome is: {outcome[:64]}.",
            call,
            expected="RuntimeError",
            given=outcome[:64],
        )
    expect(before is None, "A call of backward that is refused should leave .grad unchanged.", "a.grad")
    expect_close(after, 2 * x, "a.grad after (a * 2).backward(g), which follows the refused calls,", {"g": x})


@probe
def edited(student, x, g):
    """The gradients of two operands of a sum, after the given array and after the first gradient were modified in place."""
    import numpy as np

    a, b = (student.Tensor(x.copy(), requires_grad=True) for _ in range(2))
    y = a + b
    given = g.copy()
    y.backward(given)
    given *= 3.0
    answer = [np.array(a.grad), np.array(b.grad)]
    a.grad += 1.0
    answer.append(np.array(b.grad))
    y.backward(given)
    given *= 2.0
    b.grad += 1.0
    answer += [np.array(a.grad), np.array(b.grad), np.array(a.data)]
    leaf = student.Tensor(x.copy(), requires_grad=True)
    leaf.backward(given)
    given *= 5.0
    answer.append(np.array(leaf.grad))
    return answer


@check("Every gradient has memory of its own", points=0.75, hidden=True)
def memory(student: Student, rng: np.random.Generator) -> None:
    x, g = drawn(rng, (3,)), drawn(rng, (3,))
    answer = student.run(edited, array(x), array(g), returns=list[Any])
    texts: list[tuple[str, Numbers]] = [
        ("a.grad, after the array given to (a + b).backward was modified,", g),
        ("b.grad, after the array given to (a + b).backward was modified,", g),
        ("b.grad, after a.grad was modified in place,", g),
        ("a.grad, after a second pass and after b.grad was modified,", 4 * g + 1),
        ("b.grad, after a second pass, 1 added to it and the given array modified,", 4 * g + 1),
        ("a.data, after the gradients were modified,", x),
        ("the gradient of a leaf, after the array given to its backward was modified,", 6 * g),
    ]
    expect(len(answer) == len(texts), "The gradients could not be read.")
    for given, (what, truth) in zip(answer, texts, strict=True):
        expect_close(given, truth, what, {"g": g})


@probe
def converted(student, values):
    """The data and the gradient of tensors made from lists, numbers and arrays of other types."""
    import numpy as np

    answer = []
    for value in values:
        tensor = student.Tensor(value, requires_grad=True)
        y = tensor * 2.5
        y.backward(np.ones(np.shape(value)))
        answer += [np.asarray(tensor.data), np.asarray(y.data), np.asarray(tensor.grad)]
    return answer


@check("Data of other types", points=0.5, hidden=True)
def other_types(student: Student, rng: np.random.Generator) -> None:
    whole = rng.integers(2, 9, size=(2, 3))
    values: list[Any] = [
        int(whole[0, 0]),
        float(drawn(rng, ())),
        whole.tolist(),
        array(whole),
        array(drawn(rng, (2, 2)).astype(np.float32)),
        array(np.asarray(rng.random(4) < 0.5)),
        array(drawn(rng, (3, 2)), layout="transposed"),
    ]
    answer = student.run(converted, values, returns=list[Any])
    expect(len(answer) == 3 * len(values), "The data could not be read.")
    for place, value in enumerate(values):
        truth = to_numpy(value).astype(np.float64)
        expect_close(answer[3 * place], truth, "Tensor(data).data")
        expect_close(answer[3 * place + 1], 2.5 * truth, "(Tensor(data) * 2.5).data")
        expect_close(answer[3 * place + 2], np.full(truth.shape, 2.5), "the gradient")


@check("Thousands of entries, at the cost of one backward pass", points=1, hidden=True, seconds=SECONDS)
def cost(student: Student, rng: np.random.Generator) -> None:
    program = TensorProgram()
    x, w = inputs(program, rng, "xw", (ENTRIES,))
    program.backward(program.name("y", (x * w + w) * x + w * 2), drawn(rng, (ENTRIES,)))
    expect_tensor_programs(student, [program])


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    programs = []
    for _ in range(6):
        program = TensorProgram()
        shape = [(), (1,), (2,), (1, 1), (2, 2), (0, 2)][int(rng.integers(6))]
        slots = [
            program.input(rng.choice([0.0, 1.0, 1.7]) * rng.normal(size=shape), name, bool(rng.random() < 0.7))
            for name in "abc"
        ]
        blocked = False
        for _ in range(int(rng.integers(1, 8))):
            if rng.random() < 0.15:
                blocked = not blocked
                (program.no_grad if blocked else program.grad_enabled)()
            left, right = (slots[int(rng.integers(len(slots)))] for _ in range(2))
            slots.append(program.apply(str(rng.choice(OPERATIONS)), left, right if rng.random() < 0.8 else 1))
            if program.tensors[slots[-1].number].requires_grad and rng.random() < 0.5:
                program.backward(slots[-1], rng.normal(size=shape))
        programs.append(program)
    ask_programs(student, [ComparedTensors(program) for program in programs])
    student.run(flags, [random_scene(rng, 4).statements for _ in range(3)])
    x, g = drawn(rng, (3,)), drawn(rng, (3,))
    student.run(edited, array(x), array(g))
    student.run(refused, array(x), [array(drawn(rng, (1,))), array(drawn(rng, (3, 1)))])
    student.run(converted, [3, [1, 2], array(np.arange(3))])


for where in ("one-operation", "requires-grad-and-leaves"):
    symptom("rejects-numbers", refuses_numbers, check=where, raised=True)
