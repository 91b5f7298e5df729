"""Undoes a committed regrade: the gradings that counted before it count again.

Regrades of the same submission are undone in reverse order, last one first. Nothing is deleted: the gradings of the regrade
stay, but no longer count.
"""

from collections.abc import Sequence

from django.db import transaction

from autograder.courses import audit, rights
from autograder.courses.errors import Refused
from autograder.courses.models import Membership, User
from autograder.courses.rights import Right
from autograder.submissions import events
from autograder.submissions.models import Batch, Grading, Replacement, Submission
from autograder.submissions.regrades import LONGEST_REASON, TINY, share

AT_ONCE = 500


def take_back(batch: Batch, *, by: Membership, reason: str) -> Sequence[Replacement]:
    """Make the previous gradings count again, and return the replacements that were undone."""
    rights.require(by, Right.REGRADE, batch.course)
    if not reason.strip():
        raise Refused("Give a reason for undoing the regrade. It is shown next to every grade that changes.")
    if len(reason) > LONGEST_REASON:
        raise Refused(f"The reason has {len(reason)} characters; at most {LONGEST_REASON} are kept.")
    with transaction.atomic():
        batch = _locked(batch)
        # the same lock as in a commit: serialises all changes of what counts
        theirs = Submission.objects.filter(gradings__replacement__batch=batch).order_by("pk")
        list(theirs.select_for_update(of=("self",)).values_list("pk"))
        made = list(_made(batch))
        _refuse_what_is_covered(batch, made)
        for first in range(0, len(made), AT_ONCE):
            _put_back(made[first : first + AT_ONCE])
        for one in made:
            _tell(one, batch, by.user, reason)
        batch.state = Batch.State.UNDONE
        batch.save(update_fields=("state",))
        audit.record("regrade-undone", batch, actor=by.user, course=batch.course, reason=reason, submissions=len(made))
    return made


def may_be_taken_back(batch: Batch) -> bool:
    """Return whether the batch is committed and the gradings that counted before it are recorded."""
    return batch.state == Batch.State.COMMITTED and batch.replacements.exists()


def _locked(batch: Batch) -> Batch:
    locked = Batch.objects.select_for_update(of=("self",)).select_related("course").get(pk=batch.pk)
    if locked.state != Batch.State.COMMITTED:
        raise Refused(f"Only an applied regrade can be undone; this one is {locked.state_words}.")
    if not locked.replacements.exists():
        if Grading.objects.filter(work__batch=locked, current=True).exists():
            raise Refused("This regrade was applied before the site recorded what counted until then. Grade again instead.")
        raise Refused("This regrade changed nothing, so there is nothing to undo.")
    return locked


def _made(batch: Batch) -> Sequence[Replacement]:
    found = batch.replacements.select_related(
        "after__submission__membership__user", "after__submission__assignment", "before"
    )
    unread = (f"{grading}__{name}" for grading in ("after", "before") for name in ("report", "diagnosis", "traces"))
    return list(found.defer(*unread, "after__submission__source"))


def _refuse_what_is_covered(batch: Batch, made: Sequence[Replacement]) -> None:
    covered = {one.after.submission_id for one in made if not one.after.current}
    if not covered:
        return
    later = Grading.objects.filter(current=True, submission__in=covered, work__batch__isnull=False)
    numbers = sorted(set(later.values_list("work__batch_id", flat=True)))
    which = f"Regrade {', '.join(map(str, numbers))}" if numbers else "A later regrade"
    raise Refused(
        f"{which} graded {len(covered)} of these {len(made)} submissions again since, and what it found counts now. "
        "Undo that one first. Nothing was changed."
    )


def _put_back(made: Sequence[Replacement]) -> None:
    """Restore the previous gradings. A submission without one gets the result of its own live grading since, if there is one."""
    Grading.objects.filter(pk__in=[one.after_id for one in made]).update(current=False)
    Grading.objects.filter(pk__in=[one.before_id for one in made if one.before_id is not None]).update(current=True)
    never = [one.after.submission_id for one in made if one.before_id is None]
    Grading.objects.filter(submission__in=never, work__batch=None).update(current=True)


def _tell(one: Replacement, batch: Batch, by: User, reason: str) -> None:
    was, now = share(one.after), share(one.before) if one.before else None
    if now is not None and abs(was - now) <= TINY:
        return
    submission = one.after.submission
    events.tell(submission.pk, "regraded", verdict=one.before.verdict if one.before else "")
    audit.record(
        *("score-changed", submission), actor=by, course=batch.course, batch=batch.pk, reason=reason, taken_back=True,
        before=one.after.score, after=one.before.score if one.before else None,
    )  # fmt: skip
