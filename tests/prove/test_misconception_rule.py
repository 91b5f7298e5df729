"""The rule `misconception`: no key without a title and an explanation. Nothing is graded for it."""

from pathlib import Path

import pytest

from autograder.judge import pack
from autograder.prove.misconception_rule import findings
from tests.prove.tiny_exercise import CHECKS, SETTINGS, write_exercise

OWN = "wrong/takes-three.py"
SOURCE = "def slope(g, x):\n    return g * (3 * x + 1)\n"
BOTH = '\n[messages.takes-three]\ntitle = "Three for two"\ntext = "Where does the three come from?"\n'
SYMPTOM = CHECKS.replace("import numpy as np\n", "import numpy as np\nfrom autograder.judge.diagnosis import symptom\n")
SYMPTOM += '\n\nsymptom("always-late", lambda right, given: given is None)\n'


def found(folder: Path, parts: dict[str, str]) -> list[tuple[str, int, str]]:
    """File, line and message of every finding about the tiny exercise with some parts replaced."""
    exercise = pack.load(write_exercise(folder / "twice-and-a-bit", parts))
    return [(Path(f.path).relative_to(exercise.folder).as_posix(), f.line, f.message) for f in findings(exercise)]


def test_a_key_of_the_catalogue_needs_nothing(tmp_path: Path) -> None:
    assert found(tmp_path, {}) == []


def test_a_wrong_solution_under_an_own_key_needs_both(tmp_path: Path) -> None:
    ((path, line, message),) = found(tmp_path, {OWN: SOURCE, "wrong/takes-three~2.py": SOURCE})
    assert (path, line) == (OWN, 1)
    assert message.startswith("takes-three has no title and no text: ")
    assert "[messages.takes-three] to exercise.toml" in message


@pytest.mark.parametrize(
    ("messages", "missing"),
    [
        (BOTH, None),
        ('\n[messages]\ntakes-three = "Where does the three come from?"\n', "title"),
        ('\n[messages.takes-three]\ntext = "Where does the three come from?"\n', "title"),
        ('\n[messages.takes-three]\ntitle = "Three for two"\ntext = " "\n', "text"),
    ],
    ids=["both", "a plain string", "no title", "an empty text"],
)
def test_the_author_gives_both(messages: str, missing: str | None, tmp_path: Path) -> None:
    said = found(tmp_path, {OWN: SOURCE, "exercise.toml": SETTINGS + messages})
    assert [message.partition(":")[0] for _, _, message in said] == ([f"takes-three has no {missing}"] if missing else [])


def test_a_symptom_is_found_at_its_line(tmp_path: Path) -> None:
    ((path, line, message),) = found(tmp_path, {"checks.py": SYMPTOM})
    assert (path, SYMPTOM.splitlines()[line - 1][:21]) == ("checks.py", 'symptom("always-late"')
    assert message.startswith("always-late has no title and no text")


def test_a_key_that_is_nearly_right_is_put_right(tmp_path: Path) -> None:
    ((_, _, message),) = found(tmp_path, {"wrong/missing-upstreem.py": SOURCE})
    assert message.endswith("did you mean missing-upstream?")


def test_words_for_a_key_that_nobody_uses_are_found(tmp_path: Path) -> None:
    settings = SETTINGS + '\n[messages]\nwrong-sign = "Look at the signs."\nmissing-upstreem = "Where is it?"\n'
    ((path, line, message),) = found(tmp_path, {"exercise.toml": settings})
    assert (path, settings.splitlines()[line - 1][:16]) == ("exercise.toml", "missing-upstreem")
    assert message.endswith("did you mean missing-upstream?")
