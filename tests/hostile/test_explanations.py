"""Answers made to be hard to explain: the judge asks a wrong submission again, and what it is told then costs it little."""

import resource
import time

import pytest

from autograder.examiner.messages import MIN_SECONDS
from autograder.explain.diagnosis import explain, prediction, prepare
from autograder.judge.replay import Replay
from autograder.prove.stored_proofs import wrong_endings
from autograder.trace.traces import traces_of
from tests.hostile.ground import JUDGE_GROWTH, MIB, Ground, peak_bytes
from tests.replays import explained

pytestmark = pytest.mark.hostile
ANSWERS = {
    "64 MiB of zeros": "np.zeros(8 << 20)",
    "64 MiB of nothing finite": "np.full(8 << 20, np.nan)",
    "a million axes of one": "np.zeros((1 << 20, 1))",
    "as much as is kept, never finite": "np.full(131_000, np.inf)",
    "as much as is kept": "np.arange(131_000.0)",
    "a hundred thousand numbers": "[float(n) for n in range(100_000)]",
    "a hundred thousand lists": "[[] for n in range(100_000)]",
    "a hundred thousand integers": "[1 << 2000] * 5000",
}
EXERCISE = "vjp-unbroadcast"


def returning(answer: str) -> bytes:
    return f"import numpy as np\n\nmade = {answer}\nunbroadcast = add_vjp = mul_vjp = lambda *a: made\n".encode()


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_every_answer_is_explained_within_limits_on_time_and_memory(answer: str, ground: Ground) -> None:
    pack, source = ground.packs[EXERCISE], returning(answer)
    report = ground.grade(ground.normal, EXERCISE, source)
    known = prediction.load(ground.normal, pack, proved=wrong_endings)
    prepare()
    start, peak = _computed(), peak_bytes()
    found = explained(ground.normal, pack, source, report, known)
    computed = _computed() - start
    assert computed < MIN_SECONDS, f"the judge worked for {computed:.1f} s, and its examiner would have been ended"
    assert "none-gradient" not in {each.key for each in found}, "what was not kept is taken for a gradient that is missing"
    assert peak_bytes() - peak < JUDGE_GROWTH, f"the judge grew by {(peak_bytes() - peak) // MIB} MiB"


def test_a_submission_that_stalls_when_asked_again_is_abandoned_at_the_deadline(ground: Ground) -> None:
    """It cannot tell a grading from an explanation, but it can toss a coin."""
    pack = ground.packs[EXERCISE]
    wrong = pack.wrong["missing-unbroadcast"]
    report = ground.grade(ground.normal, EXERCISE, wrong)
    known = prediction.load(ground.normal, pack, proved=wrong_endings)
    begun = time.monotonic()
    for waits in (
        wrong + b"\nimport time\ntime.sleep(3600)\n",
        wrong + b"\nadd_vjp = lambda *a: __import__('time').sleep(3600)\n",
    ):
        deadline = time.monotonic() + 1.0
        with Replay(ground.normal, pack, waits, deadline=deadline) as replay:
            assert traces_of(replay, report) == ()
            explain(replay, report, known)
    assert time.monotonic() - begun < 30.0, "it was waited for as long as the limits of its grading allow"


def _computed() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime
