"""Front-end libraries and build for tests. Libraries are installed once per lock file, into the cache instead of the
source tree.

A missing program or network is an error with the command to run, never a skipped test.
"""

import hashlib
import shutil
import subprocess
import tempfile
from pathlib import Path

from django.conf import settings

from tests.servers import need

SOURCES = Path(settings.BASE_DIR) / "frontend"
BUILT = Path(settings.BASE_DIR) / "autograder" / "web" / "static" / "web"
PACKAGES = ("package.json", "package-lock.json")


def node_modules() -> Path:
    """The locked libraries, including axe-core for the browser tests."""
    lock = hashlib.sha256(b"".join((SOURCES / name).read_bytes() for name in PACKAGES)).hexdigest()[:16]
    cached = Path(settings.CACHE) / "frontend" / lock
    if not cached.is_dir():
        cached.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cached.parent) as fresh:
            _install(Path(fresh) / lock)
            _keep(Path(fresh) / lock, cached)
    return cached / "node_modules"


def build(into: Path, scratch: Path) -> None:
    """Build the front-end sources in a copy. `into` gets the files that belong in BUILT."""
    _run([need("nodejs", "node"), "build.mjs", "--out", str(into)], _copy(scratch))


def run_module(module: str, stdin: str, scratch: Path) -> str:
    """Run a JavaScript module as if it were next to `src/`, and return its output."""
    copy = _copy(scratch)
    (copy / "module.mjs").write_text(module)
    return _run([need("nodejs", "node"), "module.mjs"], copy, stdin)


def _copy(scratch: Path) -> Path:
    copy = scratch / "frontend"
    shutil.copytree(SOURCES, copy, ignore=shutil.ignore_patterns("node_modules"))
    (copy / "node_modules").symlink_to(node_modules(), target_is_directory=True)
    return copy


def _install(folder: Path) -> None:
    folder.mkdir()
    for name in PACKAGES:
        shutil.copy(SOURCES / name, folder)
    need("nodejs", "node")
    _run([need("npm", "npm"), "ci", "--ignore-scripts", "--no-audit", "--no-fund"], folder)


def _keep(fresh: Path, cached: Path) -> None:
    """Move the folder into the cache. If a concurrent run was faster, its folder is kept."""
    try:
        fresh.rename(cached)
    except OSError:
        if not cached.is_dir():
            raise


def _run(command: list[str], folder: Path, stdin: str = "") -> str:
    done = subprocess.run(command, cwd=folder, input=stdin, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed in {folder}:\n{done.stdout}{done.stderr}")
    return done.stdout
