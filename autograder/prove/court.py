"""Puts tests on trial: runs them on wrong versions of a solution, and reports which of those pass all of them."""

import ast
import difflib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path

from autograder.explain import mutants
from autograder.judge import files, words
from autograder.judge.checks.stand_ins import Remote
from autograder.judge.checks.student import Student
from autograder.judge.grade import Judge
from autograder.judge.pack import Pack
from autograder.prove.suite import Outcomes, Suite, SuiteError, UnderTest, imports
from sandbox.errors import JobEnded, OutOfTime
from sandbox.wire import Limits, Program, Raised

LIMITS = Limits(cpu_seconds=10, wall_seconds=30.0, memory_bytes=2048 << 20)
LOAD_SECONDS = 5.0
SEED = 1
ENTRY = "modules_under_test.py"
LIBRARIES = ("torch", "numpy")
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Reference:
    """The solution that tests are for: one text, with headings if it has several files."""

    source: str
    tested: UnderTest
    profile: str
    wrong: Mapping[str, str] = field(default_factory=dict)  # wrong solutions by name

    @classmethod
    def of_exercise(cls, exercise: Pack) -> "Reference":
        wrong = {name: source.decode() for name, source in exercise.wrong.items()}
        source = exercise.solution.decode()
        return cls(source, _tested(source, exercise.file_name), exercise.settings.profile, wrong)

    def imported_by(self, suite: Suite) -> "Reference":
        """The same solution under the names by which the tests import it: a single file has any name that does not exist."""
        if len(self.tested.names) > 1:
            return self
        (own,) = self.tested.names
        unknown = [name for name in imports(suite) if not _exists(name)]
        return replace(self, tested=replace(self.tested, modules={own: own} | dict.fromkeys(unknown, own)))

    @classmethod
    def of_files(cls, contents: Mapping[str, bytes]) -> "Reference":
        """Of a module, or of the files of a package by their paths."""
        ((name, first), *rest) = contents.items()
        source = files.join(contents).decode() if rest or "/" in name else first.decode()
        imported = {alias.partition(".")[0] for content in contents.values() for alias in _imports(content)}
        profile = next((library for library in LIBRARIES if library in imported), "python")
        return cls(source, _tested(source, name), profile)

    def program(self, source: str) -> Program:
        """A version of the solution, as modules that can be imported under their names."""
        contents = files.split(source.encode()) or {f"{next(iter(self.tested.names))}.py": source.encode()}
        return Program(ENTRY, {**contents, ENTRY: b""})


@dataclass(frozen=True)
class Wrong:
    """A wrong version of the solution."""

    name: str
    source: str
    size: int  # lines that differ
    diff: str = ""


@dataclass(frozen=True)
class Trial:
    """`caught` has the tests that fail, by wrong version; `survivors` are those that pass all tests, the smallest change first."""

    tests: tuple[str, ...]
    wrong: tuple[Wrong, ...]
    caught: Mapping[str, tuple[str, ...]]
    survivors: tuple[Wrong, ...]
    same: int = 0  # mutants left out because they behave like the solution

    def fails(self, test: str) -> int:
        """The number of wrong versions that a test fails for."""
        return sum(test in tests for tests in self.caught.values())

    @property
    def rate(self) -> float:
        return len(self.caught) / len(self.wrong) if self.wrong else 1.0


def hold(
    judge: Judge,
    suite: Suite,
    reference: Reference,
    progress: Progress = lambda _done, _of: None,
    same: Callable[[str], bool] = lambda _source: False,
) -> Trial:
    """Runs the tests on the solution, which must pass them all, and on its wrong versions.

    `same` says which of the versions that pass every test behave like the solution; they are not counted.
    """
    reference = reference.imported_by(suite)
    outcomes = run(judge, suite, reference, reference.source)
    if isinstance(outcomes, str):
        raise SuiteError(f"the solution does not pass the tests: {outcomes}")
    failed = {name: outcome for name, outcome in outcomes.items() if outcome is not None}
    if failed:
        name, failure = next(iter(failed.items()))
        raise SuiteError(
            f"the solution does not pass {len(failed)} of {len(outcomes)} tests; {name}: {' '.join(failure.message.split())}"
        )
    wrong = list(_wrong(reference))
    caught: dict[str, tuple[str, ...]] = {}
    survivors = []
    for number, version in enumerate(wrong):
        progress(number, len(wrong))
        found = run(judge, suite, reference, version.source)
        tests = (
            tuple(outcomes) if isinstance(found, str) else tuple(n for n, outcome in found.items() if outcome is not None)
        )
        if tests:
            caught[version.name] = tests
        else:
            survivors.append(version)
    left_out = [version for version in survivors if version.diff and same(version.source)]
    return Trial(
        tuple(outcomes),
        tuple(version for version in wrong if version not in left_out),
        caught,
        tuple(sorted((v for v in survivors if v not in left_out), key=lambda version: (version.size, len(version.diff)))),
        len(left_out),
    )


def same_as(judge: Judge, exercise: Pack | None) -> Callable[[str], bool]:
    """A function that says whether a version passes every check of the exercise, so that it counts as correct."""
    if exercise is None:
        return lambda _source: False
    return lambda source: judge.grade(exercise, source.encode(), SEED).verdict == "passed"


def caught_by_checks(judge: Judge, exercise: Pack | None, survivors: Iterable[Wrong]) -> dict[str, str]:
    """The first check of the exercise that each of these versions fails, by the name of the version."""
    if exercise is None:
        return {}
    found = {}
    for version in survivors:
        report = judge.grade(exercise, version.source.encode(), SEED, enough=lambda result: not result.passed)
        found[version.name] = next((check.title for check in report.checks if not check.passed), "")
    return found


def run(judge: Judge, suite: Suite, reference: Reference, source: str) -> Outcomes | str:
    """The outcome of every test on a version of the solution, or why the version stopped all of them."""
    with judge.sandbox(reference.profile).session(LIMITS) as session:
        try:
            loaded = session.load(reference.program(source), SEED, (), LOAD_SECONDS)
            if isinstance(loaded, Raised):
                return f"{loaded.type_name}: {loaded.message}"
            session.allow(float(LIMITS.cpu_seconds))
            return suite.run(Remote(Student(session), trusting=True), reference.tested)
        except OutOfTime:
            return "the code ran out of time"
        except JobEnded as ended:
            return words.ending(ended)
        except SuiteError as error:
            if source == reference.source:
                raise
            return str(error)  # such as an import that this version breaks


def _wrong(reference: Reference) -> Iterator[Wrong]:
    for name, source in reference.wrong.items():
        yield Wrong(f"wrong/{name}", source, _changed_lines(reference.source, source))
    for mutant in mutants.generate(reference.source):
        where = f"{mutant.file}, line {mutant.line}" if mutant.file else f"line {mutant.line}"
        yield Wrong(f"{mutant.operator}, {where}, {mutant.key}", mutant.source, 1, mutants.diff(reference.source, mutant))


def _tested(source: str, name: str) -> UnderTest:
    contents = files.split(source.encode()) or {name.replace("-", "_"): source.encode()}
    trees = {
        path.removesuffix(".py").removesuffix("/__init__").replace("/", "."): ast.parse(content)
        for path, content in sorted(contents.items())
    }
    names = {module: tuple(dict.fromkeys(_names(tree.body, module, trees))) for module, tree in trees.items()}
    return UnderTest({module: module for module in names}, names)


def _names(body: Sequence[ast.stmt], module: str, trees: Mapping[str, ast.Module]) -> Iterator[str]:
    """The names that the statements of a module define, with those that it imports from other modules."""
    for node in body:
        match node:
            case ast.FunctionDef() | ast.ClassDef():
                yield node.name
            case ast.Assign() | ast.AnnAssign():
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                yield from (part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name))
            case ast.ImportFrom(names=[ast.alias(name="*")]):
                source = f"{module}.{node.module}" if node.level else node.module or ""
                if source in trees and source != module:
                    yield from _names(trees[source].body, source, trees)
            case ast.ImportFrom():
                yield from (alias.asname or alias.name for alias in node.names)
            case ast.If() | ast.Try():
                yield from _names([*node.body, *node.orelse], module, trees)


def _exists(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except (ImportError, ValueError):
        return False


def _changed_lines(before: str, after: str) -> int:
    lines = difflib.ndiff(before.splitlines(), after.splitlines())
    return sum(line.startswith("+ ") for line in lines)


def _imports(content: bytes) -> Iterator[str]:
    for node in ast.walk(ast.parse(content)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module


def _is_hidden_or_test(file: Path) -> bool:
    return any(part.startswith((".", "test_")) or part in ("test", "tests") for part in file.parts)


def reference_at(path: Path) -> Reference:
    """The solution in a file or a folder."""
    found = [path] if path.is_file() else sorted(path.rglob("*.py"))
    found = [file for file in found if file == path or not _is_hidden_or_test(file.relative_to(path))]
    if not found:
        raise SuiteError(f"{path} is no Python file and no folder of them")
    root = path.parent
    try:
        contents = {file.relative_to(root).as_posix(): file.read_bytes() for file in found}
        return Reference.of_files(contents)
    except (OSError, UnicodeDecodeError, SyntaxError, ValueError, files.FilesError) as error:
        raise SuiteError(f"{path} cannot be read: {' '.join(str(error).split())}") from error
