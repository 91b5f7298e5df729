"""Whatever stands in backticks and looks like one of our files, names or commands is one."""

import ast
import importlib
import re
from contextlib import suppress
from functools import cache
from types import ModuleType
from typing import get_type_hints

import pytest

from autograder.judge.checks.student import Student
from autograder.settings.secret_files import SECRETS
from sandbox.guest import warmup
from tests.docs import compose
from tests.docs.pages import NAMES, ROOT, read

PLACES = {path.name for path in ROOT.iterdir() if not path.name.startswith(".")}
SUFFIXES = ("py", "toml", "md", "txt", "lock", "csv")
THEIRS = {"torch", "np", "numpy", "ctx", "json", "kernel", "user", "os", "sys", "out", "a", "b"}
VARIABLE = re.compile(r"GRADUS_\w+")


@cache
def modules() -> dict[str, list[str]]:
    """Our modules by their last name, and the folders that hold them."""
    found: dict[str, list[str]] = {}
    for top in ("sandbox", "autograder", "tools"):
        for path in sorted((ROOT / top).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            name = parts[-2] if parts[-1] == "__init__" else parts[-1]
            found.setdefault(name, []).append(".".join(part for part in parts if part != "__init__"))
    return found


def resolves(word: str) -> bool:
    """`module.function`, `module.Class.method` or `autograder.judge`, found by import and attribute."""
    if word.split(".")[0] in ("sandbox", "autograder"):
        return any(word in candidates for candidates in modules().values())
    first, *rest = word.removesuffix("()").split(".")
    if first == "student" and hasattr(Student, rest[0]):
        return True
    return any(_has(importlib.import_module(name), rest) for name in modules().get(first, ()))


def _has(place: ModuleType, path: list[str]) -> bool:
    thing: object = place
    for name in path:
        if isinstance(thing, ModuleType) and hasattr(thing, "__path__") and not hasattr(thing, name):
            with suppress(ModuleNotFoundError):  # a package knows a module of its own once it has been imported
                importlib.import_module(f"{thing.__name__}.{name}")
        if not hasattr(thing, name):
            return isinstance(thing, type) and name in get_type_hints(thing)
        thing = getattr(thing, name)
    return True


def dotted(words: list[str]) -> list[str]:
    pattern = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)+(\(\))?")
    found = [word for word in words if pattern.fullmatch(word) and word.rpartition(".")[2] not in SUFFIXES]
    return [word for word in found if word.split(".")[0] not in THEIRS and word not in operations()]


@cache
def operations() -> frozenset[str]:
    return frozenset(warmup.operations("torch"))


@pytest.mark.parametrize("name", NAMES)
def test_every_dotted_name_exists(name: str) -> None:
    assert [word for word in dotted(read(name).code) if not resolves(word)] == []


def test_every_operation_of_the_guest_is_documented() -> None:
    assert operations() <= set(read("checks").code)


@pytest.mark.parametrize("name", NAMES)
def test_every_path_exists(name: str) -> None:
    paths = [word for word in read(name).code if "/" in word and word.split("/")[0] in PLACES and "<" not in word]
    assert [path for path in paths if not (ROOT / path.partition("::")[0]).exists()] == []


@pytest.mark.parametrize("name", NAMES)
def test_every_file_name_is_the_name_of_a_file(name: str) -> None:
    names = {path.name for path in ROOT.glob("*")} | {
        path.name
        for top in ("sandbox", "autograder", "exercises", "docs", "tests", "tools")
        for path in (ROOT / top).rglob("*.*")
    }
    words = [word for word in read(name).code if re.fullmatch(r"[\w~-]+\.(py|toml|md|sh)", word)]
    assert [word for word in words if word not in names and word != "file.py"] == []


@pytest.mark.parametrize("name", NAMES)
def test_every_command_exists(name: str) -> None:
    commands = [part for word in read(name).code for part in re.findall(r"manage\.py (\w+)((?: --\w+)*)", word)]
    sources = {path.stem: path.read_text("utf-8") for path in (ROOT / "autograder").glob("*/management/commands/*.py")}
    for command, options in commands:
        source = sources[command]
        assert [option for option in options.split() if f'"{option}"' not in source] == [], command


@pytest.mark.parametrize("name", NAMES)
def test_every_make_target_exists(name: str) -> None:
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    assert {word.split()[1] for word in read(name).code if word.startswith("make ")} <= targets


@pytest.mark.parametrize("name", NAMES)
def test_every_variable_is_read_somewhere(name: str) -> None:
    sources = "\n".join(path.read_text("utf-8") for top in ("sandbox", "autograder") for path in (ROOT / top).rglob("*.py"))
    unread = [variable for variable in VARIABLE.findall(read(name).source) if f'"{variable}"' not in sources]
    assert set(unread) <= compose.variables()


@pytest.mark.parametrize("name", NAMES)
def test_every_capitalised_constant_of_ours_exists(name: str) -> None:
    """`TRIES`, `RECYCLE_AFTER`, `VJP`: a word in capitals with no dot is a constant at the top of a module."""
    known = _constants() | {"DEBUG", "EPERM", "ENOSYS"}
    outside = {"SOCK_SEQPACKET", "CONFIG_SECCOMP_FILTER", "DOCKER_HOST"} | compose.variables()
    outside |= set(VARIABLE.findall(read(name).source)) | set(SECRETS.values())
    words = [word for word in read(name).code if re.fullmatch(r"[A-Z][A-Z_]+", word)]
    assert [word for word in words if word not in known | outside] == []


@cache
def _sources() -> tuple[str, ...]:
    return tuple(path.read_text("utf-8") for top in ("sandbox", "autograder") for path in (ROOT / top).rglob("*.py"))


@cache
def _top_level() -> tuple[ast.stmt, ...]:
    return tuple(statement for source in _sources() for statement in ast.parse(source).body)


@cache
def _constants() -> frozenset[str]:
    targets = [target for node in _top_level() if isinstance(node, ast.Assign) for target in node.targets]
    return frozenset(target.id for target in targets if isinstance(target, ast.Name))


def test_every_tool_in_the_tables_of_checks_exists() -> None:
    tools = {word for word in read("checks").code if re.fullmatch(r"expect_\w+", word)}
    assert tools <= {node.name for node in _top_level() if isinstance(node, ast.FunctionDef)}
