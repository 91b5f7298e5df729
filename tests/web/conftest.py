"""Fixtures of the web tests: a course with users and sections, gradings without a sandbox, and test clients."""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

import msgspec
import pytest
from django.test import Client
from django.test.client import ClientHandler
from django.utils import timezone
from django.utils.html import strip_tags

from autograder.courses.models import Membership, Role, Section, User
from autograder.judge.report import CheckResult, Report
from autograder.library import versions
from autograder.observability import parts
from autograder.submissions.messages import doorbell
from autograder.submissions.models import Grading, Submission, stored_verdict
from autograder.web import rate_limits
from tests.cast import Cast
from tests.gradebook.conftest import add_grading

Signed = Callable[[str], Client]


@pytest.fixture(autouse=True)
def silent(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(doorbell, "ring", lambda: None)
    monkeypatch.setattr(doorbell, "ring_for_regrades", lambda: None)
    monkeypatch.setattr(doorbell, "ring_for_proofs", lambda: None)
    monkeypatch.setattr(
        rate_limits, "SWEPT", 1 << 40
    )  # the random sweep costs an additional query, and queries are counted here
    versions.forget()
    yield


@pytest.fixture
def still(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock stands still, so that no minute or day ends between two pages that are compared."""
    at = timezone.now()
    monkeypatch.setattr(timezone, "now", lambda: at)


class _Fails:
    """A log for which a part of a page that cannot be shown is a failed test."""

    def error(self, *_: object, exc_info: Exception) -> None:
        raise exc_info


@pytest.fixture(autouse=True)
def complete(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "log", _Fails())


@pytest.fixture
def cast(db: None) -> Cast:
    return Cast()


@pytest.fixture
def signed(cast: Cast) -> Signed:
    """`signed("ada")` returns the client of that user. An unknown user is created as a student of the course."""

    return lambda name: browser_of(User.objects.filter(username=name).first() or cast.student(name))


@lru_cache
def _handler(checks_tokens: bool) -> ClientHandler:
    """Share one handler between all clients: each new one would search for all static files again."""
    return ClientHandler(enforce_csrf_checks=checks_tokens)


def browser_of(user: User | None, *, checks_tokens: bool = False) -> Client:
    client = Client()
    client.handler = _handler(checks_tokens)
    if user is not None:
        client.force_login(user)
    return client


def member(cast: Cast, name: str, role: Role, section: Section | None = None) -> Membership:
    membership = cast.membership(name)
    membership.role, membership.section = role, section
    membership.save()
    return membership


def change(cast: Cast, **settings: Any) -> None:
    for name, value in settings.items():
        setattr(cast.assignment, name, value)
    cast.assignment.save()


def checked(name: str, *, hidden: bool = False, passed: bool = True, points: float = 1.0, **more: Any) -> CheckResult:
    """A check result as the judge reports it."""
    ending = more.pop("ending", "passed" if passed else "failed")
    title = more.pop("title", f"The {name} check")
    return CheckResult(name, title, hidden, passed, points if passed else 0.0, points, ending, **more)


def reported(*checks: CheckResult, **more: Any) -> Report:
    """A report of these checks with matching totals."""
    score, most = sum(check.points for check in checks), sum(check.max_points for check in checks)
    given: dict[str, Any] = {
        "exercise": "value-engine", "version": "0" * 16, "reason": None, "message": "", "seconds": 0.084, "seed": 1, "stdout": "",
        "profile": "python", "sandbox": "bubblewrap", "judge_version": "1",
        "verdict": "passed" if score == most else "partial" if score else "failed",
    }  # fmt: skip
    return Report(score=score, max_score=most, checks=checks, **(given | more))


def grade(submission: Submission, report: Report, **more: Any) -> Grading:
    """Store a report as the grader does."""
    told = [msgspec.to_builtins(each) for each in more.pop("diagnosis", ())]
    traces = [msgspec.to_builtins(each) for each in more.pop("traces", ())]
    more.setdefault("explained_at", timezone.now())
    return add_grading(
        submission, submission.work.get(batch=None), report.score, max_score=report.max_score, verdict=stored_verdict(report),
        seconds=report.seconds, report=msgspec.to_builtins(report), diagnosis=told, traces=traces, **more,
    )  # fmt: skip


def words(html: str) -> str:
    """Return the text of a page without markup."""
    text = " ".join(strip_tags(html.replace("</bdi>", "").replace("</", " </")).split())
    return re.sub(r" (?=[.,;:])", "", text)


def page(client: Client, url: str, status: int = 200) -> str:
    response = client.get(url)
    assert response.status_code == status, (url, response.status_code)
    return response.getvalue().decode()  # works for streaming responses, too
