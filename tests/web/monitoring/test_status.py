"""The status page: for staff of the site only, with the numbers that Prometheus would show."""

import re
from datetime import timedelta
from typing import get_args

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from autograder.courses.models import OutgoingMail, Role, User
from autograder.judge.report import Reason
from autograder.submissions import counters
from autograder.submissions.counters import Increment
from autograder.submissions.models import Snapshot, Work, Worker
from autograder.submissions.work import queue
from autograder.web.monitoring import dependencies
from autograder.web.monitoring.status import WORDS
from tests.cast import Cast
from tests.web.conftest import browser_of, member, words
from tests.web.test_markup import Markup

pytestmark = pytest.mark.django_db


@pytest.fixture
def root(db: None) -> Client:
    dependencies.forget()
    return browser_of(User.objects.create_superuser("root"))


def shown(browser: Client) -> str:
    response = browser.get(reverse("status"))
    assert response.status_code == 200
    return response.content.decode()


def test_it_is_for_the_staff_of_the_site(cast: Cast, root: Client) -> None:
    assert browser_of(cast.owner).get(reverse("status")).status_code == 404
    assert Client().get(reverse("status"))["Location"] == "/sign-in/?next=/status/"
    assert root.get("/status").status_code == 301


def test_a_site_where_nothing_happened_says_so(root: Client) -> None:
    text = words(shown(root))
    assert "No worker is running, so nothing is being graded." in text
    assert "Nothing has been graded yet." in text
    assert "No worker has started yet." in text
    assert "0 workers up nothing is graded" in text
    assert "0 waiting the queue is empty" in text


def test_the_queue_with_times_of_the_last_hour(cast: Cast, root: Client) -> None:
    cast.hands_in("ada")
    Work.objects.update(queued_at=timezone.now() - timedelta(minutes=3))
    now = timezone.now()
    counters.count_verdict(1, "passed", None, queued_at=now - timedelta(seconds=200), claimed_at=now - timedelta(hours=1))
    text = words(shown(root))
    assert "1 waiting the oldest for 3 minutes" in text
    assert "Submit 1 0 3 minutes 1 30 minutes, 30 minutes 3 minutes, 4 minutes" in text


def test_verdicts_of_the_last_hour_the_last_day_and_ever(root: Client) -> None:
    label = "submit passed passed"
    for hours, count in ((30, 1), (23, 2), (2, 5)):
        at = timezone.now() - timedelta(hours=hours)
        Snapshot.objects.create(at=at, counts={counters.VERDICTS: {label: count}})
    counters.add([Increment(counters.VERDICTS, label, 9), Increment(counters.VERDICTS, "run passed passed", 1)])
    counters.add([Increment(counters.VERDICTS, "submit error timeout-cpu", 2)])
    text = words(shown(root))
    assert "all checks passed 5 9 10" in text
    assert "CPU time limit 2 2 2" in text
    assert "7 graded in the last hour" in text


def test_every_ending_is_in_words() -> None:
    assert WORDS.keys() >= {"passed", "partial", "failed", "internal", *get_args(Reason)}


def test_a_worker_that_may_have_died_a_moment_ago_is_up_with_the_time_that_it_was_seen(root: Client) -> None:
    worker("box:1")
    worker("box:2", seen_at=timezone.now() - timedelta(seconds=20))
    assert "2 workers up seen 20 s ago, all ready to grade" in words(shown(root))


def worker(name: str, **given: object) -> None:
    now = timezone.now()
    Worker.objects.create(**({"name": name, "version": "1.0", "started_at": now, "seen_at": now} | given))


def test_workers_with_versions_and_what_troubles_them(root: Client) -> None:
    worker("box:1", graded=7, sandboxes={"torch": 3}, layers={"seccomp": True})
    worker("box:2", version="0.9", trouble="no seccomp", layers={"seccomp": False})
    worker("box:3", seen_at=timezone.now() - timedelta(hours=1))
    text = words(shown(root))
    assert re.search(r"2 workers up seen \d\.\d\d s ago, 1 of them not grading", text)
    assert "box:1 1.0 ready today" in text
    assert "7 torch 3" in text
    assert "box:2 0.9 not grading: no seccomp" in text
    assert "box:3 1.0 not responding" in text
    assert "seccomp not in every worker. Run manage.py selfcheck on the worker’s machine to see how to enable it." in text


def test_zygotes_that_died(root: Client) -> None:
    counters.add([Increment(counters.ZYGOTE_STARTS, "torch", 4), Increment(counters.ZYGOTE_DEATHS, "torch", 2)])
    assert "torch 4 2 2 2" in words(shown(root))


def test_errors_of_ours_lead_to_what_is_known_of_them(cast: Cast, root: Client) -> None:
    cast.hands_in("ada")
    for _ in range(queue.MAX_TRIES):
        claim = queue.claim("box")
        assert claim is not None
        queue.gradings.give_back(claim, "the check is broken")
    html = shown(root)
    (link,) = [link for link in Markup(html).links if "/admin/submissions/work/" in link]
    assert "the check is broken" in root.get(link).content.decode()
    assert "1 internal error in the last day" in words(html)
    assert "retried: internal error 2 2 2" in words(html)


def test_a_part_that_does_not_answer_is_told_with_its_cure(root: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dependencies, "_broker", lambda: "unavailable (ConnectionError). Check that Redis is running.")
    dependencies.forget()
    text = words(shown(root))
    assert "broker unavailable (ConnectionError). Check that Redis is running." in text
    assert "database yes" in text
    dependencies.forget()


def test_nothing_that_a_student_wrote_or_is_called_stands_there(cast: Cast, root: Client) -> None:
    cast.hands_in("ada-of-the-students", b"what_she_wrote = 1\n")
    html = shown(root)
    assert "ada-of-the-students" not in html
    assert "what_she_wrote" not in html


def test_it_holds_what_every_page_promises(root: Client) -> None:
    worker("box:1", sandboxes={"python": 1}, layers={"seccomp": True})
    counters.add([Increment(counters.VERDICTS, "submit passed passed"), Increment(counters.ZYGOTE_STARTS, "python")])
    html = shown(root)
    found = Markup(html)
    assert (found.acts, found.left_open) == ([], [])
    assert (found.tags["h1"], found.tags["main"]) == (1, 1)
    assert {key: count for key, count in found.ids.items() if count > 1} == {}
    assert set(found.refers) <= set(found.ids)
    assert found.tags["table"] == found.tags["caption"]


def test_the_way_there_is_shown_to_who_may_go_it(cast: Cast, root: Client) -> None:
    where = reverse("status")
    assert where in root.get("/").content.decode()
    member(cast, "root", Role.OWNER)
    overview = reverse("overview", args=(cast.course.slug,))
    assert where in root.get(overview).content.decode()
    assert where not in browser_of(cast.owner).get(overview).content.decode()


def test_mail_is_said_to_be_off_or_how_it_goes(root: Client, settings: Settings) -> None:
    assert "No mail server is configured, so no email is sent." in words(shown(root))
    settings.MAIL_CONFIGURED, settings.EMAIL_HOST = True, "mail.example.org"
    settings.DEFAULT_FROM_EMAIL = "gradus@example.org"
    assert (
        "Sending through mail.example.org as gradus@example.org. 0 messages are waiting; 0 could not be delivered"
        in words(shown(root))
    )
    now = timezone.now()
    OutgoingMail.objects.create(kind="notice", to="ada@example.org", try_at=now, tries=1, trouble="TimeoutError")
    OutgoingMail.objects.create(kind="notice", to="ada@example.org", try_at=now - timedelta(hours=1), given_up_at=now)
    text = words(shown(root))
    assert "1 message is waiting; 1 could not be delivered in the last 7 days." in text
    assert "Last failed attempt: TimeoutError." in text
    assert "ada@example.org" not in text
