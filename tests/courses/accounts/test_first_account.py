"""`manage.py createsuperuser` asks for the name that pages show."""

import getpass
from collections.abc import Iterator

import pytest
from django.core.management import call_command

from autograder.courses.models import User

pytestmark = pytest.mark.django_db
PASSWORD = "the gradient flows back"


class Terminal:
    """Answers the questions of a command, and remembers them."""

    encoding = "utf-8"

    def __init__(self, *answers: str) -> None:
        self.asked: list[str] = []
        self.answers: Iterator[str] = iter(answers)

    def isatty(self) -> bool:
        return True

    def ask(self, prompt: str = "") -> str:
        self.asked.append(prompt)
        return next(self.answers)


def test_it_asks_for_the_name(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal("grace", "grace@example.org", "Grace", "Wengert")
    monkeypatch.setattr("builtins.input", terminal.ask)
    monkeypatch.setattr(getpass, "getpass", lambda prompt="": PASSWORD)
    call_command("createsuperuser", stdin=terminal, verbosity=0)
    user = User.objects.get()
    assert (user.username, user.display_name, user.is_superuser) == ("grace", "Grace Wengert", True)
    assert user.check_password(PASSWORD)
    assert any("First name" in prompt for prompt in terminal.asked)


def test_a_name_can_be_left_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("builtins.input", Terminal("grace", "grace@example.org", "", "").ask)
    monkeypatch.setattr(getpass, "getpass", lambda prompt="": PASSWORD)
    call_command("createsuperuser", stdin=Terminal(), verbosity=0)
    assert User.objects.get().display_name == "grace"


def test_without_a_terminal_the_name_is_an_option(monkeypatch: pytest.MonkeyPatch) -> None:
    given = {"username": "grace", "email": "grace@example.org", "interactive": False, "verbosity": 0}
    call_command("createsuperuser", **given)
    assert User.objects.get().display_name == "grace"
    call_command("createsuperuser", "--first-name", "Ada", **given | {"username": "ada", "email": "ada@example.org"})
    assert User.objects.get(username="ada").display_name == "Ada"
    assert User.REQUIRED_FIELDS == ["email"]
