"""The test platform itself: what it sends, what it refuses, and how launches and keys can go wrong on demand."""

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
import pytest

from tests.lti.classroom import Classroom, classroom
from tests.lti.platform import BLACKBOARD, BRIGHTSPACE, CANVAS, MOODLE, TAMPERINGS, Flavour, Platform, User
from tests.lti.platform.keys import Claims
from tests.lti.platform.server import Form
from tests.lti.platform.vocabulary import (
    ALL_SCOPES,
    DEEP_LINKING,
    GRADES_CLAIM,
    LTI,
    MEMBERSHIPS_CLAIM,
    PLATFORM_CONFIGURATION,
    SCORE_SCOPE,
    TOOL_CONFIGURATION,
)
from tests.lti.sample_tool import Answer, SampleTool, ask


@pytest.fixture(scope="module")
def moodle_site() -> Iterator[Classroom]:
    with classroom(MOODLE) as room:
        yield room


@pytest.fixture
def moodle(moodle_site: Classroom) -> Classroom:
    """A Moodle whose keys, settings and log are fresh."""
    moodle_site.platform.key_set_gone, moodle_site.platform.key_set_body = False, None
    moodle_site.platform.requests.clear()
    moodle_site.platform.errors.clear()
    return moodle_site


def launch(room: Classroom, user: User, changes: dict[str, str | None] | None = None) -> Form:
    """Launch the exercise. Changes are those of the authorization request; None removes a parameter."""
    form, session = room.platform.login_form(room.link, user)
    return authorize(room, form, session, changes)


def authorize(room: Classroom, login: Form, session: str, changes: dict[str, str | None] | None = None) -> Form:

    parameters = room.tool.auth_parameters(dict(login.fields)) | (changes or {})
    query = urlencode({name: value for name, value in parameters.items() if value is not None})
    return room.platform.authorize(f"{room.tool.registration.auth_url}?{query}", session)


def verify(room: Classroom, token: str) -> Claims:
    """Verify a message with the published keys of the platform."""
    registration = room.tool.registration
    keys = jwt.PyJWKSet.from_dict(ask(registration.key_set_url).json)
    key = keys[jwt.get_unverified_header(token)["kid"]]
    required = ["iss", "aud", "exp", "iat", "nonce"]
    claims: Claims = jwt.decode(
        token, key, ["RS256"], audience=registration.client_id, issuer=registration.issuer, options={"require": required}
    )
    return claims


# Launches


def test_a_launch_says_who_opens_what_in_which_course(moodle: Classroom) -> None:
    claims = verify(moodle, launch(moodle, moodle.ana).fields["id_token"])
    assert claims["sub"] == moodle.ana.sub
    assert claims[LTI + "message_type"] == "LtiResourceLinkRequest"
    assert claims[LTI + "version"] == "1.3.0"
    assert claims[LTI + "deployment_id"] == moodle.tool.registration.deployment_id
    assert claims[LTI + "target_link_uri"] == moodle.link.url
    assert claims[LTI + "resource_link"] == {"id": moodle.link.id, "title": "ReLU backward"}
    assert claims[LTI + "roles"] == ["http://purl.imsglobal.org/vocab/lis/v2/membership#Learner"]
    assert claims[LTI + "context"]["label"] == "AD101"
    assert claims[LTI + "custom"] == {"exercise": "fn-relu"}
    assert claims[LTI + "tool_platform"]["product_family_code"] == "moodle"
    assert claims[GRADES_CLAIM]["lineitem"] == moodle.platform.line_item_url(moodle.item)
    assert claims[MEMBERSHIPS_CLAIM]["service_versions"] == ["2.0"]


def test_a_login_names_the_platform_the_user_and_the_launch(moodle: Classroom) -> None:
    form, _ = moodle.platform.login_form(moodle.link, moodle.ana)
    assert form.action == f"{moodle.tool.url}/login"
    assert form.fields["iss"] == moodle.platform.url
    assert form.fields["login_hint"] == moodle.ana.sub
    assert form.fields["client_id"] == moodle.tool.registration.client_id
    assert form.fields["target_link_uri"] == moodle.link.url
    assert json.loads(form.fields["lti_message_hint"])["cmid"] == moodle.link.id


def test_ids_of_moodle_are_numbers(moodle: Classroom) -> None:
    assert moodle.ana.sub.isdecimal() and moodle.tool.registration.deployment_id.isdecimal()


def test_state_and_nonce_come_back(moodle: Classroom) -> None:
    form = launch(moodle, moodle.ana, {"state": "of this browser", "nonce": "of this login"})
    assert form.fields["state"] == "of this browser"
    assert verify(moodle, form.fields["id_token"])["nonce"] == "of this login"


@pytest.mark.parametrize(
    ("privacy", "shown"),
    [
        ("everything", {"name", "given_name", "family_name", "email"}),
        ("names-only", {"name", "given_name", "family_name"}),
        ("email-only", {"email"}),
        ("nothing", set()),
    ],
)
def test_a_tool_learns_what_the_privacy_setting_allows(moodle: Classroom, privacy: Any, shown: set[str]) -> None:
    moodle.link.tool.privacy = privacy
    try:
        claims = verify(moodle, launch(moodle, moodle.ana).fields["id_token"])
    finally:
        moodle.link.tool.privacy = "everything"
    assert {"name", "given_name", "family_name", "email"} & set(claims) == shown


def test_variables_in_custom_parameters_are_replaced_if_they_are_known(moodle: Classroom) -> None:
    custom = {"who": "$User.id", "unknown": "$Person.address.timezone", "before": "$Context.id.history"}
    copy = moodle.platform.copy_context(moodle.context, "Next year")
    moodle.platform.enrol(copy, moodle.ana)
    link = moodle.platform.add_link(copy, "With variables", custom=custom)
    claims = verify(moodle, moodle.platform.id_token(link, moodle.ana, "n"))
    expected = {"who": moodle.ana.sub, "unknown": "$Person.address.timezone", "before": moodle.context.id}
    assert claims[LTI + "custom"] == expected


def test_a_copied_course_has_new_links_with_empty_columns(moodle: Classroom) -> None:
    copy = moodle.platform.copy_context(moodle.context, "Spring")
    links = [link for link in moodle.platform.links.values() if link.context is copy]
    assert [link.custom for link in links] == [moodle.link.custom]
    assert links[0].id != moodle.link.id and links[0].line_item and links[0].line_item.results == {}


def test_an_assistant_and_an_administrator_have_full_role_uris(moodle: Classroom) -> None:
    moodle.platform.enrol(moodle.context, moodle.gus, "TeachingAssistant", "Administrator")
    claims = verify(moodle, moodle.platform.id_token(moodle.link, moodle.gus, "n"))
    del moodle.context.members[moodle.gus.sub]
    assert "http://purl.imsglobal.org/vocab/lis/v2/membership/Instructor#TeachingAssistant" in claims[LTI + "roles"]
    assert "http://purl.imsglobal.org/vocab/lis/v2/institution/person#Administrator" in claims[LTI + "roles"]


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"scope": "profile"}, "invalid_scope"),
        ({"scope": None}, "invalid_request"),
        ({"response_type": "code"}, "unsupported_response_type"),
        ({"response_mode": "query"}, "invalid_request"),
        ({"response_mode": None}, "invalid_request"),
        ({"prompt": "login"}, "invalid_request"),
        ({"nonce": None}, "invalid_request"),
        ({"state": ""}, "invalid_request"),
        ({"login_hint": None}, "invalid_request"),
        ({"login_hint": "another user"}, "access_denied"),
        ({"lti_message_hint": None}, "invalid_request"),
        ({"lti_message_hint": "{}"}, "invalid_request"),
    ],
)
def test_a_wrong_authorization_request_returns_an_error(
    moodle: Classroom, changes: dict[str, str | None], error: str
) -> None:
    form = launch(moodle, moodle.ana, changes)
    assert form.action == f"{moodle.tool.url}/launch"
    assert form.fields["error"] == error
    assert "id_token" not in form.fields
    assert moodle.platform.errors[-1].startswith(error)


@pytest.mark.parametrize("changes", [{"redirect_uri": "SLASH"}, {"redirect_uri": None}, {"client_id": "unknown"}])
def test_an_error_is_shown_if_the_tool_is_not_known_for_sure(moodle: Classroom, changes: dict[str, str | None]) -> None:
    if changes.get("redirect_uri") == "SLASH":
        changes = {"redirect_uri": f"{moodle.tool.url}/launch/"}  # the URI has to be equal, not similar
    with pytest.raises(AssertionError, match=r"400: .*(not registered|not a registered)"):
        launch(moodle, moodle.ana, changes)


def test_a_hint_is_valid_once(moodle: Classroom) -> None:
    form, session = moodle.platform.login_form(moodle.link, moodle.ana)
    assert "id_token" in authorize(moodle, form, session).fields
    assert authorize(moodle, form, session).fields["error"] == "invalid_request"


def test_a_hint_is_bound_to_the_session_of_the_browser(moodle: Classroom) -> None:
    form, _ = moodle.platform.login_form(moodle.link, moodle.ana)
    other = moodle.platform.session_for(moodle.ana.sub)
    assert authorize(moodle, form, other).fields["error"] == "access_denied"


def test_without_a_cookie_the_platform_asks_again_and_then_refuses(moodle: Classroom) -> None:
    form, _ = moodle.platform.login_form(moodle.link, moodle.ana)
    again = authorize(moodle, form, "")
    assert again.action == "/auth" and again.fields["lti_message_hint"] == form.fields["lti_message_hint"]
    assert authorize(moodle, form, "", {"repost": "1"}).fields["error"] == "access_denied"


def test_a_review_names_the_student_and_the_line_item(moodle: Classroom) -> None:
    answer = ask(moodle.platform.review_url(moodle.item, moodle.ana, moodle.tara))
    session = re.findall("platform_session=([0-9a-f]+)", answer.headers["Set-Cookie"])[0]
    hint = next(reversed(moodle.platform.launches))
    form = authorize(moodle, Form("", {"login_hint": moodle.tara.sub, "lti_message_hint": hint}), session)
    claims = verify(moodle, form.fields["id_token"])
    assert claims[LTI + "message_type"] == "LtiSubmissionReviewRequest"
    assert claims["sub"] == moodle.tara.sub
    assert claims[LTI + "for_user"]["user_id"] == moodle.ana.sub
    assert claims[GRADES_CLAIM]["lineitem"] == moodle.platform.line_item_url(moodle.item)


def test_schools_on_one_issuer_differ_by_deployment() -> None:
    with classroom(BLACKBOARD, deployments=2) as room:
        first, second = room.tool.registration.deployment_ids
        other = room.platform.add_context("At another school", deployment_id=second)
        link = room.platform.add_link(other, "ReLU")
        here, there = (verify(room, room.platform.id_token(each, room.ana, "n")) for each in (room.link, link))
    assert here["iss"] == there["iss"] == "https://blackboard.com"
    assert here["aud"] == there["aud"]
    assert (here[LTI + "deployment_id"], there[LTI + "deployment_id"]) == (first, second)


def test_the_issuer_of_canvas_is_no_address_of_the_site() -> None:
    with Platform(CANVAS) as cloud, Platform(CANVAS, issuer="https://canvas.school.example") as own:
        assert cloud.issuer == "https://canvas.instructure.com"
        assert own.issuer == "https://canvas.school.example"


STORAGE = {
    "moodle": None,
    "canvas": "post_message_forwarding",
    "BlackboardLearn": "lti_storage_frame",
    "desire2learn": "_parent",
}


@pytest.mark.parametrize("flavour", [MOODLE, CANVAS, BLACKBOARD, BRIGHTSPACE])
def test_storage_is_offered_in_frames_of_platforms_that_have_it(flavour: Flavour) -> None:
    with classroom(flavour) as room:
        framed, _ = room.platform.login_form(room.link, room.ana, in_frame=True)
        alone, _ = room.platform.login_form(room.link, room.ana)
    assert framed.fields.get("lti_storage_target") == STORAGE[flavour.family]
    assert "lti_storage_target" not in alone.fields


# Messages that are wrong

REFUSED_BY_ANY_LIBRARY = {
    "expired": jwt.ExpiredSignatureError,
    "issued in the future": jwt.ImmatureSignatureError,
    "no exp": jwt.MissingRequiredClaimError,
    "no iat": jwt.MissingRequiredClaimError,
    "no nonce": jwt.MissingRequiredClaimError,
    "wrong issuer": jwt.InvalidIssuerError,
    "wrong audience": jwt.InvalidAudienceError,
    "unsigned": jwt.InvalidAlgorithmError,
    "unsigned without kid": KeyError,
    "no kid": KeyError,
    "unknown kid": KeyError,
    "signed with another key": KeyError,
    "signed with another key under the kid of the platform": jwt.InvalidSignatureError,
    "HS256 with the public key": jwt.InvalidAlgorithmError,
}


@pytest.mark.parametrize(("how", "error"), REFUSED_BY_ANY_LIBRARY.items())
def test_a_message_that_any_library_refuses(moodle: Classroom, how: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        verify(moodle, moodle.platform.tampered(how, moodle.link, moodle.ana, "n"))


ROLES, CONTEXT, RESOURCE = LTI + "roles", LTI + "context", LTI + "resource_link"
CHANGED_CLAIMS = {
    "several audiences without azp": {"aud"},
    "several audiences with the azp of another tool": {"aud", "azp"},
    "several audiences with azp": {"aud", "azp"},
    "one audience in a list": {"aud"},
    "wrong deployment": {LTI + "deployment_id"},
    "no deployment": {LTI + "deployment_id"},
    "wrong nonce": {"nonce"},
    "wrong version": {LTI + "version"},
    "no version": {LTI + "version"},
    "wrong message type": {LTI + "message_type"},
    "no message type": {LTI + "message_type"},
    "wrong target link": {LTI + "target_link_uri"},
    "no target link": {LTI + "target_link_uri"},
    "no sub": {"sub"},
    "oversized": {ROLES},
    "no context": {CONTEXT},
    "no resource link": {RESOURCE},
    "resource link without id": {RESOURCE},
    "no roles": {ROLES},
    "empty roles": {ROLES},
    "short roles": {ROLES},
    "unknown roles": {ROLES},
}


@pytest.mark.parametrize(("how", "names"), CHANGED_CLAIMS.items())
def test_a_message_that_only_a_tool_can_refuse_differs_in_nothing_else(moodle: Classroom, how: str, names: set[str]) -> None:
    right = verify(moodle, moodle.platform.id_token(moodle.link, moodle.ana, "n"))
    wrong = verify(moodle, moodle.platform.tampered(how, moodle.link, moodle.ana, "n"))
    times = {"iat", "exp"}
    assert {name for name in right.keys() | wrong.keys() if right.get(name) != wrong.get(name)} - times == names


def test_every_tampering_is_shown() -> None:
    assert REFUSED_BY_ANY_LIBRARY.keys() | CHANGED_CLAIMS.keys() == TAMPERINGS.keys()


def test_an_oversized_message_has_a_megabyte(moodle: Classroom) -> None:
    assert len(moodle.platform.tampered("oversized", moodle.link, moodle.ana, "n")) > 1_000_000


def test_only_the_next_message_is_tampered_with(moodle: Classroom) -> None:
    moodle.platform.tamper_next("expired")
    with pytest.raises(jwt.ExpiredSignatureError):
        verify(moodle, launch(moodle, moodle.ana).fields["id_token"])
    assert verify(moodle, launch(moodle, moodle.ana).fields["id_token"])["sub"] == moodle.ana.sub


def test_a_test_can_change_any_claim(moodle: Classroom) -> None:
    moodle.platform.change_next(lambda claims: claims.update(locale="pt"))
    assert verify(moodle, launch(moodle, moodle.ana).fields["id_token"])["locale"] == "pt"


def test_sent_messages_are_kept_so_that_a_test_can_replay_them(moodle: Classroom) -> None:
    form = launch(moodle, moodle.ana)
    assert moodle.platform.messages[-1] == (form.fields["id_token"], form.fields["state"])


# Keys


def test_a_rotated_key_signs_and_the_old_one_stays_published(moodle: Classroom) -> None:
    before = moodle.platform.id_token(moodle.link, moodle.ana, "n")
    moodle.platform.rotate_key()
    after = moodle.platform.id_token(moodle.link, moodle.ana, "n")
    assert jwt.get_unverified_header(before)["kid"] != jwt.get_unverified_header(after)["kid"]
    assert verify(moodle, before)["sub"] == verify(moodle, after)["sub"] == moodle.ana.sub


def test_a_key_can_be_removed(moodle: Classroom) -> None:
    before = moodle.platform.id_token(moodle.link, moodle.ana, "n")
    moodle.platform.rotate_key(keep_old=False)
    with pytest.raises(KeyError):
        verify(moodle, before)


def test_the_key_set_can_be_gone_or_malformed(moodle: Classroom) -> None:
    moodle.platform.key_set_gone = True
    assert ask(moodle.tool.registration.key_set_url).status == 404
    moodle.platform.key_set_gone, moodle.platform.key_set_body = False, "{"
    assert ask(moodle.tool.registration.key_set_url).text == "{"


def test_private_parts_of_keys_are_not_published(moodle: Classroom) -> None:
    assert ask(moodle.tool.registration.key_set_url).json["keys"][0].keys() == {"kty", "alg", "use", "kid", "n", "e"}


# Access tokens


def test_a_token_is_for_the_scopes_that_the_tool_may_have(moodle: Classroom) -> None:
    before = moodle.platform.token_requests
    answer = moodle.tool.request_token(SCORE_SCOPE, "https://scope.example/unknown")
    assert answer.json["token_type"] == "Bearer"
    assert answer.json["scope"] == SCORE_SCOPE
    assert answer.json["expires_in"] == 3600
    assert moodle.platform.token_requests == before + 1


@pytest.mark.parametrize(
    "changes",
    [
        {"aud": "https://another-platform.example/token"},
        {"iss": "another-tool"},
        {"sub": "another-tool"},
        {"exp": 1_000_000_000},
        {"iat": 9_000_000_000},
        {"jti": None},
    ],
)
def test_a_wrong_assertion_is_refused(moodle: Classroom, changes: dict[str, Any]) -> None:
    answer = moodle.tool.request_token(SCORE_SCOPE, assertion=moodle.tool.assertion(**changes))
    assert (answer.status, answer.json["error"]) == (400, "invalid_client")


def test_an_assertion_is_valid_once(moodle: Classroom) -> None:
    assertion = moodle.tool.assertion()
    assert moodle.tool.request_token(SCORE_SCOPE, assertion=assertion).status == 200
    assert moodle.tool.request_token(SCORE_SCOPE, assertion=assertion).json["error"] == "invalid_client"


def test_an_assertion_has_to_be_signed_with_a_key_of_the_tool(moodle: Classroom) -> None:
    with SampleTool() as thief:
        thief.registration = moodle.tool.registration
        thief.key.kid = moodle.tool.key.kid
        assert thief.request_token(SCORE_SCOPE).json["error"] == "invalid_client"


def test_a_token_without_any_permitted_scope_is_refused(moodle: Classroom) -> None:
    assert moodle.tool.request_token("openid").json["error"] == "invalid_scope"


def test_another_grant_or_a_json_body_is_refused(moodle: Classroom) -> None:
    url = moodle.tool.registration.token_url
    form = b"grant_type=password&client_assertion_type=x&client_assertion=x&scope=x"
    assert ask(url, form).json["error"] == "unsupported_grant_type"
    assert ask(url, b"{}", headers={"Content-Type": "application/json"}).json["error"] == "invalid_request"


def test_brightspace_has_an_audience_of_its_own() -> None:
    with classroom(BRIGHTSPACE) as room:
        registration = room.tool.registration
        assert registration.audience == "https://api.brightspace.com/auth/token" != registration.token_url
        assert room.tool.request_token(SCORE_SCOPE).status == 200
        for_token_url = room.tool.assertion(aud=registration.token_url)
        assert room.tool.request_token(SCORE_SCOPE, assertion=for_token_url).status == 401


# Deep linking


def deep_link_request(room: Classroom) -> Claims:
    answer = ask(room.platform.deep_link_url(room.context, room.tara))
    session = re.findall("platform_session=([0-9a-f]+)", answer.headers["Set-Cookie"])[0]
    hint = next(reversed(room.platform.launches))
    form = authorize(room, Form("", {"login_hint": room.tara.sub, "lti_message_hint": hint}), session)
    return verify(room, form.fields["id_token"])


ITEM = {
    "type": "ltiResourceLink",
    "title": "Softmax backward",
    "url": "https://tool.example/launch",
    "custom": {"exercise": "fn-softmax"},
    "lineItem": {"scoreMaximum": 20, "label": "Softmax", "resourceId": "fn-softmax", "tag": "exercise"},
}


def test_content_items_become_links_with_line_items(moodle: Classroom) -> None:
    request = deep_link_request(moodle)
    assert request[LTI + "message_type"] == "LtiDeepLinkingRequest"
    assert LTI + "resource_link" not in request
    plain = {"type": "ltiResourceLink", "title": "Reading"}
    answer = moodle.tool.submit(moodle.tool.deep_link_answer(request, [ITEM, plain]))
    assert answer.status == 200 and "Softmax backward" in answer.text
    softmax, reading = list(moodle.platform.links.values())[-2:]
    assert (softmax.title, softmax.url, softmax.custom) == (ITEM["title"], ITEM["url"], ITEM["custom"])
    assert softmax.line_item and softmax.line_item.score_maximum == 20
    assert (softmax.line_item.resource_id, softmax.line_item.tag) == ("fn-softmax", "exercise")
    assert reading.line_item is None and reading.url == moodle.link.tool.launch_url


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"aud": "https://another-platform.example"}, "Audience"),
        ({"iss": "another-tool"}, "issuer"),
        ({"exp": 1_000_000_000}, "expired"),
        ({"nonce": None}, "nonce"),
        ({DEEP_LINKING + "data": None}, "data is None"),
        ({DEEP_LINKING + "data": "of another request"}, "data is"),
        ({LTI + "deployment_id": "another"}, "deployment_id"),
        ({LTI + "message_type": "LtiDeepLinkingRequest"}, "message_type"),
        ({LTI + "version": "1.1"}, "version"),
        ({DEEP_LINKING + "content_items": [{"type": "link", "url": "https://a.example"}]}, "type link is not accepted"),
        ({DEEP_LINKING + "content_items": [{**ITEM, "lineItem": {"label": "No maximum"}}]}, "scoreMaximum is None"),
        ({DEEP_LINKING + "content_items": [{**ITEM, "custom": {"number": 1}}]}, "custom has a value"),
        ({DEEP_LINKING + "content_items": "none"}, "not a list"),
    ],
)
def test_a_wrong_answer_to_deep_linking_is_refused(moodle: Classroom, changes: dict[str, Any], reason: str) -> None:
    links = len(moodle.platform.links)
    answer = moodle.tool.submit(moodle.tool.deep_link_answer(deep_link_request(moodle), [ITEM], **changes))
    assert answer.status == 400 and reason in answer.text
    assert len(moodle.platform.links) == links


def test_a_deep_linking_request_is_answered_once(moodle: Classroom) -> None:
    request = deep_link_request(moodle)
    answers = [moodle.tool.submit(moodle.tool.deep_link_answer(request, [ITEM])).status for _ in range(2)]
    assert answers == [200, 400]


def test_a_nonce_of_a_tool_is_valid_once(moodle: Classroom) -> None:
    answers = [
        moodle.tool.submit(moodle.tool.deep_link_answer(deep_link_request(moodle), [], nonce="the same")).status
        for _ in range(2)
    ]
    assert answers == [200, 400]


def test_a_platform_can_accept_one_item_and_no_line_items(moodle: Classroom) -> None:
    moodle.platform.accept_multiple = moodle.platform.accept_line_items = False
    try:
        plain = {"type": "ltiResourceLink", "title": "Plain"}
        request = deep_link_request(moodle)
        assert request[DEEP_LINKING + "deep_linking_settings"]["accept_multiple"] is False
        assert "more than one" in moodle.tool.submit(moodle.tool.deep_link_answer(request, [plain, plain])).text
        assert "line items are not accepted" in moodle.tool.submit(moodle.tool.deep_link_answer(request, [ITEM])).text
        assert moodle.tool.submit(moodle.tool.deep_link_answer(request, [plain])).status == 200
    finally:
        moodle.platform.accept_multiple = moodle.platform.accept_line_items = True


def test_data_is_not_to_be_returned_if_none_was_sent(moodle: Classroom) -> None:
    moodle.platform.sends_data = False
    try:
        request = deep_link_request(moodle)
        assert "data" not in request[DEEP_LINKING + "deep_linking_settings"]
        assert moodle.tool.submit(moodle.tool.deep_link_answer(request, [ITEM])).status == 200
    finally:
        moodle.platform.sends_data = True


# Dynamic registration


def metadata(tool: SampleTool, **changes: Any) -> dict[str, Any]:
    content: dict[str, Any] = {
        "application_type": "web",
        "response_types": ["id_token"],
        "grant_types": ["client_credentials", "implicit"],
        "initiate_login_uri": f"{tool.url}/login",
        "redirect_uris": [f"{tool.url}/launch"],
        "client_name": "Gradus",
        "jwks_uri": f"{tool.url}/jwks",
        "token_endpoint_auth_method": "private_key_jwt",
        "scope": " ".join(ALL_SCOPES[:4]),
        TOOL_CONFIGURATION: {
            "domain": "127.0.0.1",
            "target_link_uri": f"{tool.url}/launch",
            "claims": ["iss", "sub"],
            "messages": [{"type": "LtiDeepLinkingRequest", "target_link_uri": f"{tool.url}/pick"}],
        },
        **changes,
    }
    return {name: value for name, value in content.items() if value is not None}


def register(platform: Platform, content: dict[str, Any], token: str | None = None) -> Answer:

    query = parse_qs(urlsplit(platform.registration_url("https://tool.example/lti/register?tenant=1")).query)
    assert query["tenant"] == ["1"]
    configuration = ask(query["openid_configuration"][0]).json
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token or query['registration_token'][0]}"}
    return ask(configuration["registration_endpoint"], json.dumps(content).encode(), headers=headers)


def test_the_configuration_names_the_endpoints(moodle: Classroom) -> None:
    configuration = ask(f"{moodle.platform.url}/openid-configuration").json
    registration = moodle.tool.registration
    assert configuration["issuer"] == registration.issuer
    assert configuration["authorization_endpoint"] == registration.auth_url
    assert configuration["token_endpoint"] == registration.token_url
    assert configuration["jwks_uri"] == registration.key_set_url
    assert configuration[PLATFORM_CONFIGURATION]["product_family_code"] == "moodle"


def test_a_tool_that_registered_is_pending_until_it_is_activated(moodle: Classroom) -> None:
    answer = register(moodle.platform, metadata(moodle.tool))
    client_id = answer.json["client_id"]
    tool = moodle.platform.tools[client_id]
    assert answer.json[TOOL_CONFIGURATION]["deployment_id"] == tool.deployment_ids[0]
    assert (tool.redirect_uris, tool.deep_link_url) == ([f"{moodle.tool.url}/launch"], f"{moodle.tool.url}/pick")
    assert tool.scopes == ALL_SCOPES[:4]
    link = moodle.platform.add_link(moodle.context, "Of the new tool", client_id=client_id)
    assert ask(moodle.platform.launch_url(link, moodle.ana)).status == 403
    moodle.platform.activate(client_id)
    assert ask(moodle.platform.launch_url(link, moodle.ana)).status == 200


def test_a_pending_tool_gets_no_access_token(moodle: Classroom) -> None:
    client_id = register(moodle.platform, metadata(moodle.tool)).json["client_id"]
    assertion = moodle.tool.assertion(iss=client_id, sub=client_id)
    assert moodle.tool.request_token(SCORE_SCOPE, assertion=assertion).json["error"] == "invalid_client"
    moodle.platform.activate(client_id)
    assertion = moodle.tool.assertion(iss=client_id, sub=client_id)
    assert moodle.tool.request_token(SCORE_SCOPE, assertion=assertion).status == 200


def test_canvas_needs_no_activation() -> None:
    with Platform(CANVAS) as platform, SampleTool() as tool:
        assert platform.tools[register(platform, metadata(tool)).json["client_id"]].active


def test_a_registration_token_is_valid_once(moodle: Classroom) -> None:
    token = "used before"
    moodle.platform.registration_tokens.add(token)
    assert register(moodle.platform, metadata(moodle.tool), token).status == 200
    assert register(moodle.platform, metadata(moodle.tool), token).status == 401


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"jwks_uri": None}, "missing: jwks_uri"),
        ({"redirect_uris": "https://tool.example/launch"}, "invalid redirect_uris"),
        ({"response_types": ["code"]}, "invalid response_types"),
        ({"token_endpoint_auth_method": "client_secret_basic"}, "invalid token_endpoint_auth_method"),
        ({"grant_types": ["implicit"]}, "invalid grant_types"),
        ({"application_type": "native"}, "invalid application_type"),
        ({TOOL_CONFIGURATION: None}, "missing: domain"),
    ],
)
def test_wrong_metadata_is_refused(moodle: Classroom, changes: dict[str, Any], reason: str) -> None:
    answer = register(moodle.platform, metadata(moodle.tool, **changes))
    assert (answer.status, answer.json["error"]) == (400, "invalid_client_metadata")
    assert reason in answer.json["error_description"]


# Pages


def test_a_course_lists_its_links_and_staff_can_add_content(moodle: Classroom) -> None:
    student, teacher = (ask(moodle.platform.course_url(moodle.context, user)).text for user in (moodle.ana, moodle.tara))
    assert "ReLU backward" in student and f"/launch/{moodle.link.id}" in student
    assert "/deep-link/" in teacher and "/deep-link/" not in student
    assert ask(moodle.platform.course_url(moodle.context, moodle.gus)).status == 404


def test_a_gradebook_shows_final_grades(moodle: Classroom) -> None:
    moodle.platform.override(moodle.item, moodle.ben, 7.5, "By hand")
    text = ask(f"{moodle.platform.url}/gradebook/{moodle.context.id}").text
    assert "7.5 overridden By hand" in text


def test_titles_are_escaped(moodle: Classroom) -> None:
    link = moodle.platform.add_link(moodle.context, "<b>Bold & brave</b>")
    for frame in (False, True):
        text = ask(moodle.platform.launch_url(link, moodle.ana, frame=frame)).text
        assert "<b>" not in text and "&lt;b&gt;Bold &amp; brave" in text


def test_an_unknown_address_or_method_is_refused(moodle: Classroom) -> None:
    assert ask(f"{moodle.platform.url}/nothing").status == 404
    assert ask(f"{moodle.platform.url}/token").status == 405
