"""What must hold of the programs that are generated from the solution of an exercise, for a sample in the tests and for all
exercises in `python -m bench.diagnosis`."""

from autograder.explain import mutants
from autograder.explain.diagnosis import edits
from autograder.explain.diagnosis.keys import key_of
from autograder.explain.misconceptions import lacking
from autograder.judge import files
from autograder.judge.pack import Pack, misconception
from autograder.prove import blind_spots


def mutants_that_are_no_programs(pack: Pack) -> list[str]:
    found = mutants.generate(pack.solution.decode())
    assert found, pack.slug
    return [mutant.words for mutant in found if not _compiles(mutant.source)]


def _compiles(program: str) -> bool:
    return all(mutants.compiles(text.decode()) for text in _texts(program.encode()))


def _texts(program: bytes) -> list[bytes]:
    """The files of a program."""
    return [*files.split(program).values()] or [program]


def blind_spots_that_are_mistakes(pack: Pack) -> list[str]:
    """Blind spots that stand twice, or that `mutants` makes too: the diagnosis would look for them."""
    solution = pack.solution.decode()
    seen = {mutant.source for mutant in mutants.generate(solution)}
    found = []
    for mutant in blind_spots.generate(solution):
        if mutant.source in seen:
            found.append(mutant.words)
        seen.add(mutant.source)
    return found


def rewrites_that_are_no_programs(pack: Pack) -> list[str]:
    made = [mutant for source in _texts(pack.solution) for mutant in edits.rewrites(source.decode())]
    return [mutant.words for mutant in made if not mutants.compiles(mutant.source)]


def keys_without_words(pack: Pack) -> list[str]:
    """Keys that a submission to the exercise can get by an edit of its solution, and that have no title or no text."""
    named = {misconception(name) for name in pack.wrong}
    made = edits.candidates(pack.solution.decode())
    assert made, pack.slug
    keys = {key_of(candidate.operators[0], named) for candidate in made}
    return sorted(key for key in keys if lacking(key, pack.settings.messages))
