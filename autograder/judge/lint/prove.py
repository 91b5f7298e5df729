"""Runs every rule on many exercises at once, on warm slots, and gathers what is not proved.

What an exercise was found to be is kept by the hash of its contents and of the code that judged it.
"""

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from autograder.judge import mutants, pack
from autograder.judge.lint.findings import Finding, Proof
from autograder.judge.lint.running import Progress, Results, pools, run
from autograder.judge.lint.verdicts import proof_of, unused
from autograder.judge.lint.works import FLICKER_SEED, Job
from autograder.judge.mutants import Mutant
from autograder.judge.pack import Pack, PackError
from sandbox.backends.base import Backend

REFERENCE_SEEDS, RIGHT_SEEDS, WRONG_SEEDS = tuple(range(20)), tuple(range(5)), tuple(range(5))
STARTER_SEED, MUTANT_SEED = 1, 1
SHORT = ("starter", "mutant", "flicker")
JUDGE = Path(__file__).resolve().parent.parent
SANDBOX = JUDGE.parent.parent / "sandbox"


def prove(
    backend: Backend,
    folders: Sequence[Path],
    slots: int = 2,
    cache: Path | None = None,
    progress: Progress = lambda done, of: None,
) -> list[Proof]:
    """One proof for each folder, in order."""
    code = _code_hash()
    proofs: dict[Path, Proof] = {}
    packs: dict[Path, Pack] = {}
    for folder in folders:
        kept = _kept(cache, folder, code)
        if kept is not None:
            proofs[folder] = kept
            continue
        try:
            packs[folder] = pack.load(folder)
        except PackError as error:
            proofs[folder] = Proof(folder.name, "", (Finding("folder", *_place(str(error), folder)),))
    if packs:
        for folder, proof in _examine(backend, packs, slots, progress).items():
            proofs[folder] = proof
            _keep(cache, proof, code)
    return [proofs[folder] for folder in folders]


def _examine(backend: Backend, packs: dict[Path, Pack], slots: int, progress: Progress) -> dict[Path, Proof]:
    """Grade everything, then look closer at the mutants that live and at what the wrong solutions are told."""
    made = {folder: mutants.generate(exercise.solution.decode()) for folder, exercise in packs.items()}
    jobs = [(folder, job) for folder, exercise in packs.items() for job in _jobs(exercise, made[folder])]
    jobs.sort(
        key=lambda item: item[1].purpose in SHORT
    )  # what may take long goes first: at the end no slot waits for another
    with pools(backend, list(packs), slots) as opened:
        graded = run(opened, jobs, progress)
        survivors = {folder: _survivors(made[folder], graded[folder]) for folder in packs}
        closer = [
            (folder, job)
            for folder, exercise in packs.items()
            for job in _closer_jobs(exercise, graded[folder], made[folder], survivors[folder])
        ]
        behind = len(jobs)
        seen = run(opened, closer, lambda done, of: progress(behind + done, behind + of))
    return {
        folder: proof_of(exercise, made[folder], {**graded[folder], **seen.get(folder, {})}, survivors[folder])
        for folder, exercise in packs.items()
    }


def _jobs(exercise: Pack, made: Sequence[Mutant]) -> Iterator[Job]:
    yield Job("vacuous", "", b"")
    yield Job("starter", "starter.py", exercise.starter, (STARTER_SEED,))
    yield Job("reference", "solution.py", exercise.solution, REFERENCE_SEEDS)
    yield from (Job("right", name, source, RIGHT_SEEDS) for name, source in exercise.right.items())
    yield from (Job("wrong", name, source, WRONG_SEEDS) for name, source in exercise.wrong.items())
    yield from (Job("mutant", mutant.key, mutant.source.encode(), (MUTANT_SEED,)) for mutant in made)
    for name, source in (("solution", exercise.solution), *exercise.right.items()):
        yield Job("flicker", name, source, (FLICKER_SEED,))


def _survivors(made: Sequence[Mutant], results: Results) -> list[Mutant]:
    """Mutants that passed every hidden check on some seed. One that ends in an error is killed by its limit."""
    return [
        mutant
        for mutant in made
        if any(
            outcome.verdict in ("passed", "partial", "failed") and not outcome.hidden
            for outcome in results["mutant", mutant.key]
        )
    ]


def _closer_jobs(exercise: Pack, results: Results, made: Sequence[Mutant], survivors: Sequence[Mutant]) -> Iterator[Job]:
    endings = {  # by name: results stand in the order in which slots finished, and the first of two equals is told
        name: outcomes[0].endings
        for (purpose, name), outcomes in sorted(results.items())
        if purpose == "wrong" and outcomes[0].hidden and outcomes[0].verdict != "internal"
    }
    yield Job("diagnosis", "", b"", endings=endings)
    if unused(exercise, results):  # a mutant is let go at its first hidden check: those behind it had no chance yet
        yield from (Job("whole-mutant", mutant.key, mutant.source.encode(), (MUTANT_SEED,)) for mutant in made)
    yield from (Job("equivalent", mutant.key, mutant.source.encode()) for mutant in survivors)


def _place(message: str, folder: Path) -> tuple[str, int, str]:
    """Path, line and message of a PackError, which begins with them where it can."""
    head, _, rest = message.partition(": ")
    path, _, line = head.partition(".py:")
    if head.startswith(str(folder)):
        return (f"{path}.py", int(line), rest) if line.isdigit() else (head, 1, rest)
    return str(folder), 1, message


# -- what was found before --------------------------------------------------------------------------------------------------


def _code_hash() -> str:
    """The hash of everything that decides: judge and sandbox."""
    digest = hashlib.sha256()
    for path in sorted([*JUDGE.rglob("*.py"), *SANDBOX.rglob("*.py")]):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _file(cache: Path, slug: str, version: str, code: str) -> Path:
    return cache / f"{slug}-{version}-{code}.json"


def _kept(cache: Path | None, folder: Path, code: str) -> Proof | None:
    if cache is None:
        return None
    path = _file(cache, folder.name, pack.version_of(folder), code)
    try:
        return msgspec.json.decode(path.read_bytes(), type=Proof)
    except (OSError, msgspec.DecodeError):
        return None


def _keep(cache: Path | None, proof: Proof, code: str) -> None:
    if cache is None:
        return
    cache.mkdir(parents=True, exist_ok=True)
    for old in cache.glob(f"{proof.slug}-*.json"):
        old.unlink()
    _file(cache, proof.slug, proof.version, code).write_bytes(msgspec.json.encode(proof))
