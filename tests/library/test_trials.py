"""Reading tests of other graders: the cells of a notebook become those of a text."""

from pathlib import Path

import pytest

from autograder.library.trials import suite_at
from autograder.prove.suite import SuiteError
from tests.library.notebooks.made import code, notebook


def test_the_code_cells_of_a_notebook_are_tests_without_its_magics(tmp_path: Path) -> None:
    path = tmp_path / "lab.ipynb"
    path.write_bytes(
        notebook(*map(code, ("%matplotlib inline\nimport math", "%%timeit\nmath.pi", "assert math.pi > 3", "x = 1")))
    )
    found = suite_at(path)
    assert [step.name for step in found.steps if step.name] == ["cell 3"]
    assert "# %matplotlib inline" in found.text


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"[1]", "is not a valid notebook"), (b"\xff", "is not a valid notebook"), (b"", "is not a valid notebook")],
)
def test_a_damaged_notebook_is_one_line(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "lab.ipynb"
    path.write_bytes(content)
    with pytest.raises(SuiteError, match=words) as refused:
        suite_at(path)
    assert "\n" not in str(refused.value)


def test_a_cell_that_is_no_python_is_named(tmp_path: Path) -> None:
    path = tmp_path / "lab.ipynb"
    path.write_bytes(notebook(code("def (")))
    with pytest.raises(SuiteError, match=r"lab\.ipynb has a cell that is not valid Python"):
        suite_at(path)
