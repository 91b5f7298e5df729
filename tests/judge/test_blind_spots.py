"""Versions that only a check that looks everywhere tells from the reference: one edit each, right wherever it is harmless."""

from typing import Any

import numpy as np
import pytest
import torch

from autograder.judge import blind_spots
from autograder.judge.mutants import Mutant
from autograder.judge.pack import Pack
from tests.conftest import SAMPLE
from tests.judge.generated import blind_spots_that_are_mistakes

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


@pytest.mark.parametrize("slug", SAMPLE)
def test_no_blind_spot_is_a_mistake_that_the_diagnosis_looks_for(slug: str, packs: dict[str, Pack]) -> None:
    """`python -m bench.diagnosis` asks all exercises."""
    assert blind_spots_that_are_mistakes(packs[slug]) == []


def test_a_source_without_arrays_or_engine_has_none() -> None:
    assert blind_spots.generate("answers = {'a': 1}\n\ndef f(x):\n    return x + 1\n") == []
