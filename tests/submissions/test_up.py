"""`manage.py up`: starts and stops a whole site without other servers."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.chaos import below, children, kill
from tests.conftest import EXERCISES
from tests.servers import wait_for
from tests.site import Site, running_site

pytestmark = pytest.mark.slow
SOLUTION = next(EXERCISES.glob("*/value-engine")) / "solution.py"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with running_site(tmp_path_factory.mktemp("site"), "--workers", "2") as started:
        started.manage("createsuperuser", "--noinput", "--username", "grace", "--email", "grace@example.org")
        started.manage("course", "create", "autodiff", "--title", "Autodiff", "--owner", "grace")
        started.manage("course", "assign", "autodiff", "value-engine")
        yield started


def test_a_submission_is_graded_by_the_site(site: Site) -> None:
    printed = site.manage("submit", "autodiff", "value-engine", "grace", str(SOLUTION), "--wait", "120")
    assert "All checks passed" in printed


def test_a_part_that_is_killed_is_started_again(site: Site) -> None:
    before = site.parts()
    for name in ("web", "scheduler", "lms sender"):
        kill(before[name], signal.SIGKILL)
    wait_for(lambda: set(site.parts()) == set(before) and site.parts() != before, "they are not started again")
    wait_for(site.answers, "the site does not answer")
    assert site.parts()["worker"] == before["worker"]


def test_a_worker_killed_while_it_waits_for_work_leaves_the_others_working(site: Site) -> None:
    graders = children(site.parts()["worker"])
    assert len(graders) == 2
    kill(graders[0], signal.SIGKILL)
    for _ in range(3):
        printed = site.manage("submit", "autodiff", "value-engine", "grace", str(SOLUTION), "--wait", "120")
        assert "All checks passed" in printed
    wait_for(lambda: len(children(site.parts()["worker"])) == 2, "it is not started again")


def test_one_interrupt_ends_everything(site: Site) -> None:
    everything = below(site.process.pid)
    assert len(everything) > 4
    site.process.send_signal(signal.SIGINT)
    assert site.process.wait(60) == 0
    wait_for(lambda: not any(Path(f"/proc/{pid}").exists() for pid in everything), "something is left over")
