"""Deep linking: an instructor chooses exercises in Gradus, and the LMS gets a link and a column for each of them."""

import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.db import transaction

from autograder.courses import audit, rights
from autograder.courses.models import Assignment, Course, Membership
from autograder.courses.rights import Right
from autograder.courses.setup.assignments import assignment_create
from autograder.library.catalogue import latest_versions
from autograder.library.models import ExerciseVersion
from autograder.lti import keys
from autograder.lti.errors import AGAIN, LaunchRefused
from autograder.lti.launch import oidc
from autograder.lti.messages import ASSIGNMENT, CLAIM, DEEP_LINKING, VERSION, DeepLinkingClaim, Message
from autograder.lti.models import Context, Launch

LINK = "ltiResourceLink"
TAG = "gradus"  # of the columns that Gradus asks for
LIFETIME = 300  # of an answer, in seconds; the browser passes it on at once
NO_LINKS = (
    "This part of your LMS does not accept links to a tool. Add the exercises where your LMS adds activities or content."
)


@dataclass(frozen=True)
class Offer:
    """An exercise that can be linked: one that is assigned in the course, or one of the catalogue that will be."""

    assignment: Assignment | None
    version: ExerciseVersion

    @property
    def slug(self) -> str:
        return self.assignment.slug if self.assignment else self.version.exercise.slug

    @property
    def title(self) -> str:
        return self.assignment.title if self.assignment else self.version.title

    @property
    def unit(self) -> str:
        return self.assignment.unit if self.assignment else self.version.unit

    @property
    def points(self) -> Decimal:
        return self.assignment.points if self.assignment else Decimal(str(self.version.points))


@dataclass(frozen=True)
class Choice:
    """An exercise that was chosen. Points and due date are those of a new assignment; an existing one keeps its own."""

    offer: Offer
    points: Decimal | None = None
    due_at: datetime | None = None


def request_of(message: Message) -> DeepLinkingClaim:
    """Return what the LMS accepts. Raises `LaunchRefused` if no answer can be sent."""
    asked = message.deep_linking
    if asked is None:
        raise LaunchRefused(f"Your LMS sent an incomplete request for links. {AGAIN}", "no deep linking settings")
    if not _may_receive(asked.deep_link_return_url):
        raise LaunchRefused(
            "Your LMS asked for links at an address that is not secure, so Gradus cannot answer. Tell an administrator.",
            "deep_link_return_url is not https",
        )
    return asked


def accepts_links(asked: DeepLinkingClaim) -> bool:
    return LINK in asked.accept_types


def offers_in(course: Course) -> tuple[list[Offer], list[Offer]]:
    """Return the assigned exercises, and those of the catalogue that the course does not have yet."""
    everything = list(course.assignments.select_related("version__exercise", "version__page").defer("version__archive"))
    taken = {assignment.slug for assignment in everything}
    taken |= {assignment.version.exercise.slug for assignment in everything if assignment.version}
    present = [assignment for assignment in everything if assignment.removed_at is None]
    assigned = [Offer(assignment, assignment.version) for assignment in present if assignment.version]
    return assigned, [Offer(None, version) for version in latest_versions(course.slug, taken)]


def exercises_link(*, launch: Launch, context: Context, chosen: Sequence[Choice], by: Membership) -> list[Assignment]:
    """Assign the chosen exercises that are not assigned yet, and use up the launch: everything, or nothing."""
    assert context.course is not None
    rights.require(by, Right.SET_UP, context.course)
    with transaction.atomic():
        oidc.launch_use(launch)
        linked = [choice.offer.assignment or _assigned(choice, context.course, by) for choice in chosen]
        slugs = [assignment.slug for assignment in linked]
        audit.record("lms-links-added", context, actor=by.user, course=context.course, assignments=slugs)
    return linked


def answer_with(message: Message, launch: Launch, assignments: Sequence[Assignment], launch_url: str) -> str:
    """Return the signed answer that adds links to these assignments; without any, the LMS goes on as if it was cancelled."""
    asked = request_of(message)
    items = [_content_item(assignment, launch_url, asked) for assignment in assignments]
    return _signed(message, launch, {"content_items": items})


def answer_refusing(message: Message, launch: Launch, words: str, reason: str) -> str:
    """Return the signed answer that adds nothing and says why: in words for the person, and for the log of the LMS."""
    return _signed(message, launch, {"content_items": [], "errormsg": words, "errorlog": reason})


def _assigned(choice: Choice, course: Course, by: Membership) -> Assignment:
    return assignment_create(course=course, version=choice.offer.version, by=by, points=choice.points, due_at=choice.due_at)


def _content_item(assignment: Assignment, launch_url: str, asked: DeepLinkingClaim) -> dict[str, Any]:
    """Return a link for an LMS. It has no end: extensions and late work are up to Gradus, and results stay readable."""
    item: dict[str, Any] = {
        "type": LINK,
        "url": launch_url,
        "title": assignment.title,
        "custom": {ASSIGNMENT: assignment.slug},
    }
    if assignment.unit:
        item["text"] = assignment.unit
    if asked.accept_lineitem:
        item["lineItem"] = {
            "scoreMaximum": float(assignment.points),
            "label": assignment.title,
            "resourceId": assignment.slug,
            "tag": TAG,
        }
    if assignment.opens_at is not None:
        item["available"] = {"startDateTime": assignment.opens_at.isoformat()}
    if assignment.due_at is not None:
        item["submission"] = {"endDateTime": assignment.due_at.isoformat()}
    return item


def _signed(message: Message, launch: Launch, content: dict[str, Any]) -> str:
    asked, now = request_of(message), int(time.time())
    if asked.data is not None:
        content = content | {"data": asked.data}
    return keys.sign(
        {
            "iss": launch.deployment.registration.client_id,
            "aud": launch.deployment.registration.issuer,
            "iat": now,
            "exp": now + LIFETIME,
            "nonce": secrets.token_urlsafe(24),
            f"{CLAIM}message_type": "LtiDeepLinkingResponse",
            f"{CLAIM}version": VERSION,
            f"{CLAIM}deployment_id": launch.deployment.deployment_id,
            **{f"{DEEP_LINKING}{name}": value for name, value in content.items()},
        }
    )


def _may_receive(url: str) -> bool:
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return False
    return bool(host) and (parts.scheme == "https" or (parts.scheme == "http" and host in settings.LTI_PRIVATE_HOSTS))
