"""Computes what a profile sees: its installed packages with all their requirements, some of our own code, nothing else.

Access is denied by absence: in profile `numpy`, torch cannot be imported because it is not there.
"""

from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement

from sandbox.errors import SandboxError

EXAMINER = "examiner"  # the profile of the checks of an exercise; the others are those of submissions
EXAMINER_FILES = 1024  # that an examiner can create: those of its exercise, and their bytecode
ROOTS: dict[str, tuple[str, ...]] = {
    "python": (),
    "numpy": ("numpy",),
    "torch": ("torch", "numpy"),
    EXAMINER: ("torch", "numpy"),
}
WIRE_ROOTS = ("msgspec",)
GUEST = ("sandbox/__init__.py", "sandbox/wire.py", "sandbox/guest")
JUDGE = ("__init__.py", "examiner", "explain", "judge", "observability", "prove", "trace")


def own_code(profile: str) -> tuple[str, ...]:
    """The files and folders of this project that a zygote of the profile sees, relative to the root of the project."""
    return ("sandbox", *(f"autograder/{part}" for part in JUDGE)) if profile == EXAMINER else GUEST


@cache
def closure(roots: tuple[str, ...]) -> tuple[Path, ...]:
    """Return every top-level file or folder in site-packages that belongs to the roots or their requirements."""
    waiting, seen, paths = list(roots), set[str](), set[Path]()
    while waiting:
        name = waiting.pop().lower().replace("_", "-")
        if name in seen:
            continue
        seen.add(name)
        try:
            package = distribution(name)
        except PackageNotFoundError as error:
            raise SandboxError(f"package {name} is not installed; `make test` or `make run` installs it") from error
        for file in package.files or ():
            if file.parts[0] not in ("..", "__pycache__", "bin"):
                paths.add(Path(str(package.locate_file(file.parts[0]))))
        for line in package.requires or ():
            requirement = Requirement(line)
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                waiting.append(requirement.name)
    return tuple(sorted(path for path in paths if path.exists()))
