"""What became of the scores of a connected course, for its staff."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Min, Q, QuerySet

from autograder.courses.models import Course, Membership
from autograder.courses.person_names import by_name
from autograder.courses.rights import students_of
from autograder.gradebook.models import Excuse
from autograder.lti.models import Context, LineItem, LmsAccount, OutgoingScore, ResourceLink
from autograder.lti.sending.results import changed_in_lms

State = OutgoingScore.State
WAITING = (State.WAITING, State.SENDING)
MAX_SHOWN = 100


@dataclass(frozen=True)
class ColumnStatus:
    """A column of the LMS with the numbers of its scores."""

    column: LineItem
    sent: int
    waiting: int
    failed: int
    changed: int  # in the LMS


@dataclass(frozen=True)
class ContextStatus:
    """A connected course of an LMS, as a member of its staff may see it."""

    context: Context
    columns: Sequence[ColumnStatus]
    links: Sequence[ResourceLink]
    failed: Sequence[OutgoingScore]
    changed: Sequence[OutgoingScore]
    excused: Sequence[Excuse]

    @property
    def failures(self) -> int:
        return sum(status.failed for status in self.columns)

    @property
    def without_column(self) -> list[ResourceLink]:
        """The links whose scores are sent nowhere."""
        known = {status.column.assignment_id for status in self.columns}
        return [link for link in self.links if link.assignment_id is not None and link.assignment_id not in known]


@dataclass(frozen=True)
class OutgoingScores:
    """The scores of the site that an LMS does not have yet. `oldest`: since when it should have one that waits."""

    waiting: int
    failed: int
    oldest: datetime | None


def outgoing_scores() -> OutgoingScores:
    """Count the scores that are not sent. Those for a registration that is switched off do not wait."""
    unsent = OutgoingScore.objects.filter(state__in=(*WAITING, State.FAILED))
    unsent = unsent.filter(line_item__context__deployment__registration__active=True)
    waits = Q(state__in=WAITING)
    found = unsent.aggregate(waiting=Count("pk", filter=waits), unsent=Count("pk"), oldest=Min("changed_at", filter=waits))
    return OutgoingScores(found["waiting"], found["unsent"] - found["waiting"], found["oldest"])


def is_connected(course: Course) -> bool:
    return Context.objects.filter(course=course).exists()


def statuses_of(staff: Membership) -> list[ContextStatus]:
    """Return the connected courses of the LMS. Of their students, staff see those whose work they may see."""
    contexts = Context.objects.filter(course=staff.course_id).select_related("deployment__registration")
    return [_status(context, staff) for context in contexts]


def _status(context: Context, staff: Membership) -> ContextStatus:
    scores = OutgoingScore.objects.filter(line_item__context=context, membership__in=students_of(staff))
    shown = scores.select_related("membership__user", "line_item__assignment").order_by(
        "line_item__assignment__position", "line_item_id", *by_name("membership__user__")
    )
    links = ResourceLink.objects.filter(context=context).select_related("assignment").order_by("title", "pk")
    return ContextStatus(
        context,
        _columns(context),
        list(links),
        list(shown.filter(state=State.FAILED)[:MAX_SHOWN]),
        list(shown.filter(changed_in_lms())[:MAX_SHOWN]),
        list(_excused(context, staff)[:MAX_SHOWN]),
    )


def _columns(context: Context) -> list[ColumnStatus]:
    columns = LineItem.objects.filter(context=context).select_related("assignment").order_by("assignment__position", "pk")
    scores = OutgoingScore.objects.filter(line_item__context=context).order_by().values_list("line_item")
    counted = scores.annotate(
        number_sent=Count("pk", filter=Q(state=State.SENT)),
        number_waiting=Count("pk", filter=Q(state__in=WAITING)),
        number_failed=Count("pk", filter=Q(state=State.FAILED)),
        number_changed=Count("pk", filter=changed_in_lms()),
    )
    by_column = {column: counts for column, *counts in counted}
    return [ColumnStatus(column, *by_column.get(column.pk, (0, 0, 0, 0))) for column in columns]


def _excused(context: Context, staff: Membership) -> QuerySet[Excuse]:
    """Return the excuses of students whom the LMS knows. No score says "excused", so staff enter it there themselves."""
    known = LmsAccount.objects.filter(issuer=context.registration.issuer).values("user")
    excuses = Excuse.objects.filter(withdrawn_at=None, assignment__lms_line_items__context=context)
    excuses = excuses.filter(membership__in=students_of(staff), membership__user__in=known)
    return excuses.select_related("membership__user", "assignment").order_by("assignment__position", "membership_id")
