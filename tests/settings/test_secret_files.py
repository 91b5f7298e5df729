"""Secrets from variables or files: what cannot be is told with its cause and its cure, and never with the secret."""

import os
import tempfile
from pathlib import Path

import pytest

from autograder.settings import secret_files
from autograder.settings.secret_files import MAX_BYTES, SECRETS, Misconfigured, secret

WORD = "a-word-that-nobody-may-see"
NAME, FILE = "GRADUS_BROKER_URL", "GRADUS_BROKER_URL_FILE"


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*SECRETS, *SECRETS.values()):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "secret"
    path.write_text(WORD)
    path.chmod(0o400)
    monkeypatch.setenv(FILE, str(path))
    return path


def refusal(name: str = NAME) -> str:
    with pytest.raises(Misconfigured) as caught:
        secret(name)
    words = str(caught.value)
    assert words.startswith("Gradus cannot start: ")
    assert WORD not in words
    return words


@pytest.mark.parametrize("name", SECRETS)
def test_every_secret_may_come_from_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    path = tmp_path / "secret"
    path.write_text(f"{WORD}\n")
    path.chmod(0o400)
    monkeypatch.setenv(SECRETS[name], str(path))
    assert secret(name) == WORD


def test_the_variable_then_what_is_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    assert secret(NAME, "otherwise") == "otherwise"
    monkeypatch.setenv(NAME, "")
    assert secret(NAME, "otherwise") == "otherwise"
    monkeypatch.setenv(NAME, WORD)
    assert secret(NAME, "otherwise") == WORD


def test_both_are_one_too_many(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(NAME, WORD)
    assert "GRADUS_BROKER_URL and GRADUS_BROKER_URL_FILE are both set. Unset one of them." in refusal()


def test_a_file_that_is_missing(file: Path) -> None:
    file.unlink()
    assert f"{FILE} points to {file}, which does not exist. Create it with the secret, or correct the path." in refusal()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "which is empty"),
        (b" \n\n", "which is empty"),
        (WORD.encode() + b"\nmore", "which has more than one line"),
        (b"\xff\xfe\x00", "which is not text"),
        (WORD.encode() * MAX_BYTES, "too large for a secret"),
    ],
)
def test_a_file_with_something_else_in_it(file: Path, content: bytes, words: str) -> None:
    file.chmod(0o600)
    file.write_bytes(content)
    assert words in refusal()


def test_a_folder_where_an_engine_found_no_file(file: Path) -> None:
    file.unlink()
    file.mkdir()
    assert "which is a folder. A container engine creates one if the file that it should mount does not exist" in refusal()


@pytest.mark.parametrize(
    ("mode", "words"), [(0o644, "every user of this machine can read"), (0o620, "other users can write to")]
)
def test_a_file_readable_by_others_is_refused(file: Path, mode: int, words: str) -> None:
    file.chmod(mode)
    assert words in (told := refusal())
    assert f"Run: chmod 0400 {file}" in told


def test_a_group_may_read_it(file: Path) -> None:
    file.chmod(0o440)
    assert secret(NAME) == WORD


def test_what_an_engine_mounts_may_be_read_by_all_inside(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secret_files, "MOUNTED", (file.parent,))
    file.chmod(0o444)
    assert secret(NAME) == WORD
    file.chmod(0o666)
    assert "other users can write to" in refusal()


def test_a_file_of_somebody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """Root may read everything, so the process becomes somebody else for as long as it takes."""
    with tempfile.TemporaryDirectory(prefix="gradus-secret-") as folder:
        path = Path(folder) / "secret"
        path.write_text(WORD)
        path.chmod(0o400 if os.geteuid() == 0 else 0o000)
        Path(folder).chmod(0o755)
        monkeypatch.setenv(FILE, str(path))
        user = os.geteuid()
        os.seteuid(65534 if user == 0 else user)
        try:
            told = refusal()
            reader = os.geteuid()
        finally:
            os.seteuid(user)
    assert f"which this process (user {reader}) cannot read. To fix it, chown it to user {reader}" in told
