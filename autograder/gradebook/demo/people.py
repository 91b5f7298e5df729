"""The people of the demo course, with logins, email addresses, LMS and SIS IDs and sections. The same number always gives
the same people.
"""

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from autograder.courses.models import Role

DOMAIN = "demo.example"  # a reserved domain, so that no mail can reach anyone
SLUG = "demo"  # the course's slug
PREFIX = "demo-"  # of all logins
SECTIONS = ("Monday", "Thursday")
MAX_STUDENTS = 400
FIRST = (
    "Amara",
    "Björn",
    "Chiara",
    "Daniel",
    "Emeka",
    "Fatima",
    "Giulia",
    "Hiroshi",
    "Ines",
    "Jonas",
    "Kavya",
    "Lena",
    "Mateo",
    "Nadia",
    "Oskar",
    "Priya",
    "Quentin",
    "Rosa",
    "Samir",
    "Tuğba",
    "Uma",
    "Viktor",
    "Wanjiru",
    "Xiu",
    "Yara",
    "Zoltán",
    "Aisha",
    "Bruno",
    "Camille",
    "Dmitri",
)
LAST = (
    "Okafor",
    "Lindqvist",
    "Ferrari",
    "Novak",
    "Adeyemi",
    "Rahmani",
    "Conti",
    "Tanaka",
    "Moreira",
    "Weber",
    "Iyer",
    "Schneider",
    "Herrera",
    "Haddad",
    "Nilsen",
    "Sharma",
    "Dubois",
    "Vidal",
    "Nasser",
    "Yılmaz",
    "Pillai",
    "Horvat",
    "Kamau",
    "Zhang",
    "Mansour",
    "Szabó",
    "Bello",
    "Almeida",
    "Laurent",
    "Petrov",
)
STAFF = (
    ("grace", "Grace", "Wengert", Role.OWNER, ""),
    ("seppo", "Seppo", "Taylor", Role.INSTRUCTOR, ""),
    ("mei", "Mei", "Lin", Role.ASSISTANT, "Monday"),
    ("tomas", "Tomás", "Rivas", Role.ASSISTANT, ""),
)
OPERATOR = ("demo-operator", "Olu", "Adebayo")  # site staff, not a member of the course
# the students that a visitor can act as; `week` defines what they do
BEGINNER, STUCK = "demo-01", "demo-06"
VISITOR = "demo-new-"  # with a number: a student who has not begun, made for one visitor
COLUMNS = ("login", "email", "first_name", "last_name", "section", "role", "lms_id", "sis_id")


@dataclass(frozen=True)
class Person:
    login: str
    first_name: str
    last_name: str
    role: str
    section: str = ""
    lms_id: str = ""
    sis_id: str = ""

    @property
    def email(self) -> str:
        return f"{self.login}@{DOMAIN}"


def cast(students: int) -> list[Person]:
    """Return the staff, owner first, and this number of students."""
    return [Person(f"{PREFIX}{login}", *about) for login, *about in STAFF] + list(_students(students))


def _students(number: int) -> Iterator[Person]:
    """Yield students. A larger number extends a smaller one."""
    chosen = Random("demo").sample([(first, last) for first in FIRST for last in LAST], MAX_STUDENTS)
    for n, (first, last) in enumerate(chosen[:number]):
        yield Person(
            login=f"demo-{n + 1:02}",
            first_name=first,
            last_name=last,
            role=Role.STUDENT,
            section=SECTIONS[n % len(SECTIONS)],
            lms_id=str(48_100 + 7 * n),
            sis_id=f"S{2_026_000 + n}",
        )


def roster_of(people: list[Person]) -> str:
    """Return a roster as the school would provide it."""
    file = io.StringIO(newline="")
    rows = csv.writer(file)
    rows.writerow(COLUMNS)
    rows.writerows([getattr(person, name) for name in COLUMNS] for person in people)
    return file.getvalue()
