"""`manage.py grade`, as a person or a script meets it: what it prints, where, and with which exit status."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conftest import EXERCISES
from tests.library.notebooks.made import code, notebook
from tests.processes import run
from tests.several_files import CHAIN, write

ENGINE = EXERCISES / "scalar-engine" / "value-engine"
KEYS = ["file", "exercise", "version", "verdict", "reason", "score", "max_score", "seconds", "seed", "checks", "stdout"]
CHECK_KEYS = {"id", "title", "hidden", "passed", "points", "max_points", "ending", "message", "detail", "stdout", "stopped"}


def manage(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    return run("manage.py", *arguments, environment={**os.environ, **environment})


def one_line(result: subprocess.CompletedProcess[str]) -> str:
    """The only line of a usage error."""
    assert result.returncode == 2, (result.stdout, result.stderr)
    assert result.stdout == ""
    lines = result.stderr.strip().splitlines()
    assert len(lines) == 1, lines
    return lines[0]


def test_json_is_one_line_per_file_in_order() -> None:
    files = [ENGINE / "solution.py", ENGINE / "starter.py", ENGINE / "wrong" / "missing-upstream.py"]
    result = manage("grade", "value-engine", *files, "--json", "--seed", "5")
    assert result.returncode == 0, result.stderr
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert [row["file"] for row in rows] == [str(file) for file in files]
    assert [row["verdict"] for row in rows] == ["passed", "partial", "partial"]
    for row in rows:
        assert [key for key in row if key in KEYS] == KEYS
        assert row["exercise"] == "value-engine"
        assert row["seed"] == 5
        assert all(set(check) == CHECK_KEYS for check in row["checks"])
        assert row["score"] == sum(check["points"] for check in row["checks"])


def test_a_wrong_answer_is_explained_below_the_verdict_and_in_the_line() -> None:
    wrong = ENGINE / "wrong" / "missing-upstream.py"
    words = " ".join(manage("grade", "value-engine", wrong, "--seed", "5").stdout.split())
    assert "Why Upstream gradient left out At least one gradient is computed as if the upstream gradient were 1." in words
    assert words.index("0/1 hidden") < words.index("Why ")
    (told,) = json.loads(manage("grade", "value-engine", wrong, "--json", "--seed", "5").stdout)["diagnosis"]
    assert told["key"] == "missing-upstream"
    assert set(told) == {"key", "title", "words", "checks", "generator", "note", "counterexample"}
    assert "upstream" in told["checks"]


def test_a_wrong_vjp_has_its_smallest_example_and_the_function_whose_gradient_it_is() -> None:
    reduce = EXERCISES / "hand-written-vjps" / "vjp-reduce"
    words = " ".join(manage("grade", "vjp-reduce", reduce / "wrong" / "sum-vs-mean.py", "--seed", "5").stdout.split())
    assert "Smallest example: mean_vjp(g, x) with g = 1, x = [[1], [2]]: the gradient" in words
    assert "mean_vjp returns the gradient of sum(x)." in words


def test_without_diagnosis_there_are_verdicts_alone() -> None:
    files = [ENGINE / "wrong" / "missing-upstream.py", ENGINE / "solution.py"]
    result = manage("grade", "value-engine", *files, "--json", "--no-diagnosis")
    assert [json.loads(line)["diagnosis"] for line in result.stdout.splitlines()] == [[], []]
    assert "Why" not in manage("grade", "value-engine", *files, "--no-diagnosis").stdout


def test_a_right_answer_needs_no_explanation() -> None:
    result = manage("grade", "value-engine", ENGINE / "solution.py", "--json")
    assert json.loads(result.stdout)["diagnosis"] == []


def test_several_slots_give_the_same_reports_in_the_same_order() -> None:
    late = ENGINE / "wrong" / "forward-pass-per-value.py"  # stopped at whichever line runs at that moment
    files = sorted(set((ENGINE / "wrong").glob("*.py")) - {late})[:6]
    rows = []
    for jobs in (1, 2):
        result = manage("grade", "value-engine", *files, "--json", "--seed", 3, "--jobs", jobs)
        assert result.returncode == 0, result.stderr
        rows.append([{**json.loads(line), "seconds": 0} for line in result.stdout.splitlines()])
    assert rows[0] == rows[1]


def test_many_files_show_a_progress_bar_on_stderr_alone() -> None:
    result = manage("grade", "value-engine", *[ENGINE / "solution.py"] * 4, "--json")
    assert "4/4" in result.stderr
    assert all(json.loads(line)["verdict"] == "passed" for line in result.stdout.splitlines())


def test_the_report_for_people_shows_expected_and_given() -> None:
    result = manage("grade", "value-engine", ENGINE / "wrong" / "overwrites-instead-of-accumulating.py")
    assert result.returncode == 0
    assert "Some checks passed" in result.stdout
    assert "expected" in result.stdout
    assert "given" in result.stdout
    assert "b.grad should be 12, but is 4" in result.stdout
    assert "\x1b" not in result.stdout  # colour only on a terminal


def test_what_a_submission_prints_cannot_steer_the_terminal(tmp_path: Path) -> None:
    file = tmp_path / "loud.py"
    file.write_text((ENGINE / "solution.py").read_text() + "print('\\x1b[2J\\x07 done \\u202e')\n")
    result = manage("grade", "value-engine", file)
    assert "\\x1b[2J\\x07 done \\u202e" in result.stdout
    assert "\x1b" not in result.stdout


def test_a_student_who_is_never_graded_to_the_end_still_gets_a_verdict_and_status_0(tmp_path: Path) -> None:
    file = tmp_path / "broken.py"
    file.write_text("class Value(:\n")
    result = manage("grade", "value-engine", file, "--json")
    assert result.returncode == 0
    row = json.loads(result.stdout)
    assert (row["verdict"], row["reason"], row["score"]) == ("error", "source", 0)
    assert row["stopped"]["lines"] == [{"number": 1, "function": "", "text": "class Value(:", "file": "", "at": 0}]


def test_a_missing_file_is_one_clear_line(tmp_path: Path) -> None:
    assert "nothing.py does not exist" in one_line(manage("grade", "value-engine", tmp_path / "nothing.py"))


def test_a_folder_and_an_archive_with_the_file_are_graded(tmp_path: Path) -> None:
    shutil.copy(ENGINE / "solution.py", tmp_path / "mine.py")
    (tmp_path / "notes.txt").write_text("notes")
    archive = shutil.make_archive(str(tmp_path / "packed"), "zip", tmp_path, "mine.py")
    result = manage("grade", "value-engine", tmp_path, archive, "--json", "--no-diagnosis")
    assert [json.loads(line)["verdict"] for line in result.stdout.splitlines()] == ["passed", "passed"]
    assert f"{tmp_path}: Not used: notes.txt and packed.zip." in result.stderr


def test_a_notebook_is_graded_as_the_code_in_it(tmp_path: Path) -> None:
    sent = tmp_path / "mine.ipynb"
    sent.write_bytes(notebook(code((ENGINE / "solution.py").read_text()), code("%time Value(1)")))
    result = manage("grade", "value-engine", sent, "--json", "--no-diagnosis")
    assert json.loads(result.stdout)["verdict"] == "passed"
    assert "mine.ipynb: Lines that only work in a notebook" in result.stderr
    sent.write_bytes(b"{}")
    assert "mine.ipynb is not a valid notebook" in one_line(manage("grade", "value-engine", sent))


def test_a_folder_without_the_file_is_refused_in_one_line(tmp_path: Path) -> None:
    assert f"{tmp_path}: The upload contains no file." in one_line(manage("grade", "value-engine", tmp_path))
    (tmp_path / "a.txt").touch()
    assert "contains no file value-engine.py. It contains a.txt." in one_line(manage("grade", "value-engine", tmp_path))


def test_the_files_of_an_exercise_of_several_are_one_submission(tmp_path: Path) -> None:
    folder = write(tmp_path / "unit" / "chain", CHAIN) / "solution"
    own = shutil.copytree(folder / "chain", tmp_path / "own")
    (own / "ops.py").write_text("def double(n):\n    return missing\n")
    sent = (folder, own / "engine.py", own / "ops.py")
    result = manage("grade", "chain", *sent, "--json", "--no-diagnosis", GRADUS_EXERCISES=str(tmp_path))
    whole, files = (json.loads(line) for line in result.stdout.splitlines())
    assert (whole["file"], whole["verdict"]) == (str(folder), "passed")
    assert (files["file"], files["verdict"]) == (str(own), "failed")
    last = files["checks"][0]["stopped"]["lines"][-1]
    assert (last["file"], last["number"], last["text"]) == ("chain/ops.py", 2, "return missing")
    missing = manage("grade", "chain", own / "ops.py", GRADUS_EXERCISES=str(tmp_path))
    assert "The submission has no file chain/engine.py." in missing.stdout


def test_an_unknown_exercise_suggests_near_ones(tmp_path: Path) -> None:
    assert "did you mean value-engine" in one_line(manage("grade", "value-engin", ENGINE / "solution.py"))


@pytest.mark.parametrize(
    "arguments", [(), ("value-engine",), ("value-engine", "x", "--jobs", "none"), ("value-engine", "x", "--seed", "-1")]
)
def test_a_wrong_call_is_one_clear_line(arguments: tuple[str, ...]) -> None:
    assert one_line(manage("grade", *arguments)).startswith("grade: ")


@pytest.mark.parametrize(
    "part", ["exercise.toml", "statement.md", "starter.py", "solution.py", "checks.py", "wrong", "right"]
)
def test_an_exercise_with_a_part_missing_is_one_clear_line(part: str, tmp_path: Path) -> None:
    folder = tmp_path / "unit" / "value-engine"
    shutil.copytree(ENGINE, folder)
    target = folder / part
    shutil.rmtree(target) if target.is_dir() else target.unlink()
    line = one_line(manage("grade", "value-engine", ENGINE / "solution.py", GRADUS_EXERCISES=str(tmp_path)))
    assert part in line


def test_an_exercise_that_fails_its_own_solution_is_not_used(tmp_path: Path) -> None:
    folder = tmp_path / "unit" / "value-engine"
    shutil.copytree(ENGINE, folder)
    shutil.copy(ENGINE / "wrong" / "missing-upstream.py", folder / "solution.py")
    line = one_line(manage("grade", "value-engine", ENGINE / "solution.py", GRADUS_EXERCISES=str(tmp_path)))
    assert "does not pass its own checks" in line


def test_a_check_that_raises_is_the_authors_fault_and_status_1(tmp_path: Path) -> None:
    """It raises from its second run on, whoever is asked: with the first solution, it would have been found before."""
    folder = tmp_path / "unit" / "value-engine"
    shutil.copytree(ENGINE, folder)
    with (folder / "checks.py").open("a") as checks:
        checks.write("""

RUNS = []


@check("Broken later", points=0, hidden=True)
def broken_later(student: Student, rng: np.random.Generator) -> None:
    RUNS.append(student)
    if len(RUNS) > 1:
        raise ZeroDivisionError("the author's mistake")
""")
    file = tmp_path / "submission.py"
    file.write_bytes((ENGINE / "solution.py").read_bytes())
    result = manage("grade", "value-engine", file, "--json", GRADUS_EXERCISES=str(tmp_path))
    assert result.returncode == 1
    row = json.loads(result.stdout)
    assert (row["verdict"], row["reason"]) == ("internal", None)
    assert "broken-later" in row["message"]
    assert "ZeroDivisionError" in row["message"]


def test_unsafe_needs_debug() -> None:
    line = one_line(manage("grade", "value-engine", ENGINE / "solution.py", GRADUS_SANDBOX="unsafe", DEBUG=""))
    assert "DEBUG" in line


def test_unsafe_says_so_on_every_verdict() -> None:
    result = manage("grade", "value-engine", ENGINE / "solution.py", "--json", GRADUS_SANDBOX="unsafe", DEBUG="1")
    row = json.loads(result.stdout)
    assert row["verdict"] == "passed"
    assert row["sandbox"] == "unsafe"
    assert "without a sandbox" in row["message"]


@pytest.mark.parametrize("jobs", [1, 2])
def test_nothing_is_graded_when_a_layer_is_missing(jobs: int) -> None:
    """Without bubblewrap on the PATH there is no sandbox: the command says which layer, and how to get it."""
    files = [ENGINE / "solution.py"] * 2
    result = manage("grade", "value-engine", *files, "--jobs", jobs, PATH="/nonexistent")
    assert result.returncode == 1
    assert result.stdout == ""
    assert "namespaces" in result.stderr
    assert "apt-get install bubblewrap" in result.stderr


def test_selfcheck_prints_every_layer_and_exits_with_0() -> None:
    result = manage("selfcheck")
    assert result.returncode == 0, result.stdout
    assert result.stdout.count("OK ") == 13
    assert "MISSING" not in result.stdout


def test_selfcheck_exits_with_1_when_a_layer_is_missing() -> None:
    result = manage("selfcheck", GRADUS_SANDBOX="unsafe", DEBUG="1")
    assert result.returncode == 1
    assert "MISSING  seccomp" in result.stdout
    assert "To enable it:" in result.stdout


def test_the_backward_pass_is_printed_when_asked_for() -> None:
    wrong = ENGINE / "wrong" / "overwrites-instead-of-accumulating.py"
    printed = " ".join(manage("grade", "value-engine", wrong, "--no-diagnosis", "--trace").stdout.split())
    assert "The backward pass of “The example: f = (a + b) * (b + 1)” f = (a + b) * (b + 1) with a = 5, b = 3" in printed
    assert "14 ✕ b accumulates: 8 + 4 = 4 (should be 8 + 4 = 12), line 17. The contribution overwrites b.grad" in printed
    assert "The backward pass of" not in manage("grade", "value-engine", wrong, "--no-diagnosis").stdout


def test_traces_stand_in_the_line_of_json_when_asked_for() -> None:
    wrong, right = ENGINE / "wrong" / "operands-swapped.py", ENGINE / "solution.py"
    result = manage("grade", "value-engine", wrong, right, "--no-diagnosis", "--json", "--trace")
    first, second = (json.loads(line)["trace"] for line in result.stdout.splitlines())
    assert [trace["check"] for trace in first][:2] == ["one-operation", "example"]
    assert [trace.get("first_wrong") for trace in second] == [None]
    assert "trace" not in json.loads(manage("grade", "value-engine", right, "--no-diagnosis", "--json").stdout)


def test_public_checks_alone_can_be_run() -> None:
    wrong = ENGINE / "wrong" / "missing-upstream.py"
    (row,) = [json.loads(line) for line in manage("grade", "value-engine", wrong, "--json", "--public").stdout.splitlines()]
    (whole,) = [json.loads(line) for line in manage("grade", "value-engine", wrong, "--json").stdout.splitlines()]
    assert [check["title"] for check in row["checks"]] == [c["title"] for c in whole["checks"] if not c["hidden"]]
    assert row["max_score"] == sum(check["max_points"] for check in row["checks"]) < whole["max_score"]
