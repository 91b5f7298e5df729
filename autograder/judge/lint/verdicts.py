"""What the results of a proof say: findings, each with its rule and its place."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence

from autograder.judge import mutants, scaffold
from autograder.judge.budget import BASE_SECONDS, CHECK_SECONDS, REFERENCE_FACTOR
from autograder.judge.diagnosis import Explanation
from autograder.judge.lint import misconceptions, statement
from autograder.judge.lint.findings import Finding, Proof
from autograder.judge.lint.running import Results
from autograder.judge.lint.works import FLICKER_SEED, Cost, Outcome
from autograder.judge.mutants import Mutant
from autograder.judge.pack import Pack, misconception
from autograder.judge.report import Ending, Endings

Explained = tuple[str, tuple[Explanation, ...]]  # a wrong solution, and what is said of it
WALL_FACTOR = 5  # the computing: what a machine takes that is busy with other things
MAX_CHECK_SECONDS = 2.0  # that a check may have whatever it needs: what is wrong in it may have to show
FAILS: tuple[Ending, ...] = ("failed", "raised", "late", "ended")
LINE_OF_CHECKS = re.compile(r"checks\.py:(\d+): ")


def static_findings(exercise: Pack) -> tuple[Finding, ...]:
    """What is seen without grading anything: marks left, a statement that does not render, missing words or minutes."""
    return tuple(_static(exercise))


def diagnosis_findings(exercise: Pack, explanations: Sequence[Explained]) -> tuple[Finding, ...]:
    """Wrong solutions whose students would be told another name, or none."""
    return tuple(_told(exercise, explanations))


def public_findings(exercise: Pack, endings: Mapping[str, Endings]) -> tuple[Finding, ...]:
    """Whether public checks touch the point of the exercise; `endings` by wrong solution. Nothing is graded for it."""
    return tuple(_public(exercise, endings))


def wrong_endings(results: Results) -> dict[str, Endings]:
    """How the checks ended for each wrong solution that they catch, in the order of names and not of slots."""
    return {
        name: outcomes[0].endings
        for (purpose, name), outcomes in sorted(results.items())
        if purpose == "wrong" and outcomes[0].hidden and outcomes[0].verdict != "internal"
    }


def proof_of(exercise: Pack, made: Sequence[Mutant], results: Results, survivors: Sequence[Mutant]) -> Proof:
    """What the gradings leave unproved about an exercise, and its score."""
    differences = {mutant.key: results["equivalent", mutant.key][0] for mutant in survivors}
    equivalent = [mutant for mutant in survivors if differences[mutant.key] == ""]
    alive = [mutant for mutant in survivors if differences[mutant.key] != ""]
    reasons = {allowed.mutant: allowed.reason for allowed in exercise.settings.allow}
    allowed = [mutant for mutant in alive if mutant.words in reasons]
    findings = [
        *_graded(exercise, results),
        *_flicker(exercise, results),
        *(_at_check(exercise, "vacuous-check", check, why) for check, why in results["vacuous", ""]),
        *_limits(exercise, results["cost", ""][0]),
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
        wrong_endings=wrong_endings(results),
    )


def _static(exercise: Pack) -> Iterator[Finding]:
    for path, line, text in scaffold.unfinished(exercise.folder):
        yield Finding("todo", str(path), line, text or "not finished")
    for line, why in statement.trouble(exercise.statement):
        yield Finding("statement", str(exercise.folder / "statement.md"), line, why)
    yield from misconceptions.findings(exercise)
    if exercise.settings.minutes is None:
        yield Finding("minutes", str(exercise.folder / "exercise.toml"), 1, "minutes: how long it takes is not said")


def _public(exercise: Pack, endings: Mapping[str, Endings]) -> Iterator[Finding]:
    public = {check.id for check in exercise.checks if not check.hidden}
    missed = [name for name, ended in endings.items() if not any(ended.get(check) in FAILS for check in public)]
    half = 2 * len(missed) <= len(endings)
    caught = f"{len(endings) - len(missed)} of {len(endings)} wrong solutions fail a public check"
    why = exercise.settings.public_checks_miss.strip()
    path = str(exercise.folder / "exercise.toml")
    if not half and not why:
        names = ", ".join(missed)
        message = f"only {caught}; ask what tells the others ({names}), or say why not in public_checks_miss"
        yield Finding("public-checks", str(exercise.folder / "checks.py"), 1, message)
    if half and why and endings:
        yield Finding("public-checks", path, 1, f"{caught}; public_checks_miss is no longer true, take it out")


def _graded(exercise: Pack, results: Results) -> Iterator[Finding]:
    """What the gradings of starter, solution, right and wrong files say."""
    for (purpose, name), outcomes in results.items():
        broken = next(
            (outcome for outcome in outcomes if isinstance(outcome, Outcome) and outcome.verdict == "internal"), None
        )
        if broken is not None:
            yield _broken(exercise, broken.message)
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


def _broken(exercise: Pack, message: str) -> Finding:
    """The exception of a check, at its line; the traceback below."""
    head, *trace = message.splitlines()
    lines = LINE_OF_CHECKS.findall(message)
    return Finding(
        "broken-check", str(exercise.folder / "checks.py"), int(lines[-1]) if lines else 1, head, "\n".join(trace)
    )


def _told(exercise: Pack, explained: Sequence[Explained]) -> Iterator[Finding]:
    for name, explanations in explained:
        keys = [explanation.key for explanation in explanations]
        if misconception(name) not in keys:
            path = str(exercise.folder / "wrong" / f"{name}.py")
            yield Finding("diagnosis", path, 1, f"a student who writes this is told {_what_is_told(explanations)}")


def _what_is_told(explanations: Sequence[Explanation]) -> str:
    said = [f"«{e.key}» ({e.generator}: {e.note or 'by its answers'})" for e in explanations if e.key]
    return " and ".join(said) or "that no known mistake gives its answers"


def _limits(exercise: Pack, cost: Cost) -> Iterator[Finding]:
    """Limits that are not about what the solution needs: too low for a slow right solution, or so high that an endless loop
    takes long to be told. Between half and twice the measure both are fine, because machines differ."""
    path, limits = str(exercise.folder / "exercise.toml"), exercise.settings.limits
    right = math.ceil(REFERENCE_FACTOR * cost.whole + BASE_SECONDS)
    if not math.ceil(right / 2) <= limits.cpu_seconds <= 2 * right + 1:
        measured = f"the solution computes for {cost.whole:.3f} s, so {right} would be right"
        yield Finding("limits", path, 1, f"cpu_seconds = {limits.cpu_seconds}: {measured}")
    if limits.wall_seconds < WALL_FACTOR * limits.cpu_seconds:
        least = WALL_FACTOR * limits.cpu_seconds
        yield Finding("limits", path, 1, f"wall_seconds = {limits.wall_seconds:g}: a busy machine needs {least} at least")
    for check in exercise.checks:
        wanted = REFERENCE_FACTOR * cost.checks[check.id]
        allowed = check.seconds or CHECK_SECONDS
        if not wanted / 2 <= allowed <= max(4 * wanted, MAX_CHECK_SECONDS):
            measured = f"the solution computes for {cost.checks[check.id]:.3f} s in this check"
            yield _at_check(
                exercise, "limits", check.id, f"seconds = {allowed:g}: {measured}, and twenty times that is enough"
            )


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
        if purpose in ("mutant", "whole-mutant", "wrong"):
            yield from (frozenset(outcome.hidden) for outcome in outcomes if outcome.verdict in ("partial", "failed"))


def _dead(exercise: Pack, results: Results) -> Iterator[Finding]:
    for check_id in unused(exercise, results):
        yield _at_check(exercise, "dead-check", check_id, "no mutant and no wrong solution fails it")


def unused(exercise: Pack, results: Results) -> list[str]:
    """Hidden checks that nothing wrong has failed."""
    used = frozenset[str]().union(*_kills(results))
    return [check.id for check in exercise.checks if check.hidden and check.id not in used]


def _at_check(exercise: Pack, rule: str, check_id: str, message: str) -> Finding:
    check = next(check for check in exercise.checks if check.id == check_id)
    line = check.run.__code__.co_firstlineno
    return Finding(rule, str(exercise.folder / "checks.py"), line, f"{check_id}: {message}")
