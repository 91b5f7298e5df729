"""A small tool that trusts everything, so that tests see what the platform itself checks and stores."""

import json
import secrets
import time
from email.message import Message
from types import TracebackType
from typing import Any, Self
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPRedirectHandler, build_opener
from urllib.request import Request as UrlRequest

from tests.lti.platform.keys import Claims, SigningKey
from tests.lti.platform.pages import page
from tests.lti.platform.platform import Platform, Registration
from tests.lti.platform.server import Form, Request, Response, Server, json_response
from tests.lti.platform.vocabulary import DEEP_LINK_RESPONSE, DEEP_LINKING, LTI, VERSION

ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"


class _NoRedirect(HTTPRedirectHandler):
    def redirect_request(self, *arguments: object) -> None:
        return None


class Answer:
    def __init__(self, status: int, headers: Message, body: bytes) -> None:
        self.status, self.headers, self.text = status, headers, body.decode()

    @property
    def json(self) -> Any:
        return json.loads(self.text)


def ask(
    url: str,
    body: bytes | None = None,
    *,
    method: str | None = None,
    headers: dict[str, str] | None = None,
    timeout: float = 60,
) -> Answer:
    request = UrlRequest(url, body, headers or {}, method=method)
    try:
        with build_opener(_NoRedirect).open(request, timeout=timeout) as answer:
            return Answer(answer.status, answer.headers, answer.read())
    except HTTPError as error:
        return Answer(error.code, error.headers, error.read())


class SampleTool:
    """Use it as a context manager. `connect` registers it with a platform."""

    def __init__(self, host: str = "127.0.0.1") -> None:
        self.key = SigningKey()
        self.server = Server(self._answer, host)
        self.url = self.server.url
        self.platform: Platform
        self.registration: Registration
        self.logins: list[dict[str, str]] = []
        self.launches: list[dict[str, str]] = []
        self.stores_in_platform = False

    def __enter__(self) -> Self:
        self.server.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.server.close()

    def connect(self, platform: Platform, **options: Any) -> Registration:
        self.platform = platform
        uris = [f"{self.url}/launch"]
        self.registration = platform.register_tool(
            login_url=f"{self.url}/login", redirect_uris=uris, key_set_url=f"{self.url}/jwks", **options
        )
        return self.registration

    # Launches

    def _answer(self, request: Request) -> Response:
        if request.path == "/login":
            return self._login(request.query | request.form)
        if request.path == "/launch":
            self.launches.append(request.form)
            target = json.dumps(self.logins[-1].get("lti_storage_target") if self.logins else None)
            text = request.form.get("error", "welcome")
            return page("Launched", f"<h1>Launched</h1><p>{text}</p>{_READ.replace('TARGET', target)}")
        if request.path == "/register":
            return page("Registered", "<script>parent.postMessage({subject: 'org.imsglobal.lti.close'}, '*')</script>")
        return json_response({"keys": [self.key.jwk]})

    def _login(self, fields: dict[str, str]) -> Response:
        self.logins.append(fields)
        url = f"{self.registration.auth_url}?{urlencode(self.auth_parameters(fields))}"
        if not self.stores_in_platform:
            return Response(302, headers={"Location": url})
        return page(
            "Login", _STORE.replace("TARGET", json.dumps(fields["lti_storage_target"])).replace("NEXT", json.dumps(url))
        )

    def auth_parameters(self, login: dict[str, str]) -> dict[str, str]:
        return {
            "scope": "openid",
            "response_type": "id_token",
            "response_mode": "form_post",
            "prompt": "none",
            "client_id": self.registration.client_id,
            "redirect_uri": f"{self.url}/launch",
            "login_hint": login["login_hint"],
            "lti_message_hint": login["lti_message_hint"],
            "state": secrets.token_hex(8),
            "nonce": secrets.token_hex(8),
        }

    # Services

    def assertion(self, **changes: Any) -> str:
        now = int(time.time())
        client_id = self.registration.client_id
        claims = {"iss": client_id, "sub": client_id, "aud": self.registration.audience, "iat": now, "exp": now + 60}
        return self.key.sign({**claims, "jti": secrets.token_hex(8), **changes})

    def request_token(self, *scopes: str, assertion: str | None = None) -> Answer:
        fields = {"grant_type": "client_credentials", "client_assertion_type": ASSERTION, "scope": " ".join(scopes)}
        content = urlencode({**fields, "client_assertion": assertion or self.assertion()}).encode()
        return ask(self.registration.token_url, content)

    def call(self, url: str, scope: str, media_type: str, body: object = None, method: str | None = None) -> Answer:
        """Call a service with a new access token. With a body, the media type is that of the body."""
        token = self.request_token(scope).json["access_token"]
        headers = {"Authorization": f"Bearer {token}", "Accept" if body is None else "Content-Type": media_type}
        return ask(url, None if body is None else json.dumps(body).encode(), method=method, headers=headers)

    def deep_link_answer(self, request: Claims, items: list[dict[str, Any]], **changes: Any) -> Form:
        """Return the form that answers a deep linking request. A change of None removes a claim."""
        now = int(time.time())
        settings = request[DEEP_LINKING + "deep_linking_settings"]
        claims = {
            "iss": self.registration.client_id,
            "aud": request["iss"],
            "iat": now,
            "exp": now + 60,
            "nonce": secrets.token_hex(8),
            LTI + "message_type": DEEP_LINK_RESPONSE,
            LTI + "version": VERSION,
            LTI + "deployment_id": request[LTI + "deployment_id"],
            DEEP_LINKING + "data": settings.get("data"),
            DEEP_LINKING + "content_items": items,
            **changes,
        }
        token = self.key.sign({name: value for name, value in claims.items() if value is not None})
        return Form(settings["deep_link_return_url"], {"JWT": token})

    def submit(self, form: Form) -> Answer:
        return ask(form.action, urlencode(form.fields).encode())


_STORE = """<script>
const target = TARGET;
const put = () => (target === '_parent' ? parent : parent.frames[target]).postMessage(
  {subject: 'lti.put_data', key: 'state', value: 'remembered', message_id: '1'}, '*');
const again = setInterval(put, 100);  // until the frame of the platform has loaded
addEventListener('message', event => {
  clearInterval(again);
  location.href = NEXT;
});
</script>"""
_READ = """<p role="status"></p><script>
const target = TARGET;
addEventListener('message', event => {
  if (event.data.key === 'state') document.querySelector('[role=status]').textContent = event.data.value;
});
if (target) (target === '_parent' ? parent : parent.frames[target]).postMessage(
  {subject: 'lti.get_data', key: 'state', message_id: '2'}, '*');
</script>"""
