"""What an LMS knows: people, courses, links, the gradebook, registered tools and running launches."""

import secrets
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any, Literal

from .flavours import Flavour
from .keys import SigningKey
from .tampering import Tampering
from .vocabulary import ALL_SCOPES

Privacy = Literal["everything", "email-only", "names-only", "nothing"]


@dataclass
class User:
    sub: str
    given_name: str
    family_name: str
    email: str

    @property
    def name(self) -> str:
        return f"{self.given_name} {self.family_name}"

    def shown(self, privacy: Privacy) -> dict[str, str]:
        """Return what a tool may know about the user."""
        names = {"name": self.name, "given_name": self.given_name, "family_name": self.family_name}
        email = {"email": self.email}
        return {"everything": names | email, "email-only": email, "names-only": names, "nothing": {}}[privacy]


@dataclass
class Membership:
    user: User
    roles: list[str]  # names in `vocabulary.ROLES`
    status: str = "Active"
    sections: list[str] = field(default_factory=list)

    @property
    def graded(self) -> bool:
        return self.status == "Active" and "Learner" in self.roles


@dataclass
class Context:
    """A course."""

    id: str
    label: str
    title: str
    deployment_id: str | None = None  # None stands for the first deployment of each tool
    copied_from: list[str] = field(default_factory=list)
    members: dict[str, Membership] = field(default_factory=dict)


@dataclass
class Submission:
    submitted_at: datetime


@dataclass
class Result:
    """One cell of a gradebook."""

    tool_score: float | None = None
    final_score: float | None = None
    timestamp: datetime | None = None
    activity_progress: str = ""
    grading_progress: str = ""
    comment: str | None = None
    comment_by_tool: bool = True
    comments: list[str] = field(default_factory=list)  # Canvas adds comments, and replaces none
    overridden: bool = False  # an instructor entered the final score
    excused: bool = False
    submissions: list[Submission] = field(default_factory=list)
    scores: list[dict[str, Any]] = field(default_factory=list)  # each accepted body


@dataclass
class LineItem:
    """A column of a gradebook."""

    id: str
    context: Context
    client_id: str
    label: str
    score_maximum: float
    resource_id: str = ""
    tag: str = ""
    link_id: str | None = None
    coupled: bool = False  # it belongs to a link, and is not to be deleted alone
    due: datetime | None = None
    attempts_allowed: int | None = None
    review_url: str | None = None
    results: dict[str, Result] = field(default_factory=dict)

    def late(self, sub: str) -> bool:
        """Return whether the last submission of a user is marked late."""
        submissions = self.results[sub].submissions
        return self.due is not None and bool(submissions) and submissions[-1].submitted_at > self.due


@dataclass
class Tool:
    client_id: str
    login_url: str
    redirect_uris: list[str]
    key_set_url: str
    launch_url: str
    deep_link_url: str
    deployment_ids: list[str]
    title: str = "Gradus"
    privacy: Privacy = "everything"
    scopes: tuple[str, ...] = ALL_SCOPES
    custom: dict[str, str] = field(default_factory=dict)
    active: bool = True


@dataclass
class Link:
    """A resource link: an activity in a course that opens the tool."""

    id: str
    context: Context
    tool: Tool
    title: str
    url: str
    custom: dict[str, str] = field(default_factory=dict)
    text: str = ""
    line_item: LineItem | None = None


@dataclass
class Launch:
    """A message on its way to a tool. Its hint is valid once, in one browser session."""

    message_type: str
    tool: Tool
    context: Context
    user: User
    url: str
    session: str
    in_frame: bool
    link: Link | None = None
    line_item: LineItem | None = None
    for_user: User | None = None
    data: str | None = None

    @property
    def deployment_id(self) -> str:
        return self.context.deployment_id or self.tool.deployment_ids[0]


@dataclass
class Grant:
    """What an access token permits."""

    tool: Tool
    scopes: tuple[str, ...]
    expires: datetime


@dataclass
class State:
    flavour: Flavour
    url: str
    issuer: str
    users: dict[str, User] = field(default_factory=dict)
    contexts: dict[str, Context] = field(default_factory=dict)
    links: dict[str, Link] = field(default_factory=dict)
    line_items: dict[str, LineItem] = field(default_factory=dict)
    tools: dict[str, Tool] = field(default_factory=dict)
    sessions: dict[str, str] = field(default_factory=dict)  # cookie to sub
    launches: dict[str, Launch] = field(default_factory=dict)  # hint to launch
    deep_links: dict[str, Launch] = field(default_factory=dict)  # data to the request that waits for a response
    grants: dict[str, Grant] = field(default_factory=dict)  # access token to grant
    used: set[str] = field(default_factory=set)  # `jti` and nonces of tools, and registration tokens
    registration_tokens: set[str] = field(default_factory=set)
    messages: list[tuple[str, str]] = field(default_factory=list)  # `id_token` and `state` of each message sent
    errors: list[str] = field(default_factory=list)  # each refused step of a launch, as the user reads it
    keys: list[SigningKey] = field(default_factory=lambda: [SigningKey()])  # the last one signs
    lock: threading.RLock = field(default_factory=threading.RLock)

    # Settings that a test may change at any time
    login_method: Literal["GET", "POST"] = "POST"
    page_size: int | None = None
    token_seconds: int = 3600
    accept_types: tuple[str, ...] = ("ltiResourceLink",)
    accept_multiple: bool = True
    accept_line_items: bool = True
    sends_data: bool = True
    deep_link_data: Any = None  # sent to the tool in place of a text of the platform's own
    key_set_gone: bool = False
    key_set_body: str | None = None
    next_tampering: Tampering | None = None

    _numbers: Iterator[int] = field(default_factory=lambda: count(2))

    def new_id(self) -> str:
        number = next(self._numbers)
        return str(number) if self.flavour.numeric_ids else f"{number}-{secrets.token_hex(6)}"

    @property
    def token_url(self) -> str:
        return f"{self.url}/token"

    @property
    def audience(self) -> str:
        return self.flavour.audience or self.token_url

    def line_items_url(self, context: Context, deployment_id: str) -> str:
        return self._service_url(self.flavour.line_items_path, context, "", deployment_id)

    def line_item_url(self, item: LineItem, service: str = "") -> str:
        deployment_id = item.context.deployment_id or self.tools[item.client_id].deployment_ids[0]
        end = f"/{item.id}{self.flavour.line_item_suffix}{service}"
        return self._service_url(self.flavour.line_items_path, item.context, end, deployment_id)

    def memberships_url(self, context: Context, deployment_id: str) -> str:
        return self._service_url(self.flavour.memberships_path, context, "", deployment_id)

    def groups_url(self, context: Context) -> str:
        return f"{self.url}/groups/{context.id}"

    def _service_url(self, path: str, context: Context, end: str, deployment_id: str) -> str:
        query = f"?type_id={deployment_id}" if self.flavour.needs_type_id else ""
        return f"{self.url}{path.format(context=context.id)}{end}{query}"

    def add_line_item(self, item: LineItem) -> LineItem:
        self.line_items[item.id] = item
        return item

    def session_for(self, sub: str) -> str:
        session = secrets.token_hex(16)
        self.sessions[session] = sub
        return session

    def expiry(self) -> datetime:
        return datetime.now(UTC) + timedelta(seconds=self.token_seconds)
