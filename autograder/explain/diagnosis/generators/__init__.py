"""Generators: they explain wrong answers without a dictionary.

Each is a module with a function `claims(evidence) -> list[MistakeClaim]` and runs no student code. To add one, write the module and
list it here; a new value of `MistakeClaim.generator` also goes into `explain.GENERATORS`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module

from autograder.explain.diagnosis.evidence import Evidence, MistakeClaim
from autograder.judge.diagnosis import Declared

VAGUE = (("constant",), ("zeros",))  # for f of degree 3, H x + g is 3/2 of H x


@dataclass(frozen=True)
class Generator:
    """`module` is imported when it is first used, because some modules need torch."""

    module: str
    applies: Callable[[Declared], bool] = lambda declared: True
    last_resort: bool = False  # expensive: used only while a check is unexplained


GENERATORS = (
    Generator("autograder.explain.diagnosis.generators.symptoms"),
    Generator("autograder.explain.diagnosis.generators.listed_graphs"),
    Generator("autograder.explain.diagnosis.generators.built_graphs"),
    Generator("autograder.explain.diagnosis.generators.walks", lambda declared: bool(declared.graphs)),
    Generator("autograder.explain.diagnosis.generators.relations"),
    Generator("autograder.explain.diagnosis.generators.engines"),
    Generator(
        "autograder.explain.diagnosis.generators.gradients",
        lambda declared: bool(declared.forwards or declared.second_orders),
        last_resort=True,
    ),
)


def claims_of_all(evidence: Evidence, known: Sequence[MistakeClaim]) -> list[MistakeClaim]:
    """The claims of all generators. Expensive ones only run if the others and `known` leave something unexplained."""
    claims: list[MistakeClaim] = []
    for generator in GENERATORS:
        unexplained = not generator.last_resort or not _covers((*known, *claims), evidence)
        if generator.applies(evidence.declared) and unexplained:
            claims += import_module(generator.module).claims(evidence)
    return claims


def prepare() -> None:
    """Imports in advance what would delay the first explanation of a process."""
    for generator in GENERATORS:
        import_module(generator.module)


def _covers(claims: Sequence[MistakeClaim], evidence: Evidence) -> bool:
    """Whether every check is accounted for by more than a vague claim."""
    precise = [claim for claim in claims if claim.operators not in VAGUE or claim.generator == "dictionary"]
    return set(evidence.pairs) <= {check for claim in precise for check in claim.checks}
