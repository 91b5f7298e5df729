"""`python -m bench.authoring`: how long an author waits for a proof, after everything is new and after one file has changed.

Proofs are made as a worker makes them, in an examiner. Nothing else should run beside.
"""

import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from autograder.examiner.examiners import NOTHING_KNOWN, Examiners
from autograder.judge import pack
from autograder.library.sandboxes import backend
from autograder.prove import from_function, scaffold
from tests.conftest import EXERCISES

ONE_FILE, WHOLE = 3.0, 10.0  # wanted seconds
TYPICAL = ("value-unary", "vjp-unbroadcast", "fn-cubic", "relu-at-zero", "vjp-linear", "accumulate-bug")
FUNCTION = "def softplus(x):\n    return np.log(1 + np.exp(x))"
Change = Callable[[Path], None]


def _append(pattern: str, text: str) -> Change:
    def change(folder: Path) -> None:
        path = sorted(folder.glob(pattern))[0]
        path.write_text(path.read_text() + text)

    return change


CHANGES: dict[str, Change] = {
    "the statement": _append("statement.md", "\nOne more sentence.\n"),
    "a wrong solution": _append("wrong/*.py", "\nunused = 1\n"),
    "a right solution": _append("right/*.py", "\nunused = 1\n"),
    "checks.py": _append("checks.py", "\nUNUSED = 1\n"),
}


def main() -> int:
    missed = 0
    with tempfile.TemporaryDirectory() as name, Examiners(backend()) as examiners:
        folders = _folders(Path(name))
        whole, changed = [], dict[str, list[float]]()
        for folder in folders:
            seconds, kept = _proved(examiners, folder, NOTHING_KNOWN)
            whole.append(seconds)
            told = [f"{folder.name}: everything {seconds:.1f} s"]
            for what, change in CHANGES.items():
                if what == "a right solution" and not any(folder.glob("right/*.py")):
                    continue
                change(folder)
                seconds, kept = _proved(examiners, folder, kept)
                changed.setdefault(what, []).append(seconds)
                told.append(f"{what} {seconds:.1f} s")
            print(", ".join(told), flush=True)
    for what, waits in {"everything": whole, **changed}.items():
        limit = WHOLE if what in ("everything", "checks.py") else ONE_FILE
        missed += median(waits) > limit
        says = "missed" if median(waits) > limit else "met"
        print(f"after a change of {what}: median {median(waits):.1f} s, longest {max(waits):.1f} s; {limit:g} s {says}")
    return int(missed > 0)


def _folders(root: Path) -> list[Path]:
    """Copies that are changed here: templates, a draft from a function, and exercises of usual size."""
    folders = []
    for kind in scaffold.KINDS:
        folders.append(_written(root / f"template-{kind}", scaffold.files_of(kind, kind, "Own")))
    folders.append(_written(root / "from-a-function", from_function.files_of(FUNCTION, {}, "Softplus", "Own").files))
    for slug in TYPICAL:
        folders.append(Path(shutil.copytree(pack.find(EXERCISES, slug), root / slug)))
    return folders


def _written(folder: Path, files: dict[str, str]) -> Path:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


def _proved(examiners: Examiners, folder: Path, before: bytes) -> tuple[float, bytes]:
    begun = time.perf_counter()
    with examiners.examination(pack.read(folder), (), whole=True) as examination:
        _, kept = examination.prove(lambda done, of: None, before)
    return time.perf_counter() - begun, kept


if __name__ == "__main__":
    sys.exit(main())
