"""Demo accounts that a visitor can sign in with. They exist only on a site that was started as a demo."""

from dataclasses import dataclass, replace

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse
from django.utils.crypto import constant_time_compare

from autograder.courses.models import User
from autograder.gradebook.demo.people import BEGINNER, DOMAIN, OPERATOR, PREFIX, SLUG, STUCK, VISITOR
from autograder.gradebook.demo.visitors import visitor_create

NEW = "demo-new"  # signs in as a student made for this visitor


@dataclass(frozen=True)
class DemoAccount:
    """A demo account, used through the normal login form: there is no other way to sign in."""

    login: str
    role: str
    sees: str
    page: str  # URL name of the page to start with
    name: str = ""

    @property
    def password(self) -> str:
        return str(settings.DEMO_PASSWORD)

    @property
    def address(self) -> str:
        place = "#verdict" if self.page == "next-exercise" else ""  # on a phone, where the result is far below the task
        return reverse(self.page, args=(() if self.page == "status" else (SLUG,))) + place


ACCOUNTS = (
    DemoAccount(BEGINNER, "Student", "Has submitted one wrong solution, and sees the first wrong step.", "next-exercise"),
    DemoAccount(NEW, "New student", "Has not started. Each press makes a student of your own.", "home", "New student"),
    DemoAccount(
        STUCK, "Stuck student", "Has failed step 1 many times, most recently with the same mistake.", "next-exercise"
    ),
    DemoAccount("demo-mei", "Assistant", "Sees the students of the Monday section and comments on their work.", "overview"),
    DemoAccount(
        "demo-grace",
        "Instructor",
        "Sees who is stuck and why, who is late or has an extension, and every grade.",
        "overview",
    ),
    DemoAccount(
        OPERATOR[0],
        "Operator",
        "Sees the queue, the workers, and a submission that was graded again after an internal error.",
        "status",
    ),
)


def is_demo() -> bool:
    """Return whether this is a demo. `manage.py up --demo` sets the password on a developer's machine; a production site
    refuses to start with one.
    """
    return bool(settings.DEMO_PASSWORD) and not settings.PRODUCTION


def accounts() -> list[DemoAccount]:
    """Return the demo accounts that exist, in display order. Empty if the site is not a demo."""
    if not is_demo():
        return []
    known = User.objects.filter(username__in=[account.login for account in ACCOUNTS], email__endswith=f"@{DOMAIN}")
    names = {user.username: user.get_full_name() for user in known}
    return [
        replace(account, name=names.get(account.login, account.name))
        for account in ACCOUNTS
        if account.login in names or (account.login == NEW and names)
    ]


def student() -> DemoAccount | None:
    """The account that the front page signs in with."""
    return next((account for account in accounts() if account.login == BEGINNER), None)


def account_of(login: str) -> DemoAccount | None:
    """The account that signs in with this login, on a demo."""
    login = NEW if login.startswith(VISITOR) else login
    return next((account for account in ACCOUNTS if account.login == login), None) if is_demo() else None


def login_of(name: str, password: str) -> str:
    """The login to sign in with: that of a student made now, for a visitor who presses *New student*."""
    is_new = name == NEW and is_demo() and constant_time_compare(password, settings.DEMO_PASSWORD)
    return visitor_create(password).username if is_new and accounts() else name


@dataclass(frozen=True)
class DemoBar:
    """Whom the visitor acts as, and whom else they can become with one press."""

    role: str
    others: tuple[DemoAccount, ...]


def bar_of(request: HttpRequest) -> DemoBar | None:
    user = getattr(request, "user", None)  # missing on the page of an error before authentication
    if not (is_demo() and isinstance(user, User) and user.email.endswith(f"@{DOMAIN}")):
        return None
    own = account_of(user.username)
    return DemoBar(own.role if own else "", tuple(account for account in ACCOUNTS if account is not own or own.login == NEW))


def may_sign_in(user: User) -> bool:
    """Refuse the people of a demo outside a demo: their passwords were public."""
    return is_demo() or not _is_of_a_demo(user)


def _is_of_a_demo(user: User) -> bool:
    """Also after a visitor changed the address."""
    if user.email.endswith(f"@{DOMAIN}"):
        return True
    return user.username.startswith(PREFIX) and user.memberships.filter(course__slug=SLUG).exists()
