"""Keeps phrases that confused readers out of pages, messages, statements, docs and docstrings (docs/contributing.md)."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PHRASES = re.compile(
    r"\bher(s|self)?\b|ours to mend|thrown away|\bhere stands\b|\bcomes? about\b|\bgo(es)? together\b|\bone who\b|\bwho asks\b"
    r"|\bthe (gradient|derivative) by\b|\bso many times\b|\bno more and\b|\bwould be another one\b|\bhands? in for\b",
    re.IGNORECASE,
)
TEXTS = [
    *(ROOT / name for name in ("README.md", "SECURITY.md", "CHANGELOG.md")),
    *(ROOT / "docs").glob("*.md"),
    *(ROOT / "exercises").glob("*/*/statement.md"),
    *(ROOT / "autograder").glob("**/templates/**/*.html"),
    *(ROOT / "autograder").glob("**/*.py"),
    *(ROOT / "sandbox").glob("**/*.py"),
]


@pytest.mark.parametrize("path", sorted(TEXTS), ids=lambda path: str(path.relative_to(ROOT)))
def test_a_text_has_no_phrase_that_confused_readers(path: Path) -> None:
    lines = path.read_text().splitlines()
    assert [f"{number}: {line.strip()}" for number, line in enumerate(lines, 1) if PHRASES.search(line)] == []
