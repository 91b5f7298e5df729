"""Security headers of every URL, redirect targets, and CSRF protection."""

import re
from typing import Any

import pytest
from django.contrib import admin
from django.http import QueryDict
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from autograder.courses.models import User
from autograder.gradebook.exports import EXPORTS
from tests.web.addresses import names
from tests.web.conftest import browser_of
from tests.web.headers import NONCE, SAME, has_them, is_not_kept
from tests.web.test_addresses import ROLES, Site, site  # noqa: F401 - a fixture, and its type

pytestmark = pytest.mark.django_db
ATTACHED = ("download", "starter")
EVIL = (
    "https://evil.example/",
    "//evil.example",
    "/\\evil.example",
    "javascript:alert(1)",
    "https:evil.example",
    "\t//evil",
)


def test_what_is_looked_for_at_every_address_is_missed_where_it_is_not(client: Client) -> None:
    """Tests the assertions themselves: `has_them` and `is_not_kept` are applied to every URL, method and role in
    test_addresses.py.
    """
    response = client.get("/help/")
    has_them(response)
    for name in SAME:
        without = client.get("/help/")
        del without[name]
        with pytest.raises(KeyError):
            has_them(without)
    response["Content-Security-Policy"] += "; script-src *"
    with pytest.raises(AssertionError):
        has_them(response)
    response["Cache-Control"] = "private, no-cache"
    is_not_kept(response, "exercise")
    with pytest.raises(AssertionError):
        is_not_kept(response, "grades")


def test_what_is_not_there_has_them_too(client: Client) -> None:
    has_them(client.get("/nothing/here/"))


def test_files_of_the_site_are_for_its_own_pages(client: Client) -> None:
    """An image that is opened directly must not run scripts either; frames are refused by the policy."""
    response = client.get("/static/web/icon.svg")
    assert response["Cross-Origin-Resource-Policy"] == "same-origin"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert "frame-ancestors 'none'" in response["Content-Security-Policy"]


def test_the_admin_has_them(client: Client) -> None:
    client.force_login(User.objects.create_superuser("root"))
    for name in ("index", "courses_user_changelist", "courses_user_add", "password_change"):
        response = client.get(reverse(f"admin:{name}"))
        assert response.status_code == 200
        has_them(response, nonce=False)
        assert "no-store" in response["Cache-Control"]
        page = response.content.decode()
        assert "<style" not in page
        assert not re.search(r"<script(?![^>]*\bsrc=)(?![^>]*application/json)", page)


def test_two_pages_have_two_nonces(client: Client) -> None:
    found = {NONCE.search(client.get("/help/")["Content-Security-Policy"]) for _ in range(2)}
    assert len({match.group() for match in found if match}) == 2


def test_hsts_is_sent_over_tls_for_a_year(client: Client, settings: Settings) -> None:
    settings.SECURE_SSL_REDIRECT, settings.SECURE_HSTS_SECONDS = True, 31_536_000
    browser = Client()
    assert browser.get("/help/").status_code == 301
    assert browser.get("/help/")["Location"] == "https://testserver/help/"
    assert browser.get("/help/", secure=True)["Strict-Transport-Security"] == "max-age=31536000"
    assert browser.get("/healthz").status_code != 301


# -- files ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ATTACHED)
def test_code_is_saved_and_never_shown(site: Site, name: str) -> None:  # noqa: F811
    response = site.browser("herself").get(site.where(name))
    assert response["Content-Disposition"].startswith("attachment; ")
    assert response["Content-Type"] == "text/x-python; charset=utf-8"
    assert "no-store" in response["Cache-Control"]


def test_code_that_is_shown_is_text(site: Site) -> None:  # noqa: F811
    response = site.browser("herself").get(site.where("source"))
    assert response["Content-Type"] == "text/plain; charset=utf-8"
    assert response["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("to", EXPORTS)
def test_grades_are_saved_and_kept_nowhere(site: Site, to: str) -> None:  # noqa: F811
    form = {"format": to, "do": "download", "skip_unmatched": "on", "class_id": "1", "grading_period": "1"}
    response = site.browser("instructor").post(site.where("export"), form)
    assert "no-store" in response["Cache-Control"]
    if not response["Content-Type"].startswith("text/html"):
        assert response["Content-Disposition"].startswith("attachment; ")
        assert response["X-Content-Type-Options"] == "nosniff"


# -- redirects


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Record the names that views look up in queries and forms."""
    names: set[str] = set()
    look_up = QueryDict.__getitem__

    def noted(query: QueryDict, name: str) -> Any:
        names.add(name)
        return look_up(query, name)

    monkeypatch.setattr(QueryDict, "__getitem__", noted)
    return names


@pytest.mark.parametrize("role", ["nobody", "herself", "instructor"])
def test_no_url_redirects_to_another_site(site: Site, role: str, read: set[str]) -> None:  # noqa: F811
    """Every URL gets a malicious `next`. Those that read it get all variants."""
    sent_on = set()
    for name in names():
        read.clear()
        for elsewhere in EVIL:
            asked = {"next": elsewhere}
            for response in (
                site.browser(role).get(site.where(name), asked),
                site.browser(role).post(site.where(name), site.sends() | asked),
            ):
                where = response.get("Location", "/")
                assert where.startswith("/") and not where.startswith(("//", "/\\")), (name, where)
            if "next" not in read:
                break
        else:
            sent_on.add(name)
    assert {"sign-in", "theme"} <= sent_on


@pytest.mark.parametrize("host", ["evil.example", "testserver.evil.example", "testserver@evil.example", ""])
def test_only_configured_host_names_are_accepted(client: Client, host: str, settings: Settings) -> None:
    settings.ALLOWED_HOSTS = ["testserver"]
    response = client.get("/sign-in/", headers={"host": host})
    assert response.status_code == 400
    assert "evil" not in response.content.decode()


def test_what_a_proxy_says_the_host_is_is_not_believed(client: Client) -> None:
    response = client.get("/theme/", headers={"x-forwarded-host": "evil.example"})
    assert "evil" not in str(response.headers)


# -- CSRF protection

NOT_ALLOWED = 405


@pytest.mark.parametrize("role", ROLES)
def test_every_post_requires_a_csrf_token(site: Site, role: str) -> None:  # noqa: F811
    """This includes URLs that accept no POST, so that a new URL cannot be forgotten."""
    for name in names():
        response = browser_of(site.people[role], checks_tokens=True).post(site.where(name), site.sends())
        assert response.status_code in (403, NOT_ALLOWED), (name, response.status_code)
        assert response.status_code == 403 or name == "events", name


@pytest.mark.parametrize("origin", ["https://evil.example", "http://testserver.evil.example", "null"])
def test_a_token_sent_from_another_origin_is_refused(site: Site, origin: str) -> None:  # noqa: F811
    browser = browser_of(site.people["herself"], checks_tokens=True)
    browser.get(site.where("exercise"))
    token = browser.cookies["csrftoken"].value
    form = site.sends() | {"csrfmiddlewaretoken": token}
    assert browser.post(site.where("submit"), form, headers={"origin": origin}).status_code == 403
    assert browser.post(site.where("submit"), form, headers={"origin": "http://testserver"}).status_code == 302


def test_the_admin_takes_nothing_without_a_token() -> None:
    root = User.objects.create_superuser("root")
    browser = browser_of(root, checks_tokens=True)
    for model in admin.site._registry:
        where = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_add")
        assert browser.post(where, {"username": "evil"}).status_code == 403
    assert browser.post(reverse("admin:logout")).status_code == 403


def test_there_is_only_one_sign_in_page(client: Client) -> None:
    """The admin's own login page would not be throttled."""
    response = client.get("/admin/")
    assert response["Location"] == "/admin/login/?next=/admin/"
    response = client.get(response["Location"])
    assert response["Location"] == "/sign-in/?next=/admin/"
    assert client.post("/admin/login/", {"username": "root", "password": "guess"}).status_code == 405
