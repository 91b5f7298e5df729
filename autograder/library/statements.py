"""Renders statements: Markdown and math to sanitised HTML, once, when an exercise is loaded.

Math is rendered as MathML, which browsers display without a script. Its TeX source is kept in `data-tex` for the script that
renders it with KaTeX. Authors are not trusted to include scripts: all HTML is filtered by an allow-list.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape, unescape
from itertools import count, pairwise
from typing import Any

import nh3
from latex2mathml.converter import convert as mathml
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererProtocol
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin
from pygments import lex
from pygments.lexers import PythonLexer
from pygments.token import Comment, Keyword, Number, String

from autograder.library.example_calls import AUTHORED

TAGS = {
    "p",
    "h2",
    "h3",
    "h4",
    "ul",
    "ol",
    "li",
    "strong",
    "em",
    "code",
    "pre",
    "blockquote",
    "a",
    "hr",
    "br",
    "span",
    "div",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
}
MATH = {
    "math",
    "mrow",
    "mstyle",
    "mpadded",
    "mphantom",
    "menclose",
    "mi",
    "mn",
    "mo",
    "mtext",
    "mspace",
    "mfrac",
    "msqrt",
    "mroot",
    "msub",
    "msup",
    "msubsup",
    "mover",
    "munder",
    "munderover",
    "mtable",
    "mtr",
    "mtd",
}
ATTRIBUTES = {
    "math": {"display"},
    "mi": {"mathvariant"},
    "mo": {"stretchy", "accent", "fence", "form", "minsize", "maxsize"},
    "mspace": {"width"},
    "mstyle": {"displaystyle", "scriptlevel"},
    "mtd": {"columnalign"},
    "a": {"href", "title"},
    "span": {"class", "data-tex"},
    "div": {"class", "data-tex", "tabindex", "role", "aria-label"},
    "pre": {"class", "tabindex"},
    "ol": {"start"},
    "h2": {"id"},
    "h3": {"id"},
    "h4": {"id"},
}
COLOURS = ((Keyword, "k"), (String, "s"), (Number, "d"), (Comment, "c"))
IN_TASK = "task-"  # the prefix of every id in a statement, so that none collides with an id of the page
_KEYS = re.compile(r"\s*\{((?:#[a-z0-9-]+\s*)+)\}\s*$")
_KEYS_AT_END = re.compile(r"(?<=\S) *\{#[a-z0-9# -]+\} *$", re.MULTILINE)
_HEADING = re.compile(r'<h[234] id="([^"]*)">(.*?)</h[234]>', re.DOTALL)
_SENTENCE = re.compile(r"(.+?[.!?])(?:\s|$)", re.DOTALL)


@dataclass(frozen=True)
class Heading:
    """A heading in a statement that a result can link to."""

    id: str
    title: str


def html_of(text: str) -> str:
    """Render a whole statement to HTML. Its headings have ids."""
    markdown = _markdown()
    tokens = markdown.parse(text)
    _give_ids(tokens)
    return _clean(markdown.renderer.render(tokens, markdown.options, {}))


def without_keys(text: str) -> str:
    """Return the Markdown without heading keys, for display in a terminal."""
    return _KEYS_AT_END.sub("", text)


def without_scratch(text: str) -> str:
    """Return the Markdown without the block that the scratch cell starts with, which pages do not show either."""
    lines = text.splitlines(keepends=True)
    for token in reversed(_markdown().parse(text)):
        if token.type == "fence" and token.info.strip() == AUTHORED and token.map and token.level == 0:
            del lines[token.map[0] : token.map[1]]
    return "".join(lines)


def sections_of(text: str) -> list[str]:
    """Return the Markdown in parts: what precedes the first heading of the second level, and each of these with its text."""
    lines = text.splitlines(keepends=True)
    tokens = (token for token in _markdown().parse(text) if token.type == "heading_open" and token.tag == "h2")
    starts = [0, *(token.map[0] for token in tokens if token.map and token.level == 0)]
    return ["".join(lines[start:end]).strip() for start, end in pairwise([*starts, len(lines)])]


def top_headings(text: str) -> list[int]:
    """Return the lines of the headings of the first level, counted from 0. Pages have titles of their own."""
    tokens = _markdown().parse(text)
    return [token.map[0] for token in tokens if token.type == "heading_open" and token.tag == "h1" and token.map]


def without_code(text: str) -> str:
    """Return the text of the Markdown without its code and formulas."""
    inline = [child for token in _markdown().parse(text) for child in token.children or [] if child.type == "text"]
    return "\n".join(child.content for child in inline)


def without_ids(html: str) -> str:
    """Remove heading ids, for a page that shows several statements, because ids must be unique."""
    return _HEADING.sub(lambda found: found[0].replace(f' id="{found[1]}"', "", 1), html)


def headings_of(html: str) -> tuple[Heading, ...]:
    """Return the headings in the output of `html_of`."""
    return tuple(Heading(anchor, unescape(nh3.clean(title, tags=set())).strip()) for anchor, title in _HEADING.findall(html))


def heading_for(topics: Sequence[str], headings: Sequence[Heading]) -> Heading | None:
    """Return the first heading whose id contains one of these topics: a key given by its author, or words of its title."""
    for topic in topics:
        for heading in headings:
            if f"-{_slug(topic)}-" in f"{heading.id}-":
                return heading
    return None


def summary_of(text: str) -> str:
    """Return the first sentence as HTML, to be shown next to the title."""
    for token in _markdown().parse(text):
        if token.type == "inline":
            words = " ".join(token.content.split())
            found = _SENTENCE.match(words)
            return _clean(_markdown().renderInline(found.group(1) if found else words))
    return ""


def _give_ids(tokens: Sequence[Token]) -> None:
    """Derive ids from the words of a heading and the keys after it: `## Saved values {#graph-freed #too-deep}`."""
    seen: set[str] = set()
    for opening, inline in pairwise(tokens):
        if opening.type != "heading_open" or not inline.children:
            continue
        last = inline.children[-1]
        keys = _KEYS.search(last.content) if last.type == "text" else None
        if keys:
            last.content = last.content[: keys.start()]
        words = "".join(child.content for child in inline.children)
        slug = _slug(" ".join([words, *(keys.group(1).replace("#", " ").split() if keys else ())]))
        name = next(name for n in count() if (name := f"{slug}-{n}" if n else slug) not in seen)
        seen.add(name)
        opening.attrSet("id", f"{IN_TASK}{name}")


def _slug(words: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-") or "part"


def _clean(html: str) -> str:
    return nh3.clean(html, tags=TAGS | MATH, attributes=ATTRIBUTES, link_rel="noopener")


def has_math(html: str) -> bool:
    return "data-tex=" in html


def python_html(source: str) -> str:
    """Highlight Python with the site's CSS classes. Keeps one newline per line of the source."""
    parts = []
    for kind, text in lex(source, _python):
        css = next((css for token, css in COLOURS if kind in token), "")
        lines = text.split("\n")  # a multi-line string becomes several spans, so that each line is valid on its own
        parts.append(
            "\n".join(f'<span class="{css}">{escape(line)}</span>' if css and line else escape(line) for line in lines)
        )
    return "".join(parts)


_python = PythonLexer(stripnl=False, ensurenl=False)


def markdown_without_math() -> MarkdownIt:
    """Markdown as pages show it: highlighted Python, and tables that scroll."""
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    for name, rule in (("fence", _fence), ("table_open", _table_open), ("table_close", _table_close)):
        markdown.add_render_rule(name, rule)
    return markdown


def _markdown() -> MarkdownIt:
    markdown = markdown_without_math()
    dollarmath_plugin(markdown, allow_space=False, double_inline=True)
    for name, rule in (("math_inline", _inline), ("math_inline_double", _display), ("math_block", _display)):
        markdown.add_render_rule(name, rule)
    return markdown


def _inline(_: RendererProtocol, tokens: Sequence[Token], index: int, *__: Any) -> str:
    tex = tokens[index].content.strip()
    return f'<span class="math" data-tex="{escape(tex)}">{_mathml(tex, "inline")}</span>'


def _display(_: RendererProtocol, tokens: Sequence[Token], index: int, *__: Any) -> str:
    tex = tokens[index].content.strip()
    what = f'class="math display" data-tex="{escape(tex)}" tabindex="0" role="group" aria-label="Formula"'
    return f"<div {what}>{_mathml(tex, 'block')}</div>"


def _mathml(tex: str, display: str) -> str:
    try:
        return mathml(tex, display=display)
    except Exception:  # the library raises many kinds of errors for unknown TeX; show the source instead
        return f"<code>{escape(tex)}</code>"


def _fence(_: RendererProtocol, tokens: Sequence[Token], index: int, *__: Any) -> str:
    token = tokens[index]
    if token.info.strip() == AUTHORED:
        return ""  # shown in the scratch cell instead
    body = python_html(token.content) if token.info.strip() == "python" else escape(token.content)
    return f'<pre tabindex="0"><code>{body}</code></pre>\n'


def _table_open(*_: Any) -> str:
    return '<div class="scroll" tabindex="0" role="group" aria-label="Table, scrollable"><table>'


def _table_close(*_: Any) -> str:
    return "</table></div>\n"
