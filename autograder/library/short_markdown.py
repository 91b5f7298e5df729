"""Renders short texts that staff write to students, such as comments: code, lists, links, emphasis. No headings, no images.

Underscores are never emphasis, because these texts are full of names such as `__add__`.
"""

from functools import cache

import nh3
from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.emphasis import tokenize

TAGS = {"p", "br", "ul", "ol", "li", "strong", "em", "code", "pre", "blockquote", "a"}
ATTRIBUTES = {"a": {"href"}, "ol": {"start"}}
LEFT_OUT = ("heading", "lheading", "hr", "html_block", "html_inline", "image", "reference")


def html_of(text: str) -> str:
    return nh3.clean(_markdown().render(text), tags=TAGS, attributes=ATTRIBUTES, link_rel="noopener nofollow")


@cache
def _markdown() -> MarkdownIt:
    markdown = MarkdownIt("commonmark", {"html": False, "breaks": True}).disable(LEFT_OUT)
    markdown.inline.ruler.at("emphasis", _emphasis)
    return markdown


def _emphasis(state: StateInline, silent: bool) -> bool:
    return state.src[state.pos] != "_" and tokenize(state, silent)
