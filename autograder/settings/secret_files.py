"""Reads every secret from a variable, or from a file named by a second variable; never from both, and never from a default.

A file that is missing, empty or accessible to others ends the process with cause and remedy. A site that started without its
secret would generate a new one and sign everyone out, or fail to reach its database only later.
"""

import os
import stat
from pathlib import Path

SECRETS = {
    "GRADUS_SECRET_KEY": "GRADUS_SECRET_KEY_FILE",
    "DATABASE_URL": "DATABASE_URL_FILE",
    "GRADUS_DATABASE_PASSWORD": "GRADUS_DATABASE_PASSWORD_FILE",
    "GRADUS_BROKER_URL": "GRADUS_BROKER_URL_FILE",
    "GRADUS_METRICS_TOKEN": "GRADUS_METRICS_TOKEN_FILE",
    "GRADUS_MAIL_URL": "GRADUS_MAIL_URL_FILE",
}
# where a container engine mounts secrets: readable by everyone inside the container, which has no other users
MOUNTED = (Path("/run/secrets"), Path("/var/run/secrets"))
MAX_BYTES = 10_000  # bytes: more than any database URL, and less than a log file that was named by mistake


class Misconfigured(SystemExit):
    """The configuration is invalid. As SystemExit, it prints lines instead of a traceback in every process."""

    def __init__(self, *lines: str) -> None:
        super().__init__("\n".join(f"Gradus cannot start: {line}" for line in lines))


def secret(name: str, otherwise: str = "") -> str:
    """Return the secret, or `otherwise` if neither the variable nor the file is set. An empty variable counts as unset."""
    given, file = os.environ.get(name, ""), os.environ.get(SECRETS[name], "")
    if given and file:
        raise Misconfigured(f"{name} and {SECRETS[name]} are both set. Unset one of them.")
    return _read(SECRETS[name], Path(file)) if file else given or otherwise


def _read(variable: str, path: Path) -> str:
    where = f"{variable} points to {path}"
    try:
        data = _bytes(where, path)
        text = data.decode().strip()
    except UnicodeDecodeError:
        raise Misconfigured(f"{where}, which is not text. Write the secret to it as one line of UTF-8.") from None
    if not text:
        raise Misconfigured(f"{where}, which is empty. Write the secret to it as one line.")
    if "\n" in text or "\0" in text:
        raise Misconfigured(f"{where}, which has more than one line. It must contain only the secret.")
    return text


def _bytes(where: str, path: Path) -> bytes:
    try:
        with open(path, "rb") as file:
            mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            _refuse_mode(where, path, mode)
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise Misconfigured(f"{where}, which does not exist. Create it with the secret, or correct the path.") from None
    except IsADirectoryError:
        cause = "A container engine creates one if the file that it should mount does not exist"
        raise Misconfigured(f"{where}, which is a folder. {cause}: remove it, write the file, and start again.") from None
    except PermissionError:
        remedy = f"chown it to user {os.geteuid()} or let one of that user's groups read it"
        raise Misconfigured(f"{where}, which this process (user {os.geteuid()}) cannot read. To fix it, {remedy}.") from None
    except OSError as error:
        raise Misconfigured(f"{where}, which cannot be read: {error.strerror}.") from None
    if len(data) > MAX_BYTES:
        raise Misconfigured(f"{where}, which is larger than {MAX_BYTES:,} bytes, too large for a secret. Correct the path.")
    return data


def _refuse_mode(where: str, path: Path, mode: int) -> None:
    mounted = any(folder in path.absolute().parents for folder in MOUNTED)
    if mode & 0o022:
        raise Misconfigured(f"{where}, which other users can write to (mode {mode:04o}). Run: chmod 0400 {path}")
    if mode & 0o007 and not mounted:
        raise Misconfigured(f"{where}, which every user of this machine can read (mode {mode:04o}). Run: chmod 0400 {path}")
