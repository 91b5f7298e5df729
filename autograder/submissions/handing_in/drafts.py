"""The text in a student's editor, saved while they type. Two devices never overwrite each other silently."""

from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from autograder.courses.errors import Refused
from autograder.courses.models import Assignment, Membership
from autograder.submissions.models import Draft
from sandbox.wire import Limits

MAX_SOURCE_BYTES = Limits().source_bytes
NUL = "\0"  # the only character that PostgreSQL cannot store in text; Python rejects source files that contain it


@dataclass(frozen=True)
class Saved:
    """The stored draft. If another page has saved since, `mine` is False and nothing was changed."""

    draft: Draft
    mine: bool


def draft_save(*, assignment: Assignment, membership: Membership, source: str, seen: int) -> Saved:
    """Save the draft. `seen` is the number of the draft that the page started from, 0 for none."""
    source, size = _kept(source), len(source.encode())
    if size > MAX_SOURCE_BYTES:
        raise Refused(f"The draft is {size:,} bytes; the limit is {MAX_SOURCE_BYTES:,} bytes. Nothing was saved.")
    with transaction.atomic():
        Membership.objects.select_for_update().get(pk=membership.pk)  # serialises the pages of one student
        draft = Draft.objects.filter(assignment=assignment, membership=membership).first()
        if draft is not None and draft.source == source:
            return Saved(draft, mine=True)
        if draft is not None and draft.number != seen:
            return Saved(draft, mine=False)
        draft = draft or Draft(assignment=assignment, membership=membership, number=seen)
        draft.source, draft.number, draft.saved_at = source, draft.number + 1, timezone.now()
        draft.save()
    return Saved(draft, mine=True)


def draft_replace(*, assignment: Assignment, membership: Membership, source: str, otherwise: str) -> Draft:
    """Replace the text in the editor by a submission; `draft_put_back` undoes it. Without a draft, `otherwise` (the starter)
    is kept for that."""
    with transaction.atomic():
        Membership.objects.select_for_update().get(pk=membership.pk)
        draft = draft_of(assignment, membership) or Draft(
            assignment=assignment, membership=membership, source=otherwise, number=0
        )
        draft.replaced, draft.source = draft.source, _kept(source)
        draft.number, draft.saved_at = draft.number + 1, timezone.now()
        draft.save()
    return draft


def draft_put_back(*, assignment: Assignment, membership: Membership) -> Draft:
    with transaction.atomic():
        draft = Draft.objects.select_for_update().filter(assignment=assignment, membership=membership).first()
        if draft is None or not draft.replaced:
            raise Refused("There is no previous code to restore.")
        draft.source, draft.replaced = draft.replaced, ""
        draft.number, draft.saved_at = draft.number + 1, timezone.now()
        draft.save()
    return draft


def draft_of(assignment: Assignment, membership: Membership) -> Draft | None:
    return Draft.objects.filter(assignment=assignment, membership=membership).first()


def _kept(source: str) -> str:
    return source.replace(NUL, "\N{REPLACEMENT CHARACTER}")
