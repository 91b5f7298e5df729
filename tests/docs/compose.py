"""docker-compose.yml, and what is around it, as the tests of the documentation see them."""

import re
from functools import cache
from typing import Any, cast

import yaml

from tests.docs.pages import ROOT


@cache
def written() -> dict[str, Any]:
    return cast("dict[str, Any]", yaml.safe_load((ROOT / "docker-compose.yml").read_text("utf-8")))


def services() -> set[str]:
    return set(written()["services"])


@cache
def defaults() -> dict[str, str]:
    """The variables that compose puts in, with what stands there without them; empty where they must be set."""
    text = (ROOT / "docker-compose.yml").read_text("utf-8")
    return {name: value or "" for name, value in re.findall(r"\$\{(\w+)(?::-([^}]*)|:\?[^}]*)?\}", text)}


@cache
def variables() -> frozenset[str]:
    """And those that the first start writes into `.env`."""
    first_start = (ROOT / "tools" / "first_start.sh").read_text("utf-8")
    return frozenset(defaults()) | set(re.findall(r"^set_once (\w+) ", first_start, re.MULTILINE))
