"""Turns the results of a proof into findings."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence

from autograder.explain import mutants
from autograder.explain.diagnosis import Explanation
from autograder.explain.diagnosis.keys import key_of
from autograder.explain.mutants import Mutant
from autograder.judge.budget import BASE_SECONDS, CHECK_SECONDS, REFERENCE_FACTOR
from autograder.judge.pack import Pack, misconception
from autograder.judge.report import Ending, Endings
from autograder.prove import misconception_rule, scaffold
from autograder.prove.findings import Finding, Proof
from autograder.prove.job_pools import Results
from autograder.prove.jobs import FLICKER_SEED, Cost, Difference, GradingOutcome

Explained = tuple[str, tuple[Explanation, ...]]  # a wrong solution and its explanations
WALL_FACTOR = 5  # wall-clock time relative to CPU time, for busy machines
MAX_CHECK_SECONDS = 2.0  # a check may always have this much, so that slow wrong solutions can fail by their answer
FAILS: tuple[Ending, ...] = ("failed", "raised", "late", "ended")
LINE_OF_CHECKS = re.compile(r"checks\.py:(\d+): ")


def wrong_endings(results: Results) -> dict[str, Endings]:
    """How the checks ended for each wrong solution that they catch, sorted by name."""
    return {
        name: outcomes[0].endings
        for (purpose, name), outcomes in sorted(results.items())
        if purpose == "wrong" and outcomes[0].hidden and outcomes[0].verdict != "internal"
    }


def proof_of(exercise: Pack, made: Sequence[Mutant], results: Results, survivors: Sequence[Mutant]) -> Proof:
    """The findings about an exercise's gradings, and its mutation score."""
    differences: dict[str, Difference | None] = {mutant.key: results["equivalent", mutant.key][0] for mutant in survivors}
    equivalent = [mutant for mutant in survivors if differences[mutant.key] == Difference()]
    alive = [mutant for mutant in survivors if differences[mutant.key] != Difference()]
    reasons = {allowed.mutant: allowed.reason for allowed in exercise.settings.allow}
    allowed = [mutant for mutant in alive if mutant.words in reasons]
    findings = [
        *_graded(exercise, results),
        *_flicker(exercise, results),
        *(_at_check(exercise, "vacuous-check", check, reason) for check, reason in results["vacuous", ""]),
        *_limits(exercise, results["cost", ""][0]),
        *(_survivor(exercise, mutant, differences[mutant.key]) for mutant in alive if mutant not in allowed),
        *_allow_list(exercise, {mutant.words for mutant in alive}),
        *_dead_checks(exercise, results),
    ]
    return Proof(
        exercise.slug,
        exercise.version,
        tuple(findings),
        mutants=len(made),
        killed=len(made) - len(survivors),
        equivalent=len(equivalent),
        allowed=len(allowed),
        wrong_endings=wrong_endings(results),
        seconds=results["cost", ""][0].checks,
    )


def static_findings(exercise: Pack) -> Iterator[Finding]:
    """Findings that need no grading: remaining marks, missing texts or working times."""
    for path, line, text in scaffold.unfinished(exercise.folder):
        yield Finding("todo", str(path), line, text or "unfinished")
    yield from misconception_rule.findings(exercise)
    if exercise.settings.minutes is None:
        yield Finding(
            "minutes",
            str(exercise.folder / "exercise.toml"),
            1,
            "minutes is missing: estimate the working time of a student",
        )


def public_findings(exercise: Pack, endings: Mapping[str, Endings]) -> Iterator[Finding]:
    """Whether the public checks catch enough wrong solutions; `endings` is by wrong solution. Nothing is graded."""
    public = {check.id for check in exercise.checks if not check.hidden}
    missed = [name for name, ended in endings.items() if not any(ended.get(check) in FAILS for check in public)]
    half = 2 * len(missed) <= len(endings)
    caught = f"{len(endings) - len(missed)} of {len(endings)} wrong solutions fail a public check"
    reason = exercise.settings.public_checks_miss.strip()
    path = str(exercise.folder / "exercise.toml")
    if not half and not reason:
        names = ", ".join(missed)
        message = f"only {caught}; add public checks that catch the others ({names}), or give a reason in public_checks_miss"
        yield Finding("public-checks", str(exercise.folder / "checks.py"), 1, message)
    if half and reason and endings:
        yield Finding("public-checks", path, 1, f"{caught}; public_checks_miss no longer applies, remove it")


def _graded(exercise: Pack, results: Results) -> Iterator[Finding]:
    """Findings from grading the starter, the solution, and the right and wrong files."""
    for (purpose, name), outcomes in results.items():
        broken = next(
            (outcome for outcome in outcomes if isinstance(outcome, GradingOutcome) and outcome.verdict == "internal"), None
        )
        if broken is not None:
            yield _broken(exercise, broken.message)
        elif purpose in ("reference", "right"):
            path = exercise.folder / (name if purpose == "reference" else f"right/{name}.py")
            for seed, outcome in enumerate(outcomes):
                if outcome.verdict != "passed":
                    yield Finding(purpose, str(path), 1, f"does not get full marks with seed {seed}: {outcome.message}")
                    break
        elif purpose == "wrong":
            for seed, outcome in enumerate(outcomes):
                if not outcome.hidden:
                    path = exercise.folder / "wrong" / f"{name}.py"
                    yield Finding("wrong", str(path), 1, f"passes every hidden check with seed {seed}")
                    break
        elif purpose == "starter" and outcomes[0].verdict == "passed":
            yield Finding("starter", str(exercise.folder / name), 1, "the starter gets full marks")


def _broken(exercise: Pack, message: str) -> Finding:
    """The finding for an exception in a check, at its line, with the traceback as detail."""
    head, *trace = message.splitlines()
    lines = LINE_OF_CHECKS.findall(message)
    return Finding(
        "broken-check", str(exercise.folder / "checks.py"), int(lines[-1]) if lines else 1, head, "\n".join(trace)
    )


def diagnosis_findings(exercise: Pack, explained: Sequence[Explained]) -> Iterator[Finding]:
    """Wrong solutions that would get the wrong explanation or none."""
    for name, explanations in explained:
        keys = [explanation.key for explanation in explanations]
        if misconception(name) not in keys:
            path = str(exercise.folder / "wrong" / f"{name}.py")
            yield Finding("diagnosis", path, 1, f"the diagnosis explains this as {_explanation_text(explanations)}")


def _explanation_text(explanations: Sequence[Explanation]) -> str:
    keys = [f"“{e.key}” ({e.generator}: {e.note or 'from its answers'})" for e in explanations if e.key]
    return " and ".join(keys) or "no known mistake"


def _limits(exercise: Pack, cost: Cost) -> Iterator[Finding]:
    """Limits that do not fit the CPU time of the solution: too low for a slow right solution, or so high that an infinite
    loop is reported late. Limits between half and twice the recommendation are accepted, because machines differ."""
    path, limits = str(exercise.folder / "exercise.toml"), exercise.settings.limits
    right = math.ceil(REFERENCE_FACTOR * cost.whole + BASE_SECONDS)
    if not math.ceil(right / 2) <= limits.cpu_seconds <= 2 * right + 1:
        measured = f"the solution uses {cost.whole:.3f} s of CPU time, so {right} is recommended"
        yield Finding("limits", path, 1, f"cpu_seconds = {limits.cpu_seconds}: {measured}")
    if limits.wall_seconds < WALL_FACTOR * limits.cpu_seconds:
        least = WALL_FACTOR * limits.cpu_seconds
        yield Finding("limits", path, 1, f"wall_seconds = {limits.wall_seconds:g}: a busy machine needs at least {least}")
    for check in exercise.checks:
        recommended = REFERENCE_FACTOR * cost.checks[check.id]
        allowed = check.seconds or CHECK_SECONDS
        if not recommended / 2 <= allowed <= max(4 * recommended, MAX_CHECK_SECONDS):
            measured = f"the solution uses {cost.checks[check.id]:.3f} s of CPU time in this check"
            yield _at_check(
                exercise, "limits", check.id, f"seconds = {allowed:g}: {measured}; allow about twenty times that"
            )


def _flicker(exercise: Pack, results: Results) -> Iterator[Finding]:
    for (purpose, name), outcomes in results.items():
        if purpose == "flicker" and len({outcome.report for outcome in outcomes}) > 1:
            message = f"{name}: two gradings with seed {FLICKER_SEED} gave different reports"
            yield Finding("flicker", str(exercise.folder / "checks.py"), 1, message)


def _survivor(exercise: Pack, mutant: Mutant, difference: Difference | None) -> Finding:
    if difference is None:
        hint = "declare a @variety in checks.py to find out whether it is equivalent"
    else:
        hint = f"it differs from the solution: {difference.words}"
    path = str(exercise.folder / "solution" / mutant.file if mutant.file else exercise.folder / "solution.py")
    message = f"no hidden check kills this mutant: {mutant.words}; {hint}"
    return Finding(
        "survivor",
        path,
        mutant.line,
        message,
        mutants.diff(exercise.solution.decode(), mutant),
        mutant.source,
        key_of(mutant.operator, {misconception(name) for name in exercise.wrong}),
        "" if difference is None else difference.statement,
    )


def _allow_list(exercise: Pack, alive: set[str]) -> Iterator[Finding]:
    for allowed in exercise.settings.allow:
        if allowed.mutant not in alive:
            message = (
                f"the allowed mutant “{allowed.mutant}” is killed, equivalent or does not exist; remove it from the list"
            )
            yield Finding("allow-list", str(exercise.folder / "exercise.toml"), 1, message)
        if not allowed.reason.strip():
            yield Finding(
                "allow-list", str(exercise.folder / "exercise.toml"), 1, f"“{allowed.mutant}” is allowed without a reason"
            )


def _killing_checks(results: Results) -> Iterator[frozenset[str]]:
    for (purpose, _), outcomes in results.items():
        if purpose in ("mutant", "whole-mutant", "wrong"):
            yield from (frozenset(outcome.hidden) for outcome in outcomes if outcome.verdict in ("partial", "failed"))


def _dead_checks(exercise: Pack, results: Results) -> Iterator[Finding]:
    for check_id in unused(exercise, results):
        yield _at_check(exercise, "dead-check", check_id, "no mutant or wrong solution fails this check")


def unused(exercise: Pack, results: Results) -> list[str]:
    """Hidden checks that no mutant and no wrong solution has failed."""
    used = frozenset[str]().union(*_killing_checks(results))
    return [check.id for check in exercise.checks if check.hidden and check.id not in used]


def _at_check(exercise: Pack, rule: str, check_id: str, message: str) -> Finding:
    check = next(check for check in exercise.checks if check.id == check_id)
    line = check.run.__code__.co_firstlineno
    return Finding(rule, str(exercise.folder / "checks.py"), line, f"{check_id}: {message}")
