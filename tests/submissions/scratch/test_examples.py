"""The example calls of each exercise run with its solution, within its limits, and show a value."""

import pytest

from autograder.judge.grade import CEILING, Judge
from autograder.judge.pack import Pack
from autograder.library import example_calls
from autograder.submissions.scratch.running import run_scratch
from sandbox.wire import Program
from tests.conftest import SLUGS


@pytest.mark.parametrize("slug", SLUGS)
def test_the_example_runs_beside_the_solution(judge: Judge, packs: dict[str, Pack], slug: str) -> None:
    pack = packs[slug]
    signatures = [point.signature for point in pack.settings.entry_points]
    calls = example_calls.of(pack.statement, pack.starter.decode(), pack.entry_points, signatures)
    program = pack.program(pack.solution) if pack.files else None
    assert program is None or isinstance(program, Program)
    box, limits = judge.sandbox(pack.settings.profile), pack.limits(CEILING)
    answer = run_scratch(box, limits, pack.solution, calls.encode(), program)
    assert answer.reason is None, (answer.message, answer.lines)
    assert answer.value
    assert any(point in calls for point in pack.entry_points)
