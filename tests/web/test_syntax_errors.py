"""What the editor underlines: nothing that Python accepts, and the first line that no version of it does."""

import ast
import json
import sysconfig
import warnings
from pathlib import Path

import pytest

from tests.conftest import EXERCISES
from tests.frontend import run_module

FIRST_ERRORS = """
import { readFileSync } from "node:fs";
import { python } from "@codemirror/lang-python";
import { ensureSyntaxTree } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { firstError } from "./src/editor/syntax-errors.js";

const extensions = [python()];
const found = {};
for (const [name, doc] of Object.entries(JSON.parse(readFileSync(0, "utf8")))) {
  const state = EditorState.create({ doc, extensions });
  found[name] = firstError(ensureSyntaxTree(state, state.doc.length, 60_000), state.doc);
}
console.log(JSON.stringify(found));
"""
# modules of the standard library's own tests that use every part of the language
UNUSUAL = [
    "grammar",
    "fstring",
    "patma",
    "with",
    "generators",
    "type_params",
    "positional_only_arg",
    "print",
    "named_expressions",
]
ACCEPTED = {
    "a bare yield": "def f():\n    x = yield\n    yield\n",
    "a yield in a lambda": "f = lambda: (yield)\n",
    "several files": "with (open('a') as f, open('b') as g):\n    pass\n",
    "a pair as target": "with f() as (a, b):\n    pass\n",
    "an attribute as target": "with f() as self.file:\n    pass\n",
    "numbers that end in a point": "x = 1./3.\ny = [2., -1.]\n",
    "an index that is unpacked": "x = a[*index]\n",
    "rows that are unpacked": "x = [n for name, *n in rows]\n",
    "patterns": "match x:\n    case {}:\n        pass\n    case Add():\n        pass\n",
}
REFUSED = {  # with the line that is marked
    "two equals signs": ("x = 1\ny = = 2\nz = 3\n", 2),
    "a bracket that is not closed": ("x = 1\nz = (1,\n\ny = 1\n", 2),
    "a call that is not closed": ("def f(x):\n    return g(x\n\ny = 1\n", 2),
    "no colon": ("def f(x)\n    return x\n", 1),
    "no operand": ("x = 1 +\ny = 2\n", 1),
    "two numbers": ("x = 1\ny = 2 3\n", 2),
    "no name after a dot": ("x = self.\ny = 2\n", 1),
    "a word too many": ("x = 1\nif x then:\n    pass\n", 2),
    "an error below a bare yield": ("def f():\n    yield\n\ny = = 2\n", 4),
    "an error below a number that ends in a point": ("x = 1./3\ny = = 2\n", 2),
    "an error below a with": ("with open('a') as f:\n    y = = 2\n", 2),
}


def first_errors(programs: dict[str, str], scratch: Path) -> dict[str, dict[str, object] | None]:
    return dict(json.loads(run_module(FIRST_ERRORS, json.dumps(programs), scratch)))


def accepted(path: Path) -> str | None:
    """The text of a file, if this Python accepts it."""
    try:
        with warnings.catch_warnings(action="ignore"):
            ast.parse(path.read_bytes())
        return path.read_text("utf-8")
    except (SyntaxError, ValueError):
        return None


def test_nothing_that_python_accepts_is_marked(tmp_path: Path) -> None:
    library = Path(sysconfig.get_path("stdlib"))
    of_exercises = [path for path in EXERCISES.rglob("*.py") if "~" not in path.stem]
    of_library = [path for path in library.rglob("*.py") if not {"test", "tests", "site-packages"} & set(path.parts)]
    of_tests = [path for name in UNUSUAL if (path := library / "test" / f"test_{name}.py").is_file()]
    texts = {str(path): accepted(path) for path in (*of_exercises, *of_library, *of_tests)}
    programs = {name: text for name, text in texts.items() if text is not None} | ACCEPTED
    assert len(programs) > 1200
    found = first_errors(programs, tmp_path)
    assert {name: error for name, error in found.items() if error} == {}


def test_the_first_line_that_python_refuses_is_marked(tmp_path: Path) -> None:
    for program, _ in REFUSED.values():
        with pytest.raises(SyntaxError):
            ast.parse(program)
    found = first_errors({name: program for name, (program, _) in REFUSED.items()}, tmp_path)
    assert {name: error and error["line"] for name, error in found.items()} == {
        name: line for name, (_, line) in REFUSED.items()
    }
