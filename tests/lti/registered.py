"""Gradus as a tool of a platform: its key set on loopback, and its registration."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from autograder.lti import keys
from autograder.lti.models import Deployment, Registration
from tests.lti.platform import Platform
from tests.lti.platform.server import Server, json_response
from tests.lti.platform.vocabulary import ALL_SCOPES

TOOL = "https://gradus.test"


@contextmanager
def key_set_served() -> Iterator[str]:
    """Serve the key set of Gradus as it is now, at the address that is returned."""
    found = keys.key_set()
    server = Server(lambda request: json_response(found), "127.0.0.1")
    server.start()
    try:
        yield f"{server.url}/jwks"
    finally:
        server.close()


def register(platform: Platform, key_set_url: str, *, scopes: tuple[str, ...] = ALL_SCOPES, **changes: Any) -> Registration:
    """Register Gradus on both sides. `changes` are mistakes of an administrator."""
    copied = platform.register_tool(
        login_url=f"{TOOL}/lti/login/", redirect_uris=[f"{TOOL}/lti/launch/"], key_set_url=key_set_url, scopes=scopes
    )
    values = {
        "name": "The school",
        "issuer": copied.issuer,
        "client_id": copied.client_id,
        "auth_url": copied.auth_url,
        "token_url": copied.token_url,
        "key_set_url": copied.key_set_url,
        "audience": copied.audience if copied.audience != copied.token_url else "",
    }
    registration = Registration.objects.create(**values | changes)
    Deployment.objects.create(registration=registration, deployment_id=copied.deployment_id, state=Deployment.State.APPROVED)
    return registration
