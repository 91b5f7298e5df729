"""Rate limits per user and, much higher, per address, because a whole lecture hall may share one address.

The limits of submissions and runs for an assignment are in `submissions.handing_in.attempts` and `submissions.handing_in.intake`.
"""

import math
import random
import time
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address, ip_network

from django.db import connection
from django.http import HttpRequest
from django.utils.crypto import salted_hmac

from autograder.courses.errors import TooOften
from autograder.courses.models import User
from autograder.web import numbers
from autograder.web.models import Pace

SWEPT = 200  # one request in this many deletes expired rows
STEP = "CASE WHEN web_pace.free_at > %(now)s THEN web_pace.free_at ELSE %(now)s END + %(each)s"
TAKE = (
    "INSERT INTO web_pace (key, free_at) VALUES (%(key)s, %(now)s + %(each)s) "  # noqa: S608 - of constants alone
    f"ON CONFLICT (key) DO UPDATE SET free_at = {STEP} WHERE {STEP} <= %(now)s + %(most)s RETURNING free_at"
)


@dataclass(frozen=True)
class Rate:
    """A burst of `at_once` requests, and `a_minute` sustained."""

    at_once: int
    a_minute: float

    @property
    def each(self) -> float:
        return 60 / self.a_minute


@dataclass(frozen=True)
class Limit:
    """`words` says what was not done. A rate that is None is not counted. `name` counts by what an anonymous user typed."""

    words: str
    person: Rate | None = None
    address: Rate | None = None
    name: Rate | None = None


LIMITS = {
    "submit": Limit("Nothing was submitted; your code is still in the editor.", Rate(30, 30), Rate(3_000, 3_000)),
    "scratch": Limit("Your calls were not run; they are still on the page.", Rate(30, 30), Rate(3_000, 3_000)),
    # scripts save up to 75 times a minute while the user types and pauses
    "draft": Limit(
        "Your code is not saved on the server yet; it is still in the editor.", Rate(150, 120), Rate(10_000, 10_000)
    ),
    "restore": Limit("The editor was not changed.", Rate(30, 30)),
    # a page opens one stream; if streams break immediately, scripts reconnect every two seconds
    "stream": Limit("The page will keep checking for the result.", Rate(60, 60), Rate(5_000, 5_000)),
    "invite": Limit("No link was created.", Rate(30, 2)),
    "reset-link": Limit("No link was created.", Rate(30, 2)),
    # counted by the typed name whether or not the account exists: no inbox is flooded, and no account is revealed
    "forgot": Limit("No email was sent.", address=Rate(600, 60), name=Rate(5, 1 / 12)),
    "reset": Limit("The link was not checked.", address=Rate(600, 60)),  # wrong ones alone
    "join": Limit(
        "The link was not checked.", address=Rate(600, 60)
    ),  # bad ones alone: many good ones are a class that starts
    "launch": Limit(
        "The link was not opened.", address=Rate(6_000, 6_000)
    ),  # two for each launch; a class shares an address
    "lti-register": Limit("The LMS was not registered.", address=Rate(60, 6)),
    "register": Limit("No account was created.", address=Rate(400, 30)),
    # responses that reveal whether an address has an account
    "has-account": Limit("No account was created.", address=Rate(60, 6)),
}


def count(request: HttpRequest, what: str, user: User | None, name: str = "") -> None:
    """Count this request. Raises TooOften with a message for the user if it exceeds a limit."""
    limit, address = LIMITS[what], address_of(request)
    if limit.address is not None and address:
        _take(limit.address, hashed(what, "address", address), f"Too many requests from your network. {limit.words}")
    if limit.person is not None and user is not None:
        _take(limit.person, hashed(what, "person", user.pk), f"Too many requests in a short time. {limit.words}")
    if limit.name is not None and name:
        _take(limit.name, hashed(what, "name", name.casefold()), f"Too many requests in a short time. {limit.words}")


def address_of(request: HttpRequest) -> str:
    """Return the address by which requests are counted; for IPv6 its /64 network, because a client usually has all of it.

    Empty for loopback addresses: these are an operator's requests or, behind an undeclared proxy, everyone's, and a
    limit per address would then block all users at once.
    """
    host = request.META.get("REMOTE_ADDR", "")
    try:
        address = ip_address(host)
    except ValueError:  # a unix socket has no address; anything else is what a proxy passed on, such as "unknown"
        return "unknown" if host else ""
    if isinstance(address, IPv6Address):
        address = address.ipv4_mapped or address
    if address.is_loopback:
        return ""
    return str(address) if address.version == 4 else str(ip_network((int(address), 64), strict=False))


def hashed(*parts: object) -> str:
    """Return a row key, keyed with the site's secret so that names cannot be recovered by trying them."""
    return salted_hmac("gradus.asked", "\0".join(map(str, parts)), algorithm="sha256").hexdigest()


def seconds(left: float) -> str:
    """Format a waiting time in seconds or minutes."""
    whole = max(1, math.ceil(left))
    if whole < 120:
        return numbers.quantity(whole, "second")
    return f"{math.ceil(whole / 60)} minutes"


def sweep(now: float) -> None:
    Pace.objects.filter(free_at__lt=now).delete()


def _take(rate: Rate, key: str, words: str) -> None:
    """Check and count in one SQL statement, so that two processes cannot both take the last slot."""
    now = time.time()
    with connection.cursor() as cursor:
        cursor.execute(TAKE, {"key": key, "now": now, "each": rate.each, "most": rate.at_once * rate.each})
        taken = cursor.fetchone() is not None
    if random.randrange(SWEPT) == 0:
        sweep(now)
    if not taken:
        free_at = Pace.objects.filter(key=key).values_list("free_at", flat=True).first() or now
        left = max(0.0, free_at + rate.each - now - rate.at_once * rate.each)
        raise TooOften(f"{words} Try again in {seconds(left)}.", left)
