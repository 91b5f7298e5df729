"""An exercise folder that is not complete and consistent is refused in one line that names the file and the trouble."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from autograder.judge import pack
from autograder.judge.pack import Pack, PackError
from sandbox.wire import Limits

Write = Callable[..., Path]

HEAD = 'title = "T"\nkind = "quiz"\nprofile = "python"\nunit = "U"\npoints = 3\ndifficulty = 1\n'
ENTRY = '[[entry_points]]\nname = "echo"\n'
CHECK = "from autograder.judge.checks import check\n"
ONE = "@check('One', points=1)\ndef one(s, r): ...\n"
TWO = "@check('Two', points=2, hidden=True)\ndef two(s, r): ...\n"


def refused(folder: Path) -> str:
    with pytest.raises(PackError) as caught:
        pack.load(folder)
    message = str(caught.value)
    assert "\n" not in message
    return message


# -- complete ------------------------------------------------------------------------------------------------------


def test_a_complete_folder_is_read(write_exercise: Write) -> None:
    exercise = pack.load(write_exercise())
    assert isinstance(exercise, Pack)
    assert (exercise.slug, exercise.settings.title, exercise.entry_points) == ("echo", "Echo", ("echo",))
    assert [(check.id, check.points, check.hidden) for check in exercise.checks] == [
        ("integer", 1, False),
        ("word", 2, True),
    ]
    assert exercise.statement == "Write `echo`.\n" and exercise.solution.startswith(b"def echo")
    assert set(exercise.wrong) == {"silent"} and set(exercise.right) == {"lambda"}


def test_a_folder_with_the_former_table_of_wrong_solutions_is_read(write_exercise: Write) -> None:
    settings = (write_exercise() / "exercise.toml").read_text()
    exercise = pack.load(write_exercise({"exercise.toml": settings + '\n[wrong.silent]\nfails = ["word"]\n'}))
    assert set(exercise.wrong) == {"silent"}


@pytest.mark.parametrize("part", ["exercise.toml", "statement.md", "starter.py", "solution.py", "checks.py"])
def test_a_missing_part_is_named(write_exercise: Write, part: str) -> None:
    assert refused(write_exercise({part: None})).startswith(f"exercise echo has no {part} (in ")


@pytest.mark.parametrize("part", ["wrong/silent.py", "right/lambda.py"])
def test_a_folder_without_examples_is_named(write_exercise: Write, part: str) -> None:
    folder = part.partition("/")[0]
    assert f"has no {folder}/ (in " in refused(write_exercise({part: None}))
    assert f"has no {folder}/ (in " in refused(write_exercise({part: None, f"{folder}/notes.txt": "x"}))


def test_all_missing_parts_are_named_at_once(write_exercise: Write) -> None:
    message = refused(write_exercise({"starter.py": None, "checks.py": None, "right/lambda.py": None}))
    assert "has no checks.py, starter.py, right/ (in " in message


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    assert "exercise.toml" in refused(tmp_path / "nowhere")


def test_the_profile_of_a_folder_without_settings_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PackError, match=r"exercise\.toml"):
        pack.profile_of(tmp_path)


# -- exercise.toml -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("toml", "trouble"),
    [
        ("title = ", "exercise.toml: "),
        (HEAD.replace("title", "titel") + ENTRY, "titel"),
        (HEAD.replace('title = "T"\n', "") + ENTRY, "title"),
        (HEAD + 'colour = "red"\n' + ENTRY, "colour"),
        (HEAD + ENTRY + "[limits]\nmemory = 3\n", "memory"),
        (HEAD + '[[entry_points]]\nname = "echo"\nkind = "f"\n', "kind"),
        (HEAD.replace('"quiz"', '"riddle"') + ENTRY, "riddle"),
        (HEAD.replace('"python"', '"ruby"') + ENTRY, "ruby"),
        (HEAD.replace("points = 3", 'points = "3"') + ENTRY, "points"),
        (HEAD.replace("difficulty = 1", "difficulty = 6") + ENTRY, "difficulty must be 1 to 5"),
        (HEAD.replace("difficulty = 1", "difficulty = 0") + ENTRY, "difficulty must be 1 to 5"),
        (HEAD + "minutes = 0\n" + ENTRY, "minutes must be 1 to 600"),
        (HEAD + "minutes = 601\n" + ENTRY, "minutes must be 1 to 600"),
        (HEAD + 'minutes = "long"\n' + ENTRY, "minutes"),
        (HEAD, "entry_points"),
        (HEAD + "entry_points = []\n", "no entry points are declared"),
        (HEAD + ENTRY + "[limits]\ncpu_seconds = 0\n", "cpu_seconds"),
        (HEAD + ENTRY + "[limits]\nwall_seconds = -1.0\n", "wall_seconds"),
        (HEAD + ENTRY + "[limits]\nmemory_mib = 0\n", "memory_mib"),
        (b'title = "\xff"\n', "exercise.toml: "),
    ],
)
def test_settings_that_do_not_fit_are_refused(write_exercise: Write, toml: str | bytes, trouble: str) -> None:
    message = refused(write_exercise({"exercise.toml": toml}))
    assert "exercise.toml: " in message and trouble in message


def test_the_points_of_the_checks_must_be_those_of_the_exercise(write_exercise: Write) -> None:
    message = refused(write_exercise({"exercise.toml": HEAD.replace("points = 3", "points = 4.5") + ENTRY}))
    assert message.endswith("checks.py: the checks are worth 3 points, but the exercise is worth 4.5")


def test_points_that_are_no_exact_binary_fractions_may_add_up(write_exercise: Write) -> None:
    checks = CHECK + "".join(f"@check('{n}', points=0.1, hidden={n > 0})\ndef check_{n}(s, r): ...\n" for n in range(3))
    toml = HEAD.replace("points = 3", "points = 0.3") + ENTRY
    assert len(pack.load(write_exercise({"checks.py": checks, "exercise.toml": toml})).checks) == 3


def test_an_exercise_for_nothing_is_refused(write_exercise: Write) -> None:
    checks = CHECK + ONE.replace("points=1", "points=0") + TWO.replace("points=2", "points=0")
    toml = HEAD.replace("points = 3", "points = 0") + ENTRY
    assert refused(write_exercise({"checks.py": checks, "exercise.toml": toml})).endswith(
        "exercise.toml: points must be more than 0"
    )


def test_a_check_that_takes_points_away_is_refused(write_exercise: Write) -> None:
    checks = CHECK + ONE.replace("points=1", "points=-1") + TWO.replace("points=2", "points=4")
    assert "checks.py: " in refused(write_exercise({"checks.py": checks}))


# -- checks.py -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("checks", "trouble"),
    [
        (CHECK, "checks.py: no checks are declared"),
        (CHECK + ONE + ONE + TWO, "checks.py: two checks have the same name"),
        (CHECK + ONE.replace("points=1", "points=1, hidden=True") + TWO, "checks.py: no check is public"),
        (CHECK + ONE + TWO.replace(", hidden=True", ""), "checks.py: no check is hidden"),
        (CHECK + ONE + "\n1 / 0\n", "checks.py:5: ZeroDivisionError: division by zero"),
        (CHECK + "def broken(:\n", "checks.py:2: SyntaxError: "),
        (CHECK + "\n\nimport nonesuch\n", "checks.py:4: ModuleNotFoundError: No module named 'nonesuch'"),
        (CHECK + "@check('One')\ndef one(s, r): ...\n", "checks.py:2: TypeError: "),
        (CHECK + "def f():\n    raise ValueError('a\\nb')\nf()\n", "checks.py:3: ValueError: a b"),
        (
            CHECK.replace("check\n", "check, probe\n") + "N = 1\n@probe\ndef p(student):\n    return N\n",
            "checks.py:3: NameError: probe p uses N from outside itself",
        ),
        (b"# \xff\n", "checks.py:"),
        (b"x = '\x00'\n", "checks.py:"),
    ],
)
def test_checks_that_do_not_fit_are_refused(write_exercise: Write, checks: str | bytes, trouble: str) -> None:
    assert trouble in refused(write_exercise({"checks.py": checks}))


def test_a_broken_checks_file_leaves_nothing_for_the_next(write_exercise: Write) -> None:
    refused(write_exercise({"checks.py": CHECK + ONE + "1 / 0"}, "broken"))
    assert [check.id for check in pack.load(write_exercise()).checks] == ["integer", "word"]


# -- the other parts -----------------------------------------------------------------------------------------------


def test_a_statement_that_is_not_utf8_is_refused(write_exercise: Write) -> None:
    assert "statement.md: not UTF-8: " in refused(write_exercise({"statement.md": b"caf\xe9"}))


@pytest.mark.parametrize("text", ["", " \n\t\n"])
def test_an_empty_statement_is_refused(write_exercise: Write, text: str) -> None:
    assert refused(write_exercise({"statement.md": text})).endswith("statement.md: the statement is empty")


@pytest.mark.parametrize("part", ["starter.py", "solution.py"])
def test_a_starter_or_solution_that_is_no_python_is_refused(write_exercise: Write, part: str) -> None:
    assert f"{part}:2: " in refused(write_exercise({part: "x = 1\ny = = 2\n"}))
    assert f"{part}:" in refused(write_exercise({part: b"x = '\xff'\n"}))
    assert f"{part}:" in refused(write_exercise({part: b"x = '\x00'\n"}))


def test_a_wrong_solution_may_be_no_python_at_all(write_exercise: Write) -> None:
    assert pack.load(write_exercise({"wrong/garbled.py": "y = = 2\n"})).wrong["garbled"] == b"y = = 2\n"


# -- version and name ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "part",
    ["exercise.toml", "statement.md", "starter.py", "solution.py", "checks.py", "wrong/silent.py", "right/lambda.py"],
)
def test_the_version_changes_with_every_part(write_exercise: Write, part: str) -> None:
    folder = write_exercise()
    before = pack.load(folder).version
    path = folder / part
    path.write_bytes(path.read_bytes()[:-1] + b" ")  # as long as before
    assert pack.load(folder).version != before


def test_the_version_changes_with_a_new_file_and_with_a_name(write_exercise: Write) -> None:
    folder = write_exercise()
    versions = {pack.load(folder).version}
    (folder / "figure.svg").write_text("<svg/>")
    versions.add(pack.load(folder).version)
    (folder / "figure.svg").rename(folder / "picture.svg")
    versions.add(pack.load(folder).version)
    assert len(versions) == 3


def test_the_version_does_not_depend_on_caches_hidden_files_or_the_place(write_exercise: Write, tmp_path: Path) -> None:
    folder = write_exercise()
    before = pack.load(folder).version
    (folder / "__pycache__").mkdir(exist_ok=True)
    (folder / "__pycache__" / "checks.cpython-311.pyc").write_bytes(b"x")
    (folder / ".swp").write_bytes(b"x")
    assert pack.load(folder).version == before
    assert pack.load(folder.rename(tmp_path / "elsewhere")).version == before


@pytest.mark.parametrize(("name", "key"), [("missing-upstream~2", "missing-upstream"), ("sign", "sign"), ("a~b~c", "a")])
def test_variants_of_a_wrong_solution_share_a_misconception(name: str, key: str) -> None:
    assert pack.misconception(name) == key


def test_limits_are_the_exercises_but_never_above_the_ceiling(write_exercise: Write) -> None:
    limits = "[limits]\ncpu_seconds = 4\nwall_seconds = 500.0\nmemory_mib = 64\n"
    exercise = pack.load(write_exercise({"exercise.toml": HEAD + ENTRY + limits}))
    allowed = exercise.limits(Limits(cpu_seconds=10, wall_seconds=20.0, memory_bytes=1 << 30))
    assert (allowed.cpu_seconds, allowed.wall_seconds, allowed.memory_bytes) == (4, 20.0, 64 << 20)


# -- finding -------------------------------------------------------------------------------------------------------


def test_an_exercise_is_found_by_its_slug(write_exercise: Write, tmp_path: Path) -> None:
    folder = write_exercise()
    assert pack.find(tmp_path, "echo") == folder


def test_an_unknown_slug_is_answered_with_near_ones(write_exercise: Write, tmp_path: Path) -> None:
    write_exercise(slug="vjp-softmax")
    write_exercise(slug="vjp-matmul")
    write_exercise(slug="hooks")
    with pytest.raises(PackError, match=r"^no exercise 'vjp-sofmax'; did you mean vjp-softmax"):
        pack.find(tmp_path, "vjp-sofmax")


def test_a_slug_near_to_none_is_answered_with_all(write_exercise: Write, tmp_path: Path) -> None:
    write_exercise(slug="hooks")
    write_exercise(slug="echo")
    with pytest.raises(PackError, match=r"^no exercise 'zzzz'; there are echo, hooks\.$"):
        pack.find(tmp_path, "zzzz")


def test_no_exercises_at_all_is_said(tmp_path: Path) -> None:
    with pytest.raises(PackError, match=r"^no exercise 'echo'; there are none\.$"):
        pack.find(tmp_path, "echo")


@pytest.mark.parametrize("slug", ["../unit/echo", ".", "", "__pycache__", ".git"])
def test_a_slug_is_a_name_and_not_a_path(write_exercise: Write, tmp_path: Path, slug: Any) -> None:
    write_exercise()
    for name in ("__pycache__", ".git"):
        (tmp_path / "unit" / name).mkdir()
    with pytest.raises(PackError):
        pack.find(tmp_path, slug)
