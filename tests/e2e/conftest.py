"""One site and one browser for all end-to-end tests; a student and a browser context for each test."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.browser import Watch, chromium, patient
from tests.e2e.course import EXERCISES, SLUG
from tests.e2e.exercise_page import ExercisePage
from tests.frontend import node_modules
from tests.site import Site, running_site

Visit = Callable[..., Page]


@pytest.fixture(scope="package")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with running_site(tmp_path_factory.mktemp("e2e"), GRADUS_LTI_PRIVATE_HOSTS="127.0.0.1") as started:
        started.learn(*EXERCISES)  # results are complete only with an explanation
        yield started


@pytest.fixture(scope="package")
def people(site: Site) -> dict[str, str]:
    """Session keys by login."""
    return dict(json.loads(site.python("-m", "tests.e2e.course")))


@pytest.fixture(scope="package")
def fresh(people: dict[str, str]) -> Iterator[str]:
    """Students that no other test has used."""
    return iter([login for login in people if login.startswith("student-")])


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Limited to these tests, because while Playwright runs, Django believes that it is called from async code."""
    with chromium() as running:
        yield running


@pytest.fixture(scope="package")
def axe() -> str:
    return Path(node_modules() / "axe-core" / "axe.min.js").read_text()


@pytest.fixture
def student(fresh: Iterator[str]) -> str:
    return next(fresh)


@pytest.fixture
def watch(site: Site) -> Iterator[Watch]:
    kept = Watch(site.url)
    yield kept
    assert kept.unexpected == []


@pytest.fixture
def visit(site: Site, browser: Browser, people: dict[str, str], watch: Watch) -> Iterator[Visit]:
    """`visit("student-007", java_script_enabled=False)` returns a page of a signed-in user, `visit(None)` one of an
    anonymous visitor.
    """
    contexts = []

    def opened(login: str | None, **options: Any) -> Page:
        context = patient(browser.new_context(base_url=site.url, **({"reduced_motion": "reduce"} | options)))
        contexts.append(context)
        watch.over(context)
        if login is not None:
            context.add_cookies([{"name": "sessionid", "value": people[login], "url": site.url}])
        return context.new_page()

    yield opened
    for context in contexts:
        context.close()


@pytest.fixture
def page(visit: Visit, student: str) -> Page:
    return visit(student)


@pytest.fixture
def desk(page: Page) -> ExercisePage:
    return ExercisePage(page, SLUG)
