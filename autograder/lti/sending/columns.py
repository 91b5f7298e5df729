"""The columns in the gradebook of an LMS. A platform that names none for a link is asked to make one."""

from django.db import transaction
from django.db.models import Exists, OuterRef

from autograder.lti.errors import PlatformTrouble
from autograder.lti.models import Context, LineItem, OutgoingScore, ResourceLink
from autograder.lti.services import ags, tokens
from autograder.lti.services.ags import ServiceRefused

State = OutgoingScore.State
MAX_TROUBLE = 300


def links_without_column(registration: int | None = None) -> list[ResourceLink]:
    """Return the links that open an assignment for which there is no column yet, where the platform lets Gradus make one."""
    column = LineItem.objects.filter(context=OuterRef("context"), assignment=OuterRef("assignment"))
    links = ResourceLink.objects.filter(~Exists(column), assignment__removed_at=None, context__course__archived_at=None)
    links = links.exclude(assignment=None).exclude(context__course=None).exclude(context__line_items_url="")
    links = links.filter(context__deployment__registration__active=True)
    if registration is not None:
        links = links.filter(context__deployment__registration=registration)
    found = links.select_related("assignment", "context__deployment__registration").order_by("pk")
    return [link for link in found if tokens.LINE_ITEMS in link.context.scopes]


def column_make(link: ResourceLink) -> None:
    """Find or make the column of a link. If the platform refuses, the instructor reads why."""
    context, assignment = link.context, link.assignment
    assert assignment is not None
    url, trouble = "", ""
    try:
        url = ags.line_item_find_or_make(context, assignment, link.link_id)
    except ServiceRefused as refused:
        if refused.cause in (ags.Cause.BUSY, ags.Cause.REGISTRATION):
            raise
        trouble = f"The LMS did not make a column (status {refused.status})."
    except PlatformTrouble as refused:
        if refused.again:
            raise
        trouble = refused.message
    with transaction.atomic():
        LineItem.objects.get_or_create(
            context=context, assignment=assignment, defaults={"url": url, "trouble": trouble[:MAX_TROUBLE]}
        )
        Context.objects.filter(pk=context.pk).update(collected_at=None)


def column_lost(column: LineItem, words: str) -> None:
    """Send nothing more to a column that was deleted in the LMS, until an instructor has it made again."""
    with transaction.atomic():
        LineItem.objects.filter(pk=column.pk).update(trouble=words[:MAX_TROUBLE])
        waiting = OutgoingScore.objects.filter(line_item=column, state__in=(State.WAITING, State.SENDING))
        waiting.update(state=State.FAILED, trouble=words[:MAX_TROUBLE])
