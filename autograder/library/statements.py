"""A statement as a page shows it: Markdown and math to clean HTML, once, when an exercise is loaded.

Math stays TeX in `<code>` for whoever has no script, and names itself in `data-tex` for the one that sets it. Authors are
trusted to teach, not to bring scripts: everything goes through an allow-list.
"""

import re
from collections.abc import Sequence
from html import escape
from typing import Any

import nh3
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererProtocol
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin
from pygments import lex
from pygments.lexers import PythonLexer
from pygments.token import Comment, Keyword, Number, String

TAGS = {
    *("p", "h2", "h3", "h4", "ul", "ol", "li", "strong", "em", "code", "pre", "blockquote", "a", "hr", "br", "span", "div"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}
ATTRIBUTES = {
    "a": {"href", "title"},
    "span": {"class", "data-tex"},
    "div": {"class", "data-tex", "tabindex", "role", "aria-label"},
    "pre": {"class", "tabindex"},
    "ol": {"start"},
}
COLOURS = ((Keyword, "k"), (String, "s"), (Number, "d"), (Comment, "c"))
SUMMARY_LENGTH = 160
_SENTENCE = re.compile(r"(.+?[.!?])(?:\s|$)", re.DOTALL)


def html_of(text: str) -> str:
    """The whole statement, ready for a page."""
    return nh3.clean(_markdown().render(text), tags=TAGS, attributes=ATTRIBUTES, link_rel="noopener")


def summary_of(text: str) -> str:
    """Its first sentence as plain text: what stands beside the title."""
    for token in _markdown().parse(text):
        if token.type == "inline":
            plain = "".join(_plain(child) for child in token.children or ())
            found = _SENTENCE.match(" ".join(plain.split()))
            sentence = found.group(1) if found else plain
            return sentence if len(sentence) <= SUMMARY_LENGTH else sentence[: SUMMARY_LENGTH - 1].rstrip() + "…"
    return ""


def has_math(html: str) -> bool:
    return "data-tex=" in html


def python_html(source: str) -> str:
    """Python with its words in the classes that the site's colours know; one `\\n` per line of the source."""
    parts = []
    for kind, text in lex(source, _python):
        css = next((css for token, css in COLOURS if kind in token), "")
        lines = text.split("\n")  # a string over several lines is several spans: each line stands alone
        parts.append(
            "\n".join(f'<span class="{css}">{escape(line)}</span>' if css and line else escape(line) for line in lines)
        )
    return "".join(parts)


_python = PythonLexer(stripnl=False, ensurenl=False)


def _markdown() -> MarkdownIt:
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    dollarmath_plugin(markdown, allow_space=False, double_inline=True)
    for name, rule in (
        ("math_inline", _inline),
        ("math_inline_double", _display),
        ("math_block", _display),
        ("fence", _fence),
        ("table_open", _table_open),
        ("table_close", _table_close),
    ):
        markdown.add_render_rule(name, rule)
    return markdown


def _inline(_: RendererProtocol, tokens: Sequence[Token], index: int, *__: Any) -> str:
    tex = escape(tokens[index].content.strip())
    return f'<span class="math" data-tex="{tex}"><code>{tex}</code></span>'


def _display(_: RendererProtocol, tokens: Sequence[Token], index: int, *__: Any) -> str:
    tex = escape(tokens[index].content.strip())
    return (
        f'<div class="math display" data-tex="{tex}" tabindex="0" role="group" aria-label="Formula"><code>{tex}</code></div>'
    )


def _fence(_: RendererProtocol, tokens: Sequence[Token], index: int, *__: Any) -> str:
    token = tokens[index]
    body = python_html(token.content) if token.info.strip() == "python" else escape(token.content)
    return f'<pre tabindex="0"><code>{body}</code></pre>\n'


def _table_open(*_: Any) -> str:
    return '<div class="scroll" tabindex="0" role="group" aria-label="Table, scrollable"><table>'


def _table_close(*_: Any) -> str:
    return "</table></div>\n"


def _plain(token: Token) -> str:
    return " " if token.type in ("softbreak", "hardbreak") else token.content
