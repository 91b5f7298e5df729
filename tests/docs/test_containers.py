"""docs/containers.md needs an engine to be followed; whatever it names is looked up here."""

import ast
import re
import shlex
from argparse import ArgumentParser, _SubParsersAction
from collections.abc import Iterator
from functools import cache
from itertools import groupby

import pytest
from django.core.management import get_commands, load_command_class

from sandbox import guest_version
from tests.docs import compose
from tests.docs.pages import ROOT, first_column, read
from tests.docs.test_commands import commands
from tools.images import FILES, MAX_SIZES

PAGE = read("containers")
TAKING_A_VALUE = {"--scale"}
ONE_SERVICE = {"exec", "run"}
BETWEEN = {"(", ")", ";", "|", "<", ">", "&&"}
MANY_SERVICES = {"build", "up", "stop", "ps", "logs", "down"}
RAISED_IN = ("backends/container_engine.py", "backends/ownership.py", "pool.py")
TROUBLES = {"EngineTrouble", "SandboxError"}


@cache
def typed() -> tuple[str, ...]:
    """Every command of the page: in blocks, and between backticks."""
    blocks = [command for block in PAGE.blocks for command, _ in commands(block)]
    return (*blocks, *(word for word in PAGE.code if word.startswith(("docker ", "make ", ".venv/"))))


# -- commands -------------------------------------------------------------------------------------------------------------


def of_compose() -> Iterator[tuple[str, list[str], list[str]]]:
    """Each call of compose: its verb, what else stands there without a dash, and `NAME=NUMBER` of every `--scale`."""
    for call in (call for command in typed() for call in calls_in(command) if call[:2] == ["docker", "compose"]):
        words, scaled, rest = iter(call[2:]), [], []
        for word in words:
            if word in TAKING_A_VALUE:
                scaled.append(next(words))
            elif not word.startswith("-"):
                rest.append(word)
        yield rest[0], rest[1:], scaled


def calls_in(command: str) -> Iterator[list[str]]:
    """The parts of a line of the shell, as words."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    for is_between, words in groupby(lexer, key=lambda word: word in BETWEEN):
        if not is_between:
            yield list(words)


def test_compose_is_called_with_services_that_there_are() -> None:
    calls = list(of_compose())
    assert len(calls) > 20
    for verb, rest, scaled in calls:
        assert verb in ONE_SERVICE | MANY_SERVICES
        named = rest[:1] if verb in ONE_SERVICE else rest
        assert set(named) | {word.partition("=")[0] for word in scaled} <= compose.services(), (verb, rest)


def options_of(parser: ArgumentParser) -> set[str]:
    """Of a command and of its actions."""
    below = [action for action in parser._actions if isinstance(action, _SubParsersAction)]
    return set(parser._option_string_actions).union(
        *(options_of(one) for action in below for one in action.choices.values())
    )


def test_commands_of_manage_exist_with_their_options() -> None:
    known, called = get_commands(), 0
    for call in (call for command in typed() for call in calls_in(command) if "manage.py" in call):
        name, *rest = call[call.index("manage.py") + 1 :]
        parser = load_command_class(str(known[name]), name).create_parser("manage.py", name)
        assert {word for word in rest if word.startswith("--")} <= options_of(parser), call
        called += 1
    assert called > 10


def test_targets_of_make_exist() -> None:
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    named = set(re.findall(r"\bmake ([a-z][\w-]*)`", PAGE.source))
    assert {"images", "test-containers", "capacity"} <= named <= targets


def test_scripts_and_modules_exist() -> None:
    paths = re.findall(r"\b(?:tools|ops)/[\w.-]+\b", PAGE.source)
    modules = re.findall(r"python -m ([\w.]+)", PAGE.source)
    assert paths and modules
    for path in paths:
        assert (ROOT / path).is_file(), path
    for module in modules:
        assert (ROOT / f"{module.replace('.', '/')}.py").is_file(), module


# -- services, images, settings --------------------------------------------------------------------------------------------


def test_every_service_is_explained() -> None:
    rows = [row for row in PAGE.section("Services and images").rows if row[0].strip("`") in compose.services()]
    assert {row[0].strip("`") for row in rows} == compose.services()
    for service, image, *_ in rows:
        wanted = compose.written()["services"][service.strip("`")]["image"]
        assert image.startswith("`") == wanted.startswith("${GRADUS_")
        assert not image.startswith("`") or image.strip("`") in wanted


def test_every_image_has_its_ceiling() -> None:
    rows = {row[0].strip("`"): row[1] for row in PAGE.section("Services and images").rows}
    for name in FILES:
        assert (f"at most {MAX_SIZES[name]:,}" if name in MAX_SIZES else "about") in rows[f"gradus-{name}"]


def test_every_setting_is_on_the_page() -> None:
    told = set(first_column(PAGE.section("Settings")))
    sources = "\n".join(path.read_text("utf-8") for top in ("sandbox", "autograder") for path in (ROOT / top).rglob("*.py"))
    read_by_us = set(re.findall(r'"(GRADUS_SANDBOX\w*)"', sources))
    assert len(read_by_us) >= 8
    assert told == read_by_us | compose.variables() | {"DOCKER_HOST"}


def test_defaults_are_those_of_compose() -> None:
    found = {row[0].strip("`"): row[1] for row in reversed(PAGE.section("Settings").rows)}
    defaults = compose.defaults()
    assert len(defaults) > 10
    for name, default in defaults.items():
        if name == "DOCKER_SOCKET":  # of one machine
            continue
        told = found[name]
        assert f"`{default}`" in told if default else "`" not in told or name.startswith("GRADUS_SANDBOX"), name


# -- when something is wrong -------------------------------------------------------------------------------------------------


def sentences() -> Iterator[str]:
    """Whatever is raised by those who speak to an engine, as a pattern: a value may be anything."""
    for file in RAISED_IN:
        tree = ast.parse((ROOT / "sandbox" / file).read_text("utf-8"))
        returned = next((node for node in tree.body if getattr(node, "name", "") == "_why_silent"), None)
        found = [node.value for node in ast.walk(returned) if isinstance(node, ast.Return)] if returned else []
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and getattr(node.func, "id", "") in TROUBLES]
        found += [call.args[0] for call in calls]
        yield from (pattern(node) for node in found if isinstance(node, ast.Constant | ast.JoinedStr))
    yield pattern(ast.Constant(guest_version.REFUSAL))


def pattern(node: ast.Constant | ast.JoinedStr) -> str:
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    return "".join(
        re.escape(str(part.value).replace("`", "")) if isinstance(part, ast.Constant) else "(…|[0-9]+)" for part in parts
    )


SENTENCES = sorted(set(sentences()))


def test_sentences_were_found() -> None:
    assert len(SENTENCES) == 12


@pytest.mark.parametrize("sentence", SENTENCES)
def test_every_sentence_has_its_cause_and_cure(sentence: str) -> None:
    rows = [row for row in PAGE.section("Troubleshooting").rows if re.fullmatch(sentence, row[0].strip("`"))]
    assert len(rows) == 1
    assert all(len(cell) > 10 for cell in rows[0])
