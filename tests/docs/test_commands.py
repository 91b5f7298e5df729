"""Blocks marked `console run` are run word for word; what they print is compared, but for times and content hashes."""

import os
import re
from collections.abc import Iterator
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE, OutputChecker

import pytest

from tests.docs.pages import NAMES, ROOT, Block, read
from tests.processes import shell

UNSTABLE = (
    (re.compile(r'"seconds": [\d.e-]+'), '"seconds": 0'),
    (re.compile(r'"version": "[0-9a-f]{16}"'), '"version": "?"'),
    (re.compile(r'"(python|numpy|torch)": "[\w.+]+"'), r'"\1": "?"'),
    (re.compile(r"\d+ ms · seed (\d+) · version [0-9a-f]{16}"), r"0 ms · seed \1"),
)


def calls() -> Iterator[tuple[Block, str, str]]:
    """Every command of a block to be run, with the output under it. `run=walk` belongs to a story: test_authoring.py."""
    for block in (block for name in NAMES for block in read(name).blocks if block.marks.get("run") == ""):
        for command, output in commands(block):
            yield block, command, output


def commands(block: Block) -> Iterator[tuple[str, str]]:
    """The commands of one block, each with what it prints."""
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        yield command, output


CALLS = list(calls())


def stable(text: str) -> str:
    for pattern, word in UNSTABLE:
        text = pattern.sub(word, text)
    return "\n".join(line.rstrip() for line in text.splitlines()) + "\n"


@pytest.mark.parametrize(
    ("block", "command", "expected"), CALLS, ids=[f"{block}-{n}" for n, (block, _, _) in enumerate(CALLS)]
)
def test_a_command_prints_what_the_page_says(block: Block, command: str, expected: str) -> None:
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("GRADUS_", "DEBUG", "DJANGO_"))}
    result = shell(command, cwd=ROOT, environment=environment | {"COLUMNS": "80"}, together=True)
    assert says(expected, result.stdout), f"{block}: {command}\nprinted\n{result.stdout}\ninstead of\n{expected}"


def says(wanted: str, given: str) -> bool:
    """The same output; a line of dots stands for any lines, dots in a line for any words."""
    return OutputChecker().check_output(stable(wanted), stable(given), ELLIPSIS | NORMALIZE_WHITESPACE)


@pytest.mark.parametrize("name", NAMES)
def test_every_console_block_is_run(name: str) -> None:
    """But for those marked `engine`, which need a container engine: test_containers.py looks up what they name."""
    shells = [block for block in read(name).blocks if block.language in ("console", "sh", "bash", "shell")]
    loose = [str(block) for block in shells if not {"run", "engine"} & set(block.marks)]
    assert loose == []


def test_there_are_commands_to_run() -> None:
    assert {block.page for block, _, _ in CALLS} >= {"architecture", "authoring", "operations", "report", "security"}
