"""The claims of the three messages that a platform sends."""

import json
import secrets
import time
from typing import Any

from .keys import Claims
from .state import Launch, Link, Membership, State
from .tampering import Tampering
from .vocabulary import (
    DEEP_LINK,
    DEEP_LINKING,
    GRADES_CLAIM,
    GRADES_SCOPES,
    GROUPS_CLAIM,
    GROUPS_SCOPE,
    LTI,
    MEMBERSHIPS_CLAIM,
    MEMBERSHIPS_SCOPE,
    SUBMISSION_REVIEW,
    VERSION,
    role_uris,
)


def id_token(state: State, launch: Launch, nonce: str, tampering: Tampering | None = None) -> str:
    tampering = tampering or Tampering()
    claims = message_claims(state, launch, nonce)
    if tampering.change:
        tampering.change(claims)
    own = state.keys[-1]
    headers = {"kid": own.kid, **tampering.headers}
    return (tampering.key or own).sign(claims, tampering.algorithm, headers)


def message_claims(state: State, launch: Launch, nonce: str) -> Claims:
    now = int(time.time())
    claims = {
        "iss": state.issuer,
        "aud": launch.tool.client_id,
        "sub": launch.user.sub,
        "iat": now,
        "exp": now + 300,
        "nonce": nonce,
        "locale": "en",
        **launch.user.shown(launch.tool.privacy),
    }
    claims |= {LTI + name: value for name, value in _lti_claims(state, launch).items()}
    claims |= _service_claims(state, launch)
    if launch.message_type == DEEP_LINK:
        claims[DEEP_LINKING + "deep_linking_settings"] = _deep_linking_settings(state, launch)
    return claims


def _lti_claims(state: State, launch: Launch) -> dict[str, Any]:
    context, link = launch.context, launch.link
    membership = context.members.get(launch.user.sub)
    claims: dict[str, Any] = {
        "message_type": launch.message_type,
        "version": VERSION,
        "deployment_id": launch.deployment_id,
        "target_link_uri": launch.url,
        "roles": role_uris(membership.roles) if membership else [],
        "context": {
            "id": context.id,
            "label": context.label,
            "title": context.title,
            "type": ["http://purl.imsglobal.org/vocab/lis/v2/course#CourseOffering"],
        },
        "tool_platform": {
            "guid": state.url,
            "name": "Test platform",
            "url": state.url,
            "product_family_code": state.flavour.family,
            "version": state.flavour.version,
        },
        "launch_presentation": {
            "document_target": "iframe" if launch.in_frame else "window",
            "return_url": f"{state.url}/course/{context.id}?user={launch.user.sub}",
            "locale": "en",
        },
    }
    if link and launch.message_type != DEEP_LINK:
        claims["resource_link"] = {"id": link.id, "title": link.title}
    if custom := custom_parameters(launch.tool.custom | (link.custom if link else {}), launch.context, link, membership):
        claims["custom"] = custom
    if launch.message_type == SUBMISSION_REVIEW and launch.for_user:
        learner = context.members.get(launch.for_user.sub)
        roles = role_uris(learner.roles) if learner else []
        claims["for_user"] = {"user_id": launch.for_user.sub, "roles": roles, **launch.for_user.shown(launch.tool.privacy)}
    return claims


def custom_parameters(
    custom: dict[str, str], context: Any, link: Link | None, membership: Membership | None
) -> dict[str, str]:
    """Replace the variables that the platform knows. Others are sent as they are, as the specification demands."""
    due = link.line_item.due if link and link.line_item else None
    values = {
        "$Context.id": context.id,
        "$Context.id.history": ",".join(context.copied_from),
        "$ResourceLink.id": link.id if link else "",
        "$ResourceLink.submission.endDateTime": due.isoformat() if due else "",
        "$User.id": membership.user.sub if membership else "",
        "$com.instructure.User.sectionNames": json.dumps(membership.sections if membership else []),
    }
    return {name: values.get(value, value) for name, value in custom.items()}


def _service_claims(state: State, launch: Launch) -> Claims:
    claims: Claims = {}
    if scopes := [scope for scope in launch.tool.scopes if scope in GRADES_SCOPES]:
        endpoint = {"scope": scopes, "lineitems": state.line_items_url(launch.context, launch.deployment_id)}
        item = launch.line_item or (launch.link.line_item if launch.link else None)
        claims[GRADES_CLAIM] = endpoint | ({"lineitem": state.line_item_url(item)} if item else {})
    if MEMBERSHIPS_SCOPE in launch.tool.scopes:
        url = state.memberships_url(launch.context, launch.deployment_id)
        claims[MEMBERSHIPS_CLAIM] = {"context_memberships_url": url, "service_versions": ["2.0"]}
    if state.flavour.has_groups and GROUPS_SCOPE in launch.tool.scopes:
        url = state.groups_url(launch.context)
        claims[GROUPS_CLAIM] = {"scope": [GROUPS_SCOPE], "context_groups_url": url, "service_versions": ["1.0"]}
    return claims


def _deep_linking_settings(state: State, launch: Launch) -> dict[str, Any]:
    launch.data = secrets.token_urlsafe(16)
    state.deep_links[launch.data] = launch
    settings = {
        "deep_link_return_url": f"{state.url}/deep-link-return?request={launch.data}",
        "accept_types": list(state.accept_types),
        "accept_presentation_document_targets": ["iframe", "window"],
        "accept_multiple": state.accept_multiple,
        "accept_lineitem": state.accept_line_items,
        "auto_create": False,
    }
    return settings | ({"data": state.deep_link_data or f"csrf:{launch.data}"} if state.sends_data else {})
