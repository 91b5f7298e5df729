"""Several files as one text: joined and split without loss, lines found again, and names that cannot be files refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.judge import files
from autograder.judge.files import FilesError, FileSet, Place

OPS, ENGINE = b"def add(a, b):\n    return a + b\n", b"from ops import add\n\nx = add(1, 2)\n"
BOTH = files.join({"engine.py": ENGINE, "pkg/ops.py": OPS})

contents = st.dictionaries(
    st.sampled_from(["a.py", "b/c.py", "b/d.py", "e.py"]),
    st.text(st.characters(exclude_characters="\r", exclude_categories=["Cs"])).map(lambda text: text.encode()),
    min_size=1,
)


@given(contents)
def test_files_come_back_as_they_were_but_for_a_final_newline(sent: dict[str, bytes]) -> None:
    assert files.split(files.join(sent)) == {
        path: content + b"\n" if content and not content.endswith(b"\n") else content for path, content in sent.items()
    }


@given(contents)
def test_every_line_of_a_file_is_found_in_the_whole_text_and_back(sent: dict[str, bytes]) -> None:
    joined = files.join(sent)
    lines = joined.split(b"\n")
    for path, content in files.split(joined).items():
        for number, line in enumerate(content.split(b"\n")[:-1], 1):
            at = files.line_of(joined, path, number)
            assert lines[at - 1] == line
            assert files.place_of(joined, at) == Place(path, number)


def test_a_text_without_headings_is_one_file() -> None:
    assert files.split(OPS) == {}
    assert files.place_of(OPS, 2) == Place("", 2)
    assert files.line_of(OPS, "", 2) == 2
    assert str(files.place_of(OPS, 2)) == "line 2"
    assert str(files.place_of(BOTH, 6)) == "pkg/ops.py, line 1"


def test_line_ends_of_windows_count_as_one() -> None:
    joined = BOTH.replace(b"\n", b"\r\n")
    assert list(files.split(joined)) == ["engine.py", "pkg/ops.py"]
    assert files.place_of(joined, 7) == Place("pkg/ops.py", 2)


def test_a_line_that_looks_like_a_heading_is_refused() -> None:
    with pytest.raises(FilesError, match=r"^a\.py contains a line that looks like the heading of a file"):
        files.join({"a.py": b"x = 1\n# ==== file: b.py ====\n"})


SET = FileSet("engine.py", ("engine.py", "pkg/ops.py"), {"shape.py": b"given"}, {"audit.py": b"support"}, {"old.py": b"old"})


def test_given_and_support_files_are_always_the_exercises_own() -> None:
    sent = files.join({"engine.py": ENGINE, "pkg/ops.py": OPS, "shape.py": b"edited\n", "audit.py": b"edited\n"})
    complete = SET.complete(sent, BOTH)
    assert complete == {
        "engine.py": ENGINE, "pkg/ops.py": OPS, "shape.py": b"given", "audit.py": b"support", "old.py": b"old",
    }  # fmt: skip
    assert SET.complete(files.join({"engine.py": b"own\n", "old.py": b"mine\n"}), BOTH) == {
        "engine.py": b"own\n", "pkg/ops.py": OPS, "shape.py": b"given", "audit.py": b"support", "old.py": b"mine\n",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("sent", "problem"),
    [
        (BOTH, ""),
        (BOTH + files.join({"old.py": b"mine\n"}), ""),
        (ENGINE, "This exercise consists of several files. Submit engine.py and pkg/ops.py, each below its heading line."),
        (files.join({"engine.py": ENGINE}), "The submission has no file pkg/ops.py."),
        (
            BOTH + files.join({"more.py": b"x = 1\n"}),
            "more.py is not a file of this exercise. Submit engine.py and pkg/ops.py.",
        ),
        (BOTH + files.join({"engine.py": OPS}), "The submission contains engine.py twice."),
        (files.join({"engine.py": b"", "pkg/ops.py": b"\n"}), "All files are empty."),
    ],
)
def test_files_that_do_not_fit_are_named(sent: bytes, problem: str) -> None:
    assert SET.problem(sent) == problem


@pytest.mark.parametrize(
    "path",
    ["../a.py", "/a.py", "a/../b.py", "a b.py", "a.txt", "ä.py", "a//b.py", ".a.py", "a\\b.py", "1.py", "a" * 200 + ".py"],
)
def test_names_that_are_no_modules(path: str) -> None:
    assert "is not the name of a Python module" in files.problem_of_path(path)


@pytest.mark.parametrize("path", ["random.py", "torch/nn.py", "json/x.py", "submission.py"])
def test_names_that_would_hide_a_module(path: str) -> None:
    assert "would hide the module" in files.problem_of_path(path)


def test_names_that_cannot_stand_side_by_side() -> None:
    assert files.problem_of_paths(["a.py", "b/A.py", "b/c.py"]) == ""
    assert files.problem_of_paths(["a/b.py", "A/B.py"]) == "a/b.py and A/B.py differ only in case"
    assert files.problem_of_paths(["a.py", "a/b.py"]) == "a.py and the folder a/ have the same name"


FREE = FileSet(
    "basics/model.py",
    ("basics/model.py",),
    {"basics/data.py": b"given"},
    {"audit.py": b""},
    free=("basics/*.py", "tools/*_lib.py"),
)


def joined(*paths: str) -> bytes:
    return files.join(dict.fromkeys(("basics/model.py", *paths), b"x = 1\n"))


def test_files_of_the_students_own_are_taken_where_the_exercise_lets_them_be() -> None:
    source = joined("basics/attention.py", "basics/deep/er.py", "tools/my_lib.py")
    assert FREE.problem(source) == ""
    taken = FREE.complete(source, joined())
    assert list(taken) == [
        "basics/model.py",
        "basics/attention.py",
        "basics/deep/er.py",
        "tools/my_lib.py",
        "basics/data.py",
        "audit.py",
    ]


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("tools/mine.py", "tools/mine.py is not a file of this exercise."),
        ("conftest.py", "Files of your own can be named like basics/*.py and tools/*_lib.py."),
        ("basics/data.py", "basics/data.py is not a file of this exercise."),
        ("basics/../audit.py", "is not a file of this exercise."),
        ("basics/Model.py", "basics/model.py and basics/Model.py differ only in case. Rename one of them."),
        ("basics/model/x.py", "basics/model.py and the folder basics/model/ have the same name."),
    ],
)
def test_no_file_of_the_students_own_replaces_or_hides_another(path: str, words: str) -> None:
    assert words in FREE.problem(joined(path))


def test_there_is_a_limit_to_files_of_the_students_own() -> None:
    many = [f"basics/f{n}.py" for n in range(files.MAX_ADDED)]
    assert FREE.problem(joined(*many)) == ""
    assert "41 files of your own; the limit is 40" in FREE.problem(joined(*many, "basics/one_more.py"))
