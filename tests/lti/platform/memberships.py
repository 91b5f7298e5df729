"""Names and roles: the members of a course, and its sections as groups."""

from typing import Any

from .grades import accepts, check_type_id, paged
from .messages import custom_parameters
from .server import Refused, Request, Response, json_response, service_error
from .state import Context, Link, Membership, State, Tool
from .tokens import authorized
from .vocabulary import GROUPS_SCOPE, GROUPS_TYPE, LTI, MEMBERSHIPS_SCOPE, MEMBERSHIPS_TYPE, RESOURCE_LINK, role_uris


def memberships(state: State, request: Request, context: str) -> Response:
    tool = authorized(state, request, MEMBERSHIPS_SCOPE)
    accepts(state, request, MEMBERSHIPS_TYPE)
    check_type_id(state, request)
    course, link = _course(state, context), state.links.get(request.query.get("rlid", ""))
    if "rlid" in request.query and (link is None or link.context is not course):
        raise Refused(service_error(404, f"There is no resource link {request.query['rlid']} in this course"))
    members = [member for member in course.members.values() if _listed(state, member, request.query.get("role"))]
    shown, headers = paged(state, request, members)
    content = {
        "id": f"{state.url}{request.target}",
        "context": {"id": course.id, "label": course.label, "title": course.title},
        "members": [_member_json(state, tool, course, member, link) for member in shown],
    }
    response = json_response(content, 200, MEMBERSHIPS_TYPE)
    response.headers |= headers
    return response


def groups(state: State, request: Request, context: str) -> Response:
    authorized(state, request, GROUPS_SCOPE)
    accepts(state, request, GROUPS_TYPE)
    course = _course(state, context)
    names = sorted({name for member in course.members.values() for name in member.sections})
    content = {"id": f"{state.url}{request.target}", "groups": [{"id": name, "name": name} for name in names]}
    return json_response(content, 200, GROUPS_TYPE)


def _course(state: State, context: str) -> Context:
    if context not in state.contexts:
        raise Refused(service_error(404, f"Not Found: Course {context} doesn't exist."))
    return state.contexts[context]


def _listed(state: State, member: Membership, role: str | None) -> bool:
    """A role is given as a URI or by its short name."""
    has_role = role is None or role in member.roles or role in role_uris(member.roles)
    return has_role and (state.flavour.lists_inactive or member.status == "Active")


def _member_json(state: State, tool: Tool, course: Context, member: Membership, link: Link | None) -> dict[str, Any]:
    content: dict[str, Any] = {
        "user_id": member.user.sub,
        "status": member.status,
        "roles": role_uris(member.roles),
        **member.user.shown(tool.privacy),
    }
    if state.flavour.has_groups:
        content["group_enrollments"] = [{"group_id": name} for name in member.sections]
    if link:
        custom = custom_parameters(tool.custom | link.custom, course, link, member)
        content["message"] = [{LTI + "message_type": RESOURCE_LINK, LTI + "custom": custom}]
    return content
