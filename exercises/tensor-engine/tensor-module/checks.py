"""Scenes: short programs that build models from attributes, lists and parameters, and ask them for their parameters at the end
and in between. The judge executes the same programs on plain dictionaries and lists."""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import msgspec
import numpy as np

from autograder.judge.arrays import Numbers, to_numpy
from autograder.judge.checks import (
    CheckFailed,
    Student,
    array,
    check,
    expect,
    expect_close,
    fail,
    probe,
    variety,
)
from autograder.judge.checks.random_programs import drawn, random_program
from autograder.judge.checks.recording import record_expected
from autograder.judge.checks.tensors import ComparedTensors, Slot, TensorProgram, ask_programs, expect_tensor_programs
from autograder.judge.diagnosis import raises, reads_as, symptom
from autograder.judge.report import Detail, Shown
from autograder.judge.text import neutralise

Listed = list[tuple[str, int]]

# -- scenes ---------------------------------------------------------------------------------------------------------------


class Scene(msgspec.Struct):
    """Statements for the probe `listed`. A value is a pair of a kind and its content; parameters are known by their number."""

    data: list[Any]
    statements: list[list[Any]] = []
    lines: list[str] = []

    def set(self, module: str, attribute: str, value: list[Any]) -> None:
        self._add(["set", module, attribute, value], f"{module}.{attribute} = {text(value)}")

    def append(self, module: str, attribute: str, value: list[Any]) -> None:
        self._add(["append", module, attribute, value], f"{module}.{attribute}.append({text(value)})")

    def pop(self, module: str, attribute: str) -> None:
        self._add(["pop", module, attribute], f"del {module}.{attribute}[0]")

    def delete(self, module: str, attribute: str) -> None:
        self._add(["delete", module, attribute], f"del {module}.{attribute}")

    def freeze(self, number: int) -> None:
        self._add(["freeze", number], f"p{number}.requires_grad = False")

    def ask(self, module: str) -> None:
        self._add(["ask", module], f"{module}.named_parameters()")

    def _add(self, statement: list[Any], line: str) -> None:
        self.statements.append(statement)
        self.lines.append(line)


def scene(rng: np.random.Generator, count: int = 5) -> Scene:
    return Scene([array(drawn(rng, (2,))) for _ in range(count)], [], [])


def text(value: list[Any]) -> str:
    kind, content = value
    if kind in ("list", "tuple"):
        inner = ", ".join(text(item) for item in content)
        return f"[{inner}]" if kind == "list" else f"({inner}{',' if len(content) == 1 else ''})"
    words = {"parameter": f"p{content}", "result": f"p{content} * 2.0", "tensor": "Tensor(..., requires_grad=True)"}
    words |= {"module": str(content), "attribute": str(content), "function": "len", "array": "np.ones(2)"}
    return words.get(kind, repr(content))


def param(number: int) -> list[Any]:
    return ["parameter", number]


def child(name: str) -> list[Any]:
    return ["module", name]


def a_list(*items: list[Any]) -> list[Any]:
    return ["list", list(items)]


@probe
def listed(student, scenes):
    """Runs every scene. Each question is answered with two lists: names and numbers, and numbers alone."""
    import numpy as np

    def number_of(value, parameters):
        return next((n for n, p in enumerate(parameters) if p is value), -1)

    answer = []
    for scene in scenes:
        parameters = [student.Parameter(np.array(values)) for values in scene["data"]]
        modules, found = {}, []

        def module(name):
            if name not in modules:
                modules[name] = type(name.title(), (student.Module,), {})()
            return modules[name]

        def made(value):
            kind, content = value
            if kind in ("list", "tuple"):
                return (list if kind == "list" else tuple)([made(item) for item in content])
            if kind == "module":
                return module(content)
            if kind == "attribute":
                owner, _, attribute = content.partition(".")
                return getattr(module(owner), attribute)
            if kind == "parameter":
                return parameters[content]
            if kind == "result":
                return parameters[content] * 2.0
            if kind == "tensor":
                return student.Tensor(np.array(scene["data"][content]), requires_grad=True)
            return len if kind == "function" else np.ones(2) if kind == "array" else content

        for name, *operands in scene["statements"]:
            if name == "set":
                setattr(module(operands[0]), operands[1], made(operands[2]))
            elif name == "append":
                getattr(module(operands[0]), operands[1]).append(made(operands[2]))
            elif name == "pop":
                del getattr(module(operands[0]), operands[1])[0]
            elif name == "delete":
                delattr(module(operands[0]), operands[1])
            elif name == "freeze":
                parameters[operands[0]].requires_grad = False
            else:
                root = module(operands[0])
                named = [[name, number_of(p, parameters)] for name, p in root.named_parameters()]
                found.append({"named": named, "parameters": [number_of(p, parameters) for p in root.parameters()]})
        answer.append(found)
    return answer


class Answer(msgspec.Struct):
    named: list[tuple[Any, int]]
    parameters: list[int]


# -- the same on plain dictionaries, also with the rules that are common mistakes --------------------------------------------


class Model(dict[str, Any]):
    """The attributes of a module."""


class Leaf(msgspec.Struct, eq=False):
    """A parameter by its number, or a tensor that is none."""

    number: int
    is_parameter: bool
    frozen: bool = False


Rule = Callable[[Any, str], Iterator[tuple[str, Leaf]]]


def found_in(value: Any, name: str) -> Iterator[tuple[str, Leaf]]:
    if isinstance(value, Leaf):
        if value.is_parameter:
            yield name, value
    else:
        for key, item in items_of(value):
            yield from found_in(item, joined(name, key))


def items_of(value: Any) -> list[tuple[Any, Any]]:
    if isinstance(value, Model):
        return list(value.items())
    return list(enumerate(value)) if isinstance(value, list | tuple) else []


def joined(name: str, key: Any) -> str:
    return f"{name}.{key}" if name else str(key)


def execute(
    asked: Scene, rule: Rule = found_in, first: Callable[[Any], Listed] | None = None, **habits: bool
) -> list[Listed]:
    """What each question of a scene should answer, or what it would answer with another rule or habit."""
    leaves = [Leaf(number, True) for number in range(len(asked.data))]
    modules: dict[str, Model] = {}
    answers: list[Listed] = []
    once = first or first_names

    def made(value: list[Any]) -> Any:
        kind, content = value
        if kind in ("list", "tuple"):
            return (list if kind == "list" else tuple)([made(item) for item in content])
        if kind == "module":
            return modules.setdefault(content, Model())
        if kind == "attribute":
            owner, _, attribute = content.partition(".")
            return modules[owner][attribute]
        if kind == "parameter":
            return leaves[content]
        return Leaf(-1, False) if kind in ("result", "tensor") else None

    for name, *operands in asked.statements:
        owner = modules.setdefault(operands[0], Model()) if isinstance(operands[0], str) else Model()
        if name == "set":
            value = made(operands[2])
            if habits.get("moves_to_the_end") and owner.get(operands[1]) is not None:
                del owner[operands[1]]
            if habits.get("empty_has_no_place") and owner.get(operands[1], 0) is None:
                del owner[operands[1]]
            if habits.get("stale") and not isinstance(value, Leaf | Model | list | tuple) and operands[1] in owner:
                continue
            if habits.get("snapshot") and isinstance(value, list):
                value = list(value)
            owner[operands[1]] = value
        elif name == "append" and not habits.get("snapshot"):
            owner[operands[1]].append(made(operands[2]))
        elif name == "pop" and not habits.get("snapshot"):
            del owner[operands[1]][0]
        elif name == "delete" and not habits.get("stale"):
            del owner[operands[1]]
        elif name == "freeze":
            leaves[operands[0]].frozen = True
        elif name == "ask":
            answers.append(once(list(rule(owner, ""))))
    return answers


def first_names(found: list[tuple[str, Leaf]]) -> Listed:
    names: dict[int, tuple[str, int]] = {}
    for name, leaf in found:
        names.setdefault(id(leaf), (name, leaf.number))
    return list(names.values())


def expect_listed(student: Student, scenes: list[Scene]) -> None:
    sent = [{"data": asked.data, "statements": asked.statements} for asked in scenes]
    answers = student.run(listed, sent, returns=list[list[Answer]])
    expect(len(answers) == len(scenes), "The parameters could not be read.")
    pairs = sorted(zip(scenes, answers, strict=True), key=lambda pair: len(pair[0].lines))
    for asked, given in pairs:  # the shortest program that fails is reported
        truths = execute(asked)
        expect(len(given) == len(truths), "The parameters could not be read.")
        for place, (truth, answer) in enumerate(zip(truths, given, strict=True)):
            expect_one(asked, place, truth, answer)


def expect_one(asked: Scene, place: int, truth: Listed, answer: Answer) -> None:
    ends = [n for n, line in enumerate(asked.lines) if line.endswith(".named_parameters()")]
    code = "\n".join(
        [
            "# p0, p1, ...: parameters",
            *(line for line in asked.lines[: ends[place]] if not line.endswith(".named_parameters()")),
            asked.lines[ends[place]],
        ]
    )
    record_expected(truth)
    right, mine = (
        [
            f"{neutralise(str(name), 64)}: p{n}" if n >= 0 else f"{neutralise(str(name), 64)}: no parameter of the program"
            for name, n in rows
        ]
        for rows in (truth, answer.named[:40])
    )
    if [list(row) for row in answer.named] != [list(row) for row in truth]:
        raise other_lines("named_parameters() is wrong after this program.", "named_parameters()", right, mine, code)
    if answer.parameters != [n for _, n in truth]:
        message = (
            "parameters() should give the same parameters as named_parameters(), in the same order, after this program."
        )
        numbers = ([f"p{n}" for n in found] for found in ([n for _, n in truth], answer.parameters[:40]))
        raise other_lines(message, "parameters()", *numbers, code)


def other_lines(message: str, what: str, right: list[str], mine: list[str], program: str = "") -> CheckFailed:
    """Two lists that are compared line by line, after a program."""
    expected, given = (Shown("text", tuple(lines), (len(lines),)) for lines in (right, mine))
    return CheckFailed(message, Detail(what, {}, expected, given, note=program))


# -- public ------------------------------------------------------------------------------------------------------------------


@probe
def network(student, x, numbers):
    """The network of the statement with other numbers: its names, value and gradients, and the gradients after zero_grad."""
    import numpy as np

    class Linear(student.Module):
        def __init__(self, weight, bias):
            super().__init__()
            self.weight = student.Parameter(weight)
            self.bias = student.Parameter(bias)

        def forward(self, x):
            return x @ self.weight + self.bias

    class Network(student.Module):
        def __init__(self):
            super().__init__()
            self.scale = student.Parameter(numbers[0])
            self.layers = [Linear(numbers[1], numbers[2]), Linear(numbers[3], numbers[4])]

        def forward(self, x):
            for layer in self.layers:
                x = layer(x)
            return x * self.scale

    model = Network()
    y = model(student.Tensor(np.array(x)))
    y.backward(np.ones(y.data.shape))
    found = list(model.named_parameters())
    answer = [np.array(y.data), [name for name, _ in found], [p.grad for _, p in found]]
    model.zero_grad()
    return [*answer, [p.grad for _, p in found]]


@check("A network of two layers", points=1)
def example(student: Student, rng: np.random.Generator) -> None:
    program = TensorProgram()
    x = program.input(drawn(rng, (1, 2)), "x", requires_grad=False)
    shapes: list[tuple[str, tuple[int, ...]]] = [("scale", ()), ("layers.0.weight", (2, 3)), ("layers.0.bias", (3,))]
    shapes += [("layers.1.weight", (3, 1)), ("layers.1.bias", (1,))]
    s, w0, b0, w1, b1 = slots = [program.input(drawn(rng, shape), name) for name, shape in shapes]
    y = program.name("y", ((x @ w0 + b0) @ w1 + b1) * s)
    program.backward(y)
    sent = [array(slot.value) for slot in slots]
    value, names, grads, cleared = student.run(
        network, array(x.value), sent, returns=tuple[Any, list[str], list[Any], list[Any]]
    )
    expect_close(value, y.value, "network(x).data")
    truth = [name for name, _ in shapes]
    record_expected(truth)
    shown = [neutralise(name, 64) for name in names[:40]]
    if names != truth:
        raise other_lines("The names that named_parameters() gives are wrong.", "names", truth, shown)
    expect(len(grads) == len(slots) == len(cleared), "The gradients could not be read.")
    for name, slot, given in zip(truth, slots, grads, strict=True):
        expect_close(given, program.gradient(slot.number), f"The gradient of {name}", program.inputs())
    for name, given in zip(truth, cleared, strict=True):
        expect(given is None, f"After network.zero_grad(), the .grad of {name} should be None.", name)


@probe
def types(student, x):
    """What a parameter is, and what the result of an operation on parameters is."""
    import numpy as np

    with student.no_grad():
        p = student.Parameter(np.array(x))
    q = student.Parameter([[1, 2], [3, 4]])
    r = student.Parameter(2)
    results = [p * p, p + 1.0, 2.0 * p, q @ q, p.tanh()]
    made = [p, q, r]
    answer = {
        "tensors": [isinstance(item, student.Tensor) for item in made],
        "parameters": [isinstance(item, student.Parameter) for item in (*made, *results, student.Tensor(x))],
        "flags": [item.requires_grad is True for item in (*made, *results)],
        "grads": [item.grad is None for item in made],
        "data": [np.asarray(item.data) for item in made],
    }
    (p * p * r).backward(np.ones(2))
    return {**answer, "after": [p.grad, r.grad]}


class Types(msgspec.Struct):
    tensors: list[bool]
    parameters: list[bool]
    flags: list[bool]
    grads: list[bool]
    data: list[Any]
    after: list[Any]


def expect_types(student: Student, x: Numbers) -> None:
    answer = student.run(types, array(x), returns=Types)
    lengths = [len(answer.tensors), len(answer.parameters), len(answer.flags), len(answer.grads), len(answer.data)]
    expect([*lengths, len(answer.after)] == [3, 9, 8, 3, 3, 2], "The types could not be read.")
    expect(all(answer.tensors), "A Parameter should be a Tensor.", "isinstance(Parameter(data), Tensor)")
    expect(all(answer.parameters[:3]), "Parameter(data) should make a Parameter.", "isinstance(Parameter(data), Parameter)")
    message = "The result of an operation on a parameter should be a Tensor, but is a Parameter."
    expect(not any(answer.parameters[3:]), message, "isinstance(p * p, Parameter)")
    for what, flag in zip(("created in a no_grad() block", "of a matrix", "of a number"), answer.flags, strict=False):
        expect(flag, f"A parameter {what} should have requires_grad True.", "requires_grad")
    expect(all(answer.flags), "The result of an operation on a parameter should require grad.", "requires_grad")
    expect(all(answer.grads), "The .grad of a new parameter should be None.", "grad")
    for given, truth in zip(answer.data, (x, np.array([[1.0, 2.0], [3.0, 4.0]]), np.array(2.0)), strict=True):
        expect_close(given, truth, "Parameter(data).data")
    for given, truth in zip(answer.after, (4 * x, np.asarray((x * x).sum())), strict=True):
        expect_close(given, truth, "The gradient of a parameter", {"x": x})


@check("Parameters are tensors", points=1)
def parameters_are_tensors(student: Student, rng: np.random.Generator) -> None:
    expect_types(student, drawn(rng, (2,)))


@check("Modules in modules and in lists", points=1)
def nested(student: Student, rng: np.random.Generator) -> None:
    flat, deep, lists = (scene(rng) for _ in range(3))
    for number, name in enumerate(("w", "b", "a")):
        flat.set("model", name, param(number))
    deep.set("model", "gain", param(0))
    deep.set("model", "block", child("block"))
    deep.set("model", "bias", param(1))
    deep.set("block", "weight", param(2))
    deep.set("block", "inner", child("inner"))
    deep.set("inner", "weight", param(3))
    lists.set("first", "weight", param(0))
    lists.set("second", "weight", param(1))
    lists.set("model", "layers", a_list(child("first"), child("second")))
    lists.set("model", "shift", param(2))
    for each in (flat, deep, lists):
        each.ask("model")
    expect_listed(student, [flat, deep, lists])


@check("Shared parameters, tuples and other attributes", points=1)
def mixed(student: Student, rng: np.random.Generator) -> None:
    """An autoencoder whose decoder uses the weight of the encoder."""
    model = scene(rng)
    model.set("encoder", "weight", param(0))
    model.set("encoder", "bias", param(1))
    model.set("decoder", "weight", param(0))
    model.set("decoder", "bias", param(2))
    model.set("model", "name", ["plain", "autoencoder"])
    model.set("model", "encoder", child("encoder"))
    model.set("model", "mean", ["tensor", 0])
    model.set("model", "samples", ["array", 0])
    model.set("model", "rest", ["tuple", [child("decoder"), param(3)]])
    model.ask("model")
    expect_listed(student, [model])


# -- hidden ------------------------------------------------------------------------------------------------------------------


def containers(rng: np.random.Generator) -> list[Scene]:
    """Lists and tuples of everything, nested; siblings after nested ones; questions to submodules; long lists."""
    mixed, nested_lists, long, empty = scene(rng, 6), scene(rng, 6), scene(rng, 12), scene(rng, 1)
    mixed.set("block", "weight", param(3))
    mixed.set("model", "parts", a_list(param(0), child("block"), ["tuple", [param(1)]], param(2)))
    mixed.set("model", "pair", ["tuple", [param(4), child("other")]])
    mixed.set("other", "_weight", param(5))
    nested_lists.set("b", "bias", param(1))
    nested_lists.set("c", "weights", a_list(param(2), param(3)))
    nested_lists.set(
        "a", "blocks", a_list(a_list(child("b"), a_list()), a_list(a_list(["tuple", [child("c")]])), child("c"))
    )
    nested_lists.set("a", "bias", param(0))
    nested_lists.set("model", "z", child("a"))
    nested_lists.set("model", "b", param(4))
    long.set("model", "stack", a_list(*(param(number) for number in range(12))))
    empty.set("model", "nothing", a_list())
    empty.set("model", "block", child("empty"))
    for each in (mixed, nested_lists, long, empty):
        each.ask("model")
    nested_lists.ask("a")
    nested_lists.ask("b")
    return [mixed, nested_lists, long, empty]


@check("Lists and tuples of all kinds", points=1, hidden=True)
def all_containers(student: Student, rng: np.random.Generator) -> None:
    expect_listed(student, containers(rng))


def sharing(rng: np.random.Generator) -> list[Scene]:
    """Parameters, modules and lists that are reached in several ways, near and far; equal data."""
    tied, shared, lists, far, alike = (scene(rng) for _ in range(5))
    tied.set("encoder", "weight", param(0))
    tied.set("decoder", "bias", param(1))
    tied.set("decoder", "weight", param(0))
    tied.set("model", "encoder", child("encoder"))
    tied.set("model", "decoder", child("decoder"))
    tied.ask("model")
    tied.ask("decoder")
    shared.set("block", "weight", param(0))
    shared.set("block", "bias", param(1))
    shared.set("model", "layers", a_list(child("block"), child("block"), param(2), child("block")))
    shared.set("model", "last", child("block"))
    shared.set("model", "copy", param(2))
    lists.set("model", "one", a_list(param(0), param(1)))
    lists.set("model", "other", ["attribute", "model.one"])
    lists.set("model", "again", a_list(param(1), param(2), param(1)))
    far.set("leaf", "weight", param(0))
    far.set("inner", "leaf", child("leaf"))
    far.set("inner", "bias", param(1))
    far.set("model", "deep", child("inner"))
    far.set("model", "weight", param(0))
    far.set("model", "bias", param(1))
    far.set("model", "own", param(2))
    values = drawn(rng, (2,))
    alike.data = [array(values), array(values), array(0.0 * values), array(-0.0 * values), array(values)]
    alike.set("block", "weight", param(0))
    alike.set("twin", "weight", param(1))
    alike.set("model", "layers", a_list(child("block"), child("twin"), param(2), param(3)))
    alike.set("model", "weight", param(4))
    for each in (shared, lists, far, alike):
        each.ask("model")
    return [tied, shared, lists, far, alike]


@check("Shared parameters and modules", points=1, hidden=True)
def shared(student: Student, rng: np.random.Generator) -> None:
    expect_listed(student, sharing(rng))


def changes(rng: np.random.Generator) -> list[Scene]:
    replaced, removed, grown, late = (scene(rng, 6) for _ in range(4))
    replaced.set("model", "weight", param(0))
    replaced.set("model", "bias", param(1))
    replaced.set("model", "block", child("block"))
    replaced.set("block", "weight", param(2))
    replaced.ask("model")
    replaced.set("model", "weight", param(3))
    replaced.set("model", "block", param(4))
    replaced.ask("model")
    replaced.set("model", "bias", ["plain", None])
    replaced.set("model", "block", child("other"))
    replaced.set("other", "weight", param(5))
    replaced.ask("model")
    replaced.set("model", "weight", ["tensor", 0])
    replaced.ask("model")
    removed.set("model", "a", param(0))
    removed.set("model", "b", param(1))
    removed.set("model", "c", child("block"))
    removed.set("block", "w", param(2))
    removed.ask("model")
    removed.delete("model", "a")
    removed.ask("model")
    removed.set("model", "a", param(0))
    removed.delete("block", "w")
    removed.ask("model")
    grown.set("model", "layers", a_list(child("one")))
    grown.set("model", "last", param(0))
    grown.ask("model")
    grown.set("one", "weight", param(1))
    grown.append("model", "layers", param(2))
    grown.append("model", "layers", child("two"))
    grown.ask("model")
    grown.set("two", "weight", param(3))
    grown.set("two", "extra", param(4))
    grown.ask("model")
    grown.pop("model", "layers")
    grown.ask("model")
    late.set("model", "bias", ["plain", None])
    late.set("model", "gain", ["plain", 2.0])
    late.set("model", "weight", param(0))
    late.ask("model")
    late.set("model", "gain", param(1))
    late.set("model", "bias", param(2))
    late.ask("model")
    return [replaced, removed, grown, late]


@check("Attributes and lists that change", points=1, hidden=True)
def changed(student: Student, rng: np.random.Generator) -> None:
    expect_listed(student, changes(rng))


def others(rng: np.random.Generator) -> list[Scene]:
    """Tensors, arrays, texts, functions and numbers next to parameters, as attributes and in lists."""
    junk: list[list[Any]] = [
        ["tensor", 0],
        ["result", 0],
        ["array", 0],
        ["function", 0],
        ["plain", "text"],
        ["plain", ""],
        ["plain", None],
        ["plain", 1.5],
        ["plain", True],
    ]
    attributes, lists, frozen = (scene(rng) for _ in range(3))
    attributes.set("model", "weight", param(0))
    for number, value in enumerate(junk):
        attributes.set("model", f"other{number}", value)
        attributes.set("block", f"other{number}", value)
    attributes.set("model", "block", child("block"))
    attributes.set("model", "bias", param(1))
    lists.set("model", "sizes", a_list(["plain", 3], ["plain", 5]))
    lists.set("model", "parts", a_list(*junk, param(0), *junk, child("block"), ["tuple", junk]))
    lists.set("model", "last", param(2))
    lists.set("block", "weight", param(1))
    frozen.set("model", "weight", param(0))
    frozen.set("model", "layers", a_list(child("block"), param(1)))
    frozen.set("block", "weight", param(2))
    frozen.freeze(0)
    frozen.freeze(2)
    for each in (attributes, lists, frozen):
        each.ask("model")
    return [attributes, lists, frozen]


@check("What is a parameter and what is not", points=0.75, hidden=True)
def not_parameters(student: Student, rng: np.random.Generator) -> None:
    expect_listed(student, others(rng))


@probe
def cleared(student, x):
    """Gradients before and after zero_grad, of parameters everywhere in a model and of other tensors."""
    import numpy as np

    class Block(student.Module):
        def __init__(self, weight):
            super().__init__()
            self.weight = weight

    a, b, c, d, outside = (student.Parameter(np.array(x)) for _ in range(5))
    buffer = student.Tensor(np.array(x), requires_grad=True)
    model = student.Module()
    model.own, model.blocks, model.shared = a, [Block(b), (Block(c), [d])], b
    model.buffer = buffer
    answer = []
    for root in (model, model.blocks[0]):
        total = a * b + c * d + outside * buffer
        total.backward(np.ones(2))
        d.requires_grad = False
        held = [p.grad for p in (a, b, c, d)]
        root.zero_grad()
        answer.append([p.grad for p in (a, b, c, d, outside, buffer)])
        answer.append([np.array(grad) for grad in held])
        d.requires_grad = True
    model.zero_grad()
    student.Module().zero_grad()
    return [*answer, [p.grad for p in (a, b, c, d, outside, buffer)], [np.array(p.data) for p in (a, b, c, d)]]


@check("zero_grad", points=0.75, hidden=True)
def zero_grad(student: Student, rng: np.random.Generator) -> None:
    x = drawn(rng, (2,))
    answers = student.run(cleared, array(x), returns=list[list[Any]])
    expect([len(row) for row in answers] == [6, 4, 6, 4, 6, 4], "The gradients could not be read.")
    names = ("own", "blocks.0.weight", "blocks.1.0.weight", "blocks.1.1.0")
    none: list[Numbers | None] = [None] * 4
    expected: list[tuple[str, list[Numbers | None]]] = [
        ("after model.zero_grad()", [*none, x, x]),
        ("in the array that .grad held before model.zero_grad()", [x] * 4),
        ("after model.blocks[0].zero_grad()", [x, None, x, x, 2 * x, 2 * x]),
        ("in the array that .grad held before model.blocks[0].zero_grad()", [x] * 4),
        ("after a second call of model.zero_grad()", [*none, 2 * x, 2 * x]),
        ("in .data after model.zero_grad()", [x] * 4),
    ]
    for (when, truths), given in zip(expected, answers, strict=True):
        labels = (*names, "a parameter outside of the model", "a tensor that is not a parameter")
        for name, truth, value in zip(labels, truths, given, strict=False):
            what = f"The content of {name} {when}" if when.startswith("in") else f"The gradient of {name} {when}"
            if truth is None:
                expect(value is None, f"{what} should be None.", what)
            else:
                expect_close(value, truth, what, {"x": x})


@probe
def called(student, x, y):
    """Calls with arguments of all kinds. Exceptions are answered with their names."""
    import numpy as np

    class Sum(student.Module):
        def forward(self, a, b=2.0, *more, scale=1.0, **options):
            return [a + b, len(more), scale, sorted(options)]

    class Child(Sum):
        def __init__(self):
            super().__init__()
            self.parameter = student.Parameter(np.array(x))

        def forward(self, a):
            return a * self.parameter, super().forward(a, scale=3.0)

    class Nothing(student.Module):
        def forward(self):
            return None

    class Failing(student.Module):
        def forward(self, x):
            raise KeyError("raised in forward")

    def outcome(module, *arguments):
        try:
            module(*arguments)
        except Exception as error:
            return type(error).__name__[:64]
        return "no exception"

    t = student.Tensor(np.array(y))
    s, child = Sum(), Child()
    product, rest = child(t)
    return {
        "sums": [s(1.5), s(1.5, 4.0), s(1.5, b=5.0), s(1.0, 2.0, 3.0, 4.0, scale=0.5, mode="train", k=1)],
        "product": np.array(product.data),
        "rest": [np.array(rest[0].data), *rest[1:]],
        "nothing": Nothing()() is None,
        "outcomes": [
            outcome(student.Module()),
            outcome(student.Module(), t, 1),
            outcome(Failing(), t),
            outcome(Nothing(), t),
        ],
    }


class Called(msgspec.Struct):
    sums: list[Any]
    product: Any
    rest: list[Any]
    nothing: bool
    outcomes: list[str]


@check("Calls", points=0.75, hidden=True)
def calls(student: Student, rng: np.random.Generator) -> None:
    x, y = drawn(rng, (2,)), drawn(rng, (2,))
    answer = student.run(called, array(x), array(y), returns=Called)
    expect(len(answer.outcomes) == 4 and len(answer.rest) == 4, "The results of the calls could not be read.")
    truths: list[list[Any]] = [[3.5, 0, 1.0, []], [5.5, 0, 1.0, []], [6.5, 0, 1.0, []], [3.0, 2, 0.5, ["k", "mode"]]]
    record_expected(truths)
    message = (
        "A call of a module should pass all positional and keyword arguments to forward, and return what forward returns."
    )
    expect(answer.sums == truths, message, "module(...)")
    expect_close(answer.product, x * y, "child(t)[0].data", {"t": y})
    expect_close(answer.rest[0], y + 2.0, "child(t)[1][0].data", {"t": y})
    expect(answer.rest[1:] == [0, 3.0, []], message, "child(t)[1]")
    expect(answer.nothing, "A call should return what forward returns, which is None here.", "module()")
    expected = ("NotImplementedError", "NotImplementedError", "KeyError", "TypeError")
    whats = ("Module()()", "Module()(t, 1)", "A call whose forward raises a KeyError", "A call with too many arguments")
    for what, right, given in zip(whats, expected, answer.outcomes, strict=True):
        message = f"{what} should raise a {right}, but the outcome is: {neutralise(given, 64)}."
        expect(given == right, message, what, expected=right, given=given[:64])


def random_scene(rng: np.random.Generator, steps: int) -> Scene:
    """A model of up to four modules, where later modules contain earlier ones."""
    count = 6
    made = scene(rng, count)
    names = [f"m{n}" for n in range(int(rng.integers(2, 5)))]

    def value(owner: int, depth: int) -> list[Any]:
        kind = rng.random()
        if kind < 0.4:
            return param(int(rng.integers(count)))
        if kind < 0.6 and owner:
            return child(names[int(rng.integers(owner))])
        if kind < 0.85 and depth < 3:
            items = [value(owner, depth + 1) for _ in range(int(rng.integers(4)))]
            return [str(rng.choice(["list", "tuple"])), items]
        plain: list[list[Any]] = [["tensor", 0], ["plain", None], ["plain", "w"], ["array", 0], ["plain", 3]]
        return plain[int(rng.integers(len(plain)))]

    for name in names:
        made.set(name, "weight", param(int(rng.integers(count))))
    for before, after in pairwise(names):
        made.set(after, "inner", child(before))
    present = {(name, "weight") for name in names}
    for _ in range(steps):
        owner = int(rng.integers(len(names)))
        attribute = str(rng.choice(["a", "b", "weight", "_c"]))
        if rng.random() < 0.15 and (names[owner], attribute) in present:
            present.remove((names[owner], attribute))
            made.delete(names[owner], attribute)
        else:
            present.add((names[owner], attribute))
            made.set(names[owner], attribute, value(owner, 0))
        if rng.random() < 0.1:
            made.freeze(int(rng.integers(count)))
        if rng.random() < 0.2:
            made.ask(names[-1])
    made.ask(names[-1])
    return made


def engine_programs(rng: np.random.Generator) -> list[TensorProgram]:
    programs = [random_program(rng, ("+", "*", "tanh"), steps=6) for _ in range(12)]
    for shapes in (((2, 3), (3, 3)), ((3, 3), (3, 3))):
        program = TensorProgram()
        a, b = (program.input(drawn(rng, shape), name) for shape, name in zip(shapes, "ab", strict=True))
        c, d = program.input(drawn(rng, (3,)), "c"), program.input(drawn(rng, (shapes[0][0], 1)), "d")
        y: Slot = a @ b + (a * 0.5).call("tanh") @ b
        program.no_grad()
        fixed = y * 2.0
        program.grad_enabled()
        y = program.name("y", 0.5 * y * fixed + 1.5 + (2.0 + c) * d)
        for _ in range(2):
            program.backward(y, drawn(rng, y.shape))
        programs.append(program)
    for shape in ((), (1, 1)):
        program = TensorProgram()
        program.backward(program.name("y", program.input(drawn(rng, shape), "a").call("tanh") * 3))
        programs.append(program)
    return programs


@check("Larger models, and the engine", points=0.75, hidden=True)
def larger(student: Student, rng: np.random.Generator) -> None:
    expect_listed(student, [random_scene(rng, 12) for _ in range(15)])
    expect_types(student, drawn(rng, (2,)))
    expect_tensor_programs(student, engine_programs(rng))


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    scenes = [random_scene(rng, int(rng.integers(0, 12))) for _ in range(6)]
    scenes += [*containers(rng), *sharing(rng), *changes(rng), *others(rng)]
    student.run(listed, [{"data": asked.data, "statements": asked.statements} for asked in scenes])
    x, y = array(drawn(rng, (2,))), array(drawn(rng, (2,)))
    student.run(types, x)
    student.run(cleared, x)
    student.run(called, x, y)
    ask_programs(student, [ComparedTensors(program) for program in engine_programs(rng)])


# -- what the diagnosis can tell from wrong answers ----------------------------------------------------------------------------


def reading(answer: list[Any], scenes: list[Any]) -> dict[str, Any]:
    """The answers with their questions."""
    return {"answers": answer, "scenes": scenes}


def with_rule(
    rule: Rule = found_in, first: Callable[[Any], Listed] | None = None, **habits: bool
) -> Callable[[Any, Any], bool]:
    """The answers are those of another rule."""

    def when(right: dict[str, Any], given: dict[str, Any]) -> bool:
        scenes = [Scene(asked["data"], asked["statements"]) for asked in right["scenes"]]
        values = [[to_numpy(numbers) for numbers in asked.data] for asked in scenes]
        differs = False
        for asked, own, answers in zip(scenes, values, given["answers"], strict=True):
            equal = {n: next(m for m in range(n + 1) if np.array_equal(own[m], own[n])) for n in range(len(own))}
            pairs = zip(execute(asked), execute(asked, rule, first, **habits), answers, strict=True)
            for right_rows, rows, answer in pairs:
                wanted = rows if first is not by_value else distinct(rows, equal)
                if [tuple(row) for row in answer["named"]] != wanted:
                    return False
                differs |= wanted != right_rows
        return differs

    return when


def distinct(found: Listed, equal: dict[int, int]) -> Listed:
    """Each parameter of a group with equal data once."""
    names: dict[int, tuple[str, int]] = {}
    for name, number in found:
        names.setdefault(equal.get(number, number), (name, number))
    return list(names.values())


def by_value(found: list[tuple[str, Leaf]]) -> Listed:
    return first_names(found)


def all_names(found: list[tuple[str, Leaf]]) -> Listed:
    return [(name, leaf.number) for name, leaf in found]


def last_names(found: list[tuple[str, Leaf]]) -> Listed:
    """Every parameter where it was found first, under the name that it was given last."""
    names = {id(leaf): (name, leaf.number) for name, leaf in found}
    return list(names.values())


def last_places(found: list[tuple[str, Leaf]]) -> Listed:
    return first_names(found[::-1])[::-1]


def sorted_names(found: list[tuple[str, Leaf]]) -> Listed:
    return sorted(first_names(found))


def walk(
    order: Callable[[list[tuple[Any, Any]]], list[tuple[Any, Any]]] = lambda items: items,
    name_of: Callable[[str, Any, Any], str] = lambda name, key, owner: joined(name, key),
    enters: Callable[[Any, Any], bool] = lambda owner, item: True,
    takes: Callable[[Leaf, Any], bool] = lambda leaf, owner: leaf.is_parameter,
) -> Rule:
    """A depth-first search with other choices."""

    def rule(value: Any, name: str) -> Iterator[tuple[str, Leaf]]:
        for key, item in order(items_of(value)):
            if isinstance(item, Leaf):
                if takes(item, value):
                    yield name_of(name, key, value), item
            elif enters(value, item):
                yield from rule(item, name_of(name, key, value))

    return rule


def leaves_first(items: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    return sorted(items, key=lambda pair: not isinstance(pair[1], Leaf))


def lists_last(items: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    return sorted(items, key=lambda pair: isinstance(pair[1], list | tuple))


def own_modules_lists(items: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    return sorted(items, key=lambda pair: (not isinstance(pair[1], Leaf)) + isinstance(pair[1], list | tuple))


def leaves_last(items: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    return sorted(items, key=lambda pair: isinstance(pair[1], Leaf))


def by_levels(value: Any, name: str) -> Iterator[tuple[str, Leaf]]:
    waiting = [(name, value)]
    for prefix, owner in waiting:
        for key, item in items_of(owner):
            if isinstance(item, Leaf):
                if item.is_parameter:
                    yield joined(prefix, key), item
            else:
                waiting.append((joined(prefix, key), item))


def underscored_in(leaf: Leaf, owner: Any) -> bool:
    return isinstance(owner, Model) and all(key.startswith("_") for key, item in owner.items() if item is leaf)


def is_list(value: Any) -> bool:
    return isinstance(value, list | tuple)


def index_dropped(name: str, key: Any, owner: Any) -> str:
    return name if is_list(owner) else joined(name, key)


def bracketed(name: str, key: Any, owner: Any) -> str:
    return f"{name}[{key}]" if is_list(owner) else joined(name, key)


def glued(name: str, key: Any, owner: Any) -> str:
    return f"{name}{key}" if is_list(owner) else joined(name, key)


def from_one(name: str, key: Any, owner: Any) -> str:
    return joined(name, key + 1 if is_list(owner) else key)


def own_name(name: str, key: Any, owner: Any) -> str:
    return str(key)


def leading_dot(name: str, key: Any, owner: Any) -> str:
    return f"{name}.{key}"


def underscored(name: str, key: Any, owner: Any) -> str:
    return f"{name}_{key}" if name else str(key)


REVERSED = walk(order=lambda items: items[::-1])
ALPHABETICAL = walk(order=lambda items: sorted(items, key=lambda pair: str(pair[0])))
RULES: dict[str, list[Callable[[Any, Any], bool]]] = {
    "another-order": [
        *(with_rule(walk(order=order)) for order in (leaves_first, own_modules_lists, lists_last, leaves_last)),
        *(with_rule(rule) for rule in (by_levels, REVERSED, ALPHABETICAL)),
        with_rule(first=sorted_names),
    ],
    "duplicates-shared": [with_rule(first=all_names)],
    "later-name-of-shared": [with_rule(first=last_names), with_rule(first=last_places)],
    "identity-by-value": [with_rule(first=by_value)],
    "containers-not-searched": [
        with_rule(walk(enters=lambda owner, item: not is_list(item))),
        with_rule(walk(enters=lambda owner, item: not isinstance(item, tuple))),
        with_rule(walk(enters=lambda owner, item: not (is_list(owner) and is_list(item)))),
        with_rule(walk(enters=lambda owner, item: not (is_list(owner) and isinstance(item, Model)))),
        with_rule(walk(takes=lambda leaf, owner: leaf.is_parameter and not is_list(owner))),
        with_rule(
            walk(
                enters=lambda owner, item: not (is_list(owner) and is_list(item)),
                takes=lambda leaf, owner: leaf.is_parameter and not is_list(owner),
            )
        ),
    ],
    "tensors-as-parameters": [with_rule(walk(takes=lambda leaf, owner: True))],
    "underscored-left-out": [
        with_rule(walk(order=lambda items: [(key, item) for key, item in items if not str(key).startswith("_")])),
        with_rule(walk(takes=lambda leaf, owner: leaf.is_parameter and not underscored_in(leaf, owner))),
    ],
    "frozen-left-out": [with_rule(walk(takes=lambda leaf, owner: leaf.is_parameter and not leaf.frozen))],
    "wrong-names": [
        with_rule(walk(name_of=way))
        for way in (index_dropped, bracketed, glued, from_one, own_name, leading_dot, underscored)
    ],
    "stale-registration": [with_rule(stale=True), with_rule(snapshot=True), with_rule(stale=True, snapshot=True)],
    "place-lost": [
        with_rule(moves_to_the_end=True),
        with_rule(empty_has_no_place=True),
        with_rule(moves_to_the_end=True, empty_has_no_place=True),
    ],
}


def any_of(rules: list[Callable[[Any, Any], bool]]) -> Callable[[Any, Any], bool]:
    return lambda right, given: any(rule(right, given) for rule in rules)


def disagree(right: dict[str, Any], given: dict[str, Any]) -> bool:
    """The names are right, and the parameters without names are others."""
    pairs = [
        (answer, truth)
        for answers, truths in zip(given["answers"], right["answers"], strict=True)
        for answer, truth in zip(answers, truths, strict=True)
    ]
    same = all([list(row) for row in answer["named"]] == [list(row) for row in truth["named"]] for answer, truth in pairs)
    return same and any(answer["parameters"] != truth["parameters"] for answer, truth in pairs)


def rows_after(clearing: bool, holds: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    """Something is wrong with a gradient that should be None, or with one that should not."""

    def when(right: list[list[Any]], given: list[list[Any]]) -> bool:
        pairs = [pair for rows in zip(right, given, strict=True) for pair in zip(*rows, strict=True)]
        wanted = [(truth, value) for truth, value in pairs if (truth is None) is clearing]
        return any(holds(truth, value) for truth, value in wanted)

    return when


def is_zero(_: Any, value: Any) -> bool:
    return value is not None and not to_numpy(value).any()


def is_left(_: Any, value: Any) -> bool:
    return value is not None and bool(to_numpy(value).any())


def is_lost(truth: Any, value: Any) -> bool:
    return value is None or (not to_numpy(value).any() and bool(to_numpy(truth).any()))


reads_as("listed", reading)
for key, rules in RULES.items():
    symptom(key, any_of(rules))
symptom("methods-disagree", disagree)
symptom("rejects-other-attributes", raises("truth value of an array", "maximum recursion depth"), raised=True)
symptom("grad-zeroed-in-place", rows_after(True, is_zero), check="zero-grad")
symptom("zero-grad-incomplete", rows_after(True, is_left), check="zero-grad")
symptom("zero-grad-too-much", rows_after(False, is_lost), check="zero-grad")
symptom("call-loses-arguments", lambda right, given: right["sums"] != given["sums"], check="calls")
symptom("call-loses-arguments", raises("unexpected keyword argument", "positional argument"), check="calls", raised=True)
symptom(
    "forward-not-abstract",
    lambda right, given: right["sums"] == given["sums"] and right["outcomes"] != given["outcomes"],
    check="calls",
)
for check_id in ("parameters-are-tensors", "larger"):
    symptom("parameter-needs-grad-mode", lambda _, given: not all(given["flags"][:3]), check=check_id)
    symptom("results-are-parameters", lambda _, given: any(given["parameters"][3:]), check=check_id)
