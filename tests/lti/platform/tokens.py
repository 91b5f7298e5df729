"""Access tokens for services: client credentials with a JWT that the tool signed (private_key_jwt)."""

import secrets
from datetime import UTC, datetime

import jwt

from .keys import Claims, InvalidToken, verified
from .server import Refused, Request, Response, json_response, service_error
from .state import Grant, State, Tool

ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"


def token(state: State, request: Request) -> Response:
    fields = request.form
    if missing := [
        name for name in ("grant_type", "client_assertion_type", "client_assertion", "scope") if not fields.get(name)
    ]:
        return oauth_error("invalid_request", f"Missing in a form-encoded body: {', '.join(missing)}")
    if fields["grant_type"] != "client_credentials":
        return oauth_error("unsupported_grant_type", fields["grant_type"])
    if fields["client_assertion_type"] != ASSERTION_TYPE:
        return oauth_error("invalid_request", "Wrong client_assertion_type")
    try:
        tool = _client(state, fields["client_assertion"])
    except InvalidToken as error:
        return oauth_error("invalid_client", str(error), state.flavour.unknown_client)
    scopes = tuple(scope for scope in fields["scope"].split() if scope in tool.scopes)
    if not scopes:
        return oauth_error("invalid_scope", fields["scope"])
    access_token = secrets.token_urlsafe(24)
    state.grants[access_token] = Grant(tool, scopes, state.expiry())
    granted = {"access_token": access_token, "token_type": "Bearer", "expires_in": state.token_seconds}
    return json_response(granted | {"scope": " ".join(scopes)})


def oauth_error(error: str, description: str, status: int = 400) -> Response:
    return json_response({"error": error, "error_description": description}, status)


def _client(state: State, assertion: str) -> Tool:
    tool = state.tools.get(str(_unverified(assertion).get("sub")))  # and iss is checked to be the same below
    if tool is None or not tool.active:
        raise InvalidToken("The client is unknown or not active")
    required = ["iss", "sub", "aud", "iat", "exp", "jti"]
    claims = verified(assertion, tool.key_set_url, tool.client_id, [state.audience], required)
    use_once(state, f"jti {tool.client_id} {claims['jti']}")
    return tool


def _unverified(token: str) -> Claims:
    try:
        claims: Claims = jwt.decode(token, options={"verify_signature": False})
    except jwt.PyJWTError as error:
        raise InvalidToken(str(error)) from error
    return claims


def use_once(state: State, value: str) -> None:
    if value in state.used:
        raise InvalidToken(f"{value} was used before")
    state.used.add(value)


def authorized(state: State, request: Request, *scopes: str) -> Tool:
    """Return the tool that a request's access token belongs to, if it has one of the scopes."""
    kind, _, value = request.headers.get("authorization", "").partition(" ")
    grant = state.grants.get(value)
    if kind != "Bearer" or grant is None or grant.expires < datetime.now(UTC):
        raise Refused(service_error(401, "The access token is missing, unknown or expired"))
    if not set(scopes) & set(grant.scopes):
        raise Refused(service_error(403, f"The access token lacks the scope {' or '.join(scopes)}"))
    return grant.tool
