"""What a survivor gets wrong is written as a statement, and in a hidden check that statement kills it."""

from pathlib import Path
from textwrap import indent
from typing import Any

import numpy as np
import pytest

from autograder.explain.recorder import Exchange
from autograder.judge import pack
from autograder.judge.checks import array, tensor
from autograder.judge.grade import Judge
from autograder.prove.cases import MAX_ENTRIES, statement_of
from autograder.prove.findings import Finding
from autograder.prove.memory import Memory
from autograder.prove.proving import prove_here
from sandbox.wire import Opaque, Raised
from tests.prove.tiny_exercise import CHECKS, write_exercise

WEAK = CHECKS.replace("rng.normal(size=(5, 2)):\n        expect", "[(1.0, 0.5)]:\n        expect")
IMPORT = "from autograder.judge.checks.answers import expect_answer\n"


def survivors(judge: Judge, folder: Path) -> list[Finding]:
    exercise = pack.load(folder)
    proof = prove_here(judge, exercise, Memory(exercise), lambda done, of: None)
    return [finding for finding in proof.findings if finding.rule == "survivor"]


def test_the_statement_of_a_survivor_kills_it_in_a_check(judge: Judge, tmp_path: Path) -> None:
    folder = write_exercise(tmp_path / "twice-and-a-bit", {"checks.py": WEAK})
    (first, *rest) = survivors(judge, folder)
    assert first.statement.startswith('expect_answer(\n    student.call("slope", '.replace('"', "'"))
    assert compile(first.mutant, "mutant", "exec") and first.misconception and rest
    hidden, _, variety = WEAK.partition("\n\n@variety")
    stronger = f"{IMPORT}{hidden.rstrip()}\n{indent(first.statement, '    ')}\n\n\n@variety{variety}"
    write_exercise(folder, {"checks.py": stronger})
    assert first.mutant not in {finding.mutant for finding in survivors(judge, folder)}


def exchange(*args: Any, value: Any = 1.0, **options: Any) -> Exchange:
    return Exchange("call", "f", args, options, value)


@pytest.mark.parametrize(
    ("asked", "call", "answer"),
    [
        (exchange(1.5, "a", None, keep=True), "student.call('f', 1.5, 'a', None, keep=True)", "1.0"),
        (exchange(array([[1.0, np.inf]])), "student.call('f', array([[1.0, np.inf]]))", "1.0"),
        (exchange(np.array([1, -2])), "student.call('f', array([1, -2]))", "1.0"),
        (exchange(array(2.5)), "student.call('f', array(2.5))", "1.0"),
        (exchange(array(np.zeros((0, 3)))), "student.call('f', array(np.zeros((0, 3))))", "1.0"),
        (exchange(array([1.0], layout="strided")), "student.call('f', array([1.0], layout='strided'))", "1.0"),
        (
            exchange(tensor(np.array([0.5], dtype="float32"), requires_grad=True)),
            "student.call('f', tensor(np.array([0.5], dtype=\"float32\"), requires_grad=True))",
            "1.0",
        ),
        (exchange(1, value=(array([np.nan]),)), "student.call('f', 1)", "(array([np.nan]),)"),
        (exchange(1, value={"x": [1, 2]}), "student.call('f', 1)", "{'x': [1, 2]}"),
        (
            Exchange("op", "function.vjp", ([[[array([1.0])], [array([2.0])]]],), {"name": "Square"}, [array([4.0])]),
            "student.operate('function.vjp', [[[array([1.0])], [array([2.0])]]], name='Square')",
            "[array([4.0])]",
        ),
    ],
)
def test_a_question_and_its_answer_are_written_as_python(asked: Exchange, call: str, answer: str) -> None:
    name = asked.options.get("name", "f")
    assert statement_of(asked) == f"expect_answer(\n    {call},\n    {answer},\n    {name!r},\n)"


@pytest.mark.parametrize(
    "asked",
    [
        Exchange("call", "f", (1,), {}, raised=Raised(0, "call", "ValueError", "no")),
        Exchange("probe", "ask", (1,), {}, 1),
        exchange(array(np.ones(MAX_ENTRIES + 1))),
        exchange(1, value=array(np.ones(MAX_ENTRIES + 1))),
        exchange(1, value=Opaque("Value")),
        exchange(array(np.array([1j]))),
        exchange(b"bytes"),
    ],
)
def test_what_cannot_be_asked_in_a_statement_is_not_written(asked: Exchange) -> None:
    assert statement_of(asked) == ""
