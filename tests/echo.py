"""A complete little exercise: the student returns what is given."""

TOML = """
title = "Echo"
kind = "quiz"
profile = "python"
unit = "Tests"
points = 3
difficulty = 1

[[entry_points]]
name = "echo"
signature = "echo(x)"
"""

CHECKS = """
from autograder.judge.checks import check, expect_equal

@check("An integer comes back", points=1)
def integer(student, rng):
    n = int(rng.integers(100))
    expect_equal(student.call("echo", n), n, "echo(n)", {"n": n})

@check("A word comes back", points=2, hidden=True)
def word(student, rng):
    expect_equal(student.call("echo", "word"), "word", "echo('word')")
"""

PARTS = {
    "exercise.toml": TOML,
    "statement.md": "Write `echo`.\n",
    "starter.py": "def echo(x):\n    ...\n",
    "solution.py": "def echo(x):\n    return x\n",
    "checks.py": CHECKS,
    "wrong/silent.py": "def echo(x):\n    return None\n",
    "right/lambda.py": "echo = lambda x: x\n",
}
