"""Reads the results in the gradebook of an LMS. Where they differ from what was sent, somebody changed them there, which is
shown to the instructor and never undone."""

from datetime import datetime, timedelta
from decimal import Decimal

from django.db.models import Exists, F, OuterRef, Q
from django.utils import timezone

from autograder.lti.models import Context, LineItem, OutgoingScore
from autograder.lti.sending.scores import AT_ONCE, subs_of
from autograder.lti.services import ags, tokens

EVERY = timedelta(minutes=15)
TOLERANCE = Decimal("0.02")  # an LMS rounds by a maximum of its own
DIGITS = Decimal("0.0001")


def contexts_to_read(registration: int | None = None) -> list[Context]:
    """Return the contexts that have scores and whose results were not read lately, where the platform lets Gradus read them."""
    due = Q(results_at=None) | Q(results_at__lt=timezone.now() - EVERY)
    sent = OutgoingScore.objects.filter(line_item__context=OuterRef("pk"), sent_sequence__gt=0)
    found = Context.objects.filter(due, Exists(sent), course__archived_at=None, deployment__registration__active=True)
    if registration is not None:
        found = found.filter(deployment__registration=registration)
    return [context for context in found.select_related("deployment__registration") if tokens.RESULTS in context.scopes]


def results_read(context: Context) -> int:
    """Read the results of all columns and return their number. Of two processes, one reads them."""
    now = timezone.now()
    if not Context.objects.filter(pk=context.pk, results_at=context.results_at).update(results_at=now):
        return 0
    columns = LineItem.objects.filter(context=context, trouble="", scores__sent_sequence__gt=0).distinct()
    return sum(_read(context, column, now) for column in columns)


def _read(context: Context, column: LineItem, now: datetime) -> int:
    found = {result.sub: result for result in ags.results(context.registration, column.url)}
    rows = list(OutgoingScore.objects.filter(line_item=column, sent_at__lt=now).select_related("membership"))
    subs = subs_of(context, [row.membership.user_id for row in rows])
    changed = []
    for row in rows:
        result = found.get(subs.get(row.membership.user_id, ""))
        points = result.points(row.maximum) if result else None
        points = points.quantize(DIGITS) if points is not None and abs(points) < ags.MAX_RESULT else None
        if points != row.lms_points:
            row.lms_points = points
            changed.append(row)
    OutgoingScore.objects.bulk_update(changed, ["lms_points"], batch_size=AT_ONCE)
    OutgoingScore.objects.filter(pk__in=[row.pk for row in rows]).update(lms_read_at=now)
    return len(found)


def changed_in_lms() -> Q:
    """Select the scores that differ in the LMS. One that was sent after reading is not known to differ."""
    one_is_missing = Q(points=None, lms_points__isnull=False) | Q(points__isnull=False, lms_points=None)
    differ = Q(lms_points__gt=F("points") + TOLERANCE) | Q(lms_points__lt=F("points") - TOLERANCE)
    return Q(one_is_missing | differ, state=OutgoingScore.State.SENT, lms_read_at__gt=F("sent_at"))
