"""An LMS that others wrote: the classes of lti1p3platform behind HTTP on loopback.

Everything of LTI is the library's: messages, tokens, claims, scopes, statuses and media types. Here is only what it leaves to an
LMS: who and what there is, and which address leads to which class. It deviates from the specification, mostly by checking less:

- A login response may name any `redirect_uri`; its scope, response type, response mode and prompt are not looked at.
- Of the tool's tokens it verifies signature and lifetime, but not audience, issuer, nonce or `jti`. Of a deep linking answer it
  also verifies the message type and the types of the items, but not that `data` comes back.
- An access token has all requested scopes that the library knows, and any scope of a service allows everything there.
- Scores have no required fields, and the answer to a score has the media type of line items.
- The list of members names a next page only if the request has a `limit`.
- A token that it does not accept is an exception and no response with status 400 or 401.
- Its answer to the deletion of a line item has status 204 and a body.

Two of its classes for Django do not work. `DjangoRequest` leaves page numbers as text, so the second page of a list of three
fails with a TypeError; `DjangoLTI1P3MessageLaunch` needs `pkg_resources`, which setuptools no longer has. Both are replaced.
"""

from types import TracebackType
from typing import Any, Self
from urllib.parse import urlencode

from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.test import RequestFactory
from django.urls import URLResolver, path
from django.urls.resolvers import RegexPattern
from django.utils.html import format_html, format_html_join
from lti1p3platform.framework.django.request import DjangoRequest
from lti1p3platform.framework.django.response import wrap_json_resp

from tests.lti.existing_platform_classes import (
    DEEP_LINK,
    Config,
    Course,
    Gradebook,
    Json,
    Launch,
    Link,
    Login,
    Members,
    Person,
    ServiceRequest,
    Tool,
)
from tests.lti.platform.server import Request, Response, Server


class ExistingPlatform:
    """Use it as a context manager. It has one course and one tool, which is connected after both know their addresses."""

    def __init__(self) -> None:
        key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
        self.private_key, self.public_key = private.decode(), public.decode()
        self.server = Server(self._answer, "127.0.0.1")
        self.url = self.server.url
        self.course = Course("course-1", "Autodiff 101", "AD101")
        self.tool: Tool
        self.deep_link_data: Any = "opaque to the tool"  # may be any JSON value
        self.errors: list[Exception] = []  # exceptions of the library, which it leaves to the framework
        self.resolver = URLResolver(
            RegexPattern("^/"),
            [
                path("course", self.course_page),
                path("launch/<str:hint>", self.login),
                path("auth", lambda request: Launch(DjangoRequest(request), self.config).lti_launch()),
                path("jwks", lambda request: JsonResponse(self.config.get_jwks())),
                path("token", lambda request: JsonResponse(self.config.get_access_token(request.POST.dict()))),
                path("links", self.add_links),
                path("lineitems", self.line_items),
                path("lineitems/<str:item>", self.line_item),
                path("lineitems/<str:item>/scores", self.scores),
                path("lineitems/<str:item>/results", self.results),
                path("members", self.members),
            ],  # type: ignore[arg-type]
        )

    def __enter__(self) -> Self:
        self.server.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.server.close()

    @property
    def config(self) -> Config:
        return Config(platform=self)

    def _answer(self, asked: Request) -> Response:
        media_type = asked.headers.get("content-type", "")
        request = RequestFactory().generic(asked.method, asked.target, asked.body, media_type, headers=asked.headers)
        try:
            view, arguments, named = self.resolver.resolve(request.path_info)
            response: HttpResponseBase = view(request, *arguments, **named)
        except Exception as error:  # what the library raises is for the test
            self.errors.append(error)
            response = HttpResponse(f"{type(error).__name__}: {error}", status=500, content_type="text/plain")
        assert isinstance(response, HttpResponse)
        return Response(response.status_code, response.content, response["Content-Type"], dict(response.items()))

    # What a test does there

    @property
    def copied_values(self) -> dict[str, str]:
        """Return what an administrator copies into Gradus."""
        registration = self.config.get_registration()
        urls = {"auth_url": "auth", "token_url": "token", "key_set_url": "jwks"}
        values = {"issuer": registration.get_iss(), "client_id": registration.get_client_id()}
        return values | {name: f"{self.url}/{end}" for name, end in urls.items()}

    def add_person(self, sub: str, name: str, role: str = "Learner") -> Person:
        self.course.people[sub] = Person(sub, name, role)
        return self.course.people[sub]

    def add_link(self, title: str, *, url: str = "", custom: Json | None = None, column: Json | None = None) -> Link:
        link = Link(f"link-{len(self.course.links) + 1}", title, url or self.tool.launch_url, custom or {}, column)
        self.course.links[link.id] = link
        if column is not None:
            column["resourceLinkId"] = link.id
        return link

    def add_line_item(self, values: Json) -> Json:
        line_item = f"item-{len(self.course.line_items) + 1}"
        self.course.line_items[line_item] = values | {"id": self.line_item_url(line_item)}
        return self.course.line_items[line_item]

    def line_item_url(self, line_item: str) -> str:
        return f"{self.url}/lineitems/{line_item}"

    def launch_url(self, link: Link | None, person: Person) -> str:
        """Return the address at which a person opens a link. Without one, it asks the tool for links."""
        return f"{self.url}/launch/{link.id if link else DEEP_LINK}?{urlencode({'user': person.sub})}"

    def course_url(self, person: Person) -> str:
        return f"{self.url}/course?{urlencode({'user': person.sub})}"

    # What a browser or the tool requests

    def course_page(self, request: HttpRequest) -> HttpResponse:
        person = self.course.people[request.GET["user"]]
        titles = {link.title: self.launch_url(link, person) for link in self.course.links.values()}
        if person.role == "Instructor":
            titles["Add content"] = self.launch_url(None, person)
        links = format_html_join("", '<li><a href="{}" target="_blank">{}</a></li>', [(u, t) for t, u in titles.items()])
        return HttpResponse(format_html("<h1>{}</h1><ul>{}</ul>", self.course.title, links))

    def login(self, request: HttpRequest, hint: str) -> HttpResponse:
        login = Login(DjangoRequest(request), self.config)
        login.set_lti_message_hint(hint)
        if hint == DEEP_LINK:
            login.set_deeplinking_launch_url()
        else:
            login.set_launch_url(self.course.links[hint].url)
        response: HttpResponse = login.initiate_login(request.GET["user"])
        return response

    def add_links(self, request: HttpRequest) -> HttpResponse:
        items = self.config.validate_deeplinking_resp(request.POST.dict())
        for item in items:
            column = self.add_line_item(item["lineItem"]) if "lineItem" in item else None
            self.add_link(item["title"], url=item.get("url", ""), custom=item.get("custom"), column=column)
        return HttpResponse(f"<h1>Links added: {len(items)}</h1>")

    def line_items(self, request: HttpRequest) -> HttpResponse:
        service = self._gradebook(request)
        return self._said(
            service, service.handle_get_lineitems if request.method == "GET" else service.handle_create_lineitem
        )

    def line_item(self, request: HttpRequest, item: str) -> HttpResponse:
        service = self._gradebook(request, item)
        handlers = {"PUT": service.handle_update_lineitem, "DELETE": service.handle_delete_lineitem}
        return self._said(service, handlers.get(request.method or "", service.handle_get_lineitem), line_item_id=item)

    def scores(self, request: HttpRequest, item: str) -> HttpResponse:
        service = self._gradebook(request, item)
        return self._said(service, service.handle_update_score, line_item_id=item)

    def results(self, request: HttpRequest, item: str) -> HttpResponse:
        service = self._gradebook(request, item)
        return self._said(service, service.handle_get_results, line_item_id=item)

    def members(self, request: HttpRequest) -> HttpResponse:
        service = Members(ServiceRequest(request), self.config, f"{self.url}/members")
        return self._said(service, service.handle_get_members)

    def _gradebook(self, request: HttpRequest, item: str = "") -> Gradebook:
        line_item = self.line_item_url(item) if item else None
        return Gradebook(ServiceRequest(request), self.config, f"{self.url}/lineitems", line_item)

    def _said(self, service: Any, handler: Any, **arguments: str) -> HttpResponse:
        response: HttpResponse = wrap_json_resp(service.handle_resp(handler, **arguments))
        return response
