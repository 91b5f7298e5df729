"""Finds accounts by login and email address. An address belongs to one account, as its email or its login.

People sign in with their login or their email address, and logins are tried first. Therefore no new account may use an
address that an existing account uses in either role: its owner could no longer sign in with it.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from django.db.models import Q, Value
from django.db.models.functions import Lower

from autograder.courses.models import User

MAX_PER_QUERY = 400
REGISTERED_BY_LINK = "registered by link: nobody has verified its email address"


def owners_of_addresses(addresses: Iterable[str]) -> dict[str, list[User]]:
    """Return the accounts that use each address, keyed by the address in lower case."""
    asked = sorted({address.lower() for address in addresses if address})
    owners: dict[str, list[User]] = defaultdict(list)
    for batch in (set(asked[n : n + MAX_PER_QUERY]) for n in range(0, len(asked), MAX_PER_QUERY)):
        users = User.objects.annotate(lower_email=Lower("email"), lower_login=Lower("username"))
        for user in users.filter(Q(lower_email__in=batch) | Q(lower_login__in=batch)).order_by("id"):
            for address in {user.email.lower(), user.username.lower()} & batch:
                if user not in owners[address]:
                    owners[address].append(user)
    return dict(owners)


def owners_of(address: str) -> list[User]:
    return owners_of_addresses([address]).get(address.lower(), [])


def account_named(name: str) -> User | None:
    """Return the account with this login, or else with this email address, ignoring case."""
    found = User.objects.filter(username=name).first()
    return owner_of_email(name) if found is None and "@" in name else found


def owner_of_email(email: str) -> User | None:
    """Return the account with this address. The comparison is that of the unique constraint, so that its index is used."""
    return User.objects.exclude(email="").annotate(lower=Lower("email")).filter(lower=Lower(Value(email))).first()


def users_with_logins(logins: Sequence[str]) -> dict[str, User]:
    """Return the accounts with these logins, by login as written and casefolded.

    Case is ignored, because a second account that differs only in case would be a duplicate. Logins with unprintable
    characters are skipped, because PostgreSQL does not accept every character in a query.
    """
    found: dict[str, User] = {}
    logins = [login for login in logins if login.isprintable()]
    for batch in (logins[n : n + MAX_PER_QUERY] for n in range(0, len(logins), MAX_PER_QUERY)):
        same = Q(username__in=batch) | Q(lower__in=[login.lower() for login in batch])
        for user in User.objects.annotate(lower=Lower("username")).filter(same).order_by("id"):
            found.setdefault(user.username.casefold(), user)
            found[user.username] = user
    return found
