"""`make audit` finds secrets planted in a repository, in the tree and in its history, and leaves harmless words alone.

Each secret is put together here, so that this file has none in it.
"""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.conftest import EXERCISES

ROOT = EXERCISES.parent
WORD = "Zx9" + "kQ2vLr8TbN4mWcYp7" + "HsJd"
PLANTED = {
    "github-pat": "ghp_" + WORD + WORD[:12],
    "gitlab-pat": "glpat-" + WORD,
    "gcp-api-key": "AIza" + (WORD + WORD)[:35],
    "stripe-access-token": "sk_live_" + WORD,
    "jwt": "eyJ" + "hbGciOiJIUzI1NiJ9.eyJ" + "zdWIiOiIxMjM0NTY3ODkwIn0." + WORD,
    "generic-credential-uri": f"DATABASE_URL=postgres://gradus:{WORD}@db/gradus",
    "named-secret": f'SECRET_KEY = "{WORD}"',
}
HARMLESS = """\
password = settings.DEMO_PASSWORD
token = secrets.token_urlsafe(24)
GRADUS_SECRET_KEY_FILE=/run/secrets/gradus_secret_key
postgres://gradus@127.0.0.1:5432/gradus
postgres://user:{password}@host/name
PASSWORD = "the gradient flows back"
-----BEGIN PUBLIC KEY-----
token_hash=hash_of(token)
csrfmiddlewaretoken
"""


def git(folder: Path, *arguments: str) -> None:
    author = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    subprocess.run(["git", *author, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / "read.me").write_text(HARMLESS)
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "first")
    return tmp_path


def audited(repository: Path) -> tuple[int, str]:
    command = [sys.executable, "tools/audit.py", "--only", "secrets", "--repository", str(repository)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    return done.returncode, done.stdout


def test_harmless_words_are_left_alone(repository: Path) -> None:
    assert audited(repository) == (0, "secrets: none in the tree, none in the history\n")


def test_each_kind_is_found_and_never_printed_in_full(repository: Path) -> None:
    for kind, secret in PLANTED.items():
        (repository / f"{kind}.txt").write_text(f"one\n{secret}\n")  # in files that nobody has added yet
    status, output = audited(repository)
    assert status == 1
    for kind in PLANTED:
        assert f"{kind}.txt" in output
    assert WORD not in output
    assert output.endswith("secrets: found. Revoke each one wherever it is valid, then remove it.\n")


def test_a_private_key_is_found(repository: Path) -> None:
    key = repository / "key.pem"
    subprocess.run(["openssl", "genrsa", "-out", str(key), "2048"], check=True, capture_output=True)
    assert audited(repository)[0] == 1


def test_a_secret_in_the_history_of_a_deleted_file_is_found(repository: Path) -> None:
    (repository / "notes.txt").write_text(PLANTED["github-pat"])
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "oops")
    git(repository, "rm", "-q", "notes.txt")
    git(repository, "commit", "-qm", "gone")
    assert audited(repository)[0] == 1


def test_on_another_branch(repository: Path) -> None:
    git(repository, "checkout", "-qb", "side")
    (repository / "notes.txt").write_text(PLANTED["named-secret"])
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "aside")
    git(repository, "checkout", "-q", "main")
    assert audited(repository)[0] == 1


def test_ignored_files_may_contain_the_secrets_of_this_machine(repository: Path) -> None:
    (repository / ".gitignore").write_text("/secrets/\n.env\n/build/\n")
    (repository / "secrets").mkdir()
    (repository / "build").mkdir()
    with zipfile.ZipFile(repository / "build" / "a.whl", "w") as wheel:
        wheel.writestr("key", PLANTED["named-secret"])
    for name in ("secrets/key", ".env"):
        (repository / name).write_text(PLANTED["named-secret"])
    assert audited(repository)[0] == 0


def test_there_is_none_in_this_repository() -> None:
    assert audited(ROOT) == (0, "secrets: none in the tree, none in the history\n")


def test_without_a_repository_nothing_is_claimed(tmp_path: Path) -> None:
    status, output = audited(tmp_path)
    assert status == 1
    assert output.startswith("secrets: NOT AUDITED: ")
