"""System checks of the database, and of settings that must not reach the public.

`manage.py migrate` and `up` refuse a database in which a site cannot work. `manage.py check --deploy` looks at the settings,
with Django's own checks; with GRADUS_PRODUCTION=1 no process starts while one of them fails, or one of Django's that REFUSED
lists.
"""

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core.checks import ERROR, CheckMessage, Error, Tags, register, run_checks
from django.db import connections

from autograder.settings.secret_files import Misconfigured
from autograder.sqlite import collation

# Django's checks whose failure ends the start, and the remedy, which Django cannot know
REFUSED = {
    "security.W009": "Set GRADUS_SECRET_KEY, for example to the output of: openssl rand -base64 60 | tr -d '\\n'",
    "security.W018": "Unset DEBUG.",
    "security.W020": "Set GRADUS_HOSTS to the host names of the site, such as gradus.example.org.",
}
# parts of keys and passwords that appear in instructions
EXAMPLES = (
    "change-me",
    "changeme",
    "change_me",
    "example",
    "insecure",
    "your-",
    "your_",
    "placeholder",
    "replace",
    "secret-key",
)
KNOWN_PASSWORDS = ("postgres", "password", "gradus", "admin", "secret", "test", "123456")


@register(Tags.database)
def unfit_database(databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    return [error for alias in databases or () for error in _unfit_postgresql(alias)]


def _unfit_postgresql(alias: str) -> list[CheckMessage]:
    connection = connections[alias]
    if connection.vendor != "postgresql":
        return []
    with connection.cursor() as cursor:
        known = "exists (select from pg_collation where collname = %s)"
        cursor.execute(f"select current_database(), getdatabaseencoding(), {known}", [collation.NAME])
        name, encoding, sorts = cursor.fetchone()
    if encoding != "UTF8":
        message = f"The database {name} has the encoding {encoding}, in which names cannot be sorted; Gradus needs UTF8."
        hint = f"Create it with: createdb -E UTF8 -T template0 {name}"
        return [Error(message, hint=hint, id="gradus.E007")]
    if not sorts:
        message = f"This PostgreSQL has no collation {collation.NAME}, by which names are sorted: it was built without ICU."
        return [Error(message, hint="Use a PostgreSQL built with ICU, as the usual packages are", id="gradus.E008")]
    return []


@register(Tags.security, deploy=True)
def unsafe_settings(**_: Any) -> list[CheckMessage]:
    password = str(settings.DATABASES["default"].get("PASSWORD") or "").lower()
    rules = {
        "gradus.E001": (
            "*" in settings.ALLOWED_HOSTS,
            "GRADUS_HOSTS contains '*', so links in emails could be made to point to another site.",
            "List the host names of the site instead.",
        ),
        "gradus.E002": (
            _is_example(settings.SECRET_KEY),
            "The secret key comes from an example. Anyone who knows it can sign in as any user.",
            REFUSED["security.W009"],
        ),
        "gradus.E003": (
            bool(settings.DEMO_PASSWORD),
            "GRADUS_DEMO_PASSWORD is set, so the sign-in page shows accounts and their password to everyone.",
            "Unset it.",
        ),
        "gradus.E004": (
            settings.SANDBOX == "unsafe",
            "GRADUS_SANDBOX=unsafe runs student code without a sandbox.",
            "Unset it.",
        ),
        "gradus.E005": (
            password in KNOWN_PASSWORDS or _is_example(password),
            "The password of the database is easy to guess.",
            "Give the database another password.",
        ),
        "gradus.E006": (
            not settings.SITE_URL and bool(settings.ALLOWED_HOSTS),
            "The site does not know its own address, which links in emails need.",
            "Set GRADUS_URL, such as https://gradus.example.org, or begin GRADUS_HOSTS with a host name.",
        ),
    }
    return [Error(message, hint=hint, id=key) for key, (failed, message, hint) in rules.items() if failed]


def refuse_unfit() -> None:
    """End this process, with one line per problem, if the settings are not fit for public access."""
    messages = run_checks(tags=[Tags.security], include_deployment_checks=True)
    found = [message for message in messages if message.level >= ERROR or message.id in REFUSED]
    if found:
        raise Misconfigured(*(f"{message.msg} {REFUSED.get(str(message.id), message.hint)}" for message in found))


def _is_example(word: str) -> bool:
    return any(example in word.lower() for example in EXAMPLES)
