"""Versions that only a check that looks everywhere tells from the reference: one edit each, right wherever it is harmless."""

from typing import Any

import numpy as np
import pytest
import torch

from autograder.explain.mutants import Mutant
from autograder.judge.pack import Pack
from autograder.prove import blind_spots
from tests.conftest import SAMPLE
from tests.generated import blind_spots_that_are_mistakes

ENGINE = """
class Value:
    def __init__(self, data, operands=()):
        self.data, self.grad, self.operands = data, 0.0, operands
        self.push = lambda: None

    def __mul__(self, other):
        out = Value(self.data * other.data, (self, other))

        def push():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out.push = push
        return out

    def backward(self):
        self.grad = 1.0
        self.push()
"""
NUMPY = """
import numpy as np

def mul_vjp(g: np.ndarray, x: np.ndarray, *, n: float) -> tuple[np.ndarray, np.ndarray]:
    return g * x, g * n
"""
FUNCTION = """
import torch

class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g: torch.Tensor) -> torch.Tensor:
        (x,) = ctx.saved_tensors
        return 2 * x * g
"""


def made(source: str, operator: str, words: str = "") -> list[Mutant]:
    return [m for m in blind_spots.generate(source) if m.operator == operator and words in m.words]


def run(mutant: Mutant, name: str) -> Any:
    scope: dict[str, Any] = {"__name__": "mutant"}
    exec(mutant.source, scope)
    return scope[name]


def test_an_argument_is_changed_after_its_last_use() -> None:
    both = made(NUMPY, "changed-argument")
    assert [m.words for m in both] == [f"`mul_vjp` changes `{name}` before it returns" for name in "gx"]
    g, x = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    assert [d.tolist() for d in run(both[1], "mul_vjp")(g, x, n=2.0)] == [[3.0, 8.0], [2.0, 4.0]]
    assert (g.tolist(), x.tolist()) == ([1.0, 2.0], [4.0, 5.0])


def test_a_saved_tensor_is_changed_behind_autograd() -> None:
    (mutant,) = made(FUNCTION, "changed-argument", "`backward`")
    x, g = torch.tensor([3.0], requires_grad=True), torch.tensor([1.0])
    (slope,) = torch.autograd.grad(run(mutant, "Square").apply(x), x, g)
    assert (slope.item(), g.item()) == (6.0, 2.0)


def test_leaves_of_equal_data_are_one_object() -> None:
    (mutant,) = made(ENGINE, "shared-leaves")
    value = run(mutant, "Value")
    a, b, c = value(2.0), value(2.0), value(3.0)
    assert a is b and a is not c and a * c is not b * c


@pytest.mark.parametrize("name", ["grad", "data"])
def test_an_attribute_is_right_once(name: str) -> None:
    (mutant,) = made(ENGINE, "first-reading", name)
    value = run(mutant, "Value")
    a = value(2.0)
    f = a * value(3.0)
    f.backward()
    expected = 3.0 if name == "grad" else 2.0
    assert [getattr(a, name), getattr(a, name)] == [expected, 0.0]


def test_a_contribution_is_nan_where_a_number_in_it_is_0() -> None:
    words = "`self.grad += other.data * out.grad` gives nan where `other.data` is 0"
    (mutant,) = made(ENGINE, "nan-at-zero", words)
    value = run(mutant, "Value")
    for other, right in ((3.0, True), (0.0, False)):
        a, b = value(2.0), value(other)
        (a * b).backward()
        assert (a.grad == other, b.grad) == (right, 2.0)


def test_what_is_returned_is_nan_where_a_number_in_it_is_0() -> None:
    (mutant,) = made(NUMPY, "nan-at-zero", "`g * x` in `mul_vjp` is nan where `x` is 0")
    first, second = run(mutant, "mul_vjp")(np.ones(2), np.array([0.0, 3.0]), n=2.0)
    assert np.isnan(first[0]) and first[1] == 3.0 and second.tolist() == [2.0, 2.0]


def test_only_the_slope_of_a_derivative_is_nan_at_0() -> None:
    (mutant,) = made(FUNCTION, "nan-slope-at-zero", "where `x` is 0")
    x = torch.tensor([0.0, 3.0], requires_grad=True)
    (slope,) = torch.autograd.grad(run(mutant, "Square").apply(x).sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(slope.sum(), x)
    assert slope.tolist() == [0.0, 6.0]
    assert second[0].isnan() and second[1] == 2.0


REDUCED = """
import numpy as np

def mean_of(x, axis=0, *, scale=1.0):
    y = np.array(x)
    y = y * scale
    return y.mean(axis=axis)

def fitted(g, shape=(2, 3), weight=2.0):
    total = [0.0]
    for size, factor in zip(shape, (1, 2), strict=True):
        total[0] = factor + total[0]
    return None if g is None else g.sum(axis=0).reshape(shape) * weight

def bare(x):
    return np.squeeze(x, 0)
"""


def test_a_reduction_removes_other_axes_of_size_1() -> None:
    (mean, squeeze) = made(REDUCED, "squeeze")[:2]
    assert [m.words.partition("` ")[0] for m in (mean, squeeze)] == ["`y.mean(axis=axis)", "`np.squeeze(x, 0)"]
    for shape, left in (((2, 3), (3,)), ((2, 1), ())):
        assert run(mean, "mean_of")(np.ones(shape)).shape == left
    assert run(squeeze, "bare")(np.ones((1, 1, 2))).shape == (2,)


def test_a_sum_is_left_out() -> None:
    (mutant,) = made(REDUCED, "left-out")
    assert run(mutant, "fitted")(np.ones((1, 2, 3))).shape == (2, 3)
    with pytest.raises(ValueError, match="cannot reshape"):
        run(mutant, "fitted")(np.ones((2, 2, 3)))


def test_an_argument_is_changed_in_place() -> None:
    (copied,) = made(REDUCED, "uncopied")
    (product,) = made(copied.source, "in-place", "y")
    x = np.array([[1.0], [3.0]])
    assert run(product, "mean_of")(x, scale=2.0).tolist() == [4.0]
    assert x.tolist() == [[2.0], [6.0]]


def test_a_sum_in_place_may_stand_in_either_order() -> None:
    (mutant,) = made(REDUCED, "in-place", "total")
    assert "total[0] += factor" in mutant.source


def test_lengths_that_differ_are_no_error() -> None:
    (mutant,) = made(REDUCED, "lenient-zip")
    with pytest.raises(ValueError, match="zip"):
        run(made(REDUCED, "left-out")[0], "fitted")(None, (1, 2, 3))
    assert run(mutant, "fitted")(None, (1, 2, 3)) is None


def test_equal_is_taken_for_identical() -> None:
    (mutant,) = made(REDUCED, "equal")

    class Equal:
        def __eq__(self, other: object) -> bool:
            return True

    assert run(mutant, "fitted")(Equal()) is None


def test_parameters_change_places() -> None:
    (mutant,) = made(REDUCED, "default-order")
    assert run(mutant, "fitted")(np.ones((1, 2)), 3.0, (1, 2)).tolist() == [[3.0, 3.0]]


@pytest.mark.parametrize("slug", SAMPLE)
def test_no_blind_spot_is_a_mistake_that_the_diagnosis_looks_for(slug: str, packs: dict[str, Pack]) -> None:
    """`python -m bench.diagnosis` asks all exercises."""
    assert blind_spots_that_are_mistakes(packs[slug]) == []


def test_a_source_without_arrays_or_engine_has_none() -> None:
    assert blind_spots.generate("answers = {'a': 1}\n\ndef f(x):\n    return x + 1\n") == []
