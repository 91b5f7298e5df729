"""Runs every rule on many exercises at once, on warm slots, and gathers what is not proved.

Work is spread over two pools whose processes have different hash seeds, inside and outside the sandbox: what must not
flicker is graded in both. What an exercise was found to be is kept by the hash of its contents and of the code that judged it.
"""

import hashlib
import os
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import msgspec

from autograder.judge import mutants, pack, scaffold
from autograder.judge.batch import Slots
from autograder.judge.lint import statement
from autograder.judge.lint.findings import Finding, Proof
from autograder.judge.lint.works import Job, Outcome, work
from autograder.judge.mutants import Mutant
from autograder.judge.pack import Pack, PackError
from sandbox.backends.base import HASH_SEED_VARIABLE, Backend

REFERENCE_SEEDS, RIGHT_SEEDS, WRONG_SEEDS = tuple(range(20)), tuple(range(5)), tuple(range(5))
STARTER_SEED, MUTANT_SEED, FLICKER_SEED = 1, 1, 3
Progress = Callable[[int, int], None]
Results = Mapping[tuple[str, str], list[Any]]
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
    made = {folder: mutants.generate(exercise.solution.decode()) for folder, exercise in packs.items()}
    jobs = [(folder, job) for folder, exercise in packs.items() for job in _jobs(exercise, made[folder])]
    with _pools(backend, list(packs), slots) as pools:
        results = _run(pools, jobs, progress)
        survivors = {folder: _survivors(made[folder], results[folder]) for folder in packs}
        again = [
            (folder, Job("equivalent", mutant.key, mutant.source.encode()))
            for folder, alive in survivors.items()
            for mutant in alive
        ]
        equal = _run(pools, again, progress)
    return {
        folder: _proof(exercise, made[folder], results[folder], survivors[folder], equal[folder])
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


# -- running --------------------------------------------------------------------------------------------------------------


@contextmanager
def _pools(backend: Backend, folders: list[Path], slots: int) -> Iterator[list[Slots]]:
    """Two pools of processes with different hash seeds; together as many slots as asked for, at least one each."""
    with ExitStack() as stack:
        pools = []
        for hash_seed in ("1", "2"):
            pool = Slots(backend, folders, max(1, slots // 2), rehearse=False, apart=True)
            with _environment(PYTHONHASHSEED=hash_seed, **{HASH_SEED_VARIABLE: hash_seed}):
                pools.append(stack.enter_context(pool))
        yield pools


@contextmanager
def _environment(**variables: str) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})


def _run(
    pools: list[Slots], jobs: list[tuple[Path, Job]], progress: Progress
) -> dict[Path, dict[tuple[str, str], list[Any]]]:
    """Results by exercise, purpose and name. Flicker jobs run in both pools, the others in one."""
    shares: list[list[tuple[Path, Job]]] = [[], []]
    for n, item in enumerate(jobs):
        for share in (0, 1) if item[1].purpose == "flicker" else (n % 2,):
            shares[share].append(item)
    results: dict[Path, dict[tuple[str, str], list[Any]]] = defaultdict(lambda: defaultdict(list))
    of = len(shares[0]) + len(shares[1])
    streams: list[Iterator[Any]] = [
        zip(share, pool.map(work, share), strict=True) for share, pool in zip(shares, pools, strict=True)
    ]
    for done, ((folder, job), result) in enumerate(_alternately(streams), 1):
        results[folder][job.purpose, job.name] += result if isinstance(result, list) else [result]
        progress(done, of)
    return results


def _alternately(streams: list[Iterator[Any]]) -> Iterator[Any]:
    """One from each stream in turn, so that both pools always have work."""
    streams = list(streams)
    while streams:
        for stream in list(streams):
            try:
                yield next(stream)
            except StopIteration:
                streams.remove(stream)


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


# -- judging --------------------------------------------------------------------------------------------------------------


def _proof(exercise: Pack, made: Sequence[Mutant], results: Results, survivors: Sequence[Mutant], equal: Results) -> Proof:
    differences = {mutant.key: equal["equivalent", mutant.key][0] for mutant in survivors}
    equivalent = [mutant for mutant in survivors if differences[mutant.key] == ""]
    alive = [mutant for mutant in survivors if differences[mutant.key] != ""]
    reasons = {allowed.mutant: allowed.reason for allowed in exercise.settings.allow}
    allowed = [mutant for mutant in alive if mutant.words in reasons]
    findings = [
        *_static(exercise),
        *_graded(exercise, results),
        *_flicker(exercise, results),
        *(_at_check(exercise, "vacuous-check", check, why) for check, why in results["vacuous", ""]),
        *(_survivor(exercise, mutant, differences[mutant.key]) for mutant in alive if mutant not in allowed),
        *_allow_list(exercise, {mutant.words for mutant in alive}),
        *_dead(exercise, results),
    ]
    return Proof(
        exercise.slug,
        exercise.version,
        tuple(findings),
        mutants=len(made),
        killed=len(made) - len(survivors),
        equivalent=len(equivalent),
        allowed=len(allowed),
        redundant=tuple(_redundant(exercise, results)),
    )


def _static(exercise: Pack) -> Iterator[Finding]:
    for path, line, text in scaffold.unfinished(exercise.folder):
        yield Finding("todo", str(path), line, text or "not finished")
    for line, why in statement.trouble(exercise.statement):
        yield Finding("statement", str(exercise.folder / "statement.md"), line, why)


def _graded(exercise: Pack, results: Results) -> Iterator[Finding]:
    """What the gradings of starter, solution, right and wrong files say."""
    for (purpose, name), outcomes in results.items():
        broken = next(
            (outcome for outcome in outcomes if isinstance(outcome, Outcome) and outcome.verdict == "internal"), None
        )
        if broken is not None:
            yield Finding("broken-check", str(exercise.folder / "checks.py"), 1, broken.message)
        elif purpose in ("reference", "right"):
            path = exercise.folder / (name if purpose == "reference" else f"right/{name}.py")
            for seed, outcome in enumerate(outcomes):
                if outcome.verdict != "passed":
                    yield Finding(purpose, str(path), 1, f"not full marks with seed {seed}: {outcome.message}")
                    break
        elif purpose == "wrong":
            for seed, outcome in enumerate(outcomes):
                if not outcome.hidden:
                    path = exercise.folder / "wrong" / f"{name}.py"
                    yield Finding("wrong", str(path), 1, f"passes every hidden check with seed {seed}")
                    break
        elif purpose == "starter" and outcomes[0].verdict == "passed":
            yield Finding("starter", str(exercise.folder / name), 1, "the starter already gets full marks")


def _flicker(exercise: Pack, results: Results) -> Iterator[Finding]:
    for (purpose, name), outcomes in results.items():
        if purpose == "flicker" and len({outcome.report for outcome in outcomes}) > 1:
            message = f"{name}: two processes with different hash seeds gave different reports for seed {FLICKER_SEED}"
            yield Finding("flicker", str(exercise.folder / "checks.py"), 1, message)


def _survivor(exercise: Pack, mutant: Mutant, difference: str | None) -> Finding:
    if difference is None:
        hint = "declare a @variety in checks.py to find out whether it is equivalent"
    else:
        hint = f"it differs at {difference}"
    path = str(exercise.folder / "solution.py")
    message = f"no hidden check notices that {mutant.words}; {hint}"
    return Finding("survivor", path, mutant.line, message, mutants.diff(exercise.solution.decode(), mutant))


def _allow_list(exercise: Pack, alive: set[str]) -> Iterator[Finding]:
    for allowed in exercise.settings.allow:
        if allowed.mutant not in alive:
            message = f"the allowed mutant «{allowed.mutant}» is killed, equivalent or gone; take it off the list"
            yield Finding("allow-list", str(exercise.folder / "exercise.toml"), 1, message)
        if not allowed.reason.strip():
            yield Finding(
                "allow-list", str(exercise.folder / "exercise.toml"), 1, f"«{allowed.mutant}» is allowed without a reason"
            )


def _kills(results: Results) -> Iterator[frozenset[str]]:
    for (purpose, _), outcomes in results.items():
        if purpose in ("mutant", "wrong"):
            yield from (frozenset(outcome.hidden) for outcome in outcomes if outcome.verdict in ("partial", "failed"))


def _dead(exercise: Pack, results: Results) -> Iterator[Finding]:
    used = frozenset[str]().union(*_kills(results))
    for check in exercise.checks:
        if check.hidden and check.id not in used:
            yield _at_check(exercise, "dead-check", check.id, "no mutant and no wrong solution fails it")


def _redundant(exercise: Pack, results: Results) -> Iterator[str]:
    """Hidden checks that are never the only one to notice something: worth a thought, not a fault."""
    alone = {next(iter(hidden)) for hidden in _kills(results) if len(hidden) == 1}
    yield from (check.id for check in exercise.checks if check.hidden and check.id not in alone)


def _at_check(exercise: Pack, rule: str, check_id: str, message: str) -> Finding:
    check = next(check for check in exercise.checks if check.id == check_id)
    line = check.run.__code__.co_firstlineno
    return Finding(rule, str(exercise.folder / "checks.py"), line, f"{check_id}: {message}")


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
