"""Keeps phrases that confused readers out of pages, messages, statements, docs and docstrings (docs/contributing.md)."""

import re
from pathlib import Path

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


def test_no_text_has_a_phrase_that_confused_readers() -> None:
    assert len(TEXTS) > 500
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in sorted(TEXTS)
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if PHRASES.search(line)
    ]
    assert found == []
