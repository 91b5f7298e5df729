"""Identifies the version of our own code in an image, because an image holds a copy that must speak the same protocol."""

import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REFUSAL = "the sandbox image holds another version of the guest; `make images` builds the one for here"

# Runs in the container before any other code of ours. It must not import the code that it is about to check.
CHECK = (
    "import hashlib, pathlib, sys; h = pathlib.Path({folder!r}); "
    "f = sorted(p for q in {parts!r} for p in ([h / q] if (h / q).is_file() else (h / q).rglob('*.py'))); "
    "d = hashlib.sha256(b''.join(str(p.relative_to(h)).encode() + b'\\0' + p.read_bytes() for p in f)).hexdigest(); "
    "d == {ours!r} or sys.exit({refusal!r})"
)


@cache
def ours(parts: Sequence[str]) -> str:
    """Return the fingerprint of these files and folders of this checkout."""
    files = sorted(
        path for part in parts for path in ([ROOT / part] if (ROOT / part).is_file() else (ROOT / part).rglob("*.py"))
    )
    contents = b"".join(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes() for path in files)
    return hashlib.sha256(contents).hexdigest()


def check(folder: str, parts: Sequence[str]) -> str:
    """Return a line of Python that ends the zygote if these parts of a folder differ from this checkout's."""
    return CHECK.format(folder=folder, parts=tuple(parts), ours=ours(parts), refusal=REFUSAL)
