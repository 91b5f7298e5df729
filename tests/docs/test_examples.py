"""The examples of docs/checks.md are put together as exercises and really graded: what it claims is what happens."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType

import pytest

from autograder.judge import pack
from autograder.judge.checks.registry import collect
from autograder.judge.grade import Judge
from autograder.judge.pack import Pack
from autograder.judge.report import Report
from tests.docs.pages import ROOT, Block, read

SEEDS = (1, 2, 3)


@dataclass(frozen=True)
class Example:
    """One exercise of the page: its profile, its checks, a right solution and wrong ones."""

    name: str
    profile: str
    checks: str
    solution: str
    wrong: tuple[Block, ...]


def examples() -> Iterator[Example]:
    blocks = [block for block in read("checks").blocks if block.language == "python"]
    for solution in (block for block in blocks if "solution" in block.marks):
        name = solution.marks["solution"]
        checks = "\n\n".join(block.text for block in blocks if block.marks.get("exercise") == name)
        wrong = tuple(block for block in blocks if block.marks.get("wrong") == name)
        yield Example(name, solution.marks["profile"], checks, solution.text, wrong)


EXAMPLES = {example.name: example for example in examples()}
WRONG = [(example.name, block) for example in EXAMPLES.values() for block in example.wrong]


def made(example: Example, root: Path) -> Pack:
    """An exercise folder of an example, loaded as any other."""
    folder = root / "docs" / example.name
    declared, _ = collect(lambda: exec(_compiled(example), {"__name__": "example"}))
    names = [node.name for node in ast.parse(example.solution).body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    settings = [
        f'title = "{example.name}"\nkind = "quiz"\nunit = "Documentation"\ndifficulty = 1',
        f'profile = "{example.profile}"\npoints = {sum(check.points for check in declared)}',
        *(f'[[entry_points]]\nname = "{name}"' for name in names),
    ]
    for part, text in (
        ("exercise.toml", "\n".join(settings)),
        ("statement.md", "An example."),
        ("starter.py", "\n"),
        ("solution.py", example.solution),
        ("checks.py", example.checks),
        ("wrong/example.py", example.wrong[0].text),
        ("right/example.py", example.solution),
    ):
        (folder / part).parent.mkdir(parents=True, exist_ok=True)
        (folder / part).write_text(text, "utf-8")
    return pack.load(folder)


def _compiled(example: Example) -> CodeType:
    """The checks with their probes stripped: a probe reads its own source, which an exec has not."""
    tree = ast.parse(example.checks)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and any(
            isinstance(d, ast.Name) and d.id == "probe" for d in node.decorator_list
        ):
            node.decorator_list = []
    return compile(tree, f"docs/checks.md ({example.name})", "exec", dont_inherit=True)


@pytest.fixture(scope="module")
def exercises(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Pack]:
    root = tmp_path_factory.mktemp("exercises")
    return {name: made(example, root) for name, example in EXAMPLES.items()}


def failed(report: Report) -> set[str]:
    assert report.verdict in ("passed", "partial", "failed"), report.message
    return {check.id for check in report.checks if not check.passed}


def test_every_python_block_belongs_to_an_exercise_but_the_outline() -> None:
    loose = [
        str(block)
        for block in read("checks").blocks
        if block.language == "python" and not {"exercise", "solution", "wrong"} & set(block.marks)
    ]
    assert len(loose) == 1, f"these blocks are not run: {loose[1:]}"


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_solution_gets_full_marks(name: str, judge: Judge, exercises: dict[str, Pack]) -> None:
    exercise = exercises[name]
    for seed in SEEDS:
        report = judge.grade(exercise, exercise.solution, seed)
        assert report.verdict == "passed", [(check.id, check.message) for check in report.checks if not check.passed]


@pytest.mark.parametrize(("name", "block"), WRONG, ids=[str(block) for _, block in WRONG])
def test_a_wrong_solution_fails_the_checks_that_the_page_names(
    name: str, block: Block, judge: Judge, exercises: dict[str, Pack]
) -> None:
    for seed in SEEDS:
        report = judge.grade(exercises[name], block.text.encode(), seed)
        assert failed(report) == set(block.marks["fails"].split(",")), [(c.id, c.message) for c in report.checks]


def test_every_tool_of_the_library_has_an_example() -> None:
    """Every public `expect...` function of the library is called by a block that is graded."""
    used = "\n".join(example.checks for example in EXAMPLES.values())
    folder = ROOT / "autograder" / "judge" / "checks"
    tools = {
        node.name
        for path in folder.glob("*.py")
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("expect")
    }
    inner = {"expect_tuple", "expect_slopes"}  # parts of expect_vjp and expect_cheap_vjp
    assert {tool for tool in tools - inner if f"{tool}(" not in used} == set()
