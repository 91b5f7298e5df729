"""An exercise of several files, one of them carried over from another exercise: `chain` and `words`."""

from pathlib import Path

from tests.echo import PARTS as ECHO

TOML = """
title = "Chain"
kind = "vjp"
profile = "python"
unit = "Tests"
points = 3
difficulty = 1
main = "chain/engine.py"
free = ["parts/*.py"]

[carried]
"chain/words.py" = "words"

[[entry_points]]
name = "slope"
"""

CHECKS = """
from autograder.judge.checks import check, expect_equal

@check("The slope", points=1)
def public(student, rng):
    n = int(rng.integers(2, 100))
    expect_equal(student.call("slope", n), 2 * n, "slope(n)", {"n": n})

@check("Its name", points=2, hidden=True)
def hidden(student, rng):
    n = int(rng.integers(2, 100))
    expect_equal(student.call("named", n), f"slope {2 * n}", "named(n)", {"n": n})
"""

CHECKS_OF_WORDS = """
from autograder.judge.checks import check, expect_equal

@check("Two words", points=1)
def two(student, rng):
    n = int(rng.integers(100))
    expect_equal(student.call("say", "n", n), f"n {n}", "say('n', n)", {"n": n})

@check("Two others", points=2, hidden=True)
def others(student, rng):
    n = int(rng.integers(100))
    expect_equal(student.call("say", n, "m"), f"{n} m", "say(n, 'm')", {"n": n})
"""

ENGINE = """from chain.ops import double
from .shape import PREFIX
from chain import words
from chain.audit import count


def slope(n):
    count()
    return double(n)


def named(n):
    return words.say(PREFIX, slope(n))
"""

CHAIN: dict[str, str | None] = {
    "exercise.toml": TOML,
    "checks.py": CHECKS,
    "starter.py": None,
    "solution.py": None,
    "right/lambda.py": None,
    "wrong/silent.py": None,
    "starter/chain/engine.py": "from chain.ops import double\n\n\ndef slope(n):\n    ...\n",
    "starter/chain/ops.py": "def double(n):\n    ...\n",
    "given/chain/shape.py": "PREFIX = 'slope'\n",
    "support/chain/audit.py": "calls = []\n\n\ndef count():\n    calls.append(1)\n",
    "carried/chain/words.py": "def say(a, b):\n    return f'{a} {b}'\n",
    "solution/chain/engine.py": ENGINE,
    "solution/chain/ops.py": "def double(n):\n    return 2 * n\n",
    "right/plus/chain/ops.py": "def double(n):\n    return n + n\n",
    "wrong/missing-upstream.py": ENGINE.replace("return double(n)", "return n"),
    "wrong/wrong-sign/chain/ops.py": "def double(n):\n    return -2 * n\n",
}

WORDS: dict[str, str | None] = {
    "exercise.toml": ECHO["exercise.toml"]
    .replace("Echo", "Words")
    .replace('"echo"', '"say"')
    .replace("echo(x)", "say(a, b)"),
    "checks.py": CHECKS_OF_WORDS,
    "starter.py": "def say(a, b):\n    ...\n",
    "solution.py": "def say(a, b):\n    return f'{a} {b}'\n",
    "right/lambda.py": "say = '{} {}'.format\n",
    "wrong/silent.py": "def say(a, b):\n    return None\n",
}


def write(folder: Path, parts: dict[str, str | None]) -> Path:
    for name, content in {**ECHO, **parts}.items():
        if content is not None:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(content)
    return folder
