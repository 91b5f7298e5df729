"""Checks that a statement renders: valid Markdown, balanced math delimiters, no raw HTML."""

import re
from collections.abc import Iterator

from markdown_it import MarkdownIt

from autograder.explain.advice import KEYS
from autograder.judge.pack import Content
from autograder.prove.findings import Finding

_CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
_HEADING_KEYS = re.compile(r"^#+ .*\{(#[^}]*)\}\s*$", re.MULTILINE)
_DISPLAY = re.compile(r"\$\$.*?\$\$", re.DOTALL)


def findings(exercise: Content) -> Iterator[Finding]:
    for line, problem in problems(exercise.statement):
        yield Finding("statement", str(exercise.folder / "statement.md"), line, problem)


def problems(text: str) -> list[tuple[int, str]]:
    """Line and reason of everything that would not render as intended."""
    found = []
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    for token in tokens:
        line = (token.map or [0])[0] + 1
        if token.type in ("html_block", "html_inline") or any(c.type == "html_inline" for c in token.children or ()):
            found.append((line, "raw HTML is not rendered; use Markdown"))
        if token.type == "fence" and text.splitlines()[(token.map or [0, 1])[1] - 1].strip() not in ("```", "~~~"):
            found.append((line, "unclosed code block"))
    for keys in _HEADING_KEYS.finditer(_CODE.sub("", text)):
        for key in keys.group(1).replace("#", " ").split():
            if key not in KEYS:
                found.append((_line_of(text, keys.group()), f"unknown key in the heading {{#{key}}}: no result links to it"))
    plain = _DISPLAY.sub("", _CODE.sub("", text))
    if plain.count("$$"):
        found.append((_line_of(text, "$$"), "unclosed display math"))
    for number, paragraph in _paragraphs(plain):
        if paragraph.replace("\\$", "").count("$") % 2:
            found.append((number, "unclosed math: odd number of dollar signs (write \\$ for a literal dollar sign)"))
    if not any(token.type == "paragraph_open" for token in tokens):
        found.append((1, "the statement has no text"))
    return found


def _line_of(text: str, part: str) -> int:
    return text[: text.rindex(part)].count("\n") + 1


def _paragraphs(text: str) -> list[tuple[int, str]]:
    found, start = [], 1
    for paragraph in text.split("\n\n"):
        found.append((start, paragraph))
        start += paragraph.count("\n") + 2
    return found
