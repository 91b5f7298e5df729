"""The four Functions in programs and watched one by one, and Functions of the checks, which probes define as subclasses."""

from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np

from autograder.judge.arrays import Numbers, to_numpy
from autograder.judge.checks import (
    VJP,
    Student,
    array,
    check,
    describe,
    expect,
    expect_close,
    expect_equal,
    fail,
    probe,
    variety,
)
from autograder.judge.checks.random_programs import drawn
from autograder.judge.checks.recording import record_expected
from autograder.judge.checks.tensors import ComparedTensors, Slot, TensorProgram, ask_programs, expect_tensor_programs
from autograder.judge.diagnosis import raises, refuses_numbers, symptom
from sandbox.wire import Array

APPLIED = {"*": "Mul.apply", "**": "Pow.apply", "exp": "Exp.apply", "clamp": "Clamp.apply"}


# -- the four Functions in programs -------------------------------------------------------------------------------


def single_operations(rng: np.random.Generator) -> list[TensorProgram]:
    programs = []
    for operation in ("*", "exp", "**", "clamp"):
        program = TensorProgram()
        a, b = program.input(drawn(rng, (2, 3)), "a"), program.input(drawn(rng, (2, 3)), "b")
        numbers: dict[str, list[Any]] = {"*": [b], "exp": [], "**": [3], "clamp": [-0.9, 1.1]}
        program.backward(program.name("y", program.apply(operation, a, *numbers[operation])), drawn(rng, (2, 3)))
        programs.append(program)
    return programs


@check("The four Functions, with apply", points=2)
def four_functions(student: Student, rng: np.random.Generator) -> None:
    expect_tensor_programs(student, single_operations(rng), spelling=APPLIED)


@check("The operators and methods", points=1)
def operators(student: Student, rng: np.random.Generator) -> None:
    programs = single_operations(rng)
    for left, right in ((2.5, None), (None, 3)):
        program = TensorProgram()
        a = program.input(drawn(rng, (3,)), "a")
        y = program.apply("*", a if left is None else left, a if right is None else right)
        program.backward(program.name("y", y), drawn(rng, (3,)))
        programs.append(program)
    expect_tensor_programs(student, programs)


# -- Functions of the checks --------------------------------------------------------------------------------------


@probe
def new_functions(student, x, y, g):
    """A Function that returns a bare array, one with a number as its first argument, and one that changes the shape."""
    import numpy as np

    class Square(student.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return 2 * g * x

    class Scale(student.Function):
        @staticmethod
        def forward(ctx, factor, x):
            ctx.factor = factor
            return factor * x

        @staticmethod
        def backward(ctx, g):
            return None, ctx.factor * g

    class Dot(student.Function):
        @staticmethod
        def forward(ctx, x, y):
            ctx.save_for_backward(x, y)
            return (x * y).sum()

        @staticmethod
        def backward(ctx, g):
            x, y = ctx.saved_tensors
            return g * y, g * x

    answer = []
    a = student.Tensor(x.copy(), requires_grad=True)
    square = Square.apply(a)
    square.backward(g)
    answer += [square.data, a.grad]
    a = student.Tensor(x.copy(), requires_grad=True)
    scaled = Scale.apply(2.5, a)
    scaled.backward(g)
    answer += [scaled.data, a.grad]
    a, b = (student.Tensor(values.copy(), requires_grad=True) for values in (x, y))
    dot = Dot.apply(a, b)
    dot.backward()
    answer += [dot.data, a.grad, b.grad]
    a, b = (student.Tensor(values.copy(), requires_grad=True) for values in (x, y))
    total = Dot.apply(Square.apply(a), Scale.apply(3, b) * a) + Dot.apply(b, b)
    total.backward()
    answer += [total.data, a.grad, b.grad]
    return [None if value is None else np.asarray(value) for value in answer]


@check("Functions that others have written", points=2)
def others(student: Student, rng: np.random.Generator) -> None:
    x, y, g = (drawn(rng, (3,)) for _ in range(3))
    answer = student.run(new_functions, array(x), array(y), array(g), returns=list[Any])
    total = (3 * x**3 * y).sum() + (y * y).sum()
    texts = [
        ("Square.apply(a)", x * x),
        ("a.grad after Square.apply(a).backward(g)", 2 * g * x),
        ("Scale.apply(2.5, a)", 2.5 * x),
        ("a.grad after Scale.apply(2.5, a).backward(g)", 2.5 * g),
        ("Dot.apply(a, b)", np.asarray((x * y).sum())),
        ("a.grad after Dot.apply(a, b).backward()", y),
        ("b.grad after Dot.apply(a, b).backward()", x),
        ("y = Dot.apply(Square.apply(a), Scale.apply(3, b) * a) + Dot.apply(b, b)", np.asarray(total)),
        ("a.grad for this y", 9 * x * x * y),
        ("b.grad for this y", 3 * x**3 + 2 * y),
    ]
    expect_all(answer, texts, {"a": x, "b": y, "g": g})


def expect_all(answer: list[Any], truths: list[tuple[str, Any]], shown: dict[str, Any]) -> None:
    """Compares a list of answers: arrays, None, or plain data."""
    expect(len(answer) == len(truths), "The results could not be read.")
    for given, (what, truth) in zip(answer, truths, strict=True):
        if truth is None:
            expect(given is None, f"{what} should be None, because nothing flows to this leaf.", what, shown)
        elif isinstance(truth, np.ndarray):
            expect_close(given, truth, what, shown)
        else:
            expect_equal(given, truth, what, shown)


# -- the four Functions, watched ----------------------------------------------------------------------------------


class Watched(msgspec.Struct):
    """What the probe `watched` saw of one call."""

    out: Any
    kind: str
    parts: list[Any]
    calls: int
    unchanged: bool


@probe
def watched(student, calls):
    """Applies a subclass of a Function whose backward records what the Function's own backward returns."""
    import numpy as np

    answer = []
    for name, arguments, g, layout in calls:
        base = getattr(student, name)
        found = []

        class Watching(base):
            @staticmethod
            def backward(ctx, g, base=base, found=found):
                found.append(base.backward(ctx, g))
                return found[-1]

        arrays = [value for value in arguments if isinstance(value, np.ndarray)]
        laid_out = [np.asfortranarray(value) if layout == "transposed" else value.copy() for value in arrays]
        tensors = iter([student.Tensor(value, requires_grad=True) for value in laid_out])
        given = [next(tensors) if isinstance(value, np.ndarray) else value for value in arguments]
        out = Watching.apply(*given)
        value, before = np.array(out.data), np.array(g)
        out.backward(g)
        same = np.array_equal(g, before) and np.array_equal(np.array(out.data), value)
        same = same and all(np.array_equal(a, b) for a, b in zip(arrays, laid_out))
        first = found[0] if found else None
        parts = list(first) if isinstance(first, tuple | list) else [first]
        parts = [np.asarray(part) if isinstance(part, np.generic) else part for part in parts]
        answer.append(
            {"out": value, "kind": type(first).__name__, "parts": parts, "calls": len(found), "unchanged": bool(same)}
        )
    return answer


Call = tuple[str, list[Any], Numbers, str]
LETTERS = {"Mul": ("x", "y"), "Exp": ("x",), "Pow": ("x", "n"), "Clamp": ("x", "lo", "hi")}


def truth_of(name: str, arguments: list[Any], g: Numbers) -> tuple[Numbers, list[Numbers | None]]:
    """The value, and the gradients of the arrays among the arguments. The gradient of a number is None."""
    x = arguments[0]
    if name == "Mul":
        parts = [np.asarray(g * other) for other in reversed(arguments)]
        return x * arguments[1], [p if isinstance(a, np.ndarray) else None for p, a in zip(parts, arguments, strict=True)]
    if name == "Exp":
        return np.exp(x), [g * np.exp(x)]
    if name == "Pow":
        n = arguments[1]
        power = np.array([value ** (n - 1) if n else 0.0 for value in x.ravel().tolist()], dtype=np.float64)
        return np.asarray(x**n), [g * (n * power.reshape(x.shape)), None]
    lo, hi = arguments[1:]
    return np.minimum(np.maximum(x, lo), hi), [np.where(np.less(x, lo) | np.greater(x, hi), 0.0, g), None, None]


def expect_watched(student: Student, calls: list[Call]) -> None:
    sent = [
        [name, [array(a) if isinstance(a, np.ndarray) else a for a in args], array(g), how] for name, args, g, how in calls
    ]
    answers = student.run(watched, sent, returns=list[Watched])
    expect(len(answers) == len(calls), "The results could not be read.")
    for (name, arguments, g, _), seen in zip(calls, answers, strict=True):
        letters = LETTERS[name]
        shown = {**dict(zip(letters, arguments, strict=True)), "g": g}
        value, parts = truth_of(name, arguments, g)
        expect_close(seen.out, value, f"{name}.apply({', '.join(letters)})", shown, VJP)
        what = f"{name}.backward(ctx, g)"
        expect(seen.calls == 1, f"{what} should be called once in a pass, but was called {seen.calls} times.", what, shown)
        if seen.kind != "tuple" and not (name == "Exp" and len(seen.parts) == 1):
            words = describe(seen.parts[0]) if len(seen.parts) == 1 else f"of type {seen.kind[:64]}"
            raise fail(f"{what} should return a tuple with {len(parts)} entries, but the result is {words}.", what, shown)
        expect(
            len(seen.parts) == len(parts),
            f"{what} should return {len(parts)} gradients, not {len(seen.parts)}.",
            what,
            shown,
        )
        for place, (given, truth) in enumerate(zip(seen.parts, parts, strict=True)):
            if truth is not None:
                expect_close(given, truth, f"{what}, entry {place},", shown, VJP)
            elif name != "Mul":
                expect(given is None, f"{what}, entry {place}, should be None for a number.", what, shown, given=given)
        expect(seen.unchanged, f"{name} modified an array that it received.", what, shown)


def calls_of(rng: np.random.Generator, shape: tuple[int, ...], layout: str = "contiguous") -> list[Call]:
    """One call of each kind, on arrays of one shape."""
    x, y, z = (drawn(rng, shape) for _ in range(3))
    number = round(float(drawn(rng, ())), 2)
    calls: list[tuple[str, list[Any]]] = [("Mul", [x, y]), ("Mul", [x, number]), ("Mul", [3, y]), ("Exp", [x])]
    calls += [("Pow", [z, n]) for n in (2, 3, 1, -1, 4.0)]
    calls += [("Pow", [np.asarray(np.abs(z)), 0.5]), ("Clamp", [x, -1.1, 0.8]), ("Clamp", [y, 0, 1])]
    return [(name, arguments, drawn(rng, shape), layout) for name, arguments in calls]


@check("The four Functions at special points", points=1, hidden=True)
def special_points(student: Student, rng: np.random.Generator) -> None:
    """Zeros of both signs, the ends of the interval, empty arrays and arrays without axes, upstream gradients with zeros."""
    values = np.array([0.0, -0.0, 1.5, -1.5, 0.5, -0.5, 1e-9, 30.0, -30.0])
    calls: list[Call] = []
    zeros = np.array([1, 1, 0, -1, 1, 0, 1, 1, 1])
    for n in (0, 0.0, 1, 2, 3, 5):
        calls.append(("Pow", [values, n], drawn(rng, values.shape) * zeros, "contiguous"))
    calls.append(("Pow", [np.abs(values[2:]), 0], drawn(rng, (7,)), "contiguous"))
    for lo, hi in ((-0.5, 1.5), (-1.5, 0.5), (0, 1.5), (-1.5, 0.0), (0.5, 0.5), (-40, 40), (2, 3)):
        calls.append(("Clamp", [values, lo, hi], drawn(rng, values.shape) * zeros, "contiguous"))
    g = drawn(rng, values.shape) * zeros
    low = np.where(values == 30.0, -800.0, values)  # the exponential is 0 there
    calls += [("Exp", [low], g, "contiguous"), ("Mul", [values, g[::-1].copy()], drawn(rng, values.shape), "contiguous")]
    calls += [("Mul", [values, 0], g, "contiguous"), ("Mul", [0.0, values], g, "contiguous")]
    for shape in ((), (1,), (0, 3), (2, 1, 2)):
        calls += calls_of(rng, shape)
    expect_watched(student, [*calls, *calls_of(rng, (3, 2), "transposed")])


# -- larger programs ----------------------------------------------------------------------------------------------


def random_functions(rng: np.random.Generator, steps: int = 7) -> TensorProgram:
    """A random program whose results are used again, with values of magnitude one."""
    program = TensorProgram()
    shape = tuple(int(size) for size in rng.integers(1, 4, size=int(rng.integers(0, 3))))
    slots = [program.input(drawn(rng, shape), name, requires_grad=name != "k") for name in "abk"]
    while len(slots) < steps + 3:
        slot = slots[-1] if rng.random() < 0.6 else slots[int(rng.integers(len(slots)))]
        made = _step(program, rng, slot, slots[int(rng.integers(len(slots)))])
        if not made.value.size or (float(np.abs(made.value).max()) < 9.0 and float(np.abs(made.value).min()) > 0.02):
            slots.append(made)
    needed = [slot for slot in slots if program.tensors[slot.number].requires_grad]
    without = needed[-1].value.size == 1 and rng.random() < 0.7
    program.backward(program.name("y", needed[-1]), None if without else drawn(rng, shape))
    return program


def _step(program: TensorProgram, rng: np.random.Generator, slot: Slot, other: Slot) -> Slot:
    operation = str(rng.choice(["+", "*", "*", "exp", "**", "clamp"]))
    if operation == "exp":
        return slot.call("exp")
    if operation == "**":
        return slot ** int(rng.integers(-2, 4))
    if operation == "clamp":
        return slot.call("clamp", round(float(rng.uniform(-1.6, -0.3)), 2), round(float(rng.uniform(0.3, 1.6)), 2))
    if rng.random() < 0.2:
        number = round(float(drawn(rng, ())), 2)
        return program.apply(operation, *([slot, number] if rng.random() < 0.5 else [number, slot]))
    return program.apply(operation, slot, other)


def shared_tensors(rng: np.random.Generator) -> list[TensorProgram]:
    """Operands used twice, several passes, constants, a no_grad block, leaves of equal data, sums that pass one array on."""
    programs = []
    for operation in ("*", "+"):
        program = TensorProgram()
        a, b = program.input(drawn(rng, (3,)), "a"), program.input(drawn(rng, (3,)), "b")
        k = program.input(drawn(rng, (3,)), "k", requires_grad=False)
        h = program.name("h", program.apply(operation, k, a) ** 2)
        p = program.name("p", program.apply(operation, a, a) + h * h)
        program.no_grad()
        c = program.name("c", (p * a) ** 2)
        program.grad_enabled()
        y = program.name("y", p * c + (h + b) * h)
        for root in (y, p, y):
            program.backward(root, drawn(rng, (3,)))
        programs.append(program)
    for later in (False, True):
        program = TensorProgram()
        a, b = program.input(drawn(rng, (3,)), "a"), program.input(drawn(rng, (3,)), "b")
        product, total = a * b, a + b
        program.backward(program.name("y", total + product if later else product + total), drawn(rng, (3,)))
        programs.append(program)
    alike = TensorProgram()
    values = drawn(rng, (2,))
    a, b = alike.input(values, "a"), alike.input(values, "b")
    alike.backward(alike.name("y", a.call("exp") * b**2 + b.call("exp") * (b * a)), drawn(rng, (2,)))
    return [*programs, alike]


@check("Larger programs", points=1, hidden=True)
def larger(student: Student, rng: np.random.Generator) -> None:
    expect_tensor_programs(student, [*(random_functions(rng) for _ in range(20)), *shared_tensors(rng)])
    expect_tensor_programs(student, [random_functions(rng) for _ in range(6)], spelling=APPLIED)


# -- contexts -----------------------------------------------------------------------------------------------------


@probe
def contexts(student, x, y, g):
    """One Function applied several times, with attributes and saved arrays of its own each time. Counts all calls."""
    import numpy as np

    counts = {"forward": 0, "backward": 0}

    class Affine(student.Function):
        @staticmethod
        def forward(ctx, x, scale):
            counts["forward"] += 1
            ctx.scale = scale
            ctx.save_for_backward(np.sin(x))
            return np.sin(x) * scale

        @staticmethod
        def backward(ctx, g):
            counts["backward"] += 1
            (sine,) = ctx.saved_tensors
            return g * ctx.scale * sine, None

    class Limited(student.Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, g):
            counts["backward"] += 1
            return np.clip(g, -1.0, 1.0)

    def leaf(values):
        return student.Tensor(values.copy(), requires_grad=True)

    answer = []
    a, b = leaf(x), leaf(y)
    first, second = Affine.apply(a, 2.0), Affine.apply(b, 5.0)
    first.backward(g)
    second.backward(g)
    answer += [a.grad, b.grad]
    first.backward(g)
    answer.append(a.grad)
    c = leaf(x)
    Affine.apply(Affine.apply(c, 3.0), 7.0).backward(g)
    answer.append(c.grad)
    with student.no_grad():
        Affine.apply(c, 11.0)
    Affine.apply(student.Tensor(y.copy()), 13.0)
    answer.append([counts["forward"], counts["backward"]])
    d = leaf(x)
    middle = Limited.apply(d)
    counts["backward"] = 0
    (middle * 0.7 + middle * 0.9 + middle).backward(g)
    answer += [d.grad, counts["backward"]]
    return [np.asarray(value) if isinstance(value, np.ndarray | np.generic) else value for value in answer]


@check("Each call has its own context", points=1.5, hidden=True)
def own_contexts(student: Student, rng: np.random.Generator) -> None:
    x, y, g = (drawn(rng, (3,)) for _ in range(3))
    answer = student.run(contexts, array(x), array(y), array(g), returns=list[Any])
    texts: list[tuple[str, Any]] = [
        ("a.grad after A.apply(a, 2.0), A.apply(b, 5.0) and a pass from the first result", 2 * g * np.sin(x)),
        ("b.grad after a pass from the second result", 5 * g * np.sin(y)),
        ("a.grad after another pass from the first result", 4 * g * np.sin(x)),
        ("c.grad after a pass from A.apply(A.apply(c, 3.0), 7.0)", 21 * g * np.sin(x) * np.sin(3 * np.sin(x))),
        ("the numbers of calls of forward and backward", [6, 5]),
        ("d.grad, with a Function that limits its gradient to [-1, 1],", np.clip(2.6 * g, -1.0, 1.0)),
        ("the number of calls of the backward that limits", 1),
    ]
    expect_all(answer, texts, {"x": x, "y": y, "g": g})


# -- arguments ----------------------------------------------------------------------------------------------------


@probe
def arguments(student, x, y, z, g):
    """Functions with arguments of all kinds, which report what they receive."""
    import numpy as np

    seen = []

    def named(values):
        return ["array" if isinstance(value, np.ndarray) else type(value).__name__[:64] for value in values]

    class Mixed(student.Function):
        @staticmethod
        def forward(ctx, mode, x, weights, y, nothing, z):
            seen.append(named([mode, x, weights, y, nothing, z]))
            needs = ctx.needs_input_grad
            seen.append([type(needs).__name__[:64], *named(needs), *(bool(need) for need in needs)])
            ctx.mode, ctx.weights = mode, weights
            ctx.save_for_backward(x, y, z)
            return x * y * weights[0] + z * weights[1] if mode == "both" else x * y

        @staticmethod
        def backward(ctx, g):
            x, y, z = ctx.saved_tensors
            seen.append([type(ctx.saved_tensors).__name__[:64], [bool(need) for need in ctx.needs_input_grad]])
            if ctx.mode == "both":
                return "ignored", g * y * ctx.weights[0], 3.0, g * x * ctx.weights[0], None, g * ctx.weights[1]
            return None, g * y, None, g * x, None, None

    class Double(student.Function):
        @staticmethod
        def forward(ctx, x):
            seen.append([type(ctx.saved_tensors).__name__[:64], len(ctx.saved_tensors)])
            return np.concatenate([x, x])

        @staticmethod
        def backward(ctx, g):
            seen.append([type(ctx.saved_tensors).__name__[:64], len(ctx.saved_tensors)])
            n = len(g) // 2
            return (g[:n] + g[n:],)

    class Negated(student.Mul):
        @staticmethod
        def backward(ctx, g):
            return tuple(-part for part in student.Mul.backward(ctx, g))

    def leaf(values, requires_grad=True):
        return student.Tensor(values.copy(), requires_grad=requires_grad)

    answer = []
    a, b, k = leaf(x), leaf(y), leaf(z, False)
    both = Mixed.apply("both", a, [2.0, 3.0], k, None, b)
    both.backward(g)
    answer += [both.data, a.grad, b.grad, k.grad, bool(both.requires_grad)]
    a, b = leaf(x), leaf(y)
    plain = Mixed.apply("product", b * a, (1.0, 2.0), a, None, b)
    plain.backward(g)
    answer += [plain.data, a.grad, b.grad]
    constant = Mixed.apply("product", k, [], k, None, k)
    answer += [constant.data, bool(constant.requires_grad)]
    a = leaf(x)
    twice = Double.apply(a)
    twice.backward(np.concatenate([g, 2 * g]))
    answer += [twice.data, a.grad]
    a, b = leaf(x), leaf(y)
    (Negated.apply(a, b) + a * b * 3.0).backward(g)
    answer += [a.grad, b.grad]
    values = [np.asarray(value) if isinstance(value, np.ndarray | np.generic) else value for value in answer]
    return [values, seen]


@check("Arguments of all kinds", points=1.5, hidden=True)
def all_arguments(student: Student, rng: np.random.Generator) -> None:
    x, y, z, g = (drawn(rng, (3,)) for _ in range(4))
    values, seen = student.run(arguments, array(x), array(y), array(z), array(g), returns=tuple[list[Any], list[list[Any]]])
    kinds = ["str", "array", "list", "array", "NoneType", "array"]
    bools = ["tuple", *["bool"] * 6]
    needs = [False, True, False, False, False, True]
    both = [False, True, False, True, False, True]
    none = [False] * 6
    types: list[tuple[str, list[Any]]] = [
        ("the types of the arguments of forward", kinds),
        ("ctx.needs_input_grad in forward", [*bools, *needs]),
        ("ctx.saved_tensors and ctx.needs_input_grad in backward", ["tuple", needs]),
        ("the types of the arguments of forward", [*kinds[:2], "tuple", *kinds[3:]]),
        ("ctx.needs_input_grad in forward", [*bools, *both]),
        ("ctx.saved_tensors and ctx.needs_input_grad in backward", ["tuple", both]),
        ("the types of the arguments of forward", kinds),
        ("ctx.needs_input_grad in forward, for constants,", [*bools, *none]),
        ("ctx.saved_tensors in forward, before anything is saved,", ["tuple", 0]),
        ("ctx.saved_tensors in backward, if nothing was saved,", ["tuple", 0]),
    ]
    expect(len(seen) == len(types), "The Functions of this check were not called as often as expected.", given=len(seen))
    for given, (what, truth) in zip(seen, types, strict=True):
        record_expected(truth)
        expect(given == truth, f"Wrong: {what}.", what, expected=str(truth), given=str(given)[:200])
    truths: list[tuple[str, Any]] = [
        ('F.apply("both", a, [2.0, 3.0], k, None, b)', 2 * x * z + 3 * y),
        ("a.grad after a pass from this result", 2 * g * z),
        ("b.grad after a pass from this result", 3 * g),
        ("the gradient of the constant k", None),
        ("requires_grad of this result", True),
        ('F.apply("product", b * a, (1.0, 2.0), a, None, b)', x * x * y),
        ("a.grad after a pass from this result", 2 * g * x * y),
        ("b.grad after a pass from this result", g * x * x),
        ("the result of constants", z * z),
        ("requires_grad of a result of constants", False),
        ("the result of a Function that concatenates a with itself", np.concatenate([x, x])),
        ("a.grad after a pass from this result", 3 * g),
        ("a.grad, for a subclass of Mul that negates its gradients,", 2 * g * y),
        ("b.grad, for a subclass of Mul that negates its gradients,", 2 * g * x),
    ]
    expect_all(values, truths, {"a": x, "b": y, "k": z, "g": g})


# -- nothing flows, and wrong numbers of gradients -----------------------------------------------------------------


@probe
def nothing_flows(student, x, y, g):
    """Functions that return None for tensors."""
    import numpy as np

    calls = []

    class Stop(student.Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, g):
            return None

    class First(student.Function):
        @staticmethod
        def forward(ctx, x, y):
            ctx.save_for_backward(y)
            return x * y

        @staticmethod
        def backward(ctx, g):
            (y,) = ctx.saved_tensors
            return g * y, None

    class Counted(student.Function):
        @staticmethod
        def forward(ctx, x):
            return 2 * x

        @staticmethod
        def backward(ctx, g):
            calls.append("backward")
            return (2 * g,)

    def leaf(values):
        return student.Tensor(values.copy(), requires_grad=True)

    answer = []
    a = leaf(x)
    Stop.apply(a).backward(g)
    answer.append(a.grad)
    a, b = leaf(x), leaf(y)
    first = First.apply(a, b)
    first.backward(g)
    answer += [first.data, a.grad, b.grad]
    a, b = leaf(x), leaf(y)
    (Stop.apply(Counted.apply(a)) * b).backward(g)
    answer += [a.grad, b.grad, len(calls)]
    a, b = leaf(x), leaf(y)
    (First.apply(a, Counted.apply(b)) + b * b).backward(g)
    answer += [a.grad, b.grad, len(calls)]
    a = leaf(x)
    (a * a).backward(g)
    Stop.apply(a).backward(g)
    answer.append(a.grad)
    a, b = leaf(x), leaf(y)
    (First.apply(Stop.apply(a), b) + First.apply(b, Stop.apply(a))).backward(g)
    answer += [a.grad, b.grad]
    return [np.asarray(value) if isinstance(value, np.ndarray | np.generic) else value for value in answer]


@check("None for a tensor", points=1, hidden=True)
def none_for_tensors(student: Student, rng: np.random.Generator) -> None:
    x, y, g = (drawn(rng, (3,)) for _ in range(3))
    answer = student.run(nothing_flows, array(x), array(y), array(g), returns=list[Any])
    truths: list[tuple[str, Any]] = [
        ("a.grad after a pass through a Function that returns None", None),
        ("F.apply(a, b)", x * y),
        ("a.grad, where backward returns (g * b, None),", g * y),
        ("b.grad, where backward returns (g * b, None),", None),
        ("the gradient of a leaf below a Function that returns None", None),
        ("b.grad, where y = Stop.apply(F.apply(a)) * b,", 2 * g * x),
        ("the number of calls of a backward that nothing reaches", 0),
        ("a.grad, where y = First.apply(a, F.apply(b)) + b * b,", 2 * g * y),
        ("b.grad, where y = First.apply(a, F.apply(b)) + b * b,", 2 * g * y),
        ("the number of calls of a backward that nothing reaches", 0),
        ("a.grad after a pass that reaches a, and one that does not", 2 * g * x),
        ("the gradient of a leaf below a Function that returns None", None),
        ("b.grad, where b is also an operand of a Function that returns None for it", g * x),
    ]
    expect_all(answer, truths, {"a": x, "b": y, "g": g})


@probe
def counted(student, x, g):
    """What a pass does for each number of gradients: the gradient of the leaf, or the name of the exception."""
    import numpy as np

    def outcome(returned, *more):
        class Wrong(student.Function):
            @staticmethod
            def forward(ctx, x, *more):
                return x

            @staticmethod
            def backward(ctx, g):
                return returned(g)

        a = student.Tensor(x.copy(), requires_grad=True)
        y = Wrong.apply(a, *more)
        try:
            y.backward(g)
        except RuntimeError:
            return "RuntimeError"
        except Exception as error:
            return type(error).__name__[:64]
        return np.asarray(a.grad) if isinstance(a.grad, np.ndarray | np.generic) else "no gradient"

    other = student.Tensor(x.copy())
    return [
        outcome(lambda g: ()),
        outcome(lambda g: (g, g)),
        outcome(lambda g: (g, None)),
        outcome(lambda g: g, 3.0),
        outcome(lambda g: (g,), 3.0),
        outcome(lambda g: (g, None, None), 3.0),
        outcome(lambda g: (g,), other),
        outcome(lambda g: (g, g), other, "sum"),
        outcome(lambda g: None, 2, 3),
        outcome(lambda g: 2 * g),
        outcome(lambda g: (3 * g,)),
        outcome(lambda g: (4 * g, None), 3.0),
        outcome(lambda g: (5 * g, None, None), other, "sum"),
    ]


@check("A wrong number of gradients", points=1, hidden=True)
def wrong_numbers(student: Student, rng: np.random.Generator) -> None:
    """The arrays have as many entries as some calls have arguments, which must not be confused."""
    for size in (1, 2, 3):
        x, g = drawn(rng, (size,)), drawn(rng, (size,))
        answer = student.run(counted, array(x), array(g), returns=list[Any])
        calls = [("()", 1), ("(g, g)", 1), ("(g, None)", 1), ("g", 2), ("(g,)", 2), ("(g, None, None)", 2), ("(g,)", 2)]
        calls += [
            ("(g, g)", 3),
            ("None", 3),
            ("2 * g", 1),
            ("(3 * g,)", 1),
            ("(4 * g, None)", 2),
            ("(5 * g, None, None)", 3),
        ]
        expect(len(answer) == len(calls), "The results could not be read.")
        for place, (given, (returned, count)) in enumerate(zip(answer, calls, strict=True)):
            what = f"A pass in which backward returns {returned} for {count} argument{'s' if count > 1 else ''}"
            if place >= 9:
                expect_close(given, (place - 7) * g, f"{what}: the gradient", {"x": x, "g": g})
                continue
            record_expected("RuntimeError")
            words = given[:64] if isinstance(given, str) else "no exception"
            expect(given == "RuntimeError", f"{what} should raise a RuntimeError, but: {words}.", what, given=words)


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    programs = [*(random_functions(rng, 4) for _ in range(4)), *shared_tensors(rng)]
    ask_programs(student, [ComparedTensors(program) for program in programs])
    ask_programs(student, [ComparedTensors(program, spelling=tuple(APPLIED.items())) for program in single_operations(rng)])
    shape = tuple(int(size) for size in rng.integers(0, 3, size=int(rng.integers(0, 3))))
    values = rng.choice([0.0, -0.0, 1.0, -1.0, 0.5, 2.0], size=6)
    calls = calls_of(rng, shape)
    calls += [("Pow", [values, int(n)], drawn(rng, (6,)), "transposed") for n in (0, 1, 2, 3)]
    calls += [("Clamp", [values, *bounds], drawn(rng, (6,)), "contiguous") for bounds in ((-1, 1), (0.0, 0.5), (0.5, 0.5))]
    sent = [
        [name, [array(a) if isinstance(a, np.ndarray) else a for a in args], array(g), how] for name, args, g, how in calls
    ]
    student.run(watched, sent)
    x, y, z, g = (array(drawn(rng, (3,))) for _ in range(4))
    student.run(new_functions, x, y, g)
    student.run(contexts, x, y, g)
    student.run(arguments, x, y, z, g)
    student.run(nothing_flows, x, y, g)
    student.run(counted, x, g)


# -- what a wrong answer shows ------------------------------------------------------------------------------------


def at(place: int, says: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    """A symptom in one entry of a list of answers. `says` receives the right and the given entry."""

    def when(right: Any, given: Any) -> bool:
        same = isinstance(given, list) and isinstance(right, list) and len(given) == len(right)
        return same and says(right[place], given[place])

    return when


def times(factor: float) -> Callable[[Any, Any], bool]:
    def says(right: Any, given: Any) -> bool:
        same = isinstance(given, Array) and given.shape == right.shape
        return same and bool(np.allclose(to_numpy(given), factor * to_numpy(right)))

    return says


def kinds_of(given: Any) -> list[str]:
    """The types that forward received, from an answer of the probe `arguments`."""
    rows = given[1] if isinstance(given, list) and len(given) == 2 and isinstance(given[1], list) else []
    return [str(kind) for row in rows if isinstance(row, list) for kind in row[:6]]


symptom("one-context-per-class", at(0, times(2.5)), check="own-contexts")
symptom(
    "forward-runs-again", at(4, lambda right, given: isinstance(given, list) and given[0] > right[0]), check="own-contexts"
)
symptom("backward-for-each-consumer", at(6, lambda right, given: isinstance(given, int) and given > 1), check="own-contexts")
symptom("forward-gets-tensors", lambda right, given: "Tensor" in kinds_of(given), check="all-arguments")
symptom("numbers-converted", lambda right, given: kinds_of(given).count("array") > 9, check="all-arguments")
symptom("bare-gradient-not-wrapped", at(1, lambda right, given: getattr(given, "shape", None) == ()), check="others")
symptom("none-not-skipped", raises("NoneType", type_name="TypeError"), check="none-for-tensors", raised=True)
symptom("none-not-skipped", raises(type_name="KeyError"), check="none-for-tensors", raised=True)
symptom("none-becomes-zero", at(0, lambda right, given: given is not None), check="none-for-tensors")
for where in ("four-functions", "operators", "larger"):
    symptom("rejects-numbers", refuses_numbers, check=where, raised=True)
