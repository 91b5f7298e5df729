"""Wrong versions of references that compute with arrays: by habit, in one place of two, in another form."""

from typing import Any

import numpy as np
import pytest
import torch

from autograder.explain import mutants
from autograder.explain.diagnosis import keys
from autograder.explain.diagnosis.edits import arrays, candidates, variants

RNG = np.random.default_rng(3)
A, B = RNG.normal(size=(3, 3)), RNG.normal(size=(3, 3))
X = np.array([-2.5, -0.5, 0.0, 0.5, 1.5, 3.0])


def run(source: str, *args: Any, name: str = "f") -> Any:
    scope: dict[str, Any] = {}
    exec(source, scope)
    return scope[name](*args)


def answers(body: str, operator: str, *args: Any) -> list[Any]:
    """What the habits of one kind make of `def f`, as far as it answers."""
    source = f"import numpy as np\n{body}"
    made = [m for m in arrays.generate(source) if m.operator == operator]
    assert made, operator
    return [run(m.source, *args) for m in made]


@pytest.mark.parametrize(
    ("operator", "body", "args", "wrong"),
    [
        ("dot", "def f(a, b): return a @ b", (A, B), A * B),
        ("dot", "def f(a, b): return (a * b).sum(axis=0, keepdims=True)", (A, B), A * B),
        ("dot-term", "def f(a, b): return (a * b).sum(axis=0)", (A, B), A.sum(axis=0)),
        ("dot-term", "def f(a, b):\n    m = (a * b).sum(axis=0)\n    return a - m", (A, B), A),
        ("all-axes", "def f(a): return a.sum(axis=0)", (A,), A.sum()),
        ("all-axes-max", "def f(a): return a.max(axis=0)", (A,), A.max()),
        ("no-reduction", "def f(a): return a.sum(axis=(0,))", (A,), A[-1]),
        ("transpose", "def f(a): return np.swapaxes(a, -1, -2)", (A,), A),
        ("transpose-by-reshape", "def f(a): return a.T", (A[:2],), A[:2].reshape(3, 2)),
        ("transpose-all", "def f(a): return np.swapaxes(a, -1, -2)", (A.reshape(1, 3, 3),), A.reshape(1, 3, 3).T),
        ("no-mask", "def f(g, x): return np.where(x > 0, g, 0.0)", (A, B), A),
        ("clipped-upstream", "def f(g, x): return np.where(x > 0, g, 0.0)", (3 * A, B), np.clip(3 * A, -1, 1)),
        ("mask-of-upstream", "def f(g, x): return np.where(x > 0, g, 0.0)", (A, B), np.where(A > 0, A, 0)),
        ("mask", "def f(x): return np.where(x >= 0, 1, -1)", (X,), np.sign(X)),
        ("one-sided", "def f(x): return np.abs(x) <= 1", (X,), X <= 1),
        ("rounding", "def f(x): return np.round(x)", (X,), np.floor(X + 0.5)),
        ("unchanged-value", "def f(x): return np.round(x)", (X,), X),
        ("axis", "def f(a): return a.sum(1) / a.max(axis=1)", (A,), A.sum(0) / A.max(0)),
        ("swap-names", "def f(g, x, y): return g * y + x / y, x", (A, B, X[:3]), (A * B + X[:3] / B, B)),
        ("output-for-input", "def f(x):\n    y = np.tanh(x)\n    return y + x", (X,), 2 * np.tanh(X)),
    ],
)
def test_a_habit_gives_its_wrong_numbers(operator: str, body: str, args: tuple[Any, ...], wrong: Any) -> None:
    assert any(np.shape(given) == np.shape(wrong) and np.allclose(given, wrong) for given in answers(body, operator, *args))


def test_a_reduction_of_everything_stands_empty_arrays() -> None:
    """An exception there would contradict a submission that passes the check of empty arrays."""
    (given,) = answers("def f(a): return a.max(axis=1, keepdims=True)", "all-axes-max", np.zeros((0, 3)))
    assert given == -np.inf


def test_a_mistake_is_made_for_one_caller_alone() -> None:
    source = "def half(x): return x / 2\ndef f(x): return half(x)\ndef g(x): return half(x)\n"
    made = [m.source for m in variants.for_one_caller(source, mutants.generate)]
    results = {(run(text, 3.0), run(text, 3.0, name="g")) for text in made if "x * 2" in text}
    assert results == {(6.0, 1.5), (1.5, 6.0)}


def test_a_wrong_order_is_kept_only_where_it_fits() -> None:
    base = "import numpy as np\n\ndef f(a, b):\n    return (a @ b, a)\n"
    (swapped,) = [m for m in mutants.generate(base) if "operands of `a @ b`" in m.words]
    fitting = variants.where_it_fits(base, swapped)
    assert fitting is not None
    assert np.allclose(run(fitting.source, A, B)[0], B @ A)
    assert np.allclose(run(fitting.source, A[:2], B)[0], A[:2] @ B)


@pytest.mark.parametrize("name", variants.FORMS)
def test_every_textbook_form_is_the_slope_of_its_function(name: str) -> None:
    x = torch.from_numpy(X).requires_grad_()
    g = RNG.normal(size=X.shape)
    (truth,) = torch.autograd.grad(getattr(torch, name)(x), x, torch.from_numpy(g))
    for form in variants.FORMS[name]:
        body = "\n".join(f"    {line}" for line in form.splitlines())
        assert np.allclose(run(f"import numpy as np\ndef f(g, x):\n{body}\n", g, X)[0], truth.numpy())


def test_mistakes_in_a_textbook_form_are_candidates() -> None:
    reference = "import numpy as np\ndef tanh_vjp(g, x):\n    t = np.tanh(x)\n    return (g * (1 - t * t),)\n"
    assert any("np.cosh" in candidate.source for candidate in candidates(reference))


@pytest.mark.parametrize(
    "factor", ["g", "np.expand_dims(g, axis)", "g[..., None]", "g.reshape(-1)", "np.asarray(g).T", "out.grad"]
)
def test_an_upstream_in_another_shape_is_the_upstream(factor: str) -> None:
    assert keys.finer("drop-factor", f"of `{factor} * p` only `p` is left") == "upstream"
    assert keys.finer("drop-factor", f"of `p * {factor}` only `p` is left") == "upstream"


@pytest.mark.parametrize("factor", ["g[0]", "g * y", "v", "np.cos(g)", "y.reshape(g.shape)"])
def test_a_factor_that_is_more_or_less_than_the_upstream_is_any_factor(factor: str) -> None:
    assert keys.finer("drop-factor", f"of `{factor} * p` only `p` is left") == "drop-factor"


def test_the_node_that_a_loop_has_come_to_is_no_upstream() -> None:
    reference = "def backward(order):\n    for v in order:\n        v.push()\n"
    assert all("upstream" not in candidate.operators for candidate in candidates(reference))


def test_a_dot_product_that_is_not_summed_is_no_lost_unbroadcast() -> None:
    assert keys.finer("no-reduction", "without `(g * p).sum(axis=axis, keepdims=True)`") == "dot"
    assert keys.finer("no-reduction", "without `g.sum(axis=stretched, keepdims=True)`") == "leading"
    assert keys.finer("no-reduction", "without `e.sum(axis=axis, keepdims=True)`") == "reduction-dropped"
