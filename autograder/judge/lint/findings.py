"""What the linter can say. Every rule has a stable id and a row in docs/authoring.md."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from autograder.judge.report import Endings

RULES = {
    "folder": "the folder is complete and well-formed",
    "todo": "the author has left nothing open",
    "statement": "the statement renders",
    "misconception": "every misconception has a title and an explanation",
    "minutes": "the exercise says how long it takes",
    "limits": "the limits follow from what the solution needs",
    "starter": "the starter compiles and does not already pass",
    "reference": "the solution gets full marks on every seed",
    "right": "every unusual right solution gets full marks",
    "wrong": "every named wrong solution fails a hidden check on every seed",
    "diagnosis": "every named wrong solution is told its own name",
    "public-checks": "at least half of the wrong solutions fail a public check, or the author says why not",
    "broken-check": "no check raises an exception of its own",
    "survivor": "every mutant of the solution is killed by a hidden check, is equivalent, or is allowed with a reason",
    "allow-list": "every allowed mutant exists and is needed",
    "dead-check": "every hidden check catches something",
    "vacuous-check": "what a check expects is neither zero, nor constant, nor blind to the upstream",
    "flicker": "the same seed gives the same report, bit for bit",
}


@dataclass(frozen=True)
class Finding:
    """One thing that is not proved: which rule, where, and what to do about it."""

    rule: str
    path: str
    line: int
    message: str
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.rule}: {self.message}"


@dataclass(frozen=True)
class Proof:
    """What was found about one exercise, and how well its hidden checks were measured.

    `wrong_endings` is how the checks ended for each wrong solution that they catch: explanations are found from it.
    """

    slug: str
    version: str
    findings: tuple[Finding, ...]
    mutants: int = 0
    killed: int = 0
    equivalent: int = 0
    allowed: int = 0
    wrong_endings: Mapping[str, Endings] = field(default_factory=dict)

    @property
    def score(self) -> float:
        """Killed or allowed of those that are not equivalent."""
        rest = self.mutants - self.equivalent
        return (self.killed + self.allowed) / rest if rest else 1.0
