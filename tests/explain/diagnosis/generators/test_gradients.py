"""Wrong gradients: the trusted forward with one mistake gives the answer, or nothing is claimed."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from autograder.explain.diagnosis.evidence import Evidence, Pair
from autograder.explain.diagnosis.generators import gradients
from autograder.explain.diagnosis.generators.gradients import formulas
from autograder.explain.diagnosis.generators.gradients.formulas import FORMULAS
from autograder.explain.recorder import Exchange
from autograder.judge.arrays import array
from autograder.judge.diagnosis import Declared, Forward, SecondOrder, first_is_upstream

Make = Callable[..., Evidence]
RNG = np.random.default_rng(2)
KINKS = np.array([-2.5, -0.5, 0.0, 0.5, 1.5, 3.0])


def product() -> Declared:
    return Declared(forwards={"f": Forward(lambda x, y: torch.sin(x) * y, lambda g, x, y: (g, (x, y)))})


def product_asked(evidence: Make, dx: Callable[..., Any]) -> list[str]:
    g, x, y = (RNG.normal(size=(2, 3)) for _ in range(3))
    right = (array(g * np.cos(x) * y), array(g * np.sin(x)))
    case = evidence(((array(g), array(x), array(y)), right, (array(dx(g, x, y)), right[1])), declared=product())
    return [claim.operators[0] for claim in gradients.claims(case)]


@pytest.mark.parametrize(
    ("operator", "dx"),
    [
        ("upstream", lambda g, x, y: np.cos(x) * y),
        ("upstream-squared", lambda g, x, y: g * g * np.cos(x) * y),
        ("upstream-reduced", lambda g, x, y: g.sum() * np.cos(x) * y),
        ("drop-factor", lambda g, x, y: g * y),
        ("sign", lambda g, x, y: -g * np.cos(x) * y),
        ("twice", lambda g, x, y: 2 * g * np.cos(x) * y),
        ("wrong-local-derivative", lambda g, x, y: g * (1 - np.sin(x)) * y),
    ],
)
def test_one_edit_of_the_trusted_forward_is_found(operator: str, dx: Callable[..., Any], evidence: Make) -> None:
    assert product_asked(evidence, dx) == [operator]


def test_a_gradient_at_the_result_instead_of_the_argument(evidence: Make) -> None:
    """Forward saved what it returns, and backward takes it for what it was given."""
    g, x = RNG.normal(size=(2, 3)), RNG.normal(size=(2, 3))
    declared = Declared(forwards={"f": Forward(lambda x: x**3, lambda g, x: (g, (x,)))})
    case = evidence(((array(g), array(x)), (array(3 * g * x**2),), (array(3 * g * x**6),)), declared=declared)
    assert [claim.operators[0] for claim in gradients.claims(case)] == ["output-for-input"]
    assert gradients.claims(case, forwards=0) == []


def test_a_forward_may_use_operations_that_do_not_return_a_tensor(evidence: Make) -> None:
    g, x = RNG.normal(size=(2, 3)), RNG.normal(size=(2, 3))
    square = Forward(lambda x: torch.stack((x * x).unbind(0)).reshape(len(x), 3), lambda g, x: (g, (x,)))
    for given, operators in ((-2 * g * x, ["sign"]), (np.exp(g) * x, [])):
        case = evidence(
            ((array(g), array(x)), (array(2 * g * x),), (array(given),)), declared=Declared(forwards={"f": square})
        )
        assert [claim.operators[0] for claim in gradients.claims(case)] == operators


def test_a_call_of_the_function_itself_is_no_question_about_gradients(evidence: Make) -> None:
    x = RNG.normal(size=3)
    declared = Declared(forwards={"f": Forward(lambda x: x**2, lambda g, *inputs: (g, inputs))})
    assert gradients.claims(evidence(((array(x),), array(x**2), array(2 * x)), declared=declared)) == []


def test_numbers_that_no_edit_gives_are_left_alone(evidence: Make) -> None:
    assert product_asked(evidence, lambda g, x, y: np.exp(g) * x) == []


def test_the_right_numbers_in_another_dtype_are_no_wrong_gradient(evidence: Make) -> None:
    """The sum of an upstream gradient with a single entry is this entry, so an edit of it predicts the right numbers."""
    g, x = RNG.normal(size=()), RNG.normal(size=3)
    declared = Declared(forwards={"f": Forward(lambda x: (x * x).sum(), lambda g, x: (g, (x,)))})
    given = np.asarray(2 * g * x, np.float32)
    case = evidence(((array(np.asarray(g)), array(x)), (array(2 * g * x),), (array(given),)), declared=declared)
    assert gradients.claims(case) == []


@pytest.mark.parametrize("formula", FORMULAS, ids=lambda formula: formula[1])
def test_a_formula_for_a_hessian_vector_product_is_recognised(formula: Any, evidence: Make) -> None:
    f = lambda t: (t[:-1] ** 2 * t[1:] ** 3).sum() + t.exp().sum()  # noqa: E731
    x, v = torch.from_numpy(RNG.normal(size=4)).requires_grad_(), torch.from_numpy(RNG.normal(size=4))
    declared = Declared(
        second_orders={"f": SecondOrder(lambda x, v: (f, x, 2 * x if formula[0] == "undetached" else v), ())}
    )
    direction = 2 * x if formula[0] == "undetached" else v
    given = formula[2](f, x, direction).detach().numpy()
    right = formulas._product(f, x, direction).detach().numpy()
    case = evidence(((array(x.detach().numpy()), array(v.numpy())), array(right), array(given)), declared=declared)
    if case.wrong("check"):  # a good difference quotient agrees to all digits that are compared
        found = gradients.claims(case)
        assert [claim.operators[0] for claim in found] == [formula[0]]


@pytest.mark.parametrize(
    "value",
    [lambda x, right: np.clip(x, -1, 1), lambda x, right: x + (right - x)],
    ids=["the surrogate's", "rounded off"],
)
def test_a_value_mixed_with_its_surrogate_is_recognised(value: Any) -> None:
    declared = Declared(forwards={"sign": Forward(lambda x: x.clamp(-1, 1), first_is_upstream)})
    x = np.append(KINKS, [1e17, -3e17])
    right, g = np.where(x < 0, -1.0, 1.0), np.ones(8)

    def exchange(answer: Any) -> Exchange:
        asked = ([[[array(x)], [array(g)]]],)
        return Exchange("op", "function.vjp", asked, {"name": "sign"}, [[[array(answer)], [array(g)]]])

    def found(answer: Any) -> list[str]:
        pairs = tuple(Pair("check", seed, exchange(answer), exchange(right)) for seed in (1, 2, 3))
        return [claim.operators[0] for claim in formulas.claims_of_values(Evidence({"check": pairs}, (1, 2, 3), declared))]

    assert "value-changed" in found(value(x, right))
    assert found(np.sin(x)) == []
