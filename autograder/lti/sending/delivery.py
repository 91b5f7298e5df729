"""Sends one queued score after the other: claims it, posts it, and stores what became of it.

A claim is a conditional update, so any number of processes may send. If one dies, its scores are sent again after the lease;
until then nothing newer is sent in their place. A score that changed while it was being sent is sent again.
"""

import logging
import random
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import Error as DatabaseTrouble
from django.db.models import Case, F, QuerySet, Value, When
from django.utils import timezone

from autograder.lti.errors import PlatformTrouble
from autograder.lti.models import OutgoingScore
from autograder.lti.sending import columns
from autograder.lti.sending.scores import subs_of
from autograder.lti.services import ags
from autograder.lti.services.ags import Cause, ServiceRefused

log = logging.getLogger("gradus.lti")
State = OutgoingScore.State
LEASE = timedelta(minutes=3)  # longer than a token request and a post together can take
# the delay after each try; the last one repeats until the score is given up
RETRY_DELAYS = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 15, 60, 240))
GIVE_UP_AFTER = timedelta(days=2)
JITTER = 0.25
TICK = timedelta(seconds=1)  # Moodle compares the seconds of timestamps
SOON = timedelta(seconds=2)
QUICK_TRIES = 4  # with later and later timestamps
MAX_TROUBLE = 300
GONE = "The column was deleted in the LMS."
UNKNOWN = "The LMS does not find this person in the column. Enrol them there as a student, then send the score again."
UNLINKED = "This person no longer has an account of the LMS here."


@dataclass(frozen=True)
class ScoreClaim:
    """A score that this process is sending. The timestamp is sent with it, and tells this claim from any later one."""

    score: OutgoingScore
    timestamp: datetime


def due_scores(now: datetime) -> QuerySet[OutgoingScore]:
    """Return the scores to be sent now, including those whose sender died."""
    unsent = OutgoingScore.objects.filter(state__in=(State.WAITING, State.SENDING), try_at__lte=now, line_item__trouble="")
    return unsent.filter(line_item__context__deployment__registration__active=True)


def next_scores(registration: int, number: int) -> list[OutgoingScore]:
    """Return the due scores of a registration that have waited longest."""
    due = due_scores(timezone.now()).filter(line_item__context__deployment__registration=registration)
    return list(due.select_related("line_item__context__deployment__registration", "membership").order_by("try_at")[:number])


def score_claim(score: OutgoingScore) -> ScoreClaim | None:
    """Claim a score, unless it has changed since it was read."""
    now = timezone.now()
    timestamp = now if score.last_timestamp is None else max(now, score.last_timestamp + TICK)
    as_read = {name: getattr(score, name) for name in ("pk", "state", "sequence", "tries", "try_at", "last_timestamp")}
    claimed = OutgoingScore.objects.filter(**as_read, line_item__trouble="").update(
        state=State.SENDING, tries=F("tries") + 1, try_at=now + LEASE, last_timestamp=timestamp
    )
    if not claimed:
        return None
    score.tries += 1
    return ScoreClaim(score, timestamp)


def score_send(claim: ScoreClaim) -> PlatformTrouble | None:
    """Send a claimed score and store the outcome. Returns the trouble, if there was any."""
    score = claim.score
    context = score.line_item.context
    sub = subs_of(context, [score.membership.user_id]).get(score.membership.user_id)
    if sub is None:
        _failed(claim, UNLINKED)
        return None
    registration = context.registration
    try:
        body = ags.score_body(score, sub, claim.timestamp, registration.product)
        ags.score_post(registration, score.line_item.url, body)
    except PlatformTrouble as trouble:
        log.warning("score %s was not sent to %s: %s", score.pk, registration, trouble.message)
        _store_trouble(claim, trouble)
        return trouble
    except DatabaseTrouble:
        raise
    except Exception:  # a score that cannot be sent stops no other
        log.exception("score %s cannot be sent", score.pk)
        _again(claim, "Internal error of Gradus.", timezone.now() + _delay(score.tries, 0))
        return None
    _sent(claim)
    return None


# -- what became of it -------------------------------------------------------------------------------------------------------


def _claimed(claim: ScoreClaim) -> QuerySet[OutgoingScore]:
    """Select the score if it is still claimed by this process."""
    return OutgoingScore.objects.filter(pk=claim.score.pk, state=State.SENDING, last_timestamp=claim.timestamp)


def _sent(claim: ScoreClaim) -> None:
    score, now = claim.score, timezone.now()
    newest = When(sequence=score.sequence, then=Value(State.SENT))
    _claimed(claim).update(
        state=Case(newest, default=Value(State.WAITING)),
        sent_sequence=score.sequence,
        sent_submissions=score.submissions,
        sent_at=now,
        tries=0,
        try_at=now,
        trouble="",
    )


def _store_trouble(claim: ScoreClaim, trouble: PlatformTrouble) -> None:
    score, now = claim.score, timezone.now()
    cause = trouble.cause if isinstance(trouble, ServiceRefused) else Cause.BUSY
    if cause is Cause.NOT_FOUND:
        if ags.line_item_is_gone(score.line_item):
            columns.column_lost(score.line_item, GONE)
        else:
            _failed(claim, UNKNOWN)
    elif cause is Cause.SCORE:
        _failed(claim, trouble.message)
    elif cause is Cause.OLDER and score.tries <= QUICK_TRIES:
        _again(claim, trouble.message, now + SOON, later=now + timedelta(minutes=2**score.tries))
    elif now - score.changed_at > GIVE_UP_AFTER:
        _failed(claim, f"{trouble.message} Gradus has given up after two days.")
    else:
        _again(claim, trouble.message, now + _delay(score.tries, trouble.after))


def _delay(tries: int, after: float) -> timedelta:
    delay = timedelta(seconds=after) if after else RETRY_DELAYS[min(tries, len(RETRY_DELAYS)) - 1]
    return delay * random.uniform(1, 1 + JITTER)


def _again(claim: ScoreClaim, words: str, at: datetime, *, later: datetime | None = None) -> None:
    """Send it again at that time, or at once if it was overtaken. `later`: with a timestamp after this one."""
    timestamp = max(later, claim.timestamp) if later else claim.timestamp
    values = {"state": State.WAITING, "trouble": words[:MAX_TROUBLE], "last_timestamp": timestamp}
    if not _claimed(claim).filter(sequence=claim.score.sequence).update(try_at=at, **values):
        _claimed(claim).update(try_at=timezone.now(), tries=0, **values)


def _failed(claim: ScoreClaim, words: str) -> None:
    """Give up, unless the score was overtaken."""
    if not _claimed(claim).filter(sequence=claim.score.sequence).update(state=State.FAILED, trouble=words[:MAX_TROUBLE]):
        _claimed(claim).update(state=State.WAITING, tries=0, try_at=timezone.now())
