"""A statement as a page shows it: Markdown and math to clean HTML, once, when an exercise is loaded.

Math is MathML, which browsers show without a script, and names its TeX in `data-tex` for the script that sets it in KaTeX's
fonts. Authors are trusted to teach, not to bring scripts: everything goes through an allow-list.
"""

import re
from collections.abc import Sequence
from html import escape
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

TAGS = {
    *("p", "h2", "h3", "h4", "ul", "ol", "li", "strong", "em", "code", "pre", "blockquote", "a", "hr", "br", "span", "div"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}
MATH = {
    *("math", "mrow", "mstyle", "mpadded", "mphantom", "menclose", "mi", "mn", "mo", "mtext", "mspace"),
    *("mfrac", "msqrt", "mroot", "msub", "msup", "msubsup", "mover", "munder", "munderover", "mtable", "mtr", "mtd"),
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
}
COLOURS = ((Keyword, "k"), (String, "s"), (Number, "d"), (Comment, "c"))
_SENTENCE = re.compile(r"(.+?[.!?])(?:\s|$)", re.DOTALL)


def html_of(text: str) -> str:
    """The whole statement, ready for a page."""
    return _clean(_markdown().render(text))


def summary_of(text: str) -> str:
    """Its first sentence, ready for a page: what stands beside the title."""
    for token in _markdown().parse(text):
        if token.type == "inline":
            words = " ".join(token.content.split())
            found = _SENTENCE.match(words)
            return _clean(_markdown().renderInline(found.group(1) if found else words))
    return ""


def _clean(html: str) -> str:
    return nh3.clean(html, tags=TAGS | MATH, attributes=ATTRIBUTES, link_rel="noopener")


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
    tex = tokens[index].content.strip()
    return f'<span class="math" data-tex="{escape(tex)}">{_mathml(tex, "inline")}</span>'


def _display(_: RendererProtocol, tokens: Sequence[Token], index: int, *__: Any) -> str:
    tex = tokens[index].content.strip()
    what = f'class="math display" data-tex="{escape(tex)}" tabindex="0" role="group" aria-label="Formula"'
    return f"<div {what}>{_mathml(tex, 'block')}</div>"


def _mathml(tex: str, display: str) -> str:
    try:
        return mathml(tex, display=display)
    except Exception:  # the library has a dozen kinds of errors for TeX that it does not know; the source can be read, too
        return f"<code>{escape(tex)}</code>"


def _fence(_: RendererProtocol, tokens: Sequence[Token], index: int, *__: Any) -> str:
    token = tokens[index]
    body = python_html(token.content) if token.info.strip() == "python" else escape(token.content)
    return f'<pre tabindex="0"><code>{body}</code></pre>\n'


def _table_open(*_: Any) -> str:
    return '<div class="scroll" tabindex="0" role="group" aria-label="Table, scrollable"><table>'


def _table_close(*_: Any) -> str:
    return "</table></div>\n"
