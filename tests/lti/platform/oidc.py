"""Third-party login: the page that starts a launch, and the authorization endpoint that answers the tool."""

import json
import secrets
from html import escape
from urllib.parse import urlsplit

from .messages import id_token
from .pages import error_page, form_page, frame_page, page, storage_script
from .server import Form, Refused, Request, Response
from .state import Launch, LineItem, Link, State, Tool, User
from .vocabulary import DEEP_LINK, RESOURCE_LINK, SUBMISSION_REVIEW

SESSION = "platform_session"
AUTH_REPOST = "repost"


def launch_page(state: State, request: Request, link: str) -> Response:
    found = found_link(state, link)
    return start(state, request, found.tool, found, RESOURCE_LINK)


def deep_link_page(state: State, request: Request, context: str) -> Response:
    if context not in state.contexts:
        raise Refused(error_page(f"There is no course {context}.", 404))
    tool = state.tools.get(request.query.get("tool", "")) or next(iter(state.tools.values()))
    link = Link("", state.contexts[context], tool, "Add content", tool.deep_link_url)
    return start(state, request, tool, link, DEEP_LINK)


def review_page(state: State, request: Request, item: str, sub: str) -> Response:
    line_item, learner = state.line_items.get(item), state.users.get(sub)
    if line_item is None or learner is None:
        raise Refused(error_page(f"There is no submission of {sub} for {item}.", 404))
    tool = state.tools[line_item.client_id]
    link = state.links.get(line_item.link_id or "")
    shown = link or Link("", line_item.context, tool, line_item.label, tool.launch_url)
    return start(state, request, tool, shown, SUBMISSION_REVIEW, line_item, learner)


def found_link(state: State, link: str) -> Link:
    if link not in state.links:
        raise Refused(error_page(f"There is no activity {link}.", 404))
    return state.links[link]


def start(
    state: State,
    request: Request,
    tool: Tool,
    link: Link,
    message_type: str,
    line_item: LineItem | None = None,
    for_user: User | None = None,
) -> Response:
    """Log the user in, and send the browser to the tool: in a frame if the query asks for one."""
    user = state.users.get(request.query.get("user", ""))
    if user is None:
        raise Refused(error_page("Log in first: the address needs ?user=.", 403))
    if not tool.active:
        raise Refused(error_page(f"{tool.title} has not been activated by an administrator.", 403))
    session, cookies = _session(state, request, user)
    if "frame" in request.query:
        source = request.target.replace("frame=1", "in_frame=1")
        response = frame_page(link.context, link.title, source, state.flavour.storage_target, tool_origins(state))
    else:
        url = link.url if message_type != SUBMISSION_REVIEW else (line_item and line_item.review_url) or link.url
        known = link if link.id else None
        in_frame = "in_frame" in request.query
        launch = Launch(message_type, tool, link.context, user, url, session, in_frame, known, line_item, for_user)
        heading = "" if in_frame else f"<h1>{escape(link.context.title)}</h1><h2>{escape(link.title)}</h2>"
        response = form_page(link.title, login_form(state, launch, request.query.get("login_method")), heading)
    response.headers |= cookies
    return response


def _session(state: State, request: Request, user: User) -> tuple[str, dict[str, str]]:
    session = request.cookies.get(SESSION, "")
    if state.sessions.get(session) == user.sub:
        return session, {}
    session = state.session_for(user.sub)
    return session, {"Set-Cookie": f"{SESSION}={session}; Path=/; HttpOnly; SameSite=Lax"}


def tool_origins(state: State) -> list[str]:
    urls = [urlsplit(uri) for tool in state.tools.values() for uri in (tool.login_url, *tool.redirect_uris)]
    return sorted({f"{url.scheme}://{url.netloc}" for url in urls})


def login_form(state: State, launch: Launch, method: str | None = None) -> Form:
    hint = secrets.token_hex(8)
    if state.flavour.family == "moodle":
        hint = json.dumps({"cmid": launch.link.id if launch.link else "", "launchid": f"ltilaunch_{hint}"})
    state.launches[hint] = launch
    fields = {
        "iss": state.issuer,
        "login_hint": launch.user.sub,
        "target_link_uri": launch.url,
        "client_id": launch.tool.client_id,
        "lti_deployment_id": launch.deployment_id,
        "lti_message_hint": hint,
    }
    if state.flavour.storage_target and launch.in_frame:
        fields["lti_storage_target"] = state.flavour.storage_target
    return Form(launch.tool.login_url, fields, method or state.login_method)


def authorize(state: State, request: Request) -> Response:
    fields = request.query | request.form
    if request.cookies.get(SESSION) not in state.sessions and AUTH_REPOST not in fields:
        # A request that another site caused has no cookie of a Lax session. Ask again from a page of the platform.
        return form_page("Continue", Form("/auth", fields | {AUTH_REPOST: "1"}))
    tool = state.tools.get(fields.get("client_id", ""))
    if tool is None:
        return _visible_error(state, f"invalid_client: {fields.get('client_id')} is not registered.")
    if fields.get("redirect_uri") not in tool.redirect_uris:
        return _visible_error(state, f"invalid_request: {fields.get('redirect_uri')} is not a registered redirect URI.")
    session = request.cookies.get(SESSION, "")
    launch = state.launches.pop(fields.get("lti_message_hint", ""), None)
    if error := _parameter_error(fields) or _launch_error(state, launch, fields, tool, session):
        return _returned_error(state, fields, *error)
    assert launch
    tampering, state.next_tampering = state.next_tampering, None
    token = id_token(state, launch, fields["nonce"], tampering)
    state.messages.append((token, fields["state"]))
    sent = {"id_token": token, "state": fields["state"]}
    if state.flavour.storage_target and state.flavour.storage_target_in_launch and launch.in_frame:
        sent["lti_storage_target"] = state.flavour.storage_target
    return form_page("Continue", Form(fields["redirect_uri"], sent))


def _parameter_error(fields: dict[str, str]) -> tuple[str, str] | None:
    if missing := [name for name in ("scope", "response_type", "login_hint", "nonce", "state") if not fields.get(name)]:
        return "invalid_request", f"Missing: {', '.join(missing)}."
    if fields["scope"] != "openid":
        return "invalid_scope", "The scope has to be openid."
    if fields["response_type"] != "id_token":
        return "unsupported_response_type", "The response_type has to be id_token."
    if fields.get("response_mode") != "form_post":
        return "invalid_request", "The response_mode has to be form_post."
    if fields.get("prompt") != "none":
        return "invalid_request", "The prompt has to be none."
    return None


def _launch_error(
    state: State, launch: Launch | None, fields: dict[str, str], tool: Tool, session: str
) -> tuple[str, str] | None:
    if launch is None:
        return "invalid_request", "The lti_message_hint is unknown or was used before."
    if session not in state.sessions or launch.session != session:
        return "access_denied", "The launch belongs to another browser session."
    if launch.tool is not tool:
        return "unauthorized_client", "The launch is for another tool."
    if fields["login_hint"] != launch.user.sub:
        return "access_denied", "The login_hint is not the user of the launch."
    return None


def _visible_error(state: State, message: str) -> Response:
    state.errors.append(message)
    return error_page(message)


def _returned_error(state: State, fields: dict[str, str], error: str, description: str) -> Response:
    """Return the error to the tool, whose redirect URI is known to be right."""
    state.errors.append(f"{error}: {description}")
    answer = {"error": error, "error_description": description, "state": fields.get("state", "")}
    return form_page(
        "Error", Form(fields["redirect_uri"], answer), f'<p role="alert">{escape(f"{error}: {description}")}</p>'
    )


def storage_page(state: State, request: Request) -> Response:
    """The frame beside the tool that answers storage messages."""
    script = storage_script(state.flavour.storage_target or "", tool_origins(state))
    return page("Storage", f"<script>{script}</script>")


def key_set(state: State, request: Request) -> Response:
    if state.key_set_gone:
        return error_page("Not found", 404)
    body = state.key_set_body
    if body is None:
        body = json.dumps({"keys": [key.jwk for key in state.keys]})
    return Response(200, body, "application/json")
