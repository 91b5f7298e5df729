"""Rewrites the derivative of a well-known function in its other textbook forms, which lead to other mistakes.

`1 - t^2` and `1 / cosh^2` are the same derivative, but a missing square gives different numbers. This applies only to
functions of an upstream gradient and one input whose name identifies the function.
"""

import ast
from collections.abc import Callable, Iterator, Sequence

from autograder.judge.mutants import Mutant

FORMS: dict[str, tuple[str, ...]] = {
    "sigmoid": (
        "s = 1 / (1 + np.exp(-x))\nreturn (g * s * (1 - s),)",
        "s = 0.5 * (1 + np.tanh(x / 2))\nreturn (g * s * (1 - s),)",
        "t = np.tanh(x / 2)\nreturn (g * 0.25 * (1 + t) * (1 - t),)",
        "e = np.exp(-x)\nreturn (g * e / (1 + e) ** 2,)",
    ),
    "tanh": (
        "return (g * (1 - np.tanh(x) ** 2),)",
        "return (g / np.cosh(x) ** 2,)",
        "e = np.exp(-2 * np.abs(x))\nreturn (4 * g * e / (1 + e) ** 2,)",
    ),
}


def generate(base: str, edits: Callable[[str], Sequence[Mutant]]) -> Iterator[Mutant]:
    """Edits of the reference with one function written in another form."""
    tree = ast.parse(base)
    for at, function in enumerate(tree.body):
        if not isinstance(function, ast.FunctionDef) or [a.arg for a in function.args.args] != ["g", "x"]:
            continue
        for name in (name for name in FORMS if name in function.name.split("_")):
            for form in FORMS[name]:
                body = "\n".join(f"    {line}" for line in form.splitlines())
                for mutant in edits(f"def {function.name}(g, x):\n{body}\n"):
                    rest = ast.Module([*tree.body[:at], *tree.body[at + 1 :]], [])
                    program = f"{ast.unparse(rest)}\n\n{mutant.source}"
                    yield Mutant(mutant.operator, mutant.line, f"{mutant.words}, in `{form}`", program)
