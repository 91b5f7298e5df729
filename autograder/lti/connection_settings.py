"""What an instructor decides about a connected course of an LMS: how scores are sent, and to send some again."""

from django.db import transaction
from django.utils import timezone

from autograder.courses import audit, rights
from autograder.courses.errors import Refused
from autograder.courses.models import Course, Membership
from autograder.courses.rights import Right
from autograder.lti.models import Context, LineItem, OutgoingScore
from autograder.lti.services import tokens

State = OutgoingScore.State


def context_update(*, context: Context, by: Membership, sends_zeros: bool, lateness_by_lms: bool) -> None:
    """Change how the scores of a context are computed. Those that differ are sent."""
    course = _course_of(context)
    rights.require(by, Right.SET_UP, course)
    with transaction.atomic():
        found = Context.objects.select_for_update().get(pk=context.pk)
        changed = audit.set_fields(found, {"sends_zeros": sends_zeros, "lateness_by_lms": lateness_by_lms})
        if changed:
            found.collected_at = None
            found.save(update_fields=(*changed, "collected_at"))
            audit.record("lms-connection-changed", found, actor=by.user, course=course, changes=changed)


def scores_send_again(*, context: Context, by: Membership, score: OutgoingScore | None = None) -> int:
    """Send one score or all scores of a context again, whatever became of them before, and return their number."""
    course = _course_of(context)
    rights.require(by, Right.SET_UP, course)
    scores = OutgoingScore.objects.filter(line_item__context=context)
    with transaction.atomic():
        if score is None:
            _retry_columns(context)
            Context.objects.filter(pk=context.pk).update(collected_at=None)
        else:
            scores = scores.filter(pk=score.pk)
        now = timezone.now()
        number = scores.exclude(state=State.SENDING).update(
            state=State.WAITING, tries=0, try_at=now, changed_at=now, trouble=""
        )
        audit.record("lms-scores-sent-again", context, actor=by.user, course=course, scores=number)
    return number


def _retry_columns(context: Context) -> None:
    """Use columns with a problem again; where the LMS lets Gradus make columns, they are found or made anew."""
    troubled = LineItem.objects.filter(context=context).exclude(trouble="")
    if context.line_items_url and tokens.LINE_ITEMS in context.scopes:
        troubled.delete()
    else:
        troubled.update(trouble="")


def _course_of(context: Context) -> Course:
    if context.course is None:
        raise Refused("This course of the LMS is not connected any more.")
    return context.course
