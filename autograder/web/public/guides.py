"""The guides in `docs/`, as pages of the site that they describe."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise, zip_longest

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.templatetags.static import static
from django.urls import reverse
from django.views.decorators.http import require_safe
from markdown_it.token import Token

from autograder.library.statements import Heading, markdown_without_math

FOLDER = settings.BASE_DIR / "docs"
GUIDES = {
    "Students": ("student",),
    "Instructors": ("instructor", "moving", "exports", "lti", "authoring", "checks"),
    "Operators": ("operations", "containers", "security"),
    "Developers": ("architecture", "contributing", "report", "diagnosis"),
}


@dataclass(frozen=True)
class Guide:
    """`html` is the text below the title. `sections` are its headings of the second level."""

    name: str
    title: str
    html: str
    sections: tuple[Heading, ...]


@require_safe
def guide(request: HttpRequest, guide: str) -> HttpResponse:
    if not any(guide in names for names in GUIDES.values()):
        raise Http404("no such guide")
    return render(request, "web/public/guide.html", {"guide": read(guide)})


def listed() -> dict[str, list[Guide]]:
    """Return the guides by those whom they are for."""
    return {readers: [read(name) for name in names] for readers, names in GUIDES.items()}


@cache
def read(name: str) -> Guide:
    markdown = markdown_without_math()
    tokens = markdown.parse(_source(name))
    title, *headings = _with_anchors(tokens)
    for token in tokens:
        _lead_to_the_site(token.children or [])
    end = next(n for n, token in enumerate(tokens) if token.type == "heading_close") + 1
    html = markdown.renderer.render(tokens[end:], markdown.options, {})
    return Guide(name, title[1].title, html, tuple(heading for tag, heading in headings if tag == "h2"))


def anchor_of(title: str) -> str:
    """The anchor by which the guides link to a heading, which is that of the usual forges."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def _with_anchors(tokens: Sequence[Token]) -> list[tuple[str, Heading]]:
    """Give every heading its anchor, and return all of them with their tags."""
    found = []
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open":
            title = "".join(child.content for child in inline.children or ())
            opening.attrSet("id", anchor_of(title))
            found.append((opening.tag, Heading(anchor_of(title), title)))
    return found


def _lead_to_the_site(tokens: Sequence[Token]) -> None:
    """Turn links between the files, and the files of images, into addresses of the site."""
    for token, following in zip_longest(tokens, tokens[1:]):
        if token.type == "link_open":
            file, mark, anchor = str(token.attrGet("href")).partition("#")
            if file.endswith(".md"):
                name = file.removesuffix(".md")
                token.attrSet("href", f"{reverse('guide', args=(name,))}{mark}{anchor}")
                if following.content == file:
                    following.content = _source(name).partition("\n")[0].removeprefix("# ")
        elif token.type == "image":
            token.attrSet("src", static(f"guides/{str(token.attrGet('src')).removeprefix('images/')}"))
            token.attrSet("loading", "lazy")


def _source(name: str) -> str:
    return (FOLDER / f"{name}.md").read_text("utf-8")
