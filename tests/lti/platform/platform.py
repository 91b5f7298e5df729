"""`Platform`: what a test does with an LMS."""

from dataclasses import dataclass, replace
from datetime import datetime
from types import TracebackType
from typing import Self
from urllib.parse import urlencode, urlsplit

from . import registration
from .flavours import MOODLE, Flavour
from .keys import SigningKey
from .messages import id_token
from .oidc import SESSION, login_form
from .routes import answer, routes
from .server import Fault, Form, Request, Response, Server
from .state import Context, Launch, LineItem, Link, Membership, Privacy, Result, State, Tool, User
from .tampering import TAMPERINGS, Change, Tampering
from .vocabulary import ALL_SCOPES, RESOURCE_LINK


@dataclass(frozen=True)
class Registration:
    """What an administrator copies from the platform into the tool."""

    issuer: str
    client_id: str
    deployment_id: str
    auth_url: str
    token_url: str
    key_set_url: str
    audience: str  # of client assertions; mostly the token URL
    deployment_ids: tuple[str, ...] = ()


class Platform(State):
    """An LMS of a flavour. Use it as a context manager: it serves from `url` until the block ends.

    The page of the platform and a tool are of different sites if one is under `localhost` and the other under `127.0.0.1`.
    """

    def __init__(self, flavour: Flavour = MOODLE, *, issuer: str | None = None, host: str = "127.0.0.1") -> None:
        self.server = Server(self._answer, host)
        url = self.server.url
        super().__init__(flavour, url, issuer or flavour.issuer or url)
        self._routes = routes(flavour)

    def __enter__(self) -> Self:
        self.server.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.server.close()

    def _answer(self, request: Request) -> Response:
        return answer(self, self._routes, request)

    # People, courses and tools

    def register_tool(
        self,
        *,
        login_url: str,
        redirect_uris: list[str],
        key_set_url: str,
        launch_url: str | None = None,
        deep_link_url: str | None = None,
        deployments: int = 1,
        privacy: Privacy = "everything",
        scopes: tuple[str, ...] = ALL_SCOPES,
        custom: dict[str, str] | None = None,
    ) -> Registration:
        client_id = SigningKey.random_id()
        launch_url = launch_url or redirect_uris[0]
        tool = Tool(
            *(client_id, login_url, redirect_uris, key_set_url, launch_url, deep_link_url or launch_url),
            [self.new_id() for _ in range(deployments)],
            privacy=privacy,
            scopes=scopes,
            custom=custom or {},
        )
        self.tools[client_id] = tool
        return self.registration(client_id)

    def registration(self, client_id: str) -> Registration:
        ids = tuple(self.tools[client_id].deployment_ids)
        urls = (f"{self.url}/auth", self.token_url, f"{self.url}/jwks", self.audience)
        return Registration(self.issuer, client_id, ids[0], *urls, ids)

    def registration_url(self, tool_url: str) -> str:
        """Return the address at which a tool registers itself."""
        return registration.registration_url(self, tool_url)

    def activate(self, client_id: str) -> None:
        self.tools[client_id].active = True

    def add_context(self, title: str, *, label: str = "", deployment_id: str | None = None) -> Context:
        context = Context(self.new_id(), label or title, title, deployment_id)
        self.contexts[context.id] = context
        return context

    def add_user(self, given_name: str, family_name: str, email: str | None = None) -> User:
        user = User(self.new_id(), given_name, family_name, email or f"{given_name}.{family_name}@school.example".lower())
        self.users[user.sub] = user
        return user

    def enrol(self, context: Context, user: User, *roles: str, status: str = "Active") -> Membership:
        context.members[user.sub] = Membership(user, list(roles) or ["Learner"], status)
        return context.members[user.sub]

    def add_link(
        self,
        context: Context,
        title: str,
        *,
        client_id: str | None = None,
        url: str | None = None,
        custom: dict[str, str] | None = None,
        score_maximum: float | None = 10,
        due: datetime | None = None,
        attempts_allowed: int | None = None,
    ) -> Link:
        """Add an activity by hand. It has a line item, unless `score_maximum` is None."""
        tool = self.tools[client_id] if client_id else next(iter(self.tools.values()))
        link = Link(self.new_id(), context, tool, title, url or tool.launch_url, custom or {})
        if score_maximum is not None:
            item = LineItem(self.new_id(), context, tool.client_id, title, score_maximum, link_id=link.id, coupled=True)
            link.line_item = self.add_line_item(replace(item, due=due, attempts_allowed=attempts_allowed))
        self.links[link.id] = link
        return link

    def copy_context(self, context: Context, title: str) -> Context:
        """Copy a course as an LMS does at the start of a term: links get new ids, and their line items are empty."""
        copy = self.add_context(title, deployment_id=context.deployment_id)
        copy.copied_from = [*context.copied_from, context.id]
        for link in [link for link in self.links.values() if link.context is context]:
            maximum = link.line_item.score_maximum if link.line_item else None
            options = {"url": link.url, "custom": dict(link.custom), "score_maximum": maximum}
            self.add_link(copy, link.title, client_id=link.tool.client_id, **options)  # type: ignore[arg-type]
        return copy

    # Launches without a browser

    def login_form(self, link: Link, user: User, **options: object) -> tuple[Form, str]:
        """Return what a browser sends to the login URL of the tool, and its session cookie on the platform."""
        session = self.session_for(user.sub)
        launch = replace(self._launch(link, user), session=session, **options)  # type: ignore[arg-type]
        return login_form(self, launch), session

    def authorize(self, url: str, session: str) -> Form:
        """Follow the redirect of the tool to the platform, and return what the browser sends back to the tool."""
        parts = urlsplit(url)
        request = Request("GET", f"{parts.path}?{parts.query}", {"cookie": f"{SESSION}={session}"})
        response = self.server.respond(request)
        if response is None or response.form is None:
            raise AssertionError(f"{request.status}: {response and response.body!r}")
        return response.form

    def id_token(
        self,
        link: Link,
        user: User,
        nonce: str,
        *,
        change: Change | None = None,
        key: SigningKey | None = None,
        algorithm: str = "RS256",
        headers: dict[str, str | None] | None = None,
    ) -> str:
        return id_token(self, self._launch(link, user), nonce, Tampering(change, key, algorithm, headers or {}))

    def tampered(self, how: str, link: Link, user: User, nonce: str) -> str:
        """Return an `id_token` that is wrong or unusual in a way named in `TAMPERINGS`."""
        return id_token(self, self._launch(link, user), nonce, TAMPERINGS[how]())

    def tamper_next(self, how: str) -> None:
        """Make the next message that `/auth` sends wrong or unusual in a way named in `TAMPERINGS`."""
        self.next_tampering = TAMPERINGS[how]()

    def change_next(self, change: Change) -> None:
        """Change the claims of the next message that `/auth` sends."""
        self.next_tampering = Tampering(change)

    def _launch(self, link: Link, user: User) -> Launch:
        return Launch(RESOURCE_LINK, link.tool, link.context, user, link.url, "", False, link)

    # Addresses for a browser

    def launch_url(self, link: Link, user: User, *, frame: bool = False) -> str:
        return f"{self.url}/launch/{link.id}?{urlencode({'user': user.sub} | ({'frame': 1} if frame else {}))}"

    def course_url(self, context: Context, user: User) -> str:
        return f"{self.url}/course/{context.id}?user={user.sub}"

    def deep_link_url(self, context: Context, user: User, *, frame: bool = False) -> str:
        return f"{self.url}/deep-link/{context.id}?{urlencode({'user': user.sub} | ({'frame': 1} if frame else {}))}"

    def review_url(self, item: LineItem, learner: User, reader: User, *, frame: bool = False) -> str:
        query = urlencode({"user": reader.sub} | ({"frame": 1} if frame else {}))
        return f"{self.url}/review/{item.id}/{learner.sub}?{query}"

    # Acts of an instructor

    def result(self, item: LineItem, user: User) -> Result:
        """Return the cell of the gradebook, which is empty at first."""
        return item.results.setdefault(user.sub, Result())

    def override(self, item: LineItem, user: User, score: float, comment: str | None = None) -> None:
        """Enter a grade by hand."""
        result = self.result(item, user)
        result.final_score, result.overridden = score, True
        if comment is not None:
            result.comment, result.comment_by_tool = comment, False

    def delete_line_item(self, item: LineItem) -> None:
        del self.line_items[item.id]
        for link in self.links.values():
            link.line_item = None if link.line_item is item else link.line_item

    def excuse(self, item: LineItem, user: User) -> None:
        self.result(item, user).excused = True

    # Keys and tokens

    def rotate_key(self, *, keep_old: bool = True) -> None:
        """Sign with a new key. The old one stays in the key set, unless it is to be removed."""
        self.keys[:] = [*(self.keys if keep_old else []), SigningKey()]

    def revoke_tokens(self) -> None:
        """Make all access tokens invalid before they expire."""
        self.grants.clear()

    # Requests and faults

    @property
    def requests(self) -> list[Request]:
        return self.server.requests

    def requests_to(self, path_end: str) -> list[Request]:
        return [request for request in self.requests if request.path.endswith(path_end)]

    @property
    def token_requests(self) -> int:
        return len(self.requests_to("/token"))

    @property
    def delay(self) -> float:
        """Seconds that each response waits."""
        return self.server.delay

    @delay.setter
    def delay(self, seconds: float) -> None:
        self.server.delay = seconds

    def fail(
        self,
        path: str,
        status: int = 500,
        body: str = "",
        *,
        times: int = 1,
        headers: dict[str, str] | None = None,
        closes: bool = False,
        hangs: bool = False,
        after: bool = False,
    ) -> None:
        """Answer the next requests wrongly. `path` is a regular expression for the whole path.

        `closes` closes the connection without an answer; `hangs` keeps it open until the platform ends; `after` lets the
        request take effect first, so that only its answer is lost.
        """
        response = None if closes or hangs else Response(status, body, "application/json", headers or {})
        self.server.faults.append(Fault(path, times, response, hangs, after))

    def slow(self, path: str, seconds: float, times: int = 1) -> None:
        """Answer the next requests rightly, but late."""
        self.server.faults.append(Fault(path, times, None, seconds=seconds))

    def scores_answer(self, status: int, body: str = "", times: int = 1, headers: dict[str, str] | None = None) -> None:
        self.fail(".*/scores", status, body, times=times, headers=headers)

    def limit_rate(self, times: int = 1, *, path: str = ".*/scores") -> None:
        """Refuse requests as an LMS does that got too many. Canvas says 403."""
        if self.flavour.family == "canvas":
            self.fail(path, 403, "403 Forbidden (Rate Limit Exceeded)", times=times, headers={"X-Rate-Limit-Remaining": "0"})
        else:
            self.fail(path, 429, '{"status": 429}', times=times, headers={"Retry-After": "1"})
