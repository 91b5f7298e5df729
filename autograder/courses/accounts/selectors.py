"""Finds accounts by login and e-mail address. An address belongs to one account, as its e-mail or its login.

People sign in with their login or their e-mail address, and logins are tried first. Therefore no new account may use an
address that an existing account uses in either role: its owner could no longer sign in with it.
"""

from collections import defaultdict
from collections.abc import Iterable

from django.db.models import Q, Value
from django.db.models.functions import Lower

from autograder.courses.models import User

ASKED = 400  # addresses per database query
BY_LINK = "registered by link: nobody has verified its e-mail address"


def owners_of_addresses(addresses: Iterable[str]) -> dict[str, list[User]]:
    """Return the accounts that use each address, keyed by the address in lower case."""
    asked = sorted({address.lower() for address in addresses if address})
    owners: dict[str, list[User]] = defaultdict(list)
    for some in (set(asked[n : n + ASKED]) for n in range(0, len(asked), ASKED)):
        users = User.objects.annotate(lower_email=Lower("email"), lower_login=Lower("username"))
        for user in users.filter(Q(lower_email__in=some) | Q(lower_login__in=some)).order_by("id"):
            for address in {user.email.lower(), user.username.lower()} & some:
                if user not in owners[address]:
                    owners[address].append(user)
    return dict(owners)


def owners_of(address: str) -> list[User]:
    return owners_of_addresses([address]).get(address.lower(), [])


def account_named(name: str) -> User | None:
    """Return the account with this login, or else with this e-mail address, ignoring case."""
    found = User.objects.filter(username=name).first()
    return owner_of_email(name) if found is None and "@" in name else found


def owner_of_email(email: str) -> User | None:
    """Return the account with this address. The comparison is that of the unique constraint, so that its index is used."""
    return User.objects.exclude(email="").annotate(lower=Lower("email")).filter(lower=Lower(Value(email))).first()
