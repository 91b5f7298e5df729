"""Submissions that edit what is beside them instead of doing the work get no points for the work.

Each file of `evidence/` belongs to the exercise of its name. It looks into frames and closures, empties lists, calls hooks itself,
hides objects or uses private switches of torch: whatever would convince a check whose evidence lies in the student's process.
"""

from pathlib import Path

import pytest

from autograder.judge import pack
from autograder.judge.grade import Judge
from tests.conftest import EXERCISES

FOLDER = Path(__file__).parent / "evidence"
# the checks that the work is for, all of which must fail
WORK = {
    "checkpointing": {"twice-and-freed", "freed"},
    "dot-test": {"ordinary-mistakes", "unusable-answers", "upstream-mistakes", "shapes", "any-input", "sizes", "broken"},
    "history-leak": {"four-steps", "five-steps", "sixty-steps"},
    "hvp": {"not-diagonal", "cost"},
    "jacobian-choice": {"tall-and-wide", "other-shapes", "reused-buffers"},
    "jacobian-vmap": {"one-function", "other-shapes"},
    "microbatch": {"many-equal"},
    "save-budget": {"budgets", "other-budgets"},
    "write-gradcheck": {
        "ordinary-mistakes",
        "unusable-answers",
        "curvature",
        "upstream-mistakes",
        "shapes",
        "any-input",
        "sizes",
        "broken",
        "changing",
        "ignored-inputs",
    },
}

# at the end of each of them
SEARCH = b"""


def reachable(*roots):
    import gc
    import sys

    waiting, seen = list(roots), {}
    while waiting and len(seen) < 3000:
        thing = waiting.pop()
        if id(thing) not in seen and not isinstance(thing, type(sys)):
            seen[id(thing)] = thing
            waiting += gc.get_referents(thing)
    return list(seen.values())
"""

pytestmark = pytest.mark.hostile


def test_every_file_is_named_here() -> None:
    assert {path.stem for path in FOLDER.glob("*.py")} == set(WORK)


@pytest.mark.parametrize("slug", sorted(WORK))
def test_no_points_for_edited_evidence(judge: Judge, slug: str) -> None:
    exercise = pack.load(pack.find(EXERCISES, slug))
    report = judge.grade(exercise, (FOLDER / f"{slug}.py").read_bytes() + SEARCH, 20)
    # it runs; on a slow machine, the whole Hessian takes longer than a check may
    may_be_late = slug == "hvp" and report.reason == "timeout-cpu"
    assert report.verdict in ("partial", "failed") or may_be_late, report.message
    assert {check.id for check in report.checks if check.passed} & WORK[slug] == set()
    assert WORK[slug] <= {check.id for check in report.checks}
