"""Programs of tensors: what they ask, what they compare, and what a student reads."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autograder.judge.checks import CheckFailed
from autograder.judge.checks.random_programs import random_program
from autograder.judge.checks.student import Student
from autograder.judge.checks.tensors import (
    ComparedTensors,
    TensorProgram,
    ask_programs,
    expect_tensor_programs,
)
from tests.tensor_engine import SOURCE, broken

OPERATIONS = (
    *("+", "-", "*", "/", "neg", "exp", "log", "tanh", "relu", "sum", "mean", "max"),
    *("reshape", "permute", "expand", "getitem"),
)


@pytest.fixture
def run(enter: Callable[..., Student]) -> Callable[..., str]:
    """`run(source, *programs)`: what the check says about a submission; empty if all programs are right."""

    def say(source: bytes, *programs: TensorProgram, **options: Any) -> str:
        try:
            expect_tensor_programs(enter(source.decode(), "numpy"), programs, **options)
        except CheckFailed as failed:
            return failed.message
        return ""

    return say


def product(rows: int = 2) -> TensorProgram:
    p = TensorProgram()
    a, b = p.input(np.arange(1.0, 3 * rows + 1).reshape(rows, 3), "a"), p.input([1.0, -2.0, 3.0], "b")
    p.backward(p.name("y", a * b), np.ones((rows, 3)))
    return p


def test_a_right_engine_passes_random_programs_over_everything(run: Callable[..., str]) -> None:
    programs = [random_program(np.random.default_rng(seed), OPERATIONS, steps=7) for seed in range(120)]
    assert run(SOURCE.encode(), *programs) == ""


def test_random_programs_use_every_operation_and_share_results() -> None:
    programs = [random_program(np.random.default_rng(seed), OPERATIONS, steps=7) for seed in range(60)]
    used = {operation for program in programs for operation, *_ in program.steps}
    assert used >= set(OPERATIONS)
    shapes = [tensor.shape for program in programs for tensor in program.tensors]
    assert any(1 in shape for shape in shapes) and any(shape == () for shape in shapes)


def test_without_broadcasting_operands_have_equal_shapes() -> None:
    for seed in range(40):
        program = random_program(np.random.default_rng(seed), ["+", "*", "tanh"], broadcasting=False)
        assert len({tuple(tensor.shape) for tensor in program.tensors}) == 1


def test_a_gradient_of_the_wrong_shape_is_told_by_its_shape(run: Callable[..., str]) -> None:
    source = broken("unbroadcast(g * self.data, other.data.shape)", "g * self.data")
    assert run(source, product()) == "In y = a * b; y.backward(g), b.grad should have shape (3,), but has shape (2, 3)."


def test_a_wrong_value_is_told_before_gradients(run: Callable[..., str]) -> None:
    source = broken("self.data * other.data,", "self.data + other.data,")
    assert run(source, product()) == "In y = a * b; y.backward(g), (a * b).data is wrong in 6 of 6 entries."


@pytest.mark.parametrize(
    ("new", "said"),
    [
        ("tensor.grad = None", "b.grad is None."),
        ("tensor.grad = g.astype(np.float32)", "b.grad should be an array, but is of type array of dtype float32."),
        ("tensor.grad = g.tolist()", "b.grad should be an array, but is of type list."),
        ("tensor.grad = Tensor(g)", "b.grad should be an array, but is of type Tensor."),
        ("tensor.grad = g * np.nan", "b.grad is wrong in 3 of 3 entries."),
    ],
)
def test_a_gradient_that_is_no_array_of_numbers_is_refused(run: Callable[..., str], new: str, said: str) -> None:
    source = broken("tensor.grad = g.copy() if tensor.grad is None else tensor.grad + g", new)
    assert run(source, product()) == f"In y = a * b; y.backward(g), {said}"


def test_a_gradient_is_read_twice(run: Callable[..., str]) -> None:
    once = "\nheld = property(lambda t: t.__dict__.pop('g', None), lambda t, g: t.__dict__.__setitem__('g', g))\nTensor.grad = held\n"
    assert "b.grad is another array each time it is read" in run(SOURCE.encode() + once.encode(), product())


def test_an_upstream_gradient_that_was_changed_is_told(run: Callable[..., str]) -> None:
    source = broken("visit(self)\n        arrived", "visit(self)\n        gradient *= 2\n        arrived")
    assert "modified an array that it received" in run(source, product())


def test_gradients_of_results_are_not_read(enter: Callable[..., Student]) -> None:
    p = TensorProgram()
    a, b = p.input([2.0, 3.0], "a"), p.input([5.0, 7.0], "b", requires_grad=False)
    p.backward(p.name("y", a * b), [1.0, 1.0])
    source = broken("g = arrived.pop(tensor, None)", "g = tensor.grad = arrived.pop(tensor, None)")
    ((_, grads),) = ask_programs(enter(source.decode(), "numpy"), [ComparedTensors(p)])
    assert [grad is None for grad in grads] == [False, True, True]


def test_leaves_that_no_gradient_reaches_keep_none(run: Callable[..., str]) -> None:
    p = TensorProgram()
    a = p.input([1.0, 2.0], "a")
    p.input([3.0, 4.0], "b")
    constant = p.input([5.0, 6.0], "c", requires_grad=False)
    p.backward((a * constant).sum())
    assert run(SOURCE.encode(), p) == ""
    source = broken("self.grad = None", "self.grad = np.zeros(self.data.shape)")
    assert "b.grad should be None, because no gradient reaches it" in run(source, p)


def test_no_grad_passes_and_gradients_of_several_passes(run: Callable[..., str]) -> None:
    p = TensorProgram()
    a = p.input([1.0, 2.0], "a")
    p.no_grad()
    constant = a * 3.0
    p.grad_enabled()
    y = (constant * a).sum()
    p.backward(y)
    p.backward(y)
    assert run(SOURCE.encode(), p) == ""
    assert "a.grad is wrong in 2 of 2 entries" in run(broken("recording[0], False", "recording[0], True"), p)
    assert "a.grad is wrong in 2 of 2 entries" in run(broken("else tensor.grad + g", "else g"), p)
    p.clear(a)
    p.backward(y)
    assert run(SOURCE.encode(), p) == ""


def test_operations_can_be_functions_of_the_file(run: Callable[..., str]) -> None:
    functions = "\nclass Mul:\n    apply = staticmethod(lambda a, b: a * b)\n"
    assert run(SOURCE.encode() + functions.encode(), product(), spelling={"*": "Mul.apply"}) == ""
    wrong = functions.replace("a * b", "a + b")
    assert "(a * b).data is wrong" in run(SOURCE.encode() + wrong.encode(), product(), spelling={"*": "Mul.apply"})


def test_gradients_can_be_tensors_of_the_program(run: Callable[..., str]) -> None:
    p = TensorProgram()
    a = p.input([2.0, 3.0], "a")
    one = p.input(1.0, "one", requires_grad=False)
    (da,) = p.grads((a * a * a).sum(), [a], one)
    p.backward((da * da).sum())
    grad = """
def grad(output, inputs, gradient, create_graph=False):
    (a,) = inputs
    return [a * a * 3.0]
"""
    assert run(SOURCE.encode() + grad.encode(), p) == ""
    assert "grad of a" in p.describe()
    wrong = grad.replace("[a * a * 3.0]", "[Tensor(3.0 * a.data ** 2)]")
    assert run(SOURCE.encode() + wrong.encode(), p) != ""


def test_gradients_of_what_the_output_does_not_depend_on_are_zeros(run: Callable[..., str]) -> None:
    p = TensorProgram()
    a, b = p.input([2.0, 3.0], "a"), p.input([5.0, 7.0], "b")
    total = p.name("y", (a * 3.0).sum())
    da, db = p.grads(total, [a, b])
    (zero,) = p.grads(p.name("z", da.sum()), [b], create_graph=False)
    assert [slot.value.tolist() for slot in (da, db, zero)] == [[3.0, 3.0], [0.0, 0.0], [0.0, 0.0]]
    grad = """
def grad(output, inputs, gradient=None, create_graph=False):
    assert gradient is None
    factors = [3.0, 0.0] if len(inputs) == 2 else [0.0]
    return [Tensor(np.full(t.data.shape, factor)) for t, factor in zip(inputs, factors)]
"""
    assert run(SOURCE.encode() + grad.encode(), p) == ""


def test_a_method_with_numbers_is_written_as_a_call(run: Callable[..., str]) -> None:
    p = TensorProgram()
    a = p.input([-2.0, 0.5, 1.0, 3.0], "a")
    p.backward(p.name("y", a.call("clamp", -1.5, 1.0)), [2.0, 3.0, 5.0, 7.0])
    assert p.describe() == "y = a.clamp(-1.5, 1.0); y.backward(g)"
    clamp = """
def clamp(self, lo, hi):
    inside = (self.data >= lo) & (self.data <= hi)
    return result(self.data.clip(lo, hi), (self,), lambda g: (g * inside,))
Tensor.clamp = clamp
"""
    assert run(SOURCE.encode() + clamp.encode(), p) == ""
    assert "a.grad is wrong in 1 of 4 entries" in run(SOURCE.encode() + clamp.replace("<= hi", "< hi").encode(), p)


def test_a_program_that_raises_does_not_stop_the_others_if_they_run_apart(enter: Callable[..., Student]) -> None:
    p, q = TensorProgram(), product()
    p.backward(p.input([2.0], "a").call("tanh"))
    compared = [ComparedTensors(p), ComparedTensors(q)]
    student = enter(broken("value = np.tanh(self.data)", "raise KeyError(3)").decode(), "numpy")
    raised, outcome = ask_programs(student, compared, apart=True)
    assert raised == "KeyError"
    compared[1].with_outcome(outcome)


@pytest.mark.parametrize(
    ("shape", "index"),
    [
        ((5,), [[None, None, -2]]),
        ((2, 3), [1, [None, None, -1]]),
        ((2, 3, 4), [0, [None, None, None], np.array([3, 0, 3])]),
        ((2, 3), [np.array([[True, False, True], [False, True, True]])]),
        ((2, 3), ["...", None, -1]),
        ((), [None]),
    ],
)
def test_an_index_means_what_it_means_in_numpy(run: Callable[..., str], shape: tuple[int, ...], index: list[Any]) -> None:
    p = TensorProgram()
    y = p.input(np.arange(1.0, np.prod(shape) + 1).reshape(shape), "a").at(*index)
    p.backward(y, np.arange(2.0, np.prod(y.shape) + 2).reshape(y.shape))
    assert run(SOURCE.encode(), p) == ""


@pytest.mark.parametrize("answer", ["[]", "7", "[[], []]", "[1, 2]", "{'a': 1}", "'abc'"])
def test_a_forged_answer_fails_the_check(run: Callable[..., str], answer: str) -> None:
    forging = f"import sys; sys._getframe(1).f_globals['_read'] = lambda *_: {answer}; self.grad = None"
    assert run(broken("self.grad = None", forging), product()) == "The results of the programs could not be read."
