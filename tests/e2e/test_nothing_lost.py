"""No failure of the page, the connection or the site loses typed code or shows a wrong state."""

import re
import signal

from playwright.sync_api import Page, Route, expect

from tests.browser import Watch
from tests.chaos import below, kill
from tests.e2e.conftest import Visit
from tests.e2e.course import SLUG
from tests.e2e.exercise_page import ExercisePage, source
from tests.site import Site

SAVED = re.compile(r"Draft saved \d\d:\d\d")
WRONG = source("value-engine", "wrong/missing-upstream")
CUT = ("ERR_CONTENT_LENGTH_MISMATCH",
       "ERR_INTERNET_DISCONNECTED", "ERR_CONNECTION_REFUSED", "ERR_CONNECTION_RESET", "ERR_EMPTY_RESPONSE",
       "ERR_INCOMPLETE_CHUNKED_ENCODING", "ERR_NETWORK_CHANGED", "htmx:")  # fmt: skip


def submissions(page: Page, assignment: str) -> int:
    page.goto(f"/c/{SLUG}/{assignment}/history/")
    return page.locator("main table tbody tr").count()


def two_tabs(desk: ExercisePage) -> tuple[ExercisePage, ExercisePage]:
    """Two tabs that started with the same draft. The first has saved since."""
    second = ExercisePage(desk.page.context.new_page(), SLUG)
    desk.open("engine")
    second.open("engine")
    desk.put("mine = 1\n")
    expect(desk.saved).to_have_text(SAVED)
    return desk, second


def test_what_is_typed_is_there_on_another_device(desk: ExercisePage, visit: Visit, student: str) -> None:
    desk.open("engine").put("begun = 'here'\n")
    expect(desk.saved).to_have_text(SAVED)
    elsewhere = ExercisePage(visit(student), SLUG).open("engine")
    assert elsewhere.text == "begun = 'here'\n"


def test_what_is_typed_before_the_editor_is_there_stays(desk: ExercisePage) -> None:
    held: list[Route] = []
    desk.page.route("**/web/editor*.js", lambda route: held.append(route))
    desk.page.goto(f"/c/{SLUG}/engine/", wait_until="commit")
    plain = desk.page.locator("#source")
    plain.fill("early = ")
    assert held
    held.pop().continue_()
    expect(desk.editor).to_be_focused()
    desk.page.keyboard.type("1")
    assert desk.text == "early = 1"
    expect(desk.saved).to_have_text(SAVED)


def test_two_tabs_ask_and_the_own_text_can_be_kept(desk: ExercisePage, watch: Watch) -> None:
    watch.expects("status of 409")
    first, second = two_tabs(desk)
    expect(second.saved).to_have_text("Starter code, unchanged")
    second.put("other = 2\n")
    expect(second.notes).to_contain_text("Your code was also changed in another tab or on another device")
    expect(second.notes).to_contain_text("Which one do you want to continue with?")
    expect(second.saved).to_have_text("Not saved yet")
    assert second.notes.locator("li.del code").all_inner_texts() == ["mine = 1"]
    assert second.notes.locator("li.add code").all_inner_texts() == ["other = 2"]
    second.page.get_by_role("button", name="Use the code in this editor").click()
    expect(second.saved).to_have_text(SAVED)
    assert second.text == "other = 2\n"
    second.page.keyboard.press("Control+z")
    assert second.text == "mine = 1\n"
    second.page.keyboard.press("Control+y")
    expect(second.notes).to_be_empty()
    first.page.reload()
    assert first.text == "other = 2\n"


def test_two_tabs_ask_and_the_other_text_can_be_taken(desk: ExercisePage, watch: Watch) -> None:
    watch.expects("status of 409")
    _, second = two_tabs(desk)
    second.put("other = 2\n")
    second.page.get_by_role("button", name="Use the saved code").click()
    assert second.text == "mine = 1\n"
    second.page.keyboard.press("Control+z")
    assert second.text == "other = 2\n"


def test_edited_reloaded_and_edited_again_is_no_conflict(desk: ExercisePage, watch: Watch) -> None:
    """A save sent while leaving a page may reach the server after the next page was rendered."""
    watch.expects("status of 409")
    desk.open("engine").put("a = 1\n")
    desk.page.reload()
    desk.type("b = 2\n")
    desk.send("run")
    desk.until_saved()
    expect(desk.notes).not_to_contain_text("Which one do you")
    assert desk.text == "a = 1\nb = 2\n"
    desk.page.reload()
    assert desk.text == "a = 1\nb = 2\n"


def test_a_saved_draft_whose_answer_was_lost_is_no_conflict(desk: ExercisePage, watch: Watch) -> None:
    watch.expects("status of 409", *CUT)
    desk.open("engine")

    def saved_without_an_answer(route: Route) -> None:
        assert route.fetch().ok
        route.abort("connectionreset")

    desk.page.route("**/draft/", saved_without_an_answer, times=1)
    desk.put("a = 1\n")
    expect(desk.notes).to_contain_text("Not saved on the server")
    desk.type("b = 2\n")
    desk.notes.get_by_role("button", name="Try now").click()
    desk.until_saved()
    expect(desk.notes).not_to_contain_text("Which one do you")
    desk.page.reload()
    assert desk.text == "a = 1\nb = 2\n"


def test_a_double_click_makes_one_submission(desk: ExercisePage) -> None:
    desk.open("engine").put(WRONG)
    desk.forget()
    desk.button("submit").dblclick()
    desk.verdict()
    assert submissions(desk.page, "engine") == 1


def test_a_broken_connection_while_typing(desk: ExercisePage, watch: Watch) -> None:
    watch.expects(*CUT)
    desk.open("engine")
    desk.page.context.set_offline(True)
    desk.put("typed = 'on a train'\n")
    expect(desk.notes).to_contain_text(
        "Not saved on the server: there is no connection. Your code is stored in this browser"
    )
    desk.button("run").click()
    expect(desk.notes).to_contain_text("No connection to the site. Your code is still in the editor.")
    desk.page.context.set_offline(False)
    expect(desk.saved).to_have_text(SAVED)
    expect(desk.notes).not_to_contain_text("Not saved")
    desk.page.reload()
    assert desk.text == "typed = 'on a train'\n"


def test_what_was_typed_without_a_connection_outlives_the_page(desk: ExercisePage, watch: Watch) -> None:
    watch.expects(*CUT)
    desk.open("engine")
    desk.page.context.set_offline(True)
    desk.put("typed = 'and closed'\n")
    expect(desk.notes).to_contain_text("Not saved on the server")
    again = ExercisePage(desk.page.context.new_page(), SLUG)
    # Chromium may still send the last request of a closing page although it is offline, which would leave nothing to
    # report.
    desk.page.evaluate("() => { window.fetch = () => Promise.reject(new TypeError('offline')); }")
    desk.page.close()
    again.page.context.set_offline(False)
    again.open("engine")
    expect(again.notes).to_contain_text("Your last changes had not been saved on the server. They are in the editor again.")
    assert again.text == "typed = 'and closed'\n"
    expect(again.saved).to_have_text(SAVED)


def test_what_was_typed_without_a_connection_stands_beside_what_another_device_saved(
    desk: ExercisePage, visit: Visit, student: str, watch: Watch
) -> None:
    watch.expects("status of 409", *CUT)
    desk.open("engine")
    desk.page.evaluate("() => { window.fetch = () => Promise.reject(new TypeError('offline')); }")
    desk.put("here = 1\n")
    expect(desk.notes).to_contain_text("Not saved on the server")
    elsewhere = ExercisePage(visit(student), SLUG).open("engine")
    elsewhere.put("elsewhere = 2\n")
    expect(elsewhere.saved).to_have_text(SAVED)
    again = ExercisePage(desk.page.context.new_page(), SLUG)
    desk.page.close()
    again.open("engine")
    expect(again.notes).to_contain_text("Your code was also changed in another tab or on another device")
    assert again.notes.locator("li.del code").all_inner_texts() == ["elsewhere = 2"]
    assert again.notes.locator("li.add code").all_inner_texts() == ["here = 1"]
    again.page.get_by_role("button", name="Use the code in this editor").click()
    expect(again.saved).to_have_text(SAVED)
    assert again.text == "here = 1\n"


def test_a_session_that_ended_while_typing(desk: ExercisePage, people: dict[str, str], student: str, watch: Watch) -> None:
    watch.expects("status of 403")
    desk.open("engine")
    context = desk.page.context
    context.clear_cookies()
    desk.put("typed = 'signed out'\n")
    expect(desk.notes).to_contain_text("You are signed out. Nothing is lost: sign in from a new tab, then come back here.")
    desk.button("run").click()
    expect(desk.notes.get_by_role("button", name="Try again")).to_be_visible()
    with context.expect_page() as opened:
        desk.notes.get_by_role("link", name="Sign in").first.click()
    opened.value.get_by_label("Username or email").fill(student)
    opened.value.get_by_label("Password").fill("the gradient flows back")
    opened.value.get_by_role("button", name="Sign in").click()
    expect(opened.value.get_by_role("heading", level=1)).to_have_text("A scalar engine")
    opened.value.close()
    desk.forget()
    desk.notes.get_by_role("button", name="Try again").click()
    desk.verdict()
    desk.page.evaluate("window.dispatchEvent(new Event('focus'))")
    expect(desk.saved).to_have_text(SAVED)
    assert desk.text == "typed = 'signed out'\n"


def test_a_site_that_is_gone_for_a_moment(desk: ExercisePage, site: Site, watch: Watch) -> None:
    """The web process is killed with its children, and restarted by the supervisor."""
    watch.expects(*CUT)
    desk.open("engine")
    before = site.parts()["web"]
    for pid in below(before):
        kill(pid, signal.SIGKILL)
    desk.put(source("value-engine"))
    desk.button("run").click()
    expect(desk.notes).to_contain_text("If you try again, it will not be submitted twice.")
    expect(desk.saved).to_have_text(SAVED)
    desk.forget()
    desk.notes.get_by_role("button", name="Try again").click()
    desk.verdict()
    expect(desk.heading).to_contain_text("3 of 3 public checks pass")
    assert submissions(desk.page, "engine") == 1


def test_a_site_that_stands_still_answers_late(desk: ExercisePage, site: Site) -> None:
    desk.open("engine").put(WRONG)
    expect(desk.saved).to_have_text(SAVED)
    web = site.parts()["web"]
    kill(web, signal.SIGSTOP)
    try:
        desk.forget()
        desk.button("run").click()
        expect(desk.button("run")).to_have_attribute("aria-disabled", "true")
    finally:
        kill(web, signal.SIGCONT)
    desk.verdict()
    assert submissions(desk.page, "engine") == 1


def test_an_earlier_submission_comes_back_and_goes_again(desk: ExercisePage) -> None:
    page = desk.page
    desk.open("engine")
    for text in (WRONG, source("value-engine")):
        desk.put(text)
        desk.send("submit")
    desk.put("in_between = 3\n")
    desk.until_saved()
    page.goto(f"/c/{SLUG}/engine/history/")
    compare = page.get_by_role("button", name="Compare")
    expect(compare).to_be_disabled()
    for box in page.get_by_role("checkbox").all():
        box.check()
    expect(compare).to_be_enabled()
    compare.click()
    expect(page.get_by_role("heading", level=2).first).to_contain_text(re.compile("Submission 1 .* → submission 2 "))
    expect(page.locator("li.del .sign").first).to_have_text("−")
    expect(page.locator("li.add .sign").first).to_have_text("+")
    page.get_by_role("button", name="into the editor").first.click()
    expect(page.get_by_text("Submission 1 was restored to the editor.")).to_be_visible()
    assert desk.text == WRONG
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("Your previous code was restored to the editor.")).to_be_visible()
    assert desk.text == "in_between = 3\n"


def test_the_starter_comes_back_and_can_be_undone(desk: ExercisePage) -> None:
    desk.open("engine").put("mine = 1\n")
    desk.page.get_by_role("button", name="Starter").click()
    assert desk.text == source("value-engine", "starter")
    desk.notes.get_by_role("button", name="Undo").click()
    assert desk.text == "mine = 1\n"


def test_a_file_comes_up_and_goes_down(desk: ExercisePage) -> None:
    desk.open("engine").upload("up = 1\r\nloaded = 2\r\n", "mine.py")
    expect(desk.notes).to_contain_text("The editor contains mine.py.")
    assert desk.text == "up = 1\nloaded = 2\n"
    with desk.page.expect_download() as download:
        desk.page.get_by_role("link", name="Download", exact=True).click()
    assert download.value.suggested_filename == "engine.py"
    assert download.value.path().read_text() == desk.text


def test_a_file_that_is_no_python_or_too_long_changes_nothing(desk: ExercisePage) -> None:
    desk.open("engine")
    before = desk.text
    desk.upload("x = 1\n", "mine.txt")
    expect(desk.notes).to_contain_text("mine.txt is not a Python file or a notebook; its name must end in .py or .ipynb.")
    desk.upload("#" * 5_000_000, "long.py")
    expect(desk.notes).to_contain_text("long.py is 4883 kB; the limit is")
    assert desk.text == before


def test_the_back_button_shows_what_is_true_now(desk: ExercisePage) -> None:
    page = desk.page
    desk.open("engine").put(WRONG)
    desk.until_saved()
    page.get_by_role("link", name="Course", exact=True).click()
    elsewhere = ExercisePage(page.context.new_page(), SLUG).open("engine")
    elsewhere.send("submit")
    page.go_back()
    assert desk.text == WRONG
    desk.send("run")
    expect(desk.heading).to_contain_text("hidden checks run when you submit")
    page.go_back()
    page.go_forward()
    expect(desk.page.locator("#outcome:not([data-events])")).to_be_visible()
    assert desk.text == WRONG


def test_leaving_while_a_result_is_on_its_way(desk: ExercisePage) -> None:
    page = desk.page
    desk.open("engine").put(source("value-engine"))
    desk.button("submit").click()
    page.get_by_role("link", name="Course", exact=True).click()
    page.wait_for_url(f"**/c/{SLUG}/")
    page.go_back()
    expect(desk.heading).to_contain_text("All")
