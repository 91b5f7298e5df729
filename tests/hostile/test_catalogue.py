"""Every attack of the catalogue ends as it should, and leaves judge, sandbox and machine as they were."""

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

from autograder.judge.grade import Judge
from autograder.library.sandboxes import backend
from sandbox.wire import Limits
from tests.hostile.catalogue import CASES, ELSEWHERE, OF_THE_JUDGE
from tests.hostile.catalogue.case import Case
from tests.hostile.ground import JUDGE_GROWTH, LONGEST, MIB, Ground, peak_bytes, texts, zygote_of

pytestmark = pytest.mark.hostile
ATTACKS = [pytest.param(case, id=str(case), marks=[pytest.mark.any_sandbox] * (case in OF_THE_JUDGE)) for case in CASES]


@pytest.mark.parametrize("case", ATTACKS)
def test_attack(case: Case, ground: Ground) -> None:
    judge = ground.swift if case.swift else ground.normal
    box = ground.warm(judge, case.exercise)
    zygote, starts, peak = zygote_of(box), box.starts, peak_bytes()

    start, begun = time.process_time(), time.monotonic()
    report = ground.grade(judge, case.exercise, case.submission(ground.packs[case.exercise].solution))
    seconds, growth = time.process_time() - start, peak_bytes() - peak

    # the judge, the sandbox and the machine
    assert report.verdict != "internal", f"the attack was taken for a fault of ours: {report.message}"
    ground.assert_clean(report)
    ground.assert_alone(box)
    ground.assert_no_files()
    ground.was_attacked(judge, case.exercise, str(case))
    assert (zygote_of(box), box.starts) == (zygote, starts), "the attack cost the zygote its life"
    assert seconds < case.costs, f"the judge worked for {seconds:.1f} s, at most {case.costs:g} s are planned"
    assert time.monotonic() - begun < LONGEST, "the judge waited for an answer that no limit ends"
    assert growth < JUDGE_GROWTH, f"the judge grew by {growth // MIB} MiB while it read the answers"

    # the attack itself
    lines = [f"line {line.number}: {line.text}" for line in report.stopped.lines] if report.stopped else []
    everything = "\n".join(
        texts([report.message, *lines, report.stdout, *(c.message + "\n" + c.stdout for c in report.checks)])
    )
    broken = [line for line in everything.splitlines() if line.startswith("BROKEN")]
    assert not broken, f"the sandbox let something through: {broken[:8]}"
    assert (report.verdict, report.reason) in case.outcomes, (
        f"{report.verdict} ({report.reason}) instead of {case.outcomes}: {report.message} "
        f"{[c.message[:200] for c in report.checks if not c.passed]} {report.stdout[-500:]}"
    )
    for name in case.held:
        assert f"held: {name}:" in report.stdout, f"nothing is reported of the attempt at {name}: {report.stdout[-500:]}"
    for text in case.prints:
        assert text in report.stdout, f"{text!r} was not printed: {report.stdout[-500:]}"
    for text in case.says:
        assert text in everything, f"the report does not say {text!r}: {everything[-500:]}"
    for text in case.never:
        assert text not in everything, f"the report says {text!r}"


def test_every_number_of_the_catalogue_has_a_case() -> None:
    numbers = {case.number for case in CASES if case.number is not None}
    assert numbers | ELSEWHERE == set(range(1, 66))
    assert not numbers & ELSEWHERE


def test_no_two_cases_have_one_name() -> None:
    names = [str(case) for case in CASES]
    assert len(set(names)) == len(names)
    assert sum(case.number is None for case in CASES) >= 15


def test_13_hidden_inputs_are_different_in_every_grading(ground: Ground) -> None:
    """What a submission prints about one grading helps nobody in the next."""
    (case,) = (case for case in CASES if case.number == 13)
    source = case.submission(ground.packs[case.exercise].solution)
    seen: list[set[str]] = []
    for seed in (1, 2, 1):
        report = ground.grade(ground.normal, case.exercise, source, seed)
        lines = {line for check in report.checks if check.hidden for line in check.stdout.splitlines() if "." in line}
        assert lines, "the attack saw no inputs"
        seen.append(lines)
    # entries of empty and of single numbers drawn from a generator never coincide; the same seed repeats them
    twice = {line.rpartition("]")[0] for line in seen[0] & seen[1] if "seen: [[" in line}
    assert not {line for line in twice if any(c in "123456789" for c in line)}
    assert seen[0] == seen[2]


def test_40_leaks_just_under_the_limit_side_by_side(ground: Ground) -> None:
    """Four submissions at once, each with most of the memory it may have: all pass, none feels the others."""
    exercise = "value-engine"
    source = ground.packs[exercise].solution + b"\nhoard = bytearray(220 << 20)\nprint('hoarded', len(hoard) >> 20)\n"
    limits = Limits(cpu_seconds=5, wall_seconds=60.0, memory_bytes=256 * MIB)
    with ExitStack() as stack, ThreadPoolExecutor(4) as pool:
        judges = [stack.enter_context(Judge(backend(), limits)) for _ in range(4)]
        boxes = [ground.warm(judge, exercise) for judge in judges]  # here: a zygote dies with the thread that started it
        reports = list(pool.map(lambda judge: ground.grade(judge, exercise, source), judges))
        for report in reports:
            assert (report.verdict, report.stdout) == ("passed", "hoarded 220\n"), report.message
        for judge, box in zip(judges, boxes, strict=True):
            ground.assert_serves(judge, exercise)
            ground.assert_alone(box)
