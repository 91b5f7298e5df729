"""Rate limits are explained on the page. The typed text is kept, and the request works again later."""

from playwright.sync_api import expect

from tests.browser import Watch
from tests.e2e.exercise_page import ExercisePage, source
from tests.site import Site

PROGRAM = """
import os, time, django
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "autograder.settings")
django.setup()
from autograder.courses.models import User
from autograder.web.models import Pace
from autograder.web.rate_limits import hashed
user = User.objects.get(username={login!r})
key = hashed({what!r}, "person", user.pk)
Pace.objects.filter(key=key).delete()
if {held}:
    Pace.objects.create(key=key, free_at=time.time() + 3600)
"""


def hold(site: Site, login: str, what: str, *, held: bool = True) -> None:
    """Use up the rate limit for an hour, or reset it."""
    site.python("-c", PROGRAM.format(login=login, what=what, held=held))


def test_handing_in(desk: ExercisePage, site: Site, student: str, watch: Watch) -> None:
    watch.expects("status of 429", "Status Error Code 429")
    hold(site, student, "submit")
    desk.open("engine").put(source("value-engine"))
    desk.button("run").click()
    expect(desk.notes).to_contain_text(
        "Too many requests in a short time. Nothing was submitted; your code is still in the editor."
    )
    expect(desk.notes).to_contain_text("Try again in")
    hold(site, student, "submit", held=False)
    desk.forget()
    desk.button("run").click()
    desk.verdict()
    expect(desk.heading).to_contain_text("3 of 3 public checks pass")


def test_a_draft_waits_and_is_saved(desk: ExercisePage, site: Site, student: str, watch: Watch) -> None:
    watch.expects("status of 429")
    hold(site, student, "draft")
    desk.open("engine").put("typed = 'too fast'\n")
    expect(desk.notes).to_contain_text("Not saved on the server yet: too many saves in a short time.")
    expect(desk.notes).to_contain_text("Your code is stored in this browser")
    hold(site, student, "draft", held=False)
    desk.page.evaluate("window.dispatchEvent(new Event('focus'))")
    expect(desk.notes).not_to_contain_text("Not saved")
    desk.page.reload()
    assert desk.text == "typed = 'too fast'\n"


def test_a_result_comes_without_its_stream(desk: ExercisePage, site: Site, student: str, watch: Watch) -> None:
    watch.expects("status of 429")
    hold(site, student, "stream")
    desk.open("engine").put(source("value-engine"))
    desk.forget()
    desk.button("run").click()
    desk.verdict()
    expect(desk.heading).to_contain_text("3 of 3 public checks pass")
