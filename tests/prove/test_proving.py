"""A proof in one process, as an examiner makes it, grades twice what must be deterministic."""

from pathlib import Path

from autograder.judge import pack
from autograder.judge.grade import Judge
from autograder.prove.memory import Memory
from autograder.prove.proving import prove_here
from tests.prove.tiny_exercise import write_exercise

CLOCK = "import time\n\n\ndef slope(g, x):\n    print(time.time_ns())\n    return g * x + g * x + g\n"


def test_reports_that_differ_are_found(judge: Judge, tmp_path: Path) -> None:
    exercise = pack.load(write_exercise(tmp_path / "twice-and-a-bit", {"right/by_sum.py": CLOCK}))
    proof = prove_here(judge, exercise, Memory(exercise), lambda done, of: None)
    assert [(finding.rule, finding.message) for finding in proof.findings] == [
        ("flicker", "by_sum: two gradings with seed 3 gave different reports")
    ]
