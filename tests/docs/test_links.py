"""Every link of the documentation leads somewhere, and no page knows the machine it was written on."""

import re

import pytest

from tests.docs.pages import DOCS, NAMES, read


@pytest.mark.parametrize("name", NAMES)
def test_links_and_anchors_resolve(name: str) -> None:
    broken = []
    for link in read(name).links:
        target, _, anchor = link.partition("#")
        if target.startswith(("https://", "http://")):
            continue
        path = (DOCS / target).resolve() if target else DOCS / f"{name}.md"
        if not path.exists() or (anchor and anchor not in read(path.stem).anchors):
            broken.append(link)
    assert broken == []


@pytest.mark.parametrize("name", NAMES)
def test_the_list_at_the_top_names_every_chapter(name: str) -> None:
    page = read(name)
    listed = [link[1:] for link in page.links if link.startswith("#")]
    chapters = [section.title for section in page.sections if section.level == 2]
    assert [listed.count(anchor) > 0 for anchor in map(slug_of, chapters)] == [True] * len(chapters)


def slug_of(title: str) -> str:
    from tests.docs.pages import slug

    return slug(title)


@pytest.mark.parametrize("name", NAMES)
def test_headings_have_one_anchor_each(name: str) -> None:
    titles = [section.title for section in read(name).sections]
    assert len(titles) == len({slug_of(title) for title in titles})


@pytest.mark.parametrize("name", NAMES)
def test_no_page_mentions_a_place_of_one_machine(name: str) -> None:
    found = re.findall(r"(?<![\w.~])/(?:home|root|work|var|mnt|Users)\b[^\s`]*", read(name).source)
    assert found == []


def test_every_page_is_tested() -> None:
    assert sorted(path.stem for path in DOCS.glob("*.md")) == sorted(NAMES)
