"""A hash of code changes with what the code does, and not with its words."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from autograder.judge import source_hash
from autograder.prove import stored_proofs

MODULES = {
    "sandbox/wall.py": '"""A wall."""\nHEIGHT = 3\n',
    "autograder/__init__.py": "",
    "autograder/asks.py": "from autograder.parts import walls\n"
    "def ask():\n    from sandbox import tell, wall\n    return wall.HEIGHT\n",
    "autograder/parts/__init__.py": "",
    "autograder/parts/walls.py": 'LATER = "autograder.parts.words"\n',
    "autograder/parts/words.py": "WORD = 'high'\n",
    "autograder/parts/apart.py": "NOTHING = 0\n",
    "sandbox/tell.py": "def tell(n):\n    expect(n > 1, f'n is {n}.', 'n')\n    raise fail('Too few.', 'n')\n",
}
Change = Callable[[str, str], str]


@pytest.fixture
def hash_after(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Change:
    """`hash_after("sandbox/wall.py", "HEIGHT = 4")`: the hash of `autograder.asks` when that file says that."""
    monkeypatch.setattr(source_hash, "ROOT", tmp_path)

    def changed(name: str, text: str) -> str:
        for path, before in {**MODULES, name: text}.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(before)
        source_hash.forget()
        return source_hash.modules_hash("autograder.asks", without=("autograder.observability",))

    return changed


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    yield
    source_hash.forget()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("sandbox/wall.py", '"""A high wall."""\nHEIGHT = 3\n'),
        ("sandbox/wall.py", "# three\nHEIGHT = (\n    3\n)\n"),
        ("autograder/parts/apart.py", "NOTHING = 1\n"),
        ("sandbox/tell.py", MODULES["sandbox/tell.py"].replace("n is {n}.", "but there are {n}")),
        ("sandbox/tell.py", MODULES["sandbox/tell.py"].replace("Too few.", "Too small.")),
    ],
)
def test_words_layout_and_modules_that_are_not_imported_do_not_count(name: str, text: str, hash_after: Change) -> None:
    assert hash_after(name, text) == hash_after("autograder/__init__.py", "")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("autograder/asks.py", MODULES["autograder/asks.py"].replace("HEIGHT", "HEIGHT + 1")),
        ("autograder/parts/walls.py", "LATER = None\n"),
        ("autograder/parts/words.py", "WORD = 'low'\n"),
        ("sandbox/wall.py", "HEIGHT = 4\n"),
        ("sandbox/tell.py", MODULES["sandbox/tell.py"].replace("{n}", "{n + 1}")),
        ("sandbox/tell.py", MODULES["sandbox/tell.py"].replace("'n'", "'m'")),
    ],
    ids=["itself", "at the top", "by name", "in a function", "computed for a message", "beside a message"],
)
def test_what_is_imported_counts_wherever_that_stands(name: str, text: str, hash_after: Change) -> None:
    assert hash_after(name, text) != hash_after("autograder/__init__.py", "")


def test_another_version_of_torch_is_another_hash(hash_after: Change, monkeypatch: pytest.MonkeyPatch) -> None:
    before = hash_after("autograder/__init__.py", "")
    monkeypatch.setattr(source_hash, "version", lambda library: "0.1" if library == "torch" else "1")
    assert hash_after("autograder/__init__.py", "") != before


def test_proofs_depend_on_what_judges_and_not_on_what_explains() -> None:
    judging = source_hash.imported_modules(
        ("autograder.prove.linter", "sandbox"), (*source_hash.DECIDES_NOTHING, *stored_proofs.DIAGNOSIS)
    )
    explaining = source_hash.imported_modules(("autograder.prove.diagnosis_rule", "sandbox"), source_hash.DECIDES_NOTHING)
    needed = "judge.grade explain.mutants judge.pack judge.checks.student judge.checks.compare prove.jobs"
    walls = {"sandbox.session", "sandbox.seccomp", "sandbox.guest.runner", "sandbox.backends.bubblewrap"}
    assert judging >= {f"autograder.{name}" for name in needed.split()} | walls
    assert not [
        name
        for name in judging
        if name.startswith(("autograder.explain.diagnosis", "autograder.judge.diagnosis", "autograder.trace"))
    ]
    assert explaining >= walls | {
        "autograder.explain.diagnosis.generators.relations",
        "autograder.explain.diagnosis.generators.gradients",
    }
    assert not [name for name in explaining | judging if name.startswith("autograder.explain.misconceptions")]


def test_a_proof_depends_on_the_parts_of_the_check_library_that_its_checks_import(tmp_path: Path) -> None:
    (tmp_path / "checks.py").write_text("from autograder.judge.checks.vjp import expect_vjp\nimport numpy\n")
    imported = source_hash.imports_of(tmp_path / "checks.py")
    assert imported == ("autograder.judge.checks.vjp",)
    counting = source_hash.imported_modules((), single=imported)
    assert "autograder.judge.checks.vjp" in counting
    assert "autograder.judge.checks.compare" in counting
    assert "autograder.judge.checks.functions" not in counting
    assert source_hash.modules_hash(single=imported) != source_hash.modules_hash(single=("autograder.judge.checks.memory",))
