"""Hashes of code that change with its behaviour but not with its documentation.

Proofs and dictionaries of explanations are stored under such hashes of the exercise and of the modules that made them.
Comments, docstrings, formatting and, in an exercise, the statement and the titles are ignored.
"""

import ast
import hashlib
from collections.abc import Collection, Iterator
from functools import cache, lru_cache
from importlib.metadata import version
from pathlib import Path

import msgspec

ROOT = Path(__file__).resolve().parents[2]
OURS = ("autograder", "sandbox")
LIBRARIES = ("torch", "numpy", "msgspec")
DECIDES_NOTHING = (  # words, traces, logs, rules that need no grading, and what stores proofs or parts of them
    "autograder.explain.advice",
    "autograder.explain.misconceptions",
    "autograder.judge.known_errors",
    "autograder.judge.source_hash",
    "autograder.judge.words",
    "autograder.observability",
    "autograder.prove.memory",
    "autograder.prove.misconception_rule",
    "autograder.prove.scaffold",
    "autograder.prove.statement_rule",
    "autograder.prove.stored_proofs",
    "autograder.trace",
    "sandbox.engine_proxy",
    "sandbox.selfcheck",
)
MESSAGES = {"fail": 0, "expect": 1}  # functions that get a message for the student, and where
WORDS_OF_SETTINGS = ("title", "unit", "difficulty", "minutes", "concepts", "messages", "public_checks_miss")


@lru_cache
def modules_hash(*roots: str, single: Collection[str] = (), without: Collection[str] = ()) -> str:
    """The hash of these modules and packages, of every module of this project that they import, and of the library versions.

    A package in `roots` stands for all of its modules, one in `single` only for itself. `without` names modules and packages
    that do not affect the result.
    """
    digest = hashlib.sha256()
    for library in LIBRARIES:
        digest.update(f"{library} {version(library).partition('+')[0]}\n".encode())
    for module in sorted(imported_modules(roots, without, single)):
        digest.update(f"{module}\n{_module_code(_path_of(module))}\n".encode())
    return digest.hexdigest()[:16]


def imported_modules(roots: Collection[str], without: Collection[str] = (), single: Collection[str] = ()) -> set[str]:
    """These modules and packages, and all modules of this project that they import, directly or indirectly, at any level."""
    found: set[str] = set()
    waiting = [*roots, *single, *(_module_of(path) for root in roots for path in _folder(root).rglob("*.py"))]
    while waiting:
        module = waiting.pop()
        if module in found or any(f"{module}.".startswith(f"{name}.") for name in without):
            continue
        found.add(module)
        waiting += _module_imports(_path_of(module))
    return found


def imports_of(path: Path) -> tuple[str, ...]:
    """The modules of this project that a file imports."""
    return tuple(sorted(set(_imports(path))))


def exercise_hash(folder: Path, files: Collection[Path]) -> str:
    """The hash of everything in an exercise that affects verdicts: not the statement, titles and messages."""
    digest = hashlib.sha256()
    for path in files:
        name = path.relative_to(folder).as_posix()
        if name == "statement.md":
            continue
        content = _deciding(path, name)
        digest.update(f"{name}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()[:16]


def _deciding(path: Path, name: str) -> bytes:
    if name == "checks.py":
        return _code_of(path).encode()
    if name == "exercise.toml":
        settings = msgspec.toml.decode(path.read_bytes())
        return repr({key: settings[key] for key in sorted(settings) if key not in WORDS_OF_SETTINGS}).encode()
    return path.read_bytes()


# -- modules ------------------------------------------------------------------------------------------------------------


@cache
def _module_imports(path: Path) -> tuple[str, ...]:
    return imports_of(path)


@cache
def _module_code(path: Path) -> str:
    tree = _without_words(path)
    for node in ast.walk(tree):
        at = MESSAGES.get(node.func.id) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else None
        if isinstance(node, ast.Call) and at is not None and at < len(node.args):
            node.args[at] = _without_text(node.args[at])
    return ast.dump(tree)


def _without_text(message: ast.expr) -> ast.expr:
    """A message with what it computes, and without its text."""
    for node in ast.walk(message):
        if isinstance(node, ast.JoinedStr):
            node.values = [part for part in node.values if not isinstance(part, ast.Constant)]
    return ast.Constant("") if isinstance(message, ast.Constant) else message


def forget() -> None:
    """Forgets what was read, for tests that change modules."""
    for remembered in (modules_hash, _module_imports, _module_code, _is_module):
        remembered.cache_clear()


def _imports(path: Path) -> Iterator[str]:
    """Names of project modules in a file's imports and string constants; some modules are imported by name when needed."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names] + [node.module]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            names = [node.value]
        yield from (name for name in names if name.partition(".")[0] in OURS and "." in name and _is_module(name))


@cache
def _is_module(name: str) -> bool:
    return name.replace(".", "").isidentifier() and (_file(name).is_file() or (_folder(name) / "__init__.py").is_file())


def _path_of(module: str) -> Path:
    return _file(module) if _file(module).is_file() else _folder(module) / "__init__.py"


def _folder(module: str) -> Path:
    return ROOT.joinpath(*module.split("."))


def _file(module: str) -> Path:
    return _folder(module).with_suffix(".py")


def _module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


# -- code without its words -----------------------------------------------------------------------------------------------


def _code_of(path: Path) -> str:
    return ast.dump(_without_words(path))


def _without_words(path: Path) -> ast.Module:
    """The syntax tree without comments, docstrings and the titles of `@check("…")`."""
    tree = ast.parse(path.read_bytes())
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            node.body = node.body[ast.get_docstring(node, clean=False) is not None :]
        if isinstance(node, ast.FunctionDef):
            for decorator in node.decorator_list:
                if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "check":
                    decorator.args = []
    return tree
