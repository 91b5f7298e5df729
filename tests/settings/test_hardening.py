"""GRADUS_PRODUCTION=1: what it switches on, and without what a site does not start. Each in a process of its own, as it starts."""

import json
import os
import secrets
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.settings import hardening
from autograder.settings.hardening import SHORTEST_KEY, Start, troubles
from autograder.settings.secret_files import Misconfigured
from tests.conftest import EXERCISES

ROOT = EXERCISES.parent
KEY = "k7Vt2pQxL9wZr4NfYb1HsJd8GmCu3EoAi6TqXv5RnWy0BkPzMlSg"
FIT = Start(False, ["gradus.example.org"], KEY, "", "bubblewrap", "")
GOOD = {"GRADUS_PRODUCTION": "1", "GRADUS_HOSTS": "gradus.example.org", "GRADUS_SECRET_KEY": KEY}


def run(data: Path, *command: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    """Of what stands around, nothing of ours is taken along."""
    rest = {name: value for name, value in os.environ.items() if not name.startswith(("GRADUS_", "DATABASE_", "DEBUG"))}
    return subprocess.run(
        [sys.executable, *command], cwd=ROOT, env={**rest, "GRADUS_DATA": str(data), **environment}, capture_output=True,
        text=True, timeout=600, check=False,
    )  # fmt: skip


def settings_of(data: Path, *names: str, **environment: str) -> list[object]:
    program = f"import json; from autograder import settings; print(json.dumps([getattr(settings, n) for n in {names!r}]))"
    done = run(data, "-c", program, **environment)
    assert done.returncode == 0, done.stderr
    found: list[object] = json.loads(done.stdout)
    return found


def test_passwords_are_hashed_in_as_many_rounds_as_django_wants(tmp_path: Path) -> None:
    """The tests hash theirs in one."""
    program = (
        "import django; django.setup(); from django.contrib.auth.hashers import *; "
        "print(make_password('x').split('$')[1], PBKDF2PasswordHasher.iterations)"
    )
    done = run(tmp_path, "-c", program, DJANGO_SETTINGS_MODULE="autograder.settings")
    used, wanted = map(int, done.stdout.split())
    assert used == wanted >= 1_000_000


def test_check_deploy_finds_nothing(tmp_path: Path) -> None:
    """Two warnings are silenced: how far HSTS reaches beyond its host is for the owner of the domain to say."""
    done = run(tmp_path, "manage.py", "check", "--deploy", "--fail-level", "DEBUG", **GOOD)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "System check identified no issues (2 silenced).\n"


@pytest.mark.parametrize(
    "command",
    [
        ("manage.py", "migrate"),
        ("manage.py", "worker"),
        ("-m", "uvicorn", "autograder.asgi:application", "--port", "1"),
        ("-m", "celery", "--quiet", "-A", "autograder.celery", "beat"),
    ],
)
def test_every_process_refuses_with_lines_and_an_exit_code(tmp_path: Path, command: tuple[str, ...]) -> None:
    done = run(tmp_path, *command, **GOOD | {"DEBUG": "1", "GRADUS_SANDBOX": "unsafe"})
    assert done.returncode == 1
    first, second = done.stderr.splitlines()
    assert first.startswith("Gradus does not start: DEBUG is on")
    assert second.startswith("Gradus does not start: GRADUS_SANDBOX=unsafe")


UNFIT = {
    "debug": (replace(FIT, debug=True), "DEBUG is on"),
    "no hosts": (replace(FIT, hosts=[]), "GRADUS_HOSTS is not set"),
    "any host": (replace(FIT, hosts=["gradus.example.org", "*"]), "GRADUS_HOSTS has '*'"),
    "a short key": (replace(FIT, secret_key=KEY[: SHORTEST_KEY - 1]), "has 49 characters, and needs 50"),
    "a key of one letter": (replace(FIT, secret_key="a" * 60), "has only 1 different characters"),
    "no key": (replace(FIT, secret_key=""), "has 0 characters"),
    "an example": (replace(FIT, secret_key=f"django-insecure-{KEY}"), "is one from somebody's example"),
    "an example in capitals": (replace(FIT, secret_key=f"CHANGE-ME{KEY}"), "is one from somebody's example"),
    "the demo": (replace(FIT, demo_password="shown-to-all"), "GRADUS_DEMO_PASSWORD is set"),
    "no sandbox": (replace(FIT, sandbox="unsafe"), "GRADUS_SANDBOX=unsafe"),
    "a known password": (replace(FIT, database_password="Postgres"), "the password of the database"),
    "an example's password": (replace(FIT, database_password="change-me-now"), "the password of the database"),
}


@pytest.mark.parametrize("case", UNFIT)
def test_what_is_not_fit_is_named(case: str) -> None:
    start, words = UNFIT[case]
    (told,) = troubles(start)
    assert words in told
    assert start.secret_key not in told or not start.secret_key


def test_what_is_fit_starts() -> None:
    assert troubles(FIT) == []
    assert troubles(replace(FIT, secret_key=secrets.token_urlsafe(50), database_password=KEY)) == []


def test_all_troubles_are_told_at_once() -> None:
    with pytest.raises(Misconfigured) as caught:
        hardening.refuse_unfit(Start(True, [], "short", "shown", "unsafe", "gradus"))
    assert len(str(caught.value).splitlines()) == 6


COOKIES = ("SESSION_COOKIE_SECURE", "CSRF_COOKIE_SECURE", "SECURE_SSL_REDIRECT", "SECURE_HSTS_SECONDS")
NAMES = ("SESSION_COOKIE_NAME", "CSRF_COOKIE_NAME", "CSRF_TRUSTED_ORIGINS")


def test_on_ones_own_machine_everything_works_over_http(tmp_path: Path) -> None:
    assert settings_of(tmp_path, *COOKIES, *NAMES) == [False, False, False, 0, "sessionid", "csrftoken", []]


def test_in_production_cookies_go_over_tls_alone(tmp_path: Path) -> None:
    year = 365 * 24 * 3600
    assert settings_of(tmp_path, *COOKIES, *NAMES[:2], **GOOD) == [
        True, True, True, year, "__Host-sessionid", "__Host-csrftoken",
    ]  # fmt: skip


def test_origins_are_those_of_the_hosts(tmp_path: Path) -> None:
    hosts = {"GRADUS_HOSTS": "gradus.example.org, .teach.example.org"}
    found = settings_of(tmp_path, "CSRF_TRUSTED_ORIGINS", "ALLOWED_HOSTS", **GOOD | hosts)
    assert found[0] == ["https://gradus.example.org", "https://*.teach.example.org"]
    assert found[1] == ["gradus.example.org", ".teach.example.org"]


def test_only_named_proxies_are_trusted(tmp_path: Path) -> None:
    behind = {"GRADUS_BEHIND_PROXY": "127.0.0.1, 172.16.0.0/12, fd00::1"}
    (networks,) = settings_of(tmp_path, "BEHIND_PROXY", **GOOD | behind)
    mapped = ["::ffff:127.0.0.1/128", "::ffff:172.16.0.0/108"]  # the form in which a dual-stack socket names them
    assert networks == ["127.0.0.1/32", mapped[0], "172.16.0.0/12", mapped[1], "fd00::1/128"]
    assert settings_of(tmp_path, "BEHIND_PROXY", **GOOD) == [[]]


@pytest.mark.parametrize(
    ("name", "word", "words"),
    [
        ("GRADUS_PRODUCTION", "ture", "GRADUS_PRODUCTION is 'ture'. It can be 1 or 0."),
        ("GRADUS_BEHIND_PROXY", "1", "GRADUS_BEHIND_PROXY contains '1', which is not an address."),
        ("GRADUS_HSTS_SECONDS", "a year", "GRADUS_HSTS_SECONDS is 'a year'. It is a number, 0 or more."),
        ("GRADUS_SESSION_HOURS", "-1", "GRADUS_SESSION_HOURS is '-1'. It is a number, 0 or more."),
    ],
)
def test_a_word_that_cannot_be_is_refused(tmp_path: Path, name: str, word: str, words: str) -> None:
    done = run(tmp_path, "manage.py", "check", **GOOD | {name: word})
    assert done.returncode == 1
    assert words in done.stderr


def test_the_demo_is_not_for_production(tmp_path: Path) -> None:
    done = run(tmp_path, "manage.py", "up", "--demo", **GOOD)
    assert done.returncode == 1
    assert "--demo shows its password to everybody who reaches the site" in done.stderr


def test_the_key_that_is_made_is_the_owners_alone(tmp_path: Path) -> None:
    (one,) = settings_of(tmp_path, "SECRET_KEY")
    assert settings_of(tmp_path, "SECRET_KEY") == [one]
    assert (tmp_path / "secret-key").stat().st_mode & 0o777 == 0o600


def test_a_password_beside_the_address_of_the_database(tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text("p@ss/word:with#signs\n")
    file.chmod(0o400)
    given = {"DATABASE_URL": "postgres://gradus@db/gradus", "GRADUS_DATABASE_PASSWORD_FILE": str(file)}
    (databases,) = settings_of(tmp_path, "DATABASES", **given)
    assert isinstance(databases, dict)
    assert databases["default"]["PASSWORD"] == "p@ss/word:with#signs"
