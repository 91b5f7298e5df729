"""GRADUS_PRODUCTION=1: what it switches on, and without what a site does not start. Each in a process of its own, as it starts."""

import json
import os
import secrets
import subprocess
import sys
from pathlib import Path

import pytest
from pytest_django import Settings

from autograder import settings
from autograder.settings import checks, hardening
from autograder.settings.secret_files import Misconfigured
from tests.conftest import EXERCISES

ROOT = EXERCISES.parent
KEY = "k7Vt2pQxL9wZr4NfYb1HsJd8GmCu3EoAi6TqXv5RnWy0BkPzMlSg"
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
def test_every_process_refuses_with_messages_and_an_exit_code(tmp_path: Path, command: tuple[str, ...]) -> None:
    done = run(tmp_path, *command, **GOOD | {"DEBUG": "1", "GRADUS_SANDBOX": "unsafe"})
    assert done.returncode == 1
    lines = sorted(done.stderr.splitlines())
    assert lines[0].startswith("Gradus cannot start: GRADUS_SANDBOX=unsafe runs student code without a sandbox.")
    assert lines[1].startswith("Gradus cannot start: You should not have DEBUG set to True")
    assert len(lines) == 2


@pytest.fixture
def fit(settings: Settings) -> Settings:
    settings.DEBUG, settings.ALLOWED_HOSTS, settings.SECRET_KEY = False, ["gradus.example.org"], KEY
    settings.DEMO_PASSWORD, settings.SANDBOX = "", "bubblewrap"
    settings.SITE_URL = "https://gradus.example.org"
    settings.DATABASES = {"default": {"PASSWORD": ""}}
    return settings


def refusal() -> list[str]:
    try:
        checks.refuse_unfit()
    except Misconfigured as refused:
        return str(refused).splitlines()
    return []


UNFIT = {
    "debug": ("DEBUG", True, "Unset DEBUG."),
    "no hosts": ("ALLOWED_HOSTS", [], "Set GRADUS_HOSTS to the host names of the site"),
    "any host": ("ALLOWED_HOSTS", ["gradus.example.org", "*"], "GRADUS_HOSTS contains '*'"),
    "no address": ("SITE_URL", "", "Set GRADUS_URL"),
    "a short key": ("SECRET_KEY", KEY[:49], "has less than 50 characters"),
    "a key of one letter": ("SECRET_KEY", "a" * 60, "less than 5 unique characters"),
    "an example": ("SECRET_KEY", f"insecure-{KEY}", "The secret key comes from an example"),
    "an example in capitals": ("SECRET_KEY", f"CHANGE-ME{KEY}", "The secret key comes from an example"),
    "the demo": ("DEMO_PASSWORD", "shown-to-all", "GRADUS_DEMO_PASSWORD is set"),
    "no sandbox": ("SANDBOX", "unsafe", "GRADUS_SANDBOX=unsafe"),
    "a known password": ("DATABASES", {"default": {"PASSWORD": "Postgres"}}, "The password of the database"),
    "an example's password": ("DATABASES", {"default": {"PASSWORD": "change-me-now"}}, "The password of the database"),
}


@pytest.mark.filterwarnings("ignore:Overriding setting DATABASES")
@pytest.mark.parametrize("case", UNFIT)
def test_each_unsafe_setting_is_named(fit: Settings, case: str) -> None:
    name, value, words = UNFIT[case]
    setattr(fit, name, value)
    (line,) = refusal()
    assert line.startswith("Gradus cannot start: ")
    assert words in line
    assert name != "SECRET_KEY" or str(value) not in line


@pytest.mark.filterwarnings("ignore:Overriding setting DATABASES")
def test_safe_settings_are_accepted(fit: Settings) -> None:
    assert refusal() == []
    fit.SECRET_KEY, fit.DATABASES = secrets.token_urlsafe(50), {"default": {"PASSWORD": KEY}}
    assert refusal() == []


@pytest.mark.filterwarnings("ignore:Overriding setting DATABASES")
def test_all_unsafe_settings_are_named_at_once(fit: Settings) -> None:
    for name, value in (("DEBUG", True), ("ALLOWED_HOSTS", []), ("SECRET_KEY", "short"), ("SANDBOX", "unsafe")):
        setattr(fit, name, value)
    assert len(refusal()) == 4


def test_hsts_may_be_off(tmp_path: Path) -> None:
    assert run(tmp_path, "manage.py", "check", **GOOD | {"GRADUS_HSTS_SECONDS": "0"}).returncode == 0


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
        ("GRADUS_PRODUCTION", "ture", "GRADUS_PRODUCTION is 'ture'. It must be 1 or 0."),
        ("GRADUS_BEHIND_PROXY", "1", "GRADUS_BEHIND_PROXY contains '1', which is not an address."),
        ("GRADUS_HSTS_SECONDS", "a year", "GRADUS_HSTS_SECONDS is 'a year'. It must be a number, 0 or greater."),
        ("GRADUS_SESSION_HOURS", "-1", "GRADUS_SESSION_HOURS is '-1'. It must be a number, 0 or greater."),
    ],
)
def test_an_invalid_value_is_refused(tmp_path: Path, name: str, word: str, words: str) -> None:
    done = run(tmp_path, "manage.py", "check", **GOOD | {name: word})
    assert done.returncode == 1
    assert words in done.stderr


def test_the_demo_is_not_for_production(tmp_path: Path) -> None:
    done = run(tmp_path, "manage.py", "up", "--demo", **GOOD)
    assert done.returncode == 1
    assert "--demo shows the demo password to everyone who can reach the site" in done.stderr


def test_the_key_that_is_made_is_the_owners_alone(tmp_path: Path) -> None:
    (one,) = settings_of(tmp_path, "SECRET_KEY")
    assert settings_of(tmp_path, "SECRET_KEY") == [one]
    assert (tmp_path / "secret-key").stat().st_mode & 0o777 == 0o600


def test_no_process_reads_half_of_a_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process starts at every moment: before a key is made, while it is written, and after."""
    seen: list[str] = []

    def token(_length: int) -> str:
        seen.extend(path.read_text() for path in [tmp_path / "secret-key"] if path.exists())
        if not seen:
            (tmp_path / "secret-key").write_text("of the other process")
        return "of this process"

    monkeypatch.setattr(settings, "DATA", tmp_path)
    monkeypatch.delenv("GRADUS_SECRET_KEY", raising=False)
    monkeypatch.setattr(secrets, "token_urlsafe", token)
    assert settings.secret_key() == "of the other process"
    assert seen == []
    assert [path.name for path in tmp_path.iterdir()] == ["secret-key"]


def test_a_password_beside_the_address_of_the_database(tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text("p@ss/word:with#signs\n")
    file.chmod(0o400)
    given = {"DATABASE_URL": "postgres://gradus@db/gradus", "GRADUS_DATABASE_PASSWORD_FILE": str(file)}
    (databases,) = settings_of(tmp_path, "DATABASES", **given)
    assert isinstance(databases, dict)
    assert databases["default"]["PASSWORD"] == "p@ss/word:with#signs"


@pytest.mark.parametrize(
    ("word", "on"),
    [
        *[(word, True) for word in ("1", "true", "Yes", " ON ")],
        *[(word, False) for word in ("", "0", "false", "No", "off")],
    ],
)
def test_a_switch_is_on_or_off(word: str, on: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADUS_PRODUCTION", word)
    assert hardening.switch("GRADUS_PRODUCTION") is on
