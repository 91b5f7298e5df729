"""Numbers on their way to the student and back: every dtype, every shape, the promised strides, not a bit changed."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from autograder.judge.arrays import array, tensor, to_numpy, to_torch, to_wire
from autograder.judge.checks.student import Student, StudentRaised
from sandbox.wire import ITEM_SIZES, Answer, Array, Codec

Enter = Callable[..., Student]

NUMPY_DTYPES = sorted(set(ITEM_SIZES) - {"bfloat16"})
SHAPES = [(), (1,), (3,), (0,), (2, 3), (2, 0, 3), (2, 1, 2)]
SEEN = """
def echo(x):
    return x

def look(x):
    return {"strides": list(x.strides), "c": bool(x.flags.c_contiguous), "value": x}

def look_at_tensor(x):
    return {"strides": list(x.stride()), "c": x.is_contiguous(), "value": x, "leaf": x.is_leaf, "grad": x.requires_grad}

"""
EXTREMES = [0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324, 1.7976931348623157e308]


def numbers(dtype: str, shape: tuple[int, ...]) -> Any:
    values = np.arange(1, 1 + int(np.prod(shape))).reshape(shape)
    return (values * (1 + 2j) if dtype.startswith("complex") else values % 2 if dtype == "bool" else values).astype(dtype)


def bits(value: Any) -> tuple[str, tuple[int, ...], bytes]:
    return str(value.dtype), value.shape, value.tobytes()


# -- in the judge --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", NUMPY_DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_an_array_survives_the_wire_form(dtype: str, shape: tuple[int, ...]) -> None:
    value = numbers(dtype, shape)
    sent = to_wire(value)
    assert sent.kind == "numpy" and bits(to_numpy(sent)) == bits(value)


@pytest.mark.parametrize("dtype", NUMPY_DTYPES)
def test_a_tensor_survives_the_wire_form(dtype: str) -> None:
    value = torch.from_numpy(numbers(dtype, (2, 3)))
    sent = to_wire(value)
    assert sent.kind == "torch" and torch.equal(to_torch(sent), value) and to_torch(sent).dtype == value.dtype


def test_bfloat16_is_read_as_the_singles_it_stands_for() -> None:
    value = torch.tensor([1.0, -2.5, 3.140625, float("inf")], dtype=torch.bfloat16)
    sent = Array("torch", "bfloat16", (2, 2), value.view(torch.int16).numpy().tobytes())
    assert bits(to_numpy(sent)) == bits(value.float().reshape(2, 2).numpy())


@given(hnp.arrays("float64", hnp.array_shapes(min_dims=0, min_side=0, max_dims=4, max_side=3)))
def test_any_array_keeps_every_bit(value: Any) -> None:
    assert bits(to_numpy(array(value))) == bits(value)


def test_views_are_sent_as_what_they_show() -> None:
    value = np.arange(12.0).reshape(3, 4)
    for view in (value.T, value[::2, ::-1], np.broadcast_to(value[0], (2, 4))):
        assert np.array_equal(to_numpy(to_wire(view)), view)


def test_conjugate_and_negative_views_of_tensors_are_resolved() -> None:
    value = torch.tensor([1 + 2j, 3 - 1j])
    assert np.array_equal(to_numpy(value.conj()), value.numpy().conj())
    assert np.array_equal(to_numpy(value.conj().imag), -value.numpy().imag)


def test_a_tensor_that_requires_grad_arrives_so() -> None:
    assert to_wire(torch.ones(2, requires_grad=True)).graph
    assert not to_wire(torch.ones(2)).graph
    assert tensor([1.0], requires_grad=True).graph


def test_containers_are_sent_with_arrays_inside() -> None:
    _, header, *bodies = Codec().encode(Answer(1, to_wire([1, {"x": np.ones(2)}, [torch.zeros(1)]])))
    frame = Codec().decode(header, b"".join(map(bytes, bodies)))
    assert isinstance(frame, Answer)
    sent = frame.value
    assert sent[0] == 1 and sent[1]["x"].kind == "numpy" and sent[2][0].kind == "torch"


def test_plain_numbers_are_numbers_too() -> None:
    assert to_numpy(2.5) == 2.5 and to_numpy([1, 2]).shape == (2,)


def test_a_torch_copy_does_not_share_memory_with_the_answer() -> None:
    answer = array([1.0, 2.0])
    to_torch(answer).zero_()
    assert np.array_equal(to_numpy(answer), [1.0, 2.0])


@pytest.mark.parametrize("value", [object(), {1, 2}, 1j, lambda: None])
def test_what_has_no_wire_form_is_refused_by_type(value: object) -> None:
    with pytest.raises(TypeError, match=f"a {type(value).__name__} cannot be sent to a submission"):
        to_wire(value)


# -- through the sandbox -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", NUMPY_DTYPES)
def test_an_array_comes_back_from_a_student_bit_for_bit(enter: Enter, dtype: str) -> None:
    student = enter(SEEN, "numpy")
    for shape in SHAPES:
        value = numbers(dtype, shape)
        back = student.call("echo", value)
        assert back.kind == "numpy" and bits(to_numpy(back)) == bits(value)


@pytest.mark.parametrize("dtype", NUMPY_DTYPES)
def test_a_tensor_comes_back_from_a_student_bit_for_bit(enter: Enter, dtype: str) -> None:
    student = enter(SEEN, "torch")
    for shape in SHAPES:
        value = numbers(dtype, shape)
        back = student.call("echo", tensor(value))
        assert back.kind == "torch" and bits(to_numpy(back)) == bits(value)


@given(values=st.lists(st.sampled_from(EXTREMES), max_size=6))
def test_extreme_numbers_keep_their_bits(values: list[float]) -> None:
    value = np.array(values)
    assert bits(to_numpy(array(value))) == bits(value)


def test_extreme_numbers_come_back_with_their_bits(enter: Enter) -> None:
    value = np.array(EXTREMES)
    assert bits(to_numpy(enter(SEEN, "numpy").call("echo", value))) == bits(value)


def test_a_bfloat16_answer_is_read(enter: Enter) -> None:
    student = enter("import torch\ndef f(): return torch.tensor([1.5, -2.0], dtype=torch.bfloat16)", "torch")
    answer = student.call("f")
    assert answer.dtype == "bfloat16" and np.array_equal(to_numpy(answer), [1.5, -2.0])


def test_a_numpy_scalar_arrives_as_an_array_without_axes(enter: Enter) -> None:
    answer = enter("import numpy as np\ndef f(): return np.float32(0.1)", "numpy").call("f")
    assert bits(to_numpy(answer)) == bits(np.asarray(np.float32(0.1)))


@pytest.mark.parametrize(
    ("shape", "layout", "strides"),
    [
        ((2, 3), "contiguous", (24, 8)),
        ((2, 3), "transposed", (8, 16)),
        ((2, 3), "strided", (48, 16)),
        ((2, 3, 4), "transposed", (8, 16, 48)),
        ((2, 3, 4), "strided", (192, 64, 16)),
        ((5,), "strided", (16,)),
        ((5,), "transposed", (8,)),
        ((), "strided", ()),
        ((), "transposed", ()),
    ],
)
def test_an_array_arrives_with_the_promised_strides(
    enter: Enter, shape: tuple[int, ...], layout: str, strides: tuple[int, ...]
) -> None:
    value = numbers("float64", shape)
    seen = enter(SEEN, "numpy").call("look", array(value, layout=layout))
    assert tuple(seen["strides"]) == strides
    assert bits(to_numpy(seen["value"])) == bits(value)
    seen = enter(SEEN, "torch").call("look_at_tensor", tensor(value, layout=layout))
    assert tuple(seen["strides"]) == tuple(step // 8 for step in strides)
    assert bits(to_numpy(seen["value"])) == bits(value)


@pytest.mark.parametrize(("layout", "contiguous"), [("contiguous", True), ("transposed", False), ("strided", False)])
def test_only_the_contiguous_layout_is_contiguous(enter: Enter, layout: str, contiguous: bool) -> None:
    value = numbers("float32", (2, 3))
    assert enter(SEEN, "numpy").call("look", array(value, layout=layout))["c"] is contiguous
    assert enter(SEEN, "torch").call("look_at_tensor", tensor(value, layout=layout))["c"] is contiguous


@pytest.mark.parametrize("layout", ["contiguous", "transposed", "strided"])
def test_a_tensor_that_requires_grad_arrives_as_a_leaf_in_every_layout(enter: Enter, layout: str) -> None:
    sent = tensor(np.ones((2, 3)), requires_grad=True, layout=layout)
    seen = enter(SEEN, "torch").call("look_at_tensor", sent)
    assert seen["leaf"] is True and seen["grad"] is True


def test_an_array_arrives_writable(enter: Enter) -> None:
    student = enter("def f(x):\n    x[0] = 7\n    return x", "numpy")
    for layout in ("contiguous", "transposed", "strided"):
        answer, _ = student.call_and_see("f", array([1.0, 2.0], layout=layout))
        assert to_numpy(answer).tolist() == [7.0, 2.0]


def test_a_profile_without_torch_refuses_a_tensor(enter: Enter) -> None:
    with pytest.raises(StudentRaised, match="this profile has no torch"):
        enter(SEEN, "numpy").call("echo", tensor([1.0]))
