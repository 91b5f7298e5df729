"""Maps the columns of other programs' lists of people to our own names.

A file is attributed to the first program whose typical columns it contains. Files with our own column names are plain.
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
class Program:
    """A program that exports lists of people. `columns` maps its columns to ours; if several map to the same one, the first
    present counts."""

    label: str
    columns: Mapping[str, str] = field(default_factory=dict)
    typical: tuple[tuple[str, ...], ...] = ()
    no_person: tuple[str, ...] = ()  # prefixes of the first cell of rows that are not about a person
    mark: str = ""  # a prefix of every id that makes spreadsheets keep leading zeros
    email_is_login: bool = False  # it identifies people by e-mail address

    def wrote(self, names: Sequence[str]) -> bool:
        return any(set(some) <= set(names) for some in self.typical)

    def meaning(self, names: Sequence[str]) -> dict[str, str]:
        """Return the columns of the file that are read, with our name for each."""
        ours = {name: name for name in COLUMNS} | dict(self.columns)
        found: dict[str, str] = {}
        for theirs, mine in ours.items():
            if theirs in names and mine not in found.values():
                found[theirs] = mine
        return found


PLAIN = Program("plain", {"e_mail": "email", "firstname": "first_name", "lastname": "last_name"})
PROGRAMS = (
    Program(
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
        ("Points Possible", "Student, Test"),
    ),
    Program(
        "Brightspace",
        {"username": "login", "orgdefinedid": "sis_id"},
        (("orgdefinedid",),),
        mark="#",
    ),
    Program(
        "Blackboard",
        {"username": "login", "student_id": "sis_id"},
        (("username", "student_id"),),
    ),
    Program(
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
    ),
    Program(
        "Gradescope",
        {"full_name": "name", "sid": "sis_id", "sections": "section", "section_name": "section"},
        (("email", "sid"), ("email", "sections"), ("email", "full_name"), ("email", "section_name")),
        email_is_login=True,
    ),
)


def program_of(names: Sequence[str]) -> Program:
    if "login" in names:
        return PLAIN
    return next((program for program in PROGRAMS if program.wrote(names)), PLAIN)
