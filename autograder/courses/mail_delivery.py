"""Sends queued mail in a worker. If the mail server does not respond, a mail is retried for about a day and then given up.

Every failure is logged, and the status page shows the mails that are waiting or were given up.
"""

import logging
from datetime import datetime, timedelta
from smtplib import SMTPDataError, SMTPRecipientsRefused, SMTPResponseException

from django.core.mail import EmailMessage
from django.db.models import F
from django.utils import timezone

from autograder.courses import audit
from autograder.courses.accounts import reset_links
from autograder.courses.accounts.selectors import account_named
from autograder.courses.mail import outbox, texts
from autograder.courses.models import OutgoingMail

log = logging.getLogger("gradus.mail")
# the delay after each try; after the last one the mail is given up
RETRY_DELAYS = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 15, 60, 240, 1080))
SHOWN_ON_STATUS_PAGE = timedelta(days=7)  # how long the status page shows a mail that was given up
MAX_PER_TASK = 50


def mails_send() -> int:
    """Send due mail and return the number of mails sent. Large amounts are spread over several tasks, so that workers can
    grade in between."""
    now = timezone.now()
    OutgoingMail.objects.filter(given_up_at__lt=now - SHOWN_ON_STATUS_PAGE).delete()
    due = OutgoingMail.objects.filter(given_up_at=None, try_at__lte=now).order_by("pk")
    sent = 0
    for waiting in due[:MAX_PER_TASK]:
        if not _claim(waiting, now):
            continue
        try:
            _send(waiting)
        except Exception as error:  # the worker continues, whatever error a mail server or an address causes
            _failed(waiting, error)
            if not isinstance(error, SMTPRecipientsRefused | SMTPDataError):
                return sent  # the next mail would wait for the same mail server
        else:
            waiting.delete()
            sent += 1
    if due.exists():
        outbox.notify_workers()
    return sent


def _claim(waiting: OutgoingMail, now: datetime) -> bool:
    """Claim a mail for this worker. If the worker dies while sending, the mail is due again at its next try."""
    wait = RETRY_DELAYS[min(waiting.tries, len(RETRY_DELAYS) - 1)]
    unclaimed = OutgoingMail.objects.filter(pk=waiting.pk, tries=waiting.tries, given_up_at=None)
    return unclaimed.update(tries=F("tries") + 1, try_at=now + wait) == 1


def _send(waiting: OutgoingMail) -> None:
    if waiting.kind == OutgoingMail.Kind.RESET:
        _send_reset_link(waiting)
    else:
        _message(waiting.to, waiting.subject, waiting.body).send()


def _send_reset_link(waiting: OutgoingMail) -> None:
    """Send a reset link to the account's own address, not to the one that was typed.

    Nothing is sent if the account is inactive, has no address or received a link a moment ago.
    """
    user = account_named(waiting.to)
    if user is None or not user.is_active or not user.email or reset_links.was_mailed_just_now(user):
        return
    made = reset_links.reset_link_mail(user=user)
    subject, body = texts.reset(user, f"{waiting.page}{made.token}/")
    try:
        _message(user.email, subject, body).send()
    except Exception:
        made.link.delete()  # its token was not delivered
        raise
    audit.record("reset-link-mailed", user, actor=None)


def _message(to: str, subject: str, body: str) -> EmailMessage:
    return EmailMessage(subject, body, to=[to], headers={"Auto-Submitted": "auto-generated"})


def _failed(waiting: OutgoingMail, error: Exception) -> None:
    code = f" {error.smtp_code}" if isinstance(error, SMTPResponseException) else ""
    trouble = f"{type(error).__name__}{code}"  # without the message, which may contain an address
    tries = waiting.tries + 1
    given_up_at = timezone.now() if tries > len(RETRY_DELAYS) else None
    OutgoingMail.objects.filter(pk=waiting.pk).update(trouble=trouble, given_up_at=given_up_at)
    what = "no more tries" if given_up_at else "it will be tried again"
    log.error("mail %s could not be sent (%s, try %s); %s", waiting.pk, trouble, tries, what, exc_info=error)
