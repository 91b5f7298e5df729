"""Applies an edit only in some places: for one caller of a shared function, or only where shapes allow it.

A student who writes a computation twice may make a mistake in one copy, while the reference has one function with two
callers. And a student who finds the order of two factors by trial gets it right wherever the wrong order raises.
"""

import ast
import copy
from collections.abc import Callable, Iterator, Sequence

from autograder.judge.mutants import Mutant

MOST = 160
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


def for_one_caller(base: str, generate: Callable[[str], Sequence[Mutant]]) -> Iterator[Mutant]:
    """Each call of a function with two callers gets its own copy of the function, which is then edited."""
    tree = ast.parse(base)
    shared = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    count = 0
    for name, function in shared.items():
        sites = [n for n, node in enumerate(ast.walk(tree)) if _calls(node, name)]
        if len(sites) < 2 or any(_calls(node, name) for node in ast.walk(function)):
            continue
        own = copy.deepcopy(function)
        own.name = f"{name}_here"
        edits = generate(ast.unparse(own))
        for site in sites:
            changed = copy.deepcopy(tree)
            call = list(ast.walk(changed))[site]
            assert isinstance(call, ast.Call)
            call.func = ast.Name(own.name, ast.Load())
            text = ast.unparse(ast.fix_missing_locations(changed))
            for mutant in edits:
                count += 1
                if count <= MOST:
                    yield Mutant(
                        mutant.operator, mutant.line, f"{mutant.words}, at call {site}", f"{text}\n\n{mutant.source}"
                    )


def where_it_fits(base: str, mutant: Mutant) -> Mutant | None:
    """The edit of one function, used only where its results have the right shapes."""
    right = {node.name: node for node in ast.parse(base).body if isinstance(node, ast.FunctionDef)}
    wrong = {node.name: node for node in ast.parse(mutant.source).body if isinstance(node, ast.FunctionDef)}
    changed = [name for name in right if name in wrong and ast.unparse(right[name]) != ast.unparse(wrong[name])]
    if len(changed) != 1 or not _returns_several(right[changed[0]]):
        return None
    (name,) = changed
    right[name].name, wrong[name].name = f"{name}_right", f"{name}_wrong"
    tree = ast.parse(base)
    at = next(n for n, node in enumerate(tree.body) if isinstance(node, ast.FunctionDef) and node.name == name)
    tree.body[at : at + 1] = [right[name], wrong[name], *ast.parse(_FITTING.format(name=name)).body]
    return Mutant(mutant.operator, mutant.line, f"{mutant.words}, where it fits", ast.unparse(tree) + "\n")


def _returns_several(function: ast.FunctionDef) -> bool:
    return any(isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple) for node in ast.walk(function))


def _calls(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name
