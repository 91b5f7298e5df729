"""Finds the connected courses in which a score may have changed, without computing any.

Three numbers tell whether anything happened on the site: the latest submission, grading and audit entry. Everything else, such
as a row that was committed after a later one, is found when all scores of a course are computed again, every ten minutes.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from functools import reduce
from operator import or_
from typing import Any

import msgspec
from django.db.models import F, Model, Q, QuerySet
from django.utils import timezone

from autograder.courses.models import Assignment, AuditEntry, Extension, Membership
from autograder.lti.models import Context
from autograder.submissions.models import Grading, Kind, Submission

EVERYTHING_AFTER = timedelta(minutes=10)
MAX_ROWS = 5_000  # with more of them, all scores are computed
EVERYBODY = 0  # in place of a membership
Rows = list[tuple[int, int | None, int]]  # course, membership if it is about one, and the number of the row


class Position(msgspec.Struct, frozen=True):
    """The latest submission, grading and audit entry."""

    submission: int
    grading: int
    entry: int


class Change(msgspec.Struct, frozen=True):
    """Students of a context whose scores may have changed, None for all, and the position up to which that is known."""

    members: frozenset[int] | None
    position: Position

    def keep(self, context: Context, now: datetime) -> bool:
        """Store that the change was collected, unless another process has collected something of this context since it was
        read. Call it in the transaction that stores the scores."""
        since = {"collected_at": context.collected_at, "course": context.course_id} | _read(_position_of(context))
        kept = _read(self.position) | ({} if self.members is not None else {"collected_at": now})
        return Context.objects.filter(pk=context.pk, **since).update(**kept) == 1


def position_now() -> Position:
    return Position(_latest(Submission), _latest(Grading), _latest(AuditEntry))


def contexts_changed(now: datetime | None = None) -> Iterator[tuple[Context, Change]]:
    """Yield the contexts in which scores may have changed, with the students concerned."""
    position, now = position_now(), now or timezone.now()
    connected = list(_connected())
    everything = {context.pk for context in connected if _is_due(context, now)} | _past_due(connected, now)
    some = [context for context in connected if context.pk not in everything]
    members = _members_since(some, position)
    quiet = []
    for context in connected:
        if context.pk in everything or members.get(context.pk, frozenset()) is None:
            yield context, Change(None, position)
        elif found := members.get(context.pk):
            yield context, Change(found, position)
        elif _position_of(context) != position:
            quiet.append(context.pk)
    Context.objects.filter(pk__in=quiet).update(**_read(position))


def _connected() -> QuerySet[Context]:
    active = Context.objects.filter(course__archived_at=None, deployment__registration__active=True)
    with_columns = active.exclude(course=None).filter(line_items__trouble="").distinct()
    return with_columns.select_related("course", "deployment__registration")


def _is_due(context: Context, now: datetime) -> bool:
    return context.collected_at is None or context.collected_at < now - EVERYTHING_AFTER


def _past_due(connected: Sequence[Context], now: datetime) -> set[int]:
    """Return the contexts with a date that passed since they were collected: points may be shown, or zeros be due."""
    own, extended = "course__lms_contexts", "assignment__course__lms_contexts"
    assignments = Assignment.objects.filter(_passed(connected, own, ("due_at", "closes_at", "no_credit_after"), now))
    extensions = Extension.objects.filter(_passed(connected, extended, ("due_at", "closes_at"), now))
    return {*assignments.values_list(own, flat=True), *extensions.values_list(extended, flat=True)}


def _passed(connected: Sequence[Context], context: str, dates: Sequence[str], now: datetime) -> Q:
    since = F(f"{context}__collected_at")
    passed = (Q(**{f"{date}__gt": since, f"{date}__lte": now}) for date in dates)
    return Q(**{f"{context}__in": connected}) & reduce(or_, passed)


def _members_since(contexts: Sequence[Context], position: Position) -> dict[int, frozenset[int] | None]:
    """Return the students concerned by what happened since each context was read, None for all of them."""
    behind = [context for context in contexts if _position_of(context) != position]
    found: defaultdict[int, set[int]] = defaultdict(set)
    for kind, rows_after in (("submission", _submissions), ("grading", _gradings), ("entry", _entries), ("entry", _people)):
        rows = rows_after(behind, min((getattr(_position_of(context), kind) for context in behind), default=0))
        if len(rows) > MAX_ROWS:
            return dict.fromkeys((context.pk for context in behind), None)
        for course, member, pk in rows:
            for context in behind:
                if context.course_id == course and pk > getattr(_position_of(context), kind):
                    found[context.pk].add(member or EVERYBODY)
    return {pk: None if EVERYBODY in members else frozenset(members) for pk, members in found.items()}


def _submissions(contexts: Sequence[Context], after: int) -> Rows:
    new = Submission.objects.filter(pk__gt=after, kind=Kind.SUBMIT, membership__course__in=_courses(contexts))
    return _rows(new.values_list("membership__course_id", "membership_id", "pk"))


def _gradings(contexts: Sequence[Context], after: int) -> Rows:
    """Return the gradings that count. One that begins to count later has an audit entry."""
    new = Grading.objects.filter(pk__gt=after, current=True, submission__membership__course__in=_courses(contexts))
    return _rows(new.values_list("submission__membership__course_id", "submission__membership_id", "pk"))


def _entries(contexts: Sequence[Context], after: int) -> Rows:
    """Return the entries of the courses, whatever they are about: dates and points of an assignment change scores, too."""
    new = AuditEntry.objects.filter(pk__gt=after, course__in=_courses(contexts))
    return _rows(new.values_list("course_id", "membership_id", "pk"))


def _people(contexts: Sequence[Context], after: int) -> Rows:
    """Return the students who have an account of an LMS since then."""
    new = AuditEntry.objects.filter(pk__gt=after, action__in=("lms-account-created", "lms-account-linked"))
    entries = dict(new.values_list("actor_id", "pk")[: MAX_ROWS + 1])
    members = Membership.objects.filter(user__in=list(entries), course__in=_courses(contexts))
    return [(course, pk, entries[user]) for course, pk, user in members.values_list("course_id", "pk", "user_id")]


def _rows(found: "QuerySet[Any, tuple[int, int | None, int]]") -> Rows:
    return list(found.order_by()[: MAX_ROWS + 1])


def _courses(contexts: Sequence[Context]) -> list[int]:
    return [context.course_id for context in contexts if context.course_id is not None]


def _position_of(context: Context) -> Position:
    return Position(context.read_submissions, context.read_gradings, context.read_entries)


def _read(position: Position) -> dict[str, Any]:
    return {
        "read_submissions": position.submission,
        "read_gradings": position.grading,
        "read_entries": position.entry,
    }


def _latest(model: type[Model]) -> int:
    return model._default_manager.order_by("-pk").values_list("pk", flat=True).first() or 0
