"""The answer to a deep linking request: the tool's content items become activities of a course."""

from html import escape
from typing import Any

from .keys import Claims, InvalidToken, verified
from .pages import error_page, page
from .server import Request, Response
from .state import Launch, LineItem, Link, State
from .tokens import use_once
from .vocabulary import DEEP_LINK_RESPONSE, DEEP_LINKING, LTI, VERSION


def deep_link_return(state: State, request: Request) -> Response:
    launch = state.deep_links.get(request.query.get("request", ""))
    if launch is None:
        return _refuse(state, "No request for content is waiting for this answer.")
    try:
        claims = _checked(state, launch, request.form.get("JWT", ""))
    except InvalidToken as error:
        return _refuse(state, f"The answer of the tool was refused: {error}")
    del state.deep_links[launch.data or ""]
    items = claims.get(DEEP_LINKING + "content_items", [])
    links = [_add(state, launch, item) for item in items if item["type"] == "ltiResourceLink"]
    entries = "".join(f"<li>{escape(link.title)}</li>" for link in links)
    messages = [claims.get(DEEP_LINKING + name) for name in ("msg", "errormsg")]
    notes = "".join(f'<p role="status">{escape(message)}</p>' for message in messages if message)
    back = f'<a href="/course/{launch.context.id}?user={launch.user.sub}" target="_top">{escape(launch.context.title)}</a>'
    return page("Added content", f"<main><h1>Added content</h1>{notes}<ul>{entries}</ul><p>{back}</p></main>")


def _refuse(state: State, message: str) -> Response:
    state.errors.append(message)
    return error_page(message)


def _checked(state: State, launch: Launch, token: str) -> Claims:
    tool = launch.tool
    required = ["iss", "aud", "exp", "iat", "nonce"]
    claims = verified(token, tool.key_set_url, tool.client_id, [state.issuer], required)
    use_once(state, f"nonce {tool.client_id} {claims['nonce']}")
    expected = {
        LTI + "message_type": DEEP_LINK_RESPONSE,
        LTI + "version": VERSION,
        LTI + "deployment_id": launch.deployment_id,
    }
    if state.sends_data:
        expected[DEEP_LINKING + "data"] = state.deep_link_data or f"csrf:{launch.data}"
    for name, value in expected.items():
        if claims.get(name) != value:
            raise InvalidToken(f"{name} is {claims.get(name)!r}, not {value!r}")
    _check_items(state, claims.get(DEEP_LINKING + "content_items", []))
    return claims


def _check_items(state: State, items: Any) -> None:
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise InvalidToken("content_items is not a list of objects")
    if len(items) > 1 and not state.accept_multiple:
        raise InvalidToken("more than one content item")
    for item in items:
        if item.get("type") not in state.accept_types:
            raise InvalidToken(f"the type {item.get('type')} is not accepted")
        line_item = item.get("lineItem")
        if line_item is not None and not state.accept_line_items:
            raise InvalidToken("line items are not accepted")
        maximum = (line_item or {"scoreMaximum": 1}).get("scoreMaximum")
        if not isinstance(maximum, int | float) or maximum <= 0:
            raise InvalidToken(f"scoreMaximum is {maximum!r}")
        if not all(isinstance(value, str) for value in item.get("custom", {}).values()):
            raise InvalidToken("custom has a value that is not a string")


def _add(state: State, launch: Launch, item: dict[str, Any]) -> Link:
    """Add a link, and its line item if the content item has one."""
    url = item.get("url") or launch.tool.launch_url
    title = item.get("title") or launch.tool.title
    link = Link(state.new_id(), launch.context, launch.tool, title, url, item.get("custom", {}), item.get("text", ""))
    if column := item.get("lineItem"):
        link.line_item = LineItem(
            *(state.new_id(), launch.context, launch.tool.client_id, column.get("label") or title, column["scoreMaximum"]),
            *(column.get("resourceId", ""), column.get("tag", ""), link.id),
            coupled=True,
            review_url=(column.get("submissionReview") or {}).get("url"),
        )
        state.add_line_item(link.line_item)
    state.links[link.id] = link
    return link
