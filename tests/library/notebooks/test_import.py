"""nbgrader and Otter notebooks become exercises; what cannot be carried is listed, and nothing half written stays."""

from pathlib import Path

import pytest

from autograder.judge import pack
from autograder.judge.files import FilesError
from autograder.judge.grade import Judge
from autograder.library.notebooks.assignment import ImportRefused
from autograder.library.notebooks.exercise_folder import Imported, import_notebook
from autograder.library.notebooks.otter_solutions import removed
from autograder.prove.scaffold import MARK, ScaffoldError, unfinished
from tests.library.notebooks.assignments import NBGRADER, OTTER, SAMPLES, SIGMOID, about, expecting, graded
from tests.library.notebooks.made import Made, code, markdown, notebook, raw
from tests.library.test_grade_command import manage, one_line

TEST = "assert sigmoid(0.0) == 0.5"
DOUBLE = "def double(n):\n    return 2 * n  # SOLUTION"


def imported(folder: Path, data: bytes, name: str = "mine") -> Imported:
    (folder / f"{name}.ipynb").write_bytes(data)
    return import_notebook(folder / f"{name}.ipynb", folder / "exercises")


def of_nbgrader(*cells: Made, tested: str = TEST) -> bytes:
    return notebook(
        code("import numpy as np"),
        graded(SIGMOID, "sigmoid", solution=True),
        *cells,
        graded(tested, "test-sigmoid", 1, grade=True, locked=True),
    )


def of_otter(*tests: Made, solution: str = DOUBLE, settings: str = "name: q1", head: str = "# ASSIGNMENT CONFIG") -> bytes:
    question = [raw(f"# BEGIN QUESTION\n{settings}"), raw("# BEGIN SOLUTION"), code(solution), raw("# END SOLUTION")]
    return notebook(
        raw(head),
        code("import numpy as np"),
        *question,
        raw("# BEGIN TESTS"),
        *tests,
        raw("# END TESTS"),
        raw("# END QUESTION"),
    )


def refusal(folder: Path, data: bytes) -> str:
    with pytest.raises((ImportRefused, FilesError)) as error:
        imported(folder, data)
    assert not (folder / "exercises").exists() or not any((folder / "exercises").rglob("*")), "nothing is left behind"
    return str(error.value)


def text(found: Imported, name: str) -> str:
    return (found.folder / name).read_text()


# -- both -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("slug", SAMPLES)
def test_the_exercise_loads_and_its_reference_passes_and_its_starter_does_not(
    slug: str, tmp_path: Path, judge: Judge
) -> None:
    exercise = pack.load(imported(tmp_path, SAMPLES[slug], slug).folder)
    assert judge.grade(exercise, exercise.solution, 1).verdict == "passed"
    assert judge.grade(exercise, exercise.starter, 1).score == 0
    for source in exercise.right.values():
        assert judge.grade(exercise, source, 1).verdict == "passed"


@pytest.mark.parametrize("slug", SAMPLES)
def test_what_an_author_has_to_write_is_marked(slug: str, tmp_path: Path) -> None:
    folder = imported(tmp_path, SAMPLES[slug], slug).folder
    marked = {path.name for path, _, _ in unfinished(folder)}
    assert marked == {"exercise.toml", "statement.md", "checks.py", "again.py", "unfinished.py"}


@pytest.mark.parametrize("slug", SAMPLES)
def test_nothing_of_the_solution_or_of_the_hidden_tests_is_in_what_students_read(slug: str, tmp_path: Path) -> None:
    found = imported(tmp_path, SAMPLES[slug], slug)
    read = text(found, "statement.md") + text(found, "starter.py")
    secrets = (
        "np.exp(-x)",
        "y * (1 - y)",
        "self.calls +=",
        "range(3)",
        "numeric(sigmoid",
        "g * w",
        "g * x",
        "== 9",
        "Because",
        "42.",
    )
    assert [secret for secret in secrets if secret in read] == []


def test_a_taken_slug_and_a_bad_one_are_refused(tmp_path: Path) -> None:
    imported(tmp_path, NBGRADER)
    with pytest.raises(ScaffoldError, match="already exists"):
        imported(tmp_path, NBGRADER)
    with pytest.raises(ScaffoldError, match="not a valid name"):
        import_notebook(tmp_path / "mine.ipynb", tmp_path / "exercises", "../up")


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"{", "mine.ipynb is not a valid notebook."),
        (notebook(code("x = 1")), "mine.ipynb is neither a source notebook of nbgrader"),
        (notebook(graded(TEST, "test", 1, grade=True)), "The notebook has no cell with a solution"),
        (notebook(graded(SIGMOID, "a", solution=True)), "No test of the notebook can become a check."),
        (
            of_nbgrader(tested="assert open('x')"),
            "No test of the notebook can become a check (cell 3: test (1 points) that uses open",
        ),
        (notebook(graded("### BEGIN SOLUTION\nx = 1", "a", solution=True)), "In cell 1 BEGIN SOLUTION has no END SOLUTION."),
        (notebook(graded("x = 1\n### END SOLUTION", "a", solution=True)), "In cell 1 the line '### END SOLUTION' has no"),
        (
            notebook(graded("### BEGIN SOLUTION\n### BEGIN HIDDEN TESTS\n### END SOLUTION", "a", solution=True)),
            "In cell 1 the line '### BEGIN HIDDEN TESTS' has no counterpart.",
        ),
        (notebook(graded("def f(:", "a", solution=True)), "The solution in cell 1 is not valid Python: line 1:"),
        (
            notebook(code("x = 1", metadata={"nbgrader": {**about("a"), "schema_version": 1}})),
            "Cell 1 has nbgrader metadata of version 1, but version 3 is needed.",
        ),
        (notebook(code("x = 1", metadata={"nbgrader": {"points": "ten"}})), "The nbgrader metadata of cell 1 is damaged:"),
        (notebook(raw("# BEGIN QUESTION"), raw("# BEGIN TESTS")), "BEGIN TESTS has no END TESTS."),
        (notebook(raw("# BEGIN QUESTION"), raw("# END TESTS")), "END TESTS in cell 2 has no BEGIN TESTS."),
        (notebook(raw("# ASSIGNMENT CONFIG"), raw("# BEGIN TESTS")), "BEGIN TESTS in cell 2 must be in a question."),
        (of_otter(solution="# BEGIN SOLUTION\nx = 1"), "A block that begins with BEGIN SOLUTION has no end."),
    ],
)
def test_what_cannot_be_imported_is_refused_with_a_sentence(data: bytes, sentence: str, tmp_path: Path) -> None:
    assert refusal(tmp_path, data).startswith(sentence)


# -- nbgrader -------------------------------------------------------------------------------------------------------------


def expectings_become_the_parts_of_an_exercise(tmp_path: Path) -> None:
    found = imported(tmp_path, NBGRADER, "sigmoid")
    exercise = pack.load(found.folder)
    assert (exercise.settings.title, exercise.settings.profile, exercise.settings.points) == ("The sigmoid", "numpy", 6)
    assert exercise.entry_points == ("sigmoid", "sigmoid_grad", "Counter")
    assert [(check.title, check.points, check.hidden) for check in exercise.checks] == [
        ("Sigmoid values", 0, False),
        ("Sigmoid values, hidden tests", 2, True),
        ("Gradient, hidden tests", 3, True),
        ("Counting", 1, False),
    ]
    assert "# YOUR CODE HERE\n    raise NotImplementedError()" in text(found, "starter.py")
    assert "    def add(self, n):\n        raise NotImplementedError()" in text(found, "starter.py"), (
        "without marks: a signature"
    )
    assert "## What to write\n\nTwo functions." in text(found, "statement.md")


def test_the_list_names_what_was_not_carried(tmp_path: Path) -> None:
    assert imported(tmp_path, NBGRADER).left_out == (
        "cell 2: magics and shell commands",
        "cell 2: the module matplotlib.pyplot: files beside the notebook and other libraries are not copied",
        "cell 2: the module helpers: files beside the notebook and other libraries are not copied",
        "cell 4: lines that only show, test or use something",
        "cell 10: test (4 points) that uses secret_gradient, which is imported from a module that was left out",
        "cell 11: a question that is graded by hand (2 points)",
        "cell 12: lines that only show, test or use something",
        "cell 13: magics and shell commands",
        "statement: 1 picture",
    )


def test_files_of_the_instructor_are_neither_copied_nor_importable(tmp_path: Path, judge: Judge) -> None:
    (tmp_path / "helpers.py").write_text("def secret_gradient(x):\n    return 'instructor'\n")
    (tmp_path / "data.csv").write_text("instructor")
    found = imported(tmp_path, NBGRADER)
    copied = [path for path in found.folder.rglob("*") if path.is_file()]
    assert copied
    assert [path.name for path in copied if "instructor" in path.read_text()] == []
    exercise = pack.load(found.folder)
    for line in ("import helpers", "import checks", "import solution", "open('data.csv')", "open('solution.py')"):
        report = judge.grade(exercise, exercise.solution + f"\n{line}\n".encode(), 1)
        assert (report.verdict, report.score) == ("error", 0), line
        assert "ModuleNotFoundError" in report.message or "FileNotFoundError" in report.message


def test_without_hidden_tests_a_hidden_check_is_left_to_the_author(tmp_path: Path) -> None:
    found = imported(tmp_path, of_nbgrader())
    exercise = pack.load(found.folder)
    assert [(check.points, check.hidden) for check in exercise.checks] == [(1, False), (0, True)]
    assert f"# {MARK}: the notebook has no hidden tests" in text(found, "checks.py")


def test_with_hidden_tests_alone_a_public_check_is_left_to_the_author(tmp_path: Path, judge: Judge) -> None:
    tested = f"### BEGIN HIDDEN TESTS\n{TEST}\n### END HIDDEN TESTS"
    exercise = pack.load(imported(tmp_path, of_nbgrader(tested=tested)).folder)
    assert [(check.points, check.hidden) for check in exercise.checks] == [(1, True), (0, False)]
    assert judge.grade(exercise, exercise.solution, 1).verdict == "passed"


@pytest.mark.parametrize(
    ("cell", "tested", "listed"),
    [
        ("", "from nose.tools import assert_equal\nassert_equal(sigmoid(0), 0.5)", "that imports nose.tools"),
        ("", "assert 'sigmoid' in globals()", "that uses globals"),
        ("", "%timeit sigmoid(0)\nassert True", "that uses nothing of what students write"),
        ("", "assert sigmoid(", "that is not valid Python (line 1: '(' was never closed)"),
        ("", "assert sigmoid(0) == unknown", "that uses unknown, which no cell above it defines"),
        ("data = np.load('data.npy')", TEST, "the file data.npy"),
        ("y = sigmoid(0.0)", TEST, "lines that only show, test or use something"),
        ("def f(:", TEST, "code that is not valid Python (line 1: "),
    ],
)
def test_what_a_test_needs_and_does_not_have_is_listed(cell: str, tested: str, listed: str, tmp_path: Path) -> None:
    other = graded(TEST, "other", 1, grade=True, locked=True)
    found = imported(tmp_path, of_nbgrader(code(cell), other, tested=tested))
    assert any(listed in line for line in found.left_out), found.left_out
    pack.load(found.folder)


def test_a_test_may_use_what_cells_above_define(tmp_path: Path, judge: Judge) -> None:
    cells = (
        code("h = 1e-6\ndef slope(x):\n    return (sigmoid(x + h) - sigmoid(x - h)) / (2 * h)\nat = sigmoid(0.0)"),
        graded("x = 1.5\nassert sigmoid(x) < 1", "first", 1, grade=True, locked=True),
    )
    tested = "x = x + 1\nassert abs(sigmoid_grad(x) - slope(x)) < 1e-6\nassert at == 0.5\nassert [sigmoid(n) for n in [0.0]] == [0.5]"
    exercise = pack.load(imported(tmp_path, of_nbgrader(*cells, tested=tested)).folder)
    assert judge.grade(exercise, exercise.solution, 1).verdict == "passed"
    assert len(exercise.checks) == 3


def test_points_that_a_notebook_does_not_give_are_1(tmp_path: Path) -> None:
    cell = graded(TEST, "test", grade=True, locked=True)
    found = imported(tmp_path, notebook(graded("import numpy as np\n" + SIGMOID, "a", solution=True), cell))
    assert pack.load(found.folder).settings.points == 1
    assert "points: the notebook gives none, so each check is worth 1" in found.left_out


def test_titles_are_text_and_nothing_else(tmp_path: Path) -> None:
    evil = 'x", points=100)\nimport os  # \\'
    cell = graded(TEST, evil, 1, grade=True, locked=True)
    data = notebook(markdown('# """ \\" \x01 {x}'), graded("import numpy as np\n" + SIGMOID, "a", solution=True), cell)
    exercise = pack.load(imported(tmp_path, data).folder)
    assert exercise.settings.title == '""" \\"   {x}'
    assert exercise.checks[0].title == "X points 100 import os"


# -- Otter ----------------------------------------------------------------------------------------------------------------


def test_questions_become_starter_reference_and_checks(tmp_path: Path) -> None:
    found = imported(tmp_path, OTTER, "products")
    exercise = pack.load(found.folder)
    assert (exercise.settings.title, exercise.settings.points) == ("hw01", 3)
    assert [(check.title, check.points, check.hidden) for check in exercise.checks] == [
        ("q1, test 1", 0.83, False),
        ("q1, test 2", 0.5, True),
        ("q1, test 3", 0.83, True),
        ("q1, test 4", 0.84, True),
    ]
    assert "    of_x = ...\n    of_w = ...\n    return of_x, of_w\n\nnine = ..." in text(found, "starter.py")
    assert "    of_x = g * w\n    of_w = g * x\n    return of_x, of_w" in text(found, "solution.py")
    assert "otter" not in text(found, "solution.py")
    assert found.left_out == (
        "cell 1: files: data.csv, utils.py",
        "cell 1: seeds: 42",
        "cell 11: hidden test (0.5 points) that reads nine instead of calling a function; it was carried as it is",
        "cell 17: q2, which is graded by hand",
    )


@pytest.mark.parametrize(
    ("solution", "starter"),
    [
        ("y = x * 2 # SOLUTION", "y = ..."),
        ("y[0] += x # SOLUTION", "y[0] += ..."),
        ("if y == 2: # kept\n    f(y) # SOLUTION", "if y == 2: # kept\n    ..."),
        ("x = 1\ny = 2 # SOLUTION NO PROMPT\nz = 3 # SEED", "x = 1"),
        ("x = 1\n# BEGIN SOLUTION\ny = 2\nz = 3\n# END SOLUTION", "x = 1\n..."),
        ("x = 1\n# BEGIN SOLUTION NO PROMPT\ny = 2\n# END SOLUTION", "x = 1"),
        ('x = 1 # SOLUTION NO PROMPT\n""" # BEGIN PROMPT\nx = ...\n""" # END PROMPT', "x = ..."),
    ],
)
def test_solutions_are_removed_as_otter_does(solution: str, starter: str) -> None:
    assert removed(solution)[1] == starter


@pytest.mark.parametrize(
    ("cell", "line"),
    [
        (expecting("double(2) == 4", "True"), "assert double(2) == 4"),
        (expecting("double(2) == 5", "False"), "assert not double(2) == 5"),
        (expecting("x = 3\ndouble(x)", "6"), "x = 3\n        assert double(x) == 6"),
        (expecting("double(2) / 8", "np.float64(0.5)"), "assert double(2) / 8 == 0.5"),
        (expecting("double('a')", "'aa'"), "assert double('a') == 'aa'"),
        (expecting("double(np.ones(2))", "array([2., 2.])"), "assert repr(double(np.ones(2))) == 'array([2., 2.])'"),
        (expecting("assert double(2) == 4"), "assert double(2) == 4"),
        (expecting("double(2)  # IGNORE\nassert double(3) == 6"), "assert double(3) == 6"),
    ],
)
def test_outputs_become_asserts(cell: Made, line: str, tmp_path: Path) -> None:
    assert f"        {line}\n" in text(imported(tmp_path, of_otter(cell, expecting("double(1)", "2"))), "checks.py")


def test_test_functions_are_called_with_the_names_that_they_ask_for(tmp_path: Path, judge: Judge) -> None:
    cell = code("def test_double(double):\n    assert double(4) == 8\n\ntest_double(double)  # IGNORE")
    head = "# ASSIGNMENT CONFIG\ntests:\n    ok_format: false"
    exercise = pack.load(imported(tmp_path, of_otter(cell, head=head)).folder)
    assert judge.grade(exercise, exercise.solution, 1).verdict == "passed"
    assert judge.grade(exercise, b"def double(n):\n    return n\n", 1).verdict == "failed"


@pytest.mark.parametrize(
    ("cell", "listed"),
    [
        (
            code("print(double(2))", outputs=[{"output_type": "stream", "text": "4\n"}]),
            "a test that compares printed output",
        ),
        (code("double(2) == 4"), "a test without output: run the notebook, save it, and import it again"),
        (code("x = double(2)"), "a test that ends neither with an expression and its output, nor with an assert"),
        (code("double(2", outputs=[]), "a test that is not valid Python ('(' was never closed)"),
    ],
)
def test_tests_that_no_assert_can_replace_are_listed(cell: Made, listed: str, tmp_path: Path) -> None:
    found = imported(tmp_path, of_otter(cell, expecting("double(1)", "2")))
    assert any(line.endswith(listed) for line in found.left_out), found.left_out


@pytest.mark.parametrize(
    ("settings", "points"),
    [
        ("name: q1", [0.5, 0.5]),
        ("name: q1\npoints: 4", [2, 2]),
        ("name: q1\npoints: [1, 3]", [1, 3]),
        ("name: q1\npoints:\n  - 1\n  - 3", [1, 3]),
        ("name: q1\npoints:\n  each: 2", [2, 2]),
        ("name: q1\npoints: 1", [0.5, 0.5]),
    ],
)
def test_points_are_shared_as_otter_does(settings: str, points: list[float], tmp_path: Path) -> None:
    cells = (expecting("double(1)", "2"), expecting("# HIDDEN\ndouble(2)", "4"))
    exercise = pack.load(imported(tmp_path, of_otter(*cells, settings=settings)).folder)
    assert [check.points for check in exercise.checks] == points


# -- the command ----------------------------------------------------------------------------------------------------------


def test_the_command_prints_the_list_and_what_comes_next(tmp_path: Path) -> None:
    (tmp_path / "sigmoid.ipynb").write_bytes(NBGRADER)
    result = manage("exercise", "import", tmp_path / "sigmoid.ipynb", "--unit", "mine", GRADUS_EXERCISES=str(tmp_path))
    assert result.returncode == 0, result.stderr
    first, second, *lines = result.stdout.splitlines()
    assert first.startswith(f"Created {tmp_path}/mine/sigmoid. Its checks.py is code of the notebook")
    assert second == "Not carried, or not as it was in the notebook:"
    assert lines[0] == "  cell 2: magics and shell commands"
    assert "manage.py exercise lint sigmoid" in result.stdout
    again = manage("exercise", "import", tmp_path / "sigmoid.ipynb", GRADUS_EXERCISES=str(tmp_path))
    assert "choose another slug" in one_line(again)
    assert "does not exist" in one_line(
        manage("exercise", "import", tmp_path / "none.ipynb", GRADUS_EXERCISES=str(tmp_path))
    )
