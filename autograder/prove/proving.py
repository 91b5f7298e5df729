"""Proves exercises: grades everything that the rules of the linter need, and turns the results into findings.

What is imported here can be imported in a sandbox, too: an examiner proves the exercise of an author there.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from autograder.explain import mutants
from autograder.explain.mutants import Mutant
from autograder.judge.grade import Judge
from autograder.judge.pack import Pack
from autograder.prove import blind_spots
from autograder.prove.findings import Proof
from autograder.prove.job_pools import Progress, Results, RunJobs, run_here
from autograder.prove.jobs import FLICKER_SEED, ProofJob
from autograder.prove.memory import Memory
from autograder.prove.proof_findings import (
    diagnosis_findings,
    proof_of,
    public_findings,
    static_findings,
    unused,
    wrong_endings,
)

REFERENCE_SEEDS, RIGHT_SEEDS, WRONG_SEEDS = tuple(range(20)), tuple(range(5)), tuple(range(5))
STARTER_SEED, MUTANT_SEED = 1, 1
SHORT = ("starter", "mutant", "flicker")


def prove_here(judge: Judge, exercise: Pack, memory: Memory, progress: Progress) -> Proof:
    """Proves one exercise in this process. As that has one hash seed, `flicker` misses what depends on the order of sets.
    Nothing is found about the statement, which takes no code of the author.
    """
    run_jobs = partial(run_here, judge, exercise, memory)
    (proof,) = examine({exercise.folder: exercise}, {}, run_jobs, progress).values()
    return with_rules_that_need_no_grading(exercise, proof)


def with_rules_that_need_no_grading(exercise: Pack, proof: Proof) -> Proof:
    public = public_findings(exercise, proof.wrong_endings)
    return replace(proof, findings=(*static_findings(exercise), *proof.findings, *public))


def examine(
    packs: Mapping[Path, Pack], graded: Mapping[Path, Proof], run_jobs: RunJobs, progress: Progress
) -> dict[Path, Proof]:
    """Grades everything, then examines the surviving mutants and the explanations of the wrong solutions."""
    fresh = {folder: exercise for folder, exercise in packs.items() if folder not in graded}
    made = {folder: _mutants(exercise.solution.decode()) for folder, exercise in fresh.items()}
    jobs = [(folder, job) for folder, exercise in fresh.items() for job in _jobs(exercise, made[folder])]
    jobs.sort(key=lambda item: item[1].purpose in SHORT)  # long jobs first, so that no slot is idle at the end
    results = run_jobs(jobs, progress)
    survivors = {folder: _survivors(made[folder], results[folder]) for folder in fresh}
    closer = [
        (folder, job)
        for folder, exercise in fresh.items()
        for job in _closer_jobs(exercise, results[folder], made[folder], survivors[folder])
    ]
    closer += [(folder, ProofJob("diagnosis", "", b"", endings=proof.wrong_endings)) for folder, proof in graded.items()]
    behind = len(jobs)
    seen = run_jobs(closer, lambda done, of: progress(behind + done, behind + of))
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
