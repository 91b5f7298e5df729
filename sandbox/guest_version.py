"""Identifies the version of the guest, because an image holds a copy of the guest that must speak the same protocol."""

import hashlib
from functools import cache
from pathlib import Path

HERE = Path(__file__).resolve().parent
PARTS = ("wire.py", "guest")
REFUSAL = "the sandbox image holds another version of the guest; `make images` builds the one for here"

# Runs in the container before any other code of ours. It must not import the code that it is about to check.
CHECK = (
    "import hashlib, pathlib, sys; h = pathlib.Path({folder!r}); "
    "f = sorted(p for q in {parts!r} for p in ([h / q] if (h / q).is_file() else (h / q).rglob('*.py'))); "
    "d = hashlib.sha256(b''.join(str(p.relative_to(h)).encode() + b'\\0' + p.read_bytes() for p in f)).hexdigest(); "
    "d == {ours!r} or sys.exit({refusal!r})"
)


@cache
def ours() -> str:
    """Return the fingerprint of the guest in this checkout."""
    files = sorted(
        path for part in PARTS for path in ([HERE / part] if (HERE / part).is_file() else (HERE / part).rglob("*.py"))
    )
    contents = b"".join(str(path.relative_to(HERE)).encode() + b"\0" + path.read_bytes() for path in files)
    return hashlib.sha256(contents).hexdigest()


def check(private: str) -> str:
    """Return a line of Python that ends the zygote if its guest differs from this checkout's."""
    return CHECK.format(folder=f"{private}/sandbox", parts=PARTS, ours=ours(), refusal=REFUSAL)
