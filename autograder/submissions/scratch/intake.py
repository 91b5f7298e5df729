"""Accepts scratch runs. Everything that can be refused is refused here, with a message, before anything is stored."""

from django.db import transaction
from django.utils import timezone

from autograder.courses.errors import Refused
from autograder.courses.models import Assignment, Membership
from autograder.courses.selectors import is_staff_of
from autograder.observability import ids, spans
from autograder.submissions.handing_in.attempts import allowance_of, refuse
from autograder.submissions.handing_in.file_sets import completed
from autograder.submissions.handing_in.run_limit import refuse_too_many_runs
from autograder.submissions.messages import doorbell
from autograder.submissions.models import Kind, ScratchRun
from sandbox.wire import Limits

MAX_SOURCE_BYTES = Limits().source_bytes
MAX_CALLS_BYTES = 16 * 1024


def scratch_ask(*, assignment: Assignment, membership: Membership, source: bytes, calls: bytes) -> ScratchRun:
    """Store and queue a scratch run, superseding one that is still waiting. Raises Refused, with nothing stored."""
    source = completed(source, assignment, membership)
    _refuse_text(source, calls)
    if assignment.course.archived_at is not None:
        raise Refused(f"{assignment.course.title} is archived, so code can no longer be run.")
    with transaction.atomic():
        Membership.objects.select_for_update().get(pk=membership.pk)
        now = timezone.now()
        if not is_staff_of(membership):
            refuse(assignment, allowance_of(assignment, membership, now), Kind.RUN)
        refuse_too_many_runs(membership, now)
        older = ScratchRun.objects.filter(membership=membership, state=ScratchRun.State.QUEUED)
        older.update(state=ScratchRun.State.SUPERSEDED, ended_at=now)
        run = ScratchRun.objects.create(
            assignment=assignment,
            membership=membership,
            version_id=assignment.exercise_version.pk,
            source=source,
            calls=calls,
            asked_at=now,
            request=ids.current(),
            traceparent=spans.traceparent(),
        )
        transaction.on_commit(doorbell.ring)
    return run


def _refuse_text(source: bytes, calls: bytes) -> None:
    if not calls.strip():
        raise Refused("There is nothing to run. Enter a call of your code first.")
    if len(calls) > MAX_CALLS_BYTES:
        raise Refused(f"The calls are {len(calls):,} bytes; the limit is {MAX_CALLS_BYTES:,} bytes. Nothing was run.")
    if len(source) > MAX_SOURCE_BYTES:
        raise Refused(f"The code is {len(source):,} bytes; the limit is {MAX_SOURCE_BYTES:,} bytes. Nothing was run.")
