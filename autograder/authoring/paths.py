"""Which files a draft may have."""

import re
from collections.abc import Collection

from autograder.courses.errors import AtField

MAX_FILES = 500
MAX_FILE, MAX_ALL = 200_000, 4_000_000  # characters
MAX_PATH = 160
_NAME = r"[A-Za-z0-9_][A-Za-z0-9_.~-]*"
_PATH = re.compile(rf"(?:{_NAME}/){{0,8}}{_NAME}\.(?:py|md|toml)")
REQUIRED = ("exercise.toml", "statement.md", "checks.py")
FOLDERS = ("right", "wrong", "starter", "solution", "given", "support", "carried")


def validate(path: str, others: Collection[str] = ()) -> None:
    """Raises `AtField` for a path that no exercise has, or that differs from another one only in case."""
    if len(path) > MAX_PATH:
        raise AtField("path", f"The name is too long: at most {MAX_PATH} characters.")
    if not _PATH.fullmatch(path) or "__pycache__" in path:
        raise AtField(
            "path", "Use letters, digits, - and _, with the ending .py, .md or .toml, such as wrong/missing-factor.py."
        )
    beside_checks = "/" not in path and path.endswith(".py")  # starter.py, solution.py, and what checks.py reads
    if path not in REQUIRED and not beside_checks and path.partition("/")[0] not in FOLDERS:
        raise AtField(
            "path", f"{path} has no place in an exercise. Files of their own are in {', '.join(f'{f}/' for f in FOLDERS)}."
        )
    if path.endswith("/__init__.py") and path.partition("/")[0] in ("right", "wrong"):
        raise AtField("path", "A right or wrong solution needs a name of its own.")
    same = next((other for other in others if other.lower() == path.lower()), None)
    if same is not None:
        raise AtField("path", f"There is a file {same} already.")
    below = next((other for other in others if other.startswith(f"{path}/") or path.startswith(f"{other}/")), None)
    if below is not None:
        raise AtField("path", f"{path} and {below} cannot both exist: one is a folder of the other.")
