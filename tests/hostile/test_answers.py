"""No check trusts the shape of an answer: whatever comes back from a submission costs the submission points, never us.

Every question of every exercise gets the same answer, made beside the student's code in the runner's place.
"""

import pytest

from tests.hostile.catalogue.case import RUNNER
from tests.hostile.ground import Ground

pytestmark = pytest.mark.hostile

EXERCISES = ("value-engine", "graph-walk", "accumulate-bug", "vjp-unbroadcast", "fn-cubic", "hvp")
ANSWERS = {
    "nothing": "None",
    "yes": "True",
    "a number": "0.5",
    "a large integer": "10**400",
    "an integer too long to print": "10**5000",
    "an integer that fits no slot": "2**63 - 1",
    "text": "'\\x1b[31m' + 'text' * 100",
    "bytes": "b'\\xff'",
    "an empty list": "[]",
    "a list of nothing": "[None] * 3",
    "a list of numbers": "[1.0, 2.0]",
    "a list of lists": "[[1.0], [2.0]]",
    "a list of empty dicts": "[{}] * 64",
    "an empty dict": "{}",
    "a dict with every key": "{k: None for k in KEYS}",
    "a dict with every key and the wrong things": "{k: [{k: -1 for k in KEYS}] for k in KEYS}",
    "a dict with every key and long integers": "{k: 10**5000 for k in KEYS}",
    "a dict of lists of long integers": "{k: [10**5000, 2**62, -1] for k in KEYS}",
    "lists in each other": "nested(300)",
}
FORGED = (
    RUNNER
    + r"""
KEYS = ("root nodes edges result calls kept flags ratio raised message grad data readings strange value graph saved alive "
        "of bytes losses weights params parameters steps before after type shape x").split()


def nested(depth):
    value = 0.0
    for _ in range(depth):
        value = [value]
    return value


sys.setrecursionlimit(10_000)
made = ANSWER
runner._dispatch = lambda *question: print("asked") or made
"""
)


@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize("exercise", EXERCISES)
def test_an_answer_of_any_shape_costs_only_points(exercise: str, answer: str, ground: Ground) -> None:
    source = ground.packs[exercise].solution + FORGED.replace("ANSWER", ANSWERS[answer]).encode()
    report = ground.grade(ground.normal, exercise, source)
    assert report.verdict != "internal", f"the answer was taken for a fault of ours: {report.message}"
    assert any("asked" in check.stdout for check in report.checks), "the forged answer was never given"
    assert report.verdict in ("failed", "partial", "error"), f"every answer is {answer}, and that is {report.verdict}"
    ground.assert_clean(report)
