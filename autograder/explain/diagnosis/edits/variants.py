"""The same edits elsewhere: for one caller of a shared function, only where shapes allow it, or in another textbook form.

A student who writes a computation twice may make a mistake in one copy, while the reference has one function with two
callers. A student who finds the order of two factors by trial gets it right wherever the wrong order raises. And `1 - t^2`
and `1 / cosh^2` are the same derivative, but a missing square gives different numbers.
"""

import ast
import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from textwrap import indent

from autograder.explain.diagnosis.edits.syntax import each, nodes, statements, text
from autograder.explain.mutants import Mutant

Edits = Callable[[str], Sequence[Mutant]]
MAX_OF_ONE_CALLER = 160
SHAPED = ("transpose", "swap-operands", "transpose-by-reshape")
_FITTING = """
def {name}(*args, **options):
    right = {name}_right(*args, **options)
    try:
        wrong = {name}_wrong(*args, **options)
        fits = [w.shape for w in wrong] == [r.shape for r in right]
    except (ValueError, RuntimeError, TypeError, AttributeError):
        fits = False
    return wrong if fits else right
"""
# the derivatives of functions of an upstream gradient and one input, which are known by their names
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


def for_one_caller(base: str, edits: Edits) -> Iterator[Mutant]:
    """Each call of a function with two callers gets its own copy of the function, which is then edited."""
    tree = ast.parse(base)
    count = 0
    for name, function in _functions(tree).items():
        sites = [n for n, node in enumerate(ast.walk(tree)) if _calls(node, name)]
        if len(sites) < 2 or any(_calls(node, name) for node in ast.walk(function)):
            continue
        own = copy.deepcopy(function)
        own.name = f"{name}_here"
        found = edits(text(own))
        for site in sites:
            changed = copy.deepcopy(tree)
            call = list(ast.walk(changed))[site]
            assert isinstance(call, ast.Call)
            call.func = ast.Name(own.name, ast.Load())
            program = text(ast.fix_missing_locations(changed))
            for mutant in found[: max(0, MAX_OF_ONE_CALLER - count)]:
                yield replace(mutant, words=f"{mutant.words}, at call {site}", source=f"{program}\n\n{mutant.source}")
            count += len(found)


def where_it_fits(base: str, mutant: Mutant) -> Mutant | None:
    """The edit of one function, used only where its results have the right shapes."""
    tree = ast.parse(base)
    right, wrong = _functions(tree), _functions(ast.parse(mutant.source))
    changed = [name for name in right if name in wrong and text(right[name]) != text(wrong[name])]
    if len(changed) != 1 or not any(isinstance(item.value, ast.Tuple) for item in nodes(right[changed[0]], ast.Return)):
        return None
    (name,) = changed
    at = tree.body.index(right[name])
    tree.body[at + 1 : at + 1] = [wrong[name], *statements(_FITTING.format(name=name))]
    right[name].name, wrong[name].name = f"{name}_right", f"{name}_wrong"
    return replace(mutant, words=f"{mutant.words}, where it fits", source=text(tree) + "\n")


def in_other_forms(base: str, edits: Edits) -> Iterator[Mutant]:
    """Edits of the reference with one function written in another form."""
    for changed, function in each(ast.parse(base), ast.FunctionDef):
        if function not in changed.body or [argument.arg for argument in function.args.args] != ["g", "x"]:
            continue
        changed.body.remove(function)
        for form in (form for name, forms in FORMS.items() if name in function.name.split("_") for form in forms):
            for mutant in edits(f"def {function.name}(g, x):\n{indent(form, '    ')}\n"):
                program = f"{text(changed)}\n\n{mutant.source}"
                yield replace(mutant, words=f"{mutant.words}, in `{form}`", source=program)


def _functions(tree: ast.Module) -> dict[str, ast.FunctionDef]:
    return {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}


def _calls(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name
