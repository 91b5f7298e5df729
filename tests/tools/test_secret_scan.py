"""Secrets are planted in a repository and found, in the tree and behind it; what only looks like one is left alone.

Each is put together here, so that this file has none in it.
"""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import EXERCISES
from tools.secret_scan import ALLOWED, Finding, allowed, looked_through, scan, tree

ROOT = EXERCISES.parent
WORD = "Zx9" + "kQ2vLr8TbN4mWcYp7" + "HsJd"
PLANTED = {
    "a private key": "-----BEGIN RSA " + "PRIVATE KEY-----",
    "a key of AWS": "AKIA" + "QWERTYUIOPASDFGH",
    "a token of GitHub": "ghp_" + WORD + WORD,
    "a token of GitLab": "glpat-" + WORD,
    "a token of Slack": "xoxb-" + WORD,
    "a key of Google": "AIza" + (WORD + WORD)[:35],
    "a key of Stripe": "sk_live_" + WORD,
    "a signed token": "eyJ" + "hbGciOiJIUzI1NiJ9.eyJ" + "zdWIiOiIxMjM0NTY3ODkwIn0." + WORD,
    "a password in an address": f"DATABASE_URL=postgres://gradus:{WORD}@db/gradus",
    "what is called a secret": f'SECRET_KEY = "{WORD}"',
}
HARMLESS = (
    "password = settings.DEMO_PASSWORD",
    'token = secrets.token_urlsafe(24)',
    "GRADUS_SECRET_KEY_FILE=/run/secrets/gradus_secret_key",
    "postgres://gradus@127.0.0.1:5432/gradus",
    "postgres://user:{password}@host/name",
    'PASSWORD = "the gradient flows back"',
    "-----BEGIN PUBLIC KEY-----",
    "token_hash=hash_of(token)",
    "csrfmiddlewaretoken",
)  # fmt: skip


def git(folder: Path, *arguments: str) -> None:
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / "read.me").write_text("nothing\n")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "first")
    return tmp_path


@pytest.mark.parametrize("kind", PLANTED)
def test_each_kind_is_found(kind: str) -> None:
    assert [found.kind for found in looked_through([("here", PLANTED[kind])])] == [kind]


@pytest.mark.parametrize("line", HARMLESS)
def test_what_is_none_is_left_alone(line: str) -> None:
    assert list(looked_through([("here", line)])) == []


def test_in_a_file_that_nobody_has_added_yet(repository: Path) -> None:
    (repository / "notes.txt").write_text(f"one\n{PLANTED['what is called a secret']}\n")
    (found,) = scan(repository, set())
    assert found.place == "notes.txt:2"


def test_in_a_commit_whose_file_is_gone(repository: Path) -> None:
    (repository / "notes.txt").write_text(PLANTED["a token of GitHub"])
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "oops")
    git(repository, "rm", "-q", "notes.txt")
    git(repository, "commit", "-qm", "gone")
    (found,) = scan(repository, set())
    assert found.place.endswith(":notes.txt")


def test_on_another_branch(repository: Path) -> None:
    git(repository, "checkout", "-qb", "side")
    (repository / "notes.txt").write_text(PLANTED["a key of AWS"])
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "aside")
    git(repository, "checkout", "-q", "main")
    assert len(scan(repository, set())) == 1


def test_what_is_allowed_has_a_reason(repository: Path) -> None:
    (repository / "notes.txt").write_text(PLANTED["what is called a secret"])
    (found,) = scan(repository, set())
    listed = repository / "allowed"
    listed.write_text(f"# {found.fingerprint} a remark\n{found.fingerprint}\n")
    assert allowed(listed) == set()
    listed.write_text(f"{found.fingerprint} an example in a lecture\n")
    assert scan(repository, allowed(listed)) == []


def test_a_finding_is_never_printed_in_full() -> None:
    assert WORD not in str(Finding("here", "a kind", WORD))


def test_the_command_ends_with_1_and_with_0(repository: Path) -> None:
    command = [sys.executable, str(ROOT / "tools" / "secret_scan.py"), str(repository)]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0
    (repository / "notes.txt").write_text(PLANTED["a key of Stripe"])
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, WORD in done.stdout) == (1, False)
    assert "secrets: 1 found." in done.stdout


def test_there_is_none_in_this_tree() -> None:
    """The history takes longer, and is what `make audit` looks through."""
    assert [str(one) for one in looked_through(tree(ROOT)) if one.fingerprint not in allowed(ALLOWED)] == []


def test_without_a_repository_nothing_is_claimed(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "tools" / "secret_scan.py"), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("secrets: NOT LOOKED FOR: ")
