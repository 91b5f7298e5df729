"""What the columns of other programs' lists of people say. Each program calls the same things by names of its own.

A file is of the first program whose typical columns it all has; what is called as we call it is a plain one.
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
    """`columns`: what its columns are for us; where two are the same, the first that the file has counts."""

    label: str
    columns: Mapping[str, str] = field(default_factory=dict)
    typical: tuple[tuple[str, ...], ...] = ()
    no_person: tuple[str, ...] = ()  # how the first cell of a row begins that is about nobody
    mark: str = ""  # before every id, so that spreadsheets leave its zeros
    email_is_login: bool = False  # it knows people by their e-mail

    def wrote(self, names: Sequence[str]) -> bool:
        return any(set(some) <= set(names) for some in self.typical)

    def meaning(self, names: Sequence[str]) -> dict[str, str]:
        """The names of the file that are read, each with our name for it."""
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
