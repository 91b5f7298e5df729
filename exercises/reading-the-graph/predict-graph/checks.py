"""The answers are read from graphs that the installed torch records here, once per process.

Every question is asked by itself, so that a wrong answer is judged and explained alone.
"""

import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import msgspec
import numpy as np

from autograder.judge.checks import Student, check, describe, expect, fail, probe, variety
from autograder.judge.checks.graphs import LEAF, Graph, Node, show_graph
from autograder.judge.diagnosis import reads_as, symptom

EXPRESSIONS = {
    "g1": "x * 2",
    "g2": "x + y",
    "g3": "x ** 2",
    "g4": "1 - x",
    "g5": "2 ** x",
    "g6": "1 / x",
    "g7": "x * torch.tensor(2.0)",
    "g8": "x.detach() * y",
    "g9": "L(torch.rand(5, 3))",
    "g10": "L(torch.rand(3))",
    "g11": "b * a",
    "g12": "x * x",
    "g13": "x / 2",
    "g14": "(x * y + 1).mean()",
}
OUTPUTS = "g11"  # asks for output numbers
FIXED = "a quiz asks the same questions of everybody"
MAX_SLOTS = 20  # of an answer that is drawn

Pair = tuple[str, list[str | None]]


@cache
def recorded(key: str) -> tuple[str, list[tuple[str | None, int]]]:
    """What torch records for an expression: the name of the root, and its slots with their output numbers."""
    import torch

    scope: dict[str, Any] = {"torch": torch, "x": leaf(3), "y": leaf(3), "L": torch.nn.Linear(3, 4)}
    scope["a"], scope["b"] = leaf(2, 3).unbind(0)
    exec(f"result = {EXPRESSIONS[key]}", scope)
    root = scope["result"].grad_fn
    return bare(root.name()), [(fn and bare(fn.name()), output) for fn, output in root.next_functions]


def leaf(*shape: int) -> Any:
    import torch

    return torch.ones(shape, requires_grad=True)


def truth(key: str) -> Pair:
    root, slots = recorded(key)
    return root, [name for name, _ in slots]


def bare(name: str) -> str:
    """A name without its namespace and without the ending that all functions share."""
    return re.sub(r"Backward\d*$", "", re.split(r"::|\.", name)[-1])


@probe
def answered(student, key):
    """The answer to one question. Functions of torch, or other objects, arrive as the names of their types."""
    return student.answers.get(key)


@probe
def answered_keys(student):
    return [isinstance(student.answers, dict), list(student.answers)]


def read(given: Any) -> Pair | None:
    """A pair of a name and a list of names, normalised; None for an answer of another form."""
    try:
        root, slots = msgspec.convert(given, tuple[str, list[str | None]])
    except msgspec.ValidationError:
        return None
    return bare(root), [None if name is None else bare(name) for name in slots]


def read_outputs(given: Any) -> list[int] | None:
    """A list of output numbers."""
    try:
        return msgspec.convert(given, list[int])
    except msgspec.ValidationError:
        return None


def reading(given: Any, key: str) -> Any:
    """An answer as it is compared, whatever its spelling."""
    answer = read_outputs(given) if key == OUTPUTS else read(given)
    return given if answer is None else {"key": key, "answer": answer}


reads_as("answered", reading)


def words(pair: Pair) -> str:
    root, slots = pair
    listed = ", ".join("None" if name is None else f'"{name[:60]}"' for name in slots[:MAX_SLOTS])
    return f'("{root[:60]}", [{listed}])'


def drawn(pair: Pair) -> Graph:
    root, slots = pair
    nodes = [Node(root[:60], None, ())]
    edges: list[tuple[int | None, int]] = []
    for name in slots[:MAX_SLOTS]:
        edges.append((None if name is None else len(nodes), 0))
        if name is not None:
            nodes.append(Node(name[:60], None, ()))
    nodes[0] = Node(root[:60], None, tuple(edges))
    return Graph(0, tuple(nodes))


@check("Every expression has an answer", points=0)
def complete(student: Student, rng: np.random.Generator) -> None:
    is_dict, keys = student.run(answered_keys, returns=tuple[bool, list[Any]])
    expect(is_dict, "`answers` should be a dictionary.", "answers")
    strange = [key for key in keys if not isinstance(key, str) or key not in EXPRESSIONS]
    expect(
        not strange,
        "`answers` should have the keys g1 to g14, and no others.",
        "answers",
        given=[str(k)[:60] for k in strange],
    )
    missing = [key for key in EXPRESSIONS if student.run(answered, key) is None]
    expect(not missing, f"There is no answer yet to {', '.join(missing)}.", "answers")


def expect_answer(student: Student, key: str) -> None:
    what = f"the answer to {key}, {EXPRESSIONS[key]}"
    given: Any = student.run(answered, key)
    if given is None:
        raise fail(f"There is no answer to {key}.", what)
    if key == OUTPUTS:
        right, numbers = [output for _, output in recorded(key)[1]], read_outputs(given)
        if numbers is None:
            raise fail(f"The answer to {key} should be a list of ints, but is {describe(given)}.", what, given=given)
        message = f"The output numbers of {EXPRESSIONS[key]} should be {right}, but are {numbers[:MAX_SLOTS]}."
        expect(numbers == right, message, what, expected=right, given=numbers)
        return
    pair = read(given)
    if pair is None:
        message = f"The answer to {key} should be a name and a list of names or None, but is {describe(given)}."
        raise fail(message, what, given=given)
    show_graph(drawn(pair), drawn(truth(key)), EXPRESSIONS[key], drop_views=False)
    expect("None" not in pair[1], "An empty slot is the value None, not a string.", what, given=given)
    message = f"The answer to {EXPRESSIONS[key]} should be {words(truth(key))}, but is {words(pair)}."
    expect(pair == truth(key), message, what)


def question(key: str) -> None:
    def ask(student: Student, rng: np.random.Generator) -> None:
        expect_answer(student, key)

    ask.__name__ = key
    check(f"{key}: {EXPRESSIONS[key]}", points=1, hidden=True, fixed=FIXED)(ask)


for asked in EXPRESSIONS:
    question(asked)


# -- what a wrong answer shows -----------------------------------------------------------------------------------------


def shows(key: str, when: Callable[[str, list[Any], str, list[Any]], bool], *questions: str) -> None:
    """Declares a symptom of a pair: `when` receives the right root and slots and the given ones."""

    def holds(right: Any, given: Any) -> bool:
        (root, slots), (my_root, mine) = right["answer"], given["answer"]
        return when(root, list(slots), my_root, list(mine))

    for name in questions or [key for key in EXPRESSIONS if key != OUTPUTS]:
        symptom(key, holds, check=name)


def filled(slots: Iterable[Any]) -> list[Any]:
    return [name for name in slots if name is not None]


def leafless(name: str | None) -> str | None:
    return None if name == LEAF else name


OPERATORS = {"Rsub": "Sub", "Reciprocal": "Div"}

shows(
    "leaves-have-no-node",
    lambda r, s, mr, m: mr == r and LEAF in s and m in ([leafless(n) for n in s], filled(map(leafless, s))),
)
shows("drops-none-slots", lambda r, s, mr, m: mr == r and None in s and m == filled(s))
shows(
    "none-slot-everywhere",
    lambda r, s, mr, m: None not in s and m.count(None) == 1 and filled(m) == s,
    "g3",
    "g4",
    "g5",
    "g14",
)
shows("detach-keeps-edge", lambda r, s, mr, m: mr == r and m == [LEAF, LEAF], "g8")
shows(
    "constant-as-leaf",
    lambda r, s, mr, m: mr == r and None in s and m == [n or LEAF for n in s],
    "g1",
    "g6",
    "g7",
    "g9",
    "g13",
)
shows("slots-reversed", lambda r, s, mr, m: mr == r and m == s[::-1])
shows("lost-multiplicity", lambda r, s, mr, m: mr == r and m == s[:1], "g12")
shows("linear-is-addmm", lambda r, s, mr, m: mr == "Addmm", "g10")
shows("named-by-operator", lambda r, s, mr, m: mr == OPERATORS["Rsub"], "g4")
shows("named-by-operator", lambda r, s, mr, m: mr == OPERATORS["Reciprocal"], "g6")
shows("missing-transposed-weight", lambda r, s, mr, m: mr == r and m == [LEAF if n == "T" else n for n in s], "g9")
shows(
    "whole-graph-listed",
    lambda r, s, mr, m: len(m) > len(s) and filled(m)[: len(filled(s))] == filled(s),
    "g6",
    "g10",
    "g14",
)
shows("power-and-product", lambda r, s, mr, m: mr == "Mul", "g3")
shows("power-and-product", lambda r, s, mr, m: mr == "Pow", "g12")
symptom("output-index-zero", lambda right, given: given["answer"] == [0, 0], check=OUTPUTS)
symptom("slot-for-output-number", lambda right, given: given["answer"] == [0, 1], check=OUTPUTS)


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    student.run(answered_keys)
    for key in EXPRESSIONS:
        student.run(answered, key)
