"""The formats of lists of people that other programs export: which of their columns mean which of ours.

A file has the first format whose typical columns it contains. Files with our own column names are plain.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

COLUMNS = ("login", "email", "name", "first_name", "last_name", "section", "role", "lms_id", "sis_id")
ROLES = {
    "learner": "student",
    "ta": "assistant",
    "teaching assistant": "assistant",
    "non-editing teacher": "assistant",
    "reader": "assistant",
    "grader": "assistant",
    "teacher": "instructor",
}


@dataclass(frozen=True)
class ListFormat:
    """A list of people as a program exports it. `columns` maps its columns to ours; if several map to the same one, the
    first present counts."""

    label: str
    columns: Mapping[str, str] = field(default_factory=dict)
    typical: tuple[tuple[str, ...], ...] = ()
    not_a_person: str = "\0"  # the beginning of rows that are about something else
    test_student: str = "\0"  # the beginning of the row of a student who does not exist
    id_prefix: str = ""  # in front of every id, so that spreadsheets keep leading zeros
    email_is_login: bool = False  # it identifies people by email address

    def matches(self, names: Sequence[str]) -> bool:
        return any(set(columns) <= set(names) for columns in self.typical)

    def meaning(self, names: Sequence[str]) -> dict[str, str]:
        """Return the columns of the file that are read, with our name for each."""
        ours = {name: name for name in COLUMNS} | dict(self.columns)
        found: dict[str, str] = {}
        for column, our_name in ours.items():
            if column in names and our_name not in found.values():
                found[column] = our_name
        return found

    def identifies_people(self, names: Sequence[str]) -> bool:
        """Return whether a file with these columns says who each row is about."""
        known = self.meaning(names).values()
        return "login" in known or (self.email_is_login and "email" in known)


PLAIN = ListFormat("plain", {"e_mail": "email", "firstname": "first_name", "lastname": "last_name"})
CANVAS = ListFormat(
    "Canvas",
    {
        "sis_login_id": "login",
        "login_id": "login",
        "student": "name",
        "student_name": "name",
        "id": "lms_id",
        "student_id": "lms_id",
        "sis_user_id": "sis_id",
        "student_sis_id": "sis_id",
        "section_name": "section",
    },
    (("student", "id", "section"), ("student_name", "student_id", "student_sis_id")),
    not_a_person="Points Possible",
    test_student="Student, Test",
)
BRIGHTSPACE = ListFormat(
    "Brightspace",
    {"username": "login", "orgdefinedid": "sis_id"},
    (("orgdefinedid",),),
    id_prefix="#",
)
BLACKBOARD = ListFormat(
    "Blackboard",
    {"username": "login", "student_id": "sis_id"},
    (("username", "student_id"),),
)
MOODLE = ListFormat(
    "Moodle",
    {
        "username": "login",
        "email_address": "email",
        "firstname": "first_name",
        "surname": "last_name",
        "lastname": "last_name",
        "id_number": "sis_id",
        "idnumber": "sis_id",
        "user_id": "lms_id",
        "groups": "section",
        "group": "section",
        "group1": "section",
        "roles": "role",
    },
    (("email_address",), ("username", "firstname", "lastname")),
    email_is_login=True,
)
GRADESCOPE = ListFormat(
    "Gradescope",
    {"full_name": "name", "sid": "sis_id", "sections": "section", "section_name": "section"},
    (("email", "sid"), ("email", "sections"), ("email", "full_name"), ("email", "section_name")),
    email_is_login=True,
)
FORMATS = (CANVAS, BRIGHTSPACE, BLACKBOARD, MOODLE, GRADESCOPE)


def roster_format(names: Sequence[str]) -> ListFormat | None:
    """Return the format of a roster with these columns, or None if they do not identify people."""
    found = PLAIN if "login" in names else next((known for known in FORMATS if known.matches(names)), PLAIN)
    return found if found.identifies_people(names) else None


def gradebook_format(names: Sequence[str]) -> ListFormat | None:
    """Return the format of an LMS gradebook with these columns."""
    return next((known for known in (CANVAS, MOODLE) if known.matches(names)), None)
