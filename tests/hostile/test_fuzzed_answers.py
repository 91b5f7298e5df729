"""A part of a right answer becomes something else, in every check of every exercise: the check fails or passes, and never raises.

A check that raises is attributed by asking the reference again, which costs time and tells the student nothing.
"""

from pathlib import Path

import pytest

from autograder.judge import pack
from autograder.judge.check_run import run_check
from autograder.judge.checks.student import Student
from autograder.judge.grade import Judge
from tests.conftest import EXERCISES
from tests.hostile.fuzz import CHANGES, fuzzed

pytestmark = [pytest.mark.hostile, pytest.mark.slow]
SEED = 20


@pytest.mark.parametrize(
    "unit", sorted({path.parent.parent for path in EXERCISES.glob("*/*/exercise.toml")}), ids=lambda u: u.name
)
def test_no_check_raises_whatever_the_answer_is(judge: Judge, unit: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    raised, failed = [], 0
    for folder in sorted(path.parent for path in unit.glob("*/exercise.toml")):
        exercise = pack.load(folder)
        for change in CHANGES:
            with judge.sandbox(exercise.settings.profile).session() as session:
                session.load(exercise.program(exercise.solution), 1, exercise.entry_points)
                with monkeypatch.context() as patched:
                    patched.setattr(Student, "_ask", fuzzed(change, exercise.slug))
                    runs = [(check.id, run_check(check, Student(session), SEED)) for check in exercise.checks]
            failed += sum(run.ending == "failed" for _, run in runs)
            raised += [f"{exercise.slug}, {name}, {change}: {run.error!r}" for name, run in runs if run.ending == "broken"]
    assert not raised, "\n".join(raised)
    assert failed, "no answer was changed"
