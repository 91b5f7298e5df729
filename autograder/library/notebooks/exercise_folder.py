"""Writes an imported assignment as an exercise folder, atomically. Parts that an author must look at are marked."""

import ast
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from autograder.library import statements
from autograder.library.notebooks import document, nbgrader, otter
from autograder.library.notebooks.assignment import Assignment, ImportRefused, Test, Text
from autograder.library.notebooks.checks_file import ChecksFile, checks_file, number_text
from autograder.library.notebooks.student_code import StudentCode, student_code
from autograder.prove import scaffold
from autograder.prove.scaffold import MARK

WRONG = "unfinished"
TOML = """# {mark}: title, kind, unit, concepts, difficulty (1 to 5) and expected minutes, shown to students
title = {title}
kind = "{kind}"
profile = "{profile}"
unit = {unit}
points = {points}
difficulty = 2
minutes = 30
concepts = []
{entry_points}
[messages.{wrong}]
title = "Not finished"
text = "This part still does what the starter code does. Complete the functions that the task asks for."
"""
_PICTURE = re.compile(r"!\[[^\]]{0,500}\]\([^)]{0,500}\)")
_HTML = re.compile(r"</?[a-zA-Z][^<>\n]{0,500}>")


@dataclass(frozen=True)
class Imported:
    """The folder of a new exercise, and what could not be carried into it."""

    folder: Path
    left_out: tuple[str, ...]


def import_notebook(path: Path, root: Path, slug: str = "", unit: str = scaffold.DRAFTS) -> Imported:
    """Creates `root/unit/slug` from an nbgrader or Otter notebook. Raises ImportRefused, FilesError or ScaffoldError."""
    slug = slug or _slug_of(path)
    for name in (slug, unit):
        scaffold.valid_name(name)
    with path.open("rb") as file:
        notebook = document.read(file.read(document.MAX_BYTES + 1), path.name)
    assignment = _assignment(notebook, path.name)
    files = _files(assignment, slug, unit)
    return Imported(_write(root, slug, unit, files), assignment.sorted_list)


def _assignment(notebook: document.Notebook, name: str) -> Assignment:
    if nbgrader.is_nbgrader(notebook):
        return nbgrader.read(notebook)
    if otter.is_otter(notebook):
        return otter.read(notebook)
    raise ImportRefused(
        f"{name} is neither a source notebook of nbgrader (cells with nbgrader metadata) nor a master notebook of Otter "
        "(raw cells with # BEGIN QUESTION)."
    )


def _files(assignment: Assignment, slug: str, unit: str) -> Mapping[str, str]:
    if not assignment.tasks:
        raise ImportRefused("The notebook has no cell with a solution, so there is nothing for students to write.")
    code = student_code(assignment)
    checks = checks_file(assignment, code)
    if not checks.tests:
        reasons = "; ".join(assignment.left_out[:3])
        raise ImportRefused(f"No test of the notebook can become a check{f' ({reasons})' if reasons else ''}.")
    for name, source in (("starter", code.starter), ("solution", code.solution), ("checks", checks.source)):
        _compile(name, source)
    statement = _statement(assignment, checks)
    return {
        "exercise.toml": _settings(assignment, code, checks, slug, unit),
        "statement.md": statement,
        "starter.py": code.starter,
        "solution.py": code.solution,
        "checks.py": checks.source,
        "right/again.py": f"# {MARK}: a correct solution that is unusual; this is a copy of the reference\n{code.solution}",
        f"wrong/{WRONG}.py": f"# {MARK}: one file for each mistake, named after it; this one is the starter\n{code.starter}",
    }


def _compile(name: str, source: str) -> None:
    try:
        compile(source, f"{name}.py", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None)
        raise ImportRefused(
            f"The notebook does not make a valid {name}.py: {error}{f' (line {line})' if line else ''}."
        ) from error


def _settings(assignment: Assignment, code: StudentCode, checks: ChecksFile, slug: str, unit: str) -> str:
    profile = "torch" if "torch" in code.modules or "torch" in checks.source else "numpy"
    profile = profile if profile == "torch" or "numpy" in code.modules or "numpy" in checks.source else "python"
    tables = "".join(
        f"\n[[entry_points]]\nname = {_toml(name)}\nsignature = {_toml(_signature(name, code.own[name]))}\n"
        for name in checks.entry_points
    )
    return TOML.format(
        mark=MARK,
        title=_toml(assignment.title or _words(slug)),
        kind="function" if profile == "torch" else "vjp",
        profile=profile,
        unit=_toml(_words(unit)),
        points=number_text(checks.points),
        entry_points=tables,
        wrong=WRONG,
    )


def _statement(assignment: Assignment, checks: ChecksFile) -> str:
    """The text of the notebook, with the tests that students may read where they were."""
    used = {test.cell for test in checks.tests}
    parts = [f"{MARK}: read the statement; it must settle everything that the checks ask about"]
    for part in assignment.parts:
        if isinstance(part, Text):
            parts.append(part.text.strip())
        elif isinstance(part, Test) and part.shown and part.cell in used:
            parts.append(f"This must hold:\n\n```python\n{part.shown.strip()}\n```")
    text = _with_title(assignment, "\n\n".join(part for part in parts if part))
    pictures = len(_PICTURE.findall(text))
    if pictures:
        assignment.left_out.append(f"statement: {pictures} picture{'s' if pictures > 1 else ''}")
    if _HTML.search(statements.without_code(text)):
        assignment.left_out.append("statement: HTML, which pages do not show; replace it by Markdown")
    return re.sub(r"\n{3,}", "\n\n", _PICTURE.sub("", text)).strip() + "\n"


def _with_title(assignment: Assignment, text: str) -> str:
    """Takes the first heading of the first level as the title. The others become headings of the second level."""
    lines = text.split("\n")
    tops = statements.top_headings(text)
    for position, number in enumerate(tops):
        if position == 0:
            assignment.title = assignment.title or lines[number].strip("# ").strip()
            lines[number] = ""
        else:
            lines[number] = f"#{lines[number].lstrip()}"
    return "\n".join(lines)


def _write(root: Path, slug: str, unit: str, files: Mapping[str, str]) -> Path:
    home = root / unit
    _refuse_taken(root, slug)
    created = not home.exists()
    try:
        home.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix=".new-", dir=home) as workshop:
            draft = Path(workshop, slug)
            for name, content in files.items():
                (draft / name).parent.mkdir(parents=True, exist_ok=True)
                (draft / name).write_text(content, "utf-8")
            _refuse_taken(root, slug)
            os.rename(draft, home / slug)
    except UnicodeEncodeError as error:
        raise ImportRefused("The notebook contains characters that are not valid text.") from error
    except OSError as error:
        raise scaffold.ScaffoldError(f"cannot write to {error.filename or home}: {error.strerror}") from error
    finally:
        if created and home.is_dir() and not any(home.iterdir()):
            home.rmdir()
    return home / slug


def _refuse_taken(root: Path, slug: str) -> None:
    taken = next(iter(sorted(root.glob(f"*/{slug}"))), None)
    if taken is not None:
        raise scaffold.SlugTaken(f"'{slug}' already exists in {taken}; choose another slug with --slug")


def _slug_of(path: Path) -> str:
    return re.sub(r"[^a-z0-9]+", "-", path.stem.lower()).strip("-").lstrip("0123456789-")[: scaffold.LONGEST]


def _signature(name: str, node: ast.stmt) -> str:
    return f"{name}({ast.unparse(node.args)})" if isinstance(node, ast.FunctionDef) else name


def _words(slug: str) -> str:
    return slug.replace("-", " ").capitalize()


def _toml(text: str) -> str:
    """A basic string of TOML, which JSON's are if they have no control characters."""
    printable = "".join(letter if letter.isprintable() else " " for letter in text)
    return msgspec.json.encode(printable).decode()
