"""Mail is stored by the request, sent by a worker, retried while the server does not answer, and finally given up."""

import logging
import re
import smtplib
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

from autograder.celery import app
from autograder.courses.accounts.reset_links import reset_link_of
from autograder.courses.mail import outbox
from autograder.courses.mail_delivery import RETRY_DELAYS, SHOWN_ON_STATUS_PAGE, _claim, mails_send
from autograder.courses.models import AuditEntry, OutgoingMail, ResetLink, User
from tests.cast import Cast

pytestmark = pytest.mark.django_db
PAGE = "https://gradus.example.org/reset/"


class Broken(BaseEmailBackend):
    """A mail server that cannot be reached."""

    def send_messages(self, messages: Sequence[EmailMessage]) -> int:
        raise ConnectionRefusedError("no answer for ada@example.org")


class Choosy(BaseEmailBackend):
    """A mail server that rejects one address."""

    def send_messages(self, messages: Sequence[EmailMessage]) -> int:
        (message,) = messages
        if message.to == ["gone@example.org"]:
            raise smtplib.SMTPRecipientsRefused({"gone@example.org": (550, b"unknown")})
        return 1


@pytest.fixture(autouse=True)
def folder(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder to which mails are written."""
    settings.MAIL_CONFIGURED = True
    settings.EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
    settings.EMAIL_FILE_PATH = str(tmp_path / "mail")
    return tmp_path / "mail"


@pytest.fixture
def ada() -> User:
    user = Cast().student("ada")
    user.email = "Ada@example.org"
    user.save()
    return user


def mails(folder: Path) -> list[str]:
    return [path.read_text() for path in sorted(folder.glob("*"))] if folder.exists() else []


def due(**more: object) -> None:
    """Make the next attempt due now."""
    OutgoingMail.objects.update(try_at=timezone.now(), **more)
    ResetLink.objects.update(made_at=timezone.now() - timedelta(minutes=5))


@pytest.mark.parametrize("name", ["ada", "ada@example.org", "ADA@example.org"])
def test_who_forgot_a_password_gets_a_link_that_works(ada: User, folder: Path, name: str) -> None:
    outbox.password_reset_queue(name=name, page=PAGE)
    assert not ResetLink.objects.exists(), "made when it is sent, so that its token is stored nowhere"
    assert mails_send() == 1
    (text,) = mails(folder)
    assert "To: Ada@example.org" in text, "the address of the account, not the one that was typed"
    assert "Auto-Submitted: auto-generated" in text
    found = re.search(rf"{PAGE}([\w-]+)/", text.replace("=\n", ""))
    assert found
    assert reset_link_of(found[1]).user == ada
    assert not OutgoingMail.objects.exists()
    assert AuditEntry.objects.get().action == "reset-link-mailed"


@pytest.mark.parametrize(
    ("name", "active", "email"), [("eve", True, "a@b.org"), ("ada", False, "a@b.org"), ("ada", True, "")]
)
def test_nobody_else_gets_one(ada: User, folder: Path, name: str, active: bool, email: str) -> None:
    User.objects.filter(pk=ada.pk).update(is_active=active, email=email)
    outbox.password_reset_queue(name=name, page=PAGE)
    mails_send()
    assert mails(folder) == []
    assert not OutgoingMail.objects.exists()
    assert not ResetLink.objects.exists()


def test_asked_twice_at_once_one_mail_comes(ada: User, folder: Path) -> None:
    for name in ("ada", "ada@example.org"):
        outbox.password_reset_queue(name=name, page=PAGE)
    mails_send()
    assert len(mails(folder)) == 1
    assert not OutgoingMail.objects.exists()


def test_a_worker_is_told_when_it_is_stored(
    ada: User, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    rung: list[str] = []
    monkeypatch.setattr(app, "send_task", lambda name, **_: rung.append(name))
    with django_capture_on_commit_callbacks(execute=True):
        outbox.notice_queue(to="ada@example.org", subject="x", body="y")
        assert rung == []
    assert rung == [outbox.SEND_TASK]


def test_what_is_sent_has_a_task_and_a_queue_that_workers_serve() -> None:
    from autograder.courses import tasks
    from autograder.submissions.management.commands.worker import QUEUES

    assert tasks.send_mail.name == outbox.SEND_TASK
    assert app.conf.task_routes[outbox.SEND_TASK]["queue"] in QUEUES.split(",")
    assert outbox.SEND_TASK in [entry["task"] for entry in app.conf.beat_schedule.values()]


def test_without_a_mail_server_nothing_is_stored(ada: User, settings: Settings) -> None:
    settings.MAIL_CONFIGURED = False
    outbox.password_reset_queue(name="ada", page=PAGE)
    outbox.notice_queue(to="ada@example.org", subject="x", body="y")
    assert not OutgoingMail.objects.exists()


def test_a_server_that_is_down_is_tried_again(
    ada: User, folder: Path, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    working = settings.EMAIL_BACKEND
    settings.EMAIL_BACKEND = f"{__name__}.Broken"
    outbox.password_reset_queue(name="ada", page=PAGE)
    with caplog.at_level(logging.ERROR, "gradus.mail"):
        assert mails_send() == 0
    assert "could not be sent (ConnectionRefusedError, try 1); it will be tried again" in caplog.text
    assert not ResetLink.objects.exists(), "nobody has its token"
    assert (outbox.status().waiting, outbox.status().trouble) == (1, "ConnectionRefusedError")
    assert mails_send() == 0
    assert OutgoingMail.objects.get().tries == 1, "not before its time"
    settings.EMAIL_BACKEND = working
    due()
    assert mails_send() == 1
    assert len(mails(folder)) == 1
    assert outbox.status().waiting == 0


def test_in_the_end_it_is_given_up_and_shown_for_a_while(ada: User, settings: Settings) -> None:
    settings.EMAIL_BACKEND = f"{__name__}.Broken"
    outbox.notice_queue(to="ada@example.org", subject="x", body="y")
    for _ in range(len(RETRY_DELAYS) + 3):
        mails_send()
        due()
    assert OutgoingMail.objects.get().tries == len(RETRY_DELAYS) + 1
    assert (outbox.status().waiting, outbox.status().given_up) == (0, 1)
    OutgoingMail.objects.update(given_up_at=timezone.now() - SHOWN_ON_STATUS_PAGE - timedelta(seconds=1))
    mails_send()
    assert not OutgoingMail.objects.exists()


def test_one_bad_address_holds_nobody_else_up(ada: User, settings: Settings) -> None:
    settings.EMAIL_BACKEND = f"{__name__}.Choosy"
    for to in ("gone@example.org", "ada@example.org"):
        outbox.notice_queue(to=to, subject="x", body="y")
    assert mails_send() == 1
    assert OutgoingMail.objects.get().to == "gone@example.org"


def test_two_workers_send_it_once(ada: User, folder: Path) -> None:

    outbox.notice_queue(to="ada@example.org", subject="x", body="y")
    first, second = OutgoingMail.objects.get(), OutgoingMail.objects.get()
    assert _claim(first, timezone.now())
    assert not _claim(second, timezone.now())
    assert mails_send() == 0
    assert mails(folder) == []
