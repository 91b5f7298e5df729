"""The list of members of a course of an LMS (Names and Role Provisioning Services 2.0), with their sections where the LMS says."""

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode, urlsplit

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from autograder.lti.errors import PlatformTrouble
from autograder.lti.messages import CLAIM, SECTIONS, Id, Text
from autograder.lti.models import Context, Product, Registration
from autograder.lti.services import service_calls, tokens
from autograder.lti.services.outbound import Answer
from autograder.lti.services.service_calls import next_page

MEMBERS_TYPE = "application/vnd.ims.lti-nrps.v2.membershipcontainer+json"
GROUPS_TYPE = "application/vnd.ims.lti-gs.v1.contextgroupcontainer+json"
PAGE_SIZE = 200  # as requested; a platform may send fewer at a time
MAX_PAGES = 200
MAX_MEMBERS = 10_000
MAX_SECONDS = 90.0  # for a whole list


class GroupEnrolment(Struct, frozen=True):
    group_id: str = ""


class ListedMember(Struct, frozen=True):
    """A person as an LMS lists them. Names and email address may be missing, whatever its privacy settings are."""

    user_id: Id
    status: str = "Active"
    roles: tuple[str, ...] = ()
    name: Text = ""
    given_name: Text = ""
    family_name: Text = ""
    email: Text = ""
    group_enrollments: tuple[GroupEnrolment, ...] = ()
    message: Any = None
    sections: tuple[str, ...] = ()  # computed, by name

    @property
    def is_active(self) -> bool:
        return self.status.lower() == "active"


@dataclass(frozen=True)
class MemberList:
    members: tuple[ListedMember, ...]
    unreadable: tuple[str, ...] = ()  # why an entry cannot be used, one for each


def members_of(context: Context) -> MemberList:
    """Read the list of members. Raises `PlatformTrouble` if the LMS does not give all of it."""
    if not context.memberships_url:
        raise PlatformTrouble(
            "The LMS offers no list of members to Gradus. Allow it in the registration of Gradus in the LMS, then open a link.",
            again=False,
        )
    try:
        found = list(_entries(context.registration, _url_of(context), tokens.MEMBERS, MEMBERS_TYPE, "members"))
    except PlatformTrouble as trouble:
        if trouble.status not in (400, 404) or _link_of(context) is None:
            raise
        found = list(
            _entries(context.registration, _sized(context.memberships_url), tokens.MEMBERS, MEMBERS_TYPE, "members")
        )
    groups = _groups_of(context)
    members, unreadable = [], []
    for entry in found:
        try:
            members.append(_member(entry, groups))
        except msgspec.ValidationError as error:
            unreadable.append(f"The LMS describes a person in a way that Gradus does not understand: {error}"[:300])
    return MemberList(tuple(members), tuple(unreadable))


def _url_of(context: Context) -> str:
    """Canvas tells the sections of each person in the parameters of a link, so the list for a link is requested there."""
    link = _link_of(context)
    return _sized(context.memberships_url, **({"rlid": link} if link else {}))


def _link_of(context: Context) -> str | None:
    if context.registration.product != Product.CANVAS:
        return None
    return context.links.order_by("-seen_at").values_list("link_id", flat=True).first()


def _sized(url: str, **more: str) -> str:
    query = urlencode({"limit": PAGE_SIZE, **more})
    return f"{url}{'&' if urlsplit(url).query else '?'}{query}"


def _member(entry: Any, groups: dict[str, str]) -> ListedMember:
    if isinstance(entry, dict):
        entry = {name: value for name, value in entry.items() if value is not None and name != "sections"}
    member = msgspec.convert(entry, ListedMember)
    sections = _section_names(member.message)
    if not sections:
        sections = sorted(groups[group.group_id] for group in member.group_enrollments if group.group_id in groups)
    return replace(member, sections=tuple(sections), message=None)


def _section_names(message: Any) -> list[str]:
    """Return the sections that Canvas puts, as JSON, into the custom parameters of a link."""
    entries = message if isinstance(message, list) else [message]
    found = [entry.get(f"{CLAIM}custom") for entry in entries if isinstance(entry, dict)]
    values = [custom.get(SECTIONS) for custom in found if isinstance(custom, dict)]
    try:
        names = [json.loads(value) for value in values if isinstance(value, str) and value.startswith("[")]
    except ValueError:
        return []
    return sorted({name.strip() for group in names for name in group if isinstance(name, str) and name.strip()})


def _groups_of(context: Context) -> dict[str, str]:
    """Return the names of groups by ID. An LMS that does not let Gradus read them has none."""
    if not context.groups_url:
        return {}
    try:
        found = list(_entries(context.registration, _sized(context.groups_url), tokens.GROUPS, GROUPS_TYPE, "groups"))
    except PlatformTrouble:
        return {}
    named = [(entry.get("id"), entry.get("name")) for entry in found if isinstance(entry, dict)]
    return {key: name.strip() for key, name in named if isinstance(key, str) and isinstance(name, str) and name.strip()}


# -- requests --------------------------------------------------------------------------------------------------------------


def _entries(registration: Registration, url: str, scope: str, media_type: str, name: str) -> Iterator[Any]:
    """Yield the entries of all pages of a list."""
    first, seen, count, end = url, set[str](), 0, time.monotonic() + MAX_SECONDS
    while url and url not in seen:
        if len(seen) == MAX_PAGES or count > MAX_MEMBERS or time.monotonic() > end:
            raise PlatformTrouble("The list of the LMS is too long, or arrives too slowly.")
        seen.add(url)
        answer = _answer(registration, url, scope, media_type)
        found = answer.json()
        entries = found.get(name) if isinstance(found, dict) else None
        if not isinstance(entries, list):
            raise PlatformTrouble(f"The LMS sent an answer without {name}.", status=answer.status)
        count += len(entries)
        yield from entries
        url = next_page(answer, first)


def _answer(registration: Registration, url: str, scope: str, media_type: str) -> Answer:
    answer = service_calls.call(registration, scope, "GET", url, {"Accept": media_type})
    if answer.status != 200:
        raise _refusal(answer)
    return answer


def _refusal(answer: Answer) -> PlatformTrouble:
    status, after = answer.status, answer.retry_after
    if status in (401, 403) and b"rate limit" not in answer.body[:2000].lower():
        words = f"The LMS does not let Gradus read its list of members (status {status}). Ask the administrator of your LMS."
        return PlatformTrouble(words, status=status, again=False)
    if status in (404, 410):
        return PlatformTrouble(f"The LMS does not find this course any more (status {status}).", status=status, again=False)
    if status in (403, 408, 425, 429) or status >= 500:
        words = f"The LMS could not give its list of members (status {status}). Try again in a minute."
        return PlatformTrouble(words, status=status, after=after)
    return PlatformTrouble(f"The LMS refused to give its list of members (status {status}).", status=status, again=False)
