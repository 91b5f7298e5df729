"""Values and gradients against torch, the memory that a graph keeps, and edits between forward and backward. What is kept is
listed inside the sandbox, which is exact and a claim; for large tensors, the kernel says how much it is.
"""

from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np
import torch

from autograder.judge.checks import (
    SINGLE,
    TENSOR,
    Student,
    check,
    expect,
    expect_close,
    fail,
    probe,
    tensor,
    to_numpy,
    variety,
)
from autograder.judge.checks.costs import LARGE, LARGE_MEGABYTES, Megabytes
from autograder.judge.checks.functions import expect_function_vjp
from autograder.judge.diagnosis import forward_of, reads_as, symptom

NAMES = ("Sigmoid", "Relu", "Silu")
REFERENCES: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "Sigmoid": torch.sigmoid,
    "Relu": torch.relu,
    "Silu": lambda x: x * torch.sigmoid(x),
}


def numbers(rng: np.random.Generator, *shape: int, dtype: str = "float64") -> torch.Tensor:
    """Both signs occur wherever there are two entries."""
    signs = np.where(np.arange(int(np.prod(shape))) % 2, 1.0, -1.0).reshape(shape)
    return torch.from_numpy(np.asarray(signs * rng.uniform(0.3, 2.5, shape), dtype=dtype))


def upstream(rng: np.random.Generator, x: torch.Tensor) -> torch.Tensor:
    """An upstream gradient for x, whose last entry is 0 if there are several."""
    g = numbers(rng, *x.shape, dtype=str(x.dtype)[6:])
    if g.numel() > 2:
        g.view(-1)[-1] = 0.0
    return g


def expect_gradients(student: Student, rng: np.random.Generator, name: str, xs: list[torch.Tensor]) -> None:
    for dtype, tolerance in ((torch.float64, TENSOR), (torch.float32, SINGLE)):
        chosen = [x for x in xs if x.dtype is dtype]
        points = [((x,), (upstream(rng, x),)) for x in chosen]
        if points:
            expect_function_vjp(student, name, points, REFERENCES[name], tolerance)


@probe
def kept(student, cases):
    """What the graph keeps after a forward pass: every tensor, array or bytes that can be found from its nodes."""
    import types

    import numpy as np
    import torch

    def found(roots, sizes):
        """Fill `sizes`: bytes, dtype and owner by the place in memory."""
        stack, seen = list(roots), set()
        while stack:
            thing = stack.pop()
            if thing is None or id(thing) in seen or isinstance(thing, (types.ModuleType, str, int, float, torch.dtype)):
                continue
            seen.add(id(thing))
            alive.append(thing)
            if torch.is_tensor(thing):
                storage = thing.untyped_storage()
                place = storage.data_ptr()
                sizes[place] = [storage.nbytes(), str(thing.dtype), owners.get(place, "other")]
                if thing.grad_fn is not None:
                    stack.append(thing.grad_fn)
            elif isinstance(thing, np.ndarray):
                while isinstance(thing.base, np.ndarray):
                    thing = thing.base
                place = thing.__array_interface__["data"][0]
                sizes[place] = [thing.nbytes, str(thing.dtype), owners.get(place, "other")]
            elif isinstance(thing, dict):
                stack += [*thing.keys(), *thing.values()]
            elif isinstance(thing, (list, tuple, set, frozenset)):
                stack += thing
            elif hasattr(thing, "next_functions") and not isinstance(thing, type):
                stack += [node for node, _ in thing.next_functions]
                stack += [getattr(thing, name) for name in dir(thing) if name.startswith("_saved_")]
                stack += [getattr(thing, "saved_tensors", None), getattr(thing, "__dict__", None)]
            elif isinstance(thing, (types.FunctionType, types.MethodType)):
                stack += [cell.cell_contents for cell in getattr(thing, "__closure__", None) or ()]
                stack += [getattr(thing, "__defaults__", None), getattr(thing, "__self__", None)]
            elif isinstance(thing, type):
                if thing.__module__ == "submission":
                    stack += [value for key, value in vars(thing).items() if not key.startswith("__")]
            else:
                try:
                    sizes[id(thing)] = [memoryview(thing).nbytes, type(thing).__name__, "other"]
                except TypeError:
                    stack.append(getattr(thing, "__dict__", None))
        return sizes

    def outside():
        return sum(
            size
            for size, _, _ in found(
                [value for name, value in vars(student).items() if not name.startswith("__")], {}
            ).values()
        )

    answers = []
    for name, x in cases:
        x.requires_grad_()
        owners, alive = {}, []
        function = getattr(student, name)
        before = outside()
        y = function.apply(x)
        owners = {x.untyped_storage().data_ptr(): "input", y.untyped_storage().data_ptr(): "output"}
        sizes = found([y.grad_fn], {})
        answers.append(
            {
                "items": sorted(sizes.values(), key=str),
                "outside": outside() - before,
                "function": isinstance(function, type) and issubclass(function, torch.autograd.Function),
            }
        )
    return answers


class Kept(msgspec.Struct):
    """`items` has bytes, dtype and owner of everything that is kept; `outside` is what lies in globals, compared with before."""

    items: list[tuple[int, str, str]]
    outside: int
    function: bool


@probe
def large(student, name, entries, megabytes):
    """A forward pass on a large tensor, of which nothing is left but the graph. The judge reads the memory before and after."""
    import torch

    x = torch.ones((), dtype=torch.float64, requires_grad=True)
    function = getattr(student, name)
    megabytes()
    graph = function.apply(x.expand(entries).contiguous()).grad_fn
    megabytes()
    return graph is not None


def expect_memory_within_budget(student: Student, name: str) -> None:
    megabytes = Megabytes(student)
    recorded = student.run(large, name, LARGE, megabytes, returns=bool)
    expect(recorded and len(megabytes.read) == 2, f"The result of {name} has no graph.", name)
    before, after = megabytes.read
    allowed = LARGE / 1e6 if name == "Relu" else LARGE_MEGABYTES
    message = (
        f"For an input of {LARGE_MEGABYTES:.0f} MB, {name} keeps {after - before:.0f} MB for its backward pass; "
        f"its budget is {allowed:.0f}."
    )
    expect(after - before < allowed + LARGE_MEGABYTES / 4, message, f"The memory that {name} keeps for backward")


def budget(name: str, x: torch.Tensor) -> int:
    return x.numel() * (1 if name == "Relu" else x.element_size())


def expect_budget(student: Student, name: str, xs: list[torch.Tensor]) -> None:
    answers = student.run(kept, [[name, x] for x in xs], returns=list[Kept])
    if len(answers) != len(xs):
        raise fail(f"What {name} keeps could not be read.")
    for x, answer in zip(xs, answers, strict=True):
        shown = {"x": x, "bytes of x": x.numel() * x.element_size()}
        what = f"The bytes that {name} keeps for backward"
        expect(answer.function, f"{name} should be a subclass of torch.autograd.Function.", name)
        total, allowed = sum(size for size, _, _ in answer.items), budget(name, x)
        if total > allowed:
            parts = ", ".join(f"{size} bytes of {dtype[:20]} ({owner[:20]})" for size, dtype, owner in answer.items[:6])
            message = f"{name} keeps {total} bytes for its backward pass; its budget is {allowed}. They are: {parts}."
            raise fail(message, what, shown, expected=allowed, given=total)
        message = f"{name} has left {answer.outside} bytes outside of ctx, for example in a global variable."
        expect(answer.outside <= 0, message, what, shown, given=answer.outside)


@probe
def edited(student, cases):
    """Forward, then an edit of the input, of the output or of both, then backward."""
    import torch

    answers = []
    for name, where, x, g, factor in cases:
        leaf = x.requires_grad_()
        argument = leaf * 1.0
        y = getattr(student, name).apply(argument)
        with torch.no_grad():
            for edited in [t for t, place in ((argument, "input"), (y, "output")) if place in where]:
                edited.mul_(factor).sub_(0.3)
        try:
            (gradient,) = torch.autograd.grad(y, leaf, g)
            answers.append({"raised": False, "gradient": gradient})
        except RuntimeError:
            answers.append({"raised": True, "gradient": None})
    return answers


class Edited(msgspec.Struct):
    raised: bool
    gradient: Any


def expect_safe(student: Student, rng: np.random.Generator, where: str) -> None:
    """An error, or the gradient for the numbers from before. Without an edit, an error is not accepted."""
    cases = []
    for name in NAMES:
        for place in (where, "nothing"):
            x = numbers(rng, 4)
            cases.append((name, place, x, numbers(rng, 4), float(rng.uniform(-2.0, -0.5))))
    sent = [[name, place, x, g, factor] for name, place, x, g, factor in cases]
    answers = student.run(edited, sent, returns=list[Edited])
    if len(answers) != len(cases):
        raise fail("The gradients after an edit could not be read.")
    for answer, (name, place, x, g, _) in zip(answers, cases, strict=True):
        shown = {"x before": x, "upstream": g, "edited": place}
        leaf = x.detach().requires_grad_()
        (truth,) = torch.autograd.grad(REFERENCES[name](leaf), leaf, g)
        what = f"The gradient of {name}, after an edit of {place} between forward and backward,"
        if place == "nothing":
            expect(not answer.raised, f"backward of {name} raised an error although nothing was modified.", name, shown)
            what = f"The gradient of {name}"
        if not answer.raised:
            expect_close(answer.gradient, truth.detach(), what, shown)


@check("Sigmoid: value and gradient", points=1)
def sigmoid_simple(student: Student, rng: np.random.Generator) -> None:
    expect_gradients(student, rng, "Sigmoid", [numbers(rng, 4), numbers(rng, 2, 3)])


@check("Relu: value and gradient", points=1)
def relu_simple(student: Student, rng: np.random.Generator) -> None:
    expect_gradients(student, rng, "Relu", [numbers(rng, 4), numbers(rng, 2, 3)])


@check("Silu: value and gradient", points=1)
def silu_simple(student: Student, rng: np.random.Generator) -> None:
    expect_gradients(student, rng, "Silu", [numbers(rng, 4), numbers(rng, 2, 3)])


@check("The budgets of all three for 100 entries", points=2, seconds=3)
def budgets(student: Student, rng: np.random.Generator) -> None:
    for name in NAMES:
        expect_budget(student, name, [numbers(rng, 100)])
    expect_memory_within_budget(student, str(rng.choice(NAMES)))


@check("Any shape, in double and single precision", points=2, hidden=True)
def shapes_and_types(student: Student, rng: np.random.Generator) -> None:
    shapes: list[tuple[int, ...]] = [(), (1,), (0,), (2, 0, 3), (2, 3, 4), (17,)]
    for name in NAMES:
        expect_gradients(student, rng, name, [numbers(rng, *s, dtype=d) for s in shapes for d in ("float64", "float32")])


@check("Zeros of either sign, tiny and large numbers", points=2.5, hidden=True)
def special_points(student: Student, rng: np.random.Generator) -> None:
    """The magnitudes one by one: beside a large entry, the error of a small one would not be seen."""
    for name in NAMES:
        xs = []
        for dtype in (torch.float64, torch.float32):
            beside = numbers(rng, 3).to(dtype)
            xs += [torch.cat([torch.tensor([0.0, -0.0], dtype=dtype), beside]), torch.zeros((), dtype=dtype)]
            xs += [torch.tensor([size, -size], dtype=dtype) for size in (1e-30, 1e-5, 30.0, 90.0, 360.0, 700.0)]
            xs += [torch.tensor(float(sign * rng.uniform(95, 700)), dtype=dtype) for sign in (-1, 1)]
        expect_gradients(student, rng, name, xs)


@check("The budgets for other shapes and in single precision", points=2.5, hidden=True, seconds=6)
def other_budgets(student: Student, rng: np.random.Generator) -> None:
    size = int(rng.integers(33, 70))
    for name in NAMES:
        xs = [numbers(rng, *shape, dtype="float32") for shape in ((64,), (2, 3, 8), (1,), (0,), (size,))]
        ones = [abs(numbers(rng, 64)), -abs(numbers(rng, 8, 5)), torch.zeros(32, dtype=torch.float64)]
        expect_budget(student, name, [*xs, *ones, numbers(rng, size), numbers(rng)])
    for name in NAMES:
        expect_memory_within_budget(student, name)


@check("The input is modified in place before backward", points=1.5, hidden=True)
def input_edited(student: Student, rng: np.random.Generator) -> None:
    expect_safe(student, rng, "input")


@check("The output is modified in place before backward", points=1.5, hidden=True)
def output_edited(student: Student, rng: np.random.Generator) -> None:
    expect_safe(student, rng, "output")
    expect_safe(student, rng, "input and output")


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    for name in NAMES:
        shapes = [tuple(int(n) for n in rng.integers(0, 4, size=int(rng.integers(0, 4)))) for _ in range(3)]
        dtype = str(rng.choice(["float64", "float32"]))
        xs = [numbers(rng, *shape, dtype=dtype) * float(rng.choice([0.0, 1e-3, 1.0, 100.0])) for shape in shapes]
        asked = [[[x], [numbers(rng, *x.shape, dtype=dtype) * float(rng.choice([0.0, 1.0]))]] for x in xs]
        student.operate("function.vjp", asked, name=name)
        student.run(kept, [[name, x] for x in xs], returns=list[Kept])
        where = str(rng.choice(["input", "output", "input and output", "nothing"]))
        student.run(edited, [[name, where, numbers(rng, 3), numbers(rng, 3), 2.0]], returns=list[Edited])


# -- what the diagnosis can tell from wrong answers ----------------------------------------------------------------------


def read_kept(answers: list[dict[str, Any]], cases: list[Any]) -> list[dict[str, Any]]:
    """What is kept may be anything within the budget: only what exceeds it is compared."""
    found = []
    for answer, (name, x) in zip(answers, cases, strict=True):
        entries = to_numpy(x)
        allowed = entries.size * (1 if name == "Relu" else entries.itemsize)
        over = sum(size for size, _, _ in answer["items"]) > allowed
        items = answer["items"] if over else []
        found.append(
            {
                "name": name,
                "over": over,
                "items": items,
                "outside": max(answer["outside"], 0),
                "function": answer["function"],
            }
        )
    return found


def read_edited(answers: list[dict[str, Any]], cases: list[Any]) -> list[dict[str, Any]]:
    """An error is as good as the right gradient, where something was edited."""
    found = []
    for answer, (name, where, x, g, _) in zip(answers, cases, strict=True):
        leaf = torch.from_numpy(to_numpy(x).copy()).requires_grad_()
        (right,) = torch.autograd.grad(REFERENCES[name](leaf), leaf, torch.from_numpy(to_numpy(g).copy()))
        gradient = right.numpy() if answer["raised"] and where != "nothing" else answer["gradient"]
        found.append({"where": where, "raised": answer["raised"] and where == "nothing", "gradient": gradient})
    return found


def float_mask(right: list[dict[str, Any]], given: list[dict[str, Any]]) -> bool:
    """Everything over the budget belongs to Relu: one tensor of floats of its own."""
    over = [answer for answer in given if answer["over"]]
    own = all([owner for _, _, owner in a["items"]] == ["other"] and "float" in a["items"][0][1] for a in over)
    return bool(over) and own and all(a["name"] == "Relu" for a in over)


def over_budget(right: list[dict[str, Any]], given: list[dict[str, Any]]) -> bool:
    return any(a["over"] or a["outside"] for a in given) and not float_mask(right, given)


def unnoticed(right: list[dict[str, Any]], given: list[dict[str, Any]]) -> bool:
    """Wrong only where something was edited."""
    wrong = [b["where"] for a, b in zip(right, given, strict=True) if not alike(a["gradient"], b["gradient"])]
    return bool(wrong) and "nothing" not in wrong


def alike(one: Any, other: Any) -> bool:
    return other is not None and bool(np.allclose(to_numpy(one), to_numpy(other), rtol=1e-7, atol=1e-10))


reads_as("kept", read_kept)
reads_as("edited", read_edited)
for place in ("budgets", "other-budgets"):
    symptom("float-mask", float_mask, check=place)
    symptom("saves-too-much", over_budget, check=place)
for place in ("input-edited", "output-edited"):
    symptom("ctx-attribute", unnoticed, check=place)
forward_of("Sigmoid", lambda x: 1 / (1 + torch.exp(-x)))
forward_of("Relu", torch.relu)
forward_of("Silu", lambda x: x * torch.sigmoid(x))
