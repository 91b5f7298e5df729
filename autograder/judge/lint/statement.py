"""Whether a statement renders: Markdown that closes what it opens, math in pairs of dollars, no raw HTML."""

import re

from markdown_it import MarkdownIt

from autograder.judge.advice import KEYS

_CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
_HEADING_KEYS = re.compile(r"^#+ .*\{(#[^}]*)\}\s*$", re.MULTILINE)
_DISPLAY = re.compile(r"\$\$.*?\$\$", re.DOTALL)


def trouble(text: str) -> list[tuple[int, str]]:
    """Line and reason for everything that would not render as it is meant."""
    found = []
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    for token in tokens:
        line = (token.map or [0])[0] + 1
        if token.type in ("html_block", "html_inline") or any(c.type == "html_inline" for c in token.children or ()):
            found.append((line, "raw HTML is not shown; write Markdown"))
        if token.type == "fence" and text.splitlines()[(token.map or [0, 1])[1] - 1].strip() not in ("```", "~~~"):
            found.append((line, "a code block is never closed"))
    for keys in _HEADING_KEYS.finditer(_CODE.sub("", text)):
        for key in keys.group(1).replace("#", " ").split():
            if key not in KEYS:
                found.append(
                    (_line_of(text, keys.group()), f"no result links to the heading {{#{key}}}: it is not a known key")
                )
    plain = _DISPLAY.sub("", _CODE.sub("", text))
    if plain.count("$$"):
        found.append((_line_of(text, "$$"), "displayed math is never closed"))
    for number, paragraph in _paragraphs(plain):
        if paragraph.replace("\\$", "").count("$") % 2:
            found.append((number, "an odd number of dollars: math is never closed (a plain dollar is written \\$)"))
    if not any(token.type == "paragraph_open" for token in tokens):
        found.append((1, "there is nothing to read"))
    return found


def _line_of(text: str, part: str) -> int:
    return text[: text.rindex(part)].count("\n") + 1


def _paragraphs(text: str) -> list[tuple[int, str]]:
    found, start = [], 1
    for paragraph in text.split("\n\n"):
        found.append((start, paragraph))
        start += paragraph.count("\n") + 2
    return found
