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
RULES = ROOT / "tools" / "secret_rules.yaml"
NOT_AUDITED = "NOT AUDITED"
SECRETS_FOUND = (200, 205)  # exit statuses of Kingfisher


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--service", choices=("pypi", "osv"), default="pypi")
    parser.add_argument("--osv-url", metavar="URL", help="URL of an OSV mirror; requires --service osv")
    parser.add_argument("--requirements", type=Path, nargs="+", default=LOCKS, metavar="FILE", help="lock files")
    parser.add_argument("--repository", type=Path, default=ROOT, metavar="FOLDER", help="where to search for secrets")
    parser.add_argument("--only", choices=("python", "node", "secrets"), help="run one of the three audits")
    given = parser.parse_args(arguments)
    parts: dict[str, Callable[[], int]] = {
        "python": lambda: python(given.requirements, given.service, given.osv_url),
        "node": lambda: node(ROOT / "frontend"),
        "secrets": lambda: secrets(given.repository),
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
        last = (done.stderr.strip().splitlines() or ["pip-audit printed nothing"])[-1]
        return _say(f"python: {NOT_AUDITED}: the service {service} cannot be reached: {last[:300]}")
    unknown = [package["name"] for package in packages if "skip_reason" in package]
    vulnerabilities = [(package, found) for package in packages for found in package.get("vulns", ())]
    for package, found in vulnerabilities:
        fixes = ", ".join(found["fix_versions"]) or "no version yet"
        print(f"{package['name']} {package['version']}: {found['id']}, fixed in {fixes}")
    if unknown:
        named = "all of them" if len(unknown) == len(packages) else ", ".join(unknown)
        cause = f"the service {service} does not know {len(unknown)} of {len(packages)} packages: {named}"
        return _say(f"python: {NOT_AUDITED}: {cause}. Use another service: --service osv, or --osv-url URL for a mirror.")
    if vulnerabilities:
        count = f"{len(vulnerabilities)} known vulnerabilities in {len(packages)} packages"
        return _say(f"python: {count}. Update the versions in pyproject.toml.")
    return _say(f"python: no known vulnerabilities in {len(packages)} packages", failed=False)


def node(folder: Path) -> int:
    """Check the build tools and libraries of the scripts."""
    try:
        done = subprocess.run(["npm", "audit", "--json"], cwd=folder, capture_output=True, text=True, check=False)
        report: dict[str, Any] = json.loads(done.stdout)
    except FileNotFoundError:
        return _say(f"node: {NOT_AUDITED}: npm is not installed. Run: make setup-tests")
    except ValueError:
        return _say(f"node: {NOT_AUDITED}: npm did not print JSON")
    counts = report.get("metadata", {}).get("vulnerabilities")
    if counts is None:
        cause = report.get("message") or report.get("error") or "the registry cannot be reached"
        return _say(f"node: {NOT_AUDITED}: {cause}")
    for name, found in sorted(report.get("vulnerabilities", {}).items()):
        print(f"{name} {found.get('range', '')}: {found.get('severity', 'unknown severity')}")
    if counts["total"]:
        return _say(f"node: {counts['total']} known vulnerabilities. Run: cd frontend && npm audit fix && npm run build")
    return _say("node: no known vulnerabilities", failed=False)


def secrets(root: Path) -> int:
    """Search the tree and the history of all branches with Kingfisher. Nothing leaves this machine.

    Files that git ignores are left out, because they contain the secrets of this machine.
    """
    ignored = subprocess.run(
        ["git", "ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z"],
        cwd=root, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if ignored.returncode:
        return _say(f"secrets: {NOT_AUDITED}: {ignored.stderr.strip().splitlines()[0]}")
    command = [
        *(sys.executable, "-m", "kingfisher", "scan", ".", "--rules-path", str(RULES)),
        *("--no-validate", "--no-update-check", "--redact"),
        # unlike --skip-path-prefix, this also holds for the members of archives
        *(part for path in ignored.stdout.split("\0") if path for part in ("--exclude", f"./{path}")),
    ]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    if done.returncode in SECRETS_FOUND:
        print(done.stdout)
        return _say("secrets: found. Revoke each one wherever it is valid, then remove it.")
    if done.returncode:
        return _say(f"secrets: {NOT_AUDITED}: {done.stderr.strip()[-300:]}")
    return _say("secrets: none in the tree, none in the history", failed=False)


def _say(line: str, *, failed: bool = True) -> int:
    print(line, flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
