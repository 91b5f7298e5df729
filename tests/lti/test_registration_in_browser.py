"""Registering an LMS in Chromium: the link of Gradus in a frame of the LMS, and the pages of the administrator.

The LMS is of another site: `127.0.0.1`, not `localhost`.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from django.conf import settings as django_settings
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect
from pytest_django.live_server_helper import LiveServer

from autograder.courses.models import User
from autograder.lti.models import Deployment, Registration
from tests.browser import chromium, patient
from tests.e2e.axe import clean, violations
from tests.frontend import node_modules
from tests.lti.platform import MOODLE, Platform

pytestmark = pytest.mark.django_db(transaction=True)
DESKTOP: ViewportSize = {"width": 1440, "height": 900}
PHONE: ViewportSize = {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def browser(django_db_setup: None) -> Iterator[Browser]:
    """While it runs, its event loop in this thread makes Django believe that it is called from async code."""
    with pytest.MonkeyPatch.context() as patch, chromium() as running:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        yield running


@pytest.fixture(autouse=True)
def loopback(settings: Any) -> None:
    settings.LTI_PRIVATE_HOSTS = frozenset({"127.0.0.1"})


@pytest.fixture
def platform() -> Iterator[Platform]:
    with Platform(MOODLE) as platform:
        yield platform


@pytest.fixture
def context(browser: Browser, live_server: LiveServer) -> Iterator[BrowserContext]:
    with browser.new_context(base_url=live_server.url, viewport=DESKTOP, reduced_motion="reduce") as opened:
        yield patient(opened)


@pytest.fixture
def page(context: BrowserContext, live_server: LiveServer) -> Page:
    """A page of a signed-in administrator of the site."""
    client = Client()
    client.force_login(User.objects.create_superuser("root"))
    name = django_settings.SESSION_COOKIE_NAME
    context.add_cookies([{"name": name, "value": client.cookies[name].value, "url": live_server.url}])
    return context.new_page()


def photographed(page: Page, name: str) -> None:
    if folder := os.environ.get("SHOTS"):
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


def test_an_lms_registers_gradus_in_a_frame_and_is_ready(page: Page, platform: Platform) -> None:
    page.goto("/account/")
    page.get_by_role("link", name="LMS registrations").click()
    page.get_by_role("link", name="Register an LMS").click()
    page.get_by_role("button", name="Create a registration link").click()
    link = page.get_by_label("The registration link").input_value()
    photographed(page, "link")

    page.goto(f"{platform.url}/admin/register-tool?url={quote(platform.registration_url(link), safe='')}")
    expect(page.get_by_role("status")).to_have_text("The tool closed the registration.")
    page.goto(f"{platform.url}/admin/register-tool")
    page.get_by_role("button", name="Activate").click()

    page.goto("/lti/registrations/")
    page.get_by_role("link", name="Moodle at 127.0.0.1").click()
    page.get_by_role("button", name="Check readiness").click()
    expect(page.get_by_role("status", name="Readiness")).to_contain_text("all checks passed")
    expect(page.get_by_role("row").filter(has_text="Access token")).to_contain_text("accepts the signature")
    photographed(page, "registration")


def test_a_link_that_was_used_says_so_in_the_frame(page: Page, platform: Platform, live_server: LiveServer) -> None:
    wrong = platform.registration_url(f"{live_server.url}/lti/register/used/")
    page.goto(f"{platform.url}/admin/register-tool?url={quote(wrong, safe='')}")
    frame = page.frame_locator("[name=tool]")
    expect(frame.get_by_role("heading", level=1)).to_have_text("Gradus was not registered")
    expect(frame.get_by_role("main")).to_contain_text("has expired or was already used")
    photographed(page, "used")


@pytest.mark.parametrize("scripts", [True, False])
def test_an_lms_is_registered_by_hand(
    browser: Browser, live_server: LiveServer, page: Page, platform: Platform, scripts: bool
) -> None:
    copied = platform.register_tool(
        login_url=f"{live_server.url}/lti/login/",
        redirect_uris=[f"{live_server.url}/lti/launch/"],
        key_set_url=f"{live_server.url}/lti/jwks/",
    )
    options = {"base_url": live_server.url, "java_script_enabled": scripts, "storage_state": page.context.storage_state()}
    with browser.new_context(**options) as context:  # type: ignore[arg-type]
        page = patient(context).new_page()
        page.goto("/lti/registrations/new/")
        page.get_by_label("LMS", exact=True).select_option("Another LMS")
        page.get_by_role("button", name="Fill in known values").click()
        values = (
            ("Name", "The School"),
            ("Issuer", copied.issuer),
            ("Deployment ID", copied.deployment_id),
            ("Authentication request URL", copied.auth_url),
            ("Access token URL", copied.token_url),
            ("Key set URL", copied.key_set_url),
        )
        by_hand = page.locator("form").filter(has=page.get_by_role("button", name="Register", exact=True))
        by_hand.get_by_label("Client ID").fill(copied.client_id)
        for label, value in values:
            by_hand.get_by_label(label, exact=True).fill(value)
        page.get_by_role("button", name="Register", exact=True).click()
        page.get_by_role("button", name="Check readiness").click()
        expect(page.get_by_role("status", name="Readiness")).to_contain_text("all checks passed")


def test_the_pages_are_accessible_on_a_desktop_and_a_phone(page: Page, platform: Platform) -> None:
    axe = Path(node_modules() / "axe-core" / "axe.min.js").read_text()
    urls = {name: f"{platform.url}/{name}" for name in ("auth_url", "token_url", "key_set_url")}
    made = Registration.objects.create(name="School", issuer=platform.url, client_id="x" * 40, product="moodle", **urls)
    for state in Deployment.State:
        made.deployments.create(deployment_id=f"{state}-deployment-id", state=state)
    found = []
    for path in ("", "new/", "new/?product=canvas", "new/?product=moodle", f"{made.pk}/"):
        page.goto(f"/lti/registrations/{path}")
        for size in (DESKTOP, PHONE):
            page.set_viewport_size(size)
            found += violations(page, axe)
            photographed(page, f"page-{path.strip('/').replace('/', '-') or 'list'}-{size['width']}")
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (path, size)
    page.get_by_role("button", name="Check readiness").click()
    expect(page.get_by_role("status", name="Readiness")).to_contain_text("checks failed")
    photographed(page, "checked-390")
    clean(found + violations(page, axe))
