"""An exercise of several files: loaded, graded, traced to its lines, proved."""

from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.explain import mutants
from autograder.explain.diagnosis.edits import candidates
from autograder.judge import files, pack
from autograder.judge.grade import Judge
from autograder.judge.pack import PackError
from autograder.judge.report import Report, StackLine
from tests.several_files import CHAIN, ENGINE, TOML


@pytest.fixture
def folder(write_exercise: Callable[..., Path]) -> Callable[..., Path]:
    return lambda parts=None: write_exercise({**CHAIN, **(parts or {})}, "chain")


@pytest.fixture
def grade(judge: Judge, folder: Callable[..., Path]) -> Callable[..., Report]:
    """`grade({"chain/ops.py": ...})`: the solution with these files replaced; None leaves a file out."""
    exercise = pack.load(folder())

    def graded(changed: dict[str, str | None]) -> Report:
        own = files.split(exercise.solution) | {path: text.encode() for path, text in changed.items() if text is not None}
        return judge.grade(exercise, files.join({path: own[path] for path in own if changed.get(path, "") is not None}), 1)

    return graded


def test_the_folders_say_what_a_file_is_for(folder: Callable[..., Path]) -> None:
    exercise = pack.load(folder())
    assert exercise.files is not None
    assert exercise.files.editable == ("chain/engine.py", "chain/ops.py"), "the main file comes first"
    assert list(exercise.files.given) == ["chain/shape.py"]
    assert list(exercise.files.support) == ["chain/audit.py"]
    assert exercise.files.carried_from == {"chain/words.py": "words"}
    assert list(files.split(exercise.starter)) == list(files.split(exercise.solution)) == ["chain/engine.py", "chain/ops.py"]
    assert files.split(exercise.wrong["wrong-sign"])["chain/engine.py"] == ENGINE.encode(), "the rest is the solution's"
    assert files.split(exercise.wrong["missing-upstream"])["chain/ops.py"] == b"def double(n):\n    return 2 * n\n"
    assert exercise.is_starter(exercise.starter + b"# more\n")
    assert not exercise.is_starter(exercise.solution)


def test_files_import_each_other_as_a_package(grade: Callable[..., Report]) -> None:
    assert grade({}).verdict == "passed"
    assert grade({"chain/ops.py": "def double(n):\n    return n\n"}).verdict == "failed"


def test_a_carried_file_of_the_students_own_replaces_the_reference(grade: Callable[..., Report]) -> None:
    report = grade({"chain/words.py": "def say(a, b):\n    return 'mine'\n"})
    assert [check.passed for check in report.checks] == [True, False]


def test_an_exception_names_its_file_and_the_lines_on_the_way(grade: Callable[..., Report]) -> None:
    report = grade({"chain/ops.py": "def double(n):\n    return missing\n"})
    stopped = report.checks[0].stopped
    assert stopped is not None
    assert stopped.lines == (
        StackLine(9, "slope", "return double(n)", "chain/engine.py", 10),
        StackLine(2, "double", "return missing", "chain/ops.py", 17),
    )


def test_a_syntax_error_names_its_file(grade: Callable[..., Report]) -> None:
    report = grade({"chain/ops.py": "def double(n)\n    return 2 * n\n"})
    assert report.reason == "source"
    assert report.stopped is not None
    assert report.stopped.lines == (StackLine(1, "", "def double(n)", "chain/ops.py", 16),)


def test_an_endless_loop_names_its_file(grade: Callable[..., Report]) -> None:
    report = grade({"chain/ops.py": "def double(n):\n    while True:\n        pass\n"})
    lines = [check.stopped.lines for check in report.checks if check.stopped]
    assert lines and lines[0][-1].file == "chain/ops.py"
    assert lines[0][-1].function == "double"


def test_an_import_cycle_is_reported_in_the_words_of_python(grade: Callable[..., Report]) -> None:
    report = grade({"chain/ops.py": "from chain.engine import slope\n\n\ndef double(n):\n    return 2 * n\n"})
    assert report.reason == "exception"
    assert "circular import" in report.message


def test_a_missing_file_and_a_single_one_are_refused_with_a_sentence(grade: Callable[..., Report], judge: Judge) -> None:
    report = grade({"chain/ops.py": None})
    assert (report.reason, report.message) == ("source", "The submission has no file chain/ops.py.")
    report = grade({"chain/more.py": "x = 1\n"})
    assert report.message.startswith("chain/more.py is not a file of this exercise.")


def test_several_files_for_an_exercise_of_one_are_refused(judge: Judge, write_exercise: Callable[..., Path]) -> None:
    report = judge.grade(pack.load(write_exercise()), files.join({"a.py": b"def echo(x):\n    return x\n"}), 1)
    assert (report.reason, report.message) == (
        "source",
        "This exercise consists of a single file, but the submission has several.",
    )


def test_mutants_change_one_file_and_name_it(folder: Callable[..., Path]) -> None:
    solution = pack.load(folder()).solution.decode()
    made = mutants.generate(solution)
    assert {mutant.file for mutant in made} == {"chain/engine.py", "chain/ops.py"}
    for mutant in made:
        before, after = files.split(solution.encode()), files.split(mutant.source.encode())
        assert [path for path in after if after[path] != before[path]] == [mutant.file]
    diff = mutants.diff(solution, next(mutant for mutant in made if mutant.file == "chain/ops.py"))
    assert "--- chain/ops.py" in diff
    assert all(
        list(files.split(made.source.encode())) == list(files.split(solution.encode())) for made in candidates(solution)
    )


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"starter/chain/random.py": "", "solution/chain/random.py": ""}, ""),
        ({"starter/random.py": "", "solution/random.py": ""}, "random.py would hide the module random"),
        ({"solution/chain/ops.py": None}, "the solution has no chain/ops.py"),
        ({"solution/chain/more.py": ""}, "the solution has chain/more.py, which the starter does not have"),
        ({"given/chain/ops.py": ""}, "chain/ops.py is in two folders"),
        ({"given/Chain/ops.py": ""}, "differ only in case"),
        ({"carried/chain/words.py": None}, "[carried] must name the files in carried/"),
        ({"exercise.toml": TOML.replace("engine.py", "motor.py")}, "main must name a file of the exercise"),
        ({"wrong/wrong-sign/chain/shape.py": ""}, "chain/shape.py is not a file that students submit"),
        ({"starter/chain/ops.py": "def double(n)\n"}, "ops.py:1: expected ':'"),
        ({"given/chain/shape.py": "x = '" + "x" * (1 << 20) + "'\n"}, "have more than 1,048,576 bytes"),
    ],
)
def test_what_cannot_be_an_exercise_is_said(parts: dict[str, str], message: str, folder: Callable[..., Path]) -> None:
    if not message:
        pack.load(folder(parts))
        return
    with pytest.raises(PackError) as error:
        pack.load(folder(parts))
    assert message in str(error.value)
