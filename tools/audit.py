"""`make audit`: checks dependencies for known vulnerabilities and the repository for secrets.

Exits with 1 unless everything was checked and nothing was found. A service that cannot be reached is reported as such, never
as "nothing found".

By default it queries PyPI. `--service osv` queries OSV, and `--osv-url URL` a mirror of it, for example in an isolated
network, filled from OSV's published archives.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
LOCKS = [ROOT / "requirements.lock", ROOT / "requirements-dev.lock"]
sys.path.insert(0, str(ROOT))

from tools import secret_scan  # noqa: E402 - as a script, this file has only its own folder in sys.path

NEVER = "NOT AUDITED"


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--service", choices=("pypi", "osv"), default="pypi")
    parser.add_argument("--osv-url", metavar="URL", help="of a copy of OSV's service; with --service osv")
    parser.add_argument("--requirements", type=Path, nargs="+", default=LOCKS, metavar="FILE", help="lock files")
    parser.add_argument("--only", choices=("python", "node", "secrets"), help="one of the three")
    given = parser.parse_args(arguments)
    parts: dict[str, Callable[[], int]] = {
        "python": lambda: python(given.requirements, given.service, given.osv_url),
        "node": lambda: node(ROOT / "frontend"),
        "secrets": lambda: secret_scan.main([]),
    }
    return max([part() for name, part in parts.items() if given.only in (None, name)])


def python(requirements: Sequence[Path], service: str, osv_url: str | None) -> int:
    """Check exactly the versions of the lock files. pip-audit alone would exit with 0 if the service knew none of the packages."""
    command = [
        *(sys.executable, "-m", "pip_audit", "--no-deps", "--disable-pip"),
        *(part for file in requirements for part in ("--requirement", str(file))),
        *("--format", "json", "--progress-spinner", "off", "--vulnerability-service", service),
        *(("--osv-url", osv_url) if osv_url else ()),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        packages: list[dict[str, Any]] = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError):
        last = (done.stderr.strip().splitlines() or ["pip-audit said nothing"])[-1]
        return _say(f"python: {NEVER}: the service {service} cannot be asked: {last[:300]}")
    unknown = [package["name"] for package in packages if "skip_reason" in package]
    holes = [(package, hole) for package in packages for hole in package.get("vulns", ())]
    for package, hole in holes:
        cure = ", ".join(hole["fix_versions"]) or "none yet"
        print(f"{package['name']} {package['version']}: {hole['id']}, mended in {cure}")
    if unknown:
        named = "all of them" if len(unknown) == len(packages) else ", ".join(unknown)
        told = f"the service {service} told nothing about {len(unknown)} of {len(packages)} packages: {named}"
        return _say(f"python: {NEVER}: {told}. Ask another: --service osv, or --osv-url URL for a copy of it.")
    if holes:
        return _say(f"python: {len(holes)} known holes in {len(packages)} packages. Raise the versions in pyproject.toml.")
    return _say(f"python: no known hole in {len(packages)} packages", failed=False)


def node(folder: Path) -> int:
    """Check the build tools and libraries of the scripts."""
    try:
        done = subprocess.run(["npm", "audit", "--json"], cwd=folder, capture_output=True, text=True, check=False)
        told: dict[str, Any] = json.loads(done.stdout)
    except FileNotFoundError:
        return _say(f"node: {NEVER}: npm is not installed. Type: make setup-tests")
    except ValueError:
        return _say(f"node: {NEVER}: npm said nothing that can be read")
    counts = told.get("metadata", {}).get("vulnerabilities")
    if counts is None:
        return _say(f"node: {NEVER}: {told.get('message') or told.get('error') or 'the registry cannot be asked'}")
    for name, hole in sorted(told.get("vulnerabilities", {}).items()):
        print(f"{name} {hole.get('range', '')}: {hole.get('severity', 'of unknown weight')}")
    if counts["total"]:
        return _say(f"node: {counts['total']} known holes. Type: cd frontend && npm audit fix, then npm run build")
    return _say("node: no known hole", failed=False)


def _say(line: str, *, failed: bool = True) -> int:
    print(line, flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
