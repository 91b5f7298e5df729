"""The documentation as the tests see it: pages, their headings, links, code blocks, tables and words in backticks."""

import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
NAMES = (
    *("architecture", "authoring", "checks", "diagnosis", "exports", "operations", "report"),
    *("containers", "contributing", "instructor", "lti", "moving", "security", "student"),
)


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, what else stands behind the fence, and its text."""

    page: str
    line: int
    language: str
    marks: dict[str, str]
    text: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


@dataclass
class Section:
    """A heading and what follows it up to the next heading of any level."""

    level: int
    title: str
    code: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    text: str = ""


@dataclass
class Page:
    name: str
    source: str
    sections: list[Section] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    links: list[str] = field(default_factory=list)

    @property
    def code(self) -> list[str]:
        return [text for section in self.sections for text in section.code]

    @property
    def anchors(self) -> set[str]:
        return {slug(section.title) for section in self.sections}

    def section(self, title: str) -> Section:
        return next(section for section in self.sections if section.title == title)


def slug(title: str) -> str:
    """The anchor that a forge makes of a heading."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


@cache
def read(name: str) -> Page:
    page = Page(name, (DOCS / f"{name}.md").read_text("utf-8"))
    page.sections.append(Section(0, ""))
    tokens = MarkdownIt().enable("table").parse(page.source)
    for before, token in zip([tokens[0], *tokens], tokens, strict=False):
        if token.type == "inline":
            _inline(page, before, token)
        elif token.type == "fence":
            page.blocks.append(_block(name, token))
        elif token.type == "tr_open":
            page.sections[-1].rows.append([])
    return page


def _inline(page: Page, before: Token, token: Token) -> None:
    if before.type == "heading_open":
        page.sections.append(Section(int(before.tag[1:]), token.content.replace("`", "")))
    section = page.sections[-1]
    if before.type in ("th_open", "td_open"):
        section.rows[-1].append(token.content)
    section.text += token.content + "\n"
    for child in token.children or ():
        if child.type == "code_inline":
            section.code.append(child.content)
        elif child.type == "link_open":
            page.links.append(str(child.attrGet("href")))


def _block(name: str, token: Token) -> Block:
    language, *marks = token.info.split() or [""]
    pairs = dict(mark.partition("=")[::2] for mark in marks)
    return Block(name, (token.map or [0])[0] + 1, language, pairs, token.content)


def first_column(section: Section) -> list[str]:
    """The words in backticks with which the rows of a section's tables begin."""
    return [row[0].strip("`") for row in section.rows if row[0].startswith("`")]
