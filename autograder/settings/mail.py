"""Mail settings: the server in GRADUS_MAIL_URL, the sender in GRADUS_MAIL_FROM.

Without them mail is disabled, and pages tell users whom to ask instead. Mail from Django's own commands is then written to
files in the data folder.
"""

from dataclasses import dataclass
from email.utils import parseaddr
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

from autograder.settings.secret_files import Misconfigured

BACKENDS = "django.core.mail.backends."
PORTS = {"smtp": 587, "smtps": 465}
LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")
TIMEOUT_SECONDS = 10  # timeout of the mail server, for which a worker waits


@dataclass(frozen=True)
class Mail:
    """The mail settings for Django. `configured`: whether pages may promise a mail."""

    configured: bool
    backend: str
    folder: Path
    sender: str = "gradus@localhost"
    host: str = ""
    port: int = 0
    user: str = ""
    password: str = ""
    starttls: bool = False
    tls: bool = False


def mail_of(url: str, sender: str, data: Path) -> Mail:
    """Parse the URL of a mail server.

    `smtp://user:password@host:port` requires STARTTLS, unless `?tls=off`; `smtps://` uses TLS from the start; `file:` writes
    mails to the folder `mail` in the data folder, for testing.
    """
    folder = data / "mail"
    if not url:
        return Mail(False, f"{BACKENDS}filebased.EmailBackend", folder, sender or Mail.sender)
    if not sender or "@" not in parseaddr(sender)[1] or not sender.isprintable():
        raise Misconfigured(
            "GRADUS_MAIL_URL is set, but GRADUS_MAIL_FROM is not an email address. Set it to the sender of all mail."
        )
    try:
        parts = urlsplit(url)
        host, port, query = parts.hostname or "", parts.port, parse_qs(parts.query, strict_parsing=bool(parts.query))
    except ValueError:
        raise _not_a_url() from None
    if parts.scheme == "file":
        return Mail(True, f"{BACKENDS}filebased.EmailBackend", Path(parts.path) if parts.path else folder, sender)
    off = query == {"tls": ["off"]}
    if parts.scheme not in PORTS or not host or (query and not off) or (off and parts.scheme == "smtps"):
        raise _not_a_url()
    password = unquote(parts.password or "")
    if password and off and host not in LOCAL_HOSTS:
        raise Misconfigured("GRADUS_MAIL_URL would send its password without encryption. Remove ?tls=off or the password.")
    return Mail(
        True,
        f"{BACKENDS}smtp.EmailBackend",
        folder,
        sender,
        host=host,
        port=port or (25 if off else PORTS[parts.scheme]),
        user=unquote(parts.username or ""),
        password=password,
        starttls=parts.scheme == "smtp" and not off,
        tls=parts.scheme == "smtps",
    )


def _not_a_url() -> Misconfigured:
    known = "smtp://user:password@host:587, smtps://user:password@host:465, smtp://host:25?tls=off, or file:"
    return Misconfigured(f"GRADUS_MAIL_URL is not the URL of a mail server. Use one of {known}")
