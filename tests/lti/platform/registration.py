"""Dynamic registration: a tool reads the configuration of the platform, and registers itself with a token."""

import secrets
from typing import Any
from urllib.parse import urlencode, urlsplit

from .server import Refused, Request, Response, json_response, service_error
from .state import State, Tool
from .tokens import oauth_error
from .vocabulary import ALL_SCOPES, DEEP_LINK, PLATFORM_CONFIGURATION, RESOURCE_LINK, TOOL_CONFIGURATION

REQUIRED = ("client_name", "initiate_login_uri", "redirect_uris", "jwks_uri", "response_types", "token_endpoint_auth_method")


def registration_url(state: State, tool_url: str) -> str:
    """Return the address at which a tool starts to register: its own, with a token that is valid once."""
    token = secrets.token_urlsafe(16)
    state.registration_tokens.add(token)
    parameters = urlencode({"openid_configuration": f"{state.url}/openid-configuration", "registration_token": token})
    return f"{tool_url}{'&' if urlsplit(tool_url).query else '?'}{parameters}"


def openid_configuration(state: State, request: Request) -> Response:
    return json_response(
        {
            "issuer": state.issuer,
            "authorization_endpoint": f"{state.url}/auth",
            "token_endpoint": state.token_url,
            "token_endpoint_auth_methods_supported": ["private_key_jwt"],
            "token_endpoint_auth_signing_alg_values_supported": ["RS256"],
            "jwks_uri": f"{state.url}/jwks",
            "registration_endpoint": f"{state.url}/register",
            "scopes_supported": ["openid", *ALL_SCOPES],
            "response_types_supported": ["id_token"],
            "response_modes_supported": ["form_post"],
            "subject_types_supported": ["public", "pairwise"],
            "id_token_signing_alg_values_supported": ["RS256"],
            "claims_supported": ["sub", "iss", "name", "given_name", "family_name", "email"],
            **({"authorization_server": state.audience} if state.flavour.audience else {}),
            PLATFORM_CONFIGURATION: {
                "product_family_code": state.flavour.family,
                "version": state.flavour.version,
                "messages_supported": [{"type": RESOURCE_LINK}, {"type": DEEP_LINK, "placements": ["ContentArea"]}],
                "variables": ["Context.id", "Context.id.history", "ResourceLink.id", "User.id"],
            },
        }
    )


def register(state: State, request: Request) -> Response:
    kind, _, value = request.headers.get("authorization", "").partition(" ")
    if kind != "Bearer" or value not in state.registration_tokens:
        raise Refused(service_error(401, "The registration token is missing, unknown or was used before"))
    if request.media_type != "application/json":
        raise Refused(service_error(415, "Content-Type has to be application/json"))
    metadata = request.json
    if problem := _problem(metadata):
        return oauth_error("invalid_client_metadata", problem)
    state.registration_tokens.remove(value)
    tool = _tool(state, metadata)
    state.tools[tool.client_id] = tool
    configuration = metadata[TOOL_CONFIGURATION] | {"deployment_id": tool.deployment_ids[0]}
    answer = {**metadata, "client_id": tool.client_id, "scope": " ".join(tool.scopes), TOOL_CONFIGURATION: configuration}
    return json_response(answer)


def _problem(metadata: Any) -> str | None:
    """Return what is wrong with the metadata of a tool."""
    if not isinstance(metadata, dict):
        return "not an object"
    configuration = metadata.get(TOOL_CONFIGURATION) or {}
    missing = [name for name in REQUIRED if not metadata.get(name)]
    missing += [name for name in ("domain", "target_link_uri", "claims") if not configuration.get(name)]
    if missing:
        return f"missing: {', '.join(missing)}"
    expected = {
        "response_types": metadata["response_types"] == ["id_token"],
        "redirect_uris": isinstance(metadata["redirect_uris"], list),
        "token_endpoint_auth_method": metadata["token_endpoint_auth_method"] == "private_key_jwt",
        "application_type": metadata.get("application_type") == "web",
        "grant_types": {"client_credentials", "implicit"} <= set(metadata.get("grant_types", [])),
        "id_token_signed_response_alg": metadata.get("id_token_signed_response_alg", "RS256") == "RS256",
    }
    return ", ".join(f"invalid {name}" for name, valid in expected.items() if not valid) or None


def _tool(state: State, metadata: dict[str, Any]) -> Tool:
    configuration = metadata[TOOL_CONFIGURATION]
    requested = str(metadata.get("scope", "")).split()
    urls = {message["type"]: message.get("target_link_uri") for message in configuration.get("messages", [])}
    launch_url = configuration["target_link_uri"]
    return Tool(
        client_id=secrets.token_hex(8),
        login_url=metadata["initiate_login_uri"],
        redirect_uris=metadata["redirect_uris"],
        key_set_url=metadata["jwks_uri"],
        launch_url=launch_url,
        deep_link_url=urls.get(DEEP_LINK) or launch_url,
        deployment_ids=[state.new_id()],
        title=metadata["client_name"],
        scopes=tuple(scope for scope in ALL_SCOPES if scope in requested),
        custom=configuration.get("custom_parameters", {}),
        active=state.flavour.activated_at_once,
    )
