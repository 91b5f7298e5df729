"""Assignment and grade services: line items, scores and results."""

from typing import Any, TypeVar
from urllib.parse import urlencode, urlsplit

from .scores import store_score
from .server import Refused, Request, Response, json_response, service_error
from .state import Context, LineItem, Result, State, Tool
from .tokens import authorized
from .vocabulary import (
    LINE_ITEM_READ_SCOPE,
    LINE_ITEM_SCOPE,
    LINE_ITEM_TYPE,
    LINE_ITEMS_TYPE,
    RESULT_SCOPE,
    RESULTS_TYPE,
    SCORE_SCOPE,
    SCORE_TYPE,
)

Entry = TypeVar("Entry")


def line_items(state: State, request: Request, context: str) -> Response:
    tool = authorized(state, request, LINE_ITEM_SCOPE, LINE_ITEM_READ_SCOPE)
    accepts(state, request, LINE_ITEMS_TYPE)
    course, query = _course(state, request, context), request.query
    found = [
        item
        for item in state.line_items.values()
        if item.context is course
        and item.client_id == tool.client_id
        and query.get("resource_id") in (None, item.resource_id)
        and query.get("tag") in (None, item.tag)
        and query.get("resource_link_id") in (None, item.link_id)
    ]
    shown, headers = paged(state, request, found, curly=state.flavour.curly_quotes)
    response = json_response([_line_item_json(state, item) for item in shown], 200, LINE_ITEMS_TYPE)
    response.headers |= headers
    return response


def add_line_item(state: State, request: Request, context: str) -> Response:
    tool = authorized(state, request, LINE_ITEM_SCOPE)
    has_content(state, request, LINE_ITEM_TYPE)
    course, body = _course(state, request, context), _line_item_body(request)
    link_id = body.get("resourceLinkId")
    if link_id is not None and (link_id not in state.links or state.links[link_id].context is not course):
        raise Refused(service_error(403, f"There is no resource link {link_id} in this course"))
    item = LineItem(state.new_id(), course, tool.client_id, body["label"], body["scoreMaximum"], link_id=link_id)
    _update(item, body)
    state.add_line_item(item)
    return json_response(_line_item_json(state, item), 201, LINE_ITEM_TYPE)


def line_item(state: State, request: Request, context: str, item: str) -> Response:
    tool = authorized(state, request, LINE_ITEM_SCOPE, LINE_ITEM_READ_SCOPE)
    accepts(state, request, LINE_ITEM_TYPE)
    return json_response(_line_item_json(state, _item(state, request, tool, context, item)), 200, LINE_ITEM_TYPE)


def change_line_item(state: State, request: Request, context: str, item: str) -> Response:
    tool = authorized(state, request, LINE_ITEM_SCOPE)
    has_content(state, request, LINE_ITEM_TYPE)
    found, body = _item(state, request, tool, context, item), _line_item_body(request)
    found.label, found.score_maximum = body["label"], body["scoreMaximum"]
    _update(found, body)
    return json_response(_line_item_json(state, found), 200, LINE_ITEM_TYPE)


def delete_line_item(state: State, request: Request, context: str, item: str) -> Response:
    tool = authorized(state, request, LINE_ITEM_SCOPE)
    found = _item(state, request, tool, context, item)
    if found.coupled:
        raise Refused(service_error(401, "The line item belongs to an activity"))
    del state.line_items[found.id]
    return Response(204)


def add_score(state: State, request: Request, context: str, item: str) -> Response:
    tool = authorized(state, request, SCORE_SCOPE)
    has_content(state, request, SCORE_TYPE)
    found, body = _item(state, request, tool, context, item), request.json
    store_score(state.flavour, found, body)
    if state.flavour.family != "canvas":
        return Response(200, "", SCORE_TYPE)
    return json_response({"resultUrl": _result_url(state, found, body["userId"])}, 200, SCORE_TYPE)


def results(state: State, request: Request, context: str, item: str) -> Response:
    tool = authorized(state, request, RESULT_SCOPE)
    accepts(state, request, RESULTS_TYPE)
    found, user = _item(state, request, tool, context, item), request.query.get("user_id")
    rows = [(sub, result) for sub, result in found.results.items() if user in (None, sub)]
    shown, headers = paged(state, request, rows, curly=state.flavour.curly_quotes)
    content = [_result_json(state, found, sub, result) for sub, result in shown]
    response = json_response(content, 200, RESULTS_TYPE)
    response.headers |= headers
    return response


def accepts(state: State, request: Request, media_type: str) -> None:
    accepted = [part.partition(";")[0].strip() for part in request.headers.get("accept", "*/*").split(",")]
    if not {"*/*", media_type} & set(accepted):
        status = 400 if state.flavour.wrong_media_type == 400 else 406
        raise Refused(service_error(status, f"Accept has to name {media_type}"))


def has_content(state: State, request: Request, media_type: str) -> None:
    sent = request.headers.get("content-type", "") if state.flavour.exact_media_type else request.media_type
    if sent != media_type:
        raise Refused(service_error(state.flavour.wrong_media_type, f"Content-Type has to be {media_type}, not {sent}"))


def paged(state: State, request: Request, entries: list[Entry], curly: bool = False) -> tuple[list[Entry], dict[str, str]]:
    """Return the entries of the page that is asked for, and a `Link` header if there are more."""
    query = request.query
    asked, start = int(query.get("limit", "0")), int(query.get("from", "0"))
    largest = state.page_size or state.flavour.page_size
    size = min(asked or len(entries), largest or len(entries))
    if start + size >= len(entries):
        return entries[start:], {}
    parameters = urlencode(query | {"limit": size, "from": start + size})
    quote, end = ("“", "”") if curly else ('"', '"')
    return entries[start : start + size], {"Link": f"<{state.url}{request.path}?{parameters}>; rel={quote}next{end}"}


def check_type_id(state: State, request: Request) -> None:
    """Moodle finds the tool by the query string of its service URLs."""
    if state.flavour.needs_type_id and "type_id" not in request.query:
        raise Refused(service_error(403, "The type_id of the service URL is missing"))


def _course(state: State, request: Request, context: str) -> Context:
    check_type_id(state, request)
    if context not in state.contexts:
        raise Refused(service_error(404, f"Not Found: Course {context} doesn't exist."))
    return state.contexts[context]


def _item(state: State, request: Request, tool: Tool, context: str, item: str) -> LineItem:
    course, found = _course(state, request, context), state.line_items.get(item)
    if found is None or found.context is not course:
        raise Refused(service_error(404, f"Not Found: Line item {item} doesn't exist."))
    if found.client_id != tool.client_id:
        raise Refused(service_error(403, "The line item belongs to another tool"))
    return found


def _line_item_body(request: Request) -> dict[str, Any]:
    body = request.json
    maximum = body.get("scoreMaximum") if isinstance(body, dict) else None
    if not isinstance(maximum, int | float) or isinstance(maximum, bool) or maximum <= 0 or not body.get("label"):
        raise Refused(service_error(400, "No label or Score Maximum"))
    return dict(body)


def _update(item: LineItem, body: dict[str, Any]) -> None:
    item.resource_id, item.tag = body.get("resourceId") or "", body.get("tag") or ""
    item.review_url = (body.get("submissionReview") or {}).get("url")


def _line_item_json(state: State, item: LineItem) -> dict[str, Any]:
    known = {"resourceId": item.resource_id, "tag": item.tag, "resourceLinkId": item.link_id}
    required = {"id": state.line_item_url(item), "label": item.label, "scoreMaximum": item.score_maximum}
    return required | {name: value for name, value in known.items() if value}


def _result_url(state: State, item: LineItem, sub: str) -> str:
    url = urlsplit(state.line_item_url(item, "/results"))
    query = "&".join(part for part in (url.query, urlencode({"user_id": sub})) if part)
    return url._replace(query=query).geturl()


def _result_json(state: State, item: LineItem, sub: str, result: Result) -> dict[str, Any]:
    content: dict[str, Any] = {"id": _result_url(state, item, sub), "scoreOf": state.line_item_url(item), "userId": sub}
    if result.final_score is not None and not result.excused:
        content |= {"resultScore": result.final_score, "resultMaximum": item.score_maximum}
    if result.comment and state.flavour.results_have_comments:
        content["comment"] = result.comment
    if result.timestamp:
        content["timestamp"] = result.timestamp.isoformat()
    return content
