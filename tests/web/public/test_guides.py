"""The guides of `docs/` on the site: every link in them leads somewhere on the site."""

import re
from html import unescape

import pytest
from django.contrib.staticfiles import finders
from django.test import Client
from django.urls import reverse

from autograder.web.public import guides
from tests.docs.pages import DOCS, read

pytestmark = pytest.mark.django_db

HREF = re.compile(r'<a href="([^"]*)"')
SOURCE = re.compile(r'<img src="([^"]*)"')
NAMES = [name for names in guides.GUIDES.values() for name in names]


def shown(address: str) -> str:
    response = Client().get(address)
    assert response.status_code == 200, address
    return response.content.decode()


def test_every_guide_is_served() -> None:
    assert sorted(NAMES) == sorted(path.stem for path in DOCS.glob("*.md"))
    help_page = shown(reverse("help"))
    for name in NAMES:
        title = read(name).sections[1].title
        assert f'<a href="/help/{name}/">{title}</a>' in help_page
        assert f"<h1>{title}</h1>" in shown(f"/help/{name}/")


def test_links_between_guides_lead_to_pages_of_the_site() -> None:
    pages = {f"/help/{name}/": shown(f"/help/{name}/") for name in NAMES}
    found = 0
    for address, html in pages.items():
        for link in map(unescape, HREF.findall(html)):
            target, _, anchor = link.partition("#")
            assert ".md" not in target, f"{address} links to {link}"
            if anchor and (page := pages.get(target or address)):
                assert f'id="{anchor}"' in page, f"{address} links to {link}"
                found += 1
    assert found > 100


def test_a_link_that_names_a_file_names_the_guide() -> None:
    assert "](operations.md)" in (DOCS / "instructor.md").read_text()
    text = re.sub("<pre.*?</pre>", "", shown("/help/instructor/"), flags=re.DOTALL)
    assert '<a href="/help/operations/">Operations guide</a>' in text


def test_images_are_served() -> None:
    images = SOURCE.findall(shown("/help/instructor/"))
    assert len(images) > 3
    assert all(finders.find(image.removeprefix("/static/")) for image in images)


@pytest.mark.parametrize("name", ["images", "readme", "Student"])
def test_nothing_else_is_a_guide(name: str) -> None:
    assert Client().get(f"/help/{name}/").status_code == 404
