"""Searches the working tree and the whole history for secrets.

It finds keys of known formats, and random-looking words that are called a password, token or key. Findings are never printed
in full.

This is our own script, because the maintained libraries scan a tree without its history, or are written in other languages.
False positives have a line in tools/secret_scan.allowed: the fingerprint, as printed by this script, and a reason.
"""

import argparse
import hashlib
import math
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ALLOWED = ROOT / "tools" / "secret_scan.allowed"
BUILT = re.compile(r"^autograder/web/static/web/|^frontend/package-lock\.json$|^requirements\.lock$")
LONGEST = 2_000  # characters per line: longer lines are generated
RANDOM = 3.5  # bits per character: words and identifiers have fewer
SHAPES = {
    "a private key": re.compile(r"(-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----)"),
    "a key of AWS": re.compile(r"\b((?:AKIA|ASIA)[0-9A-Z]{16})\b"),
    "a token of GitHub": re.compile(r"\b(gh[pousr]_[A-Za-z0-9]{36,}|github_pat_\w{60,})\b"),
    "a token of GitLab": re.compile(r"\b(glpat-[\w-]{20,})"),
    "a token of Slack": re.compile(r"\b(xox[abprs]-[\w-]{20,})"),
    "a key of Google": re.compile(r"\b(AIza[\w-]{35})\b"),
    "a key of Stripe": re.compile(r"\b([rs]k_live_\w{20,})\b"),
    "a token of PyPI": re.compile(r"\b(pypi-AgEIcHlwaS5vcmc[\w-]{50,})"),
    "a signed token": re.compile(r"\b(eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{20,})"),
}
IN_ADDRESS = re.compile(r"\b[a-z][a-z0-9+]*://[^\s/:@'\"]+:([^\s/@'\"{}$<>]{8,})@")
CALLED = re.compile(
    r"(?i)(?:secret|passw(?:or)?d|token|api_?key|private_?key|credential)\w*[\"']?\s*(?:[:=]|=>)\s*[\"']?([\w+/=.~!@#%^&*-]{16,})"
)


@dataclass(frozen=True)
class Finding:
    """The location of a possible secret."""

    place: str
    kind: str
    word: str

    @property
    def fingerprint(self) -> str:
        return hashlib.sha256(self.word.encode()).hexdigest()[:16]

    def __str__(self) -> str:
        return f"{self.place}: {self.kind}, {self.word[:4]}… of {len(self.word)} characters, fingerprint {self.fingerprint}"


def looked_through(lines: Iterable[tuple[str, str]]) -> Iterator[Finding]:
    """Search pairs of a location and a line."""
    for place, line in lines:
        if len(line) > LONGEST:
            line = line[:LONGEST]
        for kind, shape in SHAPES.items():
            yield from (Finding(place, kind, match[1]) for match in shape.finditer(line))
        for match in IN_ADDRESS.finditer(line):
            if is_random(match[1]):
                yield Finding(place, "a password in an address", match[1])
        for match in CALLED.finditer(line):
            if is_random(match[1]):
                yield Finding(place, "what is called a secret", match[1])


def is_random(word: str) -> bool:
    """Return whether a word looks random: letters mixed with digits or case. Code such as `settings.SECRET_KEY` does not."""
    kinds = sum(bool(re.search(kind, word)) for kind in ("[a-z]", "[A-Z]", "[0-9]"))
    if kinds < 2 or re.fullmatch(r"[A-Za-z_]+(?:[.(_-][A-Za-z_]*)*\)?", word):
        return False
    return entropy(word) > RANDOM


def entropy(word: str) -> float:
    return -sum(n / len(word) * math.log2(n / len(word)) for n in Counter(word).values())


def tree(root: Path) -> Iterator[tuple[str, str]]:
    """Yield the lines of tracked files and of untracked files that are not ignored."""
    for name in _git(root, "ls-files", "--cached", "--others", "--exclude-standard", "-z").split("\0"):
        path = root / name
        if name and not BUILT.search(name) and path.is_file() and not path.is_symlink():
            text = path.read_bytes()
            if b"\0" not in text[:8000]:
                for number, line in enumerate(text.decode("utf-8", "replace").splitlines(), 1):
                    yield f"{name}:{number}", line


def history(root: Path) -> Iterator[tuple[str, str]]:
    """Yield every line that any commit on any branch ever added."""
    commit = name = ""
    for line in _git(root, "log", "--all", "-p", "-U0", "--no-color", "--no-ext-diff", "--format=commit %h").split("\n"):
        if line.startswith("commit "):
            commit = line.removeprefix("commit ")
        elif line.startswith("+++ "):
            name = line.removeprefix("+++ ").removeprefix("b/")
        elif line.startswith("+") and not BUILT.search(name):
            yield f"{commit}:{name}", line[1:]


def allowed(path: Path) -> set[str]:
    """Return the first word of each line; the rest is the reason. Lines without a reason are ignored."""
    lines = path.read_text("utf-8").splitlines() if path.is_file() else []
    return {line.split()[0] for line in lines if len(line.split()) > 1 and not line.startswith("#")}


def scan(root: Path, known: set[str]) -> list[Finding]:
    """Return each secret once, at its first location: the tree precedes the history."""
    found: dict[str, Finding] = {}
    for source in (tree, history):
        for finding in looked_through(source(root)):
            if finding.fingerprint not in known:
                found.setdefault(finding.fingerprint, finding)
    return list(found.values())


def _git(root: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, check=False)
    if done.returncode:
        raise SystemExit(f"secrets: NOT LOOKED FOR: {done.stderr.decode(errors='replace').strip().splitlines()[0]}")
    return done.stdout.decode("utf-8", "replace")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("root", nargs="?", type=Path, default=ROOT)
    root: Path = parser.parse_args(arguments).root
    found = scan(root, allowed(root / ALLOWED.relative_to(ROOT)))
    for finding in found:
        print(finding)
    if found:
        print(f"secrets: {len(found)} found. Make each worthless where it is good for something, then take it out.")
        return 1
    print("secrets: none in the tree, none in the history")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
