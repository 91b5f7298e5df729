"""Generates the wrong versions of a reference that a dictionary predicts: single edits, repeated edits, and pairs.

People repeat a mistake: whoever overwrites one gradient usually overwrites the others. So the second order does not contain
every pair of edits, but first the same edit wherever it applies (in one function or in the whole file), then pairs of one
kind within a function.
"""

import ast
import difflib
import re
import warnings
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import combinations, islice, pairwise

from autograder.judge import mutants
from autograder.judge.diagnosis import array_habits, forms, habits, places, rewrites
from autograder.judge.diagnosis.keys import finer
from autograder.judge.mutants import Mutant

PAIRS = 150
NO_UPSTREAM = "the upstream `v`"  # `v` is a direction, or the current node of a loop
_QUOTED = re.compile("`[^`]*`")
SCOPES = (ast.FunctionDef, ast.ClassDef)


@dataclass(frozen=True)
class Candidate:
    """A wrong program, the kinds of its edits, and a description for instructors, which quotes the reference."""

    operators: tuple[str, ...]
    words: str
    source: str


def candidates(source: str, *, pairs: int = PAIRS, without: Collection[str] = ()) -> list[Candidate]:
    """All candidates without duplicates, simplest first. `without` excludes operators, to measure what the others explain."""
    base = ast.unparse(_without_docstrings(ast.parse(source)))
    library = array_habits.library_of(base)

    def edits(part: str) -> list[Mutant]:
        own = (*rewrites.generate(part), *array_habits.generate(part, library))
        made = (*own, *mutants.generate(part), *habits.generate(part))
        return [m for m in made if m.operator not in without and not m.words.startswith(NO_UPSTREAM)]

    singles = edits(base)
    seen = {base + "\n", base}
    found = []
    for group in (
        *((m,) for m in singles),
        *_repeated(base, singles),
        *((m,) for m in places.for_one_caller(base, edits)),
        *((m,) for m in forms.generate(base, edits)),
        *_pairs(base, singles, pairs),
    ):
        program = group[0].source if len(group) == 1 else _merged(base, group)
        if program is None or program in seen or not _compiles(program):
            continue
        seen.add(program)
        operators = tuple(dict.fromkeys(finer(m.operator, m.words) for m in group))
        words = "; ".join(m.words for m in group)
        found.append(Candidate(operators, words, program))
        if len(operators) == 1 and operators[0] in places.SHAPED:
            fitting = places.where_it_fits(base, Mutant(operators[0], 0, words, program))
            if fitting is not None and fitting.source not in seen:
                seen.add(fitting.source)
                found.append(Candidate(operators, fitting.words, fitting.source))
    return found


def _repeated(base: str, singles: list[Mutant]) -> Iterator[tuple[Mutant, ...]]:
    """One kind of edit applied everywhere at once: in a function, in a class, in the file."""
    scopes = [
        (node.lineno, node.end_lineno or node.lineno) for node in ast.walk(ast.parse(base)) if isinstance(node, SCOPES)
    ]
    scopes.append((1, base.count("\n") + 1))
    edited = [(m, _edit(base, m)) for m in singles]
    kinds = [{m.operator, f"{m.operator}: {_QUOTED.sub('', m.words)}", finer(m.operator, m.words)} for m in singles]
    for kind in dict.fromkeys(kind for kinds_of_one in kinds for kind in sorted(kinds_of_one)):
        alike = [(m, edit) for (m, edit), own in zip(edited, kinds, strict=True) if kind in own and edit is not None]
        for first, last in scopes:
            inside = [(m, edit) for m, edit in alike if first <= edit[0] and edit[1] <= last]
            for variant in (0, 1):
                group: dict[int, Mutant] = {}
                for m, edit in inside[::-1] if variant else inside:
                    group.setdefault(edit[0], m)
                if len(group) > 1:
                    yield tuple(group.values())


def _pairs(base: str, singles: list[Mutant], count: int) -> Iterator[tuple[Mutant, ...]]:
    """Pairs of edits of one kind, or of moved statements."""
    moved = {"hoist", "leak", "zero-before-step", "move"}
    both = [pair for pair in combinations(singles, 2) if {pair[0].operator, pair[1].operator} <= moved]
    alike = [pair for pair in combinations(singles, 2) if pair[0].operator == pair[1].operator and pair not in both]
    yield from islice((*both, *alike), count)


def _edit(base: str, mutant: Mutant) -> tuple[int, int] | None:
    """The first and last line of the reference that a mutant changes."""
    blocks = _blocks(base, mutant.source)
    return (blocks[0][0] + 1, max(blocks[-1][1], blocks[0][0] + 1)) if blocks else None


def _blocks(base: str, changed: str) -> list[tuple[int, int, list[str]]]:
    old, new = base.splitlines(), changed.splitlines()
    codes = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [(i, j, new[k:m]) for tag, i, j, k, m in codes if tag != "equal"]


def _merged(base: str, group: tuple[Mutant, ...]) -> str | None:
    """A program with all edits, if they change different lines."""
    lines = base.splitlines()
    blocks = sorted((block for mutant in group for block in _blocks(base, mutant.source)), key=lambda block: block[:2])
    for one, other in pairwise(blocks):
        if other[0] < one[1] or other[:2] == one[:2]:
            return None
    for start, end, put in reversed(blocks):
        lines[start:end] = put
    return "\n".join(lines) + "\n"


def _compiles(program: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)  # wrong programs may contain suspicious code
            compile(program, "candidate", "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return False
    return True


def _without_docstrings(tree: ast.Module) -> ast.Module:
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
            body[:1] = [] if len(body) > 1 else [ast.Pass()]
    return tree
