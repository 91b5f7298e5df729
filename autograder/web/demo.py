"""The people of the demo course whom a visitor may sign in as, on a site that was started as a demo and on no other."""

from dataclasses import dataclass

from django.conf import settings
from django.urls import reverse

from autograder.courses.models import User
from autograder.gradebook.demo.people import ABSENT, BEGINNER, DOMAIN, OPERATOR, SLUG, STUCK


@dataclass(frozen=True)
class Account:
    """Somebody to sign in as, by the form that everybody signs in with: the site has no other way in."""

    login: str
    role: str
    sees: str
    page: str  # the name of the one to begin with
    name: str = ""

    @property
    def password(self) -> str:
        return str(settings.DEMO_PASSWORD)

    @property
    def address(self) -> str:
        return reverse(self.page, args=(() if self.page == "status" else (SLUG,)))


ACCOUNTS = (
    Account(BEGINNER, "Student", "Has submitted one wrong solution, and sees the first wrong step.", "go-on"),
    Account(ABSENT, "New student", "Has not started. Opens on the course page with step 1.", "home"),
    Account(STUCK, "Stuck student", "Has failed step 1 many times, most recently with the same mistake.", "go-on"),
    Account("demo-mei", "Assistant", "Sees the students of the Monday section and comments on their work.", "overview"),
    Account(
        "demo-grace",
        "Instructor",
        "Sees who is stuck and why, who is late or has an extension, and every grade.",
        "overview",
    ),
    Account(
        OPERATOR[0],
        "Operator",
        "Sees the queue, the workers, and the internal error after which a submission was graded again.",
        "status",
    ),
)


def is_demo() -> bool:
    """`manage.py up --demo` sets the password, on one's own machine; a site in production does not start with one."""
    return bool(settings.DEMO_PASSWORD) and not settings.PRODUCTION


def accounts() -> list[Account]:
    """Those that are there, in the order in which they are shown. None where the site is not a demo."""
    if not is_demo():
        return []
    known = User.objects.filter(username__in=[account.login for account in ACCOUNTS], email__endswith=f"@{DOMAIN}")
    names = {user.username: user.get_full_name() for user in known}
    return [
        Account(account.login, account.role, account.sees, account.page, names[account.login])
        for account in ACCOUNTS
        if account.login in names
    ]


def student() -> Account | None:
    """Whom the front page signs in as."""
    return next((account for account in accounts() if account.login == BEGINNER), None)


def may_sign_in(user: User) -> bool:
    """The operator of a demo is staff of the site, with a password that was shown: of a site that is no demo it is nobody."""
    return is_demo() or user.username != OPERATOR[0] or not user.email.endswith(f"@{DOMAIN}")
