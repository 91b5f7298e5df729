"""Fixtures for scratch runs: a student who starts them, and their answers."""

from collections.abc import Callable

import msgspec
import pytest

from autograder.submissions.grader import Grader
from autograder.submissions.models import ScratchRun
from autograder.submissions.scratch.answer import ScratchAnswer
from autograder.submissions.scratch.intake import scratch_ask
from tests.cast import Cast

Asks = Callable[..., ScratchRun]
Answers = Callable[..., ScratchAnswer]
CODE = """def double(x):
    print("doubling", x)
    return x + x


def inverse(x):
    return 1 / x
"""


@pytest.fixture
def asks(cast: Cast) -> Asks:
    """`asks("double(2)")` starts a run, like the button."""

    def ask(calls: str, code: str = CODE, who: str = "ada") -> ScratchRun:
        membership = cast.membership(who)
        return scratch_ask(
            assignment=cast.assignment, membership=membership, source=code.encode(), calls=calls.encode("utf-8", "replace")
        )

    return ask


@pytest.fixture
def answers(asks: Asks, grader: Grader) -> Answers:
    """`answers("double(2)")` starts a run and executes it with a real grader in a real sandbox."""

    def answer(calls: str, code: str = CODE) -> ScratchAnswer:
        run = asks(calls, code)
        assert grader.work_once()
        run.refresh_from_db()
        assert run.state == ScratchRun.State.DONE
        return msgspec.convert(run.answer, ScratchAnswer)

    return answer
