"""Validates the values of a person: login, e-mail address, names and ids."""

import unicodedata
from collections.abc import Mapping

from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from autograder.courses.accounts.person_names import split_name
from autograder.courses.models import Role

LONGEST = {"login": 150, "email": 254, "first_name": 150, "last_name": 150, "section": 100, "lms_id": 100, "sis_id": 100}
FORMULA = "=+-@＝＋－＠"  # characters that start a formula in a spreadsheet, which matters when grades are exported
UNSEEN = {"Cc", "Zl", "Zp"}  # control characters and line separators
# bidirectional controls, which display text in a different order than it is stored
TURNING = {*"\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"}


def row_trouble(said: Mapping[str, str]) -> str:
    """Return what is wrong with a row on its own, or an empty string."""
    login, email, role = said["login"], said.get("email", ""), said.get("role", "").casefold()
    if not login:
        return "has no login"
    for name, value in said.items():
        if words := unfit(name, value):
            return words
    for name, value in (*said.items(), *names_of(said).items()):
        if words := too_long(name, value):
            return words
    try:
        UnicodeUsernameValidator()(login)
    except ValidationError:
        return f"login {login} has something else than letters, digits and @ . + - _"
    try:
        validate_email(email) if email else None
    except ValidationError:
        return f"'{email}' is no e-mail address"
    if role and role not in Role.values:
        return f"there is no role '{said['role']}'; there are {', '.join(Role.values)}"
    return ""


def unfit(name: str, value: str) -> str:
    """Return why a value cannot be used as a name, or an empty string."""
    if any(unicodedata.category(letter) in UNSEEN or letter in TURNING for letter in value):
        return f"{name} has a control character"
    if value and value[0] in FORMULA:
        return f"{name} begins with {value[0]}, which a spreadsheet takes for a formula"
    return ""


def too_long(name: str, value: str) -> str:
    fits = len(value) <= LONGEST.get(name, len(value))
    return "" if fits else f"{name} has {len(value)} letters; at most {LONGEST[name]} fit"


def names_of(said: Mapping[str, str]) -> dict[str, str]:
    if said.get("first_name") or said.get("last_name"):
        return {"first_name": said.get("first_name", ""), "last_name": said.get("last_name", "")}
    first, last = split_name(said.get("name", ""))
    return {"first_name": first, "last_name": last}
