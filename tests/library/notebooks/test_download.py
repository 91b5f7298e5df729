"""The notebook of an exercise: what it contains, and that it comes back as the source that it was made from."""

import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from autograder.judge import pack
from autograder.judge.files import join, split
from autograder.library.notebooks.download import ExerciseText, notebook_of, parts_of
from autograder.library.uploads import SentFile, source_of
from tests.conftest import EXERCISES
from tests.several_files import CHAIN, write

STATEMENT = """The norm of $x$.

## What to write {#shape}

$$z = \\lVert x\\rVert$$

```python scratch
norm([3, 4])
```

```python
## not a heading
```

## The rules

- `x` is an array.
"""
STARTER = """import math

LIMIT = 3


# the norm
@cached
def norm(x):
    ...


class Norm:
    def call(self):
        ...


two = norm(2)
"""
TEXT = ExerciseText("norm", "The norm", STATEMENT, STARTER.encode(), "norm.py", address="https://x.example/c/a/norm/")


def cells(text: ExerciseText) -> list[dict[str, Any]]:
    return list(json.loads(notebook_of(text))["cells"])


def texts(text: ExerciseText, kind: str) -> list[str]:
    return ["".join(cell["source"]) for cell in cells(text) if cell["cell_type"] == kind]


def test_the_statement_is_a_cell_for_each_section_without_what_pages_hide() -> None:
    first, write_it, rules, own = texts(TEXT, "markdown")
    assert first == "# The norm\n\nThe norm of $x$."
    assert write_it == "## What to write\n\n$$z = \\lVert x\\rVert$$\n\n\n```python\n## not a heading\n```"
    assert rules == "## The rules\n\n- `x` is an array."
    assert "<https://x.example/c/a/norm/>" in own


def test_each_definition_is_a_marked_cell() -> None:
    marked = [cell for cell in cells(TEXT) if "file" in cell["metadata"].get("gradus", {})]
    assert [cell["metadata"]["gradus"] for cell in marked] == [{"file": "norm.py", "part": n} for n in (1, 2, 3, 4)]
    assert ["".join(cell["source"]).split("\n")[0] for cell in marked] == [
        "import math",
        "# the norm",
        "class Norm:",
        "two = norm(2)",
    ]


def test_code_that_is_not_python_stays_in_one_cell() -> None:
    assert parts_of("def f(:\n\nx = 1\n") == ["def f(:\n\nx = 1"]
    assert parts_of("") == [""]


def test_it_has_the_form_of_a_notebook_and_is_the_same_each_time() -> None:
    document = json.loads(notebook_of(TEXT))
    assert (document["nbformat"], document["nbformat_minor"]) == (4, 5)
    ids = [cell["id"] for cell in document["cells"]]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name) for name in ids)
    for cell in document["cells"]:
        code = {"execution_count", "outputs"} if cell["cell_type"] == "code" else set()
        assert set(cell) == {"cell_type", "id", "metadata", "source"} | code
    assert notebook_of(TEXT) == notebook_of(TEXT)


@pytest.mark.parametrize("slug", ["value-engine", "vjp-unbroadcast", "fn-cubic", "write-gradcheck"])
def test_it_comes_back_as_the_same_code(slug: str) -> None:
    exercise = pack.load(pack.find(EXERCISES, slug))
    for source in (exercise.starter, exercise.solution):
        text = ExerciseText(slug, "", exercise.statement, source, exercise.file_name)
        once = source_of([SentFile(f"{slug}.ipynb", notebook_of(text))], None, exercise.file_name, exercise=slug)
        assert pack._bare(once.source) == pack._bare(source)
        assert once.notes == ()
        again = notebook_of(replace(text, source=once.source))
        assert again == notebook_of(text), "the comments that number the cells are not kept"


def test_several_files_have_a_cell_each_that_begins_with_the_name(tmp_path: Path) -> None:
    exercise = pack.load(write(tmp_path / "unit" / "chain", CHAIN))
    assert exercise.files is not None
    text = ExerciseText("chain", "Chain", "Chain.", exercise.solution, "", given=exercise.files.given)
    found = texts(text, "code")
    assert [code.split("\n")[0] for code in found[:2]] == [
        "# ==== file: chain/engine.py ====",
        "# ==== file: chain/ops.py ====",
    ]
    assert "The file `chain/shape.py` is part of the exercise:\n\n```python\nPREFIX = 'slope'\n```" in texts(
        text, "markdown"
    )
    back = source_of([SentFile("chain.ipynb", notebook_of(text))], exercise.files, "", exercise="chain").source
    assert [pack._bare(code) for code in split(back).values()] == [
        pack._bare(code) for code in split(exercise.solution).values()
    ]
    own = exercise.solution + join({"parts/mine.py": b"def mine():\n    return 1\n"})
    text = replace(text, source=own)
    back = source_of([SentFile("chain.ipynb", notebook_of(text))], exercise.files, "", exercise="chain").source
    assert list(split(back)) == ["chain/engine.py", "chain/ops.py", "parts/mine.py"]


# -- the cell that runs the checks ----------------------------------------------------------------------------------------


def run_checks(folder: Path, gradus: Path) -> str:
    return subprocess.run(
        [sys.executable, "-c", texts(TEXT, "code")[-1]],
        cwd=folder,
        env={"GRADUS": str(gradus), "HOME": str(folder)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def test_without_gradus_the_last_cell_says_where_to_submit(tmp_path: Path) -> None:
    assert run_checks(tmp_path, tmp_path) == (
        "Gradus is not on this computer. Upload this notebook at https://x.example/c/a/norm/ to run the public checks or to "
        "submit it.\n"
    )


def test_with_gradus_the_last_cell_grades_the_notebook(tmp_path: Path) -> None:
    (tmp_path / "manage.py").write_text("import sys\nprint('graded', *sys.argv[1:])\n")
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "python").symlink_to(sys.executable)
    assert run_checks(tmp_path, tmp_path).startswith(f"There is no file {tmp_path}/norm.ipynb. Save")
    (tmp_path / "norm.ipynb").write_bytes(notebook_of(TEXT))
    assert run_checks(tmp_path, tmp_path).strip() == f"graded grade --public norm {tmp_path}/norm.ipynb"
