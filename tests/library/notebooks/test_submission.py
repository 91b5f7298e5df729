"""A submitted notebook becomes a source, or is refused with a sentence that says what to change."""

import gc
import time

import pytest

from autograder.judge.files import FilesError, FileSet, join, split
from autograder.library.notebooks.document import MAX_BYTES, MAX_CELLS
from autograder.library.notebooks.submission import CHANGED_AND_DROPPED, MAX_CODE, NotebookCode, code_of
from autograder.library.uploads import SentFile, source_of, unzip, zipped
from tests.library.notebooks.made import Made, code, mark, markdown, notebook, raw

CHAIN = FileSet("chain/engine.py", ("chain/engine.py", "chain/ops.py"), {}, {}, {})


def read(data: bytes, name: str = "norm.ipynb") -> NotebookCode:
    return code_of(data, name, "norm", ["norm.py"])


def source(*cells: Made) -> str:
    (found,) = read(notebook(*cells)).files.values()
    return found.decode()


def refusal(data: bytes) -> str:
    with pytest.raises(FilesError) as error:
        read(data)
    return str(error.value)


# -- what is taken ------------------------------------------------------------------------------------------------------


def test_only_marked_cells_are_taken_and_the_others_are_named() -> None:
    found = read(
        notebook(
            markdown("# Norm"),
            code("import numpy as np", mark(1)),
            code("norm([3, 4])"),
            code("def norm(x):\n    return np.sqrt((x * x).sum())", mark(2)),
            code("grade()", {"role": "checks"}),
        )
    )
    assert found.files == {
        "norm.py": b"# cell 1\nimport numpy as np\n\n\n# cell 3\ndef norm(x):\n    return np.sqrt((x * x).sum())\n"
    }
    assert found.notes == ("Code cell 2 of norm.ipynb does not belong to the exercise and is not used.",)


def test_without_marks_every_code_cell_is_taken_but_not_what_only_shows_something() -> None:
    found = read(
        notebook(
            code('"""About it."""\nimport math'),
            raw("no code"),
            code("def norm(x):\n    return math.hypot(*x)"),
            code("print(norm([3, 4]))\nassert norm(\n    [3, 4]\n) == 5\nfive = norm([3, 4]); five"),
            code(""),
        )
    )
    assert found.files[""].decode() == (
        '# cell 1\n"""About it."""\nimport math\n\n\n'
        "# cell 2\ndef norm(x):\n    return math.hypot(*x)\n\n\n"
        "# cell 3\n# print(norm([3, 4]))\n# assert norm(\n    # [3, 4]\n# ) == 5\nfive = norm([3, 4]); five\n"
    )
    assert found.notes == (CHANGED_AND_DROPPED,)


def test_expressions_in_marked_cells_stay() -> None:
    assert source(code("table = []\ntable.append(1)", mark(1))) == "# cell 1\ntable = []\ntable.append(1)\n"


def test_outputs_are_dropped_whatever_they_are() -> None:
    outputs = [{"output_type": "display_data", "data": {"image/png": "iVBO" * 1000}}, 5, "broken"]
    assert source(code("x = 1", outputs=outputs)) == "# cell 1\nx = 1\n"


def test_a_source_may_be_a_list_of_lines_with_any_line_ends() -> None:
    assert source(code(["x = 1\r\n", "y = 2\r", "z = 3"])) == "# cell 1\nx = 1\ny = 2\nz = 3\n"


def test_the_comment_of_an_earlier_submission_is_not_repeated() -> None:
    assert source(code("# cell 7\nx = 1", mark(1))) == "# cell 1\nx = 1\n"


# -- what belongs to IPython ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cell", "python"),
    [
        ("%matplotlib inline\nx = 1", "# %matplotlib inline\nx = 1"),
        ("x = 1\n!pip install torch", "x = 1\n# !pip install torch"),
        ("?print\nx = 1\nprint?\nprint??", "# ?print\nx = 1\n# print?\n# print??"),
        ("names = !ls\nx = 1", "# names = !ls\nx = 1"),
        ("if True:\n    %time f()", "if True:\n    pass  # %time f()"),
        ("get_ipython().run_line_magic('time', '')", "# get_ipython().run_line_magic('time', '')"),
        ("%%time\nx = 1", "# %%time\nx = 1"),
        ("x = 1\n\n%%bash", "x = 1\n\n# %%bash"),
        ('s = """\n%kept\n"""\n!ls', 's = """\n%kept\n"""\n# !ls'),
        ("x = (7\n%kept)\n!ls", "x = (7\n%kept)\n# !ls"),
        ("x = 7 \\\n% kept\n!ls", "x = 7 \\\n% kept\n# !ls"),
        ("# it's\n!ls", "# it's\n# !ls"),
    ],
)
def test_magics_become_comments_and_lines_keep_their_numbers(cell: str, python: str) -> None:
    assert source(code(cell, mark(1)), code("y = 1", mark(2))) == f"# cell 1\n{python}\n\n\n# cell 2\ny = 1\n"


def test_a_cell_of_another_language_becomes_a_comment() -> None:
    assert source(code("%%bash\nls\n"), code("x = 1")) == "# cell 1\n# %%bash\n# ls\n\n\n# cell 2\nx = 1\n"


# -- what is refused ------------------------------------------------------------------------------------------------------

REFUSED: dict[str, tuple[bytes, str]] = {
    "no JSON": (b"x = 1\n", "norm.ipynb is not a valid notebook. Save it again in Jupyter and send that file."),
    "empty": (b"", "norm.ipynb is not a valid notebook."),
    "cut off": (notebook(code("x = 1"))[:-30], "norm.ipynb is not a valid notebook."),
    "not UTF-8": (notebook(code("x = 'ä'")).replace(b"\\u00e4", b"\xe4"), "norm.ipynb is not a valid notebook."),
    "half a character": (notebook(code("x = '\ud800'")), "norm.ipynb is not a valid notebook."),
    "a list": (b"[]", "norm.ipynb is not a valid notebook (Expected `object`, got `array`)."),
    "a number as source": (
        notebook(code(5)),  # type: ignore[arg-type]
        "norm.ipynb is not a valid notebook (Expected `str | array`, got `int` - at `$.cells[0].source`).",
    ),
    "an unknown cell": (
        notebook({"cell_type": "heading", "source": ""}),
        "norm.ipynb is not a valid notebook (Invalid enum",
    ),
    "deep": (b'{"nbformat": 4, "metadata": ' + b'{"a":' * 100_000, "norm.ipynb is not a valid notebook."),
    "format 3": (
        b'{"nbformat": 3, "worksheets": [{"cells": []}]}',
        "norm.ipynb has notebook format 3, but only format 4 can be read.",
    ),
    "format 5": (notebook(nbformat=5), "norm.ipynb has notebook format 5, but only format 4 can be read."),
    "another language": (
        notebook(code("1"), metadata={"kernelspec": {"language": "julia"}}),
        "The kernel of norm.ipynb runs julia, but submissions are written in Python.",
    ),
    "no code": (notebook(markdown("def norm(x): ...")), "norm.ipynb contains no code cells."),
    "empty cells": (notebook(code("\n"), code(" ")), "norm.ipynb contains no code cells."),
    "no Python": (
        notebook(markdown("a"), code("x = 1"), code("y = 1\ndef norm(x)\n    return x")),
        "Code cell 2 in norm.ipynb is not valid Python: line 2: expected ':'.",
    ),
    "a null byte": (notebook(code("x = '\0'")), "Code cell 1 in norm.ipynb is not valid Python: line 1: source code"),
    "the same part twice": (
        notebook(code("x = 1", mark(1)), code("y = 1", mark(2)), code("x = 2", mark(1))),
        "Code cells 1 and 3 in norm.ipynb are both marked as part 1 of norm.py. Merge them, or delete one of them.",
    ),
    "of another exercise": (
        notebook(code("x = 1", mark(1)), metadata={"gradus": {"exercise": "softmax"}}),
        "norm.ipynb is the notebook of another exercise, softmax. Send the notebook of norm.",
    ),
    "a cell of another exercise": (
        notebook(code("x = 1", mark(1, "softmax.py"))),
        "Code cell 1 in norm.ipynb belongs to softmax.py, which is not a file of this exercise.",
    ),
    "a damaged mark": (notebook(code("x = 1", {"file": 5})), "The mark of code cell 1 in norm.ipynb is damaged."),
    "a damaged mark of the whole": (
        notebook(code("x = 1"), metadata={"gradus": []}),
        "The mark of norm.ipynb is damaged. Download the notebook again and copy your code into it.",
    ),
    "too large": (
        notebook(code("x = 1", outputs=[{"text": "x" * MAX_BYTES}])),
        f"norm.ipynb is larger than {MAX_BYTES:,} bytes, the maximum size of a notebook. Clear its outputs and send it again.",
    ),
    "too much code": (
        notebook(code("#" * (MAX_CODE // 2)), code("#" * (MAX_CODE // 2 + 1))),
        f"The code in norm.ipynb has more than {MAX_CODE:,} bytes, the maximum size of a submission.",
    ),
    "too many cells": (notebook(*[markdown("")] * (MAX_CELLS + 1)), f"norm.ipynb has {MAX_CELLS + 1:,} cells; the limit is"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_graded_is_refused_with_a_sentence(case: str) -> None:
    data, sentence = REFUSED[case]
    said = refusal(data)
    assert said.startswith(sentence)
    assert said.endswith(".")


@pytest.mark.parametrize(
    ("begin", "repeated", "times", "end"),
    [
        ('"', '\\"', 120_000, ""),
        ("", " ", 250_000, "%"),
        ("", "%a\n", 80_000, ""),
        ("", "(", 200_000, ""),
        ("", "-", 200_000, "1"),
        ("a", ".b", 100_000, ""),
        ("", "x;", 120_000, ""),
        ("", '"""', 60_001, ""),
        ("", "x = 1 \\\n", 30_000, ""),
    ],
)
def test_the_time_to_read_code_grows_with_its_length_alone(begin: str, repeated: str, times: int, end: str) -> None:
    """If it grew with the square, all of it would take 16 times as long as a quarter."""
    quarter, whole = (cpu_seconds(begin + repeated * count + end) for count in (times // 4, times))
    assert whole < 8 * quarter + 0.2


def cpu_seconds(text: str) -> float:
    """Of this thread, without the garbage collector, which walks through what other tests left as well."""
    gc.disable()
    begin = time.thread_time()
    try:
        read(notebook(code(text)))
    except FilesError as error:
        assert "is not valid Python" in str(error)
    finally:
        gc.enable()
    return time.thread_time() - begin


# -- among other uploads --------------------------------------------------------------------------------------------------


def test_a_notebook_is_the_file_of_an_exercise_of_one() -> None:
    found = source_of([SentFile("hw/any.ipynb", notebook(code("x = 1", mark(1))))], None, "norm.py", exercise="norm")
    assert (found.source, found.notes) == (b"# cell 1\nx = 1\n", ())
    both = [SentFile("norm.ipynb", notebook(code("x = 1"))), SentFile("other.py", b"")]
    assert source_of(both, None, "norm.py").source == b"# cell 1\nx = 1\n"
    with pytest.raises(FilesError, match="several files"):
        source_of([both[0], SentFile("norm.py", b"")], None, "norm.py")


def test_marked_cells_are_the_files_of_an_exercise_of_several() -> None:
    cells = (
        code("# ==== file: chain/ops.py ====\ndef double(n):\n    return 2 * n", mark(1, "chain/ops.py")),
        code("from chain.ops import double", mark(1, "chain/engine.py")),
    )
    found = source_of([SentFile("chain.ipynb", notebook(*cells))], CHAIN, "", exercise="chain")
    assert split(found.source) == {
        "chain/engine.py": b"# cell 2\nfrom chain.ops import double\n",
        "chain/ops.py": b"# cell 1\ndef double(n):\n    return 2 * n\n",
    }


def test_cells_with_the_headings_of_files_need_no_marks() -> None:
    both = {"chain/engine.py": b"x = 1\n", "chain/ops.py": b"y = 2\n"}
    cells = [code(join({path: text}).decode()) for path, text in both.items()]
    found = source_of([SentFile("mine.ipynb", notebook(*cells))], CHAIN, "")
    assert [text.split() for text in split(found.source).values()] == [text.split() for text in both.values()]


def test_a_notebook_that_names_no_files_is_refused_where_several_are_asked_for() -> None:
    with pytest.raises(FilesError) as error:
        source_of([SentFile("mine.ipynb", notebook(code("x = 1")))], CHAIN, "")
    assert str(error.value).startswith("mine.ipynb does not say which cell belongs to which file.")
    beside = [SentFile("mine.ipynb", notebook(code("x = 1"))), SentFile("ops.py", b"y = 2\n")]
    assert source_of(beside, CHAIN, "").notes == ("Not used: mine.ipynb.",)


def test_a_notebook_in_an_archive_is_found() -> None:
    data = zipped(b"", {"hw/norm.ipynb": notebook(code("x = 1")), "hw/.ipynb_checkpoints/norm.ipynb": b"old"})
    assert source_of(unzip(data), None, "norm.py").source == b"# cell 1\nx = 1\n"
