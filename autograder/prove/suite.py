"""Runs tests that were written for another grader: a pytest file, plain asserts, or cells, each below a line `# %%`.

The tests run in the judge. What they import from the modules under test are stand-ins (`checks.stand_ins`) for the objects in a
sandbox, so the same tests can be run on many versions of a solution.
"""

import ast
import builtins
import dis
import inspect
import itertools
import linecache
import random
import re
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import partial
from io import StringIO
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from autograder.judge.checks.asserts import message_of
from autograder.judge.checks.compare import CheckFailed
from autograder.judge.checks.stand_ins import Remote
from autograder.judge.checks.student import BadAnswer, StudentRaised
from sandbox.errors import SandboxError

SEED = 1
LONGEST_MESSAGE = 300
NO_TESTS = "contains no test: neither a function test_..., nor an assert"
CELL = re.compile(r"# %%[ \t]*(.*)")


class SuiteError(Exception):
    """Raised if tests cannot be run. The message is one line with the cause and the cure."""


@dataclass(frozen=True)
class Failure:
    """Why a test does not pass, in one line."""

    message: str


Outcome = Failure | None
Outcomes = dict[str, Outcome]


@dataclass(frozen=True)
class UnderTest:
    """The modules under test: what tests import as which module of the submission, and the names that each of those defines.

    Names come from the reference. A submission cannot add others, which could hide what a test means, such as `abs`.
    """

    modules: Mapping[str, str]
    names: Mapping[str, Collection[str]]


@dataclass(frozen=True)
class Step:
    """Statements to execute. With a name, they are a test; `defines` is the function or class that they define."""

    code: CodeType
    name: str = ""
    defines: str = ""


@dataclass(frozen=True)
class Suite:
    """The tests of one file."""

    path: Path
    text: str
    steps: tuple[Step, ...]
    functions: bool  # whether the tests are functions, which the steps define

    def run(self, remote: Remote, tested: UnderTest, only: str = "") -> Outcomes:
        """Runs every test, or only one, on the code of a session."""
        scope = _scope(remote, tested) | {"__name__": self.path.stem, "__file__": str(self.path)}
        if self.functions:
            return self._run_functions(scope, only)
        own = {key: value for name in tested.names for key, value in vars(remote.module(name, tested.names[name])).items()}
        scope |= {key: value for key, value in own.items() if not key.startswith("_")}
        outcomes: Outcomes = {}
        broken: Outcome = None  # by a statement between the tests, so that no later test can pass
        for step in self.steps:
            if (step.name and only not in ("", step.name)) or (step.defines and step.defines in own):
                continue
            outcome = broken or _outcome(partial(exec, step.code, scope), str(self.path))
            if step.name:
                outcomes[step.name] = outcome
            else:
                broken = outcome
        return outcomes

    def _run_functions(self, scope: dict[str, Any], only: str) -> Outcomes:
        for step in self.steps:
            broken = _outcome(partial(exec, step.code, scope), str(self.path))
            if broken is not None and only:
                return {only: broken}
            if broken is not None:
                raise SuiteError(f"{self.path.name} cannot be loaded: {broken.message}{_cure(broken.message)}")
        return {name: _outcome(test, str(self.path)) for name, test in _test_functions(scope) if only in ("", name)}


def load(path: Path) -> Suite:
    """Reads the tests of a Python file."""
    try:
        return parse(path, path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise SuiteError(f"{path.name} cannot be read: {' '.join(str(error).split())}") from error


def parse(path: Path, text: str) -> Suite:
    """The tests in a text. `path` is the file that messages name."""
    try:
        trees = [(name, ast.parse(source, str(path))) for name, source in _cells(text)]
    except (SyntaxError, ValueError) as error:
        raise SuiteError(f"{path.name} cannot be read: {' '.join(str(error).split())}") from error
    functions = any(_is_test(node) for _, tree in trees for node in tree.body)
    steps = tuple(step for name, tree in trees for step in _steps(name, tree, str(path), functions))
    if not functions and not any(step.name for step in steps):
        raise SuiteError(f"{path.name} {NO_TESTS}")
    linecache.cache[str(path)] = len(text), None, text.splitlines(keepends=True), str(path)  # for messages
    return Suite(path, text, steps, functions)


def _cure(message: str) -> str:
    return "; install what the tests import into the environment of Gradus" if "No module named" in message else ""


def imports(suite: Suite) -> list[str]:
    """The modules that the tests import."""
    return sorted({name for step in suite.steps for name in _imported(step.code)})


def _imported(code: CodeType) -> Iterator[str]:
    for instruction in dis.get_instructions(code):
        if instruction.opname == "IMPORT_NAME":
            yield str(instruction.argval)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _imported(constant)


def _cells(text: str) -> list[tuple[str, str]]:
    """The cells of a text with their names. Each has the lines of the whole text, so that line numbers stay those of the file."""
    lines = text.splitlines()
    heads = [(number, found[1]) for number, line in enumerate(lines) if (found := CELL.fullmatch(line))]
    if not heads:
        return [("", text)]
    ends = [number for number, _ in heads[1:]] + [len(lines)]
    before = [("", "\n".join(lines[: heads[0][0]]))]
    return before + [
        (name or f"cell {count}", "\n" * start + "\n".join(lines[start:end]))
        for count, ((start, name), end) in enumerate(zip(heads, ends, strict=True), 1)
    ]


def _is_test(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name.lower().startswith("test")


def _steps(cell: str, tree: ast.Module, path: str, functions: bool) -> Iterator[Step]:
    """Statements to execute. Without test functions, every cell with an assert is a test, or every assert of a file."""
    if functions:
        yield Step(compile(tree, path, "exec"))
        return
    rest = [node for node in tree.body if not _is_import_of_tools(node)]
    if cell:
        definitions = [node for node in rest if isinstance(node, ast.FunctionDef | ast.ClassDef)]
        yield from (Step(_compiled([node], path), defines=node.name) for node in definitions)
        rest = [node for node in rest if node not in definitions]
        yield Step(_compiled(rest, path), cell if any(map(_asserts, rest)) else "")
        return
    for node in rest:
        defined = node.name if isinstance(node, ast.FunctionDef | ast.ClassDef) else ""
        yield Step(_compiled([node], path), f"line {node.lineno}" if _asserts(node) else "", defined)


def _compiled(body: list[ast.stmt], path: str) -> CodeType:
    return compile(ast.Module(body, []), path, "exec")


def _asserts(node: ast.stmt) -> bool:
    """Whether a statement outside of definitions asserts something."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return False
    return any(
        isinstance(part, ast.Assert)
        or (isinstance(part, ast.Attribute) and "assert" in part.attr)
        or (isinstance(part, ast.Name) and part.id.startswith("assert"))
        for part in ast.walk(node)
    )


def _is_import_of_tools(node: ast.stmt) -> bool:
    """Tools of the notebook itself, which no test needs."""
    names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
    names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
    return any(name.partition(".")[0] in ("otter", "IPython", "matplotlib") for name in names)


# -- running ----------------------------------------------------------------------------------------------------------------


def _scope(remote: Remote, tested: UnderTest) -> dict[str, Any]:
    """A scope for tests in which the modules under test are those of the session."""
    modules = tested.modules
    loaded: dict[str, ModuleType] = {}
    tops = {name.partition(".")[0] for name in modules}

    def module(name: str) -> ModuleType:
        if name not in loaded:
            own = modules.get(name)
            loaded[name] = remote.module(own, tested.names[own]) if own else _package(name)
            parent, _, last = name.rpartition(".")
            if parent:
                setattr(module(parent), last, loaded[name])
        return loaded[name]

    def import_module(name: str, scope: Any = None, local: Any = None, wanted: Any = (), level: int = 0) -> Any:
        if level or name.partition(".")[0] not in tops:
            return builtins.__import__(name, scope, local, wanted, level)
        found = module(name)
        for part in wanted or ():
            if f"{name}.{part}" in modules:
                module(f"{name}.{part}")
        return found if wanted else module(name.partition(".")[0])

    return {"__builtins__": vars(builtins) | {"__import__": import_module}}


def _package(name: str) -> ModuleType:
    package = ModuleType(name)
    package.__path__ = []
    return package


def _outcome(test: Callable[[], Any], file: str) -> Outcome:
    _seed()
    try:
        with redirect_stdout(StringIO()):
            test()
    except StudentRaised as error:
        return Failure(f"the code raised {str(error)[:LONGEST_MESSAGE]}")
    except (BadAnswer, CheckFailed) as error:
        return Failure(str(error)[:LONGEST_MESSAGE])
    except SandboxError:
        raise
    except Exception as error:
        if type(error).__name__ == "Skipped":
            return None
        return Failure(message_of(error, file)[:LONGEST_MESSAGE])
    except BaseException as error:  # pytest.skip and pytest.fail do not derive from Exception
        if type(error).__module__.partition(".")[0] != "_pytest":
            raise
        return None if type(error).__name__ == "Skipped" else Failure(str(error)[:LONGEST_MESSAGE])
    return None


def _seed() -> None:
    """The same random numbers for every version under test."""
    random.seed(SEED)
    if numpy := sys.modules.get("numpy"):
        numpy.random.seed(SEED)
    if torch := sys.modules.get("torch"):
        torch.manual_seed(SEED)
    if hypothesis := sys.modules.get("hypothesis"):
        checks = list(hypothesis.HealthCheck)
        hypothesis.settings.register_profile(
            "gradus", deadline=None, derandomize=True, database=None, suppress_health_check=checks
        )
        hypothesis.settings.load_profile("gradus")


def _test_functions(scope: Mapping[str, Any]) -> Iterator[tuple[str, Callable[[], Any]]]:
    fixtures = {name: value for name, value in scope.items() if hasattr(value, "_get_wrapped_function")}
    for name, value in list(scope.items()):
        if name.startswith("test") and callable(value) and not inspect.isclass(value):
            yield from _cases(name, value, fixtures)
        elif name.startswith("Test") and inspect.isclass(value):
            for method in [key for key in vars(value) if key.startswith("test")]:
                yield from _cases(f"{name}.{method}", getattr(value(), method), fixtures)


def _cases(name: str, test: Any, fixtures: Mapping[str, Any]) -> Iterator[tuple[str, Callable[[], Any]]]:
    """A test, or one for each combination of the values that `parametrize` gives."""
    marks = [mark for mark in getattr(test, "pytestmark", ()) if mark.name == "parametrize"]
    choices = [list(_choices(*mark.args[:2])) for mark in marks]
    combinations = list(itertools.product(*choices))
    for number, combination in enumerate(combinations):
        values = {key: value for choice in combination for key, value in choice.items()}
        label = f"{name}[{number + 1}]" if len(combinations) > 1 else name
        yield label, partial(_call, test, values, fixtures)


def _choices(names: Any, values: Any) -> Iterator[dict[str, Any]]:
    keys = [key.strip() for key in names.split(",")] if isinstance(names, str) else list(names)
    for value in values:
        chosen = getattr(value, "values", value) if type(value).__name__ == "ParameterSet" else value
        chosen = chosen if len(keys) > 1 or type(value).__name__ == "ParameterSet" else [chosen]
        yield dict(zip(keys, chosen, strict=True))


def _call(test: Any, values: dict[str, Any], fixtures: Mapping[str, Any]) -> None:
    missing = [
        key
        for key, parameter in inspect.signature(test).parameters.items()
        if key not in values and parameter.default is parameter.empty and parameter.kind is parameter.POSITIONAL_OR_KEYWORD
    ]
    waiting: list[Any] = []
    for key in missing:
        if key not in fixtures:
            raise SuiteError(f"the test needs the fixture {key}, which is not in this file")
        made = fixtures[key]._get_wrapped_function()()
        values = values | {key: next(made) if inspect.isgenerator(made) else made}
        waiting += [made] if inspect.isgenerator(made) else []
    test(**values)
    for generator in waiting:
        next(generator, None)
