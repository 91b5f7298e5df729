"""The checks of layers with a cache pass right ones and see each way to be wrong."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autograder.judge.arrays import array
from autograder.judge.checks.compare import CheckFailed
from autograder.judge.checks.layers import (
    Call,
    Layer,
    expect_backward,
    expect_forward,
    expect_loss,
    gradients_of,
    input_modified,
    only_last_call_right,
    upstream_modified,
)
from autograder.judge.checks.student import Student

Enter = Callable[..., Student]

RIGHT = """
import numpy as np

def scale_forward(x, w, how):
    return how["factor"] * x * w, (x, w, how["factor"])

def scale_backward(dout, cache):
    x, w, factor = cache
    return factor * dout * w, (factor * dout * x).sum(axis=0)
"""


def scaled(x: Any, w: Any, how: dict[str, float]) -> Any:
    return how["factor"] * np.einsum("ij,j->ij", x, w)


SCALE = Layer("scale_forward", "scale_backward", scaled)


def calls() -> list[Call]:
    rng = np.random.default_rng(0)
    return [
        Call({"x": rng.normal(size=(3, 2)), "w": rng.normal(size=2)}, ({"factor": factor},)) for factor in (2.0, 3.0, 4.0)
    ]


def judge_layer(student: Student) -> None:
    expect_forward(student, SCALE, calls())
    expect_backward(student, SCALE, calls(), np.random.default_rng(1))


def complaint(student: Student) -> str:
    with pytest.raises(CheckFailed) as caught:
        judge_layer(student)
    return caught.value.message


def test_a_right_one_passes(enter: Enter) -> None:
    judge_layer(enter(RIGHT, "numpy"))


def test_lists_are_as_good_as_tuples_and_the_cache_is_any_object(enter: Enter) -> None:
    source = "def scale_forward(x, w, how):\n    return [how['factor'] * x * w, lambda d: [how['factor'] * d * w, "
    source += "(how['factor'] * d * x).sum(0)]]\ndef scale_backward(dout, cache):\n    return cache(dout)"
    judge_layer(enter(source, "numpy"))


@pytest.mark.parametrize(
    ("right", "wrong", "words"),
    [
        ("return how", "return 1 + how", "scale_forward: out for x(3, 2), w(2,), factor=2.0 is wrong in 6 of 6 entries."),
        (", (x, w, how", "; (x, w, how", "scale_forward should return a tuple (out, cache), but returned a NumPy array"),
        ("x * w, (x", "x * w, 1, (x", "scale_forward should return 2 values, (out, cache), but returned 3."),
        (
            "return factor * dout * w, ",
            "return ",
            "scale_backward should return a tuple (dx, dw), but returned a NumPy array",
        ),
        (
            "sum(axis=0)",
            "sum(axis=0, keepdims=True)",
            "with respect to w for dout(3, 2), x(3, 2), w(2,), factor=2.0 should have",
        ),
        ("sum(axis=0)", "sum(axis=0).astype('f')", "should have dtype float64, but has dtype float32."),
        ("return factor * dout * w", "return factor * w + 0 * dout", "the gradient with respect to x"),
    ],
)
def test_a_wrong_answer_fails(enter: Enter, right: str, wrong: str, words: str) -> None:
    assert right in RIGHT
    assert words in complaint(enter(RIGHT.replace(right, wrong), "numpy"))


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("scale_forward: x *= 2", "scale_forward modified the array x."),
        ("scale_forward: w.shape = (-1, 1)", "scale_forward modified the array w."),
        ("scale_backward: cache[0][...] = 0", "scale_backward modified the array x that forward received."),
        ("scale_backward: dout *= 2", "scale_backward modified the upstream gradient dout."),
    ],
)
def test_a_modified_array_fails(enter: Enter, line: str, words: str) -> None:
    name, _, edit = line.partition(": ")
    arguments = "x, w, how" if name == "scale_forward" else "dout, cache"
    source = f"{RIGHT}\nright = {name}\ndef {name}({arguments}):\n    out = right({arguments})\n    {edit}\n    return out"
    assert complaint(enter(source, "numpy")) == words


def test_an_upstream_gradient_may_be_editable(enter: Enter) -> None:
    source = """
    def sum_forward(x):
        return x + 1, 2 * x, None
    def sum_backward(dmore, dtwice, cache):
        dx = dmore + 2 * dtwice
        EDITED += 1
        return dx
    """
    layer = Layer("sum_forward", "sum_backward", lambda x: (x + 1, 2 * x), ("more", "twice"), editable=("dtwice",))
    asked = [Call({"x": np.random.default_rng(0).normal(size=(3, 2))}) for _ in range(3)]
    expect_backward(enter(source.replace("EDITED", "dtwice"), "numpy"), layer, asked, np.random.default_rng(1))
    student = enter(source.replace("EDITED", "dmore"), "numpy")
    with pytest.raises(CheckFailed, match="sum_backward modified the upstream gradient dmore"):
        expect_backward(student, layer, asked, np.random.default_rng(1))


def test_settings_may_be_modified_and_are_returned(enter: Enter) -> None:
    source = RIGHT + "\nright = scale_forward\ndef scale_forward(x, w, how):\n    out = right(x, w, how)\n"
    student = enter(source + "    how['mean'] = x.mean(axis=0)\n    return out", "numpy")
    answers = expect_forward(student, SCALE, calls())
    assert [list(answered.reply.settings[0]) for answered in answers] == [["factor", "mean"]] * 3
    expect_backward(student, SCALE, calls(), np.random.default_rng(1))


def test_a_layer_that_remembers_only_its_last_call_fails(enter: Enter) -> None:
    source = RIGHT.replace("factor = cache", "factor = last[-1]") + "\nlast = []\nright = scale_forward\n"
    source += "def scale_forward(*given):\n    out, cache = right(*given)\n    last.append(cache)\n    return out, None"
    assert "the gradient with respect to x" in complaint(enter(source, "numpy"))


def test_several_outputs_and_an_input_without_gradient(enter: Enter) -> None:
    source = """
    import numpy as np
    def pick_forward(x, rows):
        return x[rows], x[rows] ** 2, (x, rows)
    def pick_backward(dpicked, dsquared, cache):
        x, rows = cache
        dx = np.zeros(x.shape)
        np.add.at(dx, rows, dpicked + 2 * x[rows] * dsquared)
        return dx
    """
    layer = Layer(
        "pick_forward", "pick_backward", lambda x, rows: (x[rows], x[rows] ** 2), ("picked", "squared"), constant=("rows",)
    )
    rng = np.random.default_rng(0)
    asked = [Call({"x": rng.normal(size=(3, 2)), "rows": np.array([0, 2, 0])}) for _ in range(3)]
    student = enter(source, "numpy")
    expect_forward(student, layer, asked)
    expect_backward(student, layer, asked, rng)
    student = enter(source.replace("np.add.at(dx, rows, ", "dx[rows] = (dx[rows] + "), "numpy")
    with pytest.raises(CheckFailed, match="gradient with respect to x"):
        expect_backward(student, layer, asked, rng)


def test_the_true_gradients_are_those_of_the_value() -> None:
    asked = calls()[0]
    g = np.random.default_rng(2).normal(size=(3, 2))
    found = gradients_of(SCALE, asked, [g])
    np.testing.assert_allclose(found["x"], 2 * g * asked.inputs["w"])
    np.testing.assert_allclose(found["w"], (2 * g * asked.inputs["x"]).sum(axis=0))


LOSS = "def square(x, y):\n    return {loss}, {dx}"
CASES = [(np.array([[1.0, -2.0], [0.5, 3.0]]), np.array([0, 1])) for _ in range(3)]


def squares(x: Any, y: Any) -> Any:
    return sum(x[row, column] ** 2 for row, column in enumerate(y)) / len(x)


@pytest.mark.parametrize(
    ("gradient", "returned", "words"),
    [
        (False, ("(x[[0, 1], y] ** 2).sum() / 2", "None"), ""),
        (False, ("float((x[[0, 1], y] ** 2).sum() / 2)", "None"), ""),
        (False, ("(x[[0, 1], y] ** 2).sum()", "None"), "square: the loss for x(2, 2) should be 5, but is 10."),
        (False, ("(x[[0, 1], y] ** 2).sum().reshape(1) / 2", "None"), "should have shape ()"),
        (True, ("0.0", "x * (y[:, None] == [0, 1])"), ""),
        (True, ("0.0", "2 * x * (y[:, None] == [0, 1])"), "square: the gradient with respect to x"),
    ],
)
def test_a_loss_is_a_number_and_a_gradient(enter: Enter, gradient: bool, returned: tuple[str, str], words: str) -> None:
    student = enter(LOSS.format(loss=returned[0], dx=returned[1]), "numpy")
    if not words:
        expect_loss(student, "square", squares, CASES, gradient=gradient)
        return
    with pytest.raises(CheckFailed) as caught:
        expect_loss(student, "square", squares, CASES, gradient=gradient)
    assert words in caught.value.message


def test_a_loss_without_a_gradient_fails(enter: Enter) -> None:
    with pytest.raises(CheckFailed, match=r"square should return a tuple \(loss, dx\), but returned the float"):
        expect_loss(enter("def square(x, y):\n    return 1.5", "numpy"), "square", squares, CASES)


def reply(gradient: float, *, upstream: float = 1.0, later: float = 1.0) -> dict[str, Any]:
    one = array(np.ones(2))
    answer = {"out": [one], "inputs": [one], "settings": [], "gradients": array(np.full(2, gradient))}
    return answer | {"inputs_later": [array(np.full(2, later))], "upstreams": [array(np.full(2, upstream))]}


def test_symptoms_are_read_from_the_replies() -> None:
    right = [reply(1.0), reply(2.0), reply(3.0)]
    assert upstream_modified(right, [reply(1.0), reply(2.0, upstream=0.0), reply(3.0)])
    assert input_modified(right, [reply(1.0), reply(2.0, later=0.0), reply(3.0)])
    assert only_last_call_right(right, [reply(3.0), reply(3.0), reply(3.0)])
    for symptom in (upstream_modified, input_modified, only_last_call_right):
        assert not symptom(right, [reply(0.0), reply(2.0), reply(0.0)])
