"""Applies every linter rule to many exercises in parallel and collects the findings.

Exercises with an up-to-date proof are not graded again. Rules that need no grading are always applied.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from autograder.explain import mutants
from autograder.explain.mutants import Mutant
from autograder.judge import pack
from autograder.judge.pack import Pack, PackError
from autograder.prove import blind_spots, stored_proofs
from autograder.prove.findings import Finding, Proof
from autograder.prove.job_pools import Progress, Results, pools, run
from autograder.prove.jobs import FLICKER_SEED, ProofJob
from autograder.prove.proof_findings import (
    diagnosis_findings,
    proof_of,
    public_findings,
    static_findings,
    unused,
    wrong_endings,
)
from sandbox.backends.base import Backend

AT_ONCE = 8  # exercises proved together: enough to keep every slot busy, few enough that an interruption loses little
REFERENCE_SEEDS, RIGHT_SEEDS, WRONG_SEEDS = tuple(range(20)), tuple(range(5)), tuple(range(5))
STARTER_SEED, MUTANT_SEED = 1, 1
SHORT = ("starter", "mutant", "flicker")


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
            proved[folder] = Proof(folder.name, "", (Finding("folder", *_place(str(error), folder)),))
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
        for folder, proof in _examine(backend, doubtful, graded, slots, progress).items():
            proved[folder] = proof
            if proofs is not None and not proof.findings:
                stored_proofs.write(proofs, packs[folder], proof)
    for folder, exercise in packs.items():
        public = public_findings(exercise, proved[folder].wrong_endings)
        findings = (*static_findings(exercise), *proved[folder].findings, *public)
        proved[folder] = replace(proved[folder], findings=findings)
    return [proved[folder] for folder in folders]


def _examine(
    backend: Backend, packs: dict[Path, Pack], graded: Mapping[Path, Proof], slots: int, progress: Progress
) -> dict[Path, Proof]:
    """Grades everything, then examines the surviving mutants and the explanations of the wrong solutions."""
    fresh = {folder: exercise for folder, exercise in packs.items() if folder not in graded}
    made = {folder: _mutants(exercise.solution.decode()) for folder, exercise in fresh.items()}
    jobs = [(folder, job) for folder, exercise in fresh.items() for job in _jobs(exercise, made[folder])]
    jobs.sort(key=lambda item: item[1].purpose in SHORT)  # long jobs first, so that no slot is idle at the end
    with pools(backend, list(packs), slots) as opened:
        results = run(opened, jobs, progress)
        survivors = {folder: _survivors(made[folder], results[folder]) for folder in fresh}
        closer = [
            (folder, job)
            for folder, exercise in fresh.items()
            for job in _closer_jobs(exercise, results[folder], made[folder], survivors[folder])
        ]
        closer += [(folder, ProofJob("diagnosis", "", b"", endings=proof.wrong_endings)) for folder, proof in graded.items()]
        behind = len(jobs)
        seen = run(opened, closer, lambda done, of: progress(behind + done, behind + of))
    proofs = dict(graded)
    for folder, exercise in fresh.items():
        proofs[folder] = proof_of(exercise, made[folder], {**results[folder], **seen[folder]}, survivors[folder])
    return {
        folder: replace(
            proof,
            findings=(*proof.findings, *diagnosis_findings(packs[folder], seen[folder]["diagnosis", ""])),
        )
        for folder, proof in proofs.items()
    }


def _mutants(solution: str) -> list[Mutant]:
    """Common mistakes, and versions that only careful checks catch."""
    return [*mutants.generate(solution), *blind_spots.generate(solution)]


def _jobs(exercise: Pack, made: Sequence[Mutant]) -> Iterator[ProofJob]:
    yield ProofJob("vacuous", "", b"")
    yield ProofJob("cost", "", b"")
    yield ProofJob("starter", "starter.py", exercise.starter, (STARTER_SEED,))
    yield ProofJob("reference", "solution.py", exercise.solution, REFERENCE_SEEDS)
    yield from (ProofJob("right", name, source, RIGHT_SEEDS) for name, source in exercise.right.items())
    yield from (ProofJob("wrong", name, source, WRONG_SEEDS) for name, source in exercise.wrong.items())
    yield from (ProofJob("mutant", mutant.key, mutant.source.encode(), (MUTANT_SEED,)) for mutant in made)
    for name, source in (("solution", exercise.solution), *exercise.right.items()):
        yield ProofJob("flicker", name, source, (FLICKER_SEED,))


def _survivors(made: Sequence[Mutant], results: Results) -> list[Mutant]:
    """Mutants that passed every hidden check. A mutant whose grading ends in an error counts as killed."""
    return [
        mutant
        for mutant in made
        if any(
            outcome.verdict in ("passed", "partial", "failed") and not outcome.hidden
            for outcome in results["mutant", mutant.key]
        )
    ]


def _closer_jobs(
    exercise: Pack, results: Results, made: Sequence[Mutant], survivors: Sequence[Mutant]
) -> Iterator[ProofJob]:
    yield ProofJob("diagnosis", "", b"", endings=wrong_endings(results))
    if unused(exercise, results):  # mutants are graded up to their first failed hidden check only
        yield from (ProofJob("whole-mutant", mutant.key, mutant.source.encode(), (MUTANT_SEED,)) for mutant in made)
    yield from (ProofJob("equivalent", mutant.key, mutant.source.encode()) for mutant in survivors)


def _place(message: str, folder: Path) -> tuple[str, int, str]:
    """Path, line and message of a PackError, which starts with them if they are known."""
    head, _, rest = message.partition(": ")
    path, _, line = head.partition(".py:")
    if head.startswith(str(folder)):
        return (f"{path}.py", int(line), rest) if line.isdigit() else (head, 1, rest)
    return str(folder), 1, message
