"""The pages of the test platform in Chromium. The tool is of another site: `localhost`, not `127.0.0.1`."""

from collections.abc import Iterator

import jwt
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import chromium, patient
from tests.lti.classroom import Classroom, classroom
from tests.lti.platform import BLACKBOARD, BRIGHTSPACE, CANVAS, MOODLE, Flavour
from tests.lti.platform.vocabulary import DEEP_LINKING, LTI
from tests.lti.sample_tool import SampleTool


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    with browser.new_context() as context:
        yield patient(context).new_page()


@pytest.fixture(params=["GET", "POST"])
def moodle(request: pytest.FixtureRequest) -> Iterator[Classroom]:
    """Moodle, with each method for logins."""
    with classroom(MOODLE, host="localhost") as room:
        room.platform.login_method = request.param
        yield room


def test_a_link_opens_the_tool_in_a_frame(moodle: Classroom, page: Page) -> None:
    page.goto(moodle.platform.course_url(moodle.context, moodle.ana))
    page.get_by_role("listitem").filter(has_text="ReLU backward").get_by_role("link", name="Open", exact=True).click()
    expect(page.get_by_role("heading", name="Automatic Differentiation")).to_be_visible()
    expect(page.frame_locator("[name=tool]").get_by_role("heading", name="Launched")).to_be_visible()
    assert moodle.tool.server.requests[0].method == moodle.platform.login_method
    assert "id_token" in moodle.tool.launches[0]


def test_a_link_opens_the_tool_in_a_new_window(moodle: Classroom, page: Page) -> None:
    page.goto(moodle.platform.course_url(moodle.context, moodle.ana))
    with page.expect_popup() as popup:
        page.get_by_role("link", name="Open in a new window").click()
    expect(popup.value.get_by_role("heading", name="Launched")).to_be_visible()
    assert popup.value.url == f"{moodle.tool.url}/launch"


def test_an_error_is_shown_to_the_tool(moodle: Classroom, page: Page) -> None:
    page.goto(moodle.platform.launch_url(moodle.link, moodle.ana, frame=True))
    tool = page.frame_locator("[name=tool]")
    expect(tool.get_by_role("heading", name="Launched")).to_be_visible()
    login = moodle.tool.logins[0]
    page.goto(f"{moodle.tool.url}/login?login_hint={login['login_hint']}&lti_message_hint=used")
    expect(page.get_by_text("invalid_request")).to_be_visible()


@pytest.mark.parametrize("flavour", [CANVAS, BLACKBOARD, BRIGHTSPACE])
def test_a_tool_in_a_frame_stores_values_in_the_platform(flavour: Flavour, page: Page) -> None:
    with classroom(flavour, host="localhost") as room:
        room.tool.stores_in_platform = True
        page.goto(room.platform.launch_url(room.link, room.ana, frame=True))
        expect(page.frame_locator("[name=tool]").get_by_role("status")).to_contain_text("remembered")
        sent = room.tool.launches[0].get("lti_storage_target")
        assert sent == (flavour.storage_target if flavour is not BLACKBOARD else None)


ASK_STORAGE = """([target, message]) => new Promise(done => {
  addEventListener('message', event => done(event.data), {once: true});
  (target === '_parent' ? parent : parent.frames[target]).postMessage(message, '*');
})"""


def test_storage_says_what_it_supports_and_refuses_the_rest(page: Page) -> None:
    with classroom(CANVAS, host="localhost") as room:
        page.goto(room.platform.launch_url(room.link, room.ana, frame=True))
        expect(page.frame_locator("[name=tool]").get_by_role("heading", name="Launched")).to_be_visible()
        tool = page.frame("tool")
        assert tool

        def ask(target: str, **message: object) -> dict[str, object]:
            answer: dict[str, object] = tool.evaluate(ASK_STORAGE, [target, message])
            return answer

        frame = "post_message_forwarding"
        capabilities = ask("_parent", subject="lti.capabilities", message_id="1")
        supported = capabilities["supported_messages"]
        assert {"subject": "lti.put_data", "frame": frame} in supported  # type: ignore[operator]
        put = ask(frame, subject="lti.put_data", message_id="2", key="nonce", value="n")
        assert put == {"subject": "lti.put_data.response", "message_id": "2", "key": "nonce", "value": "n"}
        got = ask(frame, subject="lti.get_data", message_id="3", key="nonce")
        assert got == {"subject": "lti.get_data.response", "message_id": "3", "key": "nonce", "value": "n"}
        assert ask(frame, subject="lti.get_data", message_id="4", key="other")["value"] is None
        errors = [
            ask(frame, subject="lti.put_data", message_id="5", key=5, value="v"),
            ask(frame, subject="lti.put_data", message_id="6", key="k", value="v" * 4097),
            ask(frame, subject="lti.frameResize", message_id="7", height=10),
        ]
        codes = [answer["error"]["code"] for answer in errors]  # type: ignore[index]
        assert codes == ["bad_request", "storage_exhaustion", "unsupported_subject"]


def test_storage_answers_registered_tools_only(page: Page) -> None:
    with classroom(BRIGHTSPACE, host="localhost") as room, SampleTool("localhost") as other:
        page.goto(room.platform.launch_url(room.link, room.ana, frame=True))
        tool = page.frame("tool")
        assert tool
        expect(page.frame_locator("[name=tool]").get_by_role("heading", name="Launched")).to_be_visible()
        tool.goto(f"{other.url}/launch")
        answer = tool.evaluate(ASK_STORAGE, ["_parent", {"subject": "lti.get_data", "key": "state", "message_id": "1"}])
        assert answer["error"]["code"] == "wrong_origin"


def test_an_instructor_adds_content(moodle: Classroom, page: Page) -> None:
    page.goto(moodle.platform.course_url(moodle.context, moodle.tara))
    page.get_by_role("link", name="Add content from Gradus").click()
    expect(page.frame_locator("[name=tool]").get_by_role("heading", name="Launched")).to_be_visible()
    token, _ = moodle.platform.messages[-1]
    request = jwt.decode(token, options={"verify_signature": False})
    assert request[LTI + "message_type"] == "LtiDeepLinkingRequest"
    form = moodle.tool.deep_link_answer(request, [{"type": "ltiResourceLink", "title": "Softmax backward"}])
    assert form.action == request[DEEP_LINKING + "deep_linking_settings"]["deep_link_return_url"]
    page.set_content(
        f"<form action='{form.action}' method=POST><input name=JWT value='{form.fields['JWT']}'><button>Add</button></form>"
    )
    page.get_by_role("button", name="Add").click()
    page.get_by_role("link", name="Automatic Differentiation").click()
    expect(page.get_by_role("listitem").filter(has_text="Softmax backward")).to_be_visible()


def test_an_instructor_reviews_a_submission_from_the_gradebook(moodle: Classroom, page: Page) -> None:
    moodle.platform.override(moodle.item, moodle.ana, 7)
    page.goto(moodle.platform.course_url(moodle.context, moodle.tara))
    page.get_by_role("link", name="Gradebook").click()
    page.get_by_role("row", name="Ana Silva").get_by_role("link", name="Review").click()
    expect(page.frame_locator("[name=tool]").get_by_role("heading", name="Launched")).to_be_visible()
    token, _ = moodle.platform.messages[-1]
    claims = jwt.decode(token, options={"verify_signature": False})
    assert claims[LTI + "for_user"]["user_id"] == moodle.ana.sub


def test_an_administrator_registers_and_activates_a_tool(moodle: Classroom, page: Page) -> None:
    page.goto(f"{moodle.platform.url}/admin/register-tool")
    page.get_by_label("Registration URL").fill(f"{moodle.tool.url}/register")
    page.get_by_role("button", name="Register").click()
    expect(page.get_by_role("status")).to_have_text("The tool closed the registration.")
    expect(page.locator("iframe")).to_have_count(0)
    assert "registration_token" in moodle.tool.server.requests[0].query
    moodle.link.tool.active = False
    page.reload()
    page.get_by_role("button", name="Activate").click()
    expect(page.get_by_role("listitem").filter(has_text="Gradus: active")).to_be_visible()
    assert moodle.link.tool.active
