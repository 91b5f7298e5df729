"""Stores outgoing mail, which a worker sends later: see `delivery`.

A request therefore never waits for a mail server, and takes the same time whether or not a mail is sent.
"""

import logging
from dataclasses import dataclass

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from kombu.exceptions import OperationalError

from autograder.celery import app
from autograder.courses.models import OutgoingMail

log = logging.getLogger("gradus.mail")
SEND_TASK = "autograder.courses.tasks.send_mail"
Kind = OutgoingMail.Kind


@dataclass(frozen=True)
class MailStatus:
    """The status of mail delivery, for operators. `trouble` is the reason of the latest failure."""

    configured: bool
    server: str
    sender: str
    waiting: int
    given_up: int
    trouble: str


def is_configured() -> bool:
    """Whether mail is delivered. Without a mail server, pages offer an alternative instead of promising a mail."""
    return bool(settings.MAIL_CONFIGURED)


def status() -> MailStatus:
    mails = OutgoingMail.objects
    failed = mails.exclude(trouble="").order_by("-try_at").first()
    return MailStatus(
        configured=is_configured(),
        server=settings.EMAIL_HOST or f"files in {settings.EMAIL_FILE_PATH}",
        sender=settings.DEFAULT_FROM_EMAIL,
        waiting=mails.filter(given_up_at=None).count(),
        given_up=mails.exclude(given_up_at=None).count(),
        trouble=failed.trouble if failed else "",
    )


def password_reset_queue(*, name: str, page: str) -> None:
    """Queue a password reset mail. The account is looked up when the mail is sent, not here.

    `page` is the address of the page for the new password, up to the token.
    """
    if is_configured():
        _store(OutgoingMail(kind=Kind.RESET, to=name, page=page))


def notice_queue(*, to: str, subject: str, body: str) -> None:
    """Queue a notice in the transaction of the change it reports. Does nothing without an address or a mail server."""
    if to and is_configured():
        _store(OutgoingMail(kind=Kind.NOTICE, to=to, subject=subject, body=body))


def _store(mail: OutgoingMail) -> None:
    mail.try_at = timezone.now()
    mail.save()
    transaction.on_commit(notify_workers)


def notify_workers() -> None:
    """Notify a worker that mail is waiting. The scheduler does so too, so a lost message causes a delay of a minute at most."""
    try:
        app.send_task(SEND_TASK, ignore_result=True, retry=False)
    except (OperationalError, OSError):
        log.warning("the broker cannot be reached; the scheduler will send the mail", exc_info=True)
