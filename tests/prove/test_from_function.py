"""A draft made from a function: its solution is right, its mistakes are wrong, and the linter finds nothing."""

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from autograder.judge import pack
from autograder.judge.grade import Judge
from autograder.prove import from_function, statement_rule
from autograder.prove.findings import Proof
from autograder.prove.from_function.steps import Unsupported, read, shape_of
from autograder.prove.memory import Memory
from autograder.prove.proving import prove_here

FUNCTIONS = {
    "softplus": ("def softplus(x):\n    return np.log(1 + np.exp(x))", {}),
    "affine": ("def affine(x, w, b):\n    return x @ w + b", {"x": "n, k", "w": "k, m", "b": "m"}),
    "squares": ("def squares(x, y):\n    d = x - y\n    return (d ** 2).mean()", {}),
    "lengths": ("def lengths(x):\n    return np.sqrt((x * x).sum(axis=-1))", {}),
    "shares": ("def shares(x):\n    return x / np.sum(x, axis=1, keepdims=True)", {}),
    "gate": ("def gate(x, s, floor=0.5):\n    return np.maximum(x, floor) * s", {"s": "m"}),
    "entropy": ("def entropy(p):\n    return -(p * np.log(p)).sum()", {"p": "n"}),
    "hidden": ("def hidden(x, w):\n    h = np.tanh(w.T @ x)\n    return h / 2 + h ** 3", {"x": "n, m", "w": "n, k"}),
    "outer": (
        "def outer(u, a):\n    '''A vector times a matrix.'''\n    return np.sin(u @ a) - np.cos(u @ a)",
        {"u": "n", "a": "n, m"},
    ),
    "columns": ("def columns(x, c):\n    return x.mean(axis=0) * c", {"x": "n, m", "c": "m"}),
    "swiglu": ("def swiglu(x, w, v):\n    return F.silu(x @ w) * (x @ v)", {"x": "n, k", "w": "k, m", "v": "k, m"}),
    "soft": ("def soft(x):\n    return torch.softmax(x, dim=-1)", {}),
    "log_soft": ("def log_soft(x, scale=2.0):\n    return torch.log_softmax(scale * x, dim=1).sum(dim=0)", {}),
    "lse": ("def lse(x):\n    return torch.logsumexp(x, dim=1)", {}),
    "swish": ("def swish(x, beta=1.5):\n    return x * torch.sigmoid(beta * x)", {}),
    "cubes": ("def cubes(x):\n    return (x ** 3).sum(dim=0, keepdim=True) + x", {}),
}
PROVED = ("softplus", "affine", "entropy", "swish", "swiglu")


def drafted(name: str) -> dict[str, str]:
    source, shapes = FUNCTIONS[name]
    return from_function.files_of(
        source, {key: shape_of(text) for key, text in shapes.items()}, name.capitalize(), "Own"
    ).files


def scope_of(source: str) -> dict[str, Any]:
    scope: dict[str, Any] = {"np": np, "torch": torch, "F": torch.nn.functional}
    exec(source, scope)
    return scope


def truth(
    name: str, inputs: list[np.ndarray], upstream: Callable[[tuple[int, ...]], np.ndarray]
) -> tuple[list[Any], np.ndarray]:
    """The gradients of the function as it was pasted, and the upstream gradient."""
    source, _ = FUNCTIONS[name]
    forward = scope_of(source.replace("np.maximum(x, floor)", "torch.clamp(x, min=floor)").replace("np.", "torch."))[name]
    leaves = [torch.from_numpy(values).requires_grad_() for values in inputs]
    value = forward(*leaves)
    g = upstream(tuple(value.shape))
    return list(torch.autograd.grad(value, leaves, torch.from_numpy(g))), g


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_solution_differentiates_the_function(name: str) -> None:
    source, shapes = FUNCTIONS[name]
    files, forward = drafted(name), read(source, {key: shape_of(text) for key, text in shapes.items()})
    rng = np.random.default_rng(3)
    sizes = {letter: 2 + n for n, letter in enumerate(forward.letters)}
    inputs = [rng.uniform(0.5, 2.0, size=[sizes[letter] for letter in shape]) for shape in forward.inputs.values()]
    expected, g = truth(name, inputs, lambda shape: np.asarray(rng.normal(size=shape)))
    given = _gradients(files["solution.py"], forward.library, g, inputs)
    assert len(given) == len(expected)
    for one, other, values in zip(given, expected, inputs, strict=True):
        assert np.shape(one) == values.shape
        np.testing.assert_allclose(np.asarray(one), other.numpy(), rtol=1e-9)
    for path in (path for path in files if path.startswith("wrong/")):
        wrong = _gradients(files[path], forward.library, g, inputs)
        assert any(np.shape(a) != np.shape(b) or not np.allclose(a, b) for a, b in zip(wrong, given, strict=True)), path


def _gradients(program: str, library: str, g: np.ndarray, inputs: list[np.ndarray]) -> list[np.ndarray]:
    scope = scope_of(program)
    if library == "numpy":
        (entry,) = (name for name in scope if name.endswith("_vjp"))
        return list(scope[entry](g, *inputs))
    (function,) = (it for it in scope.values() if isinstance(it, type) and issubclass(it, torch.autograd.Function))

    class Context:
        def save_for_backward(self, *saved: torch.Tensor) -> None:
            self.saved_tensors = saved

    context = Context()
    function.forward(context, *map(torch.from_numpy, inputs))
    found = function.backward(context, torch.from_numpy(g))
    return [gradient.numpy() for gradient in (found if isinstance(found, tuple) else (found,))]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_worked_example_is_what_the_solution_gives(name: str) -> None:
    files = drafted(name)
    example = files["statement.md"].split("## A worked example")[1].split("```python\n")[1].split("```")[0]
    assert "nan" not in example and "inf" not in example
    scope = scope_of(files["solution.py"]) | {"array": np.array, "tensor": torch.tensor}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for line in example.splitlines():
            code, _, said = line.partition("  # ")
            if not said:
                exec(code, scope)
                continue
            given, wanted = eval(code, scope), eval(said.removesuffix(", to four digits"), scope)
            for one, other in zip(given, wanted, strict=True) if isinstance(wanted, tuple) else [(given, wanted)]:
                np.testing.assert_allclose(np.asarray(one), np.asarray(other), atol=6e-5)


@pytest.mark.parametrize("name", PROVED)
def test_the_linter_finds_nothing(name: str, judge: Judge, tmp_path: Path) -> None:
    folder = tmp_path / name
    for path, text in drafted(name).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    exercise = pack.load(folder)
    proof: Proof = prove_here(judge, exercise, Memory(exercise), lambda done, of: None)
    found = [*proof.findings, *statement_rule.findings(exercise)]
    assert [str(finding) for finding in found if finding.rule != "limits"] == []
    assert proof.killed > 5 and proof.killed + proof.equivalent == proof.mutants


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def f(x):\n    return np.fft.fft(x)", "Line 2"),
        ("def f(x):\n    for i in range(3):\n        x = x * 2\n    return x", "no plain assignment"),
        ("def f(x):\n    return x", "no derivative"),
        ("def f(x):\n    return np.exp(y)", "uses y"),
        ("def f(x):\n    return np.exp(torch.sin(x))", "only one"),
        ("def f(x):\n    return np.softmax(x)", "softmax"),
        ("def f(x)\n    return x", "syntax error in line 1"),
        ("x = 1", "Paste one function"),
        ("def f(*x):\n    return x", "plain names"),
        ("def f(g):\n    return np.exp(g)", "kept for gradients"),
        ("def f(x):\n    return np.log(x - x)", "nan or inf"),
        ("def f(x):\n    return __import__('os').system('true')", "Line 2"),
        ("def f(x):\n    return x.__class__", "cannot be read"),
        ("def f(x, w):\n    return x @ w", "do not fit"),
        ("def f(x):\n    return 2 ** x", "exponent"),
        ("def f(x):\n    return " + "(" * 300 + "x" + ")" * 300, "syntax error"),
    ],
)
def test_what_cannot_be_read_is_said_with_its_line(source: str, said: str) -> None:
    with pytest.raises(Unsupported, match=said):
        from_function.files_of(source, {}, "Title", "Own")


def test_shapes_are_written_with_letters() -> None:
    assert shape_of("n, m") == ("n", "m") and shape_of(" n ") == ("n",)
    for text in ("n, 3", "rows", "N"):
        with pytest.raises(Unsupported, match="letter"):
            shape_of(text)
