"""The message of a launch: the claims of a verified ID token, as a typed value."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct, field

from autograder.courses.models import Role
from autograder.lti.errors import LaunchRefused

CLAIM = "https://purl.imsglobal.org/spec/lti/claim/"
DEEP_LINKING = "https://purl.imsglobal.org/spec/lti-dl/claim/"
# custom parameters: of a link that Gradus made, and of the registration, where the LMS replaces $Context.id.history
ASSIGNMENT = "gradus_assignment"
HISTORY = "context_id_history"
SECTIONS = "gradus_sections"  # where Canvas replaces $com.instructure.User.sectionNames
VERSION = "1.3.0"

Id = Annotated[str, Meta(min_length=1, max_length=255)]
Text = Annotated[str, Meta(max_length=2000)]
Url = Annotated[str, Meta(max_length=1000)]


class Kind(StrEnum):
    RESOURCE = "LtiResourceLinkRequest"
    DEEP_LINKING = "LtiDeepLinkingRequest"
    REVIEW = "LtiSubmissionReviewRequest"


class ContextClaim(Struct, frozen=True):
    id: Id
    label: Text = ""
    title: Text = ""


class LinkClaim(Struct, frozen=True):
    id: Id
    title: Text = ""


class GradesClaim(Struct, frozen=True):
    """The grade services (AGS) of a context."""

    scope: tuple[str, ...] = ()
    lineitems: Url = ""
    lineitem: Url = ""


class MembersClaim(Struct, frozen=True):
    """The list of members (NRPS) of a context."""

    context_memberships_url: Url = ""


class GroupsClaim(Struct, frozen=True):
    """The list of groups (Course Groups) of a context."""

    context_groups_url: Url = ""


class DeepLinkingClaim(Struct, frozen=True):
    """What a platform accepts in answer to a deep linking request."""

    deep_link_return_url: Url
    accept_types: tuple[str, ...] = ()
    accept_multiple: bool = True
    accept_lineitem: bool = True
    data: Any = None  # opaque to the tool, and returned as it is


class PlatformClaim(Struct, frozen=True):
    product_family_code: Text = ""
    name: Text = ""


class PresentationClaim(Struct, frozen=True):
    document_target: Text = ""
    return_url: Url = ""


class ForUserClaim(Struct, frozen=True):
    """The person whose submission is to be reviewed."""

    user_id: Id


class Message(Struct, frozen=True):
    """What a platform says about a launch. Everything optional may be missing, whatever a platform's privacy settings are."""

    iss: Id
    sub: Annotated[str, Meta(max_length=255)] = ""
    name: Text = ""
    given_name: Text = ""
    family_name: Text = ""
    email: Text = ""
    kind: Kind = field(name=f"{CLAIM}message_type", default=Kind.RESOURCE)
    deployment_id: Id = field(name=f"{CLAIM}deployment_id", default="")
    target: Url = field(name=f"{CLAIM}target_link_uri", default="")
    roles: tuple[str, ...] = field(name=f"{CLAIM}roles", default=())
    context: ContextClaim | None = field(name=f"{CLAIM}context", default=None)
    link: LinkClaim | None = field(name=f"{CLAIM}resource_link", default=None)
    platform: PlatformClaim = field(name=f"{CLAIM}tool_platform", default=PlatformClaim())
    presentation: PresentationClaim = field(name=f"{CLAIM}launch_presentation", default=PresentationClaim())
    custom: dict[str, Any] = field(name=f"{CLAIM}custom", default_factory=dict)
    grades: GradesClaim | None = field(name="https://purl.imsglobal.org/spec/lti-ags/claim/endpoint", default=None)
    members: MembersClaim | None = field(
        name="https://purl.imsglobal.org/spec/lti-nrps/claim/namesroleservice", default=None
    )
    groups: GroupsClaim | None = field(name="https://purl.imsglobal.org/spec/lti-gs/claim/groupsservice", default=None)
    deep_linking: DeepLinkingClaim | None = field(name=f"{DEEP_LINKING}deep_linking_settings", default=None)
    for_user: ForUserClaim | None = field(name=f"{CLAIM}for_user", default=None)

    @property
    def role(self) -> Role | None:
        return role_of(self.roles)

    @property
    def full_name(self) -> str:
        return " ".join((self.name or f"{self.given_name} {self.family_name}").split())

    @property
    def assignment(self) -> str:
        """The slug of the assignment that the link opens, if Gradus made the link."""
        return self._custom(ASSIGNMENT)

    @property
    def history(self) -> tuple[str, ...]:
        """The contexts from which this one was copied, the latest first, if the LMS says so."""
        found = self._custom(HISTORY)
        return () if found.startswith("$") else tuple(reversed([part for part in found.split(",") if part]))

    def _custom(self, name: str) -> str:
        found = self.custom.get(name)
        return found if isinstance(found, str) else ""


def message_of(claims: dict[str, Any]) -> Message:
    """Return the claims as a message. Raises `LaunchRefused` if a claim is missing or not what the specification says."""
    try:
        present = {name: value for name, value in claims.items() if value is not None}
        return msgspec.convert(present, Message)
    except msgspec.ValidationError as error:
        raise LaunchRefused(
            "Your LMS sent a launch that Gradus does not understand. Tell your instructor.", f"invalid claims: {error}"
        ) from None


def as_json(message: Message) -> dict[str, Any]:
    found = msgspec.to_builtins(message)
    assert isinstance(found, dict)
    return found


# -- roles -----------------------------------------------------------------------------------------------------------------

_MEMBERSHIP = "http://purl.imsglobal.org/vocab/lis/v2/membership"
_ROLES = {
    "Learner": Role.STUDENT,
    "Instructor#TeachingAssistant": Role.ASSISTANT,
    "TeachingAssistant": Role.ASSISTANT,
    "Instructor": Role.INSTRUCTOR,
    "ContentDeveloper": Role.INSTRUCTOR,
    "Administrator": Role.INSTRUCTOR,
}
_RANK = (Role.STUDENT, Role.ASSISTANT, Role.INSTRUCTOR)
_WITHOUT_WORK = {"Mentor", "Manager", "Member", "Officer"}  # people of a course who take no part in its work


def role_of(roles: Sequence[str]) -> Role | None:
    """Return the highest role in the course, or None if a platform only names people who take no part in it.

    Roles in the institution or the system give no rights in a course. Somebody whose roles are missing or unknown is a
    student. A teaching assistant is named twice, as an instructor and as an assistant: the assistant counts.
    """
    names = {_name(role) for role in roles} - {""}
    if names & {"Instructor#TeachingAssistant", "TeachingAssistant"}:
        names -= {"Instructor"}
    known = [_ROLES[name] for name in names if name in _ROLES]
    if known:
        return max(known, key=_RANK.index)
    return None if names and names <= _WITHOUT_WORK else Role.STUDENT


def _name(role: str) -> str:
    """Return the name of a role in a course: short, or with its principal role. Empty for roles elsewhere."""
    if role.startswith(f"{_MEMBERSHIP}/"):
        return role.removeprefix(f"{_MEMBERSHIP}/")
    if role.startswith(f"{_MEMBERSHIP}#"):
        return role.removeprefix(f"{_MEMBERSHIP}#")
    return role if role and ":" not in role and "/" not in role else ""
