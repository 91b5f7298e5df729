"""Signs users in by username or email address."""

from typing import Any

from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest

from autograder.courses.accounts.selectors import account_named
from autograder.courses.models import User
from autograder.web.accounts import demo


class NameOrEmail(ModelBackend):
    """Authentication by username or email address. A password is hashed even for an unknown name, so that the response
    time does not reveal which accounts exist.
    """

    def authenticate(
        self, request: HttpRequest | None, username: str | None = None, password: str | None = None, **kwargs: Any
    ) -> User | None:
        if username is None or password is None:
            return None
        who = account_named(username)
        found = super().authenticate(request, username=who.username if who else username, password=password, **kwargs)
        return found if isinstance(found, User) else None

    def user_can_authenticate(self, user: User | AnonymousUser | None) -> bool:
        """Called at login and, through `get_user`, on every authenticated request."""
        return super().user_can_authenticate(user) and (not isinstance(user, User) or demo.may_sign_in(user))
