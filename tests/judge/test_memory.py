"""What a Function keeps for its backward pass, what it edits in place, and what it must refuse."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autograder.judge.arrays import array, tensor
from autograder.judge.checks.compare import CheckFailed
from autograder.judge.checks.memory import expect_error, expect_saved, expect_unchanged
from autograder.judge.checks.student import Student, StudentRaised
from autograder.judge.probes import probe
from sandbox.errors import JobEnded
from sandbox.wire import Array

Enter = Callable[..., Student]

EXP = """
import torch

class Exp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        {save}
        return y

    @staticmethod
    def backward(ctx, g):
        return g * ctx.saved_tensors[0]
"""
X = tensor(np.arange(4.0))
BYTES = 4 * 8


def exp(enter: Enter, save: str) -> Student:
    return enter(EXP.format(save=save), "torch")


def complaint(student: Student, **options: Any) -> str:
    with pytest.raises(CheckFailed) as caught:
        expect_saved(student, "Exp", X, **options)
    return caught.value.message


# -- saved for backward --------------------------------------------------------------------------------------------


def test_a_function_that_saves_its_output_keeps_only_that(enter: Enter) -> None:
    expect_saved(exp(enter, "ctx.save_for_backward(y)"), "Exp", X, at_most=BYTES, of=("output 0",))


def test_a_function_that_saves_its_input_keeps_only_that(enter: Enter) -> None:
    expect_saved(exp(enter, "ctx.save_for_backward(x)"), "Exp", X, at_most=BYTES, of=("input 0",))


def test_nothing_saved_is_nothing_kept(enter: Enter) -> None:
    expect_saved(exp(enter, "pass"), "Exp", X, at_most=0, of=())


def test_more_bytes_than_needed_fail(enter: Enter) -> None:
    student = exp(enter, "ctx.save_for_backward(x, y)")
    assert complaint(student, at_most=BYTES) == "Exp saves 64 bytes for its backward pass; 32 bytes are enough."


def test_a_copy_belongs_to_nobody(enter: Enter) -> None:
    student = exp(enter, "ctx.save_for_backward(y.clone())")
    assert complaint(student, at_most=BYTES, of=("input 0", "output 0")) == (
        "Exp saves a tensor that is neither its input nor its output."
    )


def test_the_wrong_storage_fails(enter: Enter) -> None:
    student = exp(enter, "ctx.save_for_backward(x)")
    assert "neither its input nor its output" in complaint(student, at_most=BYTES, of=("output 0",))


def test_a_view_of_the_input_is_the_inputs_storage(enter: Enter) -> None:
    expect_saved(exp(enter, "ctx.save_for_backward(x[:2])"), "Exp", X, at_most=BYTES // 2, of=("input 0",))


def test_a_result_that_keeps_itself_alive_fails(enter: Enter) -> None:
    student = exp(enter, "ctx.y = y")
    assert "A reference cycle keeps the graph of Exp in memory" in complaint(student, at_most=BYTES)


def test_plain_functions_are_watched_too(enter: Enter) -> None:
    student = enter("def f(x): return (x * x).exp()", "torch")
    expect_saved(student, "f", X, at_most=3 * BYTES)
    with pytest.raises(CheckFailed):
        expect_saved(student, "f", X, at_most=BYTES)


@pytest.mark.parametrize("forged", ["None", "{}", "{'saved': 3}", "{'saved': [1]}", "{'saved': [{}]}", "[]", "'x'"])
def test_a_forged_list_of_saved_tensors_fails(enter: Enter, forged: str) -> None:
    source = f"""
    import sys
    runner = sys._getframe(1).f_locals["self"]
    runner._operations["memory.saved"] = lambda *_: {forged}
    """
    with pytest.raises(CheckFailed, match="could not be read"):
        expect_saved(enter(source, "torch"), "Exp", X, at_most=0)


# -- errors --------------------------------------------------------------------------------------------------------


def test_the_wanted_exception_passes(enter: Enter) -> None:
    student = enter("def f(x): raise ValueError('no')")
    expect_error(lambda: student.call("f", 1), ("TypeError", "ValueError"), "f(1)")


def test_another_exception_fails(enter: Enter) -> None:
    student = enter("def f(x): raise KeyError('no')")
    with pytest.raises(CheckFailed, match=r"^f\(1\) should raise TypeError or ValueError, but raised KeyError: 'no'"):
        expect_error(lambda: student.call("f", 1), ("TypeError", "ValueError"), "f(1)")


def test_an_answer_where_an_exception_is_wanted_fails(enter: Enter) -> None:
    student = enter("def f(x): return x")
    with pytest.raises(CheckFailed, match=r"^f\(1\) should raise ValueError, but did not\.$") as caught:
        expect_error(lambda: student.call("f", 1), ("ValueError",), "f(1)")
    assert caught.value.detail is not None and caught.value.detail.given is not None
    assert caught.value.detail.given.values == ("1",)


def test_a_class_of_the_student_is_known_by_its_name(enter: Enter) -> None:
    student = enter("class Refused(Exception): pass\ndef f(): raise Refused")
    expect_error(lambda: student.call("f"), ("Refused",), "f()")


# -- in-place edits ------------------------------------------------------------------------------------------------


def look(student: Student, values: dict[str, Any]) -> None:
    _, after = student.call_and_see("f", *values.values())
    expect_unchanged(values, after, "f")


@pytest.mark.parametrize("layout", ["contiguous", "transposed", "strided"])
def test_arguments_that_are_only_read_are_unchanged(enter: Enter, layout: str) -> None:
    values = np.arange(6.0).reshape(2, 3)
    look(enter("def f(x, y): return x + y", "torch"), {"x": tensor(values, layout=layout), "y": tensor(values)})


@pytest.mark.parametrize("edit", ["x.mul_(2)", "x[0, 0] = 9", "x.data.zero_()", "x.t_()", "x.neg_()"])
def test_an_edit_in_place_is_seen(enter: Enter, edit: str) -> None:
    student = enter(f"def f(x):\n    {edit}\n    return 0", "torch")
    with pytest.raises(CheckFailed, match=r"^f modified its argument x\.$"):
        look(student, {"x": tensor(np.arange(1.0, 7.0).reshape(2, 3))})


def test_an_edit_of_a_numpy_array_is_seen(enter: Enter) -> None:
    with pytest.raises(CheckFailed, match="modified its argument y"):
        look(enter("def f(x, y): y += 1", "numpy"), {"x": array([1.0]), "y": array([1.0])})


def test_a_new_shape_in_place_is_seen(enter: Enter) -> None:
    with pytest.raises(CheckFailed, match="modified its argument x"):
        look(enter("def f(x): x.unsqueeze_(0)", "torch"), {"x": tensor([1.0, 2.0])})


def test_the_same_bytes_of_another_type_are_a_change(enter: Enter) -> None:
    with pytest.raises(CheckFailed, match="modified its argument x"):
        look(enter("def f(x): x.dtype = 'int64'", "numpy"), {"x": array([1.0])})


def test_an_edit_that_was_taken_back_is_no_change(enter: Enter) -> None:
    look(enter("def f(x):\n    x += 1\n    x -= 1", "numpy"), {"x": array([1.0, 2.0])})


def test_an_exception_in_the_call_is_the_students(enter: Enter) -> None:
    with pytest.raises(StudentRaised, match="RuntimeError"):
        look(enter("def f(x): raise RuntimeError", "torch"), {"x": tensor([1.0])})


# -- every question compares its arguments -------------------------------------------------------------------------

EDITS = {
    "data": "x.data.add_(1)",
    "entry": "x.detach()[0] = 9",
    "sign of zero": "x.detach()[1] = -0.0",
    "shape": "x.data = x.data[:1]",
    "numbers of another tensor": "x.data = x.data + 1",
    "class": "x.__class__ = type('Other', (torch.Tensor,), {})",
    "sign bit": "torch._C._set_neg(x, True) if hasattr(torch._C, '_set_neg') else x.data.neg_()",
}


@probe
def hand_over(student: Any, x: Any) -> int:
    student.f(x)
    return 0


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_a_call_and_a_probe_fail_when_a_tensor_comes_back_changed(enter: Enter, edit: str) -> None:
    student = enter(f"import torch\ndef f(x):\n    {edit}", "torch")
    x = tensor(np.array([3.0, 0.0]), requires_grad=True)
    with pytest.raises(CheckFailed, match=r"^f modified a tensor that it received\.$"):
        student.call("f", x)
    with pytest.raises(CheckFailed, match=r"^Your code modified a tensor that it received\.$"):
        student.run(hand_over, x)


@pytest.mark.parametrize("layout", ["contiguous", "transposed", "strided"])
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "bool"])
def test_an_array_changes_in_any_layout_and_type(enter: Enter, layout: str, dtype: str) -> None:
    x = array(np.zeros((2, 3), dtype), layout=layout)
    enter("def f(x): x.sum()", "numpy").call("f", x)
    with pytest.raises(CheckFailed, match=r"^f modified an array") as caught:
        enter("def f(x): x[1, 2] = 1", "numpy").call("f", x)
    detail = caught.value.detail
    assert detail is not None and detail.expected is not None and detail.given is not None
    assert detail.expected.values[5] != detail.given.values[5]


def test_an_array_inside_a_list_or_among_options_is_compared_too(enter: Enter) -> None:
    student = enter("def f(rows=(), *, by=None):\n    for x in [*rows, by]:\n        if x is not None: x += 1", "numpy")
    with pytest.raises(CheckFailed, match=r"^f modified an array"):
        student.call("f", [array([1.0]), array([2.0])])
    with pytest.raises(CheckFailed, match=r"^f modified an array"):
        student.call("f", by=array([1.0]))


def test_a_list_that_lost_an_array_has_changed(enter: Enter) -> None:
    with pytest.raises(CheckFailed, match=r"^f modified an array"):
        enter("def f(rows): rows.pop()", "numpy").call("f", [array([1.0]), array([2.0])])


def test_nan_and_a_tensor_of_half_precision_come_back_as_they_are(enter: Enter) -> None:
    student = enter("def f(x): return x.sum()", "torch")
    student.call("f", tensor(np.array([np.nan, -0.0])))
    student.call("f", Array("torch", "bfloat16", (2,), bytes(4)))
    student.call("f", tensor(np.zeros((0, 3))))


CUBE = """
import torch

class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        y = x * x * x
        {forward}
        return y

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        d = 3 * x * x * g
        {backward}
        return d
"""


@pytest.mark.parametrize("operation", ["forward", "vjp", "second_vjp", "backward"])
def test_what_is_edited_behind_autograd_is_seen_by_every_derivative(enter: Enter, operation: str) -> None:
    parts = [[tensor([1.0, 2.0])] for _ in range({"forward": 1, "second_vjp": 3}.get(operation, 2))]
    asked = [parts[0] if operation == "forward" else parts]
    enter(CUBE.format(forward="pass", backward="pass"), "torch").operate(f"function.{operation}", asked, name="Cube")
    student = enter(CUBE.format(forward="x.data.add_(1)", backward="pass"), "torch")
    with pytest.raises(CheckFailed, match=r"^Cube modified an input that it received\.$"):
        student.operate(f"function.{operation}", asked, name="Cube")
    if operation != "forward":
        student = enter(CUBE.format(forward="pass", backward="g.data.add_(1)"), "torch")
        with pytest.raises(CheckFailed, match=r"^Cube modified an upstream gradient that it received\.$"):
            student.operate(f"function.{operation}", asked, name="Cube")


def test_repeated_derivatives_compare_their_input(enter: Enter) -> None:
    student = enter(CUBE.format(forward="pass", backward="x.data.add_(0 if x.grad_fn else 1)"), "torch")
    with pytest.raises(CheckFailed, match=r"^Cube modified an input that it received\.$"):
        student.operate("function.nth", tensor([1.0]), name="Cube", order=1)


def test_a_report_of_changes_that_is_made_up_fails_and_breaks_nothing(enter: Enter) -> None:
    source = """
    import sys
    runner = sys._getframe(1).f_locals["self"]
    plain = type(runner._values).to_wire
    type(runner._values).unchanged = lambda *_: False
    type(runner._values).to_wire = lambda self, value: {forged} if type(value) is list else plain(self, value)
    def f(x): return 0
    """
    for forged in ("[]", "[{'x': [[]]}, 7, 'y']", "[None]", "[[], []]"):
        with pytest.raises((CheckFailed, StudentRaised, JobEnded)):
            enter(source.replace("{forged}", forged), "numpy").call("f", array([1.0]))
