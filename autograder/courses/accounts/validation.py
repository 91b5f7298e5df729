"""Validates the values of a person that people or files enter: login, email address, names and ids."""

import unicodedata
from collections.abc import Mapping

from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from autograder.courses.errors import AtField
from autograder.courses.models import Role
from autograder.courses.person_names import split_name
from autograder.courses.tables.formulas import begins_a_formula

LABELS = {
    "login": "login",
    "email": "email address",
    "name": "name",
    "first_name": "first name",
    "last_name": "last name",
    "section": "section",
    "role": "role",
    "lms_id": "LMS ID",
    "sis_id": "SIS ID",
}
MAX_LENGTHS = {"login": 150, "email": 254, "first_name": 150, "last_name": 150, "section": 100, "lms_id": 100, "sis_id": 100}
LINE_SEPARATORS = {"Zl", "Zp"}  # Unicode categories
# display text in a different order than it is stored
BIDIRECTIONAL_CONTROLS = {*"\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"}


def validate_person(values: Mapping[str, str]) -> None:
    """Raise `AtField` for the first value that cannot be stored. The role is optional, as in a roster."""
    if not values["login"]:
        raise AtField("login", "The login is missing.")
    for field, value in values.items():
        validate_characters(field, value)
    for field, value in (*values.items(), *names_of(values).items()):
        validate_length(field, value)
    try:
        UnicodeUsernameValidator()(values["login"])
    except ValidationError:
        message = f"The login '{values['login']}' can contain only letters, digits and the characters @ . + - _"
        raise AtField("login", message) from None
    validate_email_address(values.get("email", ""))
    if values.get("role") and values["role"].casefold() not in Role.values:
        raise AtField("role", f"There is no role '{values['role']}'. The roles are: {', '.join(Role.values)}.")


def validate_text(field: str, value: str) -> None:
    validate_characters(field, value)
    validate_length(field, value)


def validate_characters(field: str, value: str) -> None:
    if any(_is_invisible(letter) for letter in value):
        raise AtField(field, f"The {LABELS[field]} contains a control character. Delete it.")
    if begins_a_formula(value):
        raise AtField(
            field, f"The {LABELS[field]} starts with {value.strip()[0]}, so spreadsheets would treat it as a formula."
        )


def validate_length(field: str, value: str) -> None:
    limit = MAX_LENGTHS.get(field)
    if limit is not None and len(value) > limit:
        raise AtField(field, f"The {LABELS[field]} has {len(value)} characters; at most {limit} are allowed.")


def validate_email_address(value: str, field: str = "email") -> None:
    try:
        validate_email(value) if value else None
    except ValidationError:
        raise AtField(field, f"'{value[:80]}' is not an email address.") from None


def names_of(values: Mapping[str, str]) -> dict[str, str]:
    if values.get("first_name") or values.get("last_name"):
        return {"first_name": values.get("first_name", ""), "last_name": values.get("last_name", "")}
    first, last = split_name(values.get("name", ""))
    return {"first_name": first, "last_name": last}


def _is_invisible(letter: str) -> bool:
    category = unicodedata.category(letter)
    return category == "Cc" or category in LINE_SEPARATORS or letter in BIDIRECTIONAL_CONTROLS
