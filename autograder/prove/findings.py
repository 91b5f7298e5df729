"""What the linter can say. Every rule has a stable id and a row in docs/authoring.md."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from autograder.judge.report import Endings

RULES = {
    "folder": "the folder is complete and well-formed",
    "todo": "no line is marked as unfinished",
    "statement": "the statement renders",
    "misconception": "every misconception has a title and an explanation",
    "minutes": "the exercise declares its working time",
    "limits": "the limits fit the CPU time of the solution",
    "starter": "the starter compiles and does not already pass",
    "reference": "the solution gets full marks on every seed",
    "right": "every solution in right/ gets full marks",
    "wrong": "every wrong solution fails a hidden check on every seed",
    "diagnosis": "every wrong solution gets the explanation that its file name declares",
    "public-checks": "at least half of the wrong solutions fail a public check, or the author gives a reason",
    "broken-check": "no check raises an exception of its own",
    "survivor": "every mutant of the solution is killed by a hidden check, equivalent, or allowed with a reason",
    "allow-list": "every allowed mutant would survive and has a reason",
    "dead-check": "every hidden check fails for a mutant or a wrong solution",
    "vacuous-check": "expected values are not all zero, not constant, and depend on the upstream gradient",
    "flicker": "the same seed gives exactly the same report",
}


@dataclass(frozen=True)
class Finding:
    """One violation: the rule, the location, and what to do about it.

    For a mutant that survives, `mutant` is its program, `misconception` the likeliest name of its mistake, and `statement` what
    kills it in a check, if there is such a statement.
    """

    rule: str
    path: str
    line: int
    message: str
    detail: str = ""
    mutant: str = ""
    misconception: str = ""
    statement: str = ""

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.rule}: {self.message}"


@dataclass(frozen=True)
class Proof:
    """The findings about one exercise and the mutation score of its hidden checks.

    `wrong_endings` records how the checks ended for each wrong solution that they catch, for use by the diagnosis. `seconds`
    is the CPU time of the solution in each check; a stored proof does not have it.
    """

    slug: str
    version: str
    findings: tuple[Finding, ...]
    mutants: int = 0
    killed: int = 0
    equivalent: int = 0
    allowed: int = 0
    wrong_endings: Mapping[str, Endings] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)

    @property
    def score(self) -> float:
        """The share of mutants that are killed or allowed, among those that are not equivalent."""
        rest = self.mutants - self.equivalent
        return (self.killed + self.allowed) / rest if rest else 1.0
