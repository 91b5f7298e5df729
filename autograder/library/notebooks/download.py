"""Makes the notebook of an exercise: its statement, the code to work on in marked cells, and a cell that runs the checks."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from autograder.judge.files import heading, split
from autograder.library import statements
from autograder.library.notebooks import document, magics
from autograder.library.notebooks.submission import CHECKS_MARK, without_cell_comment

CHECKS = """# Save the notebook, then run this cell: it runs the checks if Gradus is on this computer.
# Set the environment variable GRADUS to its folder, the one that contains manage.py.
import os
import pathlib
import subprocess

gradus = pathlib.Path(os.environ.get("GRADUS", "~/gradus")).expanduser()
name = globals().get("__vsc_ipynb_file__") or pathlib.Path(os.environ.get("JPY_SESSION_NAME", "{exercise}.ipynb")).name
notebook = pathlib.Path(name).resolve()
if not (gradus / "manage.py").is_file():
    print({submit!r})
elif not notebook.is_file():
    print(f"There is no file {{notebook}}. Save this notebook under that name.")
else:
    command = [gradus / ".venv/bin/python", gradus / "manage.py", "grade", "--public", "{exercise}", notebook]
    graded = subprocess.run(command, cwd=gradus, capture_output=True, text=True)
    print(graded.stdout + graded.stderr)"""

ADDED = "Cells that you add are not submitted, so that you can use them to try things out."


@dataclass(frozen=True)
class ExerciseText:
    """What the notebook of an exercise contains. `address` is that of the page where it can be submitted."""

    exercise: str
    title: str
    statement: str  # Markdown
    source: bytes  # the code to work on; several files are joined
    file_name: str  # what a single file is called
    given: Mapping[str, bytes] = field(default_factory=dict)
    address: str = ""


def notebook_of(text: ExerciseText) -> bytes:
    """The notebook file. It has the same content, down to the ids of its cells, whenever it is made from the same text."""
    cells = [document.markdown_cell(f"task-{n}", part) for n, part in enumerate(_sections(text), 1)]
    several = split(text.source)
    for path, content in text.given.items():
        shown = f"The file `{path}` is part of the exercise:\n\n```python\n{content.decode().rstrip()}\n```"
        cells.append(document.markdown_cell(f"given-{len(cells)}", shown))
    for path, content in several.items() or [(text.file_name, text.source)]:
        code = content.decode().replace("\r\n", "\n")
        parts = [f"{heading(path)}\n{code.rstrip()}"] if several else parts_of(code)
        for n, part in enumerate(parts, 1):
            cells.append(document.code_cell(f"code-{len(cells)}", part, {"file": path, "part": n}))
    cells.append(document.code_cell("checks", _checks(text), CHECKS_MARK))
    return document.write(cells, {"exercise": text.exercise})


def parts_of(code: str) -> list[str]:
    """Code in parts that can be cells: each function and each class is one, and so is what stands between them."""
    try:
        body = magics.parsed(code).body
    except magics.NotPython:
        return [without_cell_comment(code.strip("\n"))]
    lines = code.split("\n")
    starts = sorted({0, *_starts(body, lines)})
    ends = [*starts[1:], len(lines)]
    parts = ["\n".join(lines[start:end]).strip("\n") for start, end in zip(starts, ends, strict=True)]
    return [without_cell_comment(part) for part in parts if part.strip()] or [""]


def _starts(body: list[ast.stmt], lines: list[str]) -> Iterator[int]:
    """The lines, counted from 0, at which parts begin: at definitions, and after them. Comments above belong to what follows."""
    after_definition = False
    last_end = 0
    for node in body:
        definition = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        first = min([node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", []))]) - 1
        while first > last_end and lines[first - 1].lstrip().startswith("#"):
            first -= 1
        if (definition or after_definition) and first >= last_end:
            yield first
        after_definition, last_end = definition, node.end_lineno or node.lineno


def _sections(text: ExerciseText) -> Iterator[str]:
    """The statement as the notebook shows it: a cell for each of its sections."""
    shown = statements.without_keys(statements.without_scratch(text.statement))
    first, *others = statements.sections_of(shown)
    yield f"# {text.title}\n\n{first}".strip()
    yield from others
    where = f" Submit it at <{text.address}>." if text.address else ""
    yield f"## Your code\n\nWrite your code in the cells below, and submit this notebook.{where} {ADDED}"


def _checks(text: ExerciseText) -> str:
    where = f"at {text.address}" if text.address else "on the page of the exercise"
    submit = f"Gradus is not on this computer. Upload this notebook {where} to run the public checks or to submit it."
    return CHECKS.format(exercise=text.exercise, submit=submit)
