"""Applies every linter rule to many exercises in parallel and collects the findings.

Exercises with an up-to-date proof are not graded again. Rules that need no grading are always applied.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from autograder.judge import pack
from autograder.judge.pack import Pack, PackError
from autograder.prove import statement_rule, stored_proofs
from autograder.prove.findings import Finding, Proof
from autograder.prove.job_pools import Progress, pools, run
from autograder.prove.proving import examine, with_rules_that_need_no_grading
from sandbox.backends.base import Backend

AT_ONCE = 8  # exercises proved together: enough to keep every slot busy, few enough that an interruption loses little


def prove(
    backend: Backend,
    folders: Sequence[Path],
    slots: int = 2,
    proofs: Path | None = None,
    progress: Progress = lambda done, of: None,
    *,
    again: bool = False,
) -> Iterator[Proof]:
    """One proof for each folder, in order, each stored as soon as it is made.

    `proofs` is the folder of stored proofs, which `again` ignores.
    """
    for first in range(0, len(folders), AT_ONCE):
        yield from _prove_together(backend, folders[first : first + AT_ONCE], slots, proofs, progress, again=again)


def _prove_together(
    backend: Backend, folders: Sequence[Path], slots: int, proofs: Path | None, progress: Progress, *, again: bool
) -> list[Proof]:
    proved: dict[Path, Proof] = {}
    packs: dict[Path, Pack] = {}
    graded: dict[Path, Proof] = {}  # the gradings are up to date, the explanations are not
    for folder in folders:
        try:
            exercise = pack.load(folder)
        except PackError as error:
            proved[folder] = Proof(folder.name, "", (Finding("folder", *place_of(str(error), folder)),))
            continue
        packs[folder] = exercise
        before = None if proofs is None or again else stored_proofs.read(proofs, exercise.slug)
        if before is None or before.gradings != stored_proofs.gradings_hash(exercise):
            continue
        if before.diagnosis != stored_proofs.diagnosis_hash(exercise):
            graded[folder] = stored_proofs.proof_of(exercise, before)
        else:
            proved[folder] = stored_proofs.proof_of(exercise, before)
    doubtful = {folder: exercise for folder, exercise in packs.items() if folder not in proved}
    if doubtful:
        with pools(backend, list(doubtful), slots) as opened:
            examined = examine(doubtful, graded, partial(run, opened), progress)
        for folder, proof in examined.items():
            proved[folder] = proof
            if proofs is not None and not proof.findings:
                stored_proofs.write(proofs, packs[folder], proof)
    for folder, exercise in packs.items():
        proof = with_rules_that_need_no_grading(exercise, proved[folder])
        proved[folder] = replace(proof, findings=(*statement_rule.findings(exercise), *proof.findings))
    return [proved[folder] for folder in folders]


def place_of(message: str, folder: Path) -> tuple[str, int, str]:
    """Path, line and message of a PackError, which starts with them if they are known."""
    head, _, rest = message.partition(": ")
    path, _, line = head.partition(".py:")
    if head.startswith(str(folder)):
        return (f"{path}.py", int(line), rest) if line.isdigit() else (head, 1, rest)
    return str(folder), 1, message
