"""Loads templates without the whitespace that lays out their source.

A template has one tag or sentence a line. Browsers ignore the line breaks and indentation beside block elements, so pages
are sent without them. Contents of `pre`, `textarea`, `script` and `style` are left as they are.
"""

import re

from django.conf import settings
from django.template import Origin
from django.template.loaders import app_directories

_VERBATIM = re.compile(r"""(<(pre|textarea|script|style)\b(?:"[^"]*"|'[^']*'|[^'">])*>)(.*?)(?=</\2\s*>)""", re.DOTALL)
_TEMPLATE = re.compile(r"\{%.*?%\}|\{\{.*?\}\}|\{#.*?#\}", re.DOTALL)
_PLACEHOLDER = re.compile(r"\0(\d+)\0")
_TAG = re.compile(r"""<[/a-zA-Z!](?:"[^"]*"|'[^']*'|[^'">])*>""")
_BLOCK = (
    "article|aside|blockquote|body|caption|circle|col|colgroup|dd|details|dialog|div|dl|!doctype|dt|fieldset|figcaption|figure|"
    "footer|form|g|h[1-6]|head|header|hr|html|legend|li|line|link|main|meta|nav|ol|optgroup|option|p|path|pre|rect|script|"
    "section|style|summary|svg|table|tbody|td|template|tfoot|th|thead|title|tr|ul"
)
_BLOCK_TAG = rf"</?(?:{_BLOCK})\b(?:\"[^\"]*\"|'[^']*'|[^'\">])*>"
_BESIDE_BLOCKS = re.compile(rf"\s*\n\s*(?={_BLOCK_TAG})|(?P<tag>{_BLOCK_TAG})\s*\n\s*", re.IGNORECASE)
_SETUP = re.compile(r"\A(?:\s*\{% (?:load|extends) [^%]*%\}\s*)+")
# `{% if x %}, more{% endif %}` continues the text before it
_BEFORE_PUNCTUATION = re.compile(r"\s*\n\s*(?=\{% if [^%]*%\}[,.;:])")
# ` {% if x %}open{% endif %}` before the end of a tag: the space belongs to the attribute
_OPTIONAL_ATTRIBUTE = re.compile(r"(?<=[\"'\w}])\s+(\{% if [^%]*%\})(\w[^<>%]*\{% endif %\})(?=\s*>)")
_LINE_BREAK = re.compile(r"\s*\n\s*")


class Loader(app_directories.Loader):
    """The templates of the apps, compact unless DEBUG asks for line numbers as in the source."""

    def get_contents(self, origin: Origin) -> str:
        source = super().get_contents(origin)
        return source if settings.DEBUG or not origin.name.endswith(".html") else compact(source)


def compact(source: str) -> str:
    """Remove line breaks and indentation that do not show, and keep one space for those that do."""
    kept: list[str] = []

    def keep(text: str) -> str:
        kept.append(text)
        return f"\0{len(kept) - 1}\0"

    source = _SETUP.sub(lambda match: _LINE_BREAK.sub("", match[0].strip()), source)
    source = _OPTIONAL_ATTRIBUTE.sub(r"\1 \2", _BEFORE_PUNCTUATION.sub("", source))
    source = _VERBATIM.sub(lambda match: match[1] + keep(match[3]), source)
    source = _TEMPLATE.sub(lambda match: keep(match[0]), source)
    source = _TAG.sub(lambda match: _on_one_line(match[0]), source)
    source = _BESIDE_BLOCKS.sub(lambda match: match["tag"] or "", source)
    source = _LINE_BREAK.sub(" ", source.strip("\n"))
    return _PLACEHOLDER.sub(lambda match: kept[int(match[1])], source)


def _on_one_line(tag: str) -> str:
    return re.sub(r" (?=/?>$)", "", _LINE_BREAK.sub(" ", tag))
