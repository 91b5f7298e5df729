"""Which function answers which address."""

import re
from collections.abc import Callable

from . import deep_linking, grades, memberships, oidc, pages, registration, tokens
from .flavours import Flavour
from .pages import error_page
from .server import Refused, Request, Response
from .state import State

Handler = Callable[..., Response]


def routes(flavour: Flavour) -> list[tuple[str, str, Handler]]:
    """Return method, path as a regular expression, and handler. Groups of a path are arguments of its handler."""
    items = re.escape(flavour.line_items_path).replace(r"\{context\}", "(?P<context>[^/]+)")
    item = f"{items}/(?P<item>[^/]+){flavour.line_item_suffix}"
    members = re.escape(flavour.memberships_path).replace(r"\{context\}", "(?P<context>[^/]+)")
    return [
        ("GET", "/course/(?P<context>[^/]+)", course),
        ("GET", "/gradebook/(?P<context>[^/]+)", gradebook),
        ("GET", "/launch/(?P<link>[^/]+)", oidc.launch_page),
        ("GET", "/deep-link/(?P<context>[^/]+)", oidc.deep_link_page),
        ("GET", "/review/(?P<item>[^/]+)/(?P<sub>[^/]+)", oidc.review_page),
        ("GET", "/auth", oidc.authorize),
        ("POST", "/auth", oidc.authorize),
        ("GET", "/storage", oidc.storage_page),
        ("GET", "/jwks", oidc.key_set),
        ("POST", "/deep-link-return", deep_linking.deep_link_return),
        ("POST", "/token", tokens.token),
        ("GET", items, grades.line_items),
        ("POST", items, grades.add_line_item),
        ("GET", item, grades.line_item),
        ("PUT", item, grades.change_line_item),
        ("DELETE", item, grades.delete_line_item),
        ("POST", f"{item}/scores", grades.add_score),
        ("GET", f"{item}/results", grades.results),
        ("GET", members, memberships.memberships),
        ("GET", "/groups/(?P<context>[^/]+)", memberships.groups),
        ("GET", "/openid-configuration", registration.openid_configuration),
        ("POST", "/register", registration.register),
        ("GET", "/admin/register-tool", register_tool),
        ("POST", "/admin/activate/(?P<client_id>[^/]+)", activate),
    ]


def answer(state: State, table: list[tuple[str, str, Handler]], request: Request) -> Response:
    found = [(method, handler, match) for method, path, handler in table if (match := re.fullmatch(path, request.path))]
    for method, handler, match in found:
        if method == request.method:
            with state.lock:
                return handler(state, request, **match.groupdict())
    return error_page("Method not allowed", 405) if found else error_page("Not found", 404)


def course(state: State, request: Request, context: str) -> Response:
    sub = request.query.get("user", "")
    if context not in state.contexts or sub not in state.contexts[context].members:
        raise Refused(error_page("There is no such course, or the user is not in it.", 404))
    links = [link for link in state.links.values() if link.context.id == context]
    return pages.course_page(state, state.contexts[context], links, sub)


def gradebook(state: State, request: Request, context: str) -> Response:
    if context not in state.contexts:
        raise Refused(error_page(f"There is no course {context}.", 404))
    items = [item for item in state.line_items.values() if item.context.id == context]
    return pages.gradebook_page(state.contexts[context], items, request.query.get("user"))


def register_tool(state: State, request: Request) -> Response:
    url = request.query.get("url", "")
    return pages.register_page(registration.registration_url(state, url) if url else "", list(state.tools.values()))


def activate(state: State, request: Request, client_id: str) -> Response:
    state.tools[client_id].active = True
    return Response(303, headers={"Location": "/admin/register-tool"})
