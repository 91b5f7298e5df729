"""The supervisor keeps processes running and leaves none behind after a shutdown."""

import os
import sys
import time
from pathlib import Path

from autograder.submissions.work.supervisor import SupervisedProcess
from tests.servers import wait_for


def gone(part: SupervisedProcess) -> bool:
    """Whether the process is gone, without a zombie."""
    assert part.process is not None
    part.keep_alive()
    return not Path(f"/proc/{part.process.pid}").exists()


def test_one_that_runs_once_leaves_no_zombie_and_is_not_started_again() -> None:
    part = SupervisedProcess("learner", [sys.executable, "-c", ""], once=True)
    part.start()
    assert part.process is not None
    first = part.process.pid
    wait_for(lambda: gone(part), "its zombie stays")
    time.sleep(0.3)
    part.keep_alive()
    assert part.process.pid == first


def test_one_that_ends_is_started_again() -> None:
    part = SupervisedProcess("worker", [sys.executable, "-c", ""])
    part.start()
    assert part.process is not None
    first = part.process.pid

    def again() -> bool:
        part.keep_alive()
        assert part.process is not None
        return part.process.pid != first

    wait_for(again, "it is not started again")
    part.process.wait()


def test_one_that_yields_has_a_low_priority_within_its_session_and_as_a_session() -> None:
    part = SupervisedProcess("learner", [sys.executable, "-c", "input()"], niceness=15)
    part.start()
    assert part.process is not None
    try:
        assert os.getpriority(os.PRIO_PROCESS, part.process.pid) == 15
        session = Path(f"/proc/{part.process.pid}/autogroup")
        assert not session.exists() or session.read_text().endswith("nice 15\n")
    finally:
        part.process.kill()
        part.process.wait()
