"""Generates the wrong versions of a reference that a dictionary predicts: single edits, repeated edits, and pairs.

Single edits come from `explain.mutants`, from `autograd` and `training` (rewrites of a syntax tree), and from `arrays`
(operators on nodes). `variants` makes the same edits elsewhere. `syntax` is the toolbox of all of them. To model another
mistake, write a function `(tree) -> Iterator[Program]` and list it at the end of `autograd` or `training`.

People repeat a mistake: whoever overwrites one gradient usually overwrites the others. So the second order does not contain
every pair of edits, but first the same edit wherever it applies (in one function or in the whole file), then pairs of one
kind within a function.
"""

import ast
import difflib
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from itertools import combinations, islice, pairwise

from autograder.explain import mutants
from autograder.explain.diagnosis.edits import arrays, autograd, training, variants
from autograder.explain.diagnosis.edits.syntax import rewritten, text
from autograder.explain.diagnosis.keys import finer
from autograder.explain.mutants import Mutant
from autograder.judge.files import join, split

MAX_PAIRS = 150
NO_UPSTREAM = "the upstream `v`"  # `v` is a direction, or the current node of a loop
MOVES = frozenset({"hoist", "leak", "zero-before-step", "move"})
_QUOTED = re.compile("`[^`]*`")


@dataclass(frozen=True)
class Candidate:
    """A wrong program, the kinds of its edits, and a description for instructors, which quotes the reference."""

    operators: tuple[str, ...]
    words: str
    source: str


def candidates(source: str, *, without: Collection[str] = ()) -> list[Candidate]:
    """All candidates without duplicates, simplest first. `without` excludes operators, to measure what the others explain."""
    contents = split(source.encode())
    if not contents:
        return _of_one_file(source, without)
    return [
        replace(made, source=join({**contents, path: made.source.encode()}).decode())
        for path, content in contents.items()
        for made in _of_one_file(content.decode(), without)
    ]


def _of_one_file(source: str, without: Collection[str]) -> list[Candidate]:
    base = text(mutants.without_docstrings(ast.parse(source)))
    library = arrays.library_of(base)

    def edits(part: str) -> list[Mutant]:
        made = single_edits(part, library)
        return [m for m in made if m.operator not in without and not m.words.startswith(NO_UPSTREAM)]

    singles = edits(base)
    seen = {base + "\n", base}
    found = []
    for group in (
        *((m,) for m in singles),
        *_repeated(base, singles),
        *((m,) for m in variants.for_one_caller(base, edits)),
        *((m,) for m in variants.in_other_forms(base, edits)),
        *_pairs(singles),
    ):
        program = group[0].source if len(group) == 1 else _merged(base, group)
        if program is None or program in seen or not mutants.compiles(program):
            continue
        seen.add(program)
        operators = tuple(dict.fromkeys(finer(m.operator, m.words) for m in group))
        words = "; ".join(m.words for m in group)
        found.append(Candidate(operators, words, program))
        if len(operators) == 1 and operators[0] in variants.SHAPED:
            fitting = variants.where_it_fits(base, Mutant(operators[0], 0, words, program))
            if fitting is not None and fitting.source not in seen:
                seen.add(fitting.source)
                found.append(Candidate(operators, fitting.words, fitting.source))
    return found


def single_edits(part: str, library: str | None = None) -> list[Mutant]:
    """Everything that is one edit of a file or of one of its functions, with the most specific names first."""
    return [*rewrites(part), *arrays.generate(part, library), *mutants.generate(part), *habits(part)]


def rewrites(part: str) -> list[Mutant]:
    return rewritten(part, (*autograd.REWRITES, *training.OPTIMISERS))


def habits(part: str) -> list[Mutant]:
    """Mistakes in programs that use autograd without a custom Function."""
    return rewritten(part, (*autograd.HABITS, *training.LOOPS)) if "torch" in part and "ctx" not in part else []


def _repeated(base: str, singles: list[Mutant]) -> Iterator[tuple[Mutant, ...]]:
    """One kind of edit applied everywhere at once: in a function, in a class, in the file."""
    tree = ast.parse(base)
    scopes = [(n.lineno, n.end_lineno or n.lineno) for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.ClassDef)]
    scopes.append((1, base.count("\n") + 1))
    edited = [(m, _changed_lines(base, m)) for m in singles]
    kinds = [{m.operator, f"{m.operator}: {_QUOTED.sub('', m.words)}", finer(m.operator, m.words)} for m in singles]
    for kind in dict.fromkeys(kind for names in kinds for kind in sorted(names)):
        alike = [(m, lines) for (m, lines), names in zip(edited, kinds, strict=True) if kind in names and lines is not None]
        for first, last in scopes:
            inside = [(m, lines[0]) for m, lines in alike if first <= lines[0] and lines[1] <= last]
            for ordered in (inside, inside[::-1]):
                group: dict[int, Mutant] = {}
                for m, line in ordered:
                    group.setdefault(line, m)
                if len(group) > 1:
                    yield tuple(group.values())


def _pairs(singles: list[Mutant]) -> Iterator[tuple[Mutant, ...]]:
    """Pairs of moved statements, then pairs of edits of one kind."""
    moved = [pair for pair in combinations(singles, 2) if {m.operator for m in pair} <= MOVES]
    alike = (pair for pair in combinations(singles, 2) if pair[0].operator == pair[1].operator and pair not in moved)
    yield from islice((*moved, *alike), MAX_PAIRS)


def _changed_lines(base: str, mutant: Mutant) -> tuple[int, int] | None:
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
    for block, following in pairwise(blocks):
        if following[0] < block[1] or following[:2] == block[:2]:
            return None
    for start, end, put in reversed(blocks):
        lines[start:end] = put
    return "\n".join(lines) + "\n"
