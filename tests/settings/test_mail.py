"""The address of a mail server: what it may look like, and what is refused with its cure."""

from pathlib import Path

import pytest

from autograder.settings.mail import Mail, mail_of
from autograder.settings.secret_files import Misconfigured

DATA = Path("/data")
SENDER = "Gradus <gradus@example.org>"


def read(url: str, sender: str = SENDER) -> Mail:
    return mail_of(url, sender, DATA)


def test_without_one_nothing_is_promised_and_files_are_written() -> None:
    found = read("", "")
    assert (found.configured, found.backend, found.folder) == (
        False,
        "django.core.mail.backends.filebased.EmailBackend",
        DATA / "mail",
    )


def test_files_count_when_somebody_says_so() -> None:
    assert (read("file:").configured, read("file:").folder) == (True, DATA / "mail")
    assert read("file:///srv/mail").folder == Path("/srv/mail")


@pytest.mark.parametrize(
    ("url", "port", "starttls", "tls"),
    [
        ("smtp://mail.example.org", 587, True, False),
        ("smtp://mail.example.org:2525", 2525, True, False),
        ("smtps://mail.example.org", 465, False, True),
        ("smtp://mail.example.org?tls=off", 25, False, False),
    ],
)
def test_a_server(url: str, port: int, starttls: bool, tls: bool) -> None:
    found = read(url)
    assert (found.configured, found.host, found.sender) == (True, "mail.example.org", SENDER)
    assert (found.port, found.starttls, found.tls) == (port, starttls, tls)
    assert found.backend.endswith(".smtp.EmailBackend")


def test_user_and_password_may_hold_anything() -> None:
    found = read("smtp://ada%40example.org:p%2Fw%3A%40@mail.example.org")
    assert (found.user, found.password) == ("ada@example.org", "p/w:@")


@pytest.mark.parametrize(
    "url",
    [
        *("mail.example.org", "http://mail.example.org", "smtp://", "smtp://mail.example.org:port", "smtp://[::1"),
        *("smtp://mail.example.org?tls=no", "smtp://mail.example.org?ssl=off", "smtps://mail.example.org?tls=off"),
    ],
)
def test_what_is_no_address_is_named_with_examples(url: str) -> None:
    with pytest.raises(Misconfigured, match="GRADUS_MAIL_URL is not the URL of a mail server"):
        read(url)


@pytest.mark.parametrize("sender", ["", "gradus", "a\nb@example.org"])
def test_a_sender_is_needed(sender: str) -> None:
    with pytest.raises(Misconfigured, match="GRADUS_MAIL_FROM"):
        read("smtp://mail.example.org", sender)


def test_a_password_does_not_travel_in_the_clear() -> None:
    with pytest.raises(Misconfigured, match="without encryption") as caught:
        read("smtp://ada:s3cret@mail.example.org?tls=off")
    assert "s3cret" not in str(caught.value)
    assert read("smtp://ada:s3cret@localhost?tls=off").password == "s3cret"
