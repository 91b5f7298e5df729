"""Tests of another grader on trial (`judge.court`): reading them, and the result as text and as JSON."""

import json
from collections.abc import Mapping
from pathlib import Path

from autograder.judge.files import FilesError
from autograder.library.notebooks import document, magics
from autograder.prove import suite
from autograder.prove.court import Trial, Wrong
from autograder.prove.suite import Suite, SuiteError


def suite_at(path: Path) -> Suite:
    """The tests in a Python file or in the code cells of a notebook."""
    if path.suffix != document.SUFFIX:
        return suite.load(path)
    try:
        notebook = document.read(path.read_bytes(), path.name)
        cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
        texts = [f"# %% cell {number}\n{magics.python_of(cell.text)}\n" for number, cell in enumerate(cells, 1)]
    except (OSError, FilesError) as error:
        raise SuiteError(" ".join(str(error).split())) from error
    except magics.NotPython as error:
        raise SuiteError(f"{path.name} has a cell that is not valid Python: {error.reason}") from error
    return suite.parse(path, "".join(texts))


def words(name: str, trial: Trial, caught_by: Mapping[str, str], show: int) -> str:
    """The kill rate, what each test contributes, and the first survivors. `caught_by` has the title of a check of Gradus that a
    survivor fails.
    """
    of = len(trial.wrong)
    lines = [
        f"{name}: {_count(len(trial.tests), 'test')}. The solution passes; {len(trial.caught)} of {of} wrong solutions fail "
        f"({trial.rate:.0%})."
    ]
    if trial.same:
        lines.append(f"{_count(trial.same, 'more mutant')} pass every check of the exercise, too, and were left out.")
    width = max(map(len, trial.tests))
    lines += [f"  {test:<{width}}  fails {trial.fails(test)}{_note(trial, test)}" for test in trial.tests]
    if not trial.survivors:
        return "\n".join([*lines, "No wrong solution passes all tests."])
    shown = trial.survivors[:show]
    lines.append(f"{_count(len(trial.survivors), 'wrong solution')} pass all tests. The smallest changes first:")
    for version in shown:
        lines += _survivor(version, caught_by.get(version.name, ""))
    rest = len(trial.survivors) - len(shown)
    return "\n".join([*lines, f"and {rest} more"] if rest else lines)


def as_json(name: str, trial: Trial) -> str:
    return json.dumps(
        {
            "tests": {test: trial.fails(test) for test in trial.tests},
            "file": name,
            "wrong": len(trial.wrong),
            "caught": len(trial.caught),
            "same": trial.same,
            "survivors": [{"name": version.name, "diff": version.diff} for version in trial.survivors],
        },
        ensure_ascii=False,
    )


def _note(trial: Trial, test: str) -> str:
    alone = sum(tests == (test,) for tests in trial.caught.values())
    if not trial.fails(test):
        return ", so it catches no mistake"
    return f", {alone} of them only this test" if alone and len(trial.tests) > 1 else ""


def _survivor(version: Wrong, check: str) -> list[str]:
    lines = [f"  {version.name}" + (f"; Gradus fails it in “{check}”" if check else "")]
    return lines + [f"    {line}" for line in version.diff.splitlines()[2:]]


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
