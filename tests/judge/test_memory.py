"""What a Function keeps for its backward pass, what it edits in place, and what it must refuse."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autograder.judge.arrays import array, tensor
from autograder.judge.checks.compare import CheckFailed
from autograder.judge.checks.memory import expect_error, expect_saved, expect_unchanged
from autograder.judge.student import Student, StudentRaised

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
    assert complaint(student, at_most=BYTES) == "Exp keeps 64 bytes for its backward pass; 32 are enough."


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
    assert "stays alive when nobody holds it" in complaint(student, at_most=BYTES)


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
    with pytest.raises(CheckFailed, match=r"^f changed its argument x\.$"):
        look(student, {"x": tensor(np.arange(1.0, 7.0).reshape(2, 3))})


def test_an_edit_of_a_numpy_array_is_seen(enter: Enter) -> None:
    with pytest.raises(CheckFailed, match="changed its argument y"):
        look(enter("def f(x, y): y += 1", "numpy"), {"x": array([1.0]), "y": array([1.0])})


def test_a_new_shape_in_place_is_seen(enter: Enter) -> None:
    with pytest.raises(CheckFailed, match="changed its argument x"):
        look(enter("def f(x): x.unsqueeze_(0)", "torch"), {"x": tensor([1.0, 2.0])})


def test_an_edit_that_was_taken_back_is_no_change(enter: Enter) -> None:
    look(enter("def f(x):\n    x += 1\n    x -= 1", "numpy"), {"x": array([1.0, 2.0])})


def test_an_exception_in_the_call_is_the_students(enter: Enter) -> None:
    with pytest.raises(StudentRaised, match="RuntimeError"):
        look(enter("def f(x): raise RuntimeError", "torch"), {"x": tensor([1.0])})
