"""What the proof of a draft has found, as the workspace shows it."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import count

import msgspec

from autograder.authoring import edits
from autograder.authoring.models import Draft, DraftProof
from autograder.courses.errors import Refused
from autograder.prove.findings import RULES, Finding, Proof
from autograder.web import numbers
from autograder.web.access import number_in

OUTDATED = "The proof has changed since you opened this page. Look at what it says now."


@dataclass(frozen=True)
class ShownFinding:
    """A finding with what can be done about it by pressing a button."""

    finding: Finding
    number: int  # among those of the proof
    keep_as: str  # the path of a wrong solution, for a survivor of a single file


@dataclass(frozen=True)
class CheckTime:
    title: str
    milliseconds: int


@dataclass(frozen=True)
class ProofPanel:
    """`busy`: a worker proves the draft now, or is going to."""

    state: str
    busy: bool
    done: int
    of: int
    findings: tuple[ShownFinding, ...] = ()
    holds: tuple[str, ...] = ()  # rules without a finding
    times: tuple[CheckTime, ...] = ()
    trouble: str = ""
    mutants: str = ""
    edition: int = 0  # that the findings are about
    hidden_check: str = ""  # to which the question of a survivor would be added
    stale: bool = False  # the draft has changed since

    @property
    def mark(self) -> str:
        """Changes whenever the panel does."""
        return f"{self.edition}.{self.state}.{self.done}.{self.of}.{self.stale}".replace(" ", "-")


def panel_of(draft: Draft) -> ProofPanel:
    row = _row(draft)
    if row is None:
        return ProofPanel("not checked yet", False, 0, 0)
    busy, proof = row.wanted > row.edition, _found(row)
    broken = {finding.rule for finding in proof.findings} if proof else set()
    opened = proof is not None and "folder" not in broken
    survives = proof is not None and any(finding.statement for finding in proof.findings)
    return ProofPanel(
        state=_state(row, proof, busy=busy),
        busy=busy,
        done=row.done if row.running else 0,
        of=row.of if row.running else 0,
        findings=tuple(_shown(proof)) if proof else (),
        holds=tuple(text for rule, text in RULES.items() if opened and rule not in broken),
        times=tuple(_times(row, proof)) if proof else (),
        trouble=row.trouble,
        mutants=_mutants(proof),
        edition=row.edition,
        hidden_check=_hidden_check(draft) if survives else "",
        stale=bool(row.edition) and row.edition < draft.edition,
    )


def survivor_of(draft: Draft, edition: str, number: str) -> Finding:
    """The finding that was shown with this number. Raises `Refused` if the proof is another one by now."""
    row, place = _row(draft), number_in(number)
    proof = _found(row) if row is not None and str(row.edition) == edition else None
    if proof is None or place is None or place >= len(proof.findings) or not proof.findings[place].mutant:
        raise Refused(OUTDATED)
    return proof.findings[place]


def _shown(proof: Proof) -> Iterator[ShownFinding]:
    taken = set(proof.wrong_endings)
    for number, finding in enumerate(proof.findings):
        single = bool(finding.mutant) and finding.path == "solution.py"
        yield ShownFinding(finding, number, f"wrong/{_free(finding.misconception, taken)}.py" if single else "")


def _free(key: str, taken: Collection[str]) -> str:
    return next(name for n in count(1) if (name := key if n == 1 else f"{key}~{n}") not in taken)


def _times(row: DraftProof, proof: Proof) -> Iterator[CheckTime]:
    titles = {check["id"]: check["title"] for check in row.checks}
    for check, seconds in proof.seconds.items():
        yield CheckTime(titles.get(check, check), max(0, round(1000 * seconds)))


def _hidden_check(draft: Draft) -> str:
    text = draft.files.filter(path="checks.py").values_list("text", flat=True).first() or ""
    found = edits.last_hidden_check(text)
    return found.title if found else ""


def summary_of(draft: Draft) -> str:
    row = _row(draft)
    return "not checked yet" if row is None else _state(row, _found(row), busy=row.wanted > row.edition)


def findings_by_file(panel: ProofPanel) -> dict[str, int]:
    counts: dict[str, int] = {}
    for shown in panel.findings:
        counts[shown.finding.path] = counts.get(shown.finding.path, 0) + 1
    return counts


def _row(draft: Draft) -> DraftProof | None:
    return getattr(draft, "proof", None)


def _found(row: DraftProof) -> Proof | None:
    return None if row.found is None else msgspec.convert(row.found, Proof)


def _state(row: DraftProof, proof: Proof | None, *, busy: bool) -> str:
    if busy:
        return "being checked" if row.running else "waits for a worker"
    if row.trouble:
        return "could not be checked"
    count = len(proof.findings) if proof else 0
    return numbers.quantity(count, "finding") if count else "no findings"


def _mutants(proof: Proof | None) -> str:
    if proof is None or not proof.mutants:
        return ""
    counted = proof.mutants - proof.equivalent
    return f"{proof.killed} of {numbers.quantity(counted, 'mutant')} killed"
