"""The sender as a process: it sends what changes, is killed at any moment, and waits for no platform that hangs."""

import itertools
import json
import signal
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from tests.lti.platform.state import LineItem
from tests.lti.sender_site import EXPIRE_LEASES, STATES, SenderSite, final_scores, platform_of, running, sender_site
from tests.servers import wait_for

pytestmark = pytest.mark.slow
STUDENTS = 60


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[SenderSite, str]]:
    with sender_site(tmp_path) as made:
        yield made


def in_order(column: LineItem) -> bool:
    """Whether every student got their scores in the order of their timestamps, and no score twice."""
    for result in column.results.values():
        times = [datetime.fromisoformat(body["timestamp"]) for body in result.scores]
        if any(later <= earlier for earlier, later in itertools.pairwise(times)):
            return False
    return True


def test_grades_arrive_and_follow_a_regrade(served: tuple[SenderSite, str]) -> None:
    site, key_set_url = served
    with platform_of(key_set_url) as platform, running(site):
        column = site.connect(platform, "autodiff", STUDENTS)
        site.grade("autodiff", 5)
        wait_for(lambda: final_scores(column) == [5.0] * STUDENTS, "the grades do not arrive")
        site.regrade("autodiff", 8)
        wait_for(lambda: final_scores(column) == [8.0] * STUDENTS, "the regrade does not arrive")
        assert in_order(column)


def test_a_platform_that_hangs_delays_no_other_one(served: tuple[SenderSite, str]) -> None:
    site, key_set_url = served
    with platform_of(key_set_url) as hanging, platform_of(key_set_url) as other:
        site.connect(hanging, "hanging", STUDENTS)
        column = site.connect(other, "other", STUDENTS)
        hanging.fail(".*/scores", times=1_000, hangs=True)
        for slug in ("hanging", "other"):
            site.grade(slug, 5)
        with running(site):
            wait_for(lambda: len(hanging.requests_to("/scores")) == 4, "the hanging platform is not tried")
            wait_for(lambda: final_scores(column) == [5.0] * STUDENTS, "the other platform has to wait")
            assert len(hanging.requests_to("/scores")) == 4


def test_a_sender_that_is_killed_loses_nothing_and_sends_nothing_out_of_order(served: tuple[SenderSite, str]) -> None:
    site, key_set_url = served
    with platform_of(key_set_url) as platform:
        column = site.connect(platform, "autodiff", STUDENTS)
        platform.delay = 0.05
        site.grade("autodiff", 5)
        for points in (6, 7):
            before = len(platform.requests_to("/scores"))
            sender = site.start_sender()
            wait_for(lambda: len(platform.requests_to("/scores")) > before + STUDENTS // 3, "nothing is sent")
            sender.send_signal(signal.SIGKILL)
            sender.wait()
            states = json.loads(site.python(STATES.format(slug="autodiff")))
            assert states.get("waiting", 0) > 0  # it was killed in the middle
            site.regrade("autodiff", points)
            site.python(EXPIRE_LEASES)
        with running(site):
            wait_for(lambda: final_scores(column) == [7.0] * STUDENTS, "scores are lost")
        assert json.loads(site.python(STATES.format(slug="autodiff"))) == {"sent": STUDENTS}
        assert in_order(column)
